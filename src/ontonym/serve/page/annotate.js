// Annotation: the concepts in a pasted text, with what the text says of each: denied, uncertain, past, of a relative.

import { Latest, post } from "./api.js";
import { copy, empty, failure, fill, make, say } from "./dom.js";
import { code, conceptLink, confidenceMeter, link } from "./parts.js";
import { indexOf } from "./served.js";
import { count, number, reasonOf } from "./words.js";

export const title = "Annotate";

const CONTEXTS = { negated: "denied", uncertain: "uncertain", hypothetical: "only thought of", historical: "in the past", family: "of a relative" };
const EXAMPLE =
  "Short of breath for two weeks, worse at night. No fever. Possible seizure last month.\n" +
  "Father had migraine and hearing loss. History of kidney stones. On examination swollen ankles and jaundice.";

/** The text stays while the page is open; it is never part of an address. */
let kept = "";

/** Shows the view; `values` are those of the address: index. */
export function show(main, values, about) {
  if (!about.indexes.length) {
    fill(main, empty("Nothing to annotate with", "This server has terminologies for lookups alone. Start it with an index."));
    return () => {};
  }
  const index = indexOf(about, values.get("index") ?? "").name;
  const latest = new Latest();
  const results = make("div", { class: "annotated" });
  const text = make("textarea", { id: "note", rows: 6, maxlength: 1000000, placeholder: "Paste a note", "aria-describedby": "note-words", onkeydown: (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  } });
  text.value = kept;
  text.addEventListener("input", () => (kept = text.value));

  const run = async () => {
    if (!text.value.trim()) {
      fill(results, empty("There is no text yet", "Paste a note above, or take the example."));
      return;
    }
    results.setAttribute("aria-busy", "true");
    send.disabled = true;
    try {
      const found = await latest.run((signal) => post("/annotate", { text: text.value, index }, signal));
      if (found) draw(found);
    } catch (error) {
      fill(results, failure(error, run));
    }
    send.disabled = false;
    results.removeAttribute("aria-busy");
  };

  const draw = (found) => {
    const mentions = found.mentions.filter((one) => one.id);
    say(`${count(mentions.length, "mention")} of ${count(new Set(mentions.map((one) => one.id)).size, "concept")}`);
    if (!mentions.length) fill(results, empty("No concept found in this text"));
    else fill(results, annotated(found.text, mentions));
  };

  const send = make("button", { type: "button", class: "primary", onclick: run }, "Annotate");
  fill(
    main,
    make("h1", { tabindex: -1 }, "Annotate a text"),
    make("div", { class: "note-form" },
      make("label", { for: "note" }, "Text"),
      text,
      make("p", { id: "note-words", class: "note" }, "The text goes to this server only, and is not stored. Ctrl+Enter annotates."),
      make("div", { class: "buttons" },
        make("button", { type: "button", class: "quiet", onclick: () => {
          text.value = kept = EXAMPLE;
          run();
        } }, "Take an example"),
        about.indexes.length > 1 && make("label", {}, "Index ", make("select", { onchange: (event) => (location.hash = link("annotate", { index: event.target.value })) },
          about.indexes.map((one) => make("option", { value: one.name, selected: one.name === index }, one.name)))),
        send)),
    results,
  );
  if (kept) run();
  return () => latest.stop();
}

const contextsOf = (mention) => Object.keys(CONTEXTS).filter((name) => mention[name]);
const contextWords = (mention) => contextsOf(mention).map((name) => CONTEXTS[name]).join(", ");

/** The text with its mentions, what is said of the chosen one, and the list of concepts. */
function annotated(text, mentions) {
  const detail = make("section", { class: "mention-detail", "aria-live": "polite", "aria-label": "Chosen mention" });
  const marks = new Map();
  const choose = (mention) => {
    for (const [one, mark] of marks) mark.setAttribute("aria-pressed", String(one === mention));
    fill(detail, mentionDetail(mention));
  };
  // Offsets count characters, not the halves that JavaScript's strings are made of.
  const letters = Array.from(text);
  const parts = [];
  let at = 0;
  for (const mention of mentions) {
    if (mention.start < at) continue;
    parts.push(letters.slice(at, mention.start).join(""));
    const mark = markOf(mention, letters.slice(mention.start, mention.end).join(""), () => choose(mention));
    marks.set(mention, mark);
    parts.push(mark);
    at = mention.end;
  }
  parts.push(letters.slice(at).join(""));
  fill(detail, make("p", { class: "note" }, "Choose a mention to see why it was found."));
  const used = Object.keys(CONTEXTS).filter((name) => mentions.some((one) => one[name]));
  return [
    make("section", { class: "text", "aria-label": "Annotated text" },
      make("ul", { class: "legend", "aria-label": "Colours" },
        make("li", { class: "mark-key" }, "said of the patient"),
        used.map((name) => make("li", { class: `mark-key is-${name}` }, CONTEXTS[name]))),
      make("p", { class: "running" }, parts)),
    detail,
    conceptList(mentions, (mention) => {
      choose(mention);
      marks.get(mention)?.focus();
    }),
  ];
}

function markOf(mention, words, choose) {
  const said = contextWords(mention);
  const preferred = preferredOf(mention);
  return make(
    "button",
    {
      type: "button", class: ["mention", ...contextsOf(mention).map((name) => `is-${name}`)].join(" "), "aria-pressed": "false",
      title: [preferred, said].filter(Boolean).join(", "), onclick: choose,
    },
    words,
    make("span", { class: "unseen" }, ` (${[preferred, said].filter(Boolean).join(", ")})`),
  );
}

const hitOf = (mention) => mention.candidates.find((one) => one.id === mention.id);
const preferredOf = (mention) => hitOf(mention)?.preferred ?? mention.id;

function mentionDetail(mention) {
  const said = contextWords(mention);
  return [
    make("h2", {}, `“${mention.text}”`, said ? make("span", { class: "badge" }, said) : null),
    mention.section ? make("p", { class: "note" }, `Under “${mention.section}”`) : null,
    make("ol", { class: "mention-hits" }, mention.candidates.filter((one) => one.id === mention.id || one.confidence >= 0.01).map((hit) => make(
      "li",
      {},
      make("div", { class: "hit-head" }, conceptLink(hit, hit.terminology), confidenceMeter(hit.confidence)),
      make("p", { class: "hit-code" }, code(hit.id)),
      make("p", { class: "reason" }, reasonOf(hit)),
    ))),
  ];
}

/** The concepts of the text, each with what is said of its mentions. */
function conceptList(mentions, choose) {
  const concepts = new Map();
  for (const mention of mentions) concepts.set(mention.id, [...(concepts.get(mention.id) ?? []), mention]);
  const table = [...concepts].map(([id, ones]) => [id, preferredOf(ones[0]), [...new Set(ones.map(contextWords))].join("; "), ones.length]);
  const tsv = ["id\tpreferred\tcontext\tmentions", ...table.map((row) => row.join("\t"))].join("\n");
  return make(
    "section",
    { class: "concepts" },
    make("h2", {}, `Concepts (${number(concepts.size)})`),
    make("ul", { class: "rows" }, [...concepts].map(([id, ones]) => make(
      "li",
      {},
      make("span", { class: "concept-name" }, conceptLink({ id, preferred: preferredOf(ones[0]) }, hitOf(ones[0])?.terminology)),
      code(id),
      make("span", { class: "mention-links" }, ones.map((one) => make(
        "button", { type: "button", class: "quiet small", onclick: () => choose(one) }, contextWords(one) || "present",
      ))),
      confidenceMeter(Math.max(...ones.map((one) => one.confidence))),
    ))),
    make("div", { class: "buttons" },
      make("button", { type: "button", onclick: () => copy(tsv, `Copied ${count(concepts.size, "row")}`) }, "Copy as a table"),
      make("button", { type: "button", onclick: () => copy([...concepts.keys()].join("\n"), `Copied ${count(concepts.size, "code")}`) }, "Copy the codes")),
  );
}
