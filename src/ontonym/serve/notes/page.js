const filters = document.querySelector("#filters"), legend = document.querySelector("#branches");
const marks = [...document.querySelectorAll("mark")], rows = [...document.querySelectorAll("aside li")];
const sections = [...document.querySelectorAll(".document")];
const make = (name, text, kind) => {
  const element = document.createElement(name);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
};
const boxes = { branch: new Map(), context: new Map() };
const box = (group, key, words, kind) => {
  const label = make("label", "", kind), input = document.createElement("input");
  Object.assign(input, { type: "checkbox", checked: true, onchange: show });
  label.append(input, words);
  boxes[group].set(key, input);
  filters.append(label);
};
const contexts = (one) => one.dataset.context.split("|").filter(Boolean);
const least = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1, step: 0.05, value: 0, oninput: show });
const place = Object.assign(document.createElement("select"), { onchange: show });
place.setAttribute("aria-label", "section");
const shown = make("output", "");
function show() {
  const fits = (one) => (boxes.branch.get(one.dataset.branch)?.checked ?? true)
    && contexts(one).every((name) => boxes.context.get(name)?.checked ?? true);
  let left = 0;
  for (const mark of marks) {
    const on = fits(mark) && (!place.value || mark.dataset.section === place.value) && Number(mark.dataset.confidence) >= Number(least.value);
    mark.classList.toggle("off", !on);
    left += on;
  }
  for (const section of sections) {
    const found = new Set([...section.querySelectorAll("mark:not(.off)")].map((one) => `${one.dataset.id} ${one.dataset.context}`));
    for (const row of section.querySelectorAll("aside li")) row.hidden = !found.has(`${row.dataset.id} ${row.dataset.context}`);
  }
  shown.textContent = `${left.toLocaleString("en")} of ${marks.length.toLocaleString("en")} mentions, confidence from ${Number(least.value).toFixed(2)}`;
}
for (const item of legend.children) box("branch", item.dataset.branch, item.textContent, `b ${item.className}`);
for (const name of new Set(marks.flatMap(contexts))) box("context", name, name, "context");
const sectionNames = [...new Set(marks.map((one) => one.dataset.section).filter(Boolean))].sort();
place.append(new Option("every section", ""), ...sectionNames.map((name) => new Option(name)));
if (sectionNames.length) filters.append(place);
const range = make("label", "at least ");
range.append(least);
filters.append(range, shown);
filters.hidden = false;
legend.hidden = true;
for (const row of rows) row.onclick = () => {
  const own = [...row.closest(".document").querySelectorAll("mark")].filter((one) => one.dataset.id === row.dataset.id && one.dataset.context === row.dataset.context);
  for (const mark of marks) mark.classList.toggle("chosen", own.includes(mark));
  own[0]?.scrollIntoView({ block: "center", behavior: "smooth" });
};
show();
