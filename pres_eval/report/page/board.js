// The leaderboard: marks against the baseline, letters, and one measure with its intervals.
const FEW_RUNS = 12;
const boardMarks = () => {
  const baseline = runAt.get(state.base);
  const { alpha, family } = data.pairs;
  [...byId("board").tBodies[0].rows].forEach((row) => {
    const run = Number(row.querySelector("[data-run]").dataset.run);
    row.classList.toggle("baseline", run === baseline);
    for (const cell of row.querySelectorAll("[data-board]")) {
      cell.querySelectorAll(".mark-of").forEach((mark) => mark.remove());
      const label = cell.dataset.board;
      if (!data.pairs.measures.includes(label)) continue;
      const letters = cell.querySelector(".letters");
      letters.hidden = RUNS > FEW_RUNS && label !== state.m;
      if (run === baseline) continue;
      const found = tested(label, run, baseline);
      cell.title = found.topics
        ? `${signed(found.mean - found.other)} against ${state.base} over ${plural(found.topics, "topic")}, ${pWords(found.p)} (${family})`
        : `no topic in common with ${state.base}`;
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
const boardNote = () => {
  const { alpha, family } = data.pairs;
  return (
    `+ and −: significantly better and worse than ${state.base} (${family}, p < ${alpha}), ` +
    "the comparisons that the letters are of: each pair over the topics that both runs have."
  );
};
const boardBars = () => {
  const row = data.pairs.measures.indexOf(state.m);
  if (row < 0) return;
  const of = (name, run) => arrays[name][row * RUNS + run];
  const order = data.runs.map((_, run) => run).sort((one, other) => data.partial[one] - data.partial[other] || signOf(state.m) * (of("means", other) - of("means", one)) || one - other);
  const baseline = runAt.get(state.base);
  const confidence = `${+(100 * (1 - data.pairs.alpha)).toFixed(6)} %`;
  const known = (run) => Number.isFinite(of("lower", run));
  const everywhere = data.runs.flatMap((_, run) => (known(run) ? [of("lower", run), of("upper", run)] : [of("means", run)]));
  const column = nameColumn("leaderboard", 0.42);
  const groups = RUNS > 1 ? data.pairs.letters[row] : [];
  const room = byId("leaderboard").clientWidth < 600 ? 5 : 16;
  const mostLetters = Math.min(room, Math.max(0, ...groups.map((group) => group.length)));
  const points = order.map((run, at) => ({
    x: of("means", run),
    y: at,
    row: at,
    text:
      `${data.runs[run]}: ${of("means", run).toFixed(4)}, ` +
      (known(run) ? `${confidence} interval ${of("lower", run).toFixed(4)} to ${of("upper", run).toFixed(4)}` : "one topic: no interval") +
      (groups.length ? `, letters ${groups[run]}` : "") +
      (run === baseline ? ", the baseline" : ""),
    go: run === baseline ? null : () => open("pair", { a: data.runs[run], b: state.base }),
  }));
  const x = niceAxis(`mean ${state.m}`, Math.min(0, ...everywhere), Math.max(...everywhere));
  const less = signOf(state.m) < 0 ? " (less is better)" : "";
  const share = groups.length ? "; runs that share a letter could not be told apart" : "";
  const words = `Means over ${data.pairs.over} with ${confidence} intervals (uncorrected), best first${less}${share}`;
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
  if (!data.pairs) return;
  if (RUNS > 1) {
    boardMarks();
    byId("board-note").textContent = boardNote();
    byId("board-note").hidden = false;
  }
  boardBars();
};
