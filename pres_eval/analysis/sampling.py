"""f-qrels: qrels from which some of each topic's relevant documents were taken away at random."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.randomness import Stream
from pres_eval.arrays.types import BoolArray, IntArray


def kept_counts(relevant: IntArray, fraction: float) -> IntArray:
    """How many of so many relevant documents are kept: the fraction, rounded half up, at least one."""
    # 0.29 * 50 is a little less than 14.5 as a double, and means 14.5.
    rounded: IntArray = np.floor(relevant * fraction + 0.5 + 1e-9).astype(np.int64)
    at_least_one: IntArray = np.maximum(rounded, 1)
    return np.minimum(at_least_one, relevant)


def keep_relevant(offsets: IntArray, is_rel: BoolArray, fraction: float, sample: int, seed: int) -> BoolArray:
    """Which judgements stay if each topic keeps a random fraction of its relevant documents, at least one.

    offsets (T+1,) and is_rel (D,) describe the judgements, those of a topic together; (D,) out.  Judgements
    that are not relevant all stay.  The choice depends on the seed, the fraction, the number of the sample
    and the judgements alone: not on other fractions or samples, nor on the platform (PCG64).
    Source: Magdy & Jones, CLEF 2010, doi:10.1007/978-3-642-15998-5_10.
    """
    topic_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    relevant = np.flatnonzero(is_rel)
    topic = topic_of[relevant]
    draws = Stream(seed, round(fraction * 1_000_000), sample).words(len(relevant))
    order = np.lexsort((draws, topic))
    counts = np.bincount(topic, minlength=len(offsets) - 1).astype(np.int64)
    first = np.cumsum(counts) - counts
    place = np.arange(len(relevant)) - first[topic[order]]
    keep = np.ones(len(is_rel), bool)
    keep[relevant[order]] = place < kept_counts(counts, fraction)[topic[order]]
    return keep
