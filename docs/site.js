// What the theme leaves to be done for screen readers and keyboards: a name for its search, and tables that scroll by key.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
window.addEventListener("load", () => {
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
  }
});
