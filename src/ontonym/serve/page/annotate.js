// Annotation: the concepts in a pasted text, with what the text says of each: denied, uncertain, past, of a relative.

import { Latest, post } from "./api.js";
import { annotated } from "./annotated.js";
import { empty, failure, fill, lacking, make, say } from "./dom.js";
import { readdress } from "./entries.js";
import { filterBar, filtersOf, isFiltered } from "./filters.js";
import { link } from "./parts.js";
import { count, number } from "./words.js";

export const title = "Annotate";

const EXAMPLE =
  "Short of breath for two weeks, worse at night. No fever. Possible seizure last month.\n" +
  "Father had migraine and hearing loss. History of kidney stones. On examination swollen ankles and jaundice.";
const SOUGHT = new Map([
  ["names", "Find names"],
  ["phrases", "Find phrases"],
  ["statements", "Find phrases and values"],
  ["", "Find likely mentions"],
  ["all", "Find all"],
]);
/** What counts as a mention, as `find` of the API, and how it is called; the empty one is its default. */
const KEY = "ontonym-note";
const LONGEST = 1_000_000;
const LONG = 20_000;

/** The text as it was left: this tab keeps it, also over a reload; it is never part of an address. */
let kept = (() => {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
})();

/** Keeps a text for this view. */
export function keepText(text) {
  kept = text;
  try {
    if (text) sessionStorage.setItem(KEY, text);
    else sessionStorage.removeItem(KEY);
  } catch {
    // There is no room for it: it stays until the page is loaded again.
  }
}

/** Shows the view; `values` are those of the address: index, only, tag, within, find. */
export async function show(main, values, about, signal) {
  if (!about.indexes.length) {
    fill(main, lacking("Nothing to annotate with", "This server has terminologies for lookups alone. Start it with an index."));
    return;
  }
  const state = { ...filtersOf(values), find: SOUGHT.has(values.get("find")) ? values.get("find") : "" };
  const latest = new Latest();
  const results = make("div", { class: "annotated" });
  const stale = make("p", { class: "note stale", hidden: true }, "The text was changed since. Annotate it again to see its concepts.");
  let shown = null;
  const text = make("textarea", { id: "note", rows: 6, dir: "auto", placeholder: "Paste a note", "aria-describedby": "note-words", onkeydown: (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  }, oninput: () => {
    keepText(text.value);
    drawChanged();
  } });
  text.value = kept;

  const drawChanged = () => {
    stale.hidden = shown === null || text.value === shown;
    clear.disabled = !text.value;
  };
  const put = (words) => {
    text.value = words;
    keepText(words);
    drawChanged();
  };
  const busy = (is) => {
    send.disabled = is;
    send.textContent = is ? "Annotating…" : "Annotate";
    if (is) results.setAttribute("aria-busy", "true");
    else results.removeAttribute("aria-busy");
  };
  const nothing = (...words) => {
    latest.stop();
    busy(false);
    shown = null;
    fill(results, words.length ? empty(...words) : null);
    say(words[0] ?? "");
    drawChanged();
  };

  const run = async () => {
    const asked = text.value;
    if (!asked.trim()) return nothing("There is no text yet", "Paste a note above, or take the example.");
    if (asked.length > LONGEST) {
      return nothing(`This text has ${count(asked.length, "character")}`, `At most ${number(LONGEST)} are annotated at once. Split it, or use ontonym annotate on the command line.`);
    }
    busy(true);
    if (asked.length > LONG) say(`Annotating ${count(asked.length, "character")}`);
    try {
      const found = await latest.run((given) => post("/annotate", { text: asked, ...state }, given));
      if (found === null) return; // another run goes on, or it was cleared
      shown = asked;
      draw(found);
    } catch (error) {
      shown = null;
      if (error.status === 503) error.message += " Annotate it in parts, or with ontonym annotate on the command line.";
      fill(results, failure(error, run));
    }
    busy(false);
    drawChanged();
  };

  const draw = (found) => {
    const mentions = found.mentions.filter((one) => one.id);
    say(`${count(mentions.length, "mention")} of ${count(new Set(mentions.map((one) => one.id)).size, "concept")}`);
    if (mentions.length) fill(results, annotated(found.text, mentions));
    else fill(results, empty("No concept found in this text", isFiltered(state) ? "The filters may leave some out." : ""));
  };

  const send = make("button", { type: "button", class: "primary", onclick: run }, "Annotate");
  const clear = make("button", { type: "button", class: "quiet", onclick: () => {
    put("");
    nothing();
    text.focus();
  } }, "Clear");
  const changed = () => {
    readdress(link("annotate", state), { push: true });
    if (shown !== null) run();
  };
  const filters = filterBar(state, about, changed);
  const sought = make("label", {}, make("span", { class: "unseen" }, "What counts as a mention "), make(
    "select",
    { onchange: (event) => {
      state.find = event.target.value;
      changed();
    } },
    [...SOUGHT].map(([value, words]) => make("option", { value, selected: value === state.find }, words)),
  ));
  fill(
    main,
    make("h1", { tabindex: -1 }, "Annotate a text"),
    make("div", { class: "note-form" },
      make("label", { for: "note" }, "Text"),
      text,
      make("p", { id: "note-words", class: "note" }, "The text goes to this server only, which does not store it. This tab keeps it until you clear it or close the tab. Ctrl+Enter annotates."),
      make("div", { class: "note-actions" },
        make("div", { class: "filters" }, sought),
        filters,
        make("div", { class: "buttons" },
          clear,
          make("button", { type: "button", class: "quiet", onclick: () => {
            put(EXAMPLE);
            run();
          } }, "Take an example"),
          send))),
    stale,
    results,
  );
  drawChanged();
  signal.addEventListener("abort", () => latest.stop());
  if (kept) await run();
}
