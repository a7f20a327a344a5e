"""Gain per document of a reader who continues from rank to rank with some probability (C/W/L)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.gain import document_gains, highest_grades

READERS_DEPTH = 1000
"""Documents that a reader sees at the most: cwl_eval's --max_depth."""

TOPICS_TOGETHER = 1 << 10


def scaled_gains(batch: Batch, min_rel: float, max_rel: float | None) -> FloatArray:
    """Return the documents' grades (D,) scaled to 0 … 1; `max_rel` None: by the topic's highest grade."""
    low = np.full(len(batch), min_rel)
    high = np.maximum(highest_grades(batch), 0.0) if max_rel is None else np.full(len(batch), max_rel)
    low = low[batch.topic_of]
    high = high[batch.topic_of]
    grades = np.minimum(np.maximum(document_gains(batch), low), high)
    return divide(grades - low, np.where(high > low, high - low, 0.0))


Continues = Callable[[FloatArray, FloatArray], FloatArray]
"""Ranks (K,) and gains (T, K) -> the probabilities C(i) to go on after each rank, as (T, K) or (K,)."""


def gain_for_each_document(
    batch: Batch, depth: int, min_rel: float, max_rel: float | None, continues: Continues
) -> FloatArray:
    """Return (T,) Σ W(i) gain(i) over the ranks down to `depth`."""
    gains = scaled_gains(batch, min_rel, max_rel)
    depth = min(depth, READERS_DEPTH)
    scores = np.zeros(len(batch))
    for start in range(0, len(batch), TOPICS_TOGETHER):
        stop = min(start + TOPICS_TOGETHER, len(batch))
        rows = slice(batch.offsets[start], batch.offsets[stop])
        seen = np.flatnonzero(batch.rank[rows] <= depth) + batch.offsets[start]
        table = np.zeros((stop - start, depth))
        table[batch.topic_of[seen] - start, batch.rank[seen] - 1] = gains[seen]
        weights = np.ones((stop - start, depth))
        weights[:, 1:] = continues(np.arange(1.0, depth + 1), table)[..., :-1]
        weights = np.multiply.accumulate(weights, axis=1)
        gained = np.add.accumulate(weights * table, axis=1)[:, -1]
        scores[start:stop] = gained / np.add.accumulate(weights, axis=1)[:, -1]
    return scores


def insq_continues(rank: FloatArray, gain_wanted: float) -> FloatArray:
    """Return (n,) how probably a reader who wants so much reads on at these ranks."""
    step = (rank + 2.0 * gain_wanted - 1.0) / (rank + 2.0 * gain_wanted)
    return step * step
