"""The curves of the papers' figures, for the relevant documents of a topic and their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """Precision against recall of one topic.

    recall, precision        the saw-tooth: at each relevant document, and just before the next
    levels, interpolated     the highest precision at that recall or beyond
    break_even               precision where it equals recall: at rank n, of n relevant documents
    """

    recall: FloatArray
    precision: FloatArray
    levels: FloatArray
    interpolated: FloatArray
    break_even: float


def precision_recall(ranks: Sequence[int], relevant: int, retrieved: int) -> PrecisionRecall:
    """Return the curve of a topic, from its number of relevant documents and the ranks of those found.

    Precision falls from one relevant document to the next, and after the last of them to the end of the
    ranking.
    Source: Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, 8.4.
    """
    ordered = np.array(sorted(ranks), np.int64)
    numbers = np.arange(1, len(ordered) + 1)
    before_next = np.append(ordered, retrieved + 1)[1:] - 1
    peaks = numbers / ordered
    levels = numbers / max(relevant, 1)
    return PrecisionRecall(
        recall=np.repeat(levels, 2),
        precision=np.column_stack((peaks, numbers / np.maximum(ordered, before_next))).ravel(),
        levels=levels,
        interpolated=np.maximum.accumulate(peaks[::-1])[::-1],
        break_even=int(np.count_nonzero(ordered <= relevant)) / relevant if relevant else 0.0,
    )


@dataclass(frozen=True, eq=False)
class Roc:
    """Recall against fallout, from (0, 0) to (1, 1), and the area under it."""

    fallout: FloatArray
    recall: FloatArray
    area: float


def roc(ranks: Sequence[int], relevant: int, retrieved: int, collection: int) -> Roc:
    """Return the ROC curve of a topic in a collection of this size.

    What was not retrieved follows in an unknown order: a straight line to (1, 1).  The area is
    the chance that a relevant document comes before one that is not (AUC); nan if there is none of either.
    Source: Robertson, Journal of Documentation 1969, doi:10.1108/eb026466.
    """
    others = collection - relevant
    if not relevant or others <= 0:
        return Roc(np.zeros(1), np.zeros(1), float("nan"))
    ordered = np.array(sorted(ranks), np.int64)
    numbers = np.arange(1, len(ordered) + 1)
    steps = np.column_stack((numbers - 1, numbers)).ravel() / relevant
    last = (retrieved - len(ordered)) / others, len(ordered) / relevant
    x = np.concatenate(([0.0], np.repeat((ordered - numbers) / others, 2), [last[0], 1.0]))
    y = np.concatenate(([0.0], steps, [last[1], 1.0]))
    return Roc(x, y, float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum()))


def normalised_recall(ranks: Sequence[int], relevant: int, collection: FloatArray) -> FloatArray:
    """Return Rnorm (n,) of one topic for collections of these sizes (figure 2 of Magdy & Jones).

    Formula:  1 - (Σ r_i - n (n + 1) / 2) / (n (N - n)), what was not found at the end of the collection
    Source: Magdy & Jones, SIGIR 2010, doi:10.1145/1835449.1835551, equation 2.
    """
    n, found = relevant, len(ranks)
    if not n:
        return np.zeros(len(collection))
    missing = n - found
    at_the_end = missing * collection - missing * (missing - 1) / 2
    total = float(sum(ranks)) + at_the_end
    return np.asarray(1 - (total - n * (n + 1) / 2) / (n * (collection - n)), np.float64)


def pres_of_average_rank(average: FloatArray, recall: float, relevant: int, nmax: int) -> FloatArray:
    """Return (n,) PRES of a topic whose found documents have this average rank (figure 4a of Magdy & Jones).

    Formula:  1 - (R a + (1 - R) (Nmax + (R n + 1 + n) / 2) - (n + 1) / 2) / Nmax: the missing ones count with
      the ranks Nmax + R n + 1 ... Nmax + n
    """
    n, found = relevant, recall * relevant
    missing = nmax + (found + 1 + n) / 2
    return np.asarray(1 - (recall * average + (1 - recall) * missing - (n + 1) / 2) / nmax, np.float64)


def pres_of_one(rank: IntArray, nmax: int) -> FloatArray:
    """Return (n,) PRES where one document is relevant, at this rank (figure 4b): 1 - (r - 1) / Nmax, or 0."""
    return np.where(rank <= nmax, 1 - (rank - 1) / nmax, 0.0)
