"""Ranked topics of which only the judged documents are kept."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import AnyInts, IntArray
from pres_eval.records import dataclass

Scores = NDArray[np.float64] | NDArray[np.float32]
"""Scores of runs: doubles, or floats as trec_eval 9.0.8 has them."""


@dataclass(frozen=True, eq=False)
class Ties:
    """E judged documents whose score other retrieved documents of their topic have too.

    document  (E,) which of the D judged documents of a ranking each is, ascending
    first     (E,) the rank at which its tie, the group of equal scores, begins
    size      (E,) documents in the tie, judged or not
    """

    document: IntArray
    first: IntArray
    size: IntArray

    @staticmethod
    def sorted_by_document(document: IntArray, first: IntArray, size: IntArray) -> Ties:
        """Return the ties (E,) of documents that come in any order."""
        order = np.argsort(document)
        return Ties(document[order], first[order], size[order])

    def moved(self, new: IntArray) -> Ties:
        """Return the ties after document i became document new[i] (D,); those that become -1 are left out."""
        document = new[self.document]
        remaining = np.flatnonzero(document >= 0)
        return Ties.sorted_by_document(document[remaining], self.first[remaining], self.size[remaining])

    def among(self, rows: IntArray | slice) -> Ties:
        """Return the ties of some of the judged documents (n,), which become documents 0, 1, ...

        rows  indices, ascending, or a slice with a start and a stop
        """
        if not len(self.document):
            return self
        # Not by a table of all documents, of which there may be millions in many blocks.
        if isinstance(rows, slice):
            begin, end = np.searchsorted(self.document, (rows.start, rows.stop)).tolist()
            chosen = slice(begin, end)
            return Ties(self.document[chosen] - rows.start, self.first[chosen], self.size[chosen])
        # For each row the first tied document at or behind it, which may be the row itself.
        nearest = np.searchsorted(self.document, rows)
        nearest = np.minimum(nearest, len(self.document) - 1)
        tied_rows = np.flatnonzero(self.document[nearest] == rows)
        chosen_ties = nearest[tied_rows]
        return Ties(tied_rows, self.first[chosen_ties], self.size[chosen_ties])


_NO_ROWS = np.zeros(0, np.int64)
NO_TIES = Ties(_NO_ROWS, _NO_ROWS, _NO_ROWS)


@dataclass(frozen=True, eq=False)
class Ranked:
    """S topics of a run, of which only the D judged documents are kept.

    topic           (S,) indices of the pool's topics
    num_ret         (S,) documents retrieved, judged or not
    offsets         (S+1,) where the judged documents of each topic begin among the D
    rank, document  (D,) ranks from 1, ascending in each topic; indices of the pool's documents; both in as
                    few bytes as the largest needs
    ties            those of the D documents that share their score with other documents of their topic
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
    """Return the same topics with some of their judged documents alone: rows (n,) of the D, ascending."""
    offsets = np.searchsorted(rows, ranked.offsets)
    ties = ranked.ties.among(rows)
    return replace(ranked, offsets=offsets, rank=ranked.rank[rows], document=ranked.document[rows], ties=ties)


NO_TOPICS = Ranked(_NO_ROWS, _NO_ROWS, np.zeros(1, np.int64), _NO_ROWS, _NO_ROWS, NO_TIES)
"""A run without topics."""


def inverse(order: IntArray) -> IntArray:
    """Return the inverse (n,) of a permutation: where the order 2 0 1 puts each row, which is 1 2 0."""
    positions = np.empty(len(order), np.int64)
    positions[order] = np.arange(len(order))
    return positions
