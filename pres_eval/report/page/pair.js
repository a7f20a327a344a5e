// Any two runs: the tests, topic against topic, the differences sorted, documents that only one found.
const MOST_ROWS = 200;
// The topics of which the tests know: those that both have; with -c all, where a topic that a run lacks counts as 0.
const comparedTopics = (one, other) =>
  data.topics
    .map((_, topic) => topic)
    .filter((topic) => !data.weightless.includes(topic) && (data.complete || (hasTopic(one, topic) && hasTopic(other, topic))));
const comparedValue = (measure, run, topic) => (data.complete && !hasTopic(run, topic) ? 0 : valueOf(measure, run, topic));
const comparedText = (measure, run, topic) => (data.complete && !hasTopic(run, topic) ? "0 for the missing topic" : textOf(measure, run, topic));
const topicWords = (count) => (data.complete ? `${plural(count, "topic")} (one that a run lacks counts as 0)` : `${plural(count, "topic")} that both have`);
const familyWords = (found) => (found.corrected ? data.pairs.family : `${data.pairs.test}, uncorrected: the pair is not one with ${data.runs[data.pairs.baseline]}`);
const pairTests = (one, other) => {
  const rows = data.pairs.measures.map((label) => {
    const found = tested(label, one, other);
    return [
      label,
      found.mean.toFixed(4),
      found.other.toFixed(4),
      signed(found.mean - found.other),
      String(found.wins),
      String(found.ties),
      String(found.losses),
      pText(found.p),
    ];
  });
  const found = tested(data.pairs.measures[0], one, other);
  const family = found.corrected ? `${data.pairs.family}, as on the leaderboard` : familyWords(found);
  const caption = `Means, wins, ties and losses over the ${topicWords(found.topics)}; p: ${family}`;
  return tableOf(caption, ["measure", data.runs[one], data.runs[other], "difference", "wins", "ties", "losses", "p"], rows);
};
const pairScatter = (one, other, measure, topics) => {
  const values = topics.map((topic) => [comparedValue(measure, one, topic), comparedValue(measure, other, topic), topic]);
  const known = values.filter(([x, y]) => !Number.isNaN(x + y));
  const all = known.flatMap(([x, y]) => [x, y]);
  const [low, high] = [Math.min(0, ...all), Math.max(...all, 0.1)];
  const [first, second] = [data.runs[one], data.runs[other]];
  const sense = signOf(state.m);
  const words = `Each topic: ${second} to the right, ${first} upwards; ${sense > 0 ? "above" : "below"} the line ${first} is better`;
  return drawnFigure("Topic against topic", words, {
    height: 380,
    x: niceAxis(shortened(second, 40), low, high),
    y: niceAxis(shortened(first, 40), low, high),
    points: known
      .sort((a, b) => a[1] - b[1] || a[0] - b[0])
      .map(([mine, theirs, topic]) => ({
        x: theirs,
        y: mine,
        text: `topic ${data.topics[topic]}: ${mine.toFixed(4)} against ${theirs.toFixed(4)}, ${signed(mine - theirs)}`,
        go: () => open("topic", { topic: data.topics[topic] }),
      })),
    marks: (frame) => [
      svg("path", { class: "zero", d: `M${frame.x(low)} ${frame.y(low)}L${frame.x(high)} ${frame.y(high)}` }),
      ...[1, 0, -1].map((sign) =>
        svg("path", {
          class: ["below", "even", "above"][sign + 1],
          d: known
            .filter(([mine, theirs]) => sense * Math.sign(mine - theirs) === sign)
            .map(([mine, theirs]) => `M${frame.x(theirs).toFixed(1)} ${frame.y(mine).toFixed(1)}${pointShape(sign)}`)
            .join(""),
        })
      ),
    ],
  });
};
// Better and worse differ in shape too.
const pointShape = (sign) =>
  sign > 0 ? "m0-3.8l3.5 6.2h-7z" : sign < 0 ? "m0 3.8l3.5-6.2h-7z" : "m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z";
const differenceBars = (title, words, label, pairs) => {
  const ordered = pairs.filter(([value]) => !Number.isNaN(value)).sort((one, other) => other[0] - one[0] || one[1] - other[1]);
  const values = ordered.map(([value]) => value);
  const x = { label: "Topics, by difference", low: 0, high: Math.max(values.length, 1), ticks: [] };
  const y = niceAxis(label, Math.min(0, ...values), Math.max(0, ...values));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4].find((size) => values.length <= 10 * size);
  for (let tick = 0; tick <= values.length; tick += step) x.ticks.push([tick, String(tick)]);
  return drawnFigure(title, words, {
    height: 260,
    x,
    y,
    wholeHeight: true,
    points: ordered.map(([value, topic, words], at) => ({
      x: at + 0.5,
      y: value,
      text: `topic ${data.topics[topic]}: ${signed(value)}${words ? ` (${words})` : ""}, number ${at + 1} of ${ordered.length}`,
      go: () => open("topic", { topic: data.topics[topic] }),
    })),
    marks: (frame) => {
      const gap = values.length <= 300 ? 0.15 : 0;
      const bars = (sign) =>
        ordered
          .map(([value], at) =>
            Math.sign(value) === sign
              ? `M${frame.x(at + gap).toFixed(1)} ${frame.y(0).toFixed(1)}V${frame.y(value).toFixed(1)}` +
                `H${frame.x(at + 1 - gap).toFixed(1)}V${frame.y(0).toFixed(1)}z`
              : ""
          )
          .join("");
      return [
        svg("path", { class: "above", d: bars(1) }),
        svg("path", { class: "below", d: bars(-1) }),
        svg("path", { class: "zero", d: `M${frame.left} ${frame.y(0)}H${frame.width - frame.right}` }),
      ];
    },
  });
};
// Whether the list of documents is unfolded: it stays so when other runs are chosen.
let documentsOpen = false;
const foundBy = (run, document, limit) => {
  const rank = rankOf(run, document);
  return rank > 0 && rank <= limit;
};
const onlyOne = (one, other, topics, count) => {
  const limit = Number(state.nmax);
  // Nobody found the documents of topics that no run has.
  const counts = { both: 0, none: data.beyond, one: 0, other: 0 };
  const only = [];
  for (const topic of topics) {
    const [start, stop] = documentsOf(topic);
    for (let document = start; document < stop; document++) {
      const [mine, theirs] = [foundBy(one, document, limit), foundBy(other, document, limit)];
      counts[mine && theirs ? "both" : mine ? "one" : theirs ? "other" : "none"]++;
      if (mine !== theirs) only.push([topic, document, mine ? one : other]);
    }
  }
  const rank = (run, document) => String(rankOf(run, document) || "–");
  const rows = only
    .slice(0, MOST_ROWS)
    .map(([topic, document, run]) => [
      topicLink(topic), documentLink(topic, document), String(arrays.grades[document]), runLink(run), rank(one, document), rank(other, document),
    ]);
  const cut = only.length > MOST_ROWS ? `; the first ${MOST_ROWS} of ${only.length} are listed` : "";
  const [first, second] = [data.runs[one], data.runs[other]];
  const words = `Relevant documents of the ${topicWords(count)}, by rank ${limit}: both found ${counts.both}, only ${first} ${counts.one}, only ${second} ${counts.other}, neither ${counts.none}${cut}`;
  const heading = "Documents that only one of them found";
  const table = tableOf(heading, ["topic", "document", "grade", "found by", `rank in ${first}`, `rank in ${second}`], rows, { words: [0, 1, 3] });
  const list = html("details", { open: documentsOpen }, html("summary", {}, `List the ${plural(rows.length, "document")}`), scrolling("Documents that only one run found", table, true));
  list.addEventListener("toggle", () => (documentsOpen = list.open));
  return html("div", {}, html("h3", {}, heading), html("p", { id: "pair-documents" }, `${words}.`), rows.length ? list : null);
};
sections.pair = () => {
  if (RUNS < 2 || !data.pairs) return;
  const [one, other] = [runAt.get(state.a), runAt.get(state.b)];
  const host = byId("pair-view");
  byId("pair-static").hidden = one !== other;
  host.hidden = false;
  if (one === other) {
    show(host, html("p", { role: "status" }, "This is the same run twice: choose two."));
    return;
  }
  const measure = measureAt[state.m];
  const topics = comparedTopics(one, other);
  const found = tested(state.m, one, other);
  const sentence = found?.topics
    ? `${state.a} against ${state.b}: ${state.m} ${found.mean.toFixed(4)} − ${found.other.toFixed(4)} = ` +
      `${signed(found.mean - found.other)}; better on ${found.wins}, equal on ${found.ties}, worse on ${found.losses} of ` +
      `the ${topicWords(found.topics)}; ${pWords(found.p)}${found.corrected ? ` (${data.pairs.family})` : `, uncorrected (${data.pairs.test})`}.`
    : `${state.a} against ${state.b}: ${found ? "they have no topic in common" : `${state.m} was not tested`}.`;
  if (!topics.length) return show(host, html("p", {}, sentence));
  const differences = topics.map((topic) => [
    Math.round((comparedValue(measure, one, topic) - comparedValue(measure, other, topic)) * 1e4) / 1e4,
    topic,
    `${comparedText(measure, one, topic)} − ${comparedText(measure, other, topic)}`,
  ]);
  const count = found ? found.topics : topics.length;
  const unseen = count > topics.length ? `; not drawn: ${count - topics.length} that no run has` : "";
  const words = `${state.m} of ${state.a} minus ${state.b} on each of ${plural(count, "topic")}, from the largest to the smallest${unseen}`;
  show(
    host,
    html("p", { id: "pair-words", role: "status" }, sentence),
    sideBySide(pairScatter(one, other, measure, topics), differenceBars("Differences", words, "difference", differences)),
    scrolling("All measures of the two runs", pairTests(one, other)),
    onlyOne(one, other, topics, count)
  );
};
