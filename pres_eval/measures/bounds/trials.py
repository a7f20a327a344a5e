"""Bounds of measures of relevance without a closed form: each choice of relevant documents is scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Grades, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import (
    Bounds,
    depth_of,
    fill_unjudged,
    highest_possible_grades,
    unjudged,
)


def by_scoring_trials(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) least and (T,) greatest values over all x, with the first x or the last x relevant."""
    least = np.empty(len(batch))
    greatest = np.empty(len(batch))
    depth = depth_of(measure, arguments)
    for row in range(len(batch)):
        values_of_trials: list[FloatArray] = []
        for trials in _trials(batch.take(row, row + 1), measure, depth):
            values_of_trials.append(np.asarray(measure.score(trials, *arguments), np.float64))
        values = np.concatenate(values_of_trials)
        least[row], greatest[row] = values.min(), values.max()
    return least, greatest


def _trials(topic: Batch, measure: Measure, depth: int) -> Iterator[Batch]:
    """Yield batches of the trials of one topic: each trial is a topic of a batch.

    Of the U unjudged documents, down to a depth, the first x are relevant in trial 2 x, and the last x in
    trial 2 x + 1, for x from 0 to U; the others are not.
    """
    highest = highest_possible_grades(topic, measure)
    none_relevant = fill_unjudged(topic, depth, np.zeros_like(highest))
    num_documents = len(none_relevant.rank)
    rows_of_free = np.searchsorted(none_relevant.rank, unjudged(topic, depth).rank)
    num_free = len(rows_of_free)
    index_of_free = np.arange(num_free)
    num_trials = 2 * num_free + 2
    trials_at_once = max(judgements.MOST_DOCUMENTS // max(num_documents, 1), 1)
    for start in range(0, num_trials, trials_at_once):
        trial = np.arange(start, min(start + trials_at_once, num_trials))[:, np.newaxis]
        x = trial // 2
        takes_last = trial % 2 == 1
        is_relevant = np.where(takes_last, index_of_free >= num_free - x, index_of_free < x)
        grades = np.tile(none_relevant.grade, (len(trial), 1))
        grades[:, rows_of_free] = np.where(is_relevant, highest, 0)
        yield _as_batch(none_relevant, grades, x, highest)


def _as_batch(none_relevant: Batch, grades: Grades, x: IntArray, highest: Grades) -> Batch:
    """Return C trials of a topic as the topics of a batch.

    none_relevant  a batch of the topic, whose unjudged documents have grade 0
    grades         (C, D) the grades of its documents in each trial
    x              (C, 1) how many of them have the highest grade in place of 0
    highest        (1,) that grade
    """
    num_trials = len(grades)
    num_documents = len(none_relevant.rank)
    # The highest grade is one more level: x documents leave the lowest level, which is 0, for it.
    levels = np.concatenate((none_relevant.levels, highest))
    counts = np.tile(np.append(none_relevant.level_counts, 0), (num_trials, 1))
    counts[:, :1] -= x
    counts[:, -1:] += x
    numbers = np.arange(num_trials + 1)
    return replace(
        none_relevant,
        topics=none_relevant.topics * num_trials,
        num_ret=np.tile(none_relevant.num_ret, num_trials),
        offsets=numbers * num_documents,
        rank=np.tile(none_relevant.rank, num_trials),
        grade=grades.ravel(),
        levels=np.tile(levels, num_trials),
        level_counts=counts.ravel(),
        level_offsets=numbers * len(levels),
        missing=np.tile(none_relevant.missing, num_trials),
    )
