"""The tables that TREC prints of a run, for each run, with its histograms against the median."""

from __future__ import annotations

from pres_eval.errors import plural
from pres_eval.report import svg
from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import controls, figure, scrolling, section, table
from pres_eval.report.report_numbers import (
    above_at_below,
    against_median,
    document_level_averages,
    median_labels,
    median_words,
    pres_and_recall,
    recall_level_averages,
    summary_statistics,
)
from pres_eval.report.trec_report import Report

FEW_RUNS = 20
"""Of more runs the histograms, two thirds of the page, are among the distributions alone."""


def trec_tables(report: Report) -> Html:
    """Return all runs; the script shows one at a time."""
    runs = [_run(report, run) for run in range(len(report.names))]
    return section("runs", "TREC's tables", controls(("run-choice", "Run")) if len(runs) > 1 else "", *runs)


def _run(report: Report, run: int) -> Html:
    """Return TREC's tables of one run."""
    statistics = [
        (label, element("td", text, class_="n wrap")) for label, text in summary_statistics(report, run)
    ]
    tables = [
        table("Summary Statistics", ["", "over all topics"], statistics),
        table("Recall Level Precision Averages", ["Recall", "Precision"], recall_level_averages(report, run)),
        table("Document Level Averages", ["", "Precision"], document_level_averages(report, run)),
        table("PRES and recall", ["Nmax", "PRES", "Recall"], pres_and_recall(report, run)),
    ]
    return element(
        "section",
        element("h3", report.names[run]),
        element("div", *tables, class_="tables"),
        *(_histogram(report, run, label) for label in median_labels(report) if len(report.names) <= FEW_RUNS),
        class_="run",
        data_run=run,
        aria_label=report.names[run],
    )


def _histogram(report: Report, run: int, label: str) -> Html:
    """Return the chart of a run's topics against the median."""
    values = against_median(report, run, label)
    above, at, below = above_at_below(values)
    name = report.heading(label)
    title = f"{name} against the median"
    words = (
        f"{name} of {report.names[run]} on each topic minus {median_words(report, label)}:"
        f" above it on {above}, at it on {at}, below it on {plural(below)}"
    )
    chart = svg.difference_chart(f"histogram-{run}-{label}", title, words, f"{name} minus median", values)
    return figure(title, words, scrolling(f"{title}, {report.names[run]}", chart, kind="wide"))
