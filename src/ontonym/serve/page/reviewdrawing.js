// What a review shows: the list of source concepts, one of them, its candidates, the progress.

import { make } from "./dom.js";
import { code, confidenceMeter } from "./parts.js";
import { number, when } from "./words.js";

const MARKS = { undecided: "·", mapped: "✓", none: "∅", disagreed: "≠" };
const STATUS = { undecided: "undecided", mapped: "mapped", none: "nothing fits", disagreed: "reviewers disagree" };
const PREDICATES = {
  "skos:exactMatch": "", "skos:closeMatch": "close", "skos:broadMatch": "broader", "skos:narrowMatch": "narrower",
  "skos:relatedMatch": "related",
};
const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });

/** The progress as a bar and in words. */
export function progressBar(progress) {
  const decided = progress.items - progress.undecided;
  return [
    make("progress", { max: progress.items, value: decided, "aria-label": "Decided" }),
    make("span", {}, `${number(decided)} of ${number(progress.items)} decided: ${number(progress.mapped)} mapped, ${number(progress.none)} with no match`
      + (progress.disagreed ? `; ${number(progress.disagreed)} disagreed` : "")),
  ];
}

/** The source concepts, the one at `cursor` selected. */
export function itemList(items, cursor, name, go) {
  const option = (item, place) => make(
    "li",
    { id: `item-${place}`, role: "option", "aria-selected": String(place === cursor), class: `is-${item.status}`, onclick: () => go(place) },
    make("span", { class: "mark", "aria-hidden": "true" }, MARKS[item.status]),
    make("span", { class: "item-label", dir: "auto" }, item.label, make("span", { class: "unseen" }, `, ${STATUS[item.status]}`)),
    make("span", { class: "item-note" }, item.comments.length ? "✎ " : "", item.assigned ? `@${item.assigned} ` : "", item.frequency === 1 ? "" : `${COMPACT.format(item.frequency)}×`),
  );
  return make(
    "ul",
    { role: "listbox", tabindex: 0, "aria-label": `Source concepts: ${name}`, "aria-activedescendant": items.length ? `item-${cursor}` : null },
    items.map(option),
  );
}

/** A source concept, and what was decided on it. */
export function headingOf(item, also) {
  const decisions = item.decisions.map((one) => make(
    "li",
    { class: one.verdict === "none" || one.verdict === "reject" ? "is-no" : "is-yes" },
    decisionWords(one), make("span", { class: "note" }, ` ${one.who}, ${when(one.time)}`),
  ));
  const comments = item.comments.map((one) => make("li", {}, `✎ ${one.text}`, make("span", { class: "note" }, ` ${one.who}, ${when(one.time)}`)));
  return make(
    "div",
    { class: "item-head" },
    make("h2", { dir: "auto" }, item.label),
    make("p", { class: "hit-code" }, code(item.id),
      item.frequency === 1 ? null : make("span", { class: "badge" }, `${number(item.frequency)}×`),
      item.assigned ? make("span", { class: "badge" }, `for ${item.assigned}`) : null,
      also ? make("span", { class: "badge is-warning" }, "in addition") : null),
    item.status === "disagreed" ? make("p", { class: "problem" }, "Reviewers disagree: decide, and that settles it.") : null,
    decisions.length || comments.length ? make("ul", { class: "decisions" }, decisions, comments) : proposalLine(item),
  );
}

function proposalLine(item) {
  const one = item.candidates.find((each) => each.id === item.proposed);
  const words = !item.candidates.length
    ? item.note || "No candidate was found."
    : one
      ? `Proposed: ${[PREDICATES[one.predicate], one.label || one.id].filter(Boolean).join(" ")}`
      : "Nothing is proposed: no candidate is likely enough, or the likely one is another's.";
  return make("p", { class: "note" }, words);
}

function decisionWords(one) {
  if (one.verdict === "none") return "∅ nothing fits";
  const target = [one.target, one.label].filter(Boolean).join(" ");
  return one.verdict === "reject" ? `✗ not ${target}` : `✓ ${one.verdict} ${target}`;
}

/** The candidates, the one at `marked` selected and with all its reasons. */
export function candidateList(candidates, item, marked, mark) {
  if (!candidates.length) return null;
  const accepted = new Set(item.decisions.filter((one) => one.verdict !== "reject").map((one) => one.target));
  const option = (one, place) => make(
    "li",
    {
      id: `candidate-${place}`, role: "option", "aria-selected": String(place === marked), onclick: () => mark(place),
      class: one.rejected ? "is-rejected" : accepted.has(one.id) ? "is-accepted" : null,
    },
    make("span", { class: "digit", "aria-hidden": "true" }, place < 9 ? String(place + 1) : ""),
    make("span", { class: "candidate" },
      make("span", { class: "candidate-name" },
        PREDICATES[one.predicate] ? make("span", { class: "badge" }, PREDICATES[one.predicate]) : null,
        make("bdi", {}, one.label || one.id), " ", make("code", {}, one.id),
        one.id === item.proposed ? make("span", { class: "badge" }, "proposed") : null,
        one.added ? make("span", { class: "badge" }, "added") : null,
        one.rejected ? make("span", { class: "unseen" }, " rejected") : null),
      make("span", { class: "note" }, [one.name && one.name.toLowerCase() !== item.label.toLowerCase() ? `by “${one.name}”` : "", ...one.why].filter(Boolean).join("; "))),
    one.confidence === null ? null : confidenceMeter(one.confidence),
  );
  return make(
    "ul",
    { class: "candidates", role: "listbox", tabindex: 0, "aria-label": `Candidates for ${item.label}`, "aria-activedescendant": `candidate-${marked}` },
    candidates.map(option),
  );
}
