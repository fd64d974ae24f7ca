// The calls to the JSON API, and the key that writing needs. Words go in the body, so that no log has them in an address.

const KEY = "ontonym-key";

/** An answer that is no success; `status` is 0 where the server could not be reached. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The key, empty without one. It is kept until the tab is closed. */
export const key = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

async function call(path, init) {
  const headers = { Accept: "application/json", ...init.headers };
  if (key.get()) headers.Authorization = `Bearer ${key.get()}`;
  let response;
  try {
    response = await fetch(new URL(`api${path}`, document.baseURI), { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server cannot be reached. Is it running?", 0);
  }
  const value = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return {};
  });
  if (!response.ok) throw new ApiError(problem(value.error, response.status), response.status);
  return value;
}

/** What the server says is wrong, as a sentence. */
function problem(words, status) {
  if (status === 413) return "This is more text than the server takes at once. Split it.";
  if (status === 429) return "Too many requests in a short time. Wait a moment.";
  if (!words) return `The server answered ${status}.`;
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}

const isGiven = (value) => value !== "" && value !== null && value !== undefined;

/** A path with the values that are given in its query; a list gives a value for each of its own. */
export function withQuery(path, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat().filter(isGiven)) query.append(name, one);
  }
  const asked = query.toString();
  return asked ? `${path}?${asked}` : path;
}

/** Asks with the values in the address: ids and choices only. */
export function get(path, values = {}, signal = undefined) {
  return call(withQuery(path, values), { signal });
}

/** Asks, or writes, with the values in the body. */
export function post(path, values = {}, signal = undefined) {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)));
  return call(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given), signal,
  });
}

/** Calls of which only the last one counts: a new one ends the one before, which then answers null. */
export class Latest {
  #controller = null;

  async run(ask) {
    this.#controller?.abort();
    const controller = (this.#controller = new AbortController());
    try {
      const value = await ask(controller.signal);
      return controller === this.#controller ? value : null;
    } catch (error) {
      if (error.name === "AbortError" || controller !== this.#controller) return null;
      throw error;
    }
  }

  stop() {
    this.#controller?.abort();
    this.#controller = null;
  }
}
