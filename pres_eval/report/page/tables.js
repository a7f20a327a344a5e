// Sorting: any table whose headers are buttons. Cells without a number go last, whatever the direction.
const collator = new Intl.Collator("en", { numeric: true });
const keyOf = (row, column) => {
  const cell = row.cells[column];
  if (!cell.classList.contains("n")) return cell.textContent;
  // A mark of significance and its words stand before the number; a minus sign of the number itself is part of it.
  const own = [...cell.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("");
  const number = parseFloat(own.replace("−", "-").replace(/^[+±<]/, ""));
  return Number.isNaN(number) ? null : number;
};
const compare = (one, other) => (typeof one === "string" ? collator.compare(one, other) : one - other);
const sort = (table, column, direction) => {
  const sign = direction === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return sign * compare(a.key, b.key);
  });
  body.append(...rows.map(({ row }) => row));
  [...table.tHead.rows[0].cells].forEach((header, at) => {
    if (at === column) header.setAttribute("aria-sort", direction);
    else header.removeAttribute("aria-sort");
  });
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("thead button");
  if (!button) return;
  const header = button.parentElement;
  const first = header.classList.contains("n") && !("falling" in header.dataset) ? "descending" : "ascending";
  const other = first === "descending" ? "ascending" : "descending";
  const table = header.closest("table");
  const direction = header.getAttribute("aria-sort") === first ? other : first;
  sort(table, header.cellIndex, direction);
  if (table.id) choose(table.closest("section").id, { sort: `${table.id}:${button.textContent}:${direction}` }, true);
});
// Sort as the address says, if it is this table that is meant.
const sortAsSaid = (table) => {
  const [, id, name, direction] = state.sort.match(/^([a-z-]+):(.+):(\w+)$/) || [];
  const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === name);
  if (id === table.id && column >= 0) sort(table, column, direction);
};

// A table of rows of cells: the first cell is the row's heading; numbers are those columns not in `words`.
const tableOf = (caption, heads, rows, { words = [0], sortable = true } = {}) => {
  const kind = (column) => (words.includes(column) ? null : "n");
  const header = heads.map((text, column) =>
    html("th", { scope: "col", class: kind(column) }, sortable ? html("button", { type: "button" }, text) : text)
  );
  const lines = rows.map((cells) =>
    html(
      "tr",
      {},
      cells.map((cell, column) =>
        column === 0 ? html("th", { scope: "row" }, cell) : html("td", { class: kind(column) }, cell)
      )
    )
  );
  return html("table", {}, html("caption", {}, caption), html("thead", {}, html("tr", {}, header)), html("tbody", {}, lines));
};
const scrolling = (label, table, tall = false) => {
  const frame = html("div", { class: tall ? "scroll tall" : "scroll", role: "region", tabindex: 0, "aria-label": label }, table);
  return html("div", {}, frame, below(frame));
};

// The table of topics: one run with all measures, or one measure of all runs.
const viewed = () => state.view.split(/:(.*)/s);
const topicColumns = () => {
  const [kind, name] = viewed();
  if (kind === "run") return data.measures.map(({ label }, measure) => ({ name: label, run: runAt.get(name), measure }));
  return data.runs.map((run, place) => ({ name: run, run: place, measure: measureAt[name] }));
};

// The filter: words that a topic's id has to hold, and conditions such as map < 0.1, all of which have to be true.
const CONDITION = /([^\s<>=!]+)\s*(<=|>=|!=|==|=|<|>)\s*([^\s<>=!,;&]*)/g;
const TESTS = {
  "<": (value, limit) => value < limit,
  ">": (value, limit) => value > limit,
  "<=": (value, limit) => value <= limit,
  ">=": (value, limit) => value >= limit,
  "=": (value, limit) => value === limit,
  "==": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit,
};
const distance = (one, other) => {
  let row = [...other].map((_, at) => at + 1);
  row.unshift(0);
  [...one].forEach((letter, line) => {
    const next = [line + 1];
    [...other].forEach((second, at) => {
      next.push(Math.min(row[at] + (letter !== second), row[at + 1] + 1, next[at] + 1));
    });
    row = next;
  });
  return row[other.length];
};
const nearestName = (name, known) => {
  const [best] = known
    .map((candidate) => [distance(name.toLowerCase(), candidate.toLowerCase()), candidate])
    .sort((one, other) => one[0] - other[0]);
  return best && best[0] <= Math.max(2, name.length / 2) ? best[1] : null;
};
const readFilter = (text, columns) => {
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const known = columns.map(({ name }) => name);
  const tests = [];
  let problem = "";
  const rest = text.replace(CONDITION, (whole, name, sign, number) => {
    const column = byName.get(name.toLowerCase());
    const limit = Number(number);
    if (!column) {
      const near = nearestName(name, known);
      const kind = state.view.startsWith("run:") ? "measure" : "run";
      problem = problem || `No ${kind} here is called ${name}${near ? `: did you mean ${near}?` : `; there are ${known.slice(0, 12).join(", ")}.`}`;
    } else if (number === "" || Number.isNaN(limit)) {
      problem = problem || `${name} ${sign} needs a number, such as ${column.name} ${sign} 0.1.`;
    } else {
      tests.push({
        words: `${column.name} ${sign} ${number}`,
        test: (topic) => TESTS[sign](valueOf(column.measure, column.run, topic), limit),
      });
    }
    return " ";
  });
  for (const word of rest.split(/[\s,;&]+/).filter((part) => part && part.toLowerCase() !== "and")) {
    tests.push({
      words: `an id with ${word}`,
      test: (topic) => data.topics[topic].toLowerCase().includes(word.toLowerCase()),
    });
  }
  return { tests, problem };
};
const chosenTopics = (columns) => {
  const { tests, problem } = readFilter(state.filter, columns);
  const chosen = new Set();
  if (!problem) {
    for (let topic = 0; topic < TOPICS; topic++) if (tests.every(({ test }) => test(topic))) chosen.add(topic);
  }
  let words = `${chosen.size} of ${plural(TOPICS, "topic")} shown`;
  if (problem) words = problem;
  else if (!chosen.size && tests.length) {
    const alone = tests.map(({ words: each, test }) => {
      let count = 0;
      for (let topic = 0; topic < TOPICS; topic++) count += test(topic);
      return `${each} on ${count}`;
    });
    words += `: no topic has ${tests.map((each) => each.words).join(" and ")}`;
    if (tests.length > 1) words += ` (alone: ${alone.join(", ")})`;
    words += ".";
  }
  return { chosen, words };
};

let filled = `run:${data.runs[0]}`;
const fillTopics = (columns) => {
  const table = byId("topics-table");
  const [kind, name] = viewed();
  const caption = `${kind === "run" ? "All measures of a run" : "One measure of all runs"}: ${name}`;
  const fresh = tableOf(caption, ["topic", ...columns.map(({ name }) => name)], []);
  // Tens of thousands of cells: made without the general builder.
  for (let topic = 0; topic < TOPICS; topic++) {
    const row = fresh.tBodies[0].insertRow();
    row.append(html("th", { scope: "row" }, topicLink(topic)));
    for (const { measure, run } of columns) {
      const cell = row.insertCell();
      cell.className = "n";
      cell.textContent = textOf(measure, run, topic);
    }
  }
  table.replaceChildren(...fresh.childNodes);
};
sections.topics = () => {
  const columns = topicColumns();
  if (filled !== state.view) fillTopics(columns);
  sortAsSaid(byId("topics-table"));
  filled = state.view;
  filterTopics(columns);
};
const filterTopics = (columns) => {
  const { chosen, words } = chosenTopics(columns);
  for (const row of byId("topics-table").tBodies[0].rows) row.hidden = !chosen.has(topicAt.get(row.cells[0].textContent));
  byId("shown").textContent = words;
};
