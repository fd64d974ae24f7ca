// Sets the chosen theme before anything is drawn; without a choice the system's is used. Not a module, so that it blocks.
(() => {
  const KEY = "ontonym-theme";
  const THEMES = ["auto", "light", "dark"];
  const WORDS = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

  const stored = () => {
    try {
      const name = localStorage.getItem(KEY);
      return THEMES.includes(name) ? name : "auto";
    } catch {
      return "auto";
    }
  };

  const apply = (name) => {
    document.documentElement.dataset.theme = name;
    const button = document.getElementById("theme");
    if (button) button.textContent = WORDS[name];
  };

  apply(stored());
  document.addEventListener("DOMContentLoaded", () => {
    apply(stored());
    document.getElementById("theme").addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // The choice then lasts as long as the page.
      }
      apply(next);
    });
  });
})();
