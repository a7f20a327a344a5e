// What readers take away: a table as CSV, LaTeX or copied cells, a picture as SVG or PNG, a link to what is open.
const save = (name, url) => html("a", { href: url, download: name }).click();
const asFile = (kind, text) => URL.createObjectURL(new Blob([text], { type: kind }));
const cellsOf = (table) =>
  [...table.rows].filter((row) => !row.hidden).map((row) =>
    [...row.cells].map((cell) => {
      const copy = cell.cloneNode(true);
      copy.querySelectorAll(".letters, .mark-of, .pin").forEach((part) => part.remove());
      return copy.textContent.trim().replace(/^−/, "-");
    })
  );
// As in the CSV of the command, text must not begin a formula in a spreadsheet, saved or pasted.
const guarded = (text) => (/^[=+\-@'\t＝＋－＠]/.test(text) && !/^[+-]?[\d.]+$/.test(text) ? `'${text}` : text);
const csv = (table) => cellsOf(table).map((row) => row.map((text) => `"${guarded(text).replaceAll('"', '""')}"`).join(",") + "\r\n").join("");
const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
const tex = (table) => {
  const plain = (text) => text.replace(/[\\~^&%$#_{}]/g, (letter) => TEX[letter] || `\\${letter}`).replaceAll("α", "$\\alpha$");
  const ofAll = data.pairs?.baseline === null ? "#leaderboard, #pair" : "#leaderboard";
  const note = data.pairs?.note && table.closest(ofAll) ? [`\\par{\\footnotesize ${plain(data.pairs.note)}\\par}`] : [];
  const safe = (text) => text.replace(/[\\~^&%$#_{}]/g, (letter) => TEX[letter] || `\\${letter}`).replace(/^[-<](?=\d)/, "$$$&$$").replace("–", "--");
  const [head, ...rows] = cellsOf(table).map((row) => row.map(safe).join(" & ") + " \\\\");
  const columns = [...table.rows[0].cells].map((cell) => (cell.classList.contains("n") ? "r" : "l")).join("");
  return [`% ${table.caption.textContent}`, "% \\usepackage{booktabs}", `\\begin{tabular}{${columns}}`, "\\toprule", head, "\\midrule", ...rows, "\\bottomrule", "\\end{tabular}", ...note, ""].join("\n");
};
const SPACE = 26;
const standAlone = (figure) => {
  const picture = figure.querySelector("svg.chart, svg.drawn").cloneNode(true);
  const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
  picture.querySelectorAll(".cursor,desc").forEach((ring) => ring.remove());
  const words = [...figure.querySelector("figcaption").childNodes].map((part) => part.textContent).filter(Boolean).join(": ");
  made(picture, { xmlns: "http://www.w3.org/2000/svg", width, height: height + SPACE, viewBox: `0 ${-SPACE} ${width} ${height + SPACE}` }, [
    svg("style", {}, document.querySelector("style").textContent.replace("screen and", "not all and") + "svg.chart { width: auto; max-width: none; }"),
    svg("desc", {}, words),
    svg("text", { class: "label", x: 6, y: 16 - SPACE, textLength: words.length * 6.5 > width ? width - 12 : null, lengthAdjust: "spacingAndGlyphs" }, words),
  ]);
  return [new XMLSerializer().serializeToString(picture), width, height + SPACE];
};
const takes = {
  CSV: (table) => save("table.csv", asFile("text/csv", csv(table))),
  LaTeX: (table) => save("table.tex", asFile("text/plain", tex(table))),
  Copy: (table) => navigator.clipboard.writeText(cellsOf(table).map((row) => row.map(guarded).join("\t")).join("\n")),
  SVG: (figure) => save("picture.svg", asFile("image/svg+xml", standAlone(figure)[0])),
  PNG: async (figure) => {
    const [text, width, height] = standAlone(figure);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = html("canvas", { width: 3 * width, height: 3 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, 3 * width, 3 * height);
    save("picture.png", canvas.toDataURL());
  },
  "Copy link": () => navigator.clipboard.writeText(location.href),
  "Print one page": () => {
    document.documentElement.dataset.print = "one";
    window.print();
  },
};
const take = (...kinds) => html("p", { class: "take" }, kinds.map((kind) => html("button", { type: "button", "data-take": kind }, kind)));
// A cue below a table whose columns go on to the right of what is seen, until one has been there.
const moreColumns = (frame) => {
  const cue = html("span", { class: "more", hidden: true, "aria-hidden": "true" }, "more columns →");
  const look = () => (cue.hidden = frame.scrollLeft + frame.clientWidth > frame.scrollWidth - 4);
  new ResizeObserver(look).observe(frame);
  frame.addEventListener("scroll", look, { passive: true });
  return cue;
};
const below = (frame) => {
  const line = take("CSV", "LaTeX", "Copy");
  line.prepend(moreColumns(frame));
  return line;
};
const startTaking = () => {
  document.querySelectorAll("main .scroll").forEach((frame) => frame.after(below(frame)));
  document.querySelectorAll("main figure").forEach((figure) => figure.append(take("SVG", "PNG")));
  document.querySelector("nav").before(take("Copy link", "Print one page"));
  window.addEventListener("afterprint", () => delete document.documentElement.dataset.print);
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-take]");
    if (!button) return;
    const around = button.parentElement;
    await takes[button.dataset.take](around.closest("figure") || around.previousElementSibling?.querySelector("table"));
    button.classList.add("done");
  });
};
