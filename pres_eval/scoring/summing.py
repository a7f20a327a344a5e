"""Values of topics become values over all topics, or over some of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays import FloatArray, add_rows_in_order
from pres_eval.measures.base import Format, Totals, mean
from pres_eval.measures.selection import Selection
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance
from pres_eval.records import dataclass

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Weights

MOST_VALUES = 1 << 19
"""Values (topics times columns) that are computed or added up at once: an array of 4 MB."""

FEW_VALUES = 128
"""Values (topics times columns) up to which plain Python adds them in less time than numpy."""

Values = FloatArray | list[str]
"""The values of a column: (T,) numbers, or T texts."""


@dataclass(frozen=True, eq=False)
class ScoredBlock:
    """Some topics with their values: one array (or list of texts) for each column of the selection."""

    topics: tuple[bytes, ...]
    values: tuple[Values, ...]

    @cached_property
    def row_of(self) -> dict[bytes, int]:
        """Each topic with its row: its index in `topics` and in arrays of values."""
        return {topic: row for row, topic in enumerate(self.topics)}

    def over(self, group: Iterable[bytes]) -> ScoredBlock:
        """Return the scored topics of a group, with their values."""
        # A loop over the group, not over all topics: a run may have many small groups.
        rows = sorted(self.row_of[topic] for topic in group if topic in self.row_of)
        row_array = np.array(rows, np.int64)
        values: list[Values] = []
        for column in self.values:
            if isinstance(column, list):
                values.append([column[row] for row in rows])
            else:
                values.append(column[row_array])
        return ScoredBlock(tuple(self.topics[row] for row in rows), tuple(values))


def joined(blocks: Iterable[ScoredBlock]) -> ScoredBlock:
    """Return one block with the topics and values of all blocks (one or more)."""
    block_list = list(blocks)
    if len(block_list) == 1:
        return block_list[0]
    topics = tuple(chain.from_iterable(block.topics for block in block_list))
    # For each column its values in all blocks.
    parts_of_columns: Iterator[Any] = zip(*(block.values for block in block_list), strict=True)
    values: list[Values] = []
    for parts in parts_of_columns:
        if isinstance(parts[0], list):
            values.append(list(chain.from_iterable(parts)))
        else:
            values.append(np.concatenate(parts))
    return ScoredBlock(topics, tuple(values))


class CountedJudgements:
    """The judged topics and how many judgements are above 0, of all and of a group; counted at most once.

    With -c means are over all judged topics, and trec_eval's num_rel counts all judgements above 0.
    """

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance

    @cached_property
    def topics(self) -> Sequence[bytes]:
        """All topics of the judgements."""
        return self._relevance.pool.topics

    @cached_property
    def num_positive(self) -> int:
        """Judgements with a relevance above 0; 0 for judgements that are no qrels."""
        if not isinstance(self._relevance, QrelsJudgements):
            return 0
        # Kept for the next run, like other results made of the judgements alone.
        results = self._relevance.remembered
        return results.get("judgements above 0", size=1, make=self._relevance.num_positive)

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
    """Sums of all columns over topics, which come in order and in blocks, and the summaries made of them."""

    def __init__(self, selection: Selection, weights: Weights | None = None) -> None:
        self._selection = selection
        self._weights = weights
        self._sums = np.zeros(len(selection))
        self._weight_of_scored = 0.0
        self.num_scored = 0

    def add(self, block: ScoredBlock) -> None:
        """Add the values of the topics of a block to the sums."""
        self.num_scored += len(block.topics)
        if self._weights is None and len(block.topics) * len(block.values) <= FEW_VALUES:
            sums = self._plain_sums_with(block)
            # Sums that are not finite are added again: add_rows_in_order gives nan trec_eval's sign.
            if all(map(math.isfinite, sums)):
                self._sums = np.array(sums, np.float64)
                return
        self._add_arrays(block)

    def _add_arrays(self, block: ScoredBlock) -> None:
        """Add the values of the topics of a block to the sums, many columns at a time."""
        weights = self._weights_of(block.topics)
        if weights is not None:
            running = np.add.accumulate(np.append(self._weight_of_scored, weights))
            self._weight_of_scored = float(running[-1])
        numeric_columns = [
            column for column, values in enumerate(block.values) if not isinstance(values, list)
        ]
        columns_at_once = max(MOST_VALUES // max(len(block.topics), 1), 1)
        for start in range(0, len(numeric_columns), columns_at_once):
            columns = numeric_columns[start : start + columns_at_once]
            table = np.array([block.values[column] for column in columns])
            if weights is not None:
                is_mean = [self._selection[column].measure.summary is mean for column in columns]
                # An infinite value of a topic that does not count would make the sum nan.
                table[is_mean] = np.where(weights == 0, 0.0, table[is_mean]) * weights
            self._sums[columns] = add_rows_in_order(table, self._sums[columns])

    def _plain_sums_with(self, block: ScoredBlock) -> list[float]:
        """Return the sums with a block's values added, without numpy: the same additions in one order."""
        sums = self._sums.tolist()
        for column, values in enumerate(block.values):
            if not isinstance(values, list):
                for value in values.tolist():
                    sums[column] += value
        return sums

    def _weights_of(self, topics: Sequence[bytes]) -> FloatArray | None:
        """Return the weights (n,) of topics, None where all weigh the same."""
        if self._weights is None:
            return None
        return np.array([self._weights.of[topic] for topic in topics], np.float64)

    def totals(
        self, judged: CountedJudgements, complete: bool, group: frozenset[bytes] | None = None
    ) -> Totals:
        """Return the counts that summaries need besides the sums.

        complete  whether all judged topics count (-c), not only those that were scored
        group     the group whose scored topics were added; None: the topics of the whole run were
        """
        totals = Totals(
            num_scored=self.num_scored,
            num_topics=self.num_scored,
            num_rel_in_qrels=judged.num_positive,
            complete=complete,
            weight=None if self._weights is None else self._weight_of_scored,
        )
        if not complete:
            return totals
        topics = judged.topics
        if group is not None:
            topics, num_positive = judged.in_group(group)
            totals = replace(totals, num_rel_in_qrels=num_positive)
        totals = replace(totals, num_topics=len(topics))
        if self._weights is not None:
            # Exact, so that the order of the topics does not matter.
            totals = replace(totals, weight=math.fsum(self._weights.of[topic] for topic in topics))
        return totals

    def adapted_totals(self, totals: Totals) -> Totals:
        """Return the counts for the topics that were added, from those for other topics of the same run.

        totals  for a part of these topics, or for more; so the judgements need not be counted again
        """
        if totals.complete:  # the other counts are of all judged topics
            return replace(totals, num_scored=self.num_scored)
        weight = None if self._weights is None else self._weight_of_scored
        return replace(totals, num_scored=self.num_scored, num_topics=self.num_scored, weight=weight)

    def summary(self, totals: Totals, tag: str) -> tuple[float | str | None, ...]:
        """Return the summary of each column, None where the measure has none; runid's is the run's tag."""
        summaries: list[float | str | None] = []
        for column, total in zip(self._selection, self._sums.tolist(), strict=True):
            if column.measure.format is Format.TAG:
                summaries.append(tag)
            elif column.measure.summary is None:
                summaries.append(None)
            else:
                summaries.append(column.measure.summary(total, totals))
        return tuple(summaries)
