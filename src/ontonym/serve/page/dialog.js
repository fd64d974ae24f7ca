// Questions in a window of their own: the browser's own dialog keeps the focus inside and gives it back.

import { fill, make } from "./dom.js";

let made = 0;

/**
 * Opens a dialog with a title and a body. Where `submit` is given, it has a button with the word `done`: an error that
 * `submit` throws is shown, and the dialog stays. Gives the dialog element.
 */
export function dialog(title, { body, done = "", submit = null, wide = false }) {
  const id = `dialog-${++made}`;
  const problem = make("p", { class: "problem", role: "alert" });
  const send = submit && make("button", { type: "submit", class: "primary" }, done);
  const element = make(
    "dialog",
    { "aria-labelledby": id, class: wide ? "is-wide" : null },
    make(
      "form",
      { onsubmit: async (event) => {
        event.preventDefault();
        if (!submit) return;
        send.disabled = true;
        fill(problem);
        try {
          if ((await submit()) !== false) element.close();
        } catch (error) {
          fill(problem, error.message);
        } finally {
          send.disabled = false;
        }
      } },
      make("h2", { id }, title),
      body,
      problem,
      make(
        "div",
        { class: "buttons" },
        make("button", { type: "button", class: "quiet", onclick: () => element.close() }, submit ? "Cancel" : "Close"),
        send,
      ),
    ),
  );
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
  element.querySelector("input, select, textarea, [autofocus]")?.focus();
  return element;
}
