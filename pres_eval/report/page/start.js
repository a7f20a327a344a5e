// Graphs: the legend hides, shows and searches runs; pointing at one makes the others pale.
const seriesOf = (run) => document.querySelectorAll(`#graphs .charts [data-run="${run}"]`);
const light = (run) => {
  document.querySelectorAll("#graphs .on").forEach((series) => series.classList.remove("on"));
  document.querySelectorAll("#graphs svg.chart").forEach((chart) => chart.classList.toggle("lit", run !== null));
  if (run !== null) seriesOf(run).forEach((series) => series.classList.add("on"));
};
const press = (button, pressed) => {
  button.setAttribute("aria-pressed", pressed);
  seriesOf(button.dataset.run).forEach((series) => series.toggleAttribute("hidden", !pressed));
};
const startLegend = () => {
  const buttons = [...document.querySelectorAll(".legend button[data-run]")];
  for (const button of buttons) {
    button.addEventListener("click", () => press(button, button.getAttribute("aria-pressed") === "false"));
    for (const name of ["pointerenter", "focus"]) {
      button.addEventListener(name, () => light(button.getAttribute("aria-pressed") === "true" ? button.dataset.run : null));
    }
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => light(null));
  }
  for (const every of document.querySelectorAll(".legend button[data-all]")) {
    every.addEventListener("click", () => {
      buttons.filter((button) => !button.parentElement.hidden).forEach((button) => press(button, every.dataset.all === "show"));
    });
  }
  const search = byId("legend-search");
  if (!search) return;
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const button of buttons) button.parentElement.hidden = !button.textContent.toLowerCase().includes(wanted);
  });
};

// TREC's tables: one run at a time, all of them on paper.
sections.runs = () => {
  for (const section of document.querySelectorAll("section.run")) {
    section.hidden = data.runs[section.dataset.run] !== state.run;
  }
};
sections.graphs = () => {
  document.querySelectorAll("#graphs .chosen").forEach((series) => series.classList.remove("chosen"));
  if (RUNS > 1) seriesOf(runAt.get(state.run)).forEach((series) => series.classList.add("chosen"));
  // Of many runs the pinned ones, or else the five best, have colours, and are drawn over the others.
  if (RUNS <= 8) return;
  const pins = pinned();
  const words = `In colour: ${pins.length ? "the pinned runs" : `the ${data.leaders.length ? "five best" : "first five"} by ${state.m}; ★ on the leaderboard pins others`}.`;
  byId("legend-search").closest(".controls").after(byId("coloured") || html("p", { id: "coloured", role: "status" }));
  byId("coloured").textContent = words;
  const coloured = pins.length ? pins : boardOrder().slice(0, 5);
  data.runs.forEach((_, run) => seriesOf(run).forEach((series) => series.classList.toggle("grey", !coloured.includes(run))));
  for (const run of coloured) seriesOf(run).forEach((series) => series.parentElement.append(series));
};

const linkTopics = () => {
  for (const table of document.querySelectorAll("#hardest, #topics-table, #differences table")) {
    for (const row of table.tBodies[0].rows) {
      const heading = row.cells[0];
      const ofTopics = table.tHead.rows[0].cells[0].textContent === "topic";
      if (ofTopics && topicAt.has(heading.textContent)) heading.replaceChildren(topicLink(topicAt.get(heading.textContent)));
      const runs = table.id ? [] : ofTopics ? [row.cells[1], row.cells[2]] : [heading];
      for (const cell of runs) if (runAt.has(cell.textContent)) cell.replaceChildren(runLink(runAt.get(cell.textContent)));
    }
  }
  for (const link of document.querySelectorAll("a[data-choice]")) {
    if (link.dataset.choice) link.setAttribute("href", `${link.hash}?${link.dataset.choice}`);
  }
};
const startBoard = () => {
  const search = byId("board-search");
  if (!search) return;
  search.addEventListener("input", boardRows);
  for (const name of document.querySelectorAll("#board [data-run]")) {
    const run = Number(name.dataset.run);
    const button = html("button", { type: "button", class: "pin", "aria-pressed": "false", "aria-label": `Pin ${data.runs[run]}` }, "★");
    button.addEventListener("click", () => pin(run));
    name.prepend(button);
  }
};
const start = async () => {
  await unpack();
  document.querySelectorAll(".controls[hidden], .script[hidden]").forEach((element) => (element.hidden = false));
  if (RUNS === 1 && byId("baseline")) byId("baseline").parentElement.hidden = true;
  state.topic = data.topics[hardestFirst()[0][1]];
  fillView();
  startBoard();
  if (byId("run-choice")) sections.runs();
  linkTopics();
  startTaking();
  startLegend();
  for (const { field, section, key } of CHOICES.filter((choice) => byId(choice.field))) {
    byId(field).addEventListener("change", () => choose(section, { [key]: byId(field).value }));
  }
  byId("filter").addEventListener("input", () => choose("topics", { filter: byId("filter").value }, true));
  byId("topic-view").addEventListener("click", (event) => {
    const button = event.target.closest("[data-topic]");
    if (button) choose("topic", { topic: button.dataset.topic });
  });
  window.addEventListener("hashchange", follow);
  window.addEventListener("popstate", follow);
  window.addEventListener("beforeprint", renderAll);
  for (const name of Object.keys(sections)) {
    dirty.add(name);
    if (byId(name)) seen.observe(byId(name));
    else delete sections[name];
  }
  follow();
  document.documentElement.dataset.ready = "yes";
};
start();
