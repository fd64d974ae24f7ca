// What the server has: asked once, kept for all views.

import { get } from "./api.js";

let asked = null;

/** Indexes, terminologies and reviews, as `/api/about` has them. */
export function served() {
  asked ??= get("/about").catch((error) => {
    asked = null;
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
