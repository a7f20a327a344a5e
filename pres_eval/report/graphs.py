"""The curves of the evaluation report, defined once: the page draws them as SVG, matplotlib as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import add_in_order, divide
from pres_eval.report.axes import Axis, nice_axis, rank_axis, unit_axis
from pres_eval.report.report_columns import RECALL_LEVEL_TEXTS
from pres_eval.report.trec_report import Report

Point = tuple[float, float, str]
"""x, y, and the text that a pointer over the point shows."""


@dataclass(frozen=True)
class Graph:
    """Lines of all runs over two axes.

    name          in addresses, ids and --picture
    title         its subject
    description   its subject as a sentence
    x, y          the axes; x is logarithmic where it has ranks
    curves        the points of each run
    """

    name: str
    title: str
    description: str
    x: Axis
    y: Axis
    curves: tuple[tuple[Point, ...], ...]

    @property
    def is_against_nmax(self) -> bool:
        """Return whether x has the ranks Nmax: no other graph has ranks."""
        return self.x.logarithmic


def graphs_of(report: Report) -> list[Graph]:
    """Return recall-precision, PRES and recall against Nmax, and with -N the ROC curve."""
    levels = []
    for level in RECALL_LEVEL_TEXTS:
        levels.append((level, f"iprec_at_recall_{level}", f"recall {level}, precision"))
    graphs = [
        Graph(
            name="recall-precision",
            title="Recall-precision",
            description="Interpolated precision at eleven levels of recall, averaged over topics",
            x=unit_axis("Recall"),
            y=unit_axis("Interpolated precision"),
            curves=_curves(report, levels),
        ),
        against_nmax(report, "PRES"),
        against_nmax(report, "recall"),
    ]
    if report.options.num_docs_in_coll:
        graphs.append(_roc(report))
    return graphs


def against_nmax(report: Report, measure: str) -> Graph:
    """Return the graph of a measure, "PRES" or "recall", at each of the report's `curve_ranks`."""
    title = measure[0].upper() + measure[1:]
    columns = []
    for cutoff in report.curve_ranks:
        columns.append((cutoff, f"{measure}_{cutoff}", f"Nmax {cutoff}, {measure}"))
    return Graph(
        name=measure,
        title=f"{title} against Nmax",
        description=f"{title} at Nmax, averaged over topics",
        x=rank_axis("Nmax, documents that the reader reads", float(max(report.curve_ranks))),
        y=unit_axis(title),
        curves=_curves(report, columns),
    )


def _roc(report: Report) -> Graph:
    """Return the graph of recall against fallout; needs -N."""
    curves = tuple(tuple(roc_curve(report, run)) for run in range(len(report.names)))
    greatest_fallout = 0.0
    for points in curves:
        for fallout, _, _ in points:
            greatest_fallout = max(greatest_fallout, fallout)
    return Graph(
        name="ROC",
        title="ROC",
        description=(
            "Recall against fallout (share of the collection's other documents that were retrieved),"
            f" averaged over topics; {report.options.num_docs_in_coll} documents in the collection"
        ),
        x=nice_axis("Fallout", 0.0, greatest_fallout),
        y=unit_axis("Recall"),
        curves=curves,
    )


def _curves(report: Report, columns: Sequence[tuple[float | str, str, str]]) -> tuple[tuple[Point, ...], ...]:
    """Return the curve of each run through its means of some columns.

    columns  value on the x axis, label of the measure, and words for a pointer over the point

    Points whose mean is nan are left out.
    """
    curves = []
    for run in range(len(report.names)):
        points: list[Point] = []
        for x, label, words in columns:
            value = report.summary(run, label)
            if not np.isnan(value):
                points.append((float(x), value, f"{words} {value:.4f}"))
        curves.append(tuple(points))
    return tuple(curves)


def roc_curve(report: Report, run: int) -> Iterator[Point]:
    """Yield the ROC curve of a run: recall against fallout, each averaged over its topics; needs -N.

    Fallout is the share of the collection's documents that are not relevant which were retrieved by the rank:
    (retrieved - relevant retrieved) / (N - relevant).  Documents that nobody judged count as not relevant.
    """
    evaluation = report.evaluations[run]
    num_ret, num_rel = evaluation.by_label("num_ret"), evaluation.by_label("num_rel")
    num_not_relevant = np.maximum(report.options.num_docs_in_coll - num_rel, 0)
    num_topics = max(evaluation.totals.num_topics, 1)
    nothing = np.zeros(len(num_rel))
    # For each point: its words, and by topic how many documents are retrieved, and how many relevant ones.
    retrieved_and_relevant = [("rank 0", nothing, nothing)]
    for rank in report.curve_ranks:
        # Recall times the relevant documents is whole, but for rounding errors.
        relevant = np.rint(evaluation.by_label(f"recall_{rank}") * num_rel)
        retrieved_and_relevant.append((f"rank {rank}", np.minimum(num_ret, rank), relevant))
    retrieved_and_relevant.append(("all retrieved", num_ret, evaluation.by_label("num_rel_ret")))
    for words, retrieved, relevant in retrieved_and_relevant:
        fallouts = np.minimum(divide(retrieved - relevant, num_not_relevant), 1.0)
        fallout = add_in_order(fallouts) / num_topics
        recall = add_in_order(divide(relevant, num_rel)) / num_topics
        yield fallout, recall, f"{words}, fallout {fallout:.3g}, recall {recall:.4f}"
