"""Ranked topics of which only the judged documents are kept, and how they are collected."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.growing import Growing
from pres_eval.arrays.ragged import gathered
from pres_eval.arrays.types import AnyInts, IntArray
from pres_eval.records import dataclass

Scores = NDArray[np.float64] | NDArray[np.float32]


def in_precision(scores: NDArray[Any], single: bool) -> Scores:
    """(N,) the scores as trec_eval keeps them: in single precision, or as they are."""
    if not single:
        return scores
    with np.errstate(over="ignore"):
        # trec_eval: 9.0.8 keeps scores in 32 bits, so that near ones tie.
        return scores.astype(np.float32)


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
        """Ties (E,) whose documents are in any order."""
        order = np.argsort(document)
        return Ties(document[order], first[order], size[order])

    def moved(self, new: IntArray) -> Ties:
        """The same where document i has become document new[i] (D,); one that became -1 is left out."""
        if not len(self.document):
            return self
        document = new[self.document]
        kept = np.flatnonzero(document >= 0)
        return Ties.at(document[kept], self.first[kept], self.size[kept])

    def of(self, rows: IntArray | slice) -> Ties:
        """Those of some documents (n,), which become documents 0, 1, ..."""
        if not len(self.document):
            return self
        # Not by a table of all documents, of which there may be millions in many blocks.
        if isinstance(rows, slice):
            begin, end = np.searchsorted(self.document, (rows.start, rows.stop)).tolist()
            return Ties(self.document[begin:end] - rows.start, self.first[begin:end], self.size[begin:end])
        place = np.minimum(np.searchsorted(self.document, rows), len(self.document) - 1)
        kept = np.flatnonzero(self.document[place] == rows)
        return Ties(kept, self.first[place[kept]], self.size[place[kept]])


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


class Topics:
    """Collects what was ranked."""

    def __init__(self) -> None:
        self._alone: Ranked | None = None
        self._num_parts = 0
        self._num_dropped = 0

    def add(self, part: Ranked) -> None:
        """Keep some more topics; none may be in two parts."""
        self._num_parts += 1
        if self._num_parts == 1:  # a small run has no other part, and nothing has to be copied
            self._alone = part
            return
        if self._alone is not None:
            self._make_room()
            self._append(self._alone)
            self._alone = None
        self._append(part)

    def _make_room(self) -> None:
        self._topic, self._num_ret, self._counts = Growing(np.int64), Growing(np.int64), Growing(np.int64)
        self._rank, self._document = Growing(np.int8), Growing(np.int8)
        self._tied, self._first, self._size = Growing(np.int64), Growing(np.int64), Growing(np.int64)

    def _append(self, part: Ranked) -> None:
        self._topic.append(part.topic)
        self._num_ret.append(part.num_ret)
        self._counts.append(np.diff(part.offsets))
        self._num_dropped += part.num_dropped
        if len(part.ties.document):
            self._tied.append(part.ties.document + len(self._rank))
            self._first.append(part.ties.first)
            self._size.append(part.ties.size)
        self._rank.append(part.rank)
        self._document.append(part.document)

    def ranked(self) -> Ranked:
        """All topics, in the pool's order."""
        if self._alone is not None:
            return in_pool_order(_alone(self._alone))
        if not self._num_parts:
            self._make_room()
        return in_pool_order(
            Ranked(
                topic=self._topic.values(),
                num_ret=self._num_ret.values(),
                offsets=np.concatenate(([0], np.cumsum(self._counts.values()))),
                rank=self._rank.values(),
                document=self._document.values(),
                ties=Ties(self._tied.values(), self._first.values(), self._size.values()),
                num_dropped=self._num_dropped,
            )
        )


def _alone(part: Ranked) -> Ranked:
    """A part as no more than what it is: without what a whole Ranking has besides."""
    return Ranked(
        topic=part.topic,
        num_ret=part.num_ret,
        offsets=part.offsets,
        rank=part.rank,
        document=part.document,
        ties=part.ties,
        num_dropped=part.num_dropped,
    )


def in_pool_order(ranked: Ranked) -> Ranked:
    """The same topics in the pool's order."""
    topic, ties, before = ranked.topic, ranked.ties, ranked.offsets
    if not (topic[1:] < topic[:-1]).any():
        return ranked
    order = np.argsort(topic, kind="stable")
    starts, lengths = before[:-1][order], np.diff(before)[order]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    own = np.searchsorted(before, ties.document, side="right") - 1
    return Ranked(
        topic=topic[order],
        num_ret=ranked.num_ret[order],
        offsets=offsets,
        rank=gathered(ranked.rank, starts, lengths),
        document=gathered(ranked.document, starts, lengths),
        ties=Ties.at(ties.document - before[own] + offsets[inverse(order)[own]], ties.first, ties.size),
        num_dropped=ranked.num_dropped,
    )


def inverse(order: IntArray) -> IntArray:
    """(n,) where each row has gone: the inverse of a permutation."""
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    return new
