"""Runs: their graphs and their distributions over topics, and the tables that TREC prints of each."""

from __future__ import annotations

from pres_eval.errors import plural
from pres_eval.measures.base import Format
from pres_eval.report import svg
from pres_eval.report.graphs import Graph, graphs_of
from pres_eval.report.markup import Content, Html, controls, element, figure, scrolling, section, table
from pres_eval.report.report_numbers import (
    above_at_below,
    against_median,
    document_level_averages,
    five_numbers,
    median_labels,
    median_words,
    pres_and_recall,
    recall_level_averages,
    summary_statistics,
    topic_measures,
)
from pres_eval.report.trec_report import DIGITS, Report

MOST_UNSEARCHED = 8
"""Runs up to which the legend has no field to find one in."""

MOST_WITH_HISTOGRAMS = 20
"""Runs up to which each has histograms below its tables: of more they would be two thirds of the page.

The distributions show that of the run that the reader chooses.
"""


def graphs(report: Report) -> Html:
    """Return the section with the curves of all runs, and tables of the means behind those against Nmax."""
    drawn = graphs_of(report)
    tables = [_averages(report, graph) for graph in drawn if graph.is_against_nmax]
    charts = [figure(graph.title, graph.description, svg.line_chart(graph, report.names)) for graph in drawn]
    return section("graphs", "Graphs", _legend(report), element("div", *charts, class_="charts"), *tables)


def _averages(report: Report, graph: Graph) -> list[Html]:
    """Return a heading and the table of the means of runs behind a graph against Nmax."""
    rows = []
    for run, name in enumerate(report.names):
        values = [report.text(run, f"{graph.name}_{cutoff}") for cutoff in report.curve_ranks]
        rows.append([name, *values])
    averages = table("Average over topics", ["run", *map(str, report.curve_ranks)], rows, sortable=True)
    return [element("h3", graph.title), scrolling(graph.title, averages)]


def _legend(report: Report) -> Html | str:
    """Return the legend of the graphs, with buttons that show and hide runs; empty for one run."""
    if len(report.names) == 1:
        return ""
    runs = []
    for run, name in enumerate(report.names):
        button = element("button", svg.swatch(run), name, type="button", aria_pressed="true", data_run=run)
        runs.append(element("li", button))
    for action in ("show", "hide"):
        button = element("button", f"{action.capitalize()} all", type="button", data_all=action)
        runs.append(element("li", button, class_="script", hidden=True))
    words = "Runs in the graphs; press to hide or show one"
    legend = element("ul", *runs, class_="legend", aria_label=words)
    if len(report.names) <= MOST_UNSEARCHED:
        return element("div", legend)
    field = element("input", id="legend-search", type="search", autocomplete="off")
    search = controls(field=element("label", "Find a run in the legend ", field))
    return element("div", search, legend)


def distributions(report: Report) -> Html:
    """Return the section with the distribution of a measure over topics, a box for each run.

    It is the first measure that is no count; the script draws the one that the reader chooses.
    """
    labels = topic_measures(report)
    no_counts = [label for label in labels if report.column(label).measure.format is Format.FLOAT]
    label = no_counts[0] if no_counts else labels[0]
    rows = [_box(report, run, label) for run in report.best_first(label)]
    words = "Least, first quartile, median, third quartile, most over topics; runs with the best mean first"
    return section(
        "distributions",
        "Distributions over topics",
        controls(("spread-measure", "Measure"), ("spread-run", "Run against the median")),
        element(
            "div",
            figure(label, words, svg.row_chart("spread", f"{label} over topics", words, label, rows)),
            id="spread-view",
        ),
        element("div", id="median-view", hidden=True),
    )


def _box(report: Report, run: int, label: str) -> svg.Row:
    """Return the row of a run in the chart of a measure's distributions."""
    name = report.names[run]
    low, first, middle, third, high = five_numbers(report.per_topic(run, label))
    return svg.Row(
        name=name,
        series=run,
        middle=middle,
        line=(low, high),
        box=(first, third),
        text=f"{name}: median {middle:.{DIGITS}f}, quartiles {first:.{DIGITS}f} and {third:.{DIGITS}f},"
        f" least {low:.{DIGITS}f}, most {high:.{DIGITS}f}",
    )


def trec_tables(report: Report) -> Html:
    """Return the section with TREC's tables of all runs; the script shows one run at a time."""
    parts: list[Content] = []
    if len(report.names) > 1:
        parts.append(controls(("run-choice", "Run")))
    parts += [_run(report, run) for run in range(len(report.names))]
    return section("runs", "TREC's tables", *parts)


def _run(report: Report, run: int) -> Html:
    """Return TREC's tables of one run, and below them its histograms against the median."""
    statistics = []
    for label, text in summary_statistics(report, run):
        statistics.append((label, element("td", text, class_="n wrap")))
    tables = [
        table("Summary Statistics", ["", "over all topics"], statistics),
        table("Recall Level Precision Averages", ["Recall", "Precision"], recall_level_averages(report, run)),
        table("Document Level Averages", ["", "Precision"], document_level_averages(report, run)),
        table("PRES and recall", ["Nmax", "PRES", "Recall"], pres_and_recall(report, run)),
    ]
    name = report.names[run]
    parts = [element("h3", name), element("div", *tables, class_="tables")]
    if len(report.names) <= MOST_WITH_HISTOGRAMS:
        parts += [_histogram(report, run, label) for label in median_labels(report)]
    return element("section", *parts, class_="run", data_run=run, aria_label=name)


def _histogram(report: Report, run: int, label: str) -> Html:
    """Return the chart of a run's topics against the median."""
    values = against_median(report, run, label)
    above, at, below = above_at_below(values)
    name = report.heading(label)
    title = f"{name} against the median"
    words = (
        f"{name} of {report.names[run]} on each topic minus {median_words(report, label)}:"
        f" above it on {above}, at it on {at}, below it on {plural(below, 'topic')}"
    )
    chart = svg.difference_chart(f"histogram-{run}-{label}", title, words, f"{name} minus median", values)
    return figure(title, words, scrolling(f"{title}, {report.names[run]}", chart, kind="wide"))
