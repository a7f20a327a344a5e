"""Ranked topics of which only the judged documents are kept."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import AnyInts, IntArray
from pres_eval.records import dataclass

Scores = NDArray[np.float64] | NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Ties:
    """E judged documents whose score other retrieved documents of their topic have too.

    document  (E,) which of the D judged documents of a ranking each is, ascending
    first     (E,) the rank at which its group of equal scores begins
    size      (E,) documents in the group, judged or not
    """

    document: IntArray
    first: IntArray
    size: IntArray

    @staticmethod
    def at(document: IntArray, first: IntArray, size: IntArray) -> Ties:
        """Return the ties (E,) whose documents are in any order."""
        order = np.argsort(document)
        return Ties(document[order], first[order], size[order])

    def moved(self, new: IntArray) -> Ties:
        """Return the same with document i as document new[i] (D,); those that become -1 are left out."""
        document = new[self.document]
        left = np.flatnonzero(document >= 0)
        return Ties.at(document[left], self.first[left], self.size[left])

    def among(self, rows: IntArray | slice) -> Ties:
        """Return the ties of some documents (n,), which become documents 0, 1, ..."""
        if not len(self.document):
            return self
        # Not by a table of all documents, of which there may be millions in many blocks.
        if isinstance(rows, slice):
            begin, end = np.searchsorted(self.document, (rows.start, rows.stop)).tolist()
            return Ties(self.document[begin:end] - rows.start, self.first[begin:end], self.size[begin:end])
        nearest = np.minimum(np.searchsorted(self.document, rows), len(self.document) - 1)
        tied = np.flatnonzero(self.document[nearest] == rows)
        return Ties(tied, self.first[nearest[tied]], self.size[nearest[tied]])


_NONE = np.zeros(0, np.int64)
NO_TIES = Ties(_NONE, _NONE, _NONE)


@dataclass(frozen=True, eq=False)
class Ranked:
    """S topics of a run, of which only the D judged documents are kept.

    topic           (S,) indices of the pool's topics
    num_ret         (S,) documents retrieved
    offsets         (S+1,) where each topic's documents begin
    rank, document  (D,) ranks from 1, in rank order; indices of the pool's documents; both in as few bytes
                    as the largest needs
    ties            those of the D documents that share their score with others
    num_dropped     rows that were left out because the topic has their document in another row
    """

    topic: IntArray
    num_ret: IntArray
    offsets: IntArray
    rank: AnyInts
    document: AnyInts
    ties: Ties
    num_dropped: int = field(default=0, kw_only=True)


AnyRanked = TypeVar("AnyRanked", bound="Ranked")


def only(ranked: AnyRanked, rows: IntArray) -> AnyRanked:
    """Return the same topics with some of their documents (n,), which ascend."""
    return replace(
        ranked,
        offsets=np.searchsorted(rows, ranked.offsets),
        rank=ranked.rank[rows],
        document=ranked.document[rows],
        ties=ranked.ties.among(rows),
    )


NOTHING = Ranked(_NONE, _NONE, np.zeros(1, np.int64), _NONE, _NONE, NO_TIES)


def inverse(order: IntArray) -> IntArray:
    """Return (n,) where each row has gone: the inverse of a permutation."""
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    return new
