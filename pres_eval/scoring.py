"""The way from a ranked run to numbers: batches × selection -> an Evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays.exact import add_rows_in_order
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.batches.forming import AnyBatch, form
from pres_eval.measures.base import Format, Measure, Totals, WhenMissing
from pres_eval.measures.own import computed
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.measures.views import BOUNDS
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import Relevance
from pres_eval.records import dataclass
from pres_eval.workers import in_order

if TYPE_CHECKING:
    from pres_eval.reading.zscores import ZScores

MOST_VALUES = 1 << 19
"""Values of several columns that are computed or added up together."""


Values = FloatArray | list[str]


@dataclass(frozen=True, eq=False)
class ScoredBlock:
    """Some topics with their values: one array (or list of texts) for each column of the selection."""

    topics: tuple[bytes, ...]
    values: tuple[Values, ...]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All numbers of one run.

    path, tag    the run file, and the tag of its last line
    topics       the topics that were scored, in byte order
    columns      the selection
    values       for each column (T,) values, or T texts
    summary      for each column its value over all topics, None where the measure has none
    totals       how many topics were scored and averaged over
    """

    path: str
    tag: str
    topics: tuple[bytes, ...]
    columns: Selection
    values: tuple[Values, ...]
    summary: tuple[float | str | None, ...]
    totals: Totals

    @property
    def labels(self) -> list[str]:
        """The labels of the columns."""
        return [column.label for column in self.columns]

    def by_label(self, label: str) -> FloatArray:
        """(T,) the per-topic values of a numeric column."""
        for column, values in zip(self.columns, self.values, strict=True):
            if column.label == label and not isinstance(values, list):
                return values
        raise KeyError(label)

    def with_columns(self, places: Sequence[int]) -> Evaluation:
        """The same with some of the columns alone, in this order."""
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            values=tuple(self.values[place] for place in places),
            summary=tuple(self.summary[place] for place in places),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Scoring:
    """What runs are scored by, and for what."""

    relevance: Relevance
    selection: Selection
    options: Options
    zscores: ZScores | None = None

    def blocks(self, ranking: Ranked, jobs: int = 1) -> Iterator[ScoredBlock]:
        """The topics of a run, scored, some at a time; raises NoCommonTopicError if there is none."""
        return scored(self.relevance, ranking, self.selection, self.options, self.zscores, jobs)

    def evaluation(self, ranking: Ranking, blocks: Iterable[ScoredBlock]) -> Evaluation:
        """All numbers of one run whose topics were scored, which are at least one."""
        summing = Summing(self.selection)
        every = []
        for block in blocks:
            summing.add(block)
            every.append(block)
        totals = summing.totals(self.relevance, self.options.complete)
        return Evaluation(
            path=ranking.name,
            tag=ranking.tag,
            topics=tuple(topic for block in every for topic in block.topics),
            columns=self.selection,
            values=joined_values(every),
            summary=summing.summary(totals, ranking.tag),
            totals=totals,
        )


def scored(
    relevance: Relevance,
    ranking: Ranked,
    selection: Selection,
    options: Options,
    zscores: ZScores | None = None,
    jobs: int = 1,
) -> Iterator[ScoredBlock]:
    """The topics of a run, scored, some at a time; raises NoCommonTopicError if there is none."""
    return score_blocks(form(relevance, ranking, options), selection, zscores, jobs)


def score_blocks(
    batches: Iterable[AnyBatch], selection: Selection, zscores: ZScores | None = None, jobs: int = 1
) -> Iterator[ScoredBlock]:
    """Score the topics with every measure of the selection, some at a time, `jobs` threads ahead."""
    groups = _groups(selection)

    def score(batch: AnyBatch) -> ScoredBlock:
        # As C does: what overflows or is not defined becomes inf or nan without a word.
        with np.errstate(all="ignore"):
            values = tuple([one for group in groups for one in _score_group(batch, group)])
        if zscores is not None:
            values = tuple(
                column_values
                if isinstance(column_values, list)
                else zscores.convert(batch.topics, column.label, column_values, lenient=column.measure.ours)
                for column, column_values in zip(selection, values, strict=True)
            )
        return ScoredBlock(batch.topics, values)

    return in_order(score, batches, jobs, unthreaded=1)


def _groups(selection: Selection) -> list[Selection]:
    """The columns with those together that are one measure, seen in one way."""
    groups: list[list[SelectedColumn]] = []
    for column in selection:
        if groups and _way(groups[-1][0]) == _way(column):
            groups[-1].append(column)
        else:
            groups.append([column])
    return [tuple(group) for group in groups]


def _way(column: SelectedColumn) -> tuple[object, ...]:
    return id(column.measure), column.relevance_level, column.judged_only, column.bound


def _score_group(batch: AnyBatch, group: Selection) -> Iterator[Values]:
    """The values of the columns of one measure."""
    measure, level = group[0].measure, group[0].relevance_level
    if group[0].judged_only:
        assert isinstance(batch, Batch), "names lets nothing else through"
        batch = batch.derived(Batch.judged_alone)
    if level is not None:
        batch = batch.with_grade(level)
    function = _function(batch, group[0])
    if not measure.takes_many or len(group) == 1 or function is not measure.score or _in_ties(batch):
        for column in group:
            values = computed(measure, function, batch, column.arguments, (len(batch),))
            yield _as_missing(batch, column, values)
        return
    at_once = max(MOST_VALUES // max(len(batch), 1), 1)
    for start in range(0, len(group), at_once):
        columns = group[start : start + at_once]
        arguments = tuple(
            np.array(each)[:, np.newaxis] for each in zip(*[one.arguments for one in columns], strict=True)
        )
        table = computed(measure, function, batch, arguments, (len(columns), len(batch)))
        yield from np.asarray(_as_missing(batch, columns[0], table))


def _as_missing(batch: AnyBatch, column: SelectedColumn, values: FloatArray | IntArray | list[str]) -> Values:
    """The values (T,) with what is said of topics that the run lacks."""
    when_missing = column.measure.when_missing
    reset = when_missing is WhenMissing.ZERO or (
        when_missing is WhenMissing.ZERO_WITHOUT_PARAMETERS and column.label == column.measure.name
    )
    if not (reset and batch.missing.any()):
        return values if isinstance(values, list) else np.asarray(values, np.float64)
    if isinstance(values, list):
        return ["" if gone else text for text, gone in zip(values, batch.missing, strict=True)]
    return np.where(batch.missing, 0.0, values)


def _function(batch: AnyBatch, column: SelectedColumn) -> Callable[..., FloatArray | IntArray | list[str]]:
    """What computes the values (T,): the expected ones if the batch says what ties."""
    if column.bound is not None:
        return partial(_bound, column.measure, BOUNDS.index(column.bound))
    if not _in_ties(batch):
        return column.measure.score
    from pres_eval.measures.expected import expected_of

    return expected_of(column.measure)


def _in_ties(batch: AnyBatch) -> bool:
    """Return whether the batch says what ties, so that expected values are wanted."""
    return isinstance(batch, Batch) and batch.ties is not None


def _bound(measure: Measure, which: int, batch: AnyBatch, *arguments: object) -> FloatArray:
    """(T,) the least or the greatest value that judgements of what nobody judged can give."""
    from pres_eval.measures.bounds import BoundsOf

    assert isinstance(batch, Batch), "names lets nothing else through"
    return batch.derived(BoundsOf(measure, arguments))[which]


class Summing:
    """The sums of all columns over the topics, in order, and what they become."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._sums = [0.0] * len(selection)
        self.num_scored = 0

    def add(self, block: ScoredBlock) -> None:
        """Add the topics of a block."""
        self.num_scored += len(block.topics)
        numbers = [number for number, values in enumerate(block.values) if not isinstance(values, list)]
        at_once = max(MOST_VALUES // max(len(block.topics), 1), 1)
        for start in range(0, len(numbers), at_once):
            chosen = numbers[start : start + at_once]
            table = np.array([block.values[number] for number in chosen])
            sums = add_rows_in_order(table, np.array([self._sums[number] for number in chosen]))
            for number, value in zip(chosen, sums.tolist(), strict=True):
                self._sums[number] = value

    def totals(self, relevance: Relevance, complete: bool) -> Totals:
        """What summaries need besides the sums."""
        return Totals(
            num_scored=self.num_scored,
            num_topics=len(relevance.pool.topics) if complete else self.num_scored,
            num_rel_in_qrels=relevance.num_positive() if isinstance(relevance, Qrels) else 0,
            complete=complete,
        )

    def summary(self, totals: Totals, tag: str) -> tuple[float | str | None, ...]:
        """The summary of each column; None where the measure has none."""
        return tuple(
            tag
            if column.measure.format is Format.TAG
            else None
            if column.measure.summary is None
            else column.measure.summary(value, totals)
            for column, value in zip(self._selection, self._sums, strict=True)
        )


def evaluate(
    relevance: Relevance,
    ranking: Ranking,
    selection: Selection,
    options: Options,
    zscores: ZScores | None = None,
    jobs: int = 1,
) -> Evaluation:
    """All numbers of one run, computed by `jobs` threads; they do not depend on how many these are.

    Raises NoCommonTopicError if no topic is in both files, MeasureError if a measure lacks what it needs.
    """
    scoring = Scoring(relevance=relevance, selection=selection, options=options, zscores=zscores)
    return scoring.evaluation(ranking, scoring.blocks(ranking, jobs))


def joined_values(blocks: Sequence[ScoredBlock]) -> tuple[Values, ...]:
    """The values of each column over the topics of all blocks, which are at least one."""
    return tuple(_joined(parts) for parts in zip(*(block.values for block in blocks), strict=True))


def _joined(parts: Sequence[Values]) -> Values:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], list):
        return [text for part in parts for text in part]
    return np.concatenate([part for part in parts if not isinstance(part, list)])
