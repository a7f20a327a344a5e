"""The way from a ranked run to numbers: batches × selection -> an Evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.batches.batch import Batch
from pres_eval.batches.forming import AnyBatch, form
from pres_eval.batches.from_plain import batch_of_topics
from pres_eval.batches.plain import RankedTopic, plain_topics
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import NoCommonTopicError, quoted
from pres_eval.measures import HOME, computed_and_checked
from pres_eval.measures.base import LEAST_GEOMETRIC_MEAN, Measure, Totals, Trait, WhenMissing, geometric_mean
from pres_eval.measures.names import BOUNDS, View
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.options import AS_ZERO, EXPECTED_VALUES, ONE, Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.relevance import QrelsJudgements, Relevance
from pres_eval.records import dataclass
from pres_eval.summing import MOST_VALUES, CountedJudgements, ScoredBlock, Summing, Values

HIGHEST_FINITE_EXPONENT = 1023
"""The highest power of two that is a double."""

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

    def with_columns(self, numbers: Sequence[int]) -> ScoredRun:
        """Return the scores with only the columns of these numbers, counted from 0, in this order."""
        return replace(
            self,
            columns=tuple(self.columns[number] for number in numbers),
            values=tuple(self.values[number] for number in numbers),
            summary=tuple(self.summary[number] for number in numbers),
            groups={name: group.with_columns(numbers) for name, group in self.groups.items()},
        )

    def under(self, columns: Selection) -> ScoredRun:
        """Return the scores with other records of their columns."""
        groups = {name: group.under(columns) for name, group in self.groups.items()}
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

    def blocks(self, ranking: Ranking, loop: Loop = in_turn) -> Iterator[ScoredBlock]:
        """Return the topics of a run, scored, some at a time.

        loop  carries out the loop over some topics
        Raises NoCommonTopicError if there is none, or none with a weight, so that the run has no means.
        """
        self._check_weights(ranking)
        few = self._few_topics(ranking)
        if few is not None:
            return iter([few])
        batches = form(self.relevance, ranking, self.options)
        return score_blocks(
            batches,
            self.selection,
            self.zscores,
            loop,
            value_of_empty={AS_ZERO: 0.0, ONE: 1.0}.get(self.options.empty),
            expected_in_ties=self.options.ties == EXPECTED_VALUES,
        )

    def _few_topics(self, ranking: Ranking) -> ScoredBlock | None:
        """Return the topics of a small run, scored by plain functions: the same bits in less time.

        None for other runs, and where no column has a plain function.
        """
        if not isinstance(self.relevance, QrelsJudgements) or self.zscores is not None:
            return None
        functions = [column.plain for column in self.selection]
        if not any(functions) or not ranking.single_precision or ranking.ascending:
            return None
        topics = plain_topics(self.relevance, ranking, self.options)
        if topics is None:
            return None
        others: list[SelectedColumn] = []
        if not all(functions):
            others = [column for column in self.selection if column.plain is None]
        values_of_others = iter(values_of_topics(topics, tuple(others)))
        values: list[Values] = []
        for column, function in zip(self.selection, functions, strict=True):
            if function is None:
                values.append(next(values_of_others))
            else:
                values.append(np.array([function(topic, *column.arguments) for topic in topics], np.float64))
        return ScoredBlock(tuple([topic.judged.topic for topic in topics]), tuple(values))

    def _check_weights(self, ranking: Ranking) -> None:
        """Raise NoCommonTopicError if all topics of the run weigh 0 and -c adds no others."""
        if self.weights is None or self.options.complete:
            return
        topics = self.relevance.pool.topics.take(ranking.topic)
        if len(topics) and not any(self.weights.of[topic] for topic in topics):
            raise NoCommonTopicError(
                f"{self.weights.path}: found the weight 0 for all {len(topics)} topics of the run, so"
                " that it has no means; expected one above 0, or -c to count the judged topics that the"
                " run lacks"
            )

    def evaluation(self, ranking: Ranking, blocks: Iterable[ScoredBlock]) -> ScoredRun:
        """Return all numbers of one run whose topics were scored, which are at least one."""
        scored = joined(blocks)
        run = self._over(ranking, scored)
        if self.groups is None:
            return run
        groups = {}
        for name, topics in self.groups.topics.items():
            group = self._over(ranking, scored.over(topics), topics)
            # A group without topics, or whose topics all weigh 0, has no mean.
            if group.totals.num_topics and group.totals.weight != 0:
                groups[name] = group
        return replace(run, groups=groups)

    @cached_property
    def _judged_topics(self) -> CountedJudgements:
        """The topics of the judgements, counted once for all groups."""
        return CountedJudgements(self.relevance)

    def _over(
        self, ranking: Ranking, block: ScoredBlock, topics: frozenset[bytes] | None = None
    ) -> ScoredRun:
        """Return all numbers over scored topics; `topics`: those of the group that they are, None: all."""
        summing = Summing(self.selection, self.weights)
        summing.add(block)
        totals = summing.totals(self._judged_topics, self.options.complete, topics)
        return ScoredRun(
            path=ranking.name,
            tag=ranking.tag,
            topics=block.topics,
            columns=self.selection,
            values=block.values,
            summary=summing.summary(totals, ranking.tag),
            totals=totals,
        )


def values_of_topics(topics: Sequence[RankedTopic], columns: Selection) -> tuple[Values, ...]:
    """Return the values of columns without a plain function for some topics, which are at least one."""
    if not columns:
        return ()
    batch = batch_of_topics(topics)
    (block,) = score_blocks([lambda: batch], columns)
    return block.values


ColumnScorer = Callable[[AnyBatch], Iterable[Values]]
"""A batch -> the values of the columns of one measure in one view, in their order."""


def score_blocks(
    batches: Sequence[Callable[[], AnyBatch]],
    selection: Selection,
    zscores: ZScores | None = None,
    loop: Loop = in_turn,
    *,
    value_of_empty: float | None = None,
    expected_in_ties: bool = False,
) -> Iterator[ScoredBlock]:
    """Score the topics with every measure of the selection, some at a time.

    batches           functions that form them
    loop              carries out the loop over these
    value_of_empty    value of topics without relevant documents in measures from 0 to 1; None: the measures'
                      own
    expected_in_ties  whether the batches know their ties, and expected values are wanted
    """
    scorers = [
        _scorer(tuple(columns), value_of_empty, expected_in_ties)
        for _, columns in groupby(selection, lambda column: (id(column.measure), column.view))
    ]

    def score(number: int) -> ScoredBlock:
        """Return the values of all columns for a batch."""
        batch = batches[number]()
        # As C does: what overflows or is not defined becomes inf or nan without a word.
        with np.errstate(all="ignore"):
            values = tuple([column for scorer in scorers for column in scorer(batch)])
        if batch.missing.any():
            values = tuple(map(partial(_with_missing, batch), selection, values))
        if zscores is not None:
            values = tuple(map(partial(_converted, zscores, batch), selection, values))
        return ScoredBlock(batch.topics, values)

    return loop(score, len(batches))


def _scorer(columns: Selection, value_of_empty: float | None, expected_in_ties: bool) -> ColumnScorer:
    """Return what computes the columns of one measure in one view; arguments as for score_blocks."""
    measure = columns[0].measure
    view = columns[0].view
    scorer: ColumnScorer
    if measure.takes_many and len(columns) > 1 and view.bound is None and not expected_in_ties:
        scorer = partial(_score_together, _checked(measure, measure.score), columns)
    else:
        scorer = partial(_score_each, _checked(measure, _function_of(columns[0], expected_in_ties)), columns)
    if value_of_empty is not None:
        value = _value_of_topics_without(measure, value_of_empty)
        if value is not None:
            scorer = partial(_score_with_empty, scorer, value)
    if view == View():
        return scorer
    return lambda batch: scorer(seen_as(batch, view))


def _function_of(column: SelectedColumn, expected_in_ties: bool) -> Callable[..., Any]:
    """Return the function of a batch and arguments that fills a column: values, bounds, or expected ones."""
    if column.view.bound is not None:
        return partial(_bound, column)
    if expected_in_ties:
        from pres_eval.measures.expected import expected_of

        return expected_of(column.measure)
    return column.measure.score


def _checked(measure: Measure, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function; one of a registered measure, which can return anything, with a check."""
    return function if measure.name in HOME else partial(computed_and_checked, measure, function)


def _score_each(function: Callable[..., Any], columns: Selection, batch: AnyBatch) -> Iterator[Values]:
    """Yield the values of the columns one by one."""
    for column in columns:
        values = function(batch, *column.arguments)
        yield values if isinstance(values, list) else np.asarray(values, np.float64)


def _score_together(function: Callable[..., Any], columns: Selection, batch: AnyBatch) -> Iterator[Values]:
    """Yield the values of columns whose function takes each argument for C of them at once, as (C, 1)."""
    at_once = max(MOST_VALUES // max(len(batch), 1), 1)
    for start in range(0, len(columns), at_once):
        arguments = zip(*[column.arguments for column in columns[start : start + at_once]], strict=True)
        as_columns = [np.array(argument)[:, np.newaxis] for argument in arguments]
        yield from np.asarray(function(batch, *as_columns), np.float64)


def _value_of_topics_without(measure: Measure, value_of_empty: float) -> float | None:
    """Return what --empty makes topics without relevant documents worth; None: the measure's own value."""
    if measure.summary is geometric_mean:
        return math.log(max(value_of_empty, LEAST_GEOMETRIC_MEAN))
    if Trait.BOUNDED not in measure.traits or not measure.tells_quality:
        return None
    return 1 - value_of_empty if measure.less_is_better else value_of_empty


def _score_with_empty(scorer: ColumnScorer, value: float, batch: AnyBatch) -> Iterator[Values]:
    """Yield the values of the columns, with one value for all topics without relevant documents."""
    assert isinstance(batch, Batch), "--empty lets nothing else through"
    empty = batch.num_rel == 0
    for values in scorer(batch):
        yield np.where(empty, value, values)


def seen_as(batch: AnyBatch, view: View) -> AnyBatch:
    """Return the batch as the columns of a view see it."""
    if view.judged_only:
        assert isinstance(batch, Batch), "names lets nothing else through"
        batch = batch.derived(Batch.judged_alone)
    return batch if view.level is None else batch.with_grade(view.level)


def _with_missing(batch: AnyBatch, column: SelectedColumn, values: Values) -> Values:
    """Return the values (T,), with those that 10.0 has for topics that the run lacks."""
    when_missing = column.measure.when_missing
    without_parameters = column.label == column.measure.name
    is_zero = when_missing is WhenMissing.ZERO or (
        when_missing is WhenMissing.ZERO_WITHOUT_PARAMETERS and without_parameters
    )
    if not is_zero:
        return values
    if isinstance(values, list):
        return ["" if missing else text for text, missing in zip(values, batch.missing, strict=True)]
    return np.where(batch.missing, 0.0, values)


def _converted(zscores: ZScores, batch: AnyBatch, column: SelectedColumn, values: Values) -> Values:
    """Return the values (T,) of a column as Z-scores; texts stay as they are."""
    if isinstance(values, list):
        return values
    return zscores.convert(batch.topics, column.label, values, ours=column.measure.ours)


def _bound(column: SelectedColumn, batch: AnyBatch, *arguments: object) -> FloatArray:
    """Return the least or the greatest value (T,) that judgements of unjudged documents can give."""
    from pres_eval.measures.bounds import BoundsOf

    assert isinstance(batch, Batch), "names lets nothing else through"
    assert column.view.bound is not None, "asked for by its bound"
    of_column = BoundsOf(column.measure, arguments, column.view.scale)
    return batch.derived(of_column)[BOUNDS.index(column.view.bound)]


def warning_of_infinite_gains(selection: Selection, relevance: Relevance) -> str | None:
    """Return the warning about grades whose gain 2^grade - 1 is infinite; None where no column has it."""
    of_powers = any(column.measure.name == "dcg_exp_cut" for column in selection)
    if not of_powers or not isinstance(relevance, QrelsJudgements) or not len(relevance.grade):
        return None
    row = int(np.argmax(relevance.grade))
    grade = int(relevance.grade[row])
    if grade <= HIGHEST_FINITE_EXPONENT:
        return None
    pool = relevance.pool
    topic = pool.topics[int(np.searchsorted(pool.offsets, row, "right")) - 1]
    return (
        f"{relevance.name}: found grade {grade} of topic {quoted(topic)}: dcg_exp_cut, whose gains are"
        " 2^grade - 1, is inf where it is retrieved; ndcg_exp_cut is defined for all grades"
    )


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
    block_list = list(blocks)
    if len(block_list) == 1:
        return block_list[0]
    topics = tuple(chain.from_iterable(block.topics for block in block_list))
    parts_of_columns: Iterator[Any] = zip(*(block.values for block in block_list), strict=True)
    values: list[Values] = []
    for parts in parts_of_columns:
        if isinstance(parts[0], list):
            values.append(list(chain.from_iterable(parts)))
        else:
            values.append(np.concatenate(parts))
    return ScoredBlock(topics, tuple(values))
