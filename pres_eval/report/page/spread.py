"""Distribution of a measure's values over topics."""

from __future__ import annotations

from pres_eval.measures.base import Format
from pres_eval.report import svg
from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import controls, figure, section
from pres_eval.report.report_topics import quartiles, topic_measures
from pres_eval.report.trec_report import Report


def distributions(report: Report) -> Html:
    """Return the distribution of a measure over topics, run by run; the script draws any measure."""
    label = next(
        label for label in topic_measures(report) if report.column(label).measure.format is Format.FLOAT
    )
    matrix = report.matrix(label)
    rows = []
    for run in report.best_first(label):
        low, first, middle, third, high = quartiles(matrix[run])
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
        controls(("spread-measure", "Measure"), ("spread-run", "Run against the median")),
        element("div", figure(label, words, chart), id="spread-view"),
        element("div", id="median-view", hidden=True),
    )
