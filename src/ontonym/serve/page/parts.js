// Pieces that several views show: links to concepts, codes, paths, confidences, lists that can grow.

import { get, withQuery } from "./api.js";
import { copyButton, fill, make, withCommas } from "./dom.js";
import { certainty, count } from "./words.js";

/** The address of a view with its state. */
export function link(view, values = {}) {
  return withQuery(`#/${view}`, values);
}

/** A link to the page of a concept. */
export function conceptLink(concept, terminology = "", attributes = {}) {
  const href = link("concept", { id: concept.id, terminology });
  return make("a", { href, dir: "auto", ...attributes }, concept.preferred || concept.id);
}

const SHOWN_STEPS = 3;
const SHOWN_IDS = 4;

const preferred = new Map();

/** A link to the page of a concept of which only the id is known; its name appears as soon as it is known. */
export function namedLink(id, terminology) {
  const element = conceptLink({ id, preferred: preferred.get(id) }, terminology, { title: id });
  if (!preferred.has(id)) {
    get("/concept", { id, terminology }).then((concept) => {
      preferred.set(id, concept.preferred);
      element.textContent = concept.preferred;
    }, () => element.replaceWith(id));
  }
  return element;
}

/** Links to the pages of concepts of which the ids are known, a few of them. */
export function idLinks(ids) {
  const shown = ids.slice(0, SHOWN_IDS).map((id) => make("a", { href: link("concept", { id }) }, id));
  return [withCommas(shown), ids.length > SHOWN_IDS ? ` and ${count(ids.length - SHOWN_IDS, "more", "more")}` : ""];
}

/** A code with a button that copies it. */
export function code(id) {
  return make("span", { class: "code" }, make("code", {}, id), copyButton(id));
}

/** The way from the root to a concept, its last steps; the first ones appear on request. */
export function pathLine(path, terminology, { all = false } = {}) {
  if (!path.length) return null;
  const list = make("ol", { class: "path", "aria-label": "Place in the hierarchy" });
  const draw = (whole) => {
    const left = whole ? 0 : Math.max(path.length - SHOWN_STEPS, 0);
    const more = make(
      "button",
      { type: "button", class: "more-steps", "aria-label": `Show ${count(left, "step")} above`, onclick: () => draw(true) },
      "…",
    );
    fill(list, left > 0 ? make("li", {}, more) : null, path.slice(left).map((step) => make("li", {}, conceptLink(step, terminology))));
  };
  draw(all);
  return list;
}

/** A confidence as a bar, a number and a word. */
export function confidenceMeter(confidence) {
  const word = certainty(confidence);
  const bar = make("span", { class: "meter-bar" });
  bar.style.width = `${Math.max(Math.round(confidence * 100), 2)}%`;
  return make(
    "span",
    { class: `meter is-${word}`, title: `Confidence ${confidence.toFixed(2)}, ${word}: the estimated probability that this is what the words mean` },
    make("span", { class: "meter-track", "aria-hidden": "true" }, bar),
    make("span", { class: "unseen" }, "confidence "),
    make("span", { class: "meter-number" }, confidence.toFixed(2)),
    make("span", { class: "meter-word" }, word),
  );
}

/** A list whose rest appears on request. */
export function growing(values, shown, draw, attributes = {}) {
  const list = make("ul", attributes);
  const rest = values.length - shown;
  list.append(...values.slice(0, rest > 3 ? shown : values.length).map(draw));
  if (rest <= 3) return list;
  const button = make("button", { type: "button", class: "quiet", onclick: () => {
    button.remove();
    list.append(...values.slice(shown).map(draw));
    list.children[shown]?.querySelector("a, button")?.focus();
  } }, `Show ${count(rest, "more", "more")}`);
  return [list, button];
}

/** A mark that a concept is retired. */
export function retiredMark(status) {
  return status === "retired" ? make("span", { class: "badge is-retired" }, "retired") : null;
}
