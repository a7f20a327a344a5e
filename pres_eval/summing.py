"""Values of topics become values over all topics, or over some of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from pres_eval.arrays import FloatArray, add_rows_in_order
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

    def over(self, topics: Container[bytes]) -> ScoredBlock:
        """Return the block with these of its topics alone."""
        rows = [row for row, topic in enumerate(self.topics) if topic in topics]
        row_array = np.array(rows, np.int64)
        values: list[Values] = []
        for column in self.values:
            if isinstance(column, list):
                values.append([column[row] for row in rows])
            else:
                values.append(column[row_array])
        return ScoredBlock(tuple(self.topics[row] for row in rows), tuple(values))


class Summing:
    """The sums of all columns over the topics, in order, and their summaries."""

    def __init__(self, selection: Selection, weights: Weights | None = None) -> None:
        self._selection = selection
        self._weights = weights
        self._sums = np.zeros(len(selection))
        self._weight_of_scored = 0.0
        self.num_scored = 0

    def add(self, block: ScoredBlock) -> None:
        """Add the topics of a block."""
        self.num_scored += len(block.topics)
        weights = self._weights_of(block.topics)
        if weights is not None:
            running = np.add.accumulate(np.append(self._weight_of_scored, weights))
            self._weight_of_scored = float(running[-1])
        numeric = [number for number, values in enumerate(block.values) if not isinstance(values, list)]
        at_once = max(MOST_VALUES // max(len(block.topics), 1), 1)
        for start in range(0, len(numeric), at_once):
            numbers = numeric[start : start + at_once]
            table = np.array([block.values[number] for number in numbers])
            if weights is not None:
                is_mean = [self._selection[number].measure.summary is mean for number in numbers]
                table[is_mean] *= weights
            self._sums[numbers] = add_rows_in_order(table, self._sums[numbers])

    def _weights_of(self, topics: Sequence[bytes]) -> FloatArray | None:
        """Return the weights (n,) of topics, None where all weigh the same."""
        if self._weights is None:
            return None
        return np.array([self._weights.of[topic] for topic in topics], np.float64)

    def totals(self, relevance: Relevance, complete: bool, topics: frozenset[bytes] | None = None) -> Totals:
        """Return the counts that summaries need besides the sums.

        complete  whether all judged topics count (-c), or those that were scored
        topics    those of a group, None for all
        """
        num_positive = relevance.num_positive(None) if isinstance(relevance, QrelsJudgements) else 0
        totals = Totals(
            num_scored=self.num_scored,
            num_topics=self.num_scored,
            num_rel_in_qrels=num_positive,
            complete=complete,
            weight=None if self._weights is None else self._weight_of_scored,
        )
        if not complete:
            return totals
        if topics is None and self._weights is None:
            return replace(totals, num_topics=len(relevance.pool.topics))
        return self._totals_of_judged(totals, relevance, topics)

    def _totals_of_judged(
        self, totals: Totals, relevance: Relevance, topics: frozenset[bytes] | None
    ) -> Totals:
        """Return the totals over the judged topics of a group, or all of them, with their weights."""
        judged = list(relevance.pool.topics)
        is_counted = np.array([topics is None or topic in topics for topic in judged], np.bool_)
        totals = replace(totals, num_topics=int(is_counted.sum()))
        if topics is not None and isinstance(relevance, QrelsJudgements):
            totals = replace(totals, num_rel_in_qrels=relevance.num_positive(is_counted))
        if self._weights is not None:
            counted = itertools.compress(judged, is_counted.tolist())
            totals = replace(totals, weight=math.fsum(self._weights.of[topic] for topic in counted))
        return totals

    def totals_as(self, of_part: Totals) -> Totals:
        """Return the counts of all topics that were added, from those of a part of the run."""
        if of_part.complete:  # those of a part are of all judged topics, too
            return replace(of_part, num_scored=self.num_scored)
        weight = None if self._weights is None else self._weight_of_scored
        return replace(of_part, num_scored=self.num_scored, num_topics=self.num_scored, weight=weight)

    def summary(self, totals: Totals, tag: str) -> tuple[float | str | None, ...]:
        """Return the summary of each column; None where the measure has none."""
        summaries: list[float | str | None] = []
        for column, total in zip(self._selection, self._sums.tolist(), strict=True):
            if column.measure.format is Format.TAG:
                summaries.append(tag)
            elif column.measure.summary is None:
                summaries.append(None)
            else:
                summaries.append(column.measure.summary(total, totals))
        return tuple(summaries)
