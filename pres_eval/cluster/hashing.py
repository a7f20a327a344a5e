"""Documents that come twice, found by hashes: those of all rows, then the rows of those that came twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.types import IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.cluster.scanning import Scan, Tally, Wanted, cut_loose
from pres_eval.cluster.splits import Split
from pres_eval.ranking.ranked import Scores
from pres_eval.records import dataclass


@dataclass(frozen=True)
class Hashing:
    """How rows are hashed, the same way in all processes; and which share of the hashes is wanted.

    seed           at least EVERY_PROCESS
    share, shares  from 0, out of so many
    """

    seed: int
    share: int = 0
    shares: int = 1

    def keys(self, topic: IntArray, ids: Ids | WordIds) -> Words:
        """(N,) a hash of each topic and document."""
        keys = ids.hashes(self.seed)
        keys += topic.astype(np.uint64) * np.uint64(self.seed % 2**64 | 1)
        return keys


@dataclass(frozen=True, eq=False)
class HashedSplit:
    """Hashes of a share of the rows of a split that belong to judged topics."""

    tally: Tally
    keys: Words


def map_hashed(split: Split, wanted: Wanted, hashing: Hashing) -> HashedSplit:
    """Hash the rows of a split, to find documents that come twice."""
    scan = Scan(split, wanted, between_topics=False)
    kept = [np.zeros(0, np.uint64)]
    for block in scan.blocks():
        keys = hashing.keys(block.topic_of(), block.ids)
        if hashing.shares > 1:
            keys = keys[(keys >> np.uint64(32)) % np.uint64(hashing.shares) == np.uint64(hashing.share)]
        kept.append(keys)
    return HashedSplit(scan.tally, np.concatenate(kept))


@dataclass(frozen=True, eq=False)
class RowsSplit:
    """The rows of a split that have some hashes.

    topic, scores, ids, place  (N,); places are lines from 1, or rows from 0, in the split
    """

    tally: Tally
    topic: IntArray
    scores: Scores
    ids: WordIds
    place: IntArray


def map_rows(split: Split, wanted: Wanted, hashing: Hashing, keys: NDArray[np.uint64]) -> RowsSplit:
    """The rows of a split that have one of these hashes (ascending)."""
    scan = Scan(split, wanted, between_topics=False)
    parts: list[tuple[IntArray, Scores, WordIds, IntArray]] = []
    for block in scan.blocks():
        topic = block.topic_of()
        own = hashing.keys(topic, block.ids)
        place = np.minimum(np.searchsorted(keys, own), len(keys) - 1)
        rows = np.flatnonzero(keys[place] == own)
        if len(rows):
            ids = cut_loose(block.ids.take(rows))
            parts.append((topic[rows], block.scores[rows], ids, block.place_of(rows)))
    if not parts:
        nothing = np.zeros(0, np.int64)
        return RowsSplit(scan.tally, nothing, wanted.cast(np.zeros(0)), WordIds.of(Ids.of([])), nothing)
    return RowsSplit(
        scan.tally,
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        WordIds.concatenate([part[2] for part in parts]),
        np.concatenate([part[3] for part in parts]),
    )
