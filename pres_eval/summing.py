"""Values of topics become values over all topics, or over some of them."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import replace

import numpy as np

from pres_eval.arrays import (
    FloatArray,
    add_rows_in_order,
)
from pres_eval.measures.base import Format, Totals, mean
from pres_eval.measures.selection import Selection
from pres_eval.reading.relevance import QrelsJudgements, Relevance
from pres_eval.reading.topic_files import Weights
from pres_eval.records import dataclass

MOST_VALUES = 1 << 19
"""Values of several columns that are computed or added up together."""


Values = FloatArray | list[str]


@dataclass(frozen=True, eq=False)
class ScoredBlock:
    """Some topics with their values: one array (or list of texts) for each column of the selection."""

    topics: tuple[bytes, ...]
    values: tuple[Values, ...]

    def over(self, wanted: Container[bytes]) -> ScoredBlock:
        """Return the topics that are wanted, with their values."""
        rows = np.array([row for row, topic in enumerate(self.topics) if topic in wanted], np.int64)
        return ScoredBlock(
            tuple(self.topics[row] for row in rows),
            tuple(
                [values[row] for row in rows] if isinstance(values, list) else values[rows]
                for values in self.values
            ),
        )


class Summing:
    """The sums of all columns over the topics, in order, and their summaries."""

    def __init__(self, selection: Selection, weights: Weights | None = None) -> None:
        self._selection = selection
        self._weights = weights
        self._sums = np.zeros(len(selection))
        self._weight = 0.0
        self.num_scored = 0

    def add(self, block: ScoredBlock) -> None:
        """Add the topics of a block."""
        self.num_scored += len(block.topics)
        numbers = [number for number, values in enumerate(block.values) if not isinstance(values, list)]
        weights = None
        if self._weights is not None:
            weights = np.array([self._weights.of[topic] for topic in block.topics], np.float64)
            self._weight = float(np.add.accumulate(np.append(self._weight, weights))[-1])
        at_once = max(MOST_VALUES // max(len(block.topics), 1), 1)
        for start in range(0, len(numbers), at_once):
            chosen = numbers[start : start + at_once]
            table = np.array([block.values[number] for number in chosen])
            if weights is not None:
                table[[self._selection[number].measure.summary is mean for number in chosen]] *= weights
            self._sums[chosen] = add_rows_in_order(table, self._sums[chosen])

    def totals(self, relevance: Relevance, complete: bool, topics: frozenset[bytes] | None = None) -> Totals:
        """Return the counts that summaries need besides the sums; `topics`: those of a group, None: all."""
        judged = list(relevance.pool.topics) if complete and (topics is not None or self._weights) else []
        own = np.array([topics is None or topic in topics for topic in judged], np.bool_)
        weight = self._weight
        if complete and self._weights is not None:
            weight = math.fsum(self._weights.of[topic] for topic, its in zip(judged, own, strict=True) if its)
        num_judged = len(relevance.pool.topics) if topics is None else int(own.sum())
        positive = 0
        if isinstance(relevance, QrelsJudgements):
            positive = relevance.num_positive(own if complete and topics is not None else None)
        return Totals(
            num_scored=self.num_scored,
            num_topics=num_judged if complete else self.num_scored,
            num_rel_in_qrels=positive,
            complete=complete,
            weight=None if self._weights is None else weight,
        )

    def totals_as(self, of_part: Totals) -> Totals:
        """Return the counts of all topics that were added, from those of a part of the run."""
        # With -c those of a part are of all judged topics.
        return replace(
            of_part,
            num_scored=self.num_scored,
            num_topics=of_part.num_topics if of_part.complete else self.num_scored,
            weight=None if self._weights is None else of_part.weight if of_part.complete else self._weight,
        )

    def summary(self, totals: Totals, tag: str) -> tuple[float | str | None, ...]:
        """Return the summary of each column; None where the measure has none."""
        return tuple(
            tag
            if column.measure.format is Format.TAG
            else None
            if column.measure.summary is None
            else column.measure.summary(value, totals)
            for column, value in zip(self._selection, self._sums.tolist(), strict=True)
        )
