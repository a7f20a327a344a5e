"""The graphs of the report in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pres_eval.report.drawing import style
from pres_eval.report.graphs import graphs_of
from pres_eval.report.report_topics import median_labels
from pres_eval.report.trec_report import Report
from pres_eval.report.trec_run_plots import draw_graph, name_curves
from pres_eval.report.trec_topic_plots import draw_bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_curves(report: Report, histogram: bool = False) -> Figure:
    """Recall-precision, PRES and recall against Nmax, ROC with -N; the first run's histogram if wanted."""
    from matplotlib.figure import Figure

    graphs = graphs_of(report)
    with style():
        figure = Figure(figsize=(9.5, 10.8 if histogram else 7.2), layout="constrained")
        panels = figure.subplot_mosaic("ab;cd;ee" if histogram else "ab;cd")
        for place, graph in zip("abcd", graphs, strict=False):
            draw_graph(panels[place], graph, len(report.names))
        for place in "abcd"[len(graphs) :]:
            panels[place].remove()
        name_curves(figure, panels["a"], report.names)
        if histogram:
            draw_bars(panels["e"], report, 0, median_labels(report)[0])
    return figure
