// Elements, built from data: whatever the server gives becomes text, never markup.

/** An element with attributes, listeners (`onclick`) and children: elements, texts, lists of both; null is left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") element.append(child);
  }
}

/** Children with a comma between each two. */
export const withCommas = (children) => children.flatMap((one, place) => (place ? [", ", one] : [one]));

/** Puts children in the place of all that an element has. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** Tells a screen reader. */
export function say(words) {
  document.getElementById("said").textContent = words;
}

let hiding = 0;

/** Shows a short message at the bottom of the window, and tells a screen reader. */
export function toast(words, { error = false, long = error } = {}) {
  const place = document.getElementById("toast");
  place.textContent = words;
  place.classList.toggle("is-error", error);
  place.hidden = false;
  place.onclick = () => (place.hidden = true); // on a telephone it stands over what it speaks of
  say(words);
  clearTimeout(hiding);
  hiding = setTimeout(() => (place.hidden = true), long ? 8000 : 3500);
}

/** A button that copies a text. */
export function copyButton(text, label = "Copy", title = `Copy ${text}`) {
  return make("button", { type: "button", class: "copy", title, "aria-label": title, onclick: () => copy(text) }, label);
}

/** Copies a text to the clipboard. */
export async function copy(text, words = `Copied ${text}`) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copiedByHand(text)) {
      toast("The browser does not allow copying. Select the text and copy it.", { error: true });
      return;
    }
  }
  toast(words);
}

/** Copies as browsers did before: the only way where the page comes without HTTPS from another machine. */
function copiedByHand(text) {
  const before = document.activeElement;
  const place = make("textarea", { class: "unseen", readonly: true, "aria-hidden": "true" });
  place.value = text;
  document.body.append(place);
  place.select();
  const done = document.execCommand("copy");
  place.remove();
  before?.focus({ preventScroll: true });
  return done;
}

/** Gives a text to the browser as a file to save. */
export function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  toast(`Saved ${name}`);
}

/**
 * Scrolls the list that an element is in, and the window, no further than until it can be seen above a bar at the bottom,
 * where the bar is not beside it.
 * `scrollIntoView` would also move the place from which Tab goes on, past all that stands before the element.
 */
export function reveal(element, list, bar = null) {
  const step = (top, bottom) => {
    const one = element.getBoundingClientRect();
    return one.top < top ? one.top - top : Math.max(Math.min(one.bottom - bottom, one.top - top), 0);
  };
  const box = list.getBoundingClientRect();
  list.scrollTop += step(box.top, box.bottom);
  const above = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  const under = bar?.getBoundingClientRect();
  const covers = under && under.left < box.right && box.left < under.right;
  window.scrollBy(0, step(above, covers ? under.top : window.innerHeight));
}

/** What a view shows where a call failed, with a way to try again. */
export function failure(error, again = null) {
  return make(
    "div",
    { class: "failure", role: "alert" },
    make("p", {}, error.message),
    again && make("button", { type: "button", onclick: again }, "Try again"),
  );
}

/** What a view shows where there is nothing. */
export function empty(title, ...words) {
  return make("div", { class: "empty" }, make("p", { class: "empty-title" }, title), words.length ? make("p", {}, words) : null);
}

/** What a view is where there is nothing to view at all: the title is its heading. */
export function lacking(title, ...words) {
  return make("div", { class: "empty" }, make("h1", { class: "empty-title", tabindex: -1 }, title), words.length ? make("p", {}, words) : null);
}

/** A function that runs once its caller has been quiet for some milliseconds. */
export function quietly(milliseconds, run) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
