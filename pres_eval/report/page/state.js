// What is open, in the address of the page: #section?key=value&...; every part of the page is drawn from it.
const floats = data.measures.filter(({ digits }) => digits > 0).map(({ label }) => label);
const labels = data.pairs ? data.pairs.measures.concat(floats.filter((label) => !data.pairs.measures.includes(label))) : floats;
const state = {
  m: labels[0],
  base: data.runs[data.base],
  a: data.runs[data.best[0]],
  b: data.runs[data.best[Math.min(1, RUNS - 1)]],
  topic: null,
  run: data.runs[data.best[0]],
  nmax: String(data.nmax[0]),
  view: `run:${data.runs[0]}`,
  filter: "",
  sort: "",
  pins: "[]",
  doc: "",
};
const pinned = () => JSON.parse(state.pins).map((name) => runAt.get(name));
const isRun = (value) => runAt.has(value);
const VALID = {
  m: (value) => labels.includes(value),
  // P-values that are corrected for one baseline are those of no other.
  base: (value) => isRun(value) && (!data.pairs || data.pairs.baseline === null || value === data.runs[data.pairs.baseline]),
  a: isRun,
  b: isRun,
  topic: (value) => topicAt.has(value),
  run: isRun,
  nmax: (value) => /^[1-9][0-9]{0,8}$/.test(value),
  view: (value) =>
    (value.startsWith("run:") && runAt.has(value.slice(4))) ||
    (value.startsWith("measure:") && Object.hasOwn(measureAt, value.slice(8))),
  filter: () => true,
  sort: (value) => /^[a-z-]+:.+:(a|de)scending$/.test(value) || !value,
  pins: (value) => {
    try {
      return JSON.parse(value).every(isRun);
    } catch {
      return false;
    }
  },
  doc: () => true,
};

// The fields in which one chooses: what they offer, which part of the page they belong to, and what they change.
const nmaxChoices = () =>
  [...new Set([...data.nmax, 10, 100, 1000, Number(state.nmax)])].sort((one, other) => one - other).map(String);
const CHOICES = [
  { field: "measure", section: "leaderboard", key: "m", values: () => labels },
  { field: "baseline", section: "leaderboard", key: "base", values: () => data.runs },
  { field: "pair-a", section: "pair", key: "a", values: () => data.runs },
  { field: "pair-b", section: "pair", key: "b", values: () => data.runs },
  { field: "pair-measure", section: "pair", key: "m", values: () => labels },
  { field: "pair-nmax", section: "pair", key: "nmax", values: nmaxChoices },
  { field: "topic-choice", section: "topic", key: "topic", values: () => data.topics },
  { field: "topic-run", section: "topic", key: "run", values: () => data.runs },
  { field: "topic-nmax", section: "topic", key: "nmax", values: nmaxChoices },
  { field: "spread-measure", section: "distributions", key: "m", values: () => labels },
  { field: "spread-run", section: "distributions", key: "run", values: () => data.runs },
  { field: "run-choice", section: "runs", key: "run", values: () => data.runs },
  { field: "view", section: "topics", key: "view" },
];
const fillView = () => {
  const of = (kind, names) => names.map((name) => option(`${kind}:${name}`, name, false));
  const groups = [html("optgroup", { label: "All measures of a run" }, of("run", data.runs))];
  if (RUNS > 1) {
    const measures = of("measure", data.measures.map(({ label }) => label));
    groups.push(html("optgroup", { label: "One measure of all runs" }, measures));
  }
  byId("view").replaceChildren(...groups);
};
const fillChoices = () => {
  for (const { field, key, values } of CHOICES.filter((choice) => byId(choice.field))) {
    if (values) fillSelect(byId(field), values(), state[key]);
    else byId(field).value = state[key];
  }
  if (byId("filter").value !== state.filter) byId("filter").value = state.filter;
};

const sections = {};
const dirty = new Set();
const inView = new Set();
const render = (names) => {
  for (const name of names) {
    if (!dirty.has(name) || !(name in sections)) continue;
    dirty.delete(name);
    sections[name]();
  }
};
const renderAll = () => render(Object.keys(sections));
const changed = () => {
  fillChoices();
  Object.keys(sections).forEach((name) => dirty.add(name));
  render([...inView]);
};
const address = (section) => `#${section}?${new URLSearchParams(state)}`;
const choose = (section, choice, replace = false) => {
  if ("m" in choice && state.sort.startsWith("board:")) state.sort = "";
  for (const [key, value] of Object.entries(choice)) if (VALID[key](value)) state[key] = value;
  if (replace) history.replaceState(null, "", address(section));
  else history.pushState(null, "", address(section));
  changed();
  render([section]);
};
const open = (section, choice) => {
  choose(section, choice);
  goTo(section);
};
const goTo = (section) => {
  const target = byId(section);
  if (!target) return;
  render([section]);
  target.scrollIntoView();
  const heading = target.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
};
const follow = () => {
  const [section, text] = location.hash.slice(1).split(/\?(.*)/s);
  for (const [key, value] of new URLSearchParams(text || "")) {
    if (Object.hasOwn(VALID, key) && VALID[key](value)) state[key] = value;
  }
  changed();
  if (!section) return;
  history.replaceState(null, "", address(section));
  goTo(section);
};
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target.id);
    render([...inView]);
  },
  { rootMargin: "400px" }
);
