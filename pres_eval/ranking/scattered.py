"""Documents of a run that are kept until all of their topic are there: 8 or 12 bytes and the id for each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import ragged
from pres_eval.arrays.growing import Growing, GrowingIds
from pres_eval.arrays.ordering import stable_order
from pres_eval.arrays.ragged import blocks
from pres_eval.arrays.types import IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.options import ERROR
from pres_eval.ranking.order import rank_topics
from pres_eval.ranking.ranked import Ranked, Scores, Topics
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass
from pres_eval.workers import in_order

SORTED = 1 << 20
"""Rows that are sorted by topic at a time, so that little memory is taken for it."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents of judged topics, cut loose from their chunk."""

    topic: NDArray[np.int32]
    scores: Scores
    ids: WordIds


class Collected:
    """The rows kept so far, in the order of the file."""

    def __init__(self, single: bool) -> None:
        self._topic = Growing(np.int32)
        self._scores = Growing(np.float32 if single else np.float64)
        self._ids = GrowingIds()

    def __len__(self) -> int:
        return len(self._topic)

    def add(self, rows: Rows) -> None:
        """Keep some more."""
        self._topic.append(rows.topic)
        self._scores.append(rows.scores)
        self._ids.append(rows.ids)

    def rows(self) -> Rows:
        """All of them."""
        return Rows(self._topic.values(), self._scores.values(), self._ids.ids())

    def last_topic(self) -> int:
        """The topic of the last row; there must be one."""
        return int(self._topic.values()[-1])

    def rank(
        self,
        pool: Pool,
        ranked: Topics,
        jobs: int,
        most: int | None,
        *,
        ascending: bool,
        duplicates: str = ERROR,
        topics: IntArray | None = None,
    ) -> None:
        """Rank all of them, some topics at a time, in whatever order they came.

        `topics` (S,): what the numbers of topics that were collected mean, if not themselves.
        """
        scores, ids = self._scores.values(), self._ids.ids()

        def rank_block(block: _Block) -> Ranked:
            return rank_topics(
                pool,
                block.topics if topics is None else topics[block.topics],
                block.offsets,
                scores[block.rows],
                ids.pick(block.rows),
                most,
                ascending=ascending,
                duplicates=duplicates,
            )

        for part in in_order(rank_block, self._blocks(len(ids.columns)), jobs):
            ranked.add(part)

    def _blocks(self, num_columns: int) -> Iterator[_Block]:
        """The rows by topic; their ids have so many columns."""
        topic = self._topic.values()
        counts = np.bincount(topic)
        present = np.flatnonzero(counts)
        offsets = np.concatenate(([0], np.cumsum(counts[present])))
        # What is looked at together should not grow with the length of ids.
        together = ragged.BLOCK * 2 // max(num_columns, 2)
        is_sorted = not (topic[1:] < topic[:-1]).any()
        for first, last in blocks(offsets, max(SORTED, len(topic) // 16)):
            begin = int(offsets[first])
            order = None if is_sorted else _by_topic(topic, int(present[first]), int(present[last - 1]))
            for start, stop in blocks(offsets[first : last + 1], together):
                own = offsets[first + start : first + stop + 1]
                rows: slice | IntArray = slice(int(own[0]), int(own[-1]))
                if order is not None:
                    rows = order[int(own[0]) - begin : int(own[-1]) - begin]
                yield _Block(present[first + start : first + stop], own - own[0], rows)


@dataclass(frozen=True, eq=False)
class _Block:
    """Some topics, where each begins, and their rows."""

    topics: IntArray
    offsets: IntArray
    rows: IntArray | slice


def _by_topic(topic: NDArray[np.int32], low: int, high: int) -> IntArray:
    """(n,) the rows of the topics low ... high, by topic, of N rows."""
    rows = np.flatnonzero((topic >= low) & (topic <= high))
    return rows[stable_order(topic[rows] - low, high - low + 1)]
