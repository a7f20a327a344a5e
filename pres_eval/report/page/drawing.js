// Elements and axes. Text from files goes into text nodes and attributes, nothing is read as HTML.
const made = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
};
const html = (name, attributes = {}, ...children) => made(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  made(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const option = (value, text, chosen) => {
  const element = html("option", { value }, text);
  element.selected = chosen;
  return element;
};
const fillSelect = (select, values, chosen) => {
  const same = select.options.length === values.length && values.every((value, at) => select.options[at].value === value);
  if (!same) select.replaceChildren(...values.map((value) => option(value, value, false)));
  select.value = chosen;
};

const COLOURS = 8;
const DASHES = 4;
const seriesClass = (run) => `series c${run % COLOURS} d${run % DASHES}`;
const marker = (run) => document.querySelector(`#board [data-run="${run}"] .mark`).getAttribute("d").replace(/^M18 6/, "");
const swatch = (run) => document.querySelector(`#board [data-run="${run}"] .swatch`).cloneNode(true);
const named = (run) => html("span", { class: "name" }, swatch(run), runLink(run));
const shortened = (name, most) =>
  name.length <= most ? name : `${name.slice(0, (most - 1) >> 1)}…${name.slice(name.length - (most >> 1))}`;

const goal = (section, choice) => `#${section}?${new URLSearchParams(choice)}`;
const topicLink = (topic) => html("a", { href: goal("topic", { topic: data.topics[topic] }) }, data.topics[topic]);
const documentLink = (topic, place) => [
  html("a", { href: goal("document", { topic: data.topics[topic], doc: docnos[place] }) }, docnos[place]),
  titles[place] ? ` ${titles[place]}` : null,
];
const runLink = (run) => html("a", { href: goal("runs", { run: data.runs[run] }) }, data.runs[run]);

const niceAxis = (label, low, high) => {
  const span = high - low || 1;
  let step = 10 ** Math.floor(Math.log10(span / 4));
  step *= [1, 2, 5].find((factor) => span / (factor * step) <= 6) || 10;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let number = first; number <= last; number++) ticks.push([number * step, (number * step).toFixed(digits)]);
  return { label, low: first * step, high: last * step, ticks };
};
const rankAxis = (label, high) => {
  const ticks = [];
  for (let tick = 1; tick <= high; tick *= 10) ticks.push([tick, String(tick)]);
  return { label, low: 1, high: Math.max(high, 2), ticks, logarithmic: true };
};
const place = (axis, value, start, end) => {
  const scale = axis.logarithmic ? (number) => Math.log10(Math.max(number, axis.low)) : (number) => number;
  const [low, high] = [scale(axis.low), scale(axis.high)];
  return start + (high > low ? (scale(value) - low) / (high - low) : 0.5) * (end - start);
};

// Grid lines, labels of ticks and axes; leaves out labels for which there is no room.
const grid = (frame, x, y) => {
  const bottom = frame.height - frame.bottom;
  const right = frame.width - frame.right;
  const lines = [];
  const texts = [];
  if (y) {
    for (const [value, text] of y.ticks) {
      lines.push(`M${frame.left} ${frame.y(value).toFixed(1)}H${right}`);
      texts.push(svg("text", { x: frame.left - 6, y: frame.y(value) + 4, "text-anchor": "end" }, text));
    }
    const middle = (frame.top + bottom) / 2;
    texts.push(
      svg("text", { class: "label", transform: `translate(13 ${middle}) rotate(-90)`, "text-anchor": "middle" }, y.label)
    );
  }
  let free = -Infinity;
  for (const [value, text] of x.ticks) {
    const middle = frame.x(value);
    lines.push(`M${middle.toFixed(1)} ${frame.top}V${bottom}`);
    if (middle - text.length * 3.5 < free) continue;
    free = middle + text.length * 3.5 + 6;
    texts.push(svg("text", { x: middle, y: bottom + 16, "text-anchor": "middle" }, text));
  }
  texts.push(
    svg("text", { class: "label", x: (frame.left + right) / 2, y: frame.height - 6, "text-anchor": "middle" }, x.label)
  );
  return [svg("path", { class: "grid", d: lines.join("") }), ...texts];
};
