"""Finds the judged documents among rows of any topics, in any order."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.ids import Ids, odd_numbers
from pres_eval.arrays.matching import KeyTable
from pres_eval.arrays.types import AnyInts, BoolArray, IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.reading.pool import Pool

_SIEVE_BITS = 4
"""As many bits more than numbers of judged documents have: one row in 16 that was not judged passes."""


class Finder:
    """Finds the judged documents; has no state that changes, so that any thread may call it.

    Hashes depend on `seed` alone: from arrays.ids.EVERY_PROCESS on they are the same in every process.
    """

    def __init__(self, pool: Pool, seed: int) -> None:
        self.pool = pool
        self._topic_factor = np.uint64(odd_numbers(seed, 1)[0])
        topic_of = pool.topic_of
        for self._seed in range(seed + 1, seed + len(pool.documents) + 2):
            self._table = KeyTable(self.keys(topic_of, pool.documents))
            if not len(self._table.repeats()[0]):
                break
        bits = len(pool.documents).bit_length() + _SIEVE_BITS
        self._shift = np.uint64(64 - bits)
        self._sieve = np.zeros(1 << bits, np.bool_)
        self._sieve[self._table.keys >> self._shift] = True

    def keys(self, topic: AnyInts, ids: Ids | WordIds) -> Words:
        """(N,) hashes of topics, as indices of the pool's, and documents."""
        hashes = ids.hashes(self._seed)
        hashes += topic.astype(np.uint64) * self._topic_factor
        return hashes

    def find(
        self, topic: AnyInts, ids: Ids | WordIds, keys: Words | None = None
    ) -> tuple[IntArray, IntArray]:
        """(F,) which of N rows are judged documents, ascending, and (F,) which of the pool's these are.

        `keys` (N,) are made if they are not given.
        """
        keys = self.keys(topic, ids) if keys is None else keys
        rows = np.flatnonzero(self._sieve[(keys >> self._shift).view(np.int64)])
        document = self._table.find(keys[rows])
        rows, document = rows[document >= 0], document[document >= 0]
        same = WordIds.of(ids.take(rows)).equal(np.arange(len(rows)), self.pool.documents, document)
        same &= self._is_of(document, topic[rows])
        return rows[same], document[same]

    def _is_of(self, document: IntArray, topic: AnyInts) -> BoolArray:
        """(n,) whether documents of the pool are of these topics (n,)."""
        offsets = self.pool.offsets
        inside: BoolArray = (offsets[topic] <= document) & (document < offsets[topic + 1])
        return inside
