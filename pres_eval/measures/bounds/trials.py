"""Bounds of measures of relevance whose values have to be scored one judgement after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Grades, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import Bounds, depth_of, filled, highest_of, unjudged


def one_by_one(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
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
    """Yield the trials of one topic, some at a time, each as a topic of a batch.

    Of the U documents that nobody judged, down to a depth, the first x are relevant in trial 2 x, and the
    last x in trial 2 x + 1, for x from 0 to U; the others are not.
    """
    highest = highest_of(topic, measure)
    none_relevant = filled(topic, depth, np.zeros_like(highest))
    num_documents = len(none_relevant.rank)
    free = np.searchsorted(none_relevant.rank, unjudged(topic, depth).rank)
    number_of_free = np.arange(len(free))
    num_trials = 2 * len(free) + 2
    at_once = max(judgements.MOST_DOCUMENTS // max(num_documents, 1), 1)
    for start in range(0, num_trials, at_once):
        trial = np.arange(start, min(start + at_once, num_trials))[:, np.newaxis]
        x = trial // 2
        are_last = trial % 2 == 1
        is_relevant = np.where(are_last, number_of_free >= len(free) - x, number_of_free < x)
        grades = np.tile(none_relevant.grade, (len(trial), 1))
        grades[:, free] = np.where(is_relevant, highest, 0)
        yield _as_batch(none_relevant, grades, x, highest)


def _as_batch(none_relevant: Batch, grades: Grades, x: IntArray, highest: Grades) -> Batch:
    """Return C trials of a topic as the topics of a batch.

    none_relevant  the topic with all of its documents judged, those that nobody judged as 0
    grades         (C, D) of its documents in each trial
    x              (C, 1) how many of the documents have the highest grade in place of 0
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
