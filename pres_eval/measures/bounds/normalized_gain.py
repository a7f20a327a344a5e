"""Bounds of nDCG: a ratio of a linear and a convex function of the gains (method: see `measures.bounds`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Grades, IntArray, divide, log2
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds.judgements import Bounds, depth_of, highest_possible_grades, unjudged
from pres_eval.measures.cumulated_gain import exponential

Gains = Callable[[Grades], FloatArray]
"""Grades (n,) -> the gain of each (n,)."""


def _of_gains(gains: Gains, batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) least and (T,) greatest values of nDCG with these gains of grades."""
    depth = depth_of(measure, arguments)
    value = np.asarray(measure.score(batch, *arguments), np.float64)
    least = value.copy()
    greatest = value.copy()
    for row in range(len(batch)):
        topic = batch.take(row, row + 1)
        free = unjudged(topic, depth).rank
        if len(free):
            highest = highest_possible_grades(topic, measure)
            # The value itself, at which all of them are not relevant, is among both.
            least_ratio, greatest_ratio = _bounds_of_ratio(topic, free, depth, gains, highest)
            least[row] = min(least[row], least_ratio)
            greatest[row] = max(greatest[row], greatest_ratio)
    return least, greatest


of_grades = partial(_of_gains, partial(np.asarray, dtype=np.float64))
"""The rule of ndcg and ndcg_cut, whose gains are the grades."""

of_exponential_gains = partial(_of_gains, exponential)
"""The rule of ndcg_exp_cut, whose gains are 2^grade - 1."""


def _bounds_of_ratio(
    topic: Batch, free: IntArray, depth: int, gains: Gains, highest: Grades
) -> tuple[float, float]:
    """Return the least and the greatest nDCG over all grades of a topic's unjudged documents.

    topic    a batch of one topic
    free     (U,) ranks of its unjudged documents, down to the depth
    depth    the last rank that counts
    highest  (1,) the highest grade that these may turn out to have
    The gains from 0 to the highest are cut into L layers at the gains of the topic's grades, none of which is
    negative: such judgements count as unjudged.  A document whose gain is at or above the top of a layer adds
    the layer's height, times its discount, to DCG: the grades 0, 1, 3 make a layer of height 1 and one of
    height 2, and a document of grade 3 adds both.
    """
    grades = np.unique(np.concatenate((topic.levels, highest, [0])))
    tops = grades[1:]
    height = np.diff(gains(grades))
    num_judged, collected = _reaching_tops(topic, tops, depth)
    # Sums of discounts of 0 … U documents: of the first unjudged ones, of the last, and of the best ranking.
    discounts_of_free = 1.0 / log2(free + 1)
    discounts_of_first = np.concatenate(([0.0], np.add.accumulate(discounts_of_free)))
    discounts_of_last = np.concatenate(([0.0], np.add.accumulate(discounts_of_free[::-1])))
    most_judged = int(num_judged.max(initial=0)) + len(free)
    ranks = np.arange(1, most_judged + 1)
    discounts = np.where(ranks <= depth, 1.0 / log2(ranks + 1), 0.0)
    discounts_of_best = np.concatenate(([0.0], np.add.accumulate(discounts)))
    # (U+1, L) the same for each layer, if 0 … U of the unjudged documents reach its top besides the judged.
    num_more = np.arange(len(free) + 1)[:, np.newaxis]
    with_first = discounts_of_first[:, np.newaxis] + collected
    with_last = discounts_of_last[:, np.newaxis] + collected
    best = discounts_of_best[num_judged + num_more]
    # The ratio is least where the last x documents have the highest gain, for some x above 0.  It is added up
    # by accumulate, one layer after the other: the same bits on every platform.
    dcg = np.add.accumulate(with_last[1:] * height, axis=1)[:, -1]
    best_dcg = np.add.accumulate(best[1:] * height, axis=1)[:, -1]
    return float(divide(dcg, best_dcg).min()), _greatest_ratio(with_first, best, height)


def _reaching_tops(topic: Batch, tops: Grades, depth: int) -> tuple[IntArray, FloatArray]:
    """Return (L,) how many judged documents reach each layer's top, and (L,) the discounts they collect.

    The second array has the sums of discounts of those that are retrieved down to the depth.
    tops   (L,) the grade at the top of each layer
    depth  the last rank that counts
    """
    reaches_top = topic.levels[:, np.newaxis] >= tops
    counts = topic.level_counts[:, np.newaxis] * reaches_top
    no_counts = np.zeros((1, len(tops)), np.int64)  # a row even if the topic has no levels
    num_judged = np.cumsum(np.concatenate((no_counts, counts)), axis=0)[-1].astype(np.int64)
    rows = np.flatnonzero(topic.rank <= depth)
    discounts_of_rows = 1.0 / log2(topic.rank[rows, np.newaxis] + 1)
    discounts_at_top = np.where(topic.grade[rows, np.newaxis] >= tops, discounts_of_rows, 0.0)
    no_discounts = np.zeros((1, len(tops)))
    collected = np.add.accumulate(np.concatenate((no_discounts, discounts_at_top)), axis=0)[-1]
    return num_judged, collected


def _greatest_ratio(collected: FloatArray, best: FloatArray, height: FloatArray) -> float:
    """Return the greatest nDCG over all choices of how many unjudged documents reach each layer's top.

    collected  (U+1, L) discounts of the ranking, with the first 0 … U unjudged documents at the top
    best       (U+1, L) discounts of the best ranking, with as many more documents
    height     (L,) of the layers
    By Dinkelbach's method: the choice that maximises collected - ratio * best has a higher ratio, as long
    as there is one.  Each layer chooses apart: a higher one has fewer judged documents, so that one more adds
    more to the best ranking, and it never chooses more documents than the layers below it.
    """
    layers = np.arange(len(height))
    ratio = -1.0
    num_more = np.full(len(height), len(collected) - 1)  # (L,) the choice for each layer: all of them first
    while True:
        dcg = np.add.accumulate(collected[num_more, layers] * height)[-1]
        best_dcg = np.add.accumulate(best[num_more, layers] * height)[-1]
        next_ratio = dcg / best_dcg if best_dcg > 0 else 0.0
        if not next_ratio > ratio:  # nan, too, ends the search
            return float(ratio)
        ratio = float(next_ratio)
        num_more = np.argmax(collected - ratio * best, axis=0)
