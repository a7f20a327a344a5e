"""Documents of a run that are kept until all of their topic are there: 8 or 12 bytes and the id for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.batch import IntArray
from pres_eval.ranking import Ranked, Scores, concatenate, rank_topics
from pres_eval.reading.keys import WordIds
from pres_eval.reading.pool import Pool

BLOCK = 1 << 17
"""Documents that are ranked at a time."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents of judged topics, cut loose from their chunk."""

    topic: NDArray[np.int32]
    scores: Scores
    ids: WordIds


class _Column:
    """An array that grows at its end without being copied: pages move, and unused ones are never touched."""

    def __init__(self, dtype: Any) -> None:
        self._values = np.empty(1 << 16, dtype)
        self._length = 0

    def append(self, values: NDArray[Any]) -> None:
        """Add values at the end."""
        stop = self._length + len(values)
        if stop > len(self._values):
            self._values.resize(stop + stop // 2, refcheck=False)
        self._values[self._length : stop] = values
        self._length = stop

    def values(self) -> NDArray[Any]:
        """All values."""
        return self._values[: self._length]

    def pad(self, length: int) -> None:
        """Add zeros up to a length."""
        self.append(np.zeros(length - self._length, self._values.dtype))


class Collected:
    """The rows kept so far, in the order of the file."""

    def __init__(self, single: bool) -> None:
        self._topic = _Column(np.int32)
        self._scores = _Column(np.float32 if single else np.float64)
        self._words: list[_Column] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, rows: Rows) -> None:
        """Keep some more."""
        self._topic.append(rows.topic)
        self._scores.append(rows.scores)
        for number, column in enumerate(rows.ids.columns):
            if number == len(self._words):
                self._words.append(_Column(np.uint64))
                self._words[number].pad(self._length)
            self._words[number].append(column)
        self._length += len(rows.topic)
        for words in self._words[len(rows.ids.columns) :]:
            words.pad(self._length)

    def last_topic(self) -> int:
        """The topic of the last row; there must be one."""
        return int(self._topic.values()[-1])

    def rank(self, pool: Pool, most: int | None, *, ascending: bool) -> Ranked:
        """Rank all of them, some topics at a time, in whatever order they came."""
        topic, scores = self._topic.values(), self._scores.values()
        ids = WordIds([words.values() for words in self._words])
        order: IntArray | None = None
        if (topic[1:] < topic[:-1]).any():
            few = len(pool.topics) < 2**16  # then the sort is by digits, in linear time
            order = np.argsort(topic.astype(np.uint16) if few else topic, kind="stable")
        counts = np.bincount(topic, minlength=len(pool.topics))
        present = np.flatnonzero(counts)
        offsets = np.concatenate(([0], np.cumsum(counts[present])))
        ranked = []
        start = 0
        while start < len(present):
            stop = max(int(np.searchsorted(offsets, offsets[start] + BLOCK, side="right")) - 1, start + 1)
            rows = slice(int(offsets[start]), int(offsets[stop]))
            chosen = ids.pick(rows if order is None else order[rows])
            ranked.append(
                rank_topics(
                    pool,
                    present[start:stop],
                    offsets[start : stop + 1] - offsets[start],
                    scores[rows if order is None else order[rows]],
                    chosen.hashes(pool.seed),
                    chosen,
                    most,
                    ascending=ascending,
                )
            )
            start = stop
        return concatenate(ranked)
