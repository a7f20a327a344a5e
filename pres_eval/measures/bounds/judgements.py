"""The documents that nobody judged, and the grades that they may turn out to have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Grades, IntArray, accumulate
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.gain import highest_grades
from pres_eval.measures.parameters import BetaCutoffs, Cutoffs, OptionalCutoffs
from pres_eval.measures.settings import MeasureSettings
from pres_eval.options import LARGEST_LONG
from pres_eval.records import dataclass

MOST_DOCUMENTS = 1 << 20
"""Documents of judgements that are tried together."""

Bounds = tuple[FloatArray, FloatArray]
"""(T,) least and (T,) greatest values."""

Rule = Callable[[Batch, Measure, tuple[Any, ...]], Bounds]
"""A batch, a measure and its arguments -> the bounds of its values."""


def highest_of(batch: Batch, measure: Measure) -> Grades:
    """Return (T,) the highest grade that a document may turn out to have."""
    highest = np.maximum(highest_grades(batch), batch.max_rel)
    if measure.uses_level:
        highest = np.maximum(highest, math.ceil(batch.relevance_level))
    return highest


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of N documents of T topics, ascending in each.

    offsets  (T+1,) where each topic's documents begin
    topic    (N,) index of each document's topic
    rank     (N,)
    """

    offsets: IntArray
    topic: IntArray
    rank: IntArray

    def upwards(self) -> IntArray:
        """Return (N,) the documents by topic, the last one of each first: 2, 1, 0, 4, 3 of 3 and 2."""
        first_and_last = self.offsets[:-1] + self.offsets[1:] - 1
        return first_and_last[self.topic] - np.arange(len(self.rank))

    def down_to(self, rank: IntArray, topic: IntArray) -> IntArray:
        """Return how many of the documents of topics (X,) have at most these ranks (..., X): (..., X)."""
        width = int(self.rank.max(initial=0)) + 1
        keys = self.topic * width + self.rank  # topic and rank are one number, which ascends
        last_keys = topic * width + np.minimum(rank, width - 1)
        end = np.searchsorted(keys, last_keys, "right")
        return np.asarray(end - self.offsets[topic])

    def running(self, values: FloatArray) -> FloatArray:
        """Return (N,) the sums of values (N,) in each topic, up to each of them."""
        return accumulate(np.add, values, self.offsets)


def unjudged(batch: Batch, depth: int, above: int = 0) -> Ranks:
    """Return the ranks of the documents that nobody judged, from rank `above` + 1 to rank `depth`."""
    # The one document that 10.0 makes up for a topic that the run lacks cannot be judged.
    num_ranks = np.where(batch.missing, 0, np.minimum(batch.num_ret, depth))
    begins = np.concatenate(([0], np.cumsum(num_ranks)))
    # Whether each rank of each topic is without judgement.
    is_free = np.ones(int(begins[-1]), np.bool_)
    judged = np.flatnonzero((batch.grade >= 0) & (batch.rank <= depth))
    is_free[begins[batch.topic_of[judged]] + batch.rank[judged] - 1] = False
    free = np.flatnonzero(is_free)
    topic_of = np.searchsorted(begins, free, "right") - 1
    rank = free - begins[topic_of] + 1
    is_below = rank > above
    topic_of = topic_of[is_below]
    offsets = np.searchsorted(topic_of, np.arange(len(batch) + 1))
    return Ranks(offsets, topic_of, rank[is_below])


def filled(batch: Batch, depth: int, grades: Grades, above: int = 0) -> Batch:
    """Return the batch with its unjudged documents from rank `above` + 1 to rank `depth` judged.

    grades  (T,) the grade of all of them in each topic: 0 for all topics, or the highest that each may have
    """
    free = unjudged(batch, depth, above)
    num_free = np.diff(free.offsets)
    unchanged = np.flatnonzero((batch.grade >= 0) | (batch.rank > depth) | (batch.rank <= above))
    # Where nothing is judged anew, no grade may be there that the topic does not have.
    highest = np.maximum(highest_grades(batch), 0)
    grades = np.where(num_free > 0, grades, np.minimum(grades, highest))
    topic_of = np.concatenate((batch.topic_of[unchanged], free.topic))
    rank = np.concatenate((batch.rank[unchanged], free.rank))
    grade = np.concatenate((batch.grade[unchanged], grades[free.topic]))
    # Two stretches that ascend are merged, which takes a fifteenth of sorting them by two keys.
    width = int(rank.max(initial=0)) + 1
    order = np.argsort(topic_of * width + rank, kind="stable")
    # Each topic gets one more level.  Levels ascend: 0 comes before those of the topic, the highest behind.
    new_levels = batch.level_offsets[1:] if grades.any() else batch.level_offsets[:-1]
    return replace(
        batch,
        offsets=np.searchsorted(topic_of[order], np.arange(len(batch) + 1)),
        rank=rank[order],
        grade=grade[order],
        levels=np.insert(batch.levels, new_levels, grades),
        level_counts=np.insert(batch.level_counts, new_levels, num_free),
        level_offsets=batch.level_offsets + np.arange(len(batch) + 1),
    )


def depth_of(measure: Measure, arguments: tuple[Any, ...]) -> int:
    """Return the cutoff among the arguments of a measure; LARGEST_LONG for the whole ranking."""
    kind = measure.parameters
    cutoff = None
    if isinstance(kind, BetaCutoffs):
        cutoff = arguments[1]
    elif isinstance(kind, Cutoffs | OptionalCutoffs) or (isinstance(kind, MeasureSettings) and kind.cutoffs):
        cutoff = arguments[0]
    return LARGEST_LONG if cutoff is None else int(cutoff)


def at_the_ends(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) and (T,): the bounds of a measure that only rises, or only falls, with each grade."""
    depth = depth_of(measure, arguments)
    highest = highest_of(batch, measure)
    with_none = filled(batch, depth, np.zeros_like(highest))
    with_highest = filled(batch, depth, highest)
    value_of_none = np.asarray(measure.score(with_none, *arguments), np.float64)
    value_of_highest = np.asarray(measure.score(with_highest, *arguments), np.float64)
    return np.minimum(value_of_none, value_of_highest), np.maximum(value_of_none, value_of_highest)
