// Search: suggestions while typing, then the concepts with the reason for each and its place in the hierarchy.

import { keepText } from "./annotate.js";
import { get, Latest, post } from "./api.js";
import { combobox } from "./combobox.js";
import { empty, failure, fill, lacking, make, quietly, say } from "./dom.js";
import { readdress } from "./entries.js";
import { filterBar, filtersOf, isFiltered } from "./filters.js";
import { code, conceptLink, confidenceMeter, idLinks, link, pathLine, retiredMark } from "./parts.js";
import { indexOf } from "./served.js";
import { count, LIKELIER_RIGHT, nameWord, number, reasonOf, SURE } from "./words.js";

export const title = "Search";

const STEP = 10;
const MOST = 50;
const SUGGESTIONS = 7;
const LONG = 120;
const LONGEST = 10_000;
const EXAMPLES = ["heart skipping beats", "hart atack", "SOB", "can't sleep"];
const NEXT_TO_NOTHING = 0.05;

/** Shows the view; `values` are those of the address: q, index, only, tag, within, k. */
export async function show(main, values, about, signal) {
  if (!about.indexes.length) {
    fill(main, lacking("Nothing to search", "This server has terminologies for lookups alone. Start it with an index to search."));
    return;
  }
  const state = {
    q: values.get("q") ?? "",
    ...filtersOf(values),
    k: Math.min(Math.max(Number(values.get("k")) || STEP, 1), MOST),
  };
  const input = make("input", {
    type: "search", id: "query", value: state.q, dir: "auto", "aria-label": "Search for a concept",
    placeholder: "Any clinical words, or a code", enterkeyhint: "search",
  });
  const results = make("div", { class: "results" });
  const latest = new Latest();
  let begun = false; // whether the last word is only begun, so that nothing was searched for

  const keep = (push) => {
    const { k, ...rest } = state;
    readdress(link("search", { ...rest, k: k === STEP ? "" : k }), { push });
    document.title = state.q ? `${state.q} · ontonym` : "Search · ontonym";
  };
  const asked = () => ({ q: state.q, index: state.index, only: state.only, tag: state.tag, within: state.within });

  const run = async (push = false, typing = false) => {
    begun = false;
    state.q = input.value.trim();
    keep(push);
    if (!state.q) {
      latest.stop();
      results.removeAttribute("aria-busy");
      fill(results, start(about, state));
      return;
    }
    if (state.q.length > LONGEST) {
      latest.stop();
      results.removeAttribute("aria-busy");
      const much = `These are ${count(state.q.length, "character")}`;
      say(much);
      fill(results, empty(much, `At most ${number(LONGEST)} are searched for. `, annotateInstead(state)));
      return;
    }
    results.setAttribute("aria-busy", "true");
    try {
      const q = typing ? input.value.trimStart() : state.q; // a space says that the last word is whole
      const found = await latest.run((signal) => post("/search", { ...asked(), q, k: state.k, typing }, signal));
      if (found === null) return;
      begun = Boolean(found.unfinished);
      if (begun) drawUnfinished(found.unfinished);
      else draw(found.hits);
    } catch (error) {
      fill(results, failure(error, () => run()));
    }
    results.removeAttribute("aria-busy");
  };

  const drawUnfinished = (word) => fill(results, empty(`“${word}” may only be the beginning of a word`, "Go on typing, or search for the words as they are."),
    make("div", { class: "buttons is-centred" }, make("button", { type: "button", onclick: () => run(true) }, `Search for “${state.q}”`)));

  const draw = (hits) => {
    const doubt = hits.length ? doubtOf(hits[0]) : "";
    say(hits.length ? `${doubt} ${count(hits.length, "concept")}`.trim() : "No concept found");
    if (!hits.length) {
      fill(results, empty("No concept found", isFiltered(state) ? "The filters may leave it out." : "Try other words for the same thing."));
      return;
    }
    const more = hits.length >= state.k && state.k < MOST && make("button", { type: "button", class: "quiet", onclick: async () => {
      state.k = Math.min(state.k + 2 * STEP, MOST);
      await run();
      results.querySelectorAll("li.hit h2 a")[hits.length]?.focus();
    } }, "Show more");
    fill(
      results,
      make("h1", { class: "unseen", tabindex: -1 }, `Concepts for ${state.q}`),
      isRatherText(state.q, hits[0]) && make("p", { class: "note doubt" }, "A search finds what all words together mean. ", annotateInstead(state)),
      doubt && make("p", { class: "note doubt" }, doubt),
      isOutOfOrder(hits) && make("p", { class: "note doubt" },
        "A confidence compares a concept with others of the same terminology, so a higher one may stand below."),
      hitLists(hits, (hit) => hitItem(hit, state, about)),
      more,
      hits.length >= MOST && make("p", { class: "note" }, `These are the ${MOST} nearest. Filters or more words bring others forward.`),
    );
  };

  const soon = quietly(300, () => run(false, document.activeElement === input));
  input.addEventListener("input", () => {
    state.k = STEP;
    soon();
  });
  input.addEventListener("change", () => begun && !signal.aborted && run()); // it is left as it is
  const { box } = combobox(input, {
    ask: async (text, signal) => (await post("/autocomplete", { ...asked(), q: text, k: SUGGESTIONS, meaning: false }, signal)).hits,
    draw: (one) => suggestion(one, input.value),
    pick: (one) => {
      soon.cancel();
      state.q = input.value.trim();
      keep(false);
      location.hash = link("concept", { id: one.id, terminology: one.terminology });
    },
    enter: () => {
      soon.cancel();
      run(true);
    },
  });
  const filters = filterBar(state, about, () => run(true));
  fill(
    main,
    make("form", { class: "search", role: "search", onsubmit: (event) => event.preventDefault() }, box, filters),
    results,
  );
  signal.addEventListener("abort", () => {
    soon.cancel();
    latest.stop();
  });
  if (!state.q && matchMedia("(hover: hover)").matches) input.focus();
  await run();
}

/** A way to what finds every mention in a text. */
function annotateInstead(state) {
  return make("a", { href: link("annotate", { index: state.index }), onclick: () => keepText(state.q) }, "Annotate the text instead");
}

/** What is said where even the best hit is more likely wrong than right. */
function doubtOf(best) {
  if (best.confidence >= LIKELIER_RIGHT) return "";
  return best.confidence < NEXT_TO_NOTHING ? "Nothing fits these words. The nearest names:" : "None of these is likely enough to be taken without a look.";
}

/** Whether words are so many that they are rather a text to annotate: a long name is found for sure. */
export function isRatherText(words, best) {
  return words.length > LONG && best.confidence < SURE;
}

/** Whether a reader would wonder at the order: a likely hit has a higher confidence than one that stands above it. */
export function isOutOfOrder(hits) {
  return hits.some((hit, place) => place > 0 && hit.confidence >= LIKELIER_RIGHT && hit.confidence.toFixed(2) > hits[place - 1].confidence.toFixed(2));
}

/** The hits in lists: those that share nearly no probability stand apart, after the others. */
function hitLists(hits, draw) {
  const last = hits[0].confidence < LIKELIER_RIGHT ? hits.length - 1 : hits.findLastIndex((hit) => hit.confidence >= NEXT_TO_NOTHING);
  const [likely, rest] = [hits.slice(0, last + 1), hits.slice(last + 1)];
  return [
    likely.length > 0 && make("ol", { class: "hits" }, likely.map(draw)),
    likely.length > 0 && rest.length > 0 && make("p", { class: "apart" }, "Near in words or meaning, but unlikely"),
    rest.length > 0 && make("ol", { class: "hits is-rest", start: last + 2 }, rest.map(draw)),
  ];
}

/** A suggestion: the name that what was typed begins, and what it is a name of. */
function suggestion(one, typed) {
  const steps = one.path.slice(-2).map((step) => step.preferred);
  return [
    make("span", { class: "suggested", dir: "auto" }, begun(one.matched, typed), retiredMark(one.status)),
    make("span", { class: "suggested-id" }, one.id),
    make("span", { class: "suggested-of" },
      one.matched === one.preferred ? null : make("span", {}, `${nameWord(one)} of ${one.preferred}`),
      steps.length ? make("span", {}, `in ${steps.join(" › ")}`) : null),
  ];
}

/** A name whose words are marked as far as they are typed. */
function begun(name, typed) {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  return name.split(/([\s\-/,()]+)/).map((word) => {
    const most = Math.max(0, ...words.filter((one) => folded(word).startsWith(one)).map((one) => one.length));
    return most ? [make("b", {}, word.slice(0, most)), word.slice(most)] : word;
  });
}

const folded = (text) => text.toLowerCase();

/** A hit: what it is, how sure, why, and where it stands. */
function hitItem(hit, state, about) {
  const why = make("div", { class: "why", hidden: true });
  const button = make("button", { type: "button", class: "quiet small", "aria-expanded": "false", onclick: async () => {
    const opening = why.hidden;
    why.hidden = !opening;
    button.setAttribute("aria-expanded", String(opening));
    if (opening && !why.childElementCount) await explain(why, hit, state);
  } }, "Why?");
  const several = (indexOf(about, state.index)?.terminologies.length ?? 1) > 1;
  return make(
    "li",
    { class: "hit" },
    make("div", { class: "hit-head" },
      make("h2", {}, conceptLink(hit, hit.terminology), " ", retiredMark(hit.status),
        hit.negated ? make("span", { class: "badge is-warning", title: "The words deny it" }, "negated") : null),
      confidenceMeter(hit.confidence)),
    make("p", { class: "hit-code" }, code(hit.id), several ? make("span", { class: "badge" }, hit.terminology) : null),
    make("p", { class: "reason" }, reasonOf(hit), " ", button),
    hit.ambiguous.length ? make("p", { class: "note" }, "Fits ", idLinks(hit.ambiguous), " as well") : null,
    hit.equivalents.length ? make("p", { class: "note" }, "The same as ", idLinks(hit.equivalents)) : null,
    pathLine(hit.path, hit.terminology),
    why,
  );
}

async function explain(place, hit, state) {
  fill(place, make("p", { class: "note" }, "Explaining…"));
  try {
    const [found, concept] = await Promise.all([
      post("/explain", { q: state.q, id: hit.id, index: state.index }), get("/concept", { id: hit.id, terminology: hit.terminology }),
    ]);
    fill(
      place,
      concept.definitions.slice(0, 1).map((text) => make("p", { class: "meaning", dir: "auto" }, text)),
      make("ul", {}, found.hits[0].explanation.said.map((line) => make("li", {}, line))),
    );
  } catch (error) {
    fill(place, failure(error, () => explain(place, hit, state)));
  }
}

/** What is shown before anything is typed. */
function start(about, state) {
  const index = indexOf(about, state.index);
  const served = about.terminologies.filter((one) => index.terminologies.includes(one.name));
  return [
    make("h1", { class: "start-title", tabindex: -1 }, "Find the concept behind any clinical words"),
    make("p", { class: "start-words" }, "Type as people write: an everyday phrase, an abbreviation, a misspelling, a code. Each answer says how sure it is, and why."),
    make("p", { class: "examples" }, make("span", { class: "note" }, "Try"), EXAMPLES.map((words) => make(
      "a", { class: "chip", href: link("search", { q: words, index: state.index }) }, words))),
    make("ul", { class: "served" }, served.map((one) => make("li", {},
      make("strong", {}, one.title), one.version ? ` ${one.version}` : "", make("br"),
      make("span", { class: "note" }, `${count(one.concepts, "concept")}, ${count(one.terms, "name")}`), make("br"),
      one.has_hierarchy ? make("a", { href: link("concept", { terminology: one.name }) }, "Browse from the top") : null)),
    card("A whole note", "Mentions with their concepts, and what is denied or uncertain", link("annotate", { index: state.index }), "Annotate a text"),
    about.reviews.length > 0 && card("Mappings", "Candidates to accept or reject, by keyboard", link("review"), "Review mappings")),
  ];
}

function card(title, words, href, does) {
  return make("li", {}, make("strong", {}, title), make("br"), make("span", { class: "note" }, words), make("br"), make("a", { href }, does));
}
