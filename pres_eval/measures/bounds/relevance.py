"""Bounds of measures of relevance: the first x or the last x unjudged documents turn out to be relevant.

A trial is one such x of a topic, from 1 to the number of its unjudged ("free") documents that count.  So
there are as many trials as free documents, X of all topics, and trial x of a topic has the index of its x-th
free document.
"""

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
class _Trials:
    """The X trials of T topics.

    free      the ranks of the X unjudged documents that count
    relevant  the ranks of the documents that are known to be relevant and that count
    extra     (X,) x of each trial
    num_rel   (X,) n of each trial: relevant documents in the qrels, with these x
    """

    free: Ranks
    relevant: Ranks
    extra: IntArray
    num_rel: IntArray

    @classmethod
    def from_batch(cls, batch: Batch, depth: int) -> _Trials:
        """Return the trials of a batch; documents count down to rank `depth`."""
        free = unjudged(batch, depth)
        rows = np.flatnonzero(batch.is_rel & (batch.rank <= depth))
        relevant = Ranks(np.searchsorted(rows, batch.offsets), batch.topic_of[rows], batch.rank[rows])
        extra = np.arange(len(free.rank)) - free.offsets[free.topic] + 1  # 1, 2, 3 … in each topic
        return cls(free, relevant, extra, batch.num_rel[free.topic] + extra)


Values = Callable[[_Trials, tuple[Any, ...]], FloatArray]
"""Trials, arguments -> (2, X) the measure's values when the first x, and when the last x, are relevant."""


def _in_closed_form(values: Values, rising: Callable[[FloatArray], FloatArray] | None = None) -> Rule:
    """Return the rule of a measure from its values in all trials.

    rising  (n,) -> (n,) the last step of the formula, as a logarithm, which the bounds alone need: the
            greater a number, the greater its value; None: there is no such step
    """

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        """Return (T,) least and (T,) greatest values."""
        # With x = 0 the value is the measure's own, to the last bit.
        value = np.asarray(measure.score(batch, *arguments), np.float64)
        least = value.copy()
        greatest = value.copy()
        trials = _Trials.from_batch(batch, depth_of(measure, arguments))
        topics = np.flatnonzero(np.diff(trials.free.offsets))  # those with unjudged documents
        if len(topics):
            values_of_trials = values(trials, arguments)
            starts = trials.free.offsets[topics]
            lowest = np.minimum.reduceat(values_of_trials.min(axis=0), starts)
            highest = np.maximum.reduceat(values_of_trials.max(axis=0), starts)
            if rising is not None:
                lowest = rising(lowest)
                highest = rising(highest)
            least[topics] = np.minimum(least[topics], lowest)
            greatest[topics] = np.maximum(greatest[topics], highest)
        return least, greatest

    return rule


def _sums_of_precisions(trials: _Trials) -> FloatArray:
    """Return (2, X) Σ i / r_i when the first x, and when the last x, of the free documents are relevant.

    r_i is the rank of the i-th relevant document.  One more relevant document at rank r adds

        (b + 1) / r    for itself, if b relevant ones are before it
        Σ 1 / r_j      for the relevant ones behind it, each of which now has one more before it
    """
    free = trials.free
    known_sum, num_before, inverse_behind = _precisions_around(free, trials.relevant)
    # The first x: added from the first on, so the x-th has x - 1 free ones before it, and none behind it yet.
    first = known_sum + free.running((num_before + trials.extra) / free.rank + inverse_behind)
    # The last x: added from the last on, so each has no free one before it yet, and x - 1 behind it.
    from_last = free.reversed_in_topics()
    inverse_rank = 1.0 / free.rank[from_last]
    inverse_of_free_behind = np.append(0.0, free.running(inverse_rank)[:-1])
    has_free = np.diff(free.offsets) > 0
    inverse_of_free_behind[free.offsets[:-1][has_free]] = 0.0  # behind the last of a topic there is none
    own_precision = (num_before[from_last] + 1) * inverse_rank
    last = known_sum + free.running(own_precision + inverse_behind[from_last] + inverse_of_free_behind)
    return np.array((first, last))


def _precisions_around(free: Ranks, relevant: Ranks) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return three numbers for each free document (X,), of the documents known to be relevant to its topic.

    They are Σ i / r_i over all of these, how many are before it, and Σ 1 / r_i over those behind it.
    """
    topic = free.topic
    # The stretch of `relevant` that has each topic's documents.
    first_row = relevant.offsets[topic]
    last_row = relevant.offsets[topic + 1] - 1
    inverse_rank = 1.0 / relevant.rank
    number_in_topic = np.arange(len(inverse_rank)) - relevant.offsets[relevant.topic] + 1
    # Running sums; the 0 behind them is for topics without relevant documents.
    precisions = np.append(relevant.running(number_in_topic * inverse_rank), 0.0)
    known_sum = np.where(last_row >= first_row, precisions[last_row], 0.0)
    # Σ 1 / r_i from each relevant document on to the last of its topic.
    from_last = relevant.reversed_in_topics()
    inverse_from = np.append(relevant.running(inverse_rank[from_last])[from_last], 0.0)
    num_before = relevant.count_down_to(free.rank, topic)
    next_row = first_row + num_before  # the first relevant document behind the free one
    inverse_behind = inverse_from[np.minimum(next_row, len(inverse_rank))]
    return known_sum, num_before, np.where(next_row <= last_row, inverse_behind, 0.0)


def _average_precision(trials: _Trials, arguments: Any) -> FloatArray:
    """Return (2, X) map when the first x, and when the last x, are relevant."""
    return _sums_of_precisions(trials) / trials.num_rel


average_precision = _in_closed_form(_average_precision)
geometric_average_precision = _in_closed_form(_average_precision, rising=geometric_terms)


def _odds(trials: _Trials, arguments: Any) -> FloatArray:
    """Return (2, X) (1 + s) / (1 + n - s), s being Σ i / r_i: yaap is its logarithm."""
    s = _sums_of_precisions(trials)
    return (1.0 + s) / (1.0 + trials.num_rel - s)


yaap = _in_closed_form(_odds, rising=partial(elementwise, math.log))


@_in_closed_form
def r_precision(trials: _Trials, arguments: Any) -> FloatArray:
    """Return (2, X) Rprec when the first x, and when the last x, are relevant."""
    topic = trials.free.topic
    n = trials.num_rel
    num_known = trials.relevant.count_down_to(n, topic)
    num_free = trials.free.count_down_to(n, topic)
    # How many of the U free documents stay nonrelevant, U - x: the first ones, where the last x are relevant.
    num_nonrelevant = trials.extra[trials.free.reversed_in_topics()] - 1
    found_of_first = np.minimum(trials.extra, num_free)
    found_of_last = np.maximum(num_free - num_nonrelevant, 0)
    num_found = num_known + np.array((found_of_first, found_of_last))
    return np.asarray(num_found / n, np.float64)


def _pres(trials: _Trials, arguments: Any) -> FloatArray:
    """Return (2, X) PRES when the first x, and when the last x, are relevant."""
    (nmax,) = arguments
    free = trials.free
    relevant = trials.relevant
    num_known = np.diff(relevant.offsets)[free.topic]
    k = num_known + np.array((trials.extra, trials.extra))
    # (2, X) the sum of the ranks of the k documents of each trial.  Whole numbers are added up over all
    # topics, and the sum of the earlier topics, which is the same in both orders, is taken off.
    running_known = np.append(0, np.cumsum(relevant.rank))
    known_of_topic = np.diff(running_known[relevant.offsets])
    sum_of_ranks = np.cumsum((free.rank, free.rank[free.reversed_in_topics()]), axis=1)
    of_earlier_topics = np.append(0, sum_of_ranks[0])[free.offsets[:-1]]
    sum_of_ranks += (known_of_topic - of_earlier_topics)[free.topic]
    return pres_of(trials.num_rel, nmax, k, k * (k + 1), sum_of_ranks)


pres = _in_closed_form(_pres)


@_in_closed_form
def pres_estimated(trials: _Trials, arguments: Any) -> FloatArray:
    """Return (2, X) PRES_est when the first x, and when the last x, are relevant."""
    (nmax,) = arguments
    return share_of_possible(_pres(trials, arguments), trials.num_rel, nmax)
