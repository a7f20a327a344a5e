r"""The TREC evaluation report as one self-contained page: no network, no library, nothing but text and SVG.

Everything that comes from files is escaped: in HTML by html.escape, in the data for the script by writing <,
> and & as \uNNNN.  A content security policy allows the page's own style and script, by their hashes, alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any

from pres_eval import __version__
from pres_eval.measures.base import Format
from pres_eval.report import svg
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import (
    DIGITS,
    RECALL_LEVELS,
    Report,
    above_at_below,
    against_median,
    document_level_averages,
    largest_differences,
    pres_and_recall,
    recall_level_averages,
    roc_curve,
    summary_statistics,
)

MISSING = "–"
"""Stands where a run does not have a topic."""


def as_html(report: Report) -> str:
    """The whole page."""
    style, script = _package_file("page.css"), _package_file("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    title = _title(report)
    several = len(report.names) > 1
    body = [
        _header(report, title, several),
        "<main>",
        _summary(report),
        _graphs(report),
        _differences(report) if several else "",
        _topics(report),
        _runs(report),
        "</main>",
        _footer(report),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f'\n<script type="application/json" id="data">{_script_data(report)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _package_file(name: str) -> str:
    return resources.files("pres_eval.report").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def _title(report: Report) -> str:
    if len(report.names) == 1:
        return f"Evaluation of {report.names[0]}"
    return f"Evaluation of {len(report.names)} runs"


def _table(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    text_columns: int = 1,
    sortable: bool = False,
    name: str = "",
) -> str:
    """A table; the first `text_columns` columns are text, the others numbers; cells are HTML."""
    button = '<button type="button">{}</button>' if sortable else "{}"
    kind = ["" if column < text_columns else ' class="n"' for column in range(len(header))]
    heads = "".join(
        f'<th scope="col"{kind[column]}>{button.format(text)}</th>' for column, text in enumerate(header)
    )
    lines = []
    for row in rows:
        cells = "".join(
            text if text.startswith("<td") else f"<td{kind[column]}>{text}</td>"
            for column, text in enumerate(row[1:], 1)
        )
        lines.append(f'<tr><th scope="row">{row[0]}</th>{cells}</tr>')
    return (
        f"<table{f' id={name}' if name else ''}><caption>{caption}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>\n{chr(10).join(lines)}\n</tbody></table>"
    )


def _scrolling(label: str, table: str, tall: bool = False) -> str:
    return (
        f'<div class="scroll{" tall" if tall else ""}" role="region" tabindex="0"'
        f' aria-label="{escape(label)}">{table}</div>'
    )


def _header(report: Report, title: str, several: bool) -> str:
    links = [("summary", "Summary"), ("graphs", "Graphs")]
    links += [("differences", "Differences")] if several else []
    links += [("topics", "Topics"), ("runs", "Runs in detail"), ("made", "How this was made")]
    items = "".join(f'<li><a href="#{anchor}">{text}</a></li>' for anchor, text in links)
    count = len(report.topics)
    return (
        f'<a class="skip" href="#topics">Skip to the table of topics</a>\n<header><h1>{escape(title)}</h1>'
        f'<p class="dim">{count} topic{"s" * (count != 1)}, judged in'
        f" {escape(text_of(report.qrels.path))}</p>"
        f'<nav aria-label="Sections"><ul>{items}</ul></nav></header>'
    )


def _summary_labels(report: Report) -> list[str]:
    means = ["map", f"recall_{max(report.nmax)}", "gm_map", "Rprec", "bpref", "P_10"]
    return [*_pres_labels(report), *means, "num_rel_ret", "num_rel", "num_q"]


def _pres_labels(report: Report) -> list[str]:
    return [f"PRES_{cutoff}" for cutoff in report.nmax]


def _formats(report: Report) -> dict[str, Format]:
    return {column.label: column.measure.format for column in report.evaluations[0].columns}


def _summary(report: Report) -> str:
    labels, formats = _summary_labels(report), _formats(report)
    values = {label: [report.summary(run, label) for run in range(len(report.names))] for label in labels}
    rows = []
    for run, name in enumerate(report.names):
        cells = []
        for label in labels:
            text = shown(values[label][run], DIGITS, formats[label])
            best = len(report.names) > 1 and formats[label] is Format.FLOAT and _is_best(values[label], run)
            cells.append(f'<td class="n best">{text}</td>' if best else text)
        rows.append([escape(name), *cells])
    note = ", the best of each measure marked" if len(report.names) > 1 else ""
    table = _table(f"Averages over topics{note}", ["run", *labels], rows, sortable=True)
    return f'<section id="summary"><h2>Summary</h2>{_scrolling("Averages over topics", table)}</section>'


def _is_best(values: Sequence[float], run: int) -> bool:
    known = [value for value in values if not math.isnan(value)]
    return bool(known) and values[run] == max(known)


def _legend(report: Report) -> str:
    if len(report.names) == 1:
        return ""
    items = "".join(
        f'<li><button type="button" aria-pressed="true" data-run="{run}">'
        f"{svg.swatch(run)}{escape(name)}</button></li>"
        for run, name in enumerate(report.names)
    )
    every = "".join(
        f'<li class="no-print"><button type="button" data-all="{what}">{what.capitalize()} all</button></li>'
        for what in ("show", "hide")
    )
    return (
        f'<ul class="legend" aria-label="Runs in the graphs; press to hide or show one">{items}{every}</ul>'
    )


def _figure(name: str, description: str, chart: str) -> str:
    return f"<figure><figcaption><strong>{name}</strong><br>{description}</figcaption>{chart}</figure>"


def _graphs(report: Report) -> str:
    charts = [_recall_precision(report), *(_against_nmax(report, name) for name in ("PRES", "recall"))]
    if report.options.num_docs_in_coll:
        charts.append(_roc(report))
    header = ["run", *map(str, report.grid)]
    tables = []
    for name in ("PRES", "recall"):
        rows = (
            [
                escape(run_name),
                *(shown(report.summary(run, f"{name}_{cutoff}"), DIGITS) for cutoff in report.grid),
            ]
            for run, run_name in enumerate(report.names)
        )
        title = f"{'PRES' if name == 'PRES' else 'Recall'} against Nmax"
        tables.append(
            f"<h3>{title}</h3>"
            + _scrolling(title, _table("Average over topics", header, rows, sortable=True))
        )
    return (
        f'<section id="graphs"><h2>Graphs</h2>{_legend(report)}<div class="charts">{"".join(charts)}</div>'
        f"{''.join(tables)}</section>"
    )


def _recall_precision(report: Report) -> str:
    series = []
    for run, name in enumerate(report.names):
        points = []
        for level in RECALL_LEVELS:
            value = report.summary(run, f"iprec_at_recall_{level}")
            if not math.isnan(value):
                points.append((float(level), value, f"recall {level}, precision {value:.4f}"))
        series.append((name, points))
    axes = svg.unit_axis("Recall"), svg.unit_axis("Interpolated precision")
    words = "Interpolated precision at eleven levels of recall, averaged over topics"
    return _figure(
        "Recall-precision", words, svg.line_chart("rp", "Recall-precision graph", words, axes, series)
    )


def _against_nmax(report: Report, measure: str) -> str:
    series = []
    for run, name in enumerate(report.names):
        values = [(cutoff, report.summary(run, f"{measure}_{cutoff}")) for cutoff in report.grid]
        series.append(
            (name, [(float(k), v, f"Nmax {k}, {measure} {v:.4f}") for k, v in values if not math.isnan(v)])
        )
    title = "PRES" if measure == "PRES" else "Recall"
    axes = svg.count_axis("Nmax, documents that the reader looks at", max(report.grid)), svg.unit_axis(title)
    words = f"{title} at Nmax, averaged over topics"
    chart = svg.line_chart(f"nmax-{measure}", f"{title} against Nmax", words, axes, series)
    return _figure(f"{title} against Nmax", words, chart)


def _roc(report: Report) -> str:
    series = []
    for run, name in enumerate(report.names):
        curve = roc_curve(report, run)
        points = [
            (
                point.fallout,
                point.recall,
                f"{_at_rank(point.rank)}fallout {point.fallout:.3g}, recall {point.recall:.4f}",
            )
            for point in curve
        ]
        series.append((name, points))
    most = max(point[0] for _, points in series for point in points)
    axes = svg.nice_axis("Fallout", 0.0, most), svg.unit_axis("Recall")
    words = (
        "Recall against fallout (share of the collection's other documents that were retrieved), averaged"
        f" over topics; {report.options.num_docs_in_coll} documents in the collection"
    )
    return _figure("ROC", words, svg.line_chart("roc", "ROC curve", words, axes, series))


def _at_rank(rank: int | None) -> str:
    return "all retrieved, " if rank is None else f"rank {rank}, "


def _differences(report: Report) -> str:
    parts = []
    for label in ("map", f"PRES_{max(report.nmax)}"):
        num_rel = dict(zip(report.topics, report.matrix("num_rel").T.tolist(), strict=True))
        rows = []
        for difference in largest_differences(report, label):
            judged = [value for value in num_rel[difference.topic] if not math.isnan(value)]
            rows.append(
                [
                    escape(text_of(difference.topic)),
                    escape(report.names[difference.best]),
                    escape(report.names[difference.worst]),
                    f"{judged[0]:.0f}",
                    shown(difference.best_value, DIGITS),
                    shown(difference.worst_value, DIGITS),
                    shown(difference.size, DIGITS),
                ]
            )
        header = ["topic", "best run", "worst run", "num_rel", "best", "worst", "difference"]
        name = "Average precision" if label == "map" else label
        table = _table("Topics on which runs differ most", header, rows, text_columns=3, sortable=True)
        parts.append(f"<div><h3>{name}</h3>{_scrolling(f'{name}: largest differences', table)}</div>")
    return (
        '<section id="differences"><h2>Largest differences between runs</h2>'
        f'<div class="charts">{"".join(parts)}</div></section>'
    )


def _topic_labels(report: Report) -> list[str]:
    means = ["map", f"recall_{max(report.nmax)}", "Rprec", "bpref", "P_10", "P_100"]
    return [*_pres_labels(report), *means, "num_rel_ret", "num_rel", "num_ret"]


def _topics(report: Report) -> str:
    labels, formats = _topic_labels(report), _formats(report)
    columns = [(report.per_topic(0, label), formats[label]) for label in labels]
    rows = (
        [escape(text_of(topic)), *(_cell(float(values[place]), kind) for values, kind in columns)]
        for place, topic in enumerate(report.topics)
    )
    one = "".join(
        f'<option value="run:{run}">{escape(name)}</option>' for run, name in enumerate(report.names)
    )
    views = f'<optgroup label="All measures of a run">{one}</optgroup>'
    if len(report.names) > 1:
        other = "".join(f'<option value="measure:{m}">{label}</option>' for m, label in enumerate(labels))
        views += f'<optgroup label="One measure of all runs">{other}</optgroup>'
    caption = f"All measures of a run: {escape(report.names[0])}"
    table = _table(caption, ["topic", *labels], rows, sortable=True, name="topics-table")
    return (
        '<section id="topics"><h2>Topics</h2><div class="controls">'
        f'<label>Show <select id="view" autocomplete="off">{views}</select></label>'
        '<label class="grow">Filter: part of a topic\'s id, or a condition such as map&lt;0.1'
        '<input id="filter" type="search" autocomplete="off" spellcheck="false"></label></div>'
        f'<p id="shown" role="status"></p>{_scrolling("Values of each topic", table, tall=True)}</section>'
    )


def _cell(value: float, kind: Format) -> str:
    return MISSING if math.isnan(value) else shown(value, DIGITS, kind)


def _runs(report: Report) -> str:
    options = "".join(
        f'<option value="{run}">{escape(name)}</option>' for run, name in enumerate(report.names)
    )
    choice = f'<select id="run" autocomplete="off">{options}</select>'
    control = f'<div class="controls"><label>Run {choice}</label></div>'
    if len(report.names) == 1:
        control = ""
    sections = "\n".join(_run(report, run) for run in range(len(report.names)))
    return f'<section id="runs"><h2>Runs in detail</h2>{control}{sections}</section>'


def _run(report: Report, run: int) -> str:
    name = escape(report.names[run])
    statistics = [
        [label, f'<td class="n wrap">{escape(text)}</td>'] for label, text in summary_statistics(report, run)
    ]
    tables = [
        _table("Summary Statistics", ["", "over all topics"], statistics),
        _table(
            "Recall Level Precision Averages", ["Recall", "Precision"], recall_level_averages(report, run)
        ),
        _table("Document Level Averages", ["", "Precision"], document_level_averages(report, run)),
        _table("PRES and recall", ["Nmax", "PRES", "Recall"], pres_and_recall(report, run)),
    ]
    return (
        f'<section class="run" data-run="{run}" aria-label="{name}"><h3>{name}</h3>'
        f'<div class="tables">{"".join(tables)}</div>{_histogram(report, run)}</section>'
    )


def _histogram(report: Report, run: int) -> str:
    if len(report.names) == 1:
        return ""
    values = against_median(report, run)
    above, at, below = above_at_below(values)
    words = (
        f"Average precision of {report.names[run]} on each topic minus the median of the {len(report.names)}"
        f" runs: above it on {above}, at it on {at}, below it on {below} topics"
    )
    bars = [(text_of(topic), float(value)) for topic, value in zip(report.topics, values, strict=True)]
    chart = svg.bar_chart(f"histogram-{run}", "Difference from the median", words, "AP minus median", bars)
    return _figure("Average precision against the median", escape(words), f'<div class="wide">{chart}</div>')


def _footer(report: Report) -> str:
    options = report.options
    facts = [
        ("pres-eval", __version__),
        ("Numbers as of", f"trec_eval {options.compat}"),
        ("Relevant from grade", str(options.relevance_level)),
        ("Averages over", "all topics of the qrels (-c)" if options.complete else "the topics of the run"),
        ("Documents used per topic", "all" if options.max_retrieved is None else str(options.max_retrieved)),
        ("Unjudged documents", "taken out (-J)" if options.judged_only else "count as not relevant"),
        ("Documents in the collection", str(options.num_docs_in_coll or "not given")),
    ]
    rows = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts]
    for file in (report.qrels, *report.files):
        digest = f"SHA-256 <code>{file.sha256}</code>" if file.sha256 else "not a file, no SHA-256"
        rows.append(f"<dt>{escape(text_of(file.path))}</dt><dd>{digest}</dd>")
    used = {*_summary_labels(report), *_topic_labels(report)}
    seen: dict[str, str] = {}
    for column in report.evaluations[0].columns:
        if column.label in used:
            seen.setdefault(column.measure.name, column.measure.description)
    measures = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in seen.items())
    return (
        f'<footer><section id="made"><h2>How this was made</h2><dl>{"".join(rows)}</dl>'
        f"<h3>Measures</h3><dl>{measures}</dl></section></footer>"
    )


def _script_data(report: Report) -> str:
    labels, formats = _topic_labels(report), _formats(report)
    values = [
        [
            [_script_number(value, formats[label]) for value in report.per_topic(run, label).tolist()]
            for label in labels
        ]
        for run in range(len(report.names))
    ]
    data: dict[str, Any] = {
        "runs": report.names,
        "topics": [text_of(topic) for topic in report.topics],
        "measures": labels,
        "digits": [0 if formats[label] is Format.COUNT else DIGITS for label in labels],
        "values": values,
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def _script_number(value: float, kind: Format) -> float | int | None:
    if math.isnan(value):
        return None
    return int(value) if kind is Format.COUNT else float(shown(value, DIGITS))
