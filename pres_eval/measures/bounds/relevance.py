"""Bounds of measures of relevance: the first x or the last x documents turn out to be relevant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pres_eval.arrays.exact import elementwise
from pres_eval.arrays.types import FloatArray, IntArray
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


Tried = Callable[[_Topic, IntArray, tuple[Any, ...]], tuple[FloatArray, FloatArray]]
"""A topic, all x from 1, arguments -> the values when the first x, and when the last x, are relevant."""


def _in_closed_form(tried: Tried) -> Rule:
    """A measure of relevance whose values for all x can be had at once."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        # What is not tried is the value as it is: nothing relevant.  It has the measure's own last bits.
        value = np.asarray(measure.score(batch, *arguments), np.float64)
        least, greatest = value.copy(), value.copy()
        for row, topic in enumerate(_topics(batch, depth_of(measure, arguments))):
            if len(topic.free):
                every = np.concatenate(tried(topic, np.arange(1, len(topic.free) + 1), arguments))
                least[row] = min(least[row], every.min())
                greatest[row] = max(greatest[row], every.max())
        return least, greatest

    return rule


def _precisions(topic: _Topic, extra: IntArray) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): the sums of precisions when the first x, and when the last x, are relevant."""
    inverse = 1.0 / topic.relevant
    after = np.concatenate((np.add.accumulate(inverse[::-1])[::-1], [0.0]))
    before = np.searchsorted(topic.relevant, topic.free)
    known = np.add.accumulate(np.concatenate(([0.0], np.arange(1, len(inverse) + 1) * inverse)))[-1]
    first = known + np.add.accumulate((before + extra) / topic.free + after[before])
    upwards = slice(None, None, -1)
    own = 1.0 / topic.free[upwards]
    below = np.concatenate(([0.0], np.add.accumulate(own)[:-1]))
    last = known + np.add.accumulate((before[upwards] + 1) * own + after[before[upwards]] + below)
    return first, last


def _average_precision(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): map when the first x, and when the last x, are relevant."""
    first, last = _precisions(topic, extra)
    n = topic.num_rel + extra
    return first / n, last / n


def _geometric(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): the logarithms of the same."""
    first, last = _average_precision(topic, extra, arguments)
    return logarithms(first), logarithms(last)


def _yaap(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): yaap when the first x, and when the last x, are relevant."""
    n = topic.num_rel + extra
    first, last = (
        elementwise(math.log, (1.0 + sums) / (1.0 + n - sums)) for sums in _precisions(topic, extra)
    )
    return first, last


def _r_precision(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): Rprec when the first x, and when the last x, are relevant."""
    n = topic.num_rel + extra
    known = np.searchsorted(topic.relevant, n, "right")
    free = np.searchsorted(topic.free, n, "right")
    first = known + np.minimum(extra, free)
    last = known + np.maximum(free - (len(topic.free) - extra), 0)
    return first / n, last / n


def _pres(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): PRES when the first x, and when the last x, are relevant."""
    found = len(topic.relevant) + extra
    known = int(np.cumsum(np.append(0, topic.relevant))[-1])
    first, last = (
        pres_of(topic.num_rel + extra, arguments[0], found, found * (found + 1), known + np.cumsum(ranks))
        for ranks in (topic.free, topic.free[::-1])
    )
    return first, last


def _pres_estimated(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    """(X,) and (X,): PRES_est when the first x, and when the last x, are relevant."""
    first, last = (
        share_of_possible(score, topic.num_rel + extra, arguments[0])
        for score in _pres(topic, extra, arguments)
    )
    return first, last


OF_RELEVANCE = {
    "map": _in_closed_form(_average_precision),
    "gm_map": _in_closed_form(_geometric),
    "map_cut": _in_closed_form(_average_precision),
    "yaap": _in_closed_form(_yaap),
    "Rprec": _in_closed_form(_r_precision),
    "PRES": _in_closed_form(_pres),
    "PRES_est": _in_closed_form(_pres_estimated),
}
"""Rules by the name of the measure."""
