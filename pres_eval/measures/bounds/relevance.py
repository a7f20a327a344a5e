"""Bounds of measures of relevance: the first x or the last x documents turn out to be relevant."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, elementwise
from pres_eval.batches.batch import Batch
from pres_eval.measures.average_precision import logarithms
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds.judgements import Bounds, Ranks, Rule, depth_of, unjudged
from pres_eval.measures.pres import pres_of, share_of_possible
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class _Tried:
    """Judgements of some topics that are tried: all x from 1 to the number of unjudged documents of each.

    free      those that nobody judged and that count, X of all topics
    relevant  the relevant documents that count
    extra     (X,) x
    num_rel   (X,) relevant documents in the qrels, with these x
    """

    free: Ranks
    relevant: Ranks
    extra: IntArray
    num_rel: IntArray

    @classmethod
    def from_batch(cls, batch: Batch, depth: int) -> _Tried:
        """Return those of a batch whose documents count down to a depth."""
        free = unjudged(batch, depth)
        rows = np.flatnonzero(batch.is_rel & (batch.rank <= depth))
        relevant = Ranks(np.searchsorted(rows, batch.offsets), batch.topic_of[rows], batch.rank[rows])
        extra = np.arange(len(free.rank)) - free.offsets[free.topic] + 1
        return cls(free, relevant, extra, batch.num_rel[free.topic] + extra)


Values = Callable[[_Tried, tuple[Any, ...]], FloatArray]
"""All x, arguments -> (2, X) the values when the first x, and when the last x, are relevant."""


def _in_closed_form(values: Values, rising: Callable[[FloatArray], FloatArray] | None = None) -> Rule:
    """Return the rule of a measure from its values for all x; `rising`, (n,) to (n,), is their last step."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        """Return (T,) and (T,) the least and the greatest of the values."""
        # What is not tried is the value as it is: nothing relevant.  It has the measure's own last bits.
        value = np.asarray(measure.score(batch, *arguments), np.float64)
        least = value.copy()
        greatest = value.copy()
        tried = _Tried.from_batch(batch, depth_of(measure, arguments))
        topics = np.flatnonzero(np.diff(tried.free.offsets))
        if len(topics):
            tried_values = values(tried, arguments)
            starts = tried.free.offsets[topics]
            lowest = np.minimum.reduceat(tried_values.min(axis=0), starts)
            highest = np.maximum.reduceat(tried_values.max(axis=0), starts)
            if rising is not None:
                lowest = rising(lowest)
                highest = rising(highest)
            least[topics] = np.minimum(least[topics], lowest)
            greatest[topics] = np.maximum(greatest[topics], highest)
        return least, greatest

    return rule


def _sums_of_precisions(tried: _Tried) -> FloatArray:
    """Return (2, X) the sums of precisions when the first x, and when the last x, are relevant."""
    free = tried.free
    relevant = tried.relevant
    topic = tried.free.topic
    inverse = 1.0 / relevant.rank
    upwards = relevant.upwards()
    number_in_topic = np.arange(len(inverse)) - relevant.offsets[relevant.topic] + 1
    running = relevant.running(number_in_topic * inverse)
    after = relevant.running(inverse[upwards])[upwards]
    last_row = relevant.offsets[topic + 1] - 1
    known = np.where(last_row >= relevant.offsets[topic], np.append(running, 0.0)[last_row], 0.0)
    before = relevant.down_to(free.rank, topic)
    next_row = relevant.offsets[topic] + before
    after_each = np.where(next_row <= last_row, np.append(after, 0.0)[np.minimum(next_row, len(after))], 0.0)
    first = known + free.running((before + tried.extra) / free.rank + after_each)
    upwards = free.upwards()
    inverse_of_free = 1.0 / free.rank[upwards]
    below = np.append(0.0, free.running(inverse_of_free)[:-1])
    below[free.offsets[:-1][np.diff(free.offsets) > 0]] = 0.0
    last = known + free.running((before[upwards] + 1) * inverse_of_free + after_each[upwards] + below)
    return np.array((first, last))


def _average_precision(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) map when the first x, and when the last x, are relevant."""
    return _sums_of_precisions(tried) / tried.num_rel


average_precision = _in_closed_form(_average_precision)
geometric_average_precision = _in_closed_form(_average_precision, logarithms)


def _odds(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) the numbers of which yaap is the logarithm."""
    sums = _sums_of_precisions(tried)
    return (1.0 + sums) / (1.0 + tried.num_rel - sums)


yaap = _in_closed_form(_odds, partial(elementwise, math.log))


@_in_closed_form
def r_precision(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) Rprec when the first x, and when the last x, are relevant."""
    topic = tried.free.topic
    known = tried.relevant.down_to(tried.num_rel, topic)
    free = tried.free.down_to(tried.num_rel, topic)
    others = tried.extra[tried.free.upwards()] - 1
    more = np.array((np.minimum(tried.extra, free), np.maximum(free - others, 0)))
    return np.asarray((known + more) / tried.num_rel, np.float64)


def _pres(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) PRES when the first x, and when the last x, are relevant."""
    free = tried.free
    relevant = tried.relevant
    num_found = np.diff(relevant.offsets)[free.topic] + np.array((tried.extra, tried.extra))
    known = np.append(0, np.cumsum(relevant.rank))[relevant.offsets]
    ranks = np.cumsum((free.rank, free.rank[free.upwards()]), axis=1)
    before = np.append(0, ranks[0])[free.offsets[:-1]]
    ranks += (np.diff(known) - before)[free.topic]
    return pres_of(tried.num_rel, arguments[0], num_found, num_found * (num_found + 1), ranks)


pres = _in_closed_form(_pres)


@_in_closed_form
def pres_estimated(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) PRES_est when the first x, and when the last x, are relevant."""
    return share_of_possible(_pres(tried, arguments), tried.num_rel, arguments[0])
