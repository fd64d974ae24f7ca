// What the server has: kept for all views, and asked again after a while, as a page stays open longer than a server runs.

import { get } from "./api.js";

const FRESH = 60_000; // milliseconds

let asked = null;
let since = 0;

/** Indexes, terminologies and reviews, as `/api/about` has them; as it had them before where it cannot be reached. */
export function served() {
  if (asked && Date.now() - since < FRESH) return asked;
  const before = asked;
  since = Date.now();
  asked = get("/about").catch((error) => {
    asked = before;
    since = 0;
    if (before && !error.status) return before;
    throw error;
  });
  return asked;
}

/** The index of this name, the first one without a name or with one that is not served. */
export function indexOf(about, name) {
  return about.indexes.find((one) => one.name === name) ?? about.indexes[0] ?? null;
}

/** The index that has a terminology; null where it is served for lookups alone. */
export function indexWith(about, terminology) {
  return about.indexes.find((one) => one.terminologies.includes(terminology)) ?? null;
}
