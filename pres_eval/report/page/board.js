// The leaderboard: marks against the baseline, letters, and one measure with its intervals.
const FEW_RUNS = 12;
const boardMarks = () => {
  const baseline = runAt.get(state.base);
  const { alpha } = data.pairs;
  [...byId("board").tBodies[0].rows].forEach((row) => {
    const run = Number(row.querySelector("[data-run]").dataset.run);
    row.classList.toggle("baseline", run === baseline);
    for (const cell of row.querySelectorAll("[data-board]")) {
      cell.querySelectorAll(".mark-of").forEach((mark) => mark.remove());
      const label = cell.dataset.board;
      if (!data.pairs.measures.includes(label)) continue;
      const letters = cell.querySelector(".letters");
      if (letters) letters.hidden = RUNS > FEW_RUNS && label !== state.m;
      if (run === baseline) continue;
      const found = tested(label, run, baseline);
      if (!(found.p < alpha)) continue;
      const better = found.direction > 0;
      cell.prepend(
        html(
          "span",
          { class: `mark-of ${better ? "better" : "worse"}` },
          better ? "+" : "−",
          html("span", { class: "unseen" }, better ? " significantly better: " : " significantly worse: ")
        )
      );
    }
  });
};
// The best first by the measure chosen; runs that lack topics have no rank.
const boardOrder = () => {
  const row = data.pairs ? data.pairs.measures.indexOf(state.m) : -1;
  const column = data.board.indexOf(state.m);
  const of = (run) => (row >= 0 ? arrays.means[row * RUNS + run] : data.summaries[run][column]);
  const gain = (run) => signOf(state.m) * (of(run) ?? NaN);
  const better = (one, other) => (Number.isNaN(gain(one)) ? 1 : Number.isNaN(gain(other)) ? -1 : gain(other) - gain(one));
  return data.runs.map((_, run) => run).sort((one, other) => data.partial[one] - data.partial[other] || better(one, other) || one - other);
};
const pin = (run) => {
  const names = JSON.parse(state.pins);
  const name = data.runs[run];
  choose("leaderboard", { pins: JSON.stringify(names.includes(name) ? names.filter((each) => each !== name) : [...names, name]) }, true);
};
// The rows: pinned runs first, then the best; those that were searched for alone.
const boardRows = () => {
  const table = byId("board");
  const body = table.tBodies[0];
  const pins = pinned();
  const rows = new Map([...body.rows].map((row) => [Number(row.querySelector("[data-run]").dataset.run), row]));
  if (data.board.includes(state.m)) {
    body.append(...boardOrder().map((run) => rows.get(run)));
    [...table.tHead.rows[0].cells].forEach((cell) => cell.removeAttribute("aria-sort"));
    if (RUNS > 1) table.caption.textContent = table.caption.textContent.replace(/by [^,;]+/, `by ${state.m}`);
  }
  sortAsSaid(table);
  body.prepend(...pins.map((run) => rows.get(run)));
  const wanted = (byId("board-search")?.value || "").toLowerCase();
  for (const [run, row] of rows) {
    row.hidden = !pins.includes(run) && !data.runs[run].toLowerCase().includes(wanted);
    row.querySelector(".pin")?.setAttribute("aria-pressed", pins.includes(run));
  }
};
// What the signs are of, in cells that fingers and keys reach: the difference from the baseline and its p-value.
const boardPairs = () => {
  const table = byId("board");
  const baseline = runAt.get(state.base);
  const at = Math.max(1, data.board.indexOf(state.m) + 2);
  for (const row of table.rows) {
    row.querySelectorAll(".against").forEach((cell) => cell.remove());
    const [first, second] = [html("td", { class: "n against" }), html("td", { class: "n against" })];
    const run = row.querySelector("[data-run]")?.dataset.run;
    const found = run === undefined ? null : tested(state.m, Number(run), baseline);
    if (run === undefined) {
      const head = (text) => html("th", { scope: "col", class: "n against" }, html("button", { type: "button" }, text));
      row.cells[at].after(head("difference"), head("p"));
      continue;
    }
    if (found?.topics) {
      first.append(html("a", { href: goal("pair", { a: data.runs[run], b: state.base }) }, signed(found.mean - found.other)));
      second.append(pText(found.p));
    }
    row.cells[at].after(first, second);
  }
};
const boardNote = () =>
  `+ and −: significantly better and worse than ${state.base}` +
  `${data.leaders.includes(runAt.get(state.base)) ? `, the best by ${labels[0]}` : ""}; the difference from it and its p-value are by ${state.m}. `;
const boardBars = () => {
  const row = data.pairs.measures.indexOf(state.m);
  if (row < 0) return;
  const of = (name, run) => arrays[name][row * RUNS + run];
  const order = boardOrder();
  const baseline = runAt.get(state.base);
  const confidence = `${+(100 * (1 - data.pairs.alpha)).toFixed(6)} %`;
  const known = (run) => Number.isFinite(of("lower", run));
  const everywhere = data.runs.flatMap((_, run) => (known(run) ? [of("lower", run), of("upper", run)] : [of("means", run)]));
  const column = nameColumn("leaderboard", 0.42);
  const groups = RUNS > 1 && data.pairs.baseline === null ? data.pairs.letters[row] : [];
  const room = byId("leaderboard").clientWidth < 600 ? 5 : 16;
  const mostLetters = Math.min(room, Math.max(0, ...groups.map((group) => group.length)));
  const points = order.map((run, at) => ({
    x: of("means", run),
    y: at,
    row: at,
    text:
      `${data.runs[run]}: ${of("means", run).toFixed(4)}, ` +
      (known(run) ? `${confidence} interval ${of("lower", run).toFixed(4)} to ${of("upper", run).toFixed(4)}` : "no interval") +
      (groups.length ? `, letters ${groups[run]}` : "") +
      (run === baseline ? ", the baseline" : ""),
    go: run === baseline ? null : () => open("pair", { a: data.runs[run], b: state.base }),
  }));
  const x = niceAxis(`mean ${state.m}`, Math.min(0, ...everywhere), Math.max(...everywhere));
  const less = signOf(state.m) < 0 ? " (less is better)" : "";
  const ends = data.runs.some((_, run) => known(run)) ? ` with ${confidence} intervals (uncorrected)` : "";
  const words = `Means over ${data.pairs.over}${ends}, best first${data.partial.some(Boolean) ? ", runs that lack topics last" : ""}${less}`;
  show(
    byId("board-bars"),
    drawnFigure(state.m, words, {
      height: 50 + 20 * RUNS,
      rowHeight: 20,
      left: column.left,
      right: 16 + (room < 16 ? 8.4 : 7.2) * mostLetters,
      x,
      points,
      marks: (frame) => [
        RUNS === 1 ? null : svg("path", { class: "zero", d: `M${frame.x(of("means", baseline)).toFixed(1)} ${frame.top}V${frame.height - frame.bottom}` }),
        ...order.map((run, at) => {
          const middle = frame.y(at);
          return svg(
            "g",
            { class: seriesClass(run) },
            column.name(frame, run, middle, run === baseline),
            known(run) && svg("path", { class: "whisker", d: `M${frame.x(of("lower", run)).toFixed(1)} ${middle}H${frame.x(of("upper", run)).toFixed(1)}` }),
            svg("path", { class: "mark", d: `M${frame.x(of("means", run)).toFixed(1)} ${middle}${marker(run)}` }),
            groups.length ? svg("text", { class: "label", x: frame.width - frame.right + 8, y: middle + 4 }, shortened(groups[run], room)) : null
          );
        }),
      ],
    })
  );
};
sections.leaderboard = () => {
  if (data.pairs && RUNS > 1) {
    boardPairs();
    boardMarks();
    if (byId("board-signs")) byId("board-signs").textContent = boardNote();
  }
  boardRows();
  if (data.pairs) boardBars();
};
