// What the served terminology knows of the marked candidate of a review, so that candidates can be compared.

import { get, Latest } from "./api.js";
import { fill, make, quietly } from "./dom.js";
import { conceptLink, pathLine } from "./parts.js";

/** The place below the candidates; `show` fills it. */
export class CandidateDetail {
  #latest = new Latest();
  #known = new Map();
  #later = quietly(120, (id) => this.#load(id));
  #id = "";

  constructor() {
    this.place = make("section", { class: "candidate-detail", "aria-label": "The marked candidate" });
  }

  /** Shows the concept with this id; nothing for none, or where no terminology with it is served. */
  show(id) {
    if (id === this.#id) return;
    this.#id = id;
    this.#later.cancel();
    if (!id || this.#known.has(id)) this.#draw();
    else this.#later(id);
  }

  stop() {
    this.#later.cancel();
    this.#latest.stop();
  }

  async #load(id) {
    try {
      const concept = await this.#latest.run((signal) => get("/concept", { id }, signal));
      if (concept === null) return;
      this.#known.set(id, concept);
    } catch (error) {
      if (error.status) this.#known.set(id, null);
    }
    this.#draw();
  }

  #draw() {
    const concept = this.#known.get(this.#id);
    if (!concept) {
      fill(this.place);
      return;
    }
    const others = [...new Set(concept.names.map((one) => one.text))].filter((text) => text !== concept.preferred);
    fill(
      this.place,
      make("p", {}, conceptLink(concept, concept.terminology), concept.definitions.length ? make("bdi", {}, `: ${concept.definitions[0]}`) : null),
      others.length > 0 && make("p", { class: "note" }, "Also ", make("bdi", {}, others.slice(0, 6).join("; ")), others.length > 6 ? "; …" : ""),
      pathLine(concept.path, concept.terminology),
    );
  }
}
