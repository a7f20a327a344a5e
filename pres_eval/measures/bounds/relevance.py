"""Bounds of measures of relevance: the first x or the last x documents turn out to be relevant."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, elementwise
from pres_eval.batches.batch import Batch
from pres_eval.measures.average_precision import geometric_terms
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds.judgements import Bounds, Ranks, Rule, depth_of, unjudged
from pres_eval.measures.pres import pres_of, share_of_possible
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class _Tried:
    """Trials of T topics: x of the documents that nobody judged are relevant, for x from 1 to their number.

    A topic has as many trials as documents that nobody judged, so all topics have X trials, and X such
    documents.

    free      the ranks of the documents that nobody judged and that count, X of all topics
    relevant  the ranks of the relevant documents that count
    extra     (X,) x of each trial
    num_rel   (X,) n of each trial: relevant documents in the qrels, with these x
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
"""Trials, arguments -> (2, X) the measure's values when the first x, and when the last x, are relevant."""


def _in_closed_form(values: Values, rising: Callable[[FloatArray], FloatArray] | None = None) -> Rule:
    """Return the rule of a measure from its values in all trials.

    rising  (n,) -> (n,) the last step of the formula, which leaves their order as it is; None: there is none
    """

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
    """Return (2, X) Σ i / r_i when the first x, and when the last x, of the free documents are relevant.

    One more relevant document at rank r adds (b + 1) / r, b being the relevant ones before it, and 1 / r_j
    for each relevant one at a rank r_j behind it, whose number grows by 1.
    """
    free = tried.free
    known, num_before, after_each = _precisions_around(free, tried.relevant)
    # The first x: the x-th has the x - 1 others before it, and no free one behind it.
    first = known + free.running((num_before + tried.extra) / free.rank + after_each)
    # The last x, from the last free document upwards: each has none of the others before it, all behind it.
    upwards = free.upwards()
    inverse_rank = 1.0 / free.rank[upwards]
    inverse_of_others = np.append(0.0, free.running(inverse_rank)[:-1])
    has_free = np.diff(free.offsets) > 0
    inverse_of_others[free.offsets[:-1][has_free]] = 0.0
    own_precision = (num_before[upwards] + 1) * inverse_rank
    last = known + free.running(own_precision + after_each[upwards] + inverse_of_others)
    return np.array((first, last))


def _precisions_around(free: Ranks, relevant: Ranks) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return, for each free document (X,), sums over the relevant documents of its topic.

    As three arrays (X,): Σ i / r_i over all of them, how many are before it, and Σ 1 / r_i over those behind
    it.
    """
    topic = free.topic
    first_row = relevant.offsets[topic]
    last_row = relevant.offsets[topic + 1] - 1
    inverse_rank = 1.0 / relevant.rank
    number_in_topic = np.arange(len(inverse_rank)) - relevant.offsets[relevant.topic] + 1
    precisions = np.append(relevant.running(number_in_topic * inverse_rank), 0.0)
    known = np.where(last_row >= first_row, precisions[last_row], 0.0)
    # From each relevant document on to the last of its topic.
    upwards = relevant.upwards()
    inverse_from = np.append(relevant.running(inverse_rank[upwards])[upwards], 0.0)
    num_before = relevant.down_to(free.rank, topic)
    next_row = first_row + num_before
    inverse_behind = inverse_from[np.minimum(next_row, len(inverse_rank))]
    return known, num_before, np.where(next_row <= last_row, inverse_behind, 0.0)


def _average_precision(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) map when the first x, and when the last x, are relevant."""
    return _sums_of_precisions(tried) / tried.num_rel


average_precision = _in_closed_form(_average_precision)
geometric_average_precision = _in_closed_form(_average_precision, geometric_terms)


def _odds(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) (1 + s) / (1 + n - s), of which yaap is the logarithm."""
    s = _sums_of_precisions(tried)
    return (1.0 + s) / (1.0 + tried.num_rel - s)


yaap = _in_closed_form(_odds, partial(elementwise, math.log))


@_in_closed_form
def r_precision(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) Rprec when the first x, and when the last x, are relevant."""
    topic = tried.free.topic
    n = tried.num_rel
    num_known = tried.relevant.down_to(n, topic)
    num_free = tried.free.down_to(n, topic)
    # Free documents that stay nonrelevant when x are relevant: the first ones, if the last x are.
    num_nonrelevant = tried.extra[tried.free.upwards()] - 1
    num_more = np.array((np.minimum(tried.extra, num_free), np.maximum(num_free - num_nonrelevant, 0)))
    return np.asarray((num_known + num_more) / n, np.float64)


def _pres(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) PRES when the first x, and when the last x, are relevant."""
    nmax = arguments[0]
    free = tried.free
    relevant = tried.relevant
    num_relevant = np.diff(relevant.offsets)[free.topic]
    k = num_relevant + np.array((tried.extra, tried.extra))
    # (2, X) the ranks of the k documents of each trial, added up.  Sums run through all topics, so what the
    # earlier topics add is taken off.
    running_known = np.append(0, np.cumsum(relevant.rank))
    known_of_topic = np.diff(running_known[relevant.offsets])
    ranks = np.cumsum((free.rank, free.rank[free.upwards()]), axis=1)
    of_earlier_topics = np.append(0, ranks[0])[free.offsets[:-1]]
    ranks += (known_of_topic - of_earlier_topics)[free.topic]
    return pres_of(tried.num_rel, nmax, k, k * (k + 1), ranks)


pres = _in_closed_form(_pres)


@_in_closed_form
def pres_estimated(tried: _Tried, arguments: Any) -> FloatArray:
    """Return (2, X) PRES_est when the first x, and when the last x, are relevant."""
    return share_of_possible(_pres(tried, arguments), tried.num_rel, arguments[0])
