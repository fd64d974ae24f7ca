// The filters of a search: the index, its terminologies, tags, and what is below some concepts.

import { get, post } from "./api.js";
import { combobox } from "./combobox.js";
import { fill, make } from "./dom.js";
import { indexOf } from "./served.js";

/** The index and the filters of it that an address names. */
export function filtersOf(values) {
  return { index: values.get("index") ?? "", only: values.getAll("only"), tag: values.getAll("tag"), within: values.getAll("within") };
}

/** Whether anything but an index is chosen. */
export const isFiltered = ({ only, tag, within }) => only.length + tag.length + within.length > 0;

/** A row of filters over `state` (index, only, tag, within, which it changes); `changed` is called after each change. */
export function filterBar(state, about, changed) {
  const bar = make("div", { class: "filters" });
  const names = new Map();

  const set = (change) => {
    change();
    draw();
    changed();
  };

  const draw = () => {
    const index = indexOf(about, state.index);
    const served = about.terminologies.filter((one) => index.terminologies.includes(one.name));
    const tags = [...new Set(served.flatMap((one) => one.tags))].sort();
    fill(
      bar,
      about.indexes.length > 1 && indexChoice(index),
      served.length > 1 && choice("Terminology", served.map((one) => one.name), "only"),
      tags.length > 0 && choice("Tag", tags, "tag"),
      subtree(),
      ["only", "tag", "within"].flatMap((field) => state[field].map((value) => chip(field, value))),
    );
  };

  const indexChoice = (index) => make("label", {}, make("span", { class: "unseen" }, "Index "), make(
    "select",
    { onchange: (event) => set(() => Object.assign(state, { index: event.target.value, only: [], tag: [], within: [] })) },
    about.indexes.map((one) => make("option", { value: one.name, selected: one === index }, one.name)),
  ));

  const choice = (label, values, field) => {
    const left = values.filter((value) => !state[field].includes(value));
    return make("label", {}, make("span", { class: "unseen" }, `${label} `), make(
      "select",
      { class: "is-adding", disabled: left.length === 0, onchange: (event) => set(() => state[field].push(event.target.value)) },
      make("option", { value: "" }, `${label}…`),
      left.map((value) => make("option", { value }, value)),
    ));
  };

  const subtree = () => {
    const input = make("input", { type: "text", class: "subtree", placeholder: "Below a concept…", "aria-label": "Only below a concept" });
    return combobox(input, {
      ask: async (text, signal) => (await post("/autocomplete", { q: text, index: state.index, k: 8 }, signal)).hits,
      draw: (one) => [make("span", { class: "suggested" }, one.preferred), make("span", { class: "suggested-id" }, one.id)],
      pick: (one) => {
        names.set(one.id, one.preferred);
        set(() => !state.within.includes(one.id) && state.within.push(one.id));
      },
      label: "Concepts",
    }).box;
  };

  const chip = (field, value) => {
    const text = make("span", {}, field === "within" ? `below ${names.get(value) ?? value}` : value);
    if (field === "within" && !names.has(value)) name(value, text);
    return make("span", { class: "chip" }, text, make(
      "button",
      { type: "button", "aria-label": `Remove the filter ${value}`, onclick: () => set(() => (state[field] = state[field].filter((one) => one !== value))) },
      "×",
    ));
  };

  const name = async (id, place) => {
    try {
      names.set(id, (await get("/concept", { id })).preferred);
      place.textContent = `below ${names.get(id)}`;
    } catch {
      // The id says it as well.
    }
  };

  draw();
  return bar;
}
