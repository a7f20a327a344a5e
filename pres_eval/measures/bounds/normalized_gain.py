"""Bounds of nDCG: a ratio of a linear and a convex function of the gains."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Grades, IntArray, divide, log2
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds.judgements import Bounds, depth_of, highest_of, unjudged
from pres_eval.measures.cumulated_gain import exponential

Gains = Callable[[Grades], FloatArray]


def _of_gains(gains: Gains, batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) and (T,): bounds of nDCG with some gain for each grade."""
    depth = depth_of(measure, arguments)
    value = np.asarray(measure.score(batch, *arguments), np.float64)
    least = value.copy()
    greatest = value.copy()
    for row in range(len(batch)):
        topic = batch.take(row, row + 1)
        free = unjudged(topic, depth).rank
        if len(free):
            lowest, highest = _ends_of_ratio(topic, free, depth, gains, measure)
            least[row] = min(least[row], lowest)
            greatest[row] = max(greatest[row], highest)
    return least, greatest


of_grades = partial(_of_gains, partial(np.asarray, dtype=np.float64))
of_exponential_gains = partial(_of_gains, exponential)


def _ends_of_ratio(
    topic: Batch, free: IntArray, depth: int, gains: Gains, measure: Measure
) -> tuple[float, float]:
    """Return the least and the greatest ratio of a batch of one topic, where nobody judged some ranks (U,).

    The gains are cut into L layers, from 0 to the highest gain, between the gains that there are.
    """
    levels = np.unique(np.concatenate((topic.levels, highest_of(topic, measure), [0])))
    reached = levels[1:]
    above = topic.levels[:, np.newaxis] >= reached
    counts = np.concatenate((reached[np.newaxis] * 0, topic.level_counts[:, np.newaxis] * above))
    # (L,) documents in the qrels that reach above each layer.
    num = np.cumsum(counts, axis=0)[-1].astype(np.int64)
    rows = np.flatnonzero(topic.rank <= depth)
    discounts_of_rows = 1.0 / log2(topic.rank[rows, np.newaxis] + 1)
    retrieved = np.where(topic.grade[rows, np.newaxis] >= reached, discounts_of_rows, 0.0)
    # (L,) discounts of those retrieved, added up.
    collected = np.add.accumulate(np.concatenate((np.zeros((1, len(reached))), retrieved)), axis=0)[-1]
    ranks = np.arange(1, int(num.max(initial=0)) + len(free) + 1)
    discounts = np.where(ranks <= depth, 1.0 / log2(ranks + 1), 0.0)
    of_first_ranks = np.concatenate(([0.0], np.add.accumulate(discounts)))
    # (U+1, L) with 0 … U documents more: what could be had at best, and if the first, or the last, are found.
    best = of_first_ranks[num + np.arange(len(free) + 1)[:, np.newaxis]]
    discounts_of_free = 1.0 / log2(free + 1)
    of_first_free = np.concatenate(([0.0], np.add.accumulate(discounts_of_free)))
    of_last_free = np.concatenate(([0.0], np.add.accumulate(discounts_of_free[::-1])))
    first = of_first_free[:, np.newaxis] + collected
    last = of_last_free[:, np.newaxis] + collected
    width = np.diff(gains(levels))
    # It is least where the last x documents have the highest gain, for some x.
    dcg = np.add.accumulate(last[1:] * width, axis=1)[:, -1]
    best_dcg = np.add.accumulate(best[1:] * width, axis=1)[:, -1]
    return float(divide(dcg, best_dcg).min()), _greatest_ratio(first, best, width)


def _greatest_ratio(collected: FloatArray, best: FloatArray, width: FloatArray) -> float:
    """Return the greatest ratio over the numbers of first documents that reach above each layer.

    collected, best  (U+1, L) discounts collected, and those of the best ranking, with 0 … U documents more
    width            (L,) of the layers
    """
    columns = np.arange(len(width))
    ratio = -1.0
    chosen = np.full(len(width), len(collected) - 1)
    while True:
        numerator = np.add.accumulate(collected[chosen, columns] * width)[-1]
        denominator = np.add.accumulate(best[chosen, columns] * width)[-1]
        higher = numerator / denominator if denominator > 0 else 0.0
        if not higher > ratio:
            return float(ratio)
        ratio = float(higher)
        chosen = np.argmax(collected - ratio * best, axis=0)
