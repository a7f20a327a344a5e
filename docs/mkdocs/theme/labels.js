// The theme gives its search dialog no name for screen readers.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
// The search takes signs of pasted messages for operators, and finds nothing: --weights, run.txt:3:.
document.querySelector(".md-search__input")?.addEventListener("input", ({ target }) => {
  if (/[-+:~^*"]/.test(target.value)) target.value = target.value.replace(/[-+:~^*"]+/g, " ");
}, true);
// Sections that have a page of their own: the label that should name their navigation is empty.
for (const nav of document.querySelectorAll("nav.md-nav[aria-labelledby]")) {
  const title = nav.querySelector(":scope > .md-nav__title")?.textContent.trim();
  if (title) {
    nav.removeAttribute("aria-labelledby");
    nav.setAttribute("aria-label", `${title}: pages`);
  }
}
// The buttons of an example are no navigation. The keyboard reaches what scrolls, on touch screens also.
function reachable() {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
  for (const part of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }
}
reachable();
addEventListener("resize", reachable);
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
