"""Bounds of measures of relevance whose values have to be scored one judgement after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import Bounds, depth_of, highest_of, judged_anew, unjudged


def one_by_one(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """(T,) and (T,): every judgement with the first x or the last x relevant is scored."""
    least, greatest = np.empty(len(batch)), np.empty(len(batch))
    for row in range(len(batch)):
        parts = _judgements(batch.take(row, row + 1), measure, depth_of(measure, arguments))
        values = np.concatenate([np.asarray(measure.score(part, *arguments), float) for part in parts])
        least[row], greatest[row] = values.min(), values.max()
    return least, greatest


def _judgements(topic: Batch, measure: Measure, depth: int) -> Iterator[Batch]:
    """Judgements of one topic, each as a topic of a batch: the first x or the last x are relevant."""
    num_free = len(unjudged(topic, depth).rank)
    place = np.arange(num_free)
    number = np.arange(2 * num_free + 2)
    step = max(judgements.MOST_DOCUMENTS // max(len(topic.rank) + num_free, 1), 1)
    for start in range(0, len(number), step):
        chosen = number[start : start + step, np.newaxis]
        extra = chosen // 2
        relevant = np.where(chosen % 2 == 1, place >= num_free - extra, place < extra)
        same = _repeated(topic, len(chosen))
        highest = highest_of(same, measure)
        yield judged_anew(same, depth, unjudged(same, depth), relevant.ravel(), highest)


def _repeated(topic: Batch, count: int) -> Batch:
    """A batch of topics that are all like one."""
    return replace(
        topic,
        topics=topic.topics * count,
        num_ret=np.tile(topic.num_ret, count),
        offsets=np.arange(count + 1) * len(topic.rank),
        rank=np.tile(topic.rank, count),
        grade=np.tile(topic.grade, count),
        levels=np.tile(topic.levels, count),
        level_counts=np.tile(topic.level_counts, count),
        level_offsets=np.arange(count + 1) * len(topic.levels),
        missing=np.tile(topic.missing, count),
    )
