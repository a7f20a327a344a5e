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
"""A batch -> the values of the columns of one measure in one view (`names.View`), in their order.

Texts, of runid and relstring, are lists; numbers are arrays.
"""


def score_blocks(
    batches: Sequence[Callable[[], AnyBatch]],
    selection: Selection,
    zscores: ZScores | None = None,
    loop: Loop = in_turn,
    *,
    value_of_empty: float | None = None,
    expected_in_ties: bool = False,
) -> Iterator[ScoredBlock]:
    """Yield the values of all columns of the selection for the topics of each batch, in order.

    batches           functions that form the batches
    zscores           turn values into Z-scores; None: values stay as they are
    loop              scores one batch after the other (`in_turn`), or several at once in threads
    value_of_empty    value of a topic without relevant documents in measures from 0 to 1 (--empty); None:
                      what each measure gives it
    expected_in_ties  whether values are the means over all orders of ties (--ties expected); batches then
                      know their ties
    """
    scorers: list[ColumnScorer] = []
    # Columns of a measure in one view are computed together where they are neighbours.
    for _, columns in groupby(selection, lambda column: (id(column.measure), column.view)):
        scorers.append(_scorer(tuple(columns), value_of_empty, expected_in_ties))

    def score(number: int) -> ScoredBlock:
        """Return the values of all columns for the batch of this number."""
        batch = batches[number]()
        values: list[Values] = []
        # As C does: a result that overflows or is not defined becomes inf or nan without a warning.
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
    """Return the function that computes these columns of one measure in one view.

    value_of_empty, expected_in_ties  see `score_blocks`
    """
    measure = columns[0].measure
    view = columns[0].view
    takes_many = measure.takes_many and view.bound is None and not expected_in_ties
    scorer: ColumnScorer
    if takes_many and len(columns) > 1:
        scorer = partial(_score_together, _checked(measure, measure.score), columns)
    else:
        function = _function_of(columns[0], expected_in_ties)  # that of all: they differ in arguments alone
        scorer = partial(_score_each, _checked(measure, function), columns)
    if value_of_empty is not None:
        value = _value_of_empty_topics(measure, value_of_empty)
        if value is not None:
            scorer = partial(_score_with_empty, scorer, value)
    if view == View():
        return scorer
    return lambda batch: scorer(seen_as(batch, view))


def _function_of(column: SelectedColumn, expected_in_ties: bool) -> Callable[..., Any]:
    """Return the function (batch, *arguments) of a column: its values, their bounds, or expected values."""
    if column.view.bound is not None:
        return partial(_bound, column)
    if expected_in_ties:
        from pres_eval.measures.expected import expected_of

        return expected_of(column.measure)
    return column.measure.score


def _checked(measure: Measure, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function; that of a measure that a user registered with a check of what it returns."""
    is_built_in = measure.name in HOME  # measures of trec_eval and of pres-eval, by name
    return function if is_built_in else partial(computed_and_checked, measure, function)


def _score_each(function: Callable[..., Any], columns: Selection, batch: AnyBatch) -> Iterator[Values]:
    """Yield the values of the columns one by one."""
    for column in columns:
        values = function(batch, *column.arguments)
        yield values if isinstance(values, list) else np.asarray(values, np.float64)


def _score_together(function: Callable[..., Any], columns: Selection, batch: AnyBatch) -> Iterator[Values]:
    """Yield the values of the columns, computed many at a time: the function takes arguments of C columns.

    function  batch, *arguments (C, 1) -> values (C, T)
    """
    columns_at_once = max(MOST_VALUES // max(len(batch), 1), 1)
    for start in range(0, len(columns), columns_at_once):
        arguments_of_columns = [column.arguments for column in columns[start : start + columns_at_once]]
        # The first argument of all columns as one array (C, 1), then the second of all, and so on.
        arguments = [np.array(values)[:, np.newaxis] for values in zip(*arguments_of_columns, strict=True)]
        yield from np.asarray(function(batch, *arguments), np.float64)


def _value_of_empty_topics(measure: Measure, value_of_empty: float) -> float | None:
    """Return the measure's value for topics without relevant documents; None: what its function returns.

    value_of_empty  value that --empty asks for, where 1 is the best
    """
    if measure.summary is geometric_mean:  # values are logarithms
        return math.log(max(value_of_empty, LEAST_GEOMETRIC_MEAN))
    if Trait.BOUNDED not in measure.traits or not measure.tells_quality:
        return None
    return 1 - value_of_empty if measure.less_is_better else value_of_empty


def _score_with_empty(scorer: ColumnScorer, value: float, batch: AnyBatch) -> Iterator[Values]:
    """Yield the values of the columns, those of topics without relevant documents replaced by `value`."""
    assert isinstance(batch, Batch), "--empty refuses other formats of judgements"
    empty = batch.num_rel == 0
    for values in scorer(batch):
        yield np.where(empty, value, values)


def seen_as(batch: AnyBatch, view: View) -> AnyBatch:
    """Return the batch as the view's judged_only (-J) and relevance level ask for it."""
    if view.judged_only:
        assert isinstance(batch, Batch), "names refuses judged_only for other formats of judgements"
        batch = batch.derived(Batch.judged_alone)
    return batch if view.level is None else batch.with_grade(view.level)


def _with_missing(batch: AnyBatch, column: SelectedColumn, values: Values) -> Values:
    """Return the values (T,), with 0 or an empty text where trec_eval 10.0 has it for topics not in the run.

    `WhenMissing` explains the cases.
    """
    when_missing = column.measure.when_missing
    if when_missing is WhenMissing.AS_SCORED:
        return values
    # map has the label map, P with its default cutoff 5 has P_5.
    has_parameters = column.label.removesuffix(column.view.ending) != column.measure.name
    if when_missing is WhenMissing.ZERO_WITHOUT_PARAMETERS and has_parameters:
        return values
    if isinstance(values, list):
        return ["" if missing else text for text, missing in zip(values, batch.missing, strict=True)]
    return np.where(batch.missing, 0.0, values)


def _converted(zscores: ZScores, batch: AnyBatch, column: SelectedColumn, values: Values) -> Values:
    """Return the values (T,) of a column as Z-scores; texts stay as they are."""
    if isinstance(values, list):
        return values
    # trec_eval: for its own measures it may look for an entry past its table, which is a warning.
    return zscores.convert(batch.topics, column.label, values, not_in_trec_eval=column.measure.ours)


def _bound(column: SelectedColumn, batch: AnyBatch, *arguments: object) -> FloatArray:
    """Return the least or the greatest values (T,), whatever the grades of the unjudged documents are."""
    from pres_eval.measures.bounds import BoundsOf

    assert isinstance(batch, Batch), "names refuses bounds for other formats of judgements"
    assert column.view.bound is not None, "only columns of a bound come here"
    bounds_of = BoundsOf(column.measure, arguments, column.view.scale)
    bounds = batch.derived(bounds_of)  # both, in the order of BOUNDS
    return bounds[BOUNDS.index(column.view.bound)]


def values_of_topics(topics: Sequence[RankedTopic], columns: Selection) -> tuple[Values, ...]:
    """Return for each column its values (T,) for T topics, computed with arrays; both are one or more."""
    batch = batch_of_topics(topics)
    (block,) = score_blocks([lambda: batch], columns)
    return block.values
