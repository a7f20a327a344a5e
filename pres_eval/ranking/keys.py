"""Rows and their order: topic and score as one whole number, and which row of a document counts."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import AnyInts, IntArray, Matches, Words
from pres_eval.ranking.ranked import Scores


def score_keys(scores: Scores) -> Words:
    """Return whole numbers (N,) that ascend as the scores descend, in as many bits as a score has."""
    bits = (scores + scores.dtype.type(0)).view(f"<i{scores.itemsize}")  # -0.0 + 0.0 is 0.0
    # Below 0 the bits descend already as whole numbers without sign; above, all but the sign turn round.
    bits ^= ~(bits >> (8 * scores.itemsize - 1)) & np.iinfo(bits.dtype).max
    return bits.view(f"<u{scores.itemsize}").astype(np.uint64)


def place_keys(topic: AnyInts, scores: Scores, num_topics: int) -> Words:
    """Return whole numbers (N,) that ascend from topic to topic, and with descending scores in a topic.

    Scores of 64 bits lose as many of their last bits as the topics need: close ones may seem to be tied.
    """
    # Topic and score are one number because numpy sorts numbers many times faster than permutations.
    keys = score_keys(scores)
    kept, lost = _bits_of_score(num_topics, 8 * scores.itemsize)
    keys >>= np.uint64(lost)
    keys |= topic.astype(np.uint64) << np.uint64(kept)
    return keys


def topic_keys(num_topics: int, single: bool) -> Words:
    """Return the least key (T,) that a place in each topic can have."""
    kept, _ = _bits_of_score(num_topics, 32 if single else 64)
    return np.arange(num_topics, dtype=np.uint64) << np.uint64(kept)


def _bits_of_score(num_topics: int, bits: int) -> tuple[int, int]:
    """Return how many bits of a score have room beside the number of a topic, and how many are lost."""
    lost = max((num_topics - 1).bit_length() + bits - 64, 0)
    return bits - lost, lost


def without_duplicates(scores: Scores, found: Matches, *, best: bool) -> IntArray:
    """Return the rows (n,) that stay when each document counts once: its first row, or its first best one."""
    kept = np.ones(len(scores), np.bool_)
    kept[found.repeats] = False
    above = scores[found.repeats] > scores[found.first]
    if not best or not above.any():  # as nearly always, where scores descend
        return np.flatnonzero(kept)
    again = np.zeros(len(scores), np.bool_)
    again[found.first[above]] = True  # np.unique hashes or sorts them
    first = np.flatnonzero(again)
    others = np.flatnonzero(again[found.first])
    rows = np.concatenate((first, found.repeats[others]))
    document = np.concatenate((first, found.first[others]))
    kept[rows] = True
    order = np.lexsort((rows, -scores[rows], document))
    rows, document = rows[order], document[order]
    kept[rows[1:][document[1:] == document[:-1]]] = False
    return np.flatnonzero(kept)
