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
"""Grades (n,) -> the gain of each (n,)."""


def _of_gains(gains: Gains, batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) least and (T,) greatest values of a kind of nDCG, whose gains of grades are given."""
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
"""The rule of ndcg and ndcg_cut, whose gains are the grades."""

of_exponential_gains = partial(_of_gains, exponential)
"""The rule of ndcg_exp_cut, whose gains are 2^grade - 1."""


def _ends_of_ratio(
    topic: Batch, free: IntArray, depth: int, gains: Gains, measure: Measure
) -> tuple[float, float]:
    """Return the least and the greatest ratio of a batch of one topic, where nobody judged some ranks (U,).

    The gains are cut into L layers, from 0 to the highest gain, between the gains of the levels.  A document
    whose gain reaches above a layer adds the layer's height to DCG, times its discount: of the grades 0, 1, 3
    there are layers of 1 and 2, and grade 3 reaches above both.
    """
    levels = np.unique(np.concatenate((topic.levels, highest_of(topic, measure), [0])))
    tops = levels[1:]
    height = np.diff(gains(levels))
    num_judged, collected = _above_layers(topic, tops, depth)
    discounts_of_free = 1.0 / log2(free + 1)
    discounts_of_first = np.concatenate(([0.0], np.add.accumulate(discounts_of_free)))
    discounts_of_last = np.concatenate(([0.0], np.add.accumulate(discounts_of_free[::-1])))
    most_judged = int(num_judged.max(initial=0)) + len(free)
    ranks = np.arange(1, most_judged + 1)
    discounts = np.where(ranks <= depth, 1.0 / log2(ranks + 1), 0.0)
    discounts_of_best = np.concatenate(([0.0], np.add.accumulate(discounts)))
    # (U+1, L) discounts with 0 … U documents more above a layer: the first ones, the last ones, and at best.
    num_more = np.arange(len(free) + 1)[:, np.newaxis]
    with_first = discounts_of_first[:, np.newaxis] + collected
    with_last = discounts_of_last[:, np.newaxis] + collected
    best = discounts_of_best[num_judged + num_more]
    # The ratio is least where the last x documents have the highest gain, for some x.
    dcg = np.add.accumulate(with_last[1:] * height, axis=1)[:, -1]
    best_dcg = np.add.accumulate(best[1:] * height, axis=1)[:, -1]
    return float(divide(dcg, best_dcg).min()), _greatest_ratio(with_first, best, height)


def _above_layers(topic: Batch, tops: Grades, depth: int) -> tuple[IntArray, FloatArray]:
    """Return (L,) how many judged documents reach above each layer, and (L,) discounts of those retrieved.

    tops   (L,) the grade at the upper end of each layer
    depth  the last rank that counts
    """
    reaches_above = topic.levels[:, np.newaxis] >= tops
    counts = topic.level_counts[:, np.newaxis] * reaches_above
    no_counts = tops[np.newaxis] * 0  # so that there is a row
    num_judged = np.cumsum(np.concatenate((no_counts, counts)), axis=0)[-1].astype(np.int64)
    rows = np.flatnonzero(topic.rank <= depth)
    discounts_of_rows = 1.0 / log2(topic.rank[rows, np.newaxis] + 1)
    discounts_above = np.where(topic.grade[rows, np.newaxis] >= tops, discounts_of_rows, 0.0)
    no_discounts = np.zeros((1, len(tops)))
    collected = np.add.accumulate(np.concatenate((no_discounts, discounts_above)), axis=0)[-1]
    return num_judged, collected


def _greatest_ratio(collected: FloatArray, best: FloatArray, height: FloatArray) -> float:
    """Return the greatest ratio over all choices of how many of the first documents reach above each layer.

    collected, best  (U+1, L) discounts collected, and those of the best ranking, with 0 … U documents more
    height           (L,) of the layers
    By Dinkelbach's method: the choice that is best for a ratio gives a higher one, until there is none.
    """
    layers = np.arange(len(height))
    ratio = -1.0
    num_more = np.full(len(height), len(collected) - 1)  # (L,) documents more above each layer
    while True:
        dcg = np.add.accumulate(collected[num_more, layers] * height)[-1]
        best_dcg = np.add.accumulate(best[num_more, layers] * height)[-1]
        higher = dcg / best_dcg if best_dcg > 0 else 0.0
        if not higher > ratio:
            return float(ratio)
        ratio = float(higher)
        num_more = np.argmax(collected - ratio * best, axis=0)
