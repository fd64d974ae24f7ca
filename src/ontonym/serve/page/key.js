// Signing in: the key that writing needs, asked for when it is needed.

import { ApiError, get, key } from "./api.js";
import { dialog } from "./dialog.js";
import { make, toast } from "./dom.js";
import { served } from "./served.js";

const WORDS = "A key lets you add synonyms and decide on mappings. Whoever runs this server has it.";

/** Shows at the top whether a key is set. */
export function drawKey() {
  document.getElementById("key").textContent = key.get() ? "Sign out" : "Sign in";
}

/** Asks for a key until the server knows it or the person gives up; gives whether there is one now. */
export function signIn(words = WORDS) {
  const input = make("input", { type: "password", id: "key-input", autocomplete: "off", required: true, "aria-describedby": "key-words" });
  return new Promise((resolve) => {
    let known = false;
    const element = dialog("Sign in", {
      body: [make("p", { id: "key-words" }, words), make("label", { for: "key-input" }, "Key"), input],
      done: "Sign in",
      submit: async () => {
        const before = key.get();
        key.set(input.value.trim());
        try {
          await get("/about");
        } catch (error) {
          key.set(before);
          throw error.status === 401 ? new ApiError("The server does not know this key.", 401) : error;
        }
        known = true;
        drawKey();
        toast("Signed in until you close this tab");
      },
    });
    element.addEventListener("close", () => resolve(known));
  });
}

/** Runs what writes, after signing in where that is needed; gives null where the person does not sign in. */
export async function writing(run) {
  if (!(await served()).writable) throw new ApiError("This server takes no changes: it was started without keys.", 403);
  if (!key.get() && !(await signIn())) return null;
  try {
    return await run();
  } catch (error) {
    if (error.status !== 401) throw error;
    key.set("");
    drawKey();
    return (await signIn("The server does not know your key any longer. Sign in again.")) ? run() : null;
  }
}
