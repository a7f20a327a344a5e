"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const collator = new Intl.Collator("en", { numeric: true });
  const byId = (id) => document.getElementById(id);

  // Sorting: any table whose headers are buttons. Cells without a number go last, whatever the direction.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if (!cell.classList.contains("n")) return cell.textContent;
    const number = parseFloat(cell.textContent);
    return Number.isNaN(number) ? null : number;
  };
  const compare = (one, other) =>
    typeof one === "string" ? collator.compare(one, other) : one - other;
  const sort = (table, column, direction) => {
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
    rows.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return sign * compare(a.key, b.key);
    });
    body.append(...rows.map(({ row }) => row));
    [...table.tHead.rows[0].cells].forEach((header, place) => {
      if (place === column) header.setAttribute("aria-sort", direction);
      else header.removeAttribute("aria-sort");
    });
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("thead button");
    if (!button) return;
    const header = button.parentElement;
    const first = header.classList.contains("n") ? "descending" : "ascending";
    const other = first === "descending" ? "ascending" : "descending";
    sort(header.closest("table"), header.cellIndex, header.getAttribute("aria-sort") === first ? other : first);
  });

  // The table of topics: one run with all measures, or one measure of all runs.
  const topics = byId("topics-table");
  const view = byId("view");
  const filter = byId("filter");
  const status = byId("shown");
  const text = (value, measure) =>
    value === null ? "–" : typeof value === "string" ? value : value.toFixed(data.digits[measure]);
  const element = (name, className, content) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.textContent = content;
    return made;
  };
  const header = (name, number) => {
    const cell = element("th", number ? "n" : "", "");
    cell.scope = "col";
    const button = element("button", "", name);
    button.type = "button";
    cell.append(button);
    return cell;
  };
  const columns = () => {
    const [kind, number] = view.value.split(":");
    const chosen = Number(number);
    if (kind === "run") {
      return data.measures.map((name, m) => ({ name, cells: data.values[chosen][m], measure: m }));
    }
    return data.runs.map((name, run) => ({ name, cells: data.values[run][chosen], measure: chosen }));
  };
  const fill = () => {
    const shown = columns();
    topics.tHead.rows[0].replaceChildren(header("topic", false), ...shown.map(({ name }) => header(name, true)));
    topics.tBodies[0].replaceChildren(
      ...data.topics.map((topic, place) => {
        const row = document.createElement("tr");
        const name = element("th", "", topic);
        name.scope = "row";
        row.append(name, ...shown.map(({ cells, measure }) => element("td", "n", text(cells[place], measure))));
        return row;
      })
    );
    const option = view.selectedOptions[0];
    topics.caption.textContent = `${option.parentElement.label}: ${option.textContent}`;
    choose();
  };

  // The filter: words that a topic's id has to hold, and conditions as map<0.1 on a column.
  const condition = (word) => {
    const parts = /^([^<>=]+)(<=|>=|<|>|=)(-?[0-9.]+)$/.exec(word);
    if (!parts) return null;
    const names = [...topics.tHead.rows[0].cells].map((cell) => cell.textContent.toLowerCase());
    const column = names.indexOf(parts[1].toLowerCase());
    if (column < 0) return null;
    const limit = parseFloat(parts[3]);
    const tests = {
      "<": (v) => v < limit,
      ">": (v) => v > limit,
      "<=": (v) => v <= limit,
      ">=": (v) => v >= limit,
      "=": (v) => v === limit,
    };
    return (row) => tests[parts[2]](parseFloat(row.cells[column].textContent));
  };
  const choose = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const tests = words.map(
      (word) => condition(word) || ((row) => row.cells[0].textContent.toLowerCase().includes(word))
    );
    let count = 0;
    for (const row of topics.tBodies[0].rows) {
      row.hidden = !tests.every((test) => test(row));
      count += !row.hidden;
    }
    status.textContent = `${count} of ${data.topics.length} topics shown`;
  };
  view.addEventListener("change", fill);
  filter.addEventListener("input", choose);
  choose();

  // Which run is looked at in detail: its section is shown, its lines are drawn thicker.
  const seriesOf = (run) => document.querySelectorAll(`.charts [data-run="${run}"]`);
  const runs = byId("run");
  const look = () => {
    for (const section of document.querySelectorAll("section.run")) {
      section.hidden = section.dataset.run !== runs.value;
    }
    document.querySelectorAll(".charts .chosen").forEach((series) => series.classList.remove("chosen"));
    seriesOf(runs.value).forEach((series) => {
      series.classList.add("chosen");
      series.parentElement.append(series);
    });
  };
  if (runs) {
    runs.addEventListener("change", look);
    look();
  }

  // The legend: a click hides or shows a run in all graphs, pointing at it makes the others pale.
  const light = (run) => {
    document.querySelectorAll(".charts .on").forEach((series) => series.classList.remove("on"));
    document.querySelectorAll(".charts svg").forEach((chart) => chart.classList.toggle("lit", run !== null));
    if (run !== null) seriesOf(run).forEach((series) => series.classList.add("on"));
  };
  const press = (button, pressed) => {
    button.setAttribute("aria-pressed", pressed);
    seriesOf(button.dataset.run).forEach((series) => series.toggleAttribute("hidden", !pressed));
  };
  const buttons = [...document.querySelectorAll(".legend button[data-run]")];
  for (const button of buttons) {
    button.addEventListener("click", () => press(button, button.getAttribute("aria-pressed") === "false"));
    for (const name of ["pointerenter", "focus"]) {
      button.addEventListener(name, () => light(button.getAttribute("aria-pressed") === "true" ? button.dataset.run : null));
    }
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => light(null));
  }
  for (const every of document.querySelectorAll(".legend button[data-all]")) {
    every.addEventListener("click", () => buttons.forEach((button) => press(button, every.dataset.all === "show")));
  }
})();
