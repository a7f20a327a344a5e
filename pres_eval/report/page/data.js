// The numbers of the page: what is JSON at once, the arrays when they are unpacked.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const RUNS = data.runs.length;
const TOPICS = data.topics.length;
const arrays = {};
let docnos = [];
let titles = [];

const KINDS = {
  u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array, f8: Float64Array,
};
const MISSING = { i2: -32768, i4: -2147483648 };

const unpack = async () => {
  const packed = atob(byId("block").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let place = 0; place < packed.length; place++) bytes[place] = packed.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  for (const [name, [kind, start, length]] of Object.entries(data.contents)) {
    arrays[name] = new KINDS[kind](buffer, start, length);
  }
  const lines = (bytes) => new TextDecoder().decode(bytes).split("\n");
  docnos = lines(arrays.docnos);
  titles = arrays.titles ? lines(arrays.titles) : [];
};

// -1 where a lower value of the measure is better, else 1.
const signOf = (label) => (data.measures.find((measure) => measure.label === label)?.less ? -1 : 1);
const measureAt = Object.fromEntries(data.measures.map(({ label }, place) => [label, place]));
const topicAt = new Map(data.topics.map((topic, place) => [topic, place]));
const runAt = new Map(data.runs.map((run, place) => [run, place]));

// A measure's value of a run on a topic, as it is shown: NaN where the run lacks the topic, or where it is none.
const scaled = (name, place, digits) => {
  const whole = arrays[name][place];
  return whole === MISSING[data.contents[name][0]] ? NaN : whole / 10 ** digits;
};
const valueOf = (measure, run, topic) =>
  scaled(`values${measure}`, run * TOPICS + topic, data.measures[measure].digits);
const hasTopic = (run, topic) => arrays.present[run * TOPICS + topic] === 1;
const shown = (value, digits = 4) => (Number.isNaN(value) ? "nan" : value.toFixed(digits));
const textOf = (measure, run, topic) =>
  hasTopic(run, topic) ? shown(valueOf(measure, run, topic), data.measures[measure].digits) : "–";
const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
// Differences below 5e-13 are rounding errors, as in report/text.py.
const signed = (value, digits = 4) =>
  (value >= 5e-13 ? "+" : value <= -5e-13 ? "−" : "±") + Math.abs(value).toFixed(digits);
const pWords = (p) => (Number.isNaN(p) ? "no p-value" : p < 0.00005 ? "p < 0.0001" : `p = ${pText(p)}`);
const pText = (p) => (Number.isNaN(p) ? "–" : p < 0.00005 ? "<0.0001" : p.toFixed(4));

const sortedNumbers = (numbers) => numbers.filter((number) => !Number.isNaN(number)).sort((one, other) => one - other);
const quantile = (ordered, share) => {
  const place = (ordered.length - 1) * share;
  const low = Math.floor(place);
  return ordered.length ? ordered[low] + (ordered[Math.ceil(place)] - ordered[low]) * (place - low) : NaN;
};

// The relevant documents of a topic: first to last, and where a run has one (0: nowhere).
const documentsOf = (topic) => [arrays.offsets[topic], arrays.offsets[topic + 1]];
const rankOf = (run, place) => arrays.ranks[run * docnos.length + place];

// What the tests say of two runs: null if the measure was not tested.
const tested = (label, one, other) => {
  const row = data.pairs ? data.pairs.measures.indexOf(label) : -1;
  if (row < 0 || one === other) return null;
  const [low, high] = one < other ? [one, other] : [other, one];
  const pairs = (RUNS * (RUNS - 1)) / 2;
  const place = row * pairs + (low * (2 * RUNS - low - 1)) / 2 + (high - low - 1);
  const sign = one < other ? 1 : -1;
  const [wins, losses] = [arrays.wins[place], arrays.losses[place]];
  return {
    mean: (one < other ? arrays.firstMeans : arrays.secondMeans)[place],
    other: (one < other ? arrays.secondMeans : arrays.firstMeans)[place],
    p: arrays.corrected[place],
    corrected: data.pairs.baseline === null || low === data.pairs.baseline || high === data.pairs.baseline,
    topics: arrays.pairTopics[place % pairs],
    direction: sign * arrays.direction[place],
    wins: sign > 0 ? wins : losses,
    losses: sign > 0 ? losses : wins,
    ties: arrays.pairTopics[place % pairs] - wins - losses,
  };
};
