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
    """Ranks of some documents of T topics, ascending in each: offsets (T+1,), topics (N,), ranks (N,)."""

    offsets: IntArray
    topic: IntArray
    rank: IntArray

    def upwards(self) -> IntArray:
        """Return (N,) the documents of each topic, the last one first."""
        return (self.offsets[:-1] + self.offsets[1:] - 1)[self.topic] - np.arange(len(self.rank))

    def down_to(self, rank: IntArray, topic: IntArray) -> IntArray:
        """Return how many of the documents of topics (X,) have at most these ranks (..., X)."""
        room = int(self.rank.max(initial=0)) + 1
        keys = self.topic * room + self.rank  # topic and rank are one number, which ascends
        number_within = np.searchsorted(keys, topic * room + np.minimum(rank, room - 1), "right")
        return np.asarray(number_within - self.offsets[topic])

    def running(self, values: FloatArray) -> FloatArray:
        """Return (N,) the sums of values (N,) in each topic, up to each of them."""
        return accumulate(np.add, values, self.offsets)


def unjudged(batch: Batch, depth: int, above: int = 0) -> Ranks:
    """Return the ranks of documents retrieved down to `depth` without a grade, of those below `above`."""
    begins = np.concatenate(([0], np.cumsum(np.minimum(batch.num_ret, depth))))
    free = np.ones(int(begins[-1]), np.bool_)
    judged = np.flatnonzero((batch.grade >= 0) & (batch.rank <= depth))
    free[begins[batch.topic_of[judged]] + batch.rank[judged] - 1] = False
    rows = np.flatnonzero(free)
    topic_of = np.searchsorted(begins, rows, "right") - 1
    rank = rows - begins[topic_of] + 1
    topic_of = topic_of[rank > above]
    rank = rank[rank > above]
    return Ranks(np.searchsorted(topic_of, np.arange(len(batch) + 1)), topic_of, rank)


def filled(batch: Batch, depth: int, grades: Grades, above: int = 0) -> Batch:
    """Return the batch with its unjudged documents judged: one grade for each topic (T,), 0 or the highest.

    These are the ones down to rank `depth`, of those below rank `above`.
    """
    free = unjudged(batch, depth, above)
    unchanged = np.flatnonzero((batch.grade >= 0) | (batch.rank > depth) | (batch.rank <= above))
    topic_of = np.concatenate((batch.topic_of[unchanged], free.topic))
    count = np.diff(free.offsets)
    rank = np.concatenate((batch.rank[unchanged], free.rank))
    # Two stretches that ascend are merged, which takes a fifteenth of sorting them by two keys.
    order = np.argsort(topic_of * (int(rank.max(initial=0)) + 1) + rank, kind="stable")
    # Where nothing is judged anew, no grade may be there that the topic does not have.
    grades = np.where(count > 0, grades, np.minimum(grades, np.maximum(highest_grades(batch), 0)))
    grade = np.concatenate((batch.grade[unchanged], grades[free.topic]))
    # Levels ascend: grades of 0 come before those of the topic, the highest ones behind.
    where_they_go = batch.level_offsets[1:] if grades.any() else batch.level_offsets[:-1]
    return replace(
        batch,
        offsets=np.searchsorted(topic_of[order], np.arange(len(batch) + 1)),
        rank=rank[order],
        grade=grade[order],
        levels=np.insert(batch.levels, where_they_go, grades),
        level_counts=np.insert(batch.level_counts, where_they_go, count),
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
