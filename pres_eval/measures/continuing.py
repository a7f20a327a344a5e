"""Gain per document of a reader who continues from rank to rank with some probability (C/W/L).

C(i) is the probability to go on from rank i to the next, W(i) the share of all documents read that are at
rank i: in proportion to C(1) C(2) ... C(i-1), the chance to get there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.gain import document_gains, highest_grades

READERS_DEPTH = 1000
"""Documents that a reader sees at most: cwl_eval's --max_depth."""

TOPICS_TOGETHER = 1 << 10
"""Topics that are scored at once, as a table of topics by ranks: 8 MB for 1,000 ranks."""


def scaled_gains(batch: Batch, min_rel: float, max_rel: float | None) -> FloatArray:
    """Return (D,) (grade - min_rel) / (max_rel - min_rel) of the documents, from 0 to 1.

    max_rel  the grade that is worth 1; None: the topic's highest
    A topic whose highest grade is not above min_rel has gains of 0.
    """
    if max_rel is None:
        grade_worth_1 = np.maximum(highest_grades(batch), 0.0)
    else:
        grade_worth_1 = np.full(len(batch), max_rel)
    high = grade_worth_1[batch.topic_of]
    grades = np.minimum(np.maximum(document_gains(batch), min_rel), high)
    span = np.where(high > min_rel, high - min_rel, 0.0)
    return divide(grades - min_rel, span)


Continues = Callable[[FloatArray, FloatArray], FloatArray]
"""Ranks (K,) and gains (T, K) at these -> the probabilities C(i) to go on after each, (T, K) or (K,)."""


def gain_per_document_read(
    batch: Batch, depth: int, min_rel: float, max_rel: float | None, continues: Continues
) -> FloatArray:
    """Return (T,) Σ W(i) gain(i) over the ranks i down to `depth`, 1,000 at most.

    min_rel, max_rel  as for `scaled_gains`
    continues         the model of the reader
    """
    gains = scaled_gains(batch, min_rel, max_rel)
    depth = min(depth, READERS_DEPTH)
    ranks = np.arange(1.0, depth + 1)
    scores = np.zeros(len(batch))
    for start in range(0, len(batch), TOPICS_TOGETHER):
        stop = min(start + TOPICS_TOGETHER, len(batch))
        rows = slice(batch.offsets[start], batch.offsets[stop])
        seen = np.flatnonzero(batch.rank[rows] <= depth) + batch.offsets[start]
        gain_at_rank = np.zeros((stop - start, depth))
        gain_at_rank[batch.topic_of[seen] - start, batch.rank[seen] - 1] = gains[seen]
        # The column of rank i has C(i-1), and for the chance to reach it C(1) ... C(i-1): W(i) is that over
        # the sum of all columns.
        chance_from_before = np.ones((stop - start, depth))
        chance_from_before[:, 1:] = continues(ranks, gain_at_rank)[..., :-1]
        chance_to_reach = np.multiply.accumulate(chance_from_before, axis=1)
        gained = np.add.accumulate(chance_to_reach * gain_at_rank, axis=1)[:, -1]
        num_read = np.add.accumulate(chance_to_reach, axis=1)[:, -1]
        scores[start:stop] = gained / num_read
    return scores


def insq_continues(rank: FloatArray, gain_wanted: float) -> FloatArray:
    """Return (n,) C(r) = ((r + 2g - 1) / (r + 2g))² of INSQ (inverse squares) at ranks r (n,).

    gain_wanted  g, the gain that the reader wants in all
    """
    patience = rank + 2.0 * gain_wanted
    step = (patience - 1.0) / patience
    return step * step
