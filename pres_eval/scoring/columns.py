"""Batches to values: each column of a selection, for some topics at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.batches.batch import Batch
from pres_eval.batches.forming import AnyBatch
from pres_eval.batches.from_plain import batch_of_topics
from pres_eval.batches.plain import RankedTopic
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.measures import HOME, computed_and_checked
from pres_eval.measures.base import LEAST_GEOMETRIC_MEAN, Measure, Trait, WhenMissing, geometric_mean
from pres_eval.measures.names import BOUNDS, View
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.scoring.summing import MOST_VALUES, ScoredBlock, Values

if TYPE_CHECKING:
    from pres_eval.reading.zscores import ZScores

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
    scorers: list[ColumnScorer] = []
    for _, columns in groupby(selection, lambda column: (id(column.measure), column.view)):
        scorers.append(_scorer(tuple(columns), value_of_empty, expected_in_ties))

    def score(number: int) -> ScoredBlock:
        """Return the values of all columns for the batch of this number."""
        batch = batches[number]()
        values: list[Values] = []
        # As C does: what overflows or is not defined becomes inf or nan without a word.
        with np.errstate(all="ignore"):
            for scorer in scorers:
                values.extend(scorer(batch))
        if batch.missing.any():
            values = list(map(partial(_with_missing, batch), selection, values))
        if zscores is not None:
            values = list(map(partial(_converted, zscores, batch), selection, values))
        return ScoredBlock(batch.topics, tuple(values))

    return loop(score, len(batches))


def _scorer(columns: Selection, value_of_empty: float | None, expected_in_ties: bool) -> ColumnScorer:
    """Return what computes the columns of one measure in one view; arguments as for score_blocks."""
    measure = columns[0].measure
    view = columns[0].view
    takes_all = measure.takes_many and view.bound is None and not expected_in_ties
    scorer: ColumnScorer
    if takes_all and len(columns) > 1:
        scorer = partial(_score_together, _checked(measure, measure.score), columns)
    else:
        function = _function_of(columns[0], expected_in_ties)
        scorer = partial(_score_each, _checked(measure, function), columns)
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
        arguments_of_columns = [column.arguments for column in columns[start : start + at_once]]
        # The first argument of all columns as one array (C, 1), and so on.
        arguments = [np.array(values)[:, np.newaxis] for values in zip(*arguments_of_columns, strict=True)]
        yield from np.asarray(function(batch, *arguments), np.float64)


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
    """Return the batch with the settings of a view: -J and a relevance level of its own."""
    if view.judged_only:
        assert isinstance(batch, Batch), "names lets nothing else through"
        batch = batch.derived(Batch.judged_alone)
    return batch if view.level is None else batch.with_grade(view.level)


def _with_missing(batch: AnyBatch, column: SelectedColumn, values: Values) -> Values:
    """Return the values (T,), with those that 10.0 has for topics that the run lacks."""
    when_missing = column.measure.when_missing
    without_parameters = column.label.removesuffix(column.view.ending) == column.measure.name
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
    bounds_of = BoundsOf(column.measure, arguments, column.view.scale)
    bounds = batch.derived(bounds_of)
    return bounds[BOUNDS.index(column.view.bound)]


def values_of_topics(topics: Sequence[RankedTopic], columns: Selection) -> tuple[Values, ...]:
    """Return the values of columns without a plain function for some topics, which are at least one."""
    if not columns:
        return ()
    batch = batch_of_topics(topics)
    (block,) = score_blocks([lambda: batch], columns)
    return block.values
