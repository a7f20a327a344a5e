"""Samples to judge: of the pooled documents, those that were drawn within strata of ranks."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.pooling import Key, ToJudge
from pres_eval.analysis.randomness import RandomStream
from pres_eval.arrays.types import BoolArray, IntArray
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
        """Read `1-10:1.0,11-100:0.1`.  Raises UsageError for ranks out of order, shares beyond 0 to 1.

        Ranks between two strata would never be drawn, and what is inferred would be too low.
        """
        found: list[RankStratum] = []
        for part in text.split(","):
            match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9}):([0-9]*\.?[0-9]+)", part)
            last = found[-1].last if found else 0
            if (
                match is None
                or not last + 1 == int(match[1]) <= int(match[2])
                or not 0 < float(match[3]) <= 1
            ):
                raise UsageError(
                    f"--strata {text}: found {quoted(part)}, expected FIRST-LAST:SHARE with ranks from"
                    f" {last + 1} on and a share above 0 and at most 1, as 1-10:1,11-100:0.1"
                    f"{decimal_comma(text)}"
                )
            found.append(cls(int(match[1]), int(match[2]), float(match[3])))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class DrawnPool:
    """The pooled documents of strata, n of them.

    stratum  (n,) the number of the stratum of each, from 1
    drawn    (n,) which of them were drawn
    """

    documents: ToJudge
    stratum: IntArray
    drawn: BoolArray

    def lines(self, grades: Mapping[Key, int]) -> bytes:
        """Return judgements of the format strata, with the grades that are known."""
        rows = sorted(zip(self.documents.pairs(), self.stratum.tolist(), self.drawn.tolist(), strict=True))
        return b"".join(
            b"%s 0 %s %d %s\n"
            % (*key, number, str(grades.get(key, TO_JUDGE) if drawn else NOT_DRAWN).encode())
            for key, number, drawn in rows
        )


def draw(documents: ToJudge, strata: Sequence[RankStratum], seed: int) -> DrawnPool:
    """Draw of each topic's documents in each stratum the share of it, rounded half up, at least one.

    Which ones depends on the seed, the topic, the number of the stratum, and its documents alone.
    """
    numbers = np.zeros(len(documents), np.int64)
    drawn = np.zeros(len(documents), np.bool_)
    for number, stratum in enumerate(strata, 1):
        inside = np.flatnonzero((stratum.first <= documents.best) & (documents.best <= stratum.last))
        numbers[inside] = number
        _, first = np.unique(documents.topic_of[inside], return_index=True)
        for rows in np.split(inside, first)[1:]:
            own = sorted(rows.tolist(), key=documents.document.__getitem__)
            wanted = max(int(len(own) * stratum.share + 0.5), 1)
            seeds = seed, number, zlib.crc32(documents.topic[own[0]])
            order = np.argsort(RandomStream(*seeds).words(len(own)), kind="stable")
            drawn[[own[place] for place in order[:wanted].tolist()]] = True
    kept = np.flatnonzero(numbers)
    return DrawnPool(documents.take(kept), numbers[kept], drawn[kept])
