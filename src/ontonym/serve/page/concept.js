// A concept: its names, definition, place in the hierarchy, mappings, and codes to copy; without one, the top.

import { get } from "./api.js";
import { copyButton, failure, fill, lacking, make, withCommas } from "./dom.js";
import { addedTerms } from "./terms.js";
import { code, conceptLink, growing, link, namedLink, pathLine, retiredMark } from "./parts.js";
import { indexWith } from "./served.js";
import { count, kindWord, languageWord, number } from "./words.js";

export const title = "Concept";

const PAGE = 100;
const ROWS = 12;

/** Shows the view; `values` are those of the address: id, terminology. */
export async function show(main, values, about, signal) {
  const id = values.get("id") ?? "";
  const terminology = values.get("terminology") ?? "";
  if (!id) {
    await top(main, terminology, about, signal);
    return;
  }
  let concept;
  try {
    concept = await get("/concept", { id, terminology }, signal);
  } catch (error) {
    if (signal.aborted || error.status !== 404) throw error;
    const none = lacking(`There is no concept ${id}`, error.message);
    none.append(make("p", {}, make("a", { href: link("search", { q: id }) }, "Search for it")));
    fill(main, none);
    return;
  }
  if (signal.aborted) return;
  document.title = `${concept.preferred} · ontonym`;
  const index = indexWith(about, concept.terminology);
  fill(
    main,
    make("article", { class: "concept" },
      make("div", { class: "concept-head" },
        pathLine(concept.path, concept.terminology, { all: concept.path.length < 6 }),
        make("h1", { tabindex: -1 }, make("bdi", {}, concept.preferred), " ", retiredMark(concept.status)),
        codes(concept),
        replacements(concept)),
      make("div", { class: "concept-main" },
        concept.definitions.map((text) => make("p", { class: "definition", dir: "auto" }, text)),
        namesSection(concept),
        index && addedTerms(concept, index.name, about.writable),
        elsewhereSection(concept),
        mappingsSection(concept),
        crossReferences(concept),
        relationsSection(concept),
        propertiesSection(concept),
        otherIds(concept)),
      make("aside", { class: "concept-side", "aria-label": "Hierarchy" },
        neighbours("Parents", concept.parents, concept),
        children(concept),
        index && make("p", {}, make("a", { href: link("search", { within: concept.id, index: index.name }) }, "Search below this concept")),
        siblings(concept))),
  );
}

function codes(concept) {
  const both = `${concept.id} |${concept.preferred}|`;
  return make(
    "p",
    { class: "codes" },
    code(concept.id),
    concept.code && concept.code !== concept.id && copyButton(concept.code, `Copy ${concept.code}`), // as other systems write it
    copyButton(both, "Copy with name", `Copy ${both}`),
    copyButton(location.href, "Copy link", "Copy the link to this page"),
    make("span", { class: "badge" }, `${concept.terminology} ${concept.version}`.trim()),
    concept.tags.map((tag) => make("span", { class: "badge" }, tag)),
  );
}

function replacements(concept) {
  const line = (word, ones) => ones.length > 0 && make("p", { class: "note" }, `${word} `, withCommas(ones.map((id) => namedLink(id, concept.terminology))));
  return [line("Replaced by", concept.replaced_by), line("Consider", concept.consider)];
}

function section(heading, ...children) {
  return make("section", {}, make("h2", {}, heading), children);
}

/** Names by language and kind, the preferred term's language first; retired names last. */
function namesSection(concept) {
  const own = concept.names[0]?.language ?? "";
  const groups = new Map();
  for (const term of concept.names) {
    const kind = term.status === "retired" ? "retired name" : kindWord(term.kind, term.scope);
    const group = JSON.stringify([term.language, kind]);
    if (!groups.has(group)) groups.set(group, new Map());
    const sources = groups.get(group).get(term.text) ?? new Set();
    groups.get(group).set(term.text, sources.add(term.source));
  }
  const languages = [...new Set(concept.names.map((term) => term.language))];
  languages.sort((one, two) => (two === own) - (one === own) || one.localeCompare(two));
  return section("Names", languages.map((language) => make(
    "div",
    { class: "language", lang: language || null },
    languages.length > 1 ? make("h3", { lang: "en" }, languageWord(language) || "No language given") : null,
    make("dl", {}, [...groups].filter(([group]) => JSON.parse(group)[0] === language).map(([group, names]) => [
      make("dt", { lang: "en" }, JSON.parse(group)[1]),
      make("dd", {}, growing([...names], ROWS, ([text, sources]) => make("li", {}, make("bdi", {}, text), sourceMark([...sources])), { class: "names" })),
    ])),
  )));
}

const SAID_BY_KIND = new Set(["layperson", "abbreviation"]);

function sourceMark(sources) {
  const words = sources.filter((one) => one && !SAID_BY_KIND.has(one)).join(", ").replaceAll("_", " ");
  return words ? make("span", { class: "source", lang: "en" }, ` ${words}`) : null;
}

/** The same concept in other terminologies that are served. */
function elsewhereSection(concept) {
  if (!concept.elsewhere.length) return null;
  return section("The same elsewhere", make("ul", { class: "rows" }, concept.elsewhere.map((one) => make(
    "li", {}, make("span", { class: "label" }, one.terminology), conceptLink(one, one.terminology), code(one.id),
  ))));
}

function mappingsSection(concept) {
  if (!concept.mappings.length) return null;
  return section("Mappings", growing(concept.mappings, ROWS, (one) => make(
    "li", {}, make("span", { class: "label" }, one.predicate), one.target ? code(one.target) : "nothing fits",
    one.target_preferred ? make("span", {}, one.target_preferred) : null, one.rule ? make("span", { class: "note" }, one.rule) : null,
  ), { class: "rows" }));
}

function crossReferences(concept) {
  if (!concept.xrefs.length) return null;
  return section("Cross-references", growing(concept.xrefs, 2 * ROWS, (id) => make("li", {}, code(id)), { class: "xrefs" }));
}

function relationsSection(concept) {
  if (!concept.relations.length) return null;
  return section("Relations", growing(concept.relations, ROWS, (one) => make(
    "li", {}, make("span", { class: "label" }, one.predicate),
    namedLink(one.target, concept.terminology),
  ), { class: "rows" }));
}

function propertiesSection(concept) {
  if (!concept.properties.length) return null;
  return section("Notes", growing(concept.properties, ROWS, (one) => make("li", {}, make("span", { class: "label" }, one.name), make("bdi", {}, one.value)), { class: "rows" }));
}

/** Ids that stood for this concept before: a text may still have them. */
function otherIds(concept) {
  if (!concept.alternative_ids.length) return null;
  return section("Former and other ids", growing(concept.alternative_ids, 2 * ROWS, (id) => make("li", {}, make("code", {}, id)), { class: "xrefs" }));
}

// The hierarchy

function neighbours(heading, ones, concept) {
  return section(heading, ones.length
    ? growing(ones, ROWS, (one) => step({ ...one, children: 0 }, concept.terminology), { class: "steps" })
    : make("p", { class: "note" }, "None: this is a top concept."));
}

function step(one, terminology) {
  return make("li", {}, make("span", {}, conceptLink(one, terminology), " ", make("code", {}, one.id)), retiredMark(one.status), one.children > 0
    ? make("span", { class: "below", title: count(one.children, "child", "children") }, number(one.children)) : null);
}

/** A list of concepts in pages, from `/api/hierarchy`. */
function paged(first, total, values, terminology, list = make("ul", { class: "steps" })) {
  list.append(...first.map((one) => step(one, terminology)));
  const place = make("div", {});
  const draw = () => {
    const left = total - list.childElementCount;
    const next = async () => {
      const offset = list.childElementCount;
      try {
        const page = await get("/hierarchy", { ...values, offset, count: PAGE });
        list.append(...page.concepts.map((one) => step(one, terminology)));
        draw();
        list.children[offset]?.querySelector("a").focus();
      } catch (error) {
        fill(place, failure(error, next));
      }
    };
    fill(place, left > 0 && make("button", { type: "button", class: "quiet", onclick: next }, `Show ${number(Math.min(left, PAGE))} of ${number(left)} more`));
  };
  draw();
  return [list, place];
}

function children(concept) {
  if (!concept.children_total) return section("Children", make("p", { class: "note" }, "None: nothing is below this concept."));
  const values = { id: concept.id, terminology: concept.terminology, relation: "children" };
  return section(`Children (${number(concept.children_total)})`, paged(concept.children, concept.children_total, values, concept.terminology));
}

function siblings(concept) {
  if (!concept.parents.length) return null;
  const place = make("div", {});
  const details = make("details", {}, make("summary", {}, "Siblings"), place);
  details.addEventListener("toggle", async () => {
    if (!details.open || place.childElementCount) return;
    const values = { id: concept.id, terminology: concept.terminology, relation: "siblings" };
    try {
      const page = await get("/hierarchy", { ...values, count: PAGE });
      fill(place, page.total ? paged(page.concepts, page.total, values, concept.terminology) : make("p", { class: "note" }, "None."));
    } catch (error) {
      fill(place, failure(error));
    }
  });
  return details;
}

async function top(main, terminology, about, signal) {
  const values = { terminology, relation: "roots" };
  const page = await get("/hierarchy", { ...values, count: PAGE }, signal);
  if (signal.aborted) return;
  const served = about.terminologies.find((one) => one.name === page.terminology);
  const name = `${served?.title ?? page.terminology} ${served?.version ?? ""}`.trim();
  const index = indexWith(about, page.terminology);
  document.title = `${name} · ontonym`;
  fill(
    main,
    make("article", { class: "concept" },
      make("div", { class: "concept-head" }, make("h1", { tabindex: -1 }, name), make("p", { class: "note" }, count(page.total, "top concept"),
        index && [" · ", make("a", { href: link("search", { index: index.name, only: index.terminologies.length > 1 ? page.terminology : "" }) }, "Search in it")])),
      make("div", { class: "concept-main" }, paged(page.concepts, page.total, values, page.terminology))),
  );
}
