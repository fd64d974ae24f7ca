// The keys of a review, the same as on the terminal, and the window that lists them.

import { dialog } from "./dialog.js";
import { make } from "./dom.js";

const KEEP = "ontonym-review-keys";

/** Every key: keys, action, its value, word on the button, what it does, and whether it is a button. */
export const KEYS = [
  [["a", "Enter"], "accept", null, "Accept", "accept the marked candidate, with the relation that is proposed", true],
  [["e"], "decide", "exact", "Exact", "accept it as the same", true],
  [["b"], "decide", "broad", "Broader", "the candidate is broader than the source", true],
  [["n"], "decide", "narrow", "Narrower", "the candidate is narrower", true],
  [["r"], "decide", "related", "Related", "the candidate is only related", true],
  [["x"], "reject", null, "Reject", "not this candidate; the next one is marked", true],
  [["0"], "none", null, "No match", "nothing fits", true],
  [["f", "t"], "find", null, "Find another", "another target: searched in the index", true],
  [["+"], "also", null, "In addition", "the next decision is in addition to those there are", false],
  [["s"], "skip", null, "Skip", "put it off, to the end of the list", true],
  [["u"], "undo", null, "Undo", "undo what you did last", true],
  [["U"], "redo", null, "Redo", "do again what was undone", false],
  [["c"], "comment", null, "Comment", "say something about the source concept", true],
  [["l"], "filter", null, "List", "which source concepts are listed", false],
  [["/"], "search", null, "Search", "only those with some words; nothing typed lists all again", false],
  [["g"], "jump", null, "Go to", "to a source concept by its id", false],
  [["?"], "help", null, "Keys", "all keys", false],
  [["ArrowDown", "j"], "move", 1, "", "the next source concept", false],
  [["ArrowUp", "k"], "move", -1, "", "the source concept before", false],
  [["PageDown"], "move", 10, "", "ten source concepts on", false],
  [["PageUp"], "move", -10, "", "ten source concepts back", false],
  [["ArrowRight", "]"], "mark", 1, "", "the next candidate", false],
  [["ArrowLeft", "["], "mark", -1, "", "the candidate before", false],
];

const SHOWN = { Enter: "⏎", ArrowDown: "↓", ArrowUp: "↑", ArrowRight: "→", ArrowLeft: "←" };
const shownKey = (key) => SHOWN[key] ?? key;

/** Whether the keys are on; whoever dictates or uses other single keys can turn them off. */
export const keysOn = () => sessionStorage.getItem(KEEP) !== "off";

/** The action and its value for a keydown event; null where it is none, or is meant for something else. */
export function actionOf(event) {
  const list = event.target.closest?.("[role=listbox]");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (list && step) return [list.classList.contains("candidates") ? "mark" : "move", step];
  if (!keysOn() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  if (document.querySelector("dialog[open]") || event.target.closest("input, textarea, select, header, footer")) return null;
  if (event.key === "Enter" && event.target.closest("button, a, summary")) return null;
  if (/^[1-9]$/.test(event.key)) return ["pick", Number(event.key) - 1];
  const found = KEYS.find(([keys]) => keys.includes(event.key));
  return found ? [found[1], found[2]] : null;
}

/** The button of an action, with its key. */
export function keyButton([keys, action, value, word, what], act) {
  return make(
    "button",
    { type: "button", name: action, title: what, class: action === "accept" ? "primary" : null, onclick: () => act(action, value) },
    word, " ", make("kbd", { "aria-hidden": "true" }, shownKey(keys[0])),
  );
}

/** Lists all keys, with the switch that turns them off. */
export function helpDialog() {
  const on = make("input", { type: "checkbox", checked: keysOn(), onchange: (event) => sessionStorage.setItem(KEEP, event.target.checked ? "on" : "off") });
  const rows = [...KEYS.map(([keys, , , , what]) => [keys, what]), [["1 … 9"], "mark the candidate with this number"]];
  dialog("Keys", {
    body: [
      make("label", { class: "check" }, on, " Use single keys"),
      make("dl", { class: "keys" }, rows.map(([keys, what]) => [
        make("dt", {}, keys.map((key, place) => [place ? " " : "", make("kbd", {}, shownKey(key))])), make("dd", {}, what),
      ])),
    ],
    wide: true,
  });
}
