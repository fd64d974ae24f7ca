// Sets the chosen theme before anything is drawn; without a choice the system's is used. Not a module, so that it blocks.
(() => {
  const KEY = "ontonym-theme";
  const THEMES = ["auto", "light", "dark"];
  const DARK = matchMedia("(prefers-color-scheme: dark)");
  const WORDS = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

  const stored = () => {
    try {
      const name = localStorage.getItem(KEY);
      return THEMES.includes(name) ? name : "auto";
    } catch {
      return "auto";
    }
  };

  let chosen = stored();

  const apply = () => {
    document.documentElement.dataset.theme = chosen === "auto" ? (DARK.matches ? "dark" : "light") : chosen;
    const button = document.getElementById("theme");
    if (button) button.textContent = WORDS[chosen];
  };

  apply();
  DARK.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").addEventListener("click", () => {
      chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // The choice then lasts as long as the page.
      }
      apply();
    });
  });
})();
