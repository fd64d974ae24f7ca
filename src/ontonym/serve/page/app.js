// The shell: which view is shown for an address, the navigation, and who is signed in.

import * as annotate from "./annotate.js";
import { key } from "./api.js";
import * as concept from "./concept.js";
import { failure, fill, lacking, make } from "./dom.js";
import { arrive } from "./entries.js";
import { drawKey, signIn } from "./key.js";
import * as review from "./review.js";
import * as search from "./search.js";
import { served } from "./served.js";
import { count } from "./words.js";

const VIEWS = { search, concept, annotate, review };
/** Each view has `title` and `show(main, values, about, signal)`; the signal is aborted when the view is left. */

let leaving = new AbortController();
let opened = false;

/** The view and its values that the address names. */
function asked() {
  const [name, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return [name || "search", new URLSearchParams(query)];
}

/** Shows what the address names; what another address asked for before, and still waits for, is given up. */
async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  for (const one of document.querySelectorAll("dialog[open]")) one.close(); // it asked about what was shown before
  const before = arrive();
  const [name, values] = asked();
  const main = document.getElementById("main");
  for (const one of document.querySelectorAll("nav a")) {
    if (one.dataset.view === name) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  const view = VIEWS[name];
  document.title = `${view?.title ?? "No such page"} · ontonym`;
  main.setAttribute("aria-busy", "true");
  try {
    const about = await served();
    if (signal.aborted) return;
    drawServed(about);
    if (view) await view.show(main, values, about, signal);
    else fill(main, lacking("There is no such page", make("a", { href: "#/search" }, "Search instead")));
    if (!signal.aborted) settle(main, before);
  } catch (error) {
    if (!signal.aborted) refused(main, error);
  } finally {
    if (!signal.aborted) {
      main.dataset.view = name;
      main.removeAttribute("aria-busy");
    }
    opened = true;
  }
}

/** Scrolls and moves the focus: to where an entry was left, to the heading of a new one; none on what is shown first. */
function settle(main, before) {
  window.scrollTo(0, before?.top ?? 0);
  if (!opened || (!before && main.contains(document.activeElement))) return;
  (before?.focus() || main.querySelector("h1") || main).focus({ preventScroll: true });
}

function refused(main, error) {
  if (error.status === 401 && key.get()) {
    // A key of an earlier run of the server: reading may need none.
    key.set("");
    drawKey();
    show();
    return;
  }
  if (error.status === 401) {
    document.getElementById("key").hidden = false;
    fill(main, lacking("This server is not open to everyone", make("button", { type: "button", onclick: enter }, "Sign in with a key")));
  } else fill(main, lacking("This page could not be loaded"), failure(error, show));
}

function drawServed(about) {
  document.getElementById("key").hidden = !about.writable;
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

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is that of the view
  const main = document.getElementById("main");
  (main.querySelector("h1") ?? main).focus();
});

window.addEventListener("hashchange", show);
drawKey();
show();
