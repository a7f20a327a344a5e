// The theme gives its search dialog no name that a screen reader could say.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
// The search takes signs of pasted messages for operators, and finds nothing: --weights, run.txt:3:.
document.querySelector(".md-search__input")?.addEventListener("input", ({ target }) => {
  if (/[-+:~^*"]/.test(target.value)) target.value = target.value.replace(/[-+:~^*"]+/g, " ");
}, true);
