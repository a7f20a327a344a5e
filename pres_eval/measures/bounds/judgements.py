"""The documents that nobody judged, and the grades that they may turn out to have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Grades, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.gain import blocks_of_ranks, highest_grades
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
class Unjudged:
    """The U documents that nobody judged down to a depth.

    topic_of, rank  (U,) of each
    count           (T,) how many each topic has
    """

    topic_of: IntArray
    rank: IntArray
    count: IntArray


def unjudged(batch: Batch, depth: int, above: int = 0) -> Unjudged:
    """Return those retrieved down to rank `depth` without a grade, of those below rank `above`."""
    length = np.minimum(batch.num_ret, depth)
    begins = np.concatenate(([0], np.cumsum(length)))
    free = np.ones(int(begins[-1]), np.bool_)
    judged = np.flatnonzero((batch.grade >= 0) & (batch.rank <= depth))
    free[begins[batch.topic_of[judged]] + batch.rank[judged] - 1] = False
    places = np.flatnonzero(free)
    topic_of = np.searchsorted(begins, places, "right") - 1
    if above:
        below = places - begins[topic_of] >= above
        places, topic_of = places[below], topic_of[below]
    return Unjudged(topic_of, places - begins[topic_of] + 1, np.bincount(topic_of, minlength=len(batch)))


def filled_below(batch: Batch, depth: int, measure: Measure) -> Batch:
    """Return the batch with all documents below rank `depth` that nobody judged at the highest grade."""
    return filled(batch, LARGEST_LONG, highest_of(batch, measure), above=depth)


def filled(batch: Batch, depth: int, grades: Grades, above: int = 0) -> Batch:
    """Return the batch with its unjudged documents judged: one grade for each topic (T,), 0 or the highest.

    These are the ones down to rank `depth`, of those below rank `above`.
    """
    there = unjudged(batch, depth, above)
    kept = np.flatnonzero((batch.grade >= 0) | (batch.rank > depth) | (batch.rank <= above))
    topic_of = np.concatenate((batch.topic_of[kept], there.topic_of))
    rank = np.concatenate((batch.rank[kept], there.rank))
    order = np.lexsort((rank, topic_of))
    # Where nothing is judged anew, no grade may be there that the topic does not have.
    grades = np.where(there.count > 0, grades, np.minimum(grades, np.maximum(highest_grades(batch), 0)))
    places = batch.level_offsets[:-1] if not grades.any() else batch.level_offsets[1:]
    return replace(
        batch,
        offsets=np.searchsorted(topic_of[order], np.arange(len(batch) + 1)),
        rank=rank[order],
        grade=np.concatenate((batch.grade[kept], grades[there.topic_of]))[order],
        levels=np.insert(batch.levels, places, grades),
        level_counts=np.insert(batch.level_counts, places, there.count),
        level_offsets=batch.level_offsets + np.arange(len(batch) + 1),
    )


def depth_of(measure: Measure, arguments: tuple[Any, ...]) -> int:
    """Return the cutoff among the arguments of a measure; LARGEST_LONG for the whole ranking."""
    kind, cutoff = measure.parameters, None
    if isinstance(kind, BetaCutoffs):
        cutoff = arguments[1]
    elif isinstance(kind, Cutoffs | OptionalCutoffs) or (isinstance(kind, MeasureSettings) and kind.cutoffs):
        cutoff = arguments[0]
    return LARGEST_LONG if cutoff is None else int(cutoff)


def at_the_ends(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) and (T,): the bounds of a measure that only rises, or only falls, with each grade."""
    depth = depth_of(measure, arguments)
    least, greatest = [], []
    for block in blocks_of_ranks(batch, MOST_DOCUMENTS):
        highest = highest_of(block, measure)
        ends = [
            np.asarray(measure.score(filled(block, depth, grades), *arguments), np.float64)
            for grades in (np.zeros_like(highest), highest)
        ]
        least.append(np.minimum(*ends))
        greatest.append(np.maximum(*ends))
    return np.concatenate(least), np.concatenate(greatest)
