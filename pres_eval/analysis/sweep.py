"""Sweep: runs scored by measures at several cutoffs, to draw them against the cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import FloatArray, IntArray
from pres_eval.errors import MeasureError
from pres_eval.measures import HOME, measure_of
from pres_eval.measures.base import Format
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import SelectedColumn, Selection, select
from pres_eval.options import Options
from pres_eval.scoring import ScoredRun


def takes_cutoffs(name: str) -> bool:
    """Return whether a measure has cutoffs, as recall and PRES have."""
    return name in HOME and isinstance(measure_of(name).parameters, Cutoffs)


def select_at(texts: Sequence[str], cutoffs: Sequence[int], options: Options) -> Selection:
    """Return the columns of `-m` texts, in their order; measures with cutoffs that name none get `cutoffs`.

    Columns without a number with decimals over all topics are left out.  Raises MeasureError for a measure
    that does not exist, and if no column is left.
    """
    columns: dict[str, SelectedColumn] = {}
    for text in texts:
        text_with_cutoffs = text
        if takes_cutoffs(text):
            text_with_cutoffs = f"{text}.{','.join(map(str, cutoffs))}"
        for column in select([text_with_cutoffs], options):
            if column.measure.summary is not None and column.measure.format is Format.FLOAT:
                columns[column.label] = column
    if not columns:
        raise MeasureError(f"-m {' -m '.join(texts)}: none of these is a score over all topics")
    return tuple(columns.values())


def signs(selection: Selection) -> IntArray:
    """Return signs (M, 1): -1 if less of a column is better, else 1.  Scores times these are gains."""
    less_is_better = np.array([column.measure.less_is_better for column in selection], np.bool_)
    return np.where(less_is_better, -1, 1)[:, None]


def summaries(evaluations: Sequence[ScoredRun]) -> FloatArray:
    """Return the values (M, R) over all topics, by column and run; columns without one are left out."""
    summaries_of_runs = []
    for evaluation in evaluations:
        summaries_of_runs.append([float(value) for value in evaluation.summary if value is not None])
    return np.array(summaries_of_runs, np.float64).T


SWEPT_MEASURES = ("map_cut", "recall", "PRES")
"""Measures of the command `sweep` if -m names none."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """Means (M, N, R) of R runs under M measures at N cutoffs."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    cutoffs: tuple[int, ...]
    means: FloatArray


def sweep_selection(measures: Sequence[str], cutoffs: Sequence[int], options: Options) -> Selection:
    """Return the columns that a sweep needs: every measure at every cutoff, cutoffs ascending.

    Raises MeasureError for a measure that takes no cutoffs.
    """
    for name in measures:
        if not takes_cutoffs(name):
            raise MeasureError(f"-m {name}: expected a measure with cutoffs: {', '.join(SWEPT_MEASURES)} ...")
    return select_at(list(dict.fromkeys(measures)), cutoffs, options)


def sweep(runs: Sequence[str], evaluations: Sequence[ScoredRun], cutoffs: Sequence[int]) -> Sweep:
    """Return the evaluations of `sweep_selection` by measure, cutoff and run (figure 8 of Magdy & Jones)."""
    names = tuple(dict.fromkeys(column.measure.name for column in evaluations[0].columns))
    means = summaries(evaluations).reshape(len(names), len(cutoffs), len(runs))
    return Sweep(tuple(runs), names, tuple(cutoffs), np.ascontiguousarray(means))
