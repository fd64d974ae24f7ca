const filters = document.querySelector("#filters"), legend = document.querySelector("#branches");
const marks = [...document.querySelectorAll("mark")], rows = [...document.querySelectorAll("aside li")];
const sections = [...document.querySelectorAll(".document")];
const PRESENT = "present";
const make = (name, text = "", kind = "", ...children) => {
  const element = document.createElement(name);
  element.textContent = text;
  if (kind) element.className = kind;
  element.append(...children);
  return element;
};
const contexts = (one) => one.dataset.context.split("|").filter(Boolean);
const said = (one) => (contexts(one).length ? contexts(one) : [PRESENT]);
const boxes = { branch: new Map(), context: new Map() };
const box = (group, key, words, kind, number) => {
  const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, onchange: show });
  boxes[group].set(key, input);
  return make("label", "", kind, input, make("span", words), make("small", number.toLocaleString("en")));
};
const group = (title, labels, ...further) => make("fieldset", "", "", make("legend", title, "", ...further), make("div", "", "boxes", ...labels));
const all = (name) => Object.assign(make("button", "all or none"), { type: "button", onclick: () => {
  const each = [...boxes[name].values()], on = each.some((one) => !one.checked);
  for (const one of each) one.checked = on;
  show();
} });
const least = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1, step: 0.05, value: 0, oninput: show });
const leastWords = make("span"), shown = make("output");
const place = Object.assign(document.createElement("select"), { onchange: show });
function show() {
  let left = 0;
  for (const mark of marks) {
    const on = boxes.branch.get(mark.dataset.branch).checked && said(mark).every((name) => boxes.context.get(name).checked)
      && (!place.value || mark.dataset.section === place.value) && Number(mark.dataset.confidence) >= Number(least.value);
    mark.classList.toggle("off", !on);
    left += on;
  }
  for (const section of sections) {
    const found = new Set([...section.querySelectorAll("mark:not(.off)")].map((one) => `${one.dataset.id} ${one.dataset.context}`));
    for (const row of section.querySelectorAll("aside li")) row.hidden = !found.has(`${row.dataset.id} ${row.dataset.context}`);
  }
  leastWords.textContent = Number(least.value).toFixed(2);
  shown.textContent = `${left.toLocaleString("en")} of ${marks.length.toLocaleString("en")} mentions`;
}
const numbers = new Map();
for (const one of marks) {
  for (const key of [`b ${one.dataset.branch}`, ...said(one)]) numbers.set(key, (numbers.get(key) ?? 0) + 1);
}
const branches = [...legend.children].sort((one, two) => numbers.get(`b ${two.dataset.branch}`) - numbers.get(`b ${one.dataset.branch}`));
const named = [PRESENT, ...new Set(marks.flatMap(contexts))].filter((name) => numbers.has(name));
const sectionNames = [...new Set(marks.map((one) => one.dataset.section).filter(Boolean))].sort();
place.append(new Option("every section", ""), ...sectionNames.map((name) => new Option(name)));
const both = make("div", "", "both", make("label", "", "", make("span", "Confidence from"), least, leastWords));
if (sectionNames.length) both.append(make("label", "", "", make("span", "Section"), place));
const chosen = make("details", "", "", make("summary", "Filter", "", shown), make("div", "", "choices",
  group("What the text says", named.map((name) => box("context", name, name, "", numbers.get(name)))),
  both,
  group("Branch ", branches.map((one) => box("branch", one.dataset.branch, one.textContent || "no branch", `b ${one.className}`, numbers.get(`b ${one.dataset.branch}`) ?? 0)), all("branch"))));
filters.append(chosen);
filters.hidden = false;
legend.hidden = true;
for (const row of rows) {
  let next = 0;
  const button = Object.assign(document.createElement("button"), { type: "button", title: "Go to it in the text", onclick: () => {
    const own = [...row.closest(".document").querySelectorAll("mark:not(.off)")].filter((one) => one.dataset.id === row.dataset.id && one.dataset.context === row.dataset.context);
    const mark = own[next++ % own.length];
    mark.scrollIntoView({ block: "center" });
    mark.focus({ preventScroll: true });
    showWhy(mark);
  } });
  button.append(...row.childNodes);
  row.append(button);
}
show();
