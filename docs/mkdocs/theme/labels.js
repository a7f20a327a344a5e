// The theme gives its search dialog no name that a screen reader could say.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
