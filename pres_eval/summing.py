"""Values of topics become values over all topics, or over some of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

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

    @cached_property
    def row_of(self) -> dict[bytes, int]:
        """The topics and their rows."""
        return {topic: row for row, topic in enumerate(self.topics)}

    def over(self, group: Iterable[bytes]) -> ScoredBlock:
        """Return the topics of a group, with their values; it takes time for the group's topics alone."""
        rows = np.array(sorted(self.row_of[topic] for topic in group if topic in self.row_of), np.int64)
        return ScoredBlock(
            tuple(self.topics[row] for row in rows),
            tuple(
                [values[row] for row in rows] if isinstance(values, list) else values[rows]
                for values in self.values
            ),
        )


class CountedJudgements:
    """Topics of judgements and their positive grades, as totals need them; counted once for all groups."""

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance

    @cached_property
    def topics(self) -> Sequence[bytes]:
        """All topics of the judgements."""
        return self._relevance.pool.topics

    @cached_property
    def num_positive(self) -> int:
        """Judgements with a relevance above 0; 0 for judgements that are no qrels."""
        return self._relevance.num_positive() if isinstance(self._relevance, QrelsJudgements) else 0

    @cached_property
    def _positive_of(self) -> dict[bytes, int]:
        """For each topic its judgements with a relevance above 0."""
        if not isinstance(self._relevance, QrelsJudgements):
            return dict.fromkeys(self.topics, 0)
        return dict(zip(self.topics, self._relevance.positive_by_topic().tolist(), strict=True))

    def in_group(self, group: frozenset[bytes]) -> tuple[Sequence[bytes], int]:
        """Return the judged topics of a group, and their judgements with a relevance above 0."""
        judged = [topic for topic in group if topic in self._positive_of]
        return judged, sum(self._positive_of[topic] for topic in judged)


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

    def totals(
        self, judged: CountedJudgements, complete: bool, group: frozenset[bytes] | None = None
    ) -> Totals:
        """Return the counts that summaries need besides the sums, over the topics of a group, None: over all.

        complete  whether topics that the run lacks count too
        """
        num_topics, num_positive, weight = self.num_scored, judged.num_positive, self._weight
        if complete:
            topics = judged.topics
            if group is not None:
                topics, num_positive = judged.in_group(group)
            num_topics = len(topics)
            if self._weights is not None:
                # Exact, so that the order of the topics does not matter.
                weight = math.fsum(self._weights.of[topic] for topic in topics)
        return Totals(
            num_scored=self.num_scored,
            num_topics=num_topics,
            num_rel_in_qrels=num_positive,
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
