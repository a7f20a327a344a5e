"""Places of documents in their rankings: some of each topic, and those that share a score with others."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import AnyArray, FloatArray, IntArray, accumulate
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """Some documents of T topics, to be counted and added up down to many ranks.

    rows     (R,) which of the batch's documents they are, ascending
    offsets  (T+1,) where each topic's begin
    keys     (R,) topic * width + rank, ascending
    width    more than any rank
    """

    rows: IntArray
    offsets: IntArray
    keys: IntArray
    width: int

    def of(self, values: AnyArray) -> AnyArray:
        """Return those of the batch's values (D,) that are of these documents: (R,)."""
        return values if len(self.rows) == len(values) else values[self.rows]

    def within(self, rank: int | IntArray) -> IntArray:
        """Count the documents of each topic down to a rank.

        One rank for all or one a topic (T,) gives (T,); several for all (C, 1) give (C, T).
        """
        below = np.arange(len(self.offsets) - 1) * self.width
        last = below + np.minimum(rank, self.width - 1)
        return np.searchsorted(self.keys, last, "right") - self.offsets[:-1]

    def running(self, values: FloatArray) -> FloatArray:
        """Return running sums (R+1,) of the documents' values, in order in each topic; then a 0."""
        return np.concatenate((accumulate(np.add, values, self.offsets), [0.0]))

    def at(self, running: FloatArray, count: IntArray) -> FloatArray:
        """Return running sums over the first `count` documents of each topic, (T,) or (C, T)."""
        values: FloatArray = running[np.where(count > 0, self.offsets[:-1] + count - 1, -1)]
        return values


def heads_of_ties(first: IntArray, topic_of: IntArray) -> IntArray:
    """Return the documents (G,) that begin ties, of (n,) with the first rank of their tie and their topic."""
    return np.flatnonzero((np.diff(first, prepend=-1) != 0) | (np.diff(topic_of, prepend=-1) != 0))


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The group of equal scores of each of D documents: of one document where there is no tie.

    first  (D,) the rank at which the group begins
    size   (D,) documents in it, judged or not
    """

    first: IntArray
    size: IntArray

    def take(self, rows: slice) -> TieGroups:
        """Return those of some documents."""
        return TieGroups(self.first[rows], self.size[rows])

    def among(self, rows: IntArray, offsets: IntArray) -> TieGroups:
        """Return the groups with only these documents (K,); topics begin at offsets (T+1,) in them."""
        if not len(rows):
            return TieGroups(rows, rows)
        topic_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        first = self.first[rows]
        begins = heads_of_ties(first, topic_of)
        size = np.diff(np.append(begins, len(rows)))
        return TieGroups(np.repeat(begins - offsets[topic_of[begins]] + 1, size), np.repeat(size, size))
