"""The parts of the page as they are without a script: tables and pictures of all that is compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pres_eval import __version__
from pres_eval.measures.base import Format
from pres_eval.report import svg
from pres_eval.report.compared_tables import INTERVAL_NAMES
from pres_eval.report.graphs import graphs_of
from pres_eval.report.markup import Content, Html, element
from pres_eval.report.page.tables import Cell, figure, scrolling, section, table
from pres_eval.report.text import p_text, percentage, shown, text_of
from pres_eval.report.trec_report import (
    DIGITS,
    Report,
    hardest_topics,
    largest_differences,
    relevant_counts,
    title_of,
    topic_measures,
)

MISSING = "–"
"""What is shown where a run does not have a topic."""

FEW_RUNS = 8
"""More runs than this, and their names can be searched."""


def header(report: Report, sections: Sequence[tuple[str, str]]) -> Html:
    """The title, what the report is of, and links to the sections."""
    count = len(report.topics)
    items = [element("li", element("a", text, href=f"#{name}")) for name, text in sections]
    skip = element("a", "Skip to the table of topics", class_="skip", href="#topics")
    return element(
        "header",
        skip,
        element("h1", title_of(report)),
        element("p", report.description) if report.description else "",
        element(
            "p",
            f"{count} topic{'s' * (count != 1)}, judged in {text_of(report.qrels.path)}",
            class_="dim",
        ),
        element("nav", element("ul", *items), aria_label="Sections"),
    )


def banner(report: Report) -> Html | str:
    """What everybody has to know who compares averages over other topics."""
    if not report.topics_differ() or report.options.complete:
        return ""
    counts = [len(evaluation.topics) for evaluation in report.evaluations]
    fewest = [name for name, count in zip(report.names, counts, strict=True) if count == min(counts)]
    named = ", ".join(fewest[:3]) + (f" and {len(fewest) - 3} more" if len(fewest) > 3 else "")
    compared = (
        f" Tests and intervals are over the {report.pairs.topics} topics that all of them have."
        if report.pairs is not None
        else ""
    )
    return element(
        "p",
        element("strong", "The runs have different topics."),
        f" Of {len(report.topics)} topics {named} {'has' if len(fewest) == 1 else 'have'} {min(counts)}."
        " Averages are over each run's own topics (topics, beside its name); --topics common and all take the"
        f" same for all.{compared}",
        class_="banner",
        role="note",
    )


def failed_runs(report: Report) -> Html | str:
    """The runs that could not be evaluated, and why."""
    if not report.failures:
        return ""
    rows = [element("li", text_of(failure.message)) for failure in report.failures]
    return element(
        "div",
        element("p", element("strong", "Runs that could not be evaluated")),
        element("ul", *rows),
        class_="banner",
        role="note",
    )


def leaderboard(report: Report) -> Html:
    """Averages of all runs, and the intervals of one measure as bars."""
    return section(
        "leaderboard",
        "Leaderboard",
        banner(report),
        failed_runs(report),
        _controls(("measure", "Bars of"), ("baseline", "Compared with")),
        element("p", id="board-note", role="status", hidden=True),
        scrolling("Averages over topics", _averages(report)),
        _intervals(report),
    )


def _controls(*selects: tuple[str, str]) -> Html:
    """Choices that the script fills; without it they are not there."""
    labels = [
        element("label", f"{text} ", element("select", id=name, autocomplete="off")) for name, text in selects
    ]
    return element("div", *labels, class_="controls", hidden=True)


def _averages(report: Report) -> Html:
    labels = [*report.board, *(label for label in ("num_rel_ret", "num_rel") if label not in report.board)]
    formats = {label: report.column(label).measure.format for label in labels}
    values = {label: [report.summary(run, label) for run in range(len(report.names))] for label in labels}
    rows: list[Sequence[Cell]] = []
    for run in _best_first(values[labels[0]]):
        name = report.names[run]
        cells: list[Cell] = [str(report.topic_counts()[run])]
        for label in labels:
            text = shown(values[label][run], DIGITS, formats[label])
            best = len(report.names) > 1 and formats[label] is Format.FLOAT and _is_best(values[label], run)
            cells.append(
                element(
                    "td",
                    text,
                    class_="n best" if best else "n",
                    data_board=label if label in report.board else None,
                )
            )
        rows.append([element("span", svg.swatch(run), name, class_="name", data_run=run), *cells])
    note = f", by {labels[0]}, the best of each measure marked" if len(report.names) > 1 else ""
    caption = f"Averages over topics{note}"
    return table(caption, ["run", "topics", *labels], rows, sortable=True, name="board")


def _best_first(values: Sequence[float]) -> list[int]:
    """The runs by a value, the highest first; those without one last."""
    return sorted(range(len(values)), key=lambda run: (math.isnan(values[run]), -values[run]))


def _is_best(values: Sequence[float], run: int) -> bool:
    known = [value for value in values if not math.isnan(value)]
    return bool(known) and values[run] == max(known)


def _intervals(report: Report) -> Html | str:
    pairs = report.pairs
    if pairs is None:
        return ""
    confidence = percentage(1 - pairs.settings.alpha)
    label = pairs.measures[0]
    order = np.argsort(-pairs.means[0], kind="stable").tolist()
    rows = [
        svg.Row(
            report.names[run],
            run,
            float(pairs.means[0, run]),
            (float(pairs.lower[0, run]), float(pairs.upper[0, run])),
            None,
            f"{report.names[run]}: {pairs.means[0, run]:.4f}"
            + (
                f" ({pairs.lower[0, run]:.4f} to {pairs.upper[0, run]:.4f})"
                if np.isfinite(pairs.lower[0, run])
                else " (one topic: no interval)"
            ),
        )
        for run in order
    ]
    words = f"Means over {pairs.topics} topics with {confidence} intervals, best first"
    chart = svg.row_chart("intervals", f"{label} of the runs", words, f"mean {label}", rows)
    return element("div", figure(label, words, chart), id="board-bars")


def pair(report: Report) -> Html:
    """Each run against the first; the script compares any two."""
    pairs = report.pairs
    if pairs is None:
        return section(
            "pair", "Two runs", element("p", "No topic is in all the runs: there is nothing to test.")
        )
    rows: list[Sequence[Cell]] = []
    for number in np.flatnonzero(pairs.first == 0).tolist():
        other = int(pairs.second[number])
        wins, losses = int(pairs.losses[0, number]), int(pairs.wins[0, number])
        rows.append(
            [
                report.names[other],
                f"{pairs.means[0, other] - pairs.means[0, 0]:+.4f}",
                str(wins),
                str(pairs.topics - wins - losses),
                str(losses),
                p_text(float(pairs.p_values[0, number])),
            ]
        )
    label, settings = pairs.measures[0], pairs.settings
    caption = (
        f"{label}: each run against {report.names[0]} ({settings.test}, not corrected, {pairs.topics} topics)"
    )
    heads = ["run", "difference", "wins", "ties", "losses", "p"]
    static = scrolling("Each run against the first", table(caption, heads, rows, sortable=True))
    controls = _controls(
        ("pair-a", "Run"), ("pair-b", "against"), ("pair-measure", "by"), ("pair-nmax", "documents by rank")
    )
    return section(
        "pair",
        "Two runs",
        controls,
        element("div", id="pair-view", hidden=True),
        element("div", static, id="pair-static"),
    )


def topic_view(report: Report) -> Html:
    """The hardest topics, and how many relevant documents topics have; the script lays one topic open."""
    label = report.board[0] if report.column(report.board[0]).measure.per_topic else "map"
    rows = [
        [
            text_of(report.topics[topic.place]),
            str(topic.num_rel),
            shown(topic.best, DIGITS),
            shown(topic.median, DIGITS),
            shown(topic.worst, DIGITS),
        ]
        for topic in hardest_topics(report, label)
    ]
    heads = ["topic", "num_rel", "best", "median", "worst"]
    hardest = table(f"{label}, the hardest topics first", heads, rows, sortable=True, name="hardest")
    columns = relevant_counts(report)
    words = f"How many of the {len(report.topics)} topics have how many relevant documents"
    chart = svg.column_chart(
        "relevant", "Relevant documents of the topics", words, ("relevant documents", "topics"), columns
    )
    return section(
        "topic",
        "A topic",
        _controls(("topic-choice", "Topic"), ("topic-run", "Run"), ("topic-nmax", "Nmax")),
        element("div", id="topic-view", hidden=True),
        element(
            "div",
            element("div", element("h3", "Hardest topics"), scrolling("Hardest topics", hardest, tall=True)),
            figure("Relevant documents", words, chart),
            class_="charts",
        ),
    )


def distributions(report: Report) -> Html:
    """How the values of a measure spread over topics, run by run; the script draws any measure."""
    label = next(
        label for label in topic_measures(report) if report.column(label).measure.format is Format.FLOAT
    )
    matrix = report.matrix(label)
    rows = []
    for run in np.argsort(
        [-report.summary(run, label) for run in range(len(matrix))], kind="stable"
    ).tolist():
        known = matrix[run][np.isfinite(matrix[run])]
        low, first, middle, third, high = (
            np.quantile(known, (0, 0.25, 0.5, 0.75, 1)).tolist() if len(known) else [math.nan] * 5
        )
        text = (
            f"{report.names[run]}: median {middle:.4f}, quartiles {first:.4f} and {third:.4f},"
            f" least {low:.4f}, most {high:.4f}"
        )
        rows.append(svg.Row(report.names[run], run, middle, (low, high), (first, third), text))
    words = "Least, first quartile, median, third quartile, most over topics; runs with the best mean first"
    chart = svg.row_chart("spread", f"{label} over topics", words, label, rows)
    return section(
        "distributions",
        "Distributions over topics",
        _controls(("spread-measure", "Measure"), ("spread-run", "Run against the median")),
        element("div", figure(label, words, chart), id="spread-view"),
        element("div", id="median-view", hidden=True),
    )


def graphs(report: Report) -> Html:
    """Curves of all runs, and the numbers behind those against Nmax."""
    drawn = graphs_of(report)
    header_cells = ["run", *map(str, report.grid)]
    tables: list[Content] = []
    for graph in drawn:
        if not graph.logarithmic:
            continue
        rows = [
            [name, *(shown(report.summary(run, f"{graph.name}_{cutoff}"), DIGITS) for cutoff in report.grid)]
            for run, name in enumerate(report.names)
        ]
        tables += [
            element("h3", graph.title),
            scrolling(graph.title, table("Average over topics", header_cells, rows, sortable=True)),
        ]
    charts = [figure(graph.title, graph.words, svg.line_chart(graph, report.names)) for graph in drawn]
    return section("graphs", "Graphs", _legend(report), element("div", *charts, class_="charts"), *tables)


def _legend(report: Report) -> Html | str:
    if len(report.names) == 1:
        return ""
    items = [
        element(
            "li",
            element("button", svg.swatch(run), name, type="button", aria_pressed="true", data_run=run),
        )
        for run, name in enumerate(report.names)
    ]
    every = [
        element(
            "li",
            element("button", f"{what.capitalize()} all", type="button", data_all=what),
            class_="script",
            hidden=True,
        )
        for what in ("show", "hide")
    ]
    search = element(
        "div",
        element(
            "label",
            "Find a run in the legend ",
            element("input", id="legend-search", type="search", autocomplete="off"),
        ),
        class_="controls",
        hidden=True,
    )
    return element(
        "div",
        search if len(report.names) > FEW_RUNS else "",
        element(
            "ul", *items, *every, class_="legend", aria_label="Runs in the graphs; press to hide or show one"
        ),
    )


def differences(report: Report) -> Html:
    """The topics on which runs differ most."""
    parts = []
    num_rel = {topic: int(np.diff(report.documents.offsets)[n]) for n, topic in enumerate(report.topics)}
    for label in ("map", f"PRES_{max(report.nmax)}"):
        rows = [
            [
                text_of(found.topic),
                report.names[found.best],
                report.names[found.worst],
                str(num_rel[found.topic]),
                shown(found.best_value, DIGITS),
                shown(found.worst_value, DIGITS),
                shown(found.size, DIGITS),
            ]
            for found in largest_differences(report, label)
        ]
        heads = ["topic", "best run", "worst run", "num_rel", "best", "worst", "difference"]
        name = "Average precision" if label == "map" else label
        made = table("Topics on which runs differ most", heads, rows, text_columns=3, sortable=True)
        parts.append(element("div", element("h3", name), scrolling(f"{name}: largest differences", made)))
    return section("differences", "Largest differences between runs", element("div", *parts, class_="charts"))


def topics(report: Report) -> Html:
    """All measures of the first run on each topic; the script shows other runs, and filters."""
    labels = topic_measures(report)
    columns = [(report.per_topic(0, label).tolist(), report.column(label).measure.format) for label in labels]
    rows = [
        [text_of(topic), *(_cell(values[place], kind) for values, kind in columns)]
        for place, topic in enumerate(report.topics)
    ]
    view = element("label", "Show ", element("select", id="view", autocomplete="off"))
    field = element(
        "input", id="filter", type="search", autocomplete="off", spellcheck="false", aria_describedby="shown"
    )
    words = "Filter: part of a topic's id, or conditions such as map < 0.05 P_10 >= 0.2"
    made = table(
        f"All measures of a run: {report.names[0]}",
        ["topic", *labels],
        rows,
        sortable=True,
        name="topics-table",
    )
    return section(
        "topics",
        "Topics",
        element(
            "div", view, element("label", words, " ", field, class_="grow"), class_="controls", hidden=True
        ),
        element("p", id="shown", role="status"),
        scrolling("Values of each topic", made, tall=True),
    )


def _cell(value: float, kind: Format) -> str:
    return MISSING if math.isnan(value) else shown(value, DIGITS, kind)


def footer(report: Report) -> Html:
    """How the numbers were made: options, files with their digests, measures."""
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
    if report.pairs is not None:
        settings = report.pairs.settings
        facts.append(("Test, correction", f"{settings.test}, {settings.correction}, α = {settings.alpha:g}"))
        facts.append(("Intervals of the means", INTERVAL_NAMES[settings.interval]))
        facts.append(("Random choices", f"{settings.samples} samples, seed {settings.seed}"))
    rows: list[Content] = [[element("dt", name), element("dd", value)] for name, value in facts]
    for file in (report.qrels, *report.files):
        digest: Content = (
            ["SHA-256 ", element("code", file.sha256)] if file.sha256 else "not a file, no SHA-256"
        )
        rows.append([element("dt", text_of(file.path)), element("dd", digest)])
    seen = {
        report.column(label).measure.name: report.column(label).measure.description
        for label in (*report.board, *topic_measures(report))
    }
    measures = [[element("dt", name), element("dd", text)] for name, text in seen.items()]
    made = section(
        "made", "How this was made", element("dl", *rows), element("h3", "Measures"), element("dl", *measures)
    )
    return element("footer", made)
