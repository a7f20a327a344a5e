// A picture that is drawn as wide as there is room, whose points can be pointed at, walked through with the arrow
// keys, and opened with a click or Enter. What is under the cursor is written below, for eyes and screen readers.
const NEAR = 30;
const plots = new Map();
const resized = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const shownPlot = plots.get(target);
    if (shownPlot && Math.abs(shownPlot.width - contentRect.width) > 1) shownPlot.draw();
  }
});

// what: { label, height (a number), x, y (axes), left, top, points: [{ x, y, row, text, go }], marks(frame) }
const plot = (host, what) => {
  const points = what.points || [];
  const output = html("output", { class: "readout", "aria-live": "polite" });
  const hint = points.some(({ go }) => go)
    ? "Arrow keys walk through the points, Enter opens them."
    : "Arrow keys walk through the points.";
  const box = html("div", {
    class: "plot",
    tabindex: 0,
    role: points.length ? "application" : "img",
    "aria-roledescription": points.length ? "chart" : null,
    "aria-label": points.length ? `${what.label}. ${hint}` : what.label,
  });
  const shownPlot = { width: 0, places: [], at: -1 };
  const ring = svg("circle", { class: "cursor", r: 7, cx: -99, cy: -99 });
  shownPlot.draw = () => {
    const width = Math.max(box.clientWidth || host.clientWidth || 640, 240);
    const frame = { width, height: what.height, left: what.left || 60, right: what.right || 14, top: what.top || 8, bottom: 42 };
    frame.x = (value) => place(what.x, value, frame.left, frame.width - frame.right);
    frame.y = what.y
      ? (value) => place(what.y, value, frame.height - frame.bottom, frame.top)
      : (row) => frame.top + (row + 0.5) * what.rowHeight;
    shownPlot.width = width;
    shownPlot.places = points.map(({ x, y }) => [frame.x(x), frame.y(y)]);
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${width} ${what.height}`, width, height: what.height, "aria-hidden": "true", class: "drawn" },
      ...grid(frame, what.x, what.y),
      ...what.marks(frame).filter(Boolean),
      ring
    );
    box.replaceChildren(picture);
    mark(shownPlot.at);
  };
  const mark = (at) => {
    shownPlot.at = at;
    const [cx, cy] = at < 0 ? [-99, -99] : shownPlot.places[at];
    ring.setAttribute("cx", cx);
    ring.setAttribute("cy", cy);
    output.textContent = at < 0 ? "" : points[at].text;
  };
  const nearest = (event) => {
    const area = box.getBoundingClientRect();
    const [px, py] = [event.clientX - area.left, event.clientY - area.top];
    let best = -1;
    let least = what.wholeHeight ? Infinity : NEAR * NEAR;
    shownPlot.places.forEach(([x, y], at) => {
      const away = (x - px) ** 2 + (what.wholeHeight ? 0 : (y - py) ** 2);
      if (away < least) [best, least] = [at, away];
    });
    return best;
  };
  const upOrDown = (step) => {
    const here = points[Math.max(shownPlot.at, 0)];
    let best = shownPlot.at;
    let least = Infinity;
    points.forEach(({ x, row }, at) => {
      const away = Math.abs(shownPlot.places[at][0] - shownPlot.places[Math.max(shownPlot.at, 0)][0]);
      if (row === here.row + step && away < least) [best, least] = [at, away];
    });
    return best;
  };
  if (points.length) {
    box.addEventListener("pointermove", (event) => mark(nearest(event)));
    box.addEventListener("pointerleave", () => mark(-1));
    box.addEventListener("click", (event) => {
      if (event.target.closest("a")) return;
      const at = nearest(event);
      if (at < 0) return;
      mark(at);
      if (points[at].go) points[at].go();
    });
    box.addEventListener("keydown", (event) => {
      const last = points.length - 1;
      const at = shownPlot.at;
      const rows = points[0].row !== undefined;
      const moves = {
        ArrowRight: Math.min(at + 1, last),
        ArrowLeft: Math.max(at - 1, 0),
        ArrowDown: rows ? upOrDown(1) : Math.min(at + 1, last),
        ArrowUp: rows ? upOrDown(-1) : Math.max(at - 1, 0),
        PageDown: Math.min(at + 10, last),
        PageUp: Math.max(at - 10, 0),
        Home: 0,
        End: last,
      };
      if (event.key in moves) {
        mark(moves[event.key]);
        event.preventDefault();
      } else if (event.key === "Enter" && at >= 0 && points[at].go) {
        points[at].go();
      }
    });
  }
  for (const old of [...plots.keys()]) {
    if (!old.isConnected) {
      resized.unobserve(old);
      plots.delete(old);
    }
  }
  host.append(box, output);
  plots.set(box, shownPlot);
  shownPlot.draw();
  resized.observe(box);
};

// The names of the runs at the left of a picture, as long as there is room; names that differ still do when cut.
const nameColumn = (section, share) => {
  const room = (share * byId(section).clientWidth - 16) / 7.7;
  const names = Object.entries(data.fitted).sort((one, other) => other[0] - one[0]).find(([longest]) => longest <= room)?.[1] || data.fitted[10];
  return {
    left: 16 + 7.7 * Math.max(...names.map((name) => name.length)),
    name: (frame, run, y, strong) =>
      svg("a", { href: goal("runs", { run: data.runs[run] }), tabindex: -1 }, svg("text", { class: strong ? "label strong" : "label", x: frame.left - 8, y: y + 4, "text-anchor": "end" }, names[run])),
  };
};
const pictured = (title, words, ...content) =>
  html("figure", {}, html("figcaption", {}, html("strong", {}, title), html("br"), words), ...content, take("SVG", "PNG"));
const drawnFigure = (title, words, what) => {
  const frame = html("div");
  const figure = pictured(title, words, frame);
  return { figure, draw: () => plot(frame, { label: `${title}: ${words}`, ...what }) };
};
// Figures are put into the page first, so that they know how wide they are.
const show = (host, ...parts) => {
  host.replaceChildren(...parts.map((part) => part.figure || part));
  parts.forEach((part) => part.draw && part.draw());
};
const sideBySide = (...figures) => {
  const box = html("div", { class: "charts" }, ...figures.map(({ figure }) => figure));
  return { figure: box, draw: () => figures.forEach(({ draw }) => draw()) };
};
