// A text box with a list of suggestions, after the ARIA pattern "editable combobox with list autocomplete".

import { Latest } from "./api.js";
import { fill, make, quietly, say } from "./dom.js";
import { count } from "./words.js";

let made = 0;

/**
 * Makes a combobox of an input. `ask(text, signal)` gives suggestions, `draw(one)` their children, `pick(one)` is called
 * with the one that was chosen, `enter(text)` where Enter is pressed with none, `failed(error)` where asking failed.
 * Gives the box that holds both, with `close()`.
 */
export function combobox(input, { ask, draw, pick, enter = () => {}, failed = () => {}, label = "Suggestions" }) {
  const id = `suggestions-${++made}`;
  const list = make("ul", { id, class: "suggestions", role: "listbox", "aria-label": label, hidden: true });
  const latest = new Latest();
  let found = [];
  let marked = -1;

  for (const [name, value] of Object.entries({
    role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-autocomplete": "list",
    "aria-expanded": "false", "aria-controls": id,
  })) input.setAttribute(name, value);

  const close = () => {
    asking.cancel();
    latest.stop();
    found = [];
    marked = -1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const mark = (place) => {
    marked = place;
    [...list.children].forEach((option, one) => option.setAttribute("aria-selected", String(one === place)));
    if (place < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", list.children[place].id);
      list.children[place].scrollIntoView({ block: "nearest" });
    }
  };

  const choose = (place) => {
    const one = found[place];
    close();
    pick(one);
  };

  const open = (values) => {
    found = values;
    fill(list, values.map((one, place) => make(
      "li",
      {
        id: `${id}-${place}`, role: "option", "aria-selected": "false",
        onmousedown: (event) => event.preventDefault(), onclick: () => choose(place),
      },
      draw(one),
    )));
    list.hidden = values.length === 0;
    input.setAttribute("aria-expanded", String(values.length > 0));
    mark(-1);
    if (values.length) say(`${count(values.length, "suggestion")}, use the arrow keys`);
  };

  const asking = quietly(70, async () => {
    const text = input.value;
    if (!text.trim()) return close();
    try {
      const values = await latest.run((signal) => ask(text, signal));
      if (values !== null && document.activeElement === input) open(values);
    } catch (error) {
      close();
      failed(error);
    }
  });

  input.addEventListener("input", asking);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const last = found.length - 1;
    if (event.key === "ArrowDown") {
      if (list.hidden) asking();
      else mark(marked >= last ? -1 : marked + 1);
    } else if (event.key === "ArrowUp" && !list.hidden) mark(marked < 0 ? last : marked - 1);
    else if (event.key === "Escape" && !list.hidden) close();
    else if (event.key === "Enter") {
      if (marked >= 0) choose(marked);
      else {
        close();
        enter(input.value);
      }
    } else return;
    event.preventDefault();
  });

  return { box: make("div", { class: "combobox" }, input, list), close };
}
