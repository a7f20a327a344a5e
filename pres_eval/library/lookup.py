"""The judged documents of each topic as Python's dicts and as numbers, to look up what comes as such."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from pres_eval.arrays.types import IntArray
from pres_eval.library.texts import decode, encode, texts_of
from pres_eval.reading.pool import Pool


@dataclass(frozen=True, eq=False)
class JudgedNumbers:
    """J judged documents whose ids are whole numbers, by topic and number.

    distinct  all such numbers, ascending, each once
    key       (J,) topic * len(distinct) + place of the number in `distinct`, ascending
    document  (J,) the index of each in the pool
    """

    distinct: IntArray
    key: IntArray
    document: IntArray


class Lookup:
    """Finds topics and documents of a pool by what Python calls them; made when it is first used."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @cached_property
    def topics(self) -> dict[str, int]:
        """The topics and their indices in the pool."""
        return {topic: place for place, topic in enumerate(texts_of(self._pool.topics))}

    @cached_property
    def documents(self) -> list[dict[str, int]]:
        """For each topic its documents and their indices in the pool."""
        ids = texts_of(self._pool.documents)
        offsets = self._pool.offsets.tolist()
        return [
            dict(zip(ids[start:stop], range(start, stop), strict=True)) for start, stop in pairwise(offsets)
        ]

    @cached_property
    def numbers(self) -> JudgedNumbers:
        """The documents whose ids are whole numbers below 2**63, written without sign or leading zeros."""
        rows, values = [], []
        for row, text in enumerate(self._pool.documents):
            if text.isdigit() and (text == b"0" or not text.startswith(b"0")) and int(text) < 2**63:
                rows.append(row)
                values.append(int(text))
        numbers, document = np.array(values, np.int64), np.array(rows, np.int64)
        distinct, place = np.unique(numbers, return_inverse=True)
        key = self._pool.topic_of[document] * max(len(distinct), 1) + place
        order = np.argsort(key, kind="stable")
        return JudgedNumbers(distinct, key[order], document[order])

    def place(self, topic: Any, name: str) -> int | None:
        """The index of a topic in the pool, None for one without judgements."""
        return self.topics.get(topic if isinstance(topic, str) else decode(encode(topic, name)))
