"""The way from a ranked run to numbers: batches × selection -> an Evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays import (
    FloatArray,
    IntArray,
)
from pres_eval.batches.batch import Batch
from pres_eval.batches.forming import AnyBatch, form
from pres_eval.errors import NoCommonTopicError
from pres_eval.measures import HOME, computed
from pres_eval.measures.base import LEAST_GEOMETRIC_MEAN, Totals, Trait, WhenMissing, geometric_mean
from pres_eval.measures.names import BOUNDS, View
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.options import ONE, ZERO, Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.relevance import Relevance
from pres_eval.records import dataclass
from pres_eval.summing import MOST_VALUES, ScoredBlock, Summing, Values
from pres_eval.workers import Loop, in_turn

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Groups, Weights
    from pres_eval.reading.zscores import ZScores


@dataclass(frozen=True, eq=False)
class ScoredRun(ScoredBlock):
    """All numbers of one run.

    path, tag    the run file, and the tag of its last line
    topics       the topics that were scored, in byte order
    values       for each column (T,) values, or T texts
    columns      the selection
    summary      for each column its value over all topics, None where the measure has none
    totals       how many topics were scored and averaged over
    groups       by name the same over the topics of each group that has some
    """

    path: str
    tag: str
    columns: Selection
    summary: tuple[float | str | None, ...]
    totals: Totals
    groups: dict[str, ScoredRun] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The labels of the columns."""
        return [column.label for column in self.columns]

    def by_label(self, label: str) -> FloatArray:
        """Return (T,) the per-topic values of a numeric column."""
        for column, values in zip(self.columns, self.values, strict=True):
            if column.label == label and not isinstance(values, list):
                return values
        raise KeyError(label)

    def with_columns(self, places: Sequence[int]) -> ScoredRun:
        """Return the scores with some of the columns, in this order."""
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            values=tuple(self.values[place] for place in places),
            summary=tuple(self.summary[place] for place in places),
            groups={name: own.with_columns(places) for name, own in self.groups.items()},
        )

    def under(self, columns: Selection) -> ScoredRun:
        """Return the scores with other records of their columns."""
        groups = {name: own.under(columns) for name, own in self.groups.items()}
        return replace(self, columns=columns, groups=groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scoring:
    """Judgements, columns and options that runs are scored with.

    groups, weights  of topics, None where there are none; every topic of the judgements has a weight
    """

    relevance: Relevance
    selection: Selection
    options: Options
    zscores: ZScores | None = None
    groups: Groups | None = None
    weights: Weights | None = None

    def blocks(self, ranking: Ranking, each: Loop = in_turn) -> Iterator[ScoredBlock]:
        """Return the topics of a run, scored, some at a time.

        each  carries out the loop over some topics
        Raises NoCommonTopicError if there is none, or none with a weight, so that the run has no means.
        """
        worth = {ZERO: 0.0, ONE: 1.0}.get(self.options.empty)
        if self.weights is not None and not self.options.complete:
            topics = self.relevance.pool.topics.take(ranking.topic)
            if len(topics) and not any(self.weights.of[topic] for topic in topics):
                raise NoCommonTopicError(
                    f"{self.weights.path}: found the weight 0 for all {len(topics)} topics of the run, so"
                    " that it has no means; expected one above 0, or -c to count the judged topics that the"
                    " run lacks"
                )
        batches = form(self.relevance, ranking, self.options)
        return score_blocks(batches, self.selection, self.zscores, each, worth)

    def evaluation(self, ranking: Ranking, blocks: Iterable[ScoredBlock]) -> ScoredRun:
        """Return all numbers of one run whose topics were scored, which are at least one."""
        whole = self._over(ranking, joined(blocks))
        groups = {} if self.groups is None else self.groups.topics
        found = {name: self._over(ranking, whole.over(own), own) for name, own in groups.items()}
        # Topics that all weigh 0 have no mean.
        there = {
            name: each for name, each in found.items() if each.totals.num_topics and each.totals.weight != 0
        }
        return replace(whole, groups=there)

    def _over(
        self, ranking: Ranking, block: ScoredBlock, topics: frozenset[bytes] | None = None
    ) -> ScoredRun:
        """Return all numbers over scored topics; `topics` are those of the group that they are, None: all."""
        summing = Summing(self.selection, self.weights)
        summing.add(block)
        totals = summing.totals(self.relevance, self.options.complete, topics)
        return ScoredRun(
            path=ranking.name,
            tag=ranking.tag,
            topics=block.topics,
            columns=self.selection,
            values=block.values,
            summary=summing.summary(totals, ranking.tag),
            totals=totals,
        )


def score_blocks(
    batches: Sequence[Callable[[], AnyBatch]],
    selection: Selection,
    zscores: ZScores | None = None,
    each: Loop = in_turn,
    worth: float | None = None,
) -> Iterator[ScoredBlock]:
    """Score the topics with every measure of the selection, some at a time.

    batches  functions that form them
    each     carries out the loop over these
    worth    value of topics without relevant documents in measures from 0 to 1; None: the measures' own
    """
    # Those together that are one measure, seen in one way.
    groups = [
        tuple(group) for _, group in groupby(selection, lambda column: (id(column.measure), column.view))
    ]

    score_group = _score_group if worth is None else partial(_score_with_empty, worth)

    def score(number: int) -> ScoredBlock:
        """Return the values of all columns for a batch."""
        batch = batches[number]()
        # As C does: what overflows or is not defined becomes inf or nan without a word.
        with np.errstate(all="ignore"):
            values = tuple([one for group in groups for one in score_group(batch, group)])
        if batch.missing.any():
            values = tuple(map(partial(_as_missing, batch), selection, values))
        if zscores is not None:
            values = tuple(
                column_values
                if isinstance(column_values, list)
                else zscores.convert(batch.topics, column.label, column_values, ours=column.measure.ours)
                for column, column_values in zip(selection, values, strict=True)
            )
        return ScoredBlock(batch.topics, values)

    return each(score, len(batches))


def _score_with_empty(worth: float, batch: AnyBatch, group: Selection) -> Iterator[Values]:
    """Yield the values of the columns of one measure; `worth` as for score_blocks."""
    measure = group[0].measure
    if measure.summary is geometric_mean:
        worth = math.log(max(worth, LEAST_GEOMETRIC_MEAN))
    elif Trait.BOUNDED not in measure.traits or not measure.tells_quality:
        yield from _score_group(batch, group)
        return
    seen = seen_as(batch, group[0].view)
    assert isinstance(seen, Batch), "--empty lets nothing else through"
    empty = seen.num_rel == 0
    for values in _score_group(batch, group):
        assert not isinstance(values, list), "what is from 0 to 1 is a number"
        yield np.where(empty & ~batch.missing, 1 - worth if measure.less_is_better else worth, values)


def _score_group(batch: AnyBatch, group: Selection) -> Iterator[Values]:
    """Yield the values of the columns of one measure, by its own functions."""
    measure, view = group[0].measure, group[0].view
    if view != View():
        batch = seen_as(batch, view)
    function: Callable[..., FloatArray | IntArray | list[str]] = measure.score
    if view.bound is not None:
        function = partial(_bound, group[0])
    elif batch.ties is not None:
        from pres_eval.measures.expected import expected_of

        function = expected_of(measure)
    if measure.name not in HOME:
        function = partial(computed, measure, function)
    if not measure.takes_many or len(group) == 1 or view.bound is not None or batch.ties is not None:
        for column in group:
            values = function(batch, *column.arguments)
            yield values if isinstance(values, list) else np.asarray(values, np.float64)
        return
    at_once = max(MOST_VALUES // max(len(batch), 1), 1)
    for start in range(0, len(group), at_once):
        columns = group[start : start + at_once]
        arguments = tuple(
            np.array(each)[:, np.newaxis] for each in zip(*[one.arguments for one in columns], strict=True)
        )
        yield from np.asarray(function(batch, *arguments), np.float64)


def seen_as(batch: AnyBatch, view: View) -> AnyBatch:
    """Return the batch as the columns of a view see it."""
    if view.judged_only:
        assert isinstance(batch, Batch), "names lets nothing else through"
        batch = batch.derived(Batch.judged_alone)
    return batch if view.level is None else batch.with_grade(view.level)


def _as_missing(batch: AnyBatch, column: SelectedColumn, values: Values) -> Values:
    """Return the values (T,), with those of topics that the run lacks."""
    when_missing = column.measure.when_missing
    reset = when_missing is WhenMissing.ZERO or (
        when_missing is WhenMissing.ZERO_WITHOUT_PARAMETERS and column.label == column.measure.name
    )
    if not reset:
        return values
    if isinstance(values, list):
        return ["" if gone else text for text, gone in zip(values, batch.missing, strict=True)]
    return np.where(batch.missing, 0.0, values)


def _bound(column: SelectedColumn, batch: AnyBatch, *arguments: object) -> FloatArray:
    """Return the least or the greatest value (T,) that judgements of unjudged documents can give."""
    from pres_eval.measures.bounds import BoundsOf

    assert isinstance(batch, Batch), "names lets nothing else through"
    assert column.view.bound is not None, "asked for by its bound"
    of_column = BoundsOf(column.measure, arguments, column.view.scale)
    return batch.derived(of_column)[BOUNDS.index(column.view.bound)]


def evaluate(
    relevance: Relevance,
    ranking: Ranking,
    selection: Selection,
    options: Options,
    zscores: ZScores | None = None,
) -> ScoredRun:
    """Return all numbers of one run.

    Raises NoCommonTopicError if no topic is in both files, MeasureError if a measure lacks what it needs.
    """
    scoring = Scoring(relevance=relevance, selection=selection, options=options, zscores=zscores)
    return scoring.evaluation(ranking, scoring.blocks(ranking))


def joined(blocks: Iterable[ScoredBlock]) -> ScoredBlock:
    """Return the topics of all blocks, which are at least one, with their values."""
    every = list(blocks)
    columns: Iterator[Any] = zip(*(block.values for block in every), strict=True)
    return ScoredBlock(
        tuple(chain.from_iterable(block.topics for block in every)),
        tuple(
            list(chain.from_iterable(parts)) if isinstance(parts[0], list) else np.concatenate(parts)
            for parts in columns
        ),
    )
