"""The curves of the evaluation report, defined once: the page draws them as SVG, matplotlib as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import (
    add_in_order,
    divide,
)
from pres_eval.report.axes import Axis, count_axis, nice_axis, unit_axis
from pres_eval.report.trec_report import RECALL_LEVELS, Report

Point = tuple[float, float, str]
"""x, y, and the text that a pointer over the point shows."""


@dataclass(frozen=True)
class Graph:
    """Lines of all runs over two axes.

    name          in addresses, ids and --picture
    title, words  its subject, short and as a sentence
    x, y          the axes; x is logarithmic where it has ranks
    curves        the points of each run
    """

    name: str
    title: str
    words: str
    x: Axis
    y: Axis
    curves: tuple[tuple[Point, ...], ...]


def graphs_of(report: Report) -> list[Graph]:
    """Return recall-precision, PRES and recall against Nmax, and with -N the ROC curve."""
    levels = [(level, f"iprec_at_recall_{level}", f"recall {level}, precision") for level in RECALL_LEVELS]
    return [
        Graph(
            name="recall-precision",
            title="Recall-precision",
            words="Interpolated precision at eleven levels of recall, averaged over topics",
            x=unit_axis("Recall"),
            y=unit_axis("Interpolated precision"),
            curves=_curves(report, levels),
        ),
        against_nmax(report, "PRES"),
        against_nmax(report, "recall"),
        *([_roc(report)] if report.options.num_docs_in_coll else []),
    ]


def against_nmax(report: Report, measure: str) -> Graph:
    """Return PRES or recall at each Nmax of the grid."""
    title = measure[0].upper() + measure[1:]
    return Graph(
        name=measure,
        title=f"{title} against Nmax",
        words=f"{title} at Nmax, averaged over topics",
        x=count_axis("Nmax, documents that the reader reads", float(max(report.grid))),
        y=unit_axis(title),
        curves=_curves(
            report, [(cutoff, f"{measure}_{cutoff}", f"Nmax {cutoff}, {measure}") for cutoff in report.grid]
        ),
    )


def _roc(report: Report) -> Graph:
    """Return recall against fallout; needs -N."""
    curves = tuple(tuple(roc_curve(report, run)) for run in range(len(report.names)))
    most = max((x for points in curves for x, _, _ in points), default=0.0)
    return Graph(
        name="ROC",
        title="ROC",
        words=(
            "Recall against fallout (share of the collection's other documents that were retrieved),"
            f" averaged over topics; {report.options.num_docs_in_coll} documents in the collection"
        ),
        x=nice_axis("Fallout", 0.0, most),
        y=unit_axis("Recall"),
        curves=curves,
    )


def _curves(report: Report, places: Sequence[tuple[float | str, str, str]]) -> tuple[tuple[Point, ...], ...]:
    """Return the curve of each run through places on the x axis: place, label of a column, name."""
    return tuple(
        tuple(
            (float(x), value, f"{words} {value:.4f}")
            for x, label, words in places
            if not np.isnan(value := report.summary(run, label))
        )
        for run in range(len(report.names))
    )


def roc_curve(report: Report, run: int) -> Iterator[Point]:
    """Yield the ROC curve of a run: recall against fallout, each averaged over its topics; needs -N.

    Fallout is the share of the collection's documents that are not relevant which were retrieved by the rank:
    (retrieved - relevant retrieved) / (N - relevant).  Documents that nobody judged count as not relevant.
    """
    evaluation = report.evaluations[run]
    num_ret, num_rel, found = (evaluation.by_label(label) for label in ("num_ret", "num_rel", "num_rel_ret"))
    others = np.maximum(report.options.num_docs_in_coll - num_rel, 0)
    count = max(evaluation.totals.num_topics, 1)
    by_rank = [
        (f"rank {rank}", np.minimum(num_ret, rank), np.rint(evaluation.by_label(f"recall_{rank}") * num_rel))
        for rank in report.grid
    ]
    nothing = np.zeros(len(num_rel))
    for where, retrieved, relevant in (
        ("rank 0", nothing, nothing),
        *by_rank,
        ("all retrieved", num_ret, found),
    ):
        fallout = add_in_order(np.minimum(divide(retrieved - relevant, others), 1.0)) / count
        recall = add_in_order(divide(relevant, num_rel)) / count
        yield fallout, recall, f"{where}, fallout {fallout:.3g}, recall {recall:.4f}"
