// Distributions: a measure over topics for each run; a run against the median of all, or against medians given.
const FEW_BOXES = 5;
const boxes = () => {
  // The boxes of a few runs are twice as high, so that fewer dots hide each other.
  const scale = RUNS > FEW_BOXES ? 1 : 2;
  const measure = measureAt[state.m];
  const rows = data.runs.map((_, run) => {
    const topics = data.topics.map((_, topic) => topic).filter((topic) => hasTopic(run, topic));
    const values = topics.map((topic) => valueOf(measure, run, topic));
    const ordered = sortedNumbers(values);
    const mean = ordered.reduce((total, value) => total + value, 0) / ordered.length;
    return { run, values, mean, five: [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(ordered, share)) };
  });
  rows.sort((one, other) => signOf(state.m) * (other.mean - one.mean) || one.run - other.run);
  const ends = rows.flatMap(({ five }) => five.filter((value) => !Number.isNaN(value)));
  const column = nameColumn("distributions", 0.42);
  const words = "Every topic a dot; box: quartiles and median; line: from the least to the most; runs with the best mean first";
  return drawnFigure(`${state.m} over topics`, words, {
    height: 50 + 26 * scale * RUNS,
    rowHeight: 26 * scale,
    left: column.left,
    x: niceAxis(state.m, Math.min(0, ...ends), Math.max(...ends, 0.1)),
    points: rows.map(({ run, five: [low, first, middle, third, high] }, row) => ({
      x: Number.isNaN(middle) ? 0 : middle,
      y: row,
      row,
      text: `${data.runs[run]}: median ${shown(middle)}, quartiles ${shown(first)} and ${shown(third)}, least ${shown(low)}, most ${shown(high)}`,
      go: () => choose("distributions", { run: data.runs[run] }),
    })),
    marks: (frame) =>
      rows.map(({ run, values, five: [low, first, middle, third, high] }, row) => {
        const centre = frame.y(row);
        const dots = values
          .filter((value) => !Number.isNaN(value))
          .map((value, at) => `M${frame.x(value).toFixed(1)} ${(centre + scale * (((at * 7) % 15) - 7)).toFixed(1)}h.01`);
        return svg(
          "g",
          { class: TOPICS > 300 ? `${seriesClass(run)} crowded` : seriesClass(run) },
          column.name(frame, run, centre, data.runs[run] === state.run),
          svg("path", { class: "dots", d: dots.join("") }),
          Number.isNaN(middle)
            ? null
            : [
                svg("path", { class: "whisker", d: `M${frame.x(low).toFixed(1)} ${centre}H${frame.x(high).toFixed(1)}` }),
                svg("path", { class: "box", d: `M${frame.x(first).toFixed(1)} ${centre - 8 * scale}H${frame.x(third).toFixed(1)}v${16 * scale}H${frame.x(first).toFixed(1)}z` }),
                svg("path", { class: "middle", d: `M${frame.x(middle).toFixed(1)} ${centre - 9 * scale}v${18 * scale}` }),
              ]
        );
      }),
  });
};
const againstMedian = (label, run) => {
  const measure = measureAt[label];
  const pairs = [];
  for (let topic = 0; topic < TOPICS; topic++) {
    const middle = scaled(`median:${label}`, topic, 4);
    const value = valueOf(measure, run, topic);
    if (Number.isNaN(middle) || Number.isNaN(value) || !hasTopic(run, topic)) continue;
    pairs.push([Math.round((value - middle) * 1e4) / 1e4, topic, `${shown(value)} − ${shown(middle)}`]);
  }
  const count = (sign) => pairs.filter(([value]) => Math.sign(value) === sign).length;
  const whose = data.medians[label] ? "the medians given" : `the median of the ${RUNS} runs`;
  const words = `${label} of ${data.runs[run]} on each topic minus ${whose}: above it on ${count(1)}, at it on ${count(0)}, below it on ${plural(count(-1), "topic")}`;
  return differenceBars(`${label} against the median`, words, `${label} minus median`, pairs);
};
sections.distributions = () => {
  show(byId("spread-view"), boxes());
  const given = Object.keys(data.medians).filter((label) => data.medians[label] && label in measureAt);
  const charts = [...new Set(RUNS > 1 ? [state.m, ...given] : given)];
  byId("median-view").hidden = charts.length === 0;
  show(byId("median-view"), ...charts.map((label) => againstMedian(label, runAt.get(state.run))));
};
