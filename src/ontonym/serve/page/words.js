// How values read: kinds of names, reasons, confidences, numbers, times.

const KINDS = {
  preferred: "preferred term", fsn: "fully specified name", synonym: "synonym", lay: "lay term",
  abbreviation: "abbreviation", entry: "entry term",
};

/** The word for a kind of name, such as "broad synonym". */
export function kindWord(kind, scope = "exact") {
  const word = KINDS[kind] ?? kind;
  return kind === "synonym" && scope !== "exact" ? `${scope} ${word}` : word;
}

/** What the matched name of a hit is; everyday names come with ontonym, so no terminology has them. */
export const nameWord = (hit) => (hit.source === "everyday name" ? hit.source : kindWord(hit.kind, hit.scope));

/** The matched name, what it is to the concept, and the strongest evidence. */
export function reasonOf(hit) {
  const reason = hit.reason.detail || hit.reason.rule;
  if (hit.kind === "preferred" && hit.matched === hit.preferred) return reason;
  return `“${hit.matched}” (${nameWord(hit)}): ${reason}`;
}

export const SURE = 0.8;
export const LIKELIER_RIGHT = 0.5;

/** How far an answer can be relied on, as the command line has it. */
export function certainty(confidence) {
  const shown = Number(confidence.toFixed(2)); // equal figures have one word
  if (shown >= SURE) return "sure";
  return shown >= LIKELIER_RIGHT ? "doubtful" : "unlikely";
}

const NUMBERS = new Intl.NumberFormat("en");

/** A number with separators. */
export const number = (value) => NUMBERS.format(value);

/** A number of things. */
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** Values as one text: the first few, and how many more. */
export const fewOf = (values, few = 3) => values.slice(0, few).join(", ") + (values.length > few ? ` and ${count(values.length - few, "more", "more")}` : "");

const LANGUAGES = (() => {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" });
  } catch {
    return null;
  }
})();

/** The English name of a language code. */
export function languageWord(code) {
  try {
    return code ? (LANGUAGES?.of(code) ?? code) : "";
  } catch {
    return code;
  }
}

/** A time of an event, to the minute. */
export const when = (time) => time.slice(0, 16).replace("T", " ");
