"""The judged documents of each topic as Python's dicts and as numbers, to look up runs of either kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from pres_eval.arrays import IntArray, WordIds, consecutive, lengths_at
from pres_eval.library.texts import decode, encode, texts_of
from pres_eval.reading.pool import Pool


@dataclass(frozen=True, eq=False)
class JudgedNumbers:
    """J judged documents whose ids are whole numbers, by topic.

    offsets   (T+1,) where those of each topic of the pool begin
    number    (J,)
    document  (J,) the index of each in the pool
    """

    offsets: IntArray
    number: IntArray
    document: IntArray

    def of(self, topics: IntArray) -> tuple[IntArray, WordIds, IntArray]:
        """Return how many some topics have (S,), and their numbers, as words, and documents (n,)."""
        counts = lengths_at(self.offsets, topics)
        rows = consecutive(self.offsets[topics], counts)[0]
        return counts, WordIds([self.number[rows].view(np.uint64)]), self.document[rows]


@dataclass(frozen=True, eq=False)
class Lookup:
    """Index of topics and documents of a pool by Python's objects; made when it is first used."""

    pool: Pool

    @cached_property
    def topics(self) -> dict[str, int]:
        """The topics and their indices in the pool."""
        return {topic: place for place, topic in enumerate(texts_of(self.pool.topics))}

    @cached_property
    def documents(self) -> list[dict[str, int]]:
        """For each topic its documents and their indices in the pool."""
        ids = texts_of(self.pool.documents)
        offsets = self.pool.offsets.tolist()
        return [
            dict(zip(ids[start:stop], range(start, stop), strict=True)) for start, stop in pairwise(offsets)
        ]

    @cached_property
    def numbers(self) -> JudgedNumbers:
        """The documents whose ids are whole numbers below 2**63, written without sign or leading zeros."""
        texts = list(self.pool.documents)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        digits = np.fromiter(map(bytes.isdigit, texts), np.bool_, len(texts))
        rows = np.flatnonzero(digits & (lengths < 20))
        values = np.fromiter([int(texts[row]) for row in rows.tolist()], np.uint64, len(rows))
        shortest = (values >= np.uint64(10) ** (lengths[rows] - 1).astype(np.uint64)) | (lengths[rows] == 1)
        kept = np.flatnonzero(shortest & (values < 2**63))
        numbers, document = values[kept].astype(np.int64), rows[kept]
        return JudgedNumbers(np.searchsorted(document, self.pool.offsets), numbers, document)

    def place(self, topic: Any, name: str) -> int | None:
        """Return the index of a topic in the pool, None for one without judgements."""
        return self.topics.get(topic if isinstance(topic, str) else decode(encode(topic, name)))
