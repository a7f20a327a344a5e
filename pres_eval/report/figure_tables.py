"""The numbers of the papers' figures, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from pres_eval.analysis.explain import Explanation
from pres_eval.analysis.figures import PrecisionRecall, Roc
from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import FloatArray
from pres_eval.report.cells import Value
from pres_eval.report.layout import Table


def _figure(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[Value]], note: str = "", left: int = 1
) -> Table:
    return Table(
        name="figure", title=title, headings=headings, rows=rows, notes=(note,) if note else (), left=left
    )


def relevant_table(rows: Sequence[tuple[str, int]]) -> Table:
    """Return the table of each topic's number of relevant documents."""
    return _figure(f"Relevant documents of {plural(len(rows))}", ("topic", "relevant"), rows)


def precision_recall_table(
    topic: str, names: Sequence[str], found: Sequence[Explanation], curves: Sequence[PrecisionRecall]
) -> Table:
    """Precision and recall of runs on a topic, at each relevant document."""
    rows = [
        (name, rank, recall, precision, best, curve.break_even)
        for name, one, curve in zip(names, found, curves, strict=True)
        for rank, recall, precision, best in zip(
            sorted(one.ranks),
            curve.levels.tolist(),
            curve.precision[::2].tolist(),
            curve.interpolated.tolist(),
            strict=True,
        )
    ]
    return _figure(
        f"Precision and recall of topic {topic}, at each relevant document",
        ("run", "rank", "recall", "precision", "interpolated", "break_even"),
        rows,
        "break_even: precision at rank n of n relevant documents, where it equals recall",
    )


def roc_table(
    topic: str, num_docs: int, names: Sequence[str], found: Sequence[Explanation], curves: Sequence[Roc]
) -> Table:
    """The area under each run's curve on a topic, in a collection of so many documents."""
    rows = [
        (name, len(one.documents), len(one.ranks), curve.area)
        for name, one, curve in zip(names, found, curves, strict=True)
    ]
    return _figure(
        f"Area under the ROC curve (AUC) of topic {topic}, {num_docs} documents",
        ("run", "relevant", "found", "AUC"),
        rows,
        "what was not retrieved follows in an unknown order",
    )


def rnorm_table(topic: str, names: Sequence[str], sizes: FloatArray, values: NDArray[Any]) -> Table:
    """Normalised recall of R runs on a topic, in collections of S sizes: values (R, S)."""
    rows = [
        (name, int(size), value)
        for name, row in zip(names, values.tolist(), strict=True)
        for size, value in zip(sizes.tolist(), row, strict=True)
    ]
    return _figure(
        f"Normalised recall of topic {topic} in collections of N documents", ("run", "N", "Rnorm"), rows
    )


def pres_rank_table(nmax: int, rows: Sequence[tuple[str, bytes, float, float, float]]) -> Table:
    """PRES and the average rank of what was found: rows of run, topic, average rank, recall, PRES."""
    return _figure(
        f"PRES at {nmax} and the average rank of the relevant documents found",
        ("run", "topic", "average_rank", "recall", "PRES"),
        rows,
        left=2,
    )


def pres_mrr_table(nmax: int, names: Sequence[str], found: Sequence[Sequence[Explanation]]) -> Table:
    """PRES and reciprocal rank of each run on topics with one relevant document."""
    rows = []
    for name, topics in zip(names, found, strict=True):
        for one in topics:
            rank = one.documents[0].rank
            rows.append((name, one.topic, rank, one.score, 1 / rank if rank else 0.0))
    return _figure(
        f"Topics with one relevant document: PRES at {nmax} and reciprocal rank",
        ("run", "topic", "rank", "PRES", "reciprocal_rank"),
        rows,
        "" if rows else "no topic has one relevant document: the picture shows the curves alone",
        left=2,
    )
