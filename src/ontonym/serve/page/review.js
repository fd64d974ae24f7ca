// The review of mappings: the list of source concepts, the candidates of one, and a key for each decision.

import { get, Latest, post } from "./api.js";
import { empty, fill, lacking, make, quietly, reveal, say, toast, withCommas } from "./dom.js";
import { readdress } from "./entries.js";
import { writing } from "./key.js";
import { link } from "./parts.js";
import { CandidateDetail } from "./reviewcandidate.js";
import { candidateList, headingOf, itemList, progressBar } from "./reviewdrawing.js";
import { actionOf, helpDialog, KEYS, keyButton } from "./reviewkeys.js";
import { commentDialog, FILTERS, filterDialog, findDialog, jumpDialog, wordsDialog } from "./reviewquestions.js";
import { number } from "./words.js";

export const title = "Review";

const PAGE = 100;
const OVERLAP = 200; // what others decide leaves the list before the next page of it
const UNREAD = 1500; // milliseconds in which nobody has read what has just appeared

/** Shows the view; `values` are those of the address: review, filter, search, id. */
export async function show(main, values, about, signal) {
  if (!about.reviews.length) {
    fill(main, lacking("No review is served here", "Start the server with --review and the file of a review."));
    return;
  }
  const asked = values.get("review") ?? about.reviews[0];
  if (!about.reviews.includes(asked)) { // never another one: decisions would go there
    const served = about.reviews.map((one) => make("a", { href: link("review", { review: one }) }, one));
    fill(main, lacking(`There is no review ${asked}`, "Served here: ", withCommas(served)));
    return;
  }
  const review = new Review(main, about, signal, {
    review: asked,
    filter: values.get("filter") in FILTERS ? values.get("filter") : "undecided",
    search: values.get("search") ?? "",
  });
  await review.list(values.get("id") ?? "");
  document.addEventListener("keydown", review.pressed, { signal });
}

/** Says what went wrong; what was given up since the view was left is no error. */
function complain(error) {
  if (error.name !== "AbortError") toast(error.message, { error: true });
}

/** A review on the page. */
class Review {
  constructor(main, about, signal, state) {
    Object.assign(this, { main, about, signal, state, items: [], found: 0, loaded: 0, cursor: 0, marked: 0, also: false, brought: new Map(), busy: false });
    this.decided = new Set();
    this.latest = new Latest();
    this.later = quietly(120, () => this.catchUp());
    signal.addEventListener("abort", () => {
      this.later.cancel();
      this.latest.stop();
    });
    this.actions = {
      accept: () => this.accept(),
      decide: (verdict) => this.one && this.decide(verdict, this.one),
      reject: () => this.reject(),
      none: () => this.item && this.decide("none", null),
      find: () => this.item && findDialog(this.item, this.about, (one) => this.bring(one)),
      also: () => this.setAlso(!this.also),
      skip: () => this.item && this.send("/review/decide", { id: this.item.id, verdict: "skip" }, "put off", 1),
      undo: () => this.back(false),
      redo: () => this.back(true),
      comment: () => this.item && commentDialog(this.item, (comment) => this.send("/review/decide", { id: this.item.id, verdict: "comment", comment }, "comment kept", 0)),
      filter: () => filterDialog(this.state.filter, (filter) => this.narrow({ filter })),
      search: () => wordsDialog(this.state.search, (search) => this.narrow({ search })),
      jump: () => jumpDialog((id) => this.jump(id)),
      help: helpDialog,
      more: () => this.more(),
      move: (by) => this.move(by),
      mark: (by) => this.mark(this.marked + by),
      pick: (place) => place < this.candidates.length && this.mark(place),
    };
    this.pressed = (event) => {
      const found = actionOf(event);
      if (!found) return;
      event.preventDefault();
      this.act(...found);
    };
    this.act = async (action, value) => {
      if (this.busy) return;
      try {
        await this.actions[action](value);
      } catch (error) {
        complain(error);
      }
    };
    this.drawShell();
  }

  get item() {
    return this.items[this.cursor] ?? null;
  }

  get candidates() {
    if (!this.item) return [];
    const known = new Set(this.item.candidates.map((one) => one.id));
    return [...this.item.candidates, ...(this.brought.get(this.item.id) ?? []).filter((one) => !known.has(one.id))];
  }

  get one() {
    return this.candidates[this.marked] ?? null;
  }

  // Reading

  /** A source concept as it is now. */
  read(id, signal = undefined) {
    return get("/review/item", { id, review: this.state.review }, signal);
  }

  page(offset, count = PAGE) {
    return get("/review", { ...this.state, offset, count }, this.signal);
  }

  /** Lists anew, with the cursor on the source concept of this id where it is listed. */
  async list(id = "") {
    const page = await this.page(0);
    Object.assign(this, { items: page.items, found: page.found, loaded: page.items.length, progress: page.progress, also: false });
    this.decided.clear();
    try {
      if (id) await this.jump(id);
      else this.go(0);
    } catch (error) {
      this.go(0);
      complain(error); // after what `go` says
    }
  }

  get hasMore() {
    return this.loaded < this.found;
  }

  /** The next page of the list; what was decided since has left it, by whomever. */
  async more() {
    const left = this.decided.size;
    const offset = Math.max(this.loaded - left - OVERLAP, 0);
    const count = this.loaded - left - offset + PAGE;
    const page = await this.page(offset, count);
    const known = new Set(this.items.map((one) => one.id));
    this.items.push(...page.items.filter((one) => !known.has(one.id)));
    this.loaded = page.items.length < count ? this.found : this.loaded + PAGE;
    this.draw();
  }

  // Moving

  go(place) {
    this.cursor = Math.max(0, Math.min(place, this.items.length - 1));
    this.also = false;
    this.marked = this.best();
    this.latest.stop();
    this.draw();
    this.later();
    if (this.item && !this.signal.aborted) say(`${this.item.label}. ${this.one ? `${this.one.label || this.one.id} is marked` : "No candidate"}`);
  }

  /** Takes over what others have decided on this source concept since the list was read. */
  async catchUp() {
    const { item: before, one } = this;
    if (!before || this.signal.aborted) return;
    const item = await this.latest.run((signal) => this.read(before.id, signal)).catch(() => null);
    if (!item || this.busy || this.item !== before || item.version === before.version) return;
    this.take({ ...item, versionBefore: before.version, read: Date.now() + UNREAD }, this.cursor);
    this.marked = Math.max(this.candidates.findIndex((each) => each.id === one?.id), 0);
    this.draw();
    toast(`${item.label}: changed by another reviewer since it was listed`);
  }

  /** The version of the source concept that the reviewer has read. */
  get version() {
    return Date.now() < this.item.read ? this.item.versionBefore : this.item.version;
  }

  /** The candidate to mark: what is decided, else what is proposed, else the best that is left. */
  best() {
    if (!this.item) return 0;
    const wanted = [...this.item.decisions.filter((one) => one.verdict !== "reject").map((one) => one.target), this.item.proposed];
    const left = this.candidates.filter((one) => !one.rejected);
    const one = wanted.map((id) => left.find((each) => each.id === id)).find(Boolean) ?? left[0];
    return one ? this.candidates.indexOf(one) : 0;
  }

  async move(by) {
    const place = this.cursor + by;
    if (place >= this.items.length && this.hasMore) await this.more();
    this.go(place);
  }

  mark(place) {
    if (!this.candidates.length) return;
    this.marked = Math.max(0, Math.min(place, this.candidates.length - 1));
    this.draw();
    say(`${this.one.label || this.one.id}, ${this.one.id}`);
  }

  async narrow(change) {
    Object.assign(this.state, change);
    await this.list();
  }

  /** Goes to a source concept, also by its code alone; one that the list does not have is put at its beginning. */
  async jump(id) {
    const item = this.items.find((one) => one.id === id) ?? (await this.read(id));
    if (!this.items.some((one) => one.id === item.id)) this.items.unshift(item);
    this.go(this.items.findIndex((one) => one.id === item.id));
  }

  // Deciding

  accept() {
    if (!this.one) return this.item && toast("No candidate to accept: f finds another target, 0 says that nothing fits");
    return this.one.added ? this.decide("exact", this.one) : this.decide("accept", this.one);
  }

  decide(verdict, one) {
    const words = one ? `${verdict === "accept" ? "accepted" : verdict} ${one.label || one.id}` : "nothing fits";
    return this.send("/review/decide", {
      id: this.item.id, verdict, target: one?.id ?? "", label: one?.label ?? "", also: this.also, version: this.version,
    }, words, 1);
  }

  async reject() {
    if (!this.one) return;
    const { id, label } = this.one;
    await this.send("/review/decide", { id: this.item.id, verdict: "reject", target: id, label, version: this.version }, `not ${label || id}`, 0);
    if (this.candidates.every((one) => one.rejected)) toast("All candidates are rejected: 0 says that nothing fits, f finds another target");
  }

  /**
   * Writes, takes over what the server says now, and goes on `by` source concepts, but where another has decided
   * otherwise meanwhile; gives false where that failed.
   */
  async send(path, values, words, by) {
    this.busy = true;
    const place = this.cursor;
    try {
      const item = await writing(() => post(path, { ...values, review: this.state.review }));
      if (!item) return false;
      this.take(item, place);
      await this.refresh();
      if (item.notice) toast(`${item.label}: ${item.notice}`, { error: true });
      else toast(`${item.label}: ${words}${by && !this.progress.undecided ? `. ${this.allDecided}` : ""}`);
      this.busy = false;
      if (item.notice) this.draw(); // with the same candidate marked
      else if (by) await this.onward(place + by);
      else this.go(place);
      return true;
    } catch (error) {
      complain(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Goes to a place in the list; after its end to the first source concept that is still undecided. */
  async onward(place) {
    if (place >= this.items.length && this.hasMore) await this.more();
    const left = this.items.findIndex((one) => one.status === "undecided");
    this.go(place < this.items.length || left < 0 ? place : left);
  }

  get allDecided() {
    return `All ${number(this.progress.items)} are decided`;
  }

  take(item, place) {
    const before = this.items[place];
    this.items[place] = item;
    if (before.status !== item.status && this.state.filter !== "all") this.decided.add(item.id);
  }

  async refresh() {
    this.progress = (await this.page(0, 1)).progress;
  }

  async back(redo) {
    this.busy = true;
    try {
      const done = await writing(() => post("/review/undo", { redo, review: this.state.review }));
      if (!done) return;
      await this.refresh();
      const place = this.items.findIndex((one) => one.id === done.source);
      if (place < 0) await this.jump(done.source);
      else {
        this.items[place] = await this.read(done.source);
        this.decided.delete(done.source);
        this.go(place);
      }
      toast(`${this.item.label}: ${redo ? "done again" : "undone"}`);
    } catch (error) {
      complain(error);
    } finally {
      this.busy = false;
    }
  }

  setAlso(also) {
    this.also = also;
    this.draw();
    toast(also ? "In addition: the next decision leaves what is decided" : "The next decision replaces what is decided");
  }

  /** Puts a target among the candidates, marked. */
  bring(one) {
    const known = this.candidates.findIndex((each) => each.id === one.id);
    if (known < 0) this.brought.set(this.item.id, [...(this.brought.get(this.item.id) ?? []), one]);
    this.mark(known < 0 ? this.candidates.length - 1 : known);
  }

  // Drawing

  drawShell() {
    const button = (name) => keyButton(KEYS.find(([, action]) => action === name), this.act);
    this.progressPlace = make("div", { class: "review-progress" });
    this.listPlace = make("div", { class: "review-list" });
    this.itemPlace = make("div", { class: "review-item" });
    this.actionsPlace = make("div", { class: "buttons review-actions", role: "group", "aria-label": "Decisions" }, KEYS.filter((key) => key[5]).map((key) => keyButton(key, this.act)));
    this.detail = new CandidateDetail();
    this.signal.addEventListener("abort", () => this.detail.stop());
    const choice = this.about.reviews.length > 1 && make("select", { "aria-label": "Review", onchange: (event) => (location.hash = link("review", { review: event.target.value })) },
      this.about.reviews.map((one) => make("option", { value: one, selected: one === this.state.review }, one)));
    fill(
      this.main,
      make("div", { class: "review-top" },
        make("h1", { tabindex: -1 }, "Review ", !choice && make("span", { class: "note" }, this.state.review)),
        choice,
        this.progressPlace,
        make("div", { class: "buttons" }, ["filter", "search", "jump", "help"].map(button))),
      make("div", { class: "review" },
        this.listPlace,
        make("div", { class: "review-side" },
          this.itemPlace,
          this.detail.place,
          !this.about.writable && make("p", { class: "note" }, "To be read only: this server was started without keys, so it takes no decisions."),
          this.about.writable && this.actionsPlace)),
    );
  }

  /** What stands in the place of a source concept where the list has none. */
  nothing(search) {
    const done = !this.progress.undecided && this.state.filter === "undecided" && !search;
    return [
      done ? empty(this.allDecided, "Whoever runs this server writes the decisions to a file with ", make("code", {}, "ontonym review export"), ".")
        : empty(`Nothing in the list “${this.state.filter}”${search}`),
      make("div", { class: "buttons is-centred" }, make("button", { type: "button", onclick: () => this.act("filter") }, "Choose another list")),
    ];
  }

  draw() {
    const focused = [this.listPlace, this.itemPlace].find((one) => one.contains(document.activeElement) && document.activeElement.matches("[role=listbox]"));
    if (!this.signal.aborted) readdress(link("review", { ...this.state, id: this.item?.id ?? "" }));
    this.detail.show(this.one?.id ?? "");
    fill(this.progressPlace, progressBar(this.progress));
    const search = this.state.search ? ` with “${this.state.search}”` : "";
    for (const one of this.actionsPlace.children) one.disabled = !this.item && one.name !== "undo";
    fill(this.listPlace, this.items.length > 0 && itemList(this.items, this.cursor, `${this.state.filter}${search}`, (place) => this.go(place)),
      this.hasMore && make("button", { type: "button", class: "quiet", onclick: () => this.act("more") }, "Show more"));
    if (!this.item) {
      fill(this.itemPlace, this.nothing(search));
      return;
    }
    fill(this.itemPlace, headingOf(this.item, this.also), candidateList(this.candidates, this.item, this.marked, (place) => this.mark(place)));
    focused?.querySelector("[role=listbox]")?.focus({ preventScroll: true });
    for (const place of [this.listPlace, this.itemPlace]) {
      const one = place.querySelector("[aria-selected=true]");
      if (one) reveal(one, one.parentElement, this.main.querySelector(".review-actions"));
    }
  }
}
