"""Samples to judge: of the pooled documents, those that were drawn within strata of ranks."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.pooling import Key, ToJudge
from pres_eval.analysis.randomness import RandomStream
from pres_eval.errors import UsageError, decimal_comma, quoted

NOT_DRAWN, TO_JUDGE = "-1", "?"
"""What stands for the relevance of documents: what was drawn cannot be read before somebody judged it."""


@dataclass(frozen=True)
class RankStratum:
    """Documents whose best rank in any run is from `first` to `last`, of which a share is drawn."""

    first: int
    last: int
    share: float

    @classmethod
    def read(cls, text: str) -> tuple[RankStratum, ...]:
        """Read `1-10:1.0,11-100:0.1`.  Raises UsageError for ranks out of order, and shares beyond 0 to 1."""
        found: list[RankStratum] = []
        for part in text.split(","):
            match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9}):([0-9]*\.?[0-9]+)", part)
            last = found[-1].last if found else 0
            if match is None or not last < int(match[1]) <= int(match[2]) or not 0 < float(match[3]) <= 1:
                raise UsageError(
                    f"--strata {text}: found {quoted(part)}, expected FIRST-LAST:SHARE with ranks above"
                    f" {last} and a share above 0 and at most 1, as 1-10:1,11-100:0.1{decimal_comma(text)}"
                )
            found.append(cls(int(match[1]), int(match[2]), float(match[3])))
        return tuple(found)


@dataclass(frozen=True)
class DrawnPool:
    """The pooled documents of strata: number of the stratum of each, from 1; and which were drawn."""

    stratum: Mapping[Key, int]
    drawn: frozenset[Key]

    def lines(self, grades: Mapping[Key, int]) -> bytes:
        """Return judgements of the format strata, with the grades that are known."""
        return b"".join(
            b"%s 0 %s %d %s\n" % (*key, number, self._relevance(key, grades).encode())
            for key, number in sorted(self.stratum.items())
        )

    def _relevance(self, key: Key, grades: Mapping[Key, int]) -> str:
        return str(grades.get(key, TO_JUDGE)) if key in self.drawn else NOT_DRAWN


def draw(documents: Iterable[ToJudge], strata: Sequence[RankStratum], seed: int) -> DrawnPool:
    """Draw of each topic's documents in each stratum the share of it, rounded half up, at least one.

    Which ones depends on the seed, the topic, the number of the stratum, and its documents alone.
    """
    found: dict[tuple[bytes, int], list[Key]] = {}
    for one in documents:
        for number, stratum in enumerate(strata, 1):
            if stratum.first <= one.best <= stratum.last:
                found.setdefault((one.topic, number), []).append((one.topic, one.document))
    drawn: list[Key] = []
    for (topic, number), keys in found.items():
        wanted = max(int(len(keys) * strata[number - 1].share + 0.5), 1)
        keys.sort()
        order = np.argsort(RandomStream(seed, number, zlib.crc32(topic)).words(len(keys)), kind="stable")
        drawn += [keys[place] for place in order[:wanted].tolist()]
    return DrawnPool({key: number for (_, number), keys in found.items() for key in keys}, frozenset(drawn))
