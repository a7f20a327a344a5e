"""f-qrels: qrels from which some of each topic's judgements were taken away at random."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.randomness import RandomStream
from pres_eval.arrays.types import BoolArray, IntArray

LEAST_RELEVANT = 1
LEAST_NONRELEVANT = 10
"""What a topic keeps at the least of its relevant documents, and of the others where these are thinned too
(Buckley & Voorhees, SIGIR 2004)."""


def kept_counts(documents: IntArray, fraction: float, least: int = LEAST_RELEVANT) -> IntArray:
    """(T,) how many of so many are kept: the fraction, rounded half up, at least `least` if there are."""
    rounded: IntArray = np.floor(documents * fraction + 0.5 + 1e-9).astype(np.int64)
    enough: IntArray = np.maximum(rounded, least)
    return np.minimum(enough, documents)


def keep_relevant(offsets: IntArray, is_rel: BoolArray, fraction: float, sample: int, seed: int) -> BoolArray:
    """Return which judgements stay if each topic keeps a random part of its relevant documents, at least one.

    offsets (T+1,) and is_rel (D,) describe the judgements, those of a topic together; (D,) out.  Judgements
    that are not relevant all stay.  The choice depends on the seed, the fraction, the number of the sample
    and the judgements alone: not on other fractions or samples, nor on the platform (PCG64).
    Source: Magdy & Jones, CLEF 2010, doi:10.1007/978-3-642-15998-5_10.
    """
    stream = RandomStream(seed, round(fraction * 1_000_000), sample)
    return _keep(offsets, is_rel, fraction, stream, LEAST_RELEVANT)


def keep_judged(
    offsets: IntArray, is_rel: BoolArray, is_nonrel: BoolArray, fraction: float, sample: int, seed: int
) -> BoolArray:
    """(N,) the same if each topic keeps that fraction of the documents that are not relevant as well.

    At least one relevant document stays, and ten others.  What is neither (in the pool, not judged) stays.
    Source: Buckley & Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000.
    """
    stream = RandomStream(seed, round(fraction * 1_000_000), sample, 1)
    others = _keep(offsets, is_nonrel, fraction, stream, LEAST_NONRELEVANT)
    return others & keep_relevant(offsets, is_rel, fraction, sample, seed)


def _keep(
    offsets: IntArray, thinned: BoolArray, fraction: float, stream: RandomStream, least: int
) -> BoolArray:
    """(N,) which rows stay if of the thinned ones (N,) of each topic a random fraction does."""
    topic_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    rows = np.flatnonzero(thinned)
    topic = topic_of[rows]
    draws = stream.words(len(rows))
    order = np.lexsort((draws, topic))
    counts = np.bincount(topic, minlength=len(offsets) - 1).astype(np.int64)
    first = np.cumsum(counts) - counts
    place = np.arange(len(rows)) - first[topic[order]]
    keep = np.ones(len(thinned), bool)
    keep[rows[order]] = place < kept_counts(counts, fraction, least)[topic[order]]
    return keep
