// An annotated text: the text with its mentions, why each was found, and the list of its concepts to take away.

import { copy, fill, make, save } from "./dom.js";
import { code, conceptLink, confidenceMeter } from "./parts.js";
import { count, number, reasonOf } from "./words.js";

const PRESENT = "present";
/** What a text may say of a mention, in the words that all outputs of ontonym have, and a sentence for each. */
const SAYS = {
  negated: "The text denies it.", uncertain: "The text is not certain of it.", hypothetical: "The text only thinks of it.",
  historical: "The text says that it is in the past.", family: "The text says it of a relative.",
};
const WORTH_A_LINE = 0.01;

const contextsOf = (mention) => Object.keys(SAYS).filter((name) => mention[name]);
const contextWords = (mention) => contextsOf(mention).join(", ");
const said = (mention) => contextWords(mention) || PRESENT;
const hitOf = (mention) => mention.candidates.find((one) => one.id === mention.id);
const preferredOf = (mention) => hitOf(mention)?.preferred ?? mention.id;

/** The text with its mentions, what is known of the chosen one, and the list of concepts. */
export function annotated(text, mentions) {
  const detail = make("section", { class: "mention-detail", "aria-live": "polite", "aria-label": "Chosen mention" });
  const marks = new Map();
  let chosen = null;
  const close = make("button", { type: "button", class: "quiet small close", "aria-label": "Close", onclick: () => {
    const mark = marks.get(chosen);
    choose(null);
    mark?.focus();
  } }, "×");
  const choose = (mention) => {
    marks.get(chosen)?.setAttribute("aria-pressed", "false");
    chosen = mention;
    marks.get(chosen)?.setAttribute("aria-pressed", "true");
    fill(detail, mention ? [close, mentionDetail(mention)] : make("p", { class: "note" }, "Choose a mention to see why it was found."));
    marks.get(chosen)?.scrollIntoView({ block: "nearest" });
  };
  choose(null);
  const running = make("div", { class: "running", dir: "auto" }, pieces(text, mentions, (mention, words) => {
    const mark = markOf(mention, words, () => choose(mention === chosen ? null : mention));
    marks.set(mention, mark);
    return mark;
  }));
  const list = make("div", { class: "concepts-place" });
  const off = new Set();
  const shown = (mention) => (contextsOf(mention).length ? contextsOf(mention) : [PRESENT]).every((name) => !off.has(name));
  const draw = () => {
    for (const [mention, mark] of marks) mark.classList.toggle("is-off", !shown(mention));
    fill(list, conceptList(mentions.filter(shown), (mention) => {
      choose(mention);
      marks.get(mention)?.focus();
    }));
  };
  draw();
  return [
    make("section", { class: "text", "aria-label": "Annotated text" }, legend(mentions, off, draw), running),
    detail,
    list,
  ];
}

/** The text in pieces, with an element for each mention. */
function pieces(text, mentions, markFor) {
  // Offsets count characters, not the halves that JavaScript's strings are made of.
  const letters = Array.from(text);
  const parts = [];
  let at = 0;
  for (const mention of mentions) {
    if (mention.start < at) continue;
    parts.push(letters.slice(at, mention.start).join(""), markFor(mention, letters.slice(mention.start, mention.end).join("")));
    at = mention.end;
  }
  parts.push(letters.slice(at).join(""));
  return parts;
}

/** What the text says of its mentions, how often; each can be taken out of the text and the list. */
function legend(mentions, off, changed) {
  const of = (name) => mentions.filter((one) => (name === PRESENT ? !contextsOf(one).length : one[name])).length;
  const key = (name) => make(
    "button",
    { type: "button", class: `mark-key is-${name}`, "aria-pressed": "true", title: `Show or hide: ${name}`, onclick: (event) => {
      if (!off.delete(name)) off.add(name);
      event.currentTarget.setAttribute("aria-pressed", String(!off.has(name)));
      changed();
    } },
    name, make("span", { class: "how-many" }, ` ${number(of(name))}`),
  );
  const used = [PRESENT, ...Object.keys(SAYS)].filter((name) => of(name) > 0);
  return make("div", { class: "legend", role: "group", "aria-label": "Shown in the text" }, used.map(key));
}

function markOf(mention, written, choose) {
  const words = contextWords(mention);
  const about = [preferredOf(mention), words].filter(Boolean).join(", ");
  // No button element: that would not break over lines as the words around it do.
  return make(
    "span",
    { role: "button", tabindex: 0, class: ["mention", ...contextsOf(mention).map((name) => `is-${name}`)].join(" "), "aria-pressed": "false", title: about, onclick: choose, onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    } },
    written,
    words ? make("span", { class: "mention-said", "aria-hidden": "true" }, words) : null,
    make("span", { class: "unseen" }, ` (${about})`),
  );
}

/** Why a mention was found, what the text says of it, and what else it may be. */
function mentionDetail(mention) {
  const rest = mention.candidates.filter((one) => one.id !== mention.id && one.confidence >= WORTH_A_LINE);
  const isSame = (one) => mention.equivalents.includes(one.id) || hitOf(mention)?.equivalents.includes(one.id);
  const groups = [["", [hitOf(mention)].filter(Boolean)], ["The same elsewhere", rest.filter(isSame)], ["Or", rest.filter((one) => !isSame(one))]];
  const item = (hit) => make(
    "li",
    {},
    make("div", { class: "hit-head" }, conceptLink(hit, hit.terminology), confidenceMeter(hit.confidence)),
    make("p", { class: "hit-code" }, code(hit.id), make("span", { class: "badge" }, hit.terminology)),
    make("p", { class: "reason" }, reasonOf(hit)),
  );
  return [
    make("h2", { dir: "auto" }, `“${mention.text}”`),
    contextsOf(mention).map((name) => make("p", { class: `says is-${name}` }, SAYS[name])),
    mention.section ? make("p", { class: "note" }, `Under the heading “${mention.section}”`) : null,
    groups.filter(([, hits]) => hits.length).map(([title, hits]) => [
      title ? make("h3", {}, title) : null,
      make("ol", { class: "mention-hits" }, hits.map(item)),
    ]),
  ];
}

/** The concepts of the mentions, those that the text says of the patient first. */
function conceptList(mentions, choose) {
  const concepts = new Map();
  for (const mention of mentions) concepts.set(mention.id, [...(concepts.get(mention.id) ?? []), mention]);
  const isPresent = ([, ones]) => ones.some((one) => !contextsOf(one).length);
  const groups = [
    ["Present", [...concepts].filter(isPresent)],
    ["Only negated, uncertain, hypothetical, historical or family", [...concepts].filter((one) => !isPresent(one))],
  ].filter(([, rows]) => rows.length);
  return make(
    "section",
    { class: "concepts" },
    make("h2", {}, `Concepts (${number(concepts.size)})`),
    groups.map(([title, rows]) => [
      groups.length > 1 || title !== "Present" ? make("h3", {}, `${title} (${number(rows.length)})`) : null,
      make("ul", { class: "rows" }, rows.map(([id, ones]) => conceptRow(id, ones, choose))),
    ]),
    make("div", { class: "buttons" },
      make("button", { type: "button", onclick: () => copy(conceptTable(concepts), `Copied ${count(concepts.size, "row")}`) }, "Copy as a table"),
      make("button", { type: "button", onclick: () => copy([...concepts.keys()].join("\n"), `Copied ${count(concepts.size, "code")}`) }, "Copy the codes"),
      make("button", { type: "button", onclick: () => save("mentions.tsv", mentionTable(mentions), "text/tab-separated-values") }, "Save all mentions")),
  );
}

function conceptRow(id, ones, choose) {
  const ways = new Map();
  for (const one of ones) ways.set(said(one), [...(ways.get(said(one)) ?? []), one]);
  return make(
    "li",
    {},
    make("span", { class: "concept-name", dir: "auto" }, conceptLink({ id, preferred: preferredOf(ones[0]) }, hitOf(ones[0])?.terminology)),
    code(id),
    make("span", { class: "mention-links" }, [...ways].map(([words, each]) => wayButton(words, each, id, choose))),
    confidenceMeter(Math.max(...ones.map((one) => one.confidence))),
  );
}

/** A button that goes to the mentions of which the text says the same, one after the other. */
function wayButton(words, mentions, id, choose) {
  let next = 0;
  return make(
    "button",
    { type: "button", class: "quiet small way", title: mentions.length > 1 ? "Go to the next one in the text" : "Go to it in the text",
      "aria-label": `${words}: ${count(mentions.length, "mention")} of ${id}, go to the text`,
      onclick: () => choose(mentions[next++ % mentions.length]) },
    mentions.length > 1 ? `${words} ×${number(mentions.length)}` : words,
  );
}

/** A text as a cell of a table: in one line, and nothing that a spreadsheet would calculate. */
const cell = (value) => String(value ?? "").replace(/\s+/g, " ").replace(/^[=+\-@]/, "'$&");
const table = (rows) => rows.map((row) => row.map(cell).join("\t")).join("\n");

function conceptTable(concepts) {
  return table([
    ["id", "preferred", "context", "mentions"],
    ...[...concepts].map(([id, ones]) => [id, preferredOf(ones[0]), [...new Set(ones.map(said))].join("; "), ones.length]),
  ]);
}

function mentionTable(mentions) {
  return table([
    ["start", "end", "text", "id", "preferred", "confidence", "context", "section"],
    ...mentions.map((one) => [one.start, one.end, one.text, one.id, preferredOf(one), one.confidence, contextsOf(one).join("|"), one.section]),
  ]) + "\n";
}
