// The entries of the browser's history: each keeps how far it was scrolled and what had the focus, so that going back
// returns to the very place.

import { quietly } from "./dom.js";

history.scrollRestoration = "manual";

const kept = new Map();
let entry = "";

/** A function that finds again what has the focus: by its id, or by its place among the links to the same address. */
function focused() {
  const one = document.activeElement;
  if (one?.id) return () => document.getElementById(one.id);
  const href = one?.closest?.("a[href]")?.getAttribute("href");
  if (!href) return () => null;
  const links = () => document.querySelectorAll(`a[href="${CSS.escape(href)}"]`);
  const place = [...links()].indexOf(one);
  return () => links()[place];
}

/** Takes over the entry that the address bar shows now. Gives `{ top, focus() }` as it was left, null for a new entry. */
export function arrive() {
  noted.cancel();
  if (entry) kept.set(entry, { top: window.scrollY, focus: focused() });
  const known = history.state?.entry ?? "";
  entry = known || `${Date.now()}-${Math.random()}`;
  if (!known) history.replaceState({ entry }, "");
  return known ? (kept.get(known) ?? { top: history.state.top ?? 0, focus: () => null }) : null;
}

/** Shows another address for what is on the page: in place of the one before, or as a further entry. */
export function readdress(address, { push = false } = {}) {
  if (address === location.hash) return;
  if (push) {
    history.pushState(null, "", address);
    arrive();
  } else history.replaceState(history.state, "", address);
}

/** For a reload, which forgets all but the state of the entry. */
const noted = quietly(200, () => history.replaceState({ ...history.state, top: window.scrollY }, ""));
window.addEventListener("scroll", noted, { passive: true });
