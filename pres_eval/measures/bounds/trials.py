"""Bounds of measures of relevance whose values have to be scored one judgement after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays.types import Grades, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import Bounds, Rule, depth_of, unjudged


def _one_by_one(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """(T,) and (T,): every judgement with the first x or the last x relevant is scored."""
    least, greatest = np.empty(len(batch)), np.empty(len(batch))
    for row in range(len(batch)):
        parts = _judgements(batch.take(row, row + 1), depth_of(measure, arguments))
        values = np.concatenate([np.asarray(measure.score(part, *arguments), float) for part in parts])
        least[row], greatest[row] = values.min(), values.max()
    return least, greatest


def _judgements(topic: Batch, depth: int) -> Iterator[Batch]:
    """Judgements of one topic, each as a topic of a batch: the first x or the last x are relevant."""
    grade = max(math.ceil(topic.relevance_level), 1)
    free = unjudged(topic, depth).rank
    kept = np.flatnonzero((topic.grade >= 0) | (topic.rank > depth))
    order = np.argsort(np.concatenate((topic.rank[kept], free)))
    rank = np.concatenate((topic.rank[kept], free))[order]
    place = np.arange(len(free))
    number = np.arange(2 * len(free) + 2)
    step = max(judgements.MOST_DOCUMENTS // max(len(rank), 1), 1)
    for start in range(0, len(number), step):
        chosen = number[start : start + step]
        extra = (chosen // 2)[:, np.newaxis]
        last = (chosen % 2 == 1)[:, np.newaxis]
        relevant = np.where(last, place >= len(free) - extra, place < extra)
        grades = np.empty((len(chosen), len(rank)), topic.grade.dtype)
        grades[:, : len(kept)] = topic.grade[kept]
        grades[:, len(kept) :] = np.where(relevant, grade, 0)
        yield _of_one_topic(topic, rank, grades[:, order], extra[:, 0], len(free), grade)


def _of_one_topic(
    topic: Batch, rank: IntArray, grades: Grades, extra: IntArray, num_free: int, grade: int
) -> Batch:
    """A batch of C topics that are all like one, with other grades (C, D) of its documents."""
    count = len(grades)
    levels = np.concatenate(([0], topic.levels, [grade]))
    counts = np.empty((count, len(levels)), np.int64)
    counts[:, 0], counts[:, 1:-1], counts[:, -1] = num_free - extra, topic.level_counts, extra
    ascending = np.argsort(levels, kind="stable")
    return replace(
        topic,
        topics=topic.topics * count,
        num_ret=np.repeat(topic.num_ret, count),
        offsets=np.arange(count + 1) * len(rank),
        rank=np.tile(rank, count),
        grade=grades.reshape(-1),
        levels=np.tile(levels[ascending], count),
        level_counts=counts[:, ascending].reshape(-1),
        level_offsets=np.arange(count + 1) * len(levels),
        missing=np.repeat(topic.missing, count),
    )


_TRIED = """
    Rprec_mult bpref gm_bpref infAP iprec_at_recall 11pt_avg Rnorm Fprime accuracy
    wss last_rel norm_last_rel recall_at_percent norm_area atd
"""

OF_TRIALS: dict[str, Rule] = dict.fromkeys(_TRIED.split(), _one_by_one)
"""Rules by the name of the measure."""
