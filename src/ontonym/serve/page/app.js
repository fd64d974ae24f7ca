// The shell: which view is shown for an address, the navigation, and who is signed in.

import * as annotate from "./annotate.js";
import { key } from "./api.js";
import * as concept from "./concept.js";
import { empty, failure, fill, make } from "./dom.js";
import { drawKey, signIn } from "./key.js";
import * as review from "./review.js";
import * as search from "./search.js";
import { served } from "./served.js";
import { count } from "./words.js";

const VIEWS = { search, concept, annotate, review };
/** Each view has `title` and `show(main, values, about)`, which may give a function that ends it. */

let leave = null;
let shown = null;

/** The view and its values that the address names. */
function asked() {
  const [name, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return [name || "search", new URLSearchParams(query)];
}

async function show() {
  if (location.hash === "#main") return;
  const [name, values] = asked();
  const main = document.getElementById("main");
  leave?.();
  leave = null;
  for (const one of document.querySelectorAll("nav a")) {
    if (one.dataset.view === name) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  const view = VIEWS[name];
  if (!view) {
    fill(main, empty("There is no such page", make("a", { href: "#/search" }, "Search instead")));
    return;
  }
  document.title = `${view.title} · ontonym`;
  main.dataset.view = name;
  const first = shown === null;
  const changed = shown !== location.hash;
  shown = location.hash;
  try {
    const about = await served();
    drawServed(about);
    if (shown !== location.hash) return;
    leave = (await view.show(main, values, about)) ?? null;
    if (!first && changed) {
      window.scrollTo(0, 0);
      if (!main.contains(document.activeElement)) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
    }
  } catch (error) {
    if (error.status === 401 && key.get()) {
      // A key of an earlier run of the server: reading may need none.
      key.set("");
      drawKey();
      await show();
    } else if (error.status === 401) fill(main, empty("This server is not open to everyone", make("button", { type: "button", onclick: enter }, "Sign in with a key")));
    else fill(main, failure(error, show));
  }
}

function drawServed(about) {
  document.querySelector('nav a[data-view="review"]').hidden = about.reviews.length === 0;
  const names = about.terminologies.map((one) => `${one.title} ${one.version}`.trim());
  const concepts = about.terminologies.reduce((sum, one) => sum + one.concepts, 0);
  fill(
    document.getElementById("bottom"),
    make("span", {}, `${names.join(", ")} · ${count(concepts, "concept")}`),
    make("span", {}, `ontonym ${about.ontonym} · `, make("a", { href: "api/openapi.json" }, "API description")),
  );
}

async function enter() {
  if (await signIn()) show();
}

document.getElementById("key").addEventListener("click", () => {
  if (!key.get()) return enter();
  key.set("");
  drawKey();
  return show();
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey || asked()[0] === "review") return;
  const box = document.querySelector("main input[type=search]");
  event.preventDefault();
  if (box) box.focus();
  else location.hash = "#/search";
});

window.addEventListener("hashchange", show);
drawKey();
show();
