// Synonyms that people added to an index: the list of a concept's, a form to add one, and a way to take one back.

import { get, post } from "./api.js";
import { dialog } from "./dialog.js";
import { failure, fill, make, toast } from "./dom.js";
import { writing } from "./key.js";
import { fewOf, when } from "./words.js";

/** The section of a concept's page with the terms that were added to it; where nobody may add any, only if there are some. */
export function addedTerms(concept, index, writable) {
  const list = make("div", {});
  const draw = async () => {
    try {
      const { terms } = await get("/terms", { id: concept.id, index });
      element.hidden = !writable && !terms.length;
      fill(list, terms.length > 0 && make("ul", { class: "rows" }, terms.map((one) => item(one, concept, index, writable && draw))));
    } catch (error) {
      fill(list, failure(error, draw));
    }
  };
  const element = make(
    "section",
    { hidden: !writable },
    make("h2", {}, "Added here"),
    list,
    writable && make("button", { type: "button", onclick: () => writing(async () => form(concept, index, draw)) }, "Add a synonym"),
  );
  draw();
  return element;
}

function item(one, concept, index, draw) {
  const said = [one.who, one.when && when(one.when), one.why].filter(Boolean).join(" · ");
  return make(
    "li",
    {},
    make("bdi", {}, one.text),
    make("span", { class: "note" }, said),
    draw && make("button", { type: "button", class: "quiet small", "aria-label": `Remove ${one.text}`, onclick: async () => {
      try {
        const done = await writing(() => post("/terms/remove", { id: concept.id, text: one.text, index }));
        if (done) toast(`Removed “${one.text}”`);
      } catch (error) {
        toast(error.message, { error: true });
      }
      draw();
    } }, "Remove"),
  );
}

const folded = (text) => text.trim().replace(/\s+/g, " ").toLowerCase();

function form(concept, index, draw) {
  const text = make("input", { type: "text", id: "term-text", required: true, maxlength: 1000, autocomplete: "off" });
  const why = make("input", { type: "text", id: "term-why", maxlength: 200, autocomplete: "off", placeholder: "such as: ward 3 writes it so" });
  dialog("Add a synonym", {
    body: [
      make("p", {}, "Another name of ", make("strong", {}, concept.preferred), ` (${concept.id}). Searches find it at once.`),
      make("label", { for: "term-text" }, "Synonym"), text,
      make("label", { for: "term-why" }, "Why (optional)"), why,
    ],
    done: "Add",
    submit: async () => {
      const name = text.value.trim();
      const known = concept.names.find((one) => one.status !== "retired" && folded(one.text) === folded(name));
      if (known) throw new Error(`“${known.text}” is one of its names already.`);
      const done = await writing(() => post("/terms/add", { id: concept.id, text: name, index, why: why.value.trim() }));
      if (!done) return false;
      if (!done.added && !done.replaced) throw new Error("A synonym needs a letter or a digit.");
      const others = done.shared.flatMap((one) => one.others);
      if (others.length) toast(`Added “${name}”. It is a name of ${fewOf(others)} too, so a search for it is less sure.`, { long: true });
      else toast(`Added “${name}”`);
      await draw();
      return true;
    },
  });
}
