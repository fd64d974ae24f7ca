const box = document.querySelector(".filter"), input = box.querySelector("input");
const sections = [...document.querySelectorAll("details")].map(section => ({
  section, shown: section.querySelector(".shown"),
  rows: [...section.querySelectorAll("tbody tr")].map(row => [row, row.textContent.toLowerCase()]),
}));
const filter = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const {section, shown, rows} of sections) {
    let found = 0;
    for (const [row, text] of rows) {
      const fits = words.every(word => text.includes(word));
      row.hidden = !fits;
      found += fits;
    }
    section.hidden = words.length > 0 && !found;
    shown.textContent = words.length ? "· " + found.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " rows fit" : "";
  }
};
let waiting;
box.hidden = false;
input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
for (const link of document.querySelectorAll("nav a"))
  link.addEventListener("click", () => { document.querySelector(link.getAttribute("href")).open = true; });
addEventListener("beforeprint", () => { for (const {section} of sections) section.open = true; });
