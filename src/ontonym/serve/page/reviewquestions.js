// The windows of a review that ask for something: a list, words, an id, a comment, another target.

import { post } from "./api.js";
import { combobox } from "./combobox.js";
import { dialog } from "./dialog.js";
import { fill, make } from "./dom.js";
import { confidenceMeter } from "./parts.js";
import { reasonOf } from "./words.js";

/** The lists of a review, and what each has. */
export const FILTERS = {
  undecided: "nothing decided yet", mine: "decided by me", assigned: "assigned to me, and not decided", mapped: "a target accepted",
  rejected: "no target fits, or a candidate was rejected", disagreed: "reviewers disagree", commented: "with a comment",
  skipped: "put off, and not decided since", all: "all",
};

/** Asks which source concepts are listed. */
export function filterDialog(chosen, done) {
  const choices = Object.entries(FILTERS).map(([name, meaning]) => make(
    "label", { class: "check" }, make("input", { type: "radio", name: "filter", value: name, checked: name === chosen }), make("span", {}, make("strong", {}, name), ` ${meaning}`),
  ));
  const element = dialog("List", {
    body: make("fieldset", {}, make("legend", { class: "unseen" }, "Source concepts"), choices),
    done: "Show",
    submit: () => done(element.querySelector("input:checked").value),
  });
  element.querySelector("input:checked")?.focus();
}

function lineDialog(title, label, value, done, word, required = false) {
  const input = make("input", { type: "text", id: "line", value, autocomplete: "off", required });
  dialog(title, { body: [make("label", { for: "line" }, label), input], done: word, submit: () => done(input.value.trim()) });
  input.select();
}

/** Asks for words that labels or ids have. */
export const wordsDialog = (value, done) => lineDialog("Only with these words", "In labels and ids", value, done, "Show");

/** Asks for the id of a source concept. */
export const jumpDialog = (done) => lineDialog("Go to", "The id of a source concept", "", done, "Go", true);

/** Asks for a comment. */
export const commentDialog = (item, done) => lineDialog(`Comment on ${item.label}`, "Comment", "", done, "Keep", true);

/** Asks for another target, searched in the index. */
export function findDialog(item, about, done) {
  if (!about.indexes.length) {
    lineDialog("Another target by its id", "Its id", "", (id) => done({ id, label: "", predicate: "skos:exactMatch", confidence: null, name: "", why: [], added: true }), "Take", true);
    return;
  }
  const input = make("input", { type: "text", id: "find", value: item.label });
  let index = about.indexes[0].name;
  const take = (hit) => {
    done({ id: hit.id, label: hit.preferred, predicate: "skos:exactMatch", confidence: hit.confidence, name: input.value, why: [reasonOf(hit)], added: true });
    element.close();
  };
  const { box } = combobox(input, {
    ask: async (text, signal) => (await post("/search", { q: text, k: 12, index }, signal)).hits,
    draw: (hit) => [make("span", { class: "suggested" }, hit.preferred), make("span", { class: "suggested-id" }, hit.id), confidenceMeter(hit.confidence), make("span", { class: "suggested-of" }, reasonOf(hit))],
    pick: take,
    failed: (error) => fill(problem, error.message),
    label: "Concepts",
  });
  const problem = make("p", { class: "problem", role: "alert" });
  const choice = about.indexes.length > 1 && make("label", {}, "Index ", make("select", { onchange: (event) => (index = event.target.value) },
    about.indexes.map((one) => make("option", { value: one.name }, one.name))));
  const element = dialog("Find another target", { body: [choice, make("label", { for: "find" }, "Words, or a code"), box, problem], wide: true });
  input.focus();
  input.select();
  input.dispatchEvent(new Event("input"));
}
