"""The retrieved documents that nobody judged, and batches in which they have grades."""

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
"""Documents of a batch with grades filled in, whose arrays then take 8 MB each; more are scored in parts."""

Bounds = tuple[FloatArray, FloatArray]
"""(T,) least and (T,) greatest values."""

Rule = Callable[[Batch, Measure, tuple[Any, ...]], Bounds]
"""A batch, a measure and its arguments -> the bounds of its values."""


def highest_possible_grades(batch: Batch, measure: Measure) -> Grades:
    """Return (T,) the highest grade that an unjudged document of each topic may turn out to have."""
    highest = np.maximum(highest_grades(batch), batch.max_rel)
    if measure.uses_level:  # it may turn out relevant
        highest = np.maximum(highest, math.ceil(batch.relevance_level))
    return highest


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of N documents of T topics, ascending in each.

    offsets  (T+1,) where each topic's documents begin
    topic    (N,) index of each document's topic
    rank     (N,) of each document
    """

    offsets: IntArray
    topic: IntArray
    rank: IntArray

    def reversed_in_topics(self) -> IntArray:
        """Return (N,) the documents with the order in each topic reversed.

        For topics with 3 and 2 documents that is 2, 1, 0, 4, 3.
        """
        sum_of_ends = self.offsets[:-1] + self.offsets[1:] - 1  # first plus last document of each topic
        return sum_of_ends[self.topic] - np.arange(len(self.rank))

    def count_down_to(self, limits: IntArray, topics: IntArray) -> IntArray:
        """Return how many documents some topics (X,) have at ranks up to limits (..., X): (..., X)."""
        width = int(self.rank.max(initial=0)) + 1
        keys = self.topic * width + self.rank  # topic and rank are one number, which ascends
        last_keys = topics * width + np.minimum(limits, width - 1)
        end = np.searchsorted(keys, last_keys, "right")
        return np.asarray(end - self.offsets[topics])

    def running(self, values: FloatArray) -> FloatArray:
        """Return (N,) running sums of values (N,), which begin anew in each topic."""
        return accumulate(np.add, values, self.offsets)


def unjudged(batch: Batch, depth: int, above: int = 0) -> Ranks:
    """Return the ranks of the documents that nobody judged, from rank `above` + 1 to rank `depth`."""
    # The one document that 10.0 makes up for a topic that the run lacks cannot be judged.
    num_ranks = np.where(batch.missing, 0, np.minimum(batch.num_ret, depth))
    begins = np.concatenate(([0], np.cumsum(num_ranks)))
    # Of every rank of every topic: whether the document there is unjudged (`grade` is below 0, or the batch
    # has no row for it).
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


def fill_unjudged(batch: Batch, depth: int, grades: Grades, above: int = 0) -> Batch:
    """Return the batch with grades for its unjudged documents from rank `above` + 1 to rank `depth`.

    grades  (T,) the grade of all of them in each topic: 0 in all topics, or the highest possible in all
    """
    free = unjudged(batch, depth, above)
    num_free = np.diff(free.offsets)
    unchanged = np.flatnonzero((batch.grade >= 0) | (batch.rank > depth) | (batch.rank <= above))
    # Each topic gets one more level (a distinct grade), with a count of 0 if it has no unjudged documents.
    # Then the level is at most the topic's highest, as measures take the last level for the highest grade.
    highest = np.maximum(highest_grades(batch), 0)
    grades = np.where(num_free > 0, grades, np.minimum(grades, highest))
    topic_of = np.concatenate((batch.topic_of[unchanged], free.topic))
    rank = np.concatenate((batch.rank[unchanged], free.rank))
    grade = np.concatenate((batch.grade[unchanged], grades[free.topic]))
    # A stable sort merges the two stretches, which ascend, in a fifteenth of the time of np.lexsort.
    width = int(rank.max(initial=0)) + 1
    order = np.argsort(topic_of * width + rank, kind="stable")
    # Levels ascend in each topic: 0 comes before the others, the highest possible grade behind them.
    are_highest = bool(grades.any())
    insert_at = batch.level_offsets[1:] if are_highest else batch.level_offsets[:-1]
    return replace(
        batch,
        offsets=np.searchsorted(topic_of[order], np.arange(len(batch) + 1)),
        rank=rank[order],
        grade=grade[order],
        levels=np.insert(batch.levels, insert_at, grades),
        level_counts=np.insert(batch.level_counts, insert_at, num_free),
        level_offsets=batch.level_offsets + np.arange(len(batch) + 1),
    )


def depth_of(measure: Measure, arguments: tuple[Any, ...]) -> int:
    """Return the cutoff among the arguments of a measure; LARGEST_LONG for the whole ranking."""
    parameters = measure.parameters
    has_settings_after_cutoff = isinstance(parameters, MeasureSettings) and bool(parameters.cutoffs)
    cutoff = None
    if isinstance(parameters, BetaCutoffs):
        cutoff = arguments[1]
    elif has_settings_after_cutoff or isinstance(parameters, Cutoffs | OptionalCutoffs):
        cutoff = arguments[0]
    return LARGEST_LONG if cutoff is None else int(cutoff)


def at_extreme_grades(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return the bounds of a measure that only rises, or only falls, with each grade.

    They are its values with grade 0, and with the highest possible grade, for all unjudged documents.
    """
    depth = depth_of(measure, arguments)
    highest = highest_possible_grades(batch, measure)
    with_none = fill_unjudged(batch, depth, np.zeros_like(highest))
    with_highest = fill_unjudged(batch, depth, highest)
    value_of_none = np.asarray(measure.score(with_none, *arguments), np.float64)
    value_of_highest = np.asarray(measure.score(with_highest, *arguments), np.float64)
    return np.minimum(value_of_none, value_of_highest), np.maximum(value_of_none, value_of_highest)
