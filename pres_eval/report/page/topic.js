// One topic laid open: where every run has the relevant documents, PRES as areas, precision against recall.
const strips = (topic, start, stop) => {
  const measure = measureAt[state.m];
  const order = data.runs
    .map((_, run) => run)
    .filter((run) => hasTopic(run, topic))
    .sort((one, other) => signOf(state.m) * ((valueOf(measure, other, topic) || 0) - (valueOf(measure, one, topic) || 0)) || one - other);
  const points = [];
  const found = new Map();
  let last = 10;
  order.forEach((run, row) => {
    const mine = [];
    for (let document = start; document < stop; document++) {
      const rank = rankOf(run, document);
      if (!rank) continue;
      last = Math.max(last, rank);
      const text = `${data.runs[run]}: ${docnos[document]}, grade ${arrays.grades[document]}, rank ${rank}`;
      mine.push({ x: rank, y: row, row, text, go: () => open("document", { run: data.runs[run], doc: docnos[document] }) });
    }
    mine.sort((one, other) => one.x - other.x);
    found.set(run, mine.length);
    points.push(...mine);
  });
  const column = nameColumn("topic", 0.38);
  const words = `Ranks of the ${plural(stop - start, "relevant document")} in each run, the best ${state.m} first; at the right how many were found`;
  return drawnFigure("Where the relevant documents are", words, {
    height: 50 + 20 * order.length,
    rowHeight: 20,
    left: column.left,
    right: 64,
    x: rankAxis("rank", last),
    points,
    marks: (frame) =>
      order.map((run, row) => {
        const middle = frame.y(row);
        const ticks = points.filter((point) => point.row === row).map(({ x }) => `M${frame.x(x).toFixed(1)} ${middle - 6}v12`);
        return svg(
          "g",
          { class: `c${run % COLOURS} strip` },
          svg("path", { class: "whisker", d: `M${frame.left} ${middle}H${frame.width - frame.right}` }),
          svg("path", { class: "tick", d: ticks.join("") }),
          column.name(frame, run, middle, data.runs[run] === state.run),
          svg("text", { class: "label", x: frame.width - 4, y: middle + 4, "text-anchor": "end" }, `${found.get(run)} / ${stop - start}`)
        );
      }),
  });
};
const ranksOf = (run, start, stop) => {
  const first = run * docnos.length;
  return sortedNumbers([...arrays.ranks.slice(first + start, first + stop)].filter(Boolean));
};
// The ranks that count for PRES: those found by Nmax, then the worst case Nmax + found + 1 ... Nmax + n.
const presRanks = (run, start, stop, nmax) => {
  const ranks = ranksOf(run, start, stop).filter((rank) => rank <= nmax);
  const found = ranks.length;
  for (let at = found + 1; at <= stop - start; at++) ranks.push(nmax + at);
  return { ranks, found };
};
const presAreas = (run, start, stop) => {
  const nmax = Number(state.nmax);
  const n = stop - start;
  const { ranks, found } = presRanks(run, start, stop, nmax);
  const sum = ranks.reduce((total, rank) => total + rank, 0);
  const lost = sum - (n * (n + 1)) / 2;
  const kept = n * nmax - lost;
  const curve = (frame, places) =>
    places.reduce((d, rank, at) => `${d}H${frame.x(rank).toFixed(1)}V${frame.y(at + 1).toFixed(1)}`, `M${frame.x(0)} ${frame.y(0)}`);
  const best = Array.from({ length: n }, (_, at) => at + 1);
  const worst = best.map((at) => nmax + at);
  const score = n ? kept / (n * nmax) : 0;
  const area = (frame, left, right) =>
    left.map((from, at) => {
      const [x, y] = [frame.x(from), frame.y(at + 1)];
      return `M${x.toFixed(1)} ${y.toFixed(1)}H${frame.x(right[at]).toFixed(1)}V${frame.y(at).toFixed(1)}H${x.toFixed(1)}z`;
    }).join("");
  const words =
    `${data.runs[run]}: ${found} of ${n} relevant documents by rank ${nmax}; Σ r = ${sum}, lost A1 = ${lost}, kept A2 = ${kept}, ` +
    `PRES = A2 / (A1 + A2) = ${score.toFixed(4)}`;
  return drawnFigure("PRES as areas", words, {
    height: 320,
    x: niceAxis("rank", 0, nmax + Math.max(n, 1)),
    y: niceAxis("relevant documents so far", 0, Math.max(n, 1)),
    points: ranks.map((rank, at) => ({
      x: rank,
      y: at + 1,
      text: at < found ? `document ${at + 1} of ${n}: rank ${rank}` : `document ${at + 1} of ${n}: not found by rank ${nmax}, counts as ${rank}`,
    })),
    marks: (frame) => [
      svg("path", { class: "lost", d: area(frame, best, ranks) }),
      svg("path", { class: "kept", d: area(frame, ranks, worst) }),
      svg("path", { class: "best-case", d: curve(frame, best) }),
      svg("path", { class: "worst-case", d: curve(frame, worst) }),
      svg("path", { class: "the-run", d: curve(frame, ranks) }),
      svg("path", { class: "zero", d: `M${frame.x(nmax)} ${frame.top}V${frame.height - frame.bottom}` }),
      svg("text", { class: "label", x: frame.x(nmax) - 5, y: frame.top + 12, "text-anchor": "end" }, "Nmax"),
    ],
  });
};
// Precision against recall: up at each relevant document, down between them.
const sawTooth = (run, start, stop, topic) => {
  const ranks = ranksOf(run, start, stop);
  const n = stop - start;
  const corners = [];
  ranks.forEach((rank, at) => {
    if (rank > 1) corners.push([at / n, at / (rank - 1)]);
    corners.push([(at + 1) / n, (at + 1) / rank]);
  });
  const retrieved = "num_ret" in measureAt ? valueOf(measureAt.num_ret, run, topic) : NaN;
  if (ranks.length && retrieved > ranks[ranks.length - 1]) corners.push([ranks.length / n, ranks.length / retrieved]);
  const unit = (label) => ({ label, low: 0, high: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((tick) => [tick, tick.toFixed(1)]) });
  const words = `${data.runs[run]}: precision after each document, by recall; every peak is a relevant document`;
  return drawnFigure("Precision and recall", words, {
    height: 320,
    x: unit("Recall"),
    y: unit("Precision"),
    points: ranks.map((rank, at) => ({
      x: (at + 1) / n,
      y: (at + 1) / rank,
      text: `rank ${rank}: recall ${((at + 1) / n).toFixed(4)}, precision ${((at + 1) / rank).toFixed(4)}`,
    })),
    marks: (frame) => [
      svg("path", {
        class: "the-run",
        d: corners.map(([x, y], at) => `${at ? "L" : "M"}${frame.x(x).toFixed(1)} ${frame.y(y).toFixed(1)}`).join(""),
      }),
    ],
  });
};
const missed = (run, start, stop, topic) => {
  const limit = Number(state.nmax);
  const have = data.runs.map((_, each) => each).filter((each) => hasTopic(each, topic));
  const rows = [];
  const counts = { all: 0, some: 0, none: 0 };
  for (let document = start; document < stop; document++) {
    const finders = have.filter((each) => foundBy(each, document, limit));
    const best = have.map((each) => rankOf(each, document)).filter(Boolean).reduce((low, rank) => Math.min(low, rank), Infinity);
    const kind = finders.length === 0 ? "all" : finders.length < have.length ? "some" : "none";
    counts[kind]++;
    const who = have.length === 1 ? (finders.length ? "found" : "missed") : `missed by ${kind}`;
    const rank = rankOf(run, document);
    rows.push([
      finders.length,
      docnos[document],
      [documentLink(topic, document), String(arrays.grades[document]), who, `${finders.length}`, Number.isFinite(best) ? String(best) : "–", String(rank || "–")],
    ]);
  }
  rows.sort((one, other) => one[0] - other[0] || collator.compare(one[1], other[1]));
  const several = `missed by all ${counts.all}, by some ${counts.some}, by none ${counts.none} of ${have.length} runs`;
  const single = `found ${counts.none}, missed ${counts.all}`;
  const caption = `Relevant documents by rank ${limit}: ${have.length === 1 ? single : several}; those that most missed first`;
  const heads = ["document", "grade", "missed", "runs that found it", "best rank", `rank in ${data.runs[run]}`];
  const table = tableOf(caption, heads, rows.map(([, , cells]) => cells), { words: [0, 2] });
  return html("div", {}, html("h3", {}, "Found and missed"), scrolling("Relevant documents of the topic", table, true));
};
const topicValues = (topic) => {
  const rows = data.runs.map((_, run) => [named(run), ...data.measures.map((_, measure) => textOf(measure, run, topic))]);
  const table = tableOf(`All measures on topic ${data.topics[topic]}`, ["run", ...data.measures.map(({ label }) => label)], rows);
  return scrolling("All runs on this topic", table, true);
};
const hardestFirst = () => {
  const measure = measureAt[state.m];
  return data.topics
    .map((_, topic) => {
      const values = sortedNumbers(data.runs.map((_, run) => (hasTopic(run, topic) ? valueOf(measure, run, topic) : NaN)));
      return [quantile(values, 0.5), topic, values];
    })
    .sort((one, other) => (Number.isNaN(one[0]) ? 1 : Number.isNaN(other[0]) ? -1 : signOf(state.m) * (one[0] - other[0])) || one[1] - other[1]);
};
const fillHardest = (ordered) => {
  const table = byId("hardest");
  if (table.dataset.measure === state.m) return;
  table.dataset.measure = state.m;
  const rows = ordered.map(([median, topic, values]) => {
    const [start, stop] = documentsOf(topic);
    const ends = [values.at(signOf(state.m) > 0 ? -1 : 0), median, values.at(signOf(state.m) > 0 ? 0 : -1)].map((value) => shown(value === undefined ? NaN : value));
    return [topicLink(topic), String(stop - start), ...(RUNS > 1 ? ends : ends.slice(1, 2))];
  });
  const columns = RUNS > 1 ? ["best", "median", "worst"] : [state.m];
  const fresh = tableOf(`${state.m}, the hardest topics first`, ["topic", "num_rel", ...columns], rows);
  table.replaceChildren(...fresh.childNodes);
};
sections.topic = () => {
  const topic = topicAt.get(state.topic);
  const run = runAt.get(state.run);
  const ordered = hardestFirst();
  fillHardest(ordered);
  const [start, stop] = documentsOf(topic);
  const at = ordered.findIndex(([, each]) => each === topic);
  const host = byId("topic-view");
  host.hidden = false;
  const relevant = plural(stop - start, "relevant document");
  const text = data.queries[topic];
  const heading = html("h3", { id: "topic-name" }, `Topic ${state.topic}${text ? `: ${text}` : ""}`);
  const words = html(
    "p",
    { role: "status" },
    `${relevant}; number ${at + 1} of ${TOPICS} by the median of ${state.m}, the hardest first. `
  );
  const step = (text, to) =>
    to === undefined ? null : html("button", { type: "button", "data-topic": data.topics[to[1]] }, `${text}: ${data.topics[to[1]]}`);
  const steps = html("p", { class: "steps" }, step("Harder", ordered[at - 1]), " ", step("Easier", ordered[at + 1]));
  const pair = RUNS > 1 ? html("p", {}, html("a", { href: goal("pair", { a: state.a, b: state.b }) }, `${state.a} against ${state.b}`), `, ${state.m} on this topic: ${textOf(measureAt[state.m], runAt.get(state.a), topic)} and ${textOf(measureAt[state.m], runAt.get(state.b), topic)}`) : html("p");
  const parts = [heading, words, steps, pair];
  if (stop > start) {
    parts.push(strips(topic, start, stop));
    if (hasTopic(run, topic)) parts.push(sideBySide(presAreas(run, start, stop), sawTooth(run, start, stop, topic)));
    else parts.push(html("p", {}, `${state.run} does not have this topic.`));
    parts.push(missed(run, start, stop, topic));
  } else {
    parts.push(html("p", {}, "No document is relevant here: every measure is 0, and there is nothing to find."));
  }
  show(host, ...parts, topicValues(topic));
};
// A document: its grade, and its rank in every run.
sections.document = () => {
  const topic = topicAt.get(state.topic);
  const [start, stop] = documentsOf(topic);
  const place = docnos.indexOf(state.doc, start);
  if (!state.doc || place < 0 || place >= stop) return;
  const rows = data.best.map((run) => [named(run), hasTopic(run, topic) ? String(rankOf(run, place) || "–") : "no such topic"]);
  const found = data.runs.filter((_, run) => rankOf(run, place)).length;
  const url = data.url?.replaceAll("{docno}", encodeURIComponent(state.doc));
  const name = html("h3", { id: "document-name" }, url ? html("a", { href: url, rel: "noreferrer" }, state.doc) : state.doc, titles[place] ? `: ${titles[place]}` : null);
  const words = html("p", { role: "status" }, "Topic ", topicLink(topic), `: relevant, grade ${arrays.grades[place]}, judged in ${data.qrels}; found by ${found} of ${plural(RUNS, "run")}`);
  show(byId("document-view"), name, words, scrolling("Ranks of the document", tableOf("Its rank in each run (–: not retrieved)", ["run", "rank"], rows), true));
};
