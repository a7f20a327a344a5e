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
from pres_eval.records import dataclass

Gains = Callable[[Grades], FloatArray]


def _of_gains(gains: Gains, batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) and (T,): bounds of nDCG with some gain for each grade."""
    depth = depth_of(measure, arguments)
    value = np.asarray(measure.score(batch, *arguments), np.float64)
    least, greatest = value.copy(), value.copy()
    for row in range(len(batch)):
        layers = _layers(batch.take(row, row + 1), depth, gains, measure)
        if len(layers.free):
            least[row] = min(least[row], _least_ratio(layers))
            greatest[row] = max(greatest[row], _greatest_ratio(layers))
    return least, greatest


of_grades = partial(_of_gains, partial(np.asarray, dtype=np.float64))
of_exponential_gains = partial(_of_gains, exponential)


@dataclass(frozen=True, eq=False)
class _Layers:
    """The gains of one topic as L layers, from 0 to the highest gain, between the gains that there are.

    width       (L,) of each layer
    num         (L,) documents in the qrels that reach above it
    collected   (L,) discounts of those retrieved, added up
    free        (U,) discounts of the documents that nobody judged, in rank order
    best        discounts of the first ranks added up: best[j] of j documents, as many as there could be
    """

    width: FloatArray
    num: IntArray
    collected: FloatArray
    free: FloatArray
    best: FloatArray


def _layers(topic: Batch, depth: int, gains: Gains, measure: Measure) -> _Layers:
    """Return the layers of a batch of one topic, whose documents count down to a depth."""
    levels = np.unique(np.concatenate((topic.levels, highest_of(topic, measure), [0])))
    reached = levels[1:]
    above = topic.levels[:, np.newaxis] >= reached
    counts = np.concatenate((reached[np.newaxis] * 0, topic.level_counts[:, np.newaxis] * above))
    num = np.cumsum(counts, axis=0)[-1]
    rows = np.flatnonzero(topic.rank <= depth)
    retrieved = np.where(
        topic.grade[rows, np.newaxis] >= reached, 1.0 / log2(topic.rank[rows, np.newaxis] + 1), 0.0
    )
    collected = np.add.accumulate(np.concatenate((np.zeros((1, len(reached))), retrieved)), axis=0)[-1]
    free = 1.0 / log2(unjudged(topic, depth).rank + 1)
    most = int(num.max(initial=0)) + len(free)
    ranks = np.arange(1, most + 1)
    discounts = np.where(ranks <= depth, 1.0 / log2(ranks + 1), 0.0)
    return _Layers(
        width=np.diff(gains(levels)),
        num=num.astype(np.int64),
        collected=collected,
        free=free,
        best=np.concatenate(([0.0], np.add.accumulate(discounts))),
    )


def _least_ratio(layers: _Layers) -> float:
    """Return the least ratio over x, where the last x documents have the highest gain."""
    extra = np.arange(1, len(layers.free) + 1)[:, np.newaxis]
    found = np.add.accumulate(layers.free[::-1])[:, np.newaxis] + layers.collected
    best = layers.best[layers.num + extra]
    ratios = np.add.accumulate(found * layers.width, axis=1)[:, -1]
    ratios = divide(ratios, np.add.accumulate(best * layers.width, axis=1)[:, -1])
    return float(ratios.min())


def _greatest_ratio(layers: _Layers) -> float:
    """Return the greatest ratio over the numbers of first documents that reach above each layer."""
    found = np.concatenate(([0.0], np.add.accumulate(layers.free)))[:, np.newaxis] + layers.collected
    best = layers.best[layers.num + np.arange(len(layers.free) + 1)[:, np.newaxis]]
    ratio, chosen = -1.0, np.full(len(layers.width), len(layers.free))
    columns = np.arange(len(layers.width))
    while True:
        numerator = np.add.accumulate(found[chosen, columns] * layers.width)[-1]
        denominator = np.add.accumulate(best[chosen, columns] * layers.width)[-1]
        higher = numerator / denominator if denominator > 0 else 0.0
        if not higher > ratio:
            return float(ratio)
        ratio = float(higher)
        chosen = np.argmax(found - ratio * best, axis=0)
