"""Bounds of measures of relevance: the first x or the last x documents turn out to be relevant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, elementwise
from pres_eval.batches.batch import Batch
from pres_eval.measures.average_precision import logarithms
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import Bounds, Rule, depth_of, unjudged
from pres_eval.measures.gain import blocks_of_ranks
from pres_eval.measures.pres import pres_of, share_of_possible
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class _Topic:
    """One topic as judgements of it are tried.

    relevant  ranks of its relevant documents that count, ascending
    free      ranks of its documents that nobody judged and that count, ascending
    num_rel   relevant documents in the qrels
    """

    relevant: IntArray
    free: IntArray
    num_rel: int


def _topics(batch: Batch, depth: int) -> Iterator[_Topic]:
    """Return the topics of a batch, whose documents count down to a depth."""
    for block in blocks_of_ranks(batch, judgements.MOST_DOCUMENTS):
        there = unjudged(block, depth)
        ends = np.concatenate(([0], np.cumsum(there.count)))
        rows = np.flatnonzero(block.is_rel & (block.rank <= depth))
        begins = np.searchsorted(rows, block.offsets)
        for topic, num_rel in enumerate(block.num_rel.tolist()):
            yield _Topic(
                relevant=block.rank[rows[begins[topic] : begins[topic + 1]]],
                free=there.rank[ends[topic] : ends[topic + 1]],
                num_rel=num_rel,
            )


Tried = Callable[[_Topic, IntArray, tuple[Any, ...]], FloatArray]
"""A topic, all x from 1 (X,), arguments -> the values when the first x, and when the last x, are relevant."""


def _in_closed_form(tried: Tried) -> Rule:
    """Return a measure of relevance whose values for all x can be had at once."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        # What is not tried is the value as it is: nothing relevant.  It has the measure's own last bits.
        value = np.asarray(measure.score(batch, *arguments), np.float64)
        least, greatest = value.copy(), value.copy()
        for row, topic in enumerate(_topics(batch, depth_of(measure, arguments))):
            if len(topic.free):
                every = tried(topic, np.arange(1, len(topic.free) + 1), arguments)
                least[row] = min(least[row], every.min())
                greatest[row] = max(greatest[row], every.max())
        return least, greatest

    return rule


def _sums_of_precisions(topic: _Topic, extra: IntArray) -> FloatArray:
    """Return (2, X) the sums of precisions when the first x, and when the last x, are relevant."""
    inverse = 1.0 / topic.relevant
    after = np.concatenate((np.add.accumulate(inverse[::-1])[::-1], [0.0]))
    before = np.searchsorted(topic.relevant, topic.free)
    known = np.add.accumulate(np.concatenate(([0.0], np.arange(1, len(inverse) + 1) * inverse)))[-1]
    first = known + np.add.accumulate((before + extra) / topic.free + after[before])
    upwards = slice(None, None, -1)
    own = 1.0 / topic.free[upwards]
    below = np.concatenate(([0.0], np.add.accumulate(own)[:-1]))
    last = known + np.add.accumulate((before[upwards] + 1) * own + after[before[upwards]] + below)
    return np.array((first, last))


@_in_closed_form
def average_precision(topic: _Topic, extra: IntArray, arguments: Any) -> FloatArray:
    """Return (2, X) map when the first x, and when the last x, are relevant."""
    return _sums_of_precisions(topic, extra) / (topic.num_rel + extra)


@_in_closed_form
def geometric_average_precision(topic: _Topic, extra: IntArray, arguments: Any) -> FloatArray:
    """Return (2X,) the logarithms of the same."""
    return logarithms((_sums_of_precisions(topic, extra) / (topic.num_rel + extra)).ravel())


@_in_closed_form
def yaap(topic: _Topic, extra: IntArray, arguments: Any) -> FloatArray:
    """Return (2X,) yaap when the first x, and when the last x, are relevant."""
    sums = _sums_of_precisions(topic, extra)
    return elementwise(math.log, ((1.0 + sums) / (1.0 + (topic.num_rel + extra) - sums)).ravel())


@_in_closed_form
def r_precision(topic: _Topic, extra: IntArray, arguments: Any) -> FloatArray:
    """Return (2, X) Rprec when the first x, and when the last x, are relevant."""
    n = topic.num_rel + extra
    known = np.searchsorted(topic.relevant, n, "right")
    free = np.searchsorted(topic.free, n, "right")
    more = np.array((np.minimum(extra, free), np.maximum(free - (len(topic.free) - extra), 0)))
    return np.asarray((known + more) / n, np.float64)


def _pres(topic: _Topic, extra: IntArray, nmax: int) -> FloatArray:
    """Return (2, X) PRES when the first x, and when the last x, are relevant."""
    found = len(topic.relevant) + np.array((extra, extra))
    known = np.cumsum(np.append(0, topic.relevant))[-1]
    ranks = known + np.cumsum((topic.free, topic.free[::-1]), axis=1)
    return pres_of(topic.num_rel + extra, nmax, found, found * (found + 1), ranks)


@_in_closed_form
def pres(topic: _Topic, extra: IntArray, arguments: Any) -> FloatArray:
    """Return (2, X) the same."""
    return _pres(topic, extra, arguments[0])


@_in_closed_form
def pres_estimated(topic: _Topic, extra: IntArray, arguments: Any) -> FloatArray:
    """Return (2, X) PRES_est when the first x, and when the last x, are relevant."""
    return share_of_possible(_pres(topic, extra, arguments[0]), topic.num_rel + extra, arguments[0])
