const why = document.createElement("section"), whyWords = document.createElement("p"), whyOf = document.createElement("b");
const whyClose = document.createElement("button");
let whyMark = null;
Object.assign(why, { id: "why", hidden: true });
why.setAttribute("aria-live", "polite");
why.setAttribute("aria-label", "Chosen mention");
Object.assign(whyClose, { type: "button", textContent: "×" });
whyClose.setAttribute("aria-label", "Close");
why.append(whyClose, whyOf, whyWords);
document.querySelector("main").append(why);
const showWhy = (mark) => {
  whyMark?.classList.remove("chosen");
  whyMark = mark;
  why.hidden = !mark;
  if (!mark) return;
  mark.classList.add("chosen");
  whyOf.textContent = `“${mark.textContent.trim()}”`;
  whyWords.textContent = mark.title;
  mark.scrollIntoView({ block: "nearest" });
};
for (const mark of document.querySelectorAll("mark[title]")) {
  mark.setAttribute("role", "button");
  mark.tabIndex = 0;
}
document.addEventListener("click", (event) => {
  const mark = event.target.closest("mark[title]");
  if (mark) showWhy(mark === whyMark ? null : mark);
  else if (event.target === whyClose) {
    whyMark?.focus({ preventScroll: true });
    showWhy(null);
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") showWhy(null);
  const mark = event.target.closest?.("mark[title]");
  if (!mark || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  showWhy(mark === whyMark ? null : mark);
});
