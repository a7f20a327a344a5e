"""Bounds of measures of relevance whose values have to be scored one judgement after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import Bounds, depth_of, filled, highest_of, unjudged


def one_by_one(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """Return (T,) and (T,): every judgement with the first x or the last x relevant is scored."""
    least = np.empty(len(batch))
    greatest = np.empty(len(batch))
    for row in range(len(batch)):
        parts = _judgements(batch.take(row, row + 1), measure, depth_of(measure, arguments))
        values = np.concatenate([np.asarray(measure.score(part, *arguments), float) for part in parts])
        least[row], greatest[row] = values.min(), values.max()
    return least, greatest


def _judgements(topic: Batch, measure: Measure, depth: int) -> Iterator[Batch]:
    """Yield judgements of one topic, each as a topic of a batch: the first x or the last x are relevant."""
    highest = highest_of(topic, measure)
    none = filled(topic, depth, np.zeros_like(highest))
    levels = np.concatenate((none.levels, highest))
    free = np.searchsorted(none.rank, unjudged(topic, depth).rank)
    number_of_free = np.arange(len(free))
    number = np.arange(2 * len(free) + 2)
    step = max(judgements.MOST_DOCUMENTS // max(len(none.rank), 1), 1)
    for start in range(0, len(number), step):
        chosen = number[start : start + step, np.newaxis]
        extra = chosen // 2
        relevant = np.where(chosen % 2 == 1, number_of_free >= len(free) - extra, number_of_free < extra)
        grades = np.tile(none.grade, (len(chosen), 1))
        grades[:, free] = np.where(relevant, highest, 0)
        # (C, L): `extra` documents leave the lowest level for the highest one.
        counts = np.tile(np.append(none.level_counts, 0), (len(chosen), 1))
        counts[:, :1] -= extra
        counts[:, -1:] += extra
        yield replace(
            none,
            topics=none.topics * len(chosen),
            num_ret=np.tile(none.num_ret, len(chosen)),
            offsets=np.arange(len(chosen) + 1) * len(none.rank),
            rank=np.tile(none.rank, len(chosen)),
            grade=grades.ravel(),
            levels=np.tile(levels, len(chosen)),
            level_counts=counts.ravel(),
            level_offsets=np.arange(len(chosen) + 1) * len(levels),
            missing=np.tile(none.missing, len(chosen)),
        )
