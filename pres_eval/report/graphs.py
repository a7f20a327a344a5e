"""The curves of the evaluation report, said once: the page draws them as SVG, matplotlib as pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pres_eval.report.trec_report import RECALL_LEVELS, Report, roc_curve

Point = tuple[float, float, str]
"""x, y, and what a pointer over the point is told."""


@dataclass(frozen=True)
class Graph:
    """Lines of all runs over two axes.

    name         in addresses, ids and --picture
    title, words what it shows, short and as a sentence
    x, y         labels of the axes
    curves       the points of each run
    logarithmic  whether x is a rank on a logarithmic axis
    last         the end of the x axis; None: as far as the points go
    """

    name: str
    title: str
    words: str
    x: str
    y: str
    curves: tuple[tuple[Point, ...], ...]
    logarithmic: bool = False
    last: float | None = 1.0


def graphs_of(report: Report) -> list[Graph]:
    """Recall-precision, PRES and recall against Nmax, and with -N the ROC curve."""
    graphs = [recall_precision(report), against_nmax(report, "PRES"), against_nmax(report, "recall")]
    return [*graphs, roc(report)] if report.options.num_docs_in_coll else graphs


def recall_precision(report: Report) -> Graph:
    """Interpolated precision at eleven levels of recall."""
    return Graph(
        name="recall-precision",
        title="Recall-precision",
        words="Interpolated precision at eleven levels of recall, averaged over topics",
        x="Recall",
        y="Interpolated precision",
        curves=tuple(
            tuple(
                (float(level), value, f"recall {level}, precision {value:.4f}")
                for level in RECALL_LEVELS
                if not math.isnan(value := report.summary(run, f"iprec_at_recall_{level}"))
            )
            for run in range(len(report.names))
        ),
    )


def against_nmax(report: Report, measure: str) -> Graph:
    """PRES or recall at each Nmax of the grid."""
    title = measure[0].upper() + measure[1:]
    return Graph(
        name=measure,
        title=f"{title} against Nmax",
        words=f"{title} at Nmax, averaged over topics",
        x="Nmax, documents that the reader looks at",
        y=title,
        curves=tuple(
            tuple(
                (float(cutoff), value, f"Nmax {cutoff}, {measure} {value:.4f}")
                for cutoff in report.grid
                if not math.isnan(value := report.summary(run, f"{measure}_{cutoff}"))
            )
            for run in range(len(report.names))
        ),
        logarithmic=True,
        last=float(max(report.grid)),
    )


def roc(report: Report) -> Graph:
    """Recall against fallout."""
    return Graph(
        name="ROC",
        title="ROC",
        words=(
            "Recall against fallout (share of the collection's other documents that were retrieved), averaged"
            f" over topics; {report.options.num_docs_in_coll} documents in the collection"
        ),
        x="Fallout",
        y="Recall",
        curves=tuple(
            tuple(
                (
                    point.fallout,
                    point.recall,
                    ("all retrieved, " if point.rank is None else f"rank {point.rank}, ")
                    + f"fallout {point.fallout:.3g}, recall {point.recall:.4f}",
                )
                for point in roc_curve(report, run)
            )
            for run in range(len(report.names))
        ),
        last=None,
    )
