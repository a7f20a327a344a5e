"""Measures against Nmax, the rank at which the reader stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.cutoffs import select_at, summaries, takes_cutoffs
from pres_eval.arrays.types import FloatArray
from pres_eval.errors import MeasureError
from pres_eval.measures.selection import Selection
from pres_eval.options import Options
from pres_eval.scoring import ScoredRun

DEFAULT_MEASURES = ("map_cut", "recall", "PRES")


@dataclass(frozen=True, eq=False)
class Sweep:
    """Means of R runs under M measures at N cutoffs: (M, N, R)."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    cutoffs: tuple[int, ...]
    means: FloatArray


def sweep_selection(measures: Sequence[str], cutoffs: Sequence[int], options: Options) -> Selection:
    """The columns that a sweep needs: every measure at every cutoff, cutoffs ascending.

    Raises MeasureError for a measure that takes no cutoffs.
    """
    for name in measures:
        if not takes_cutoffs(name):
            raise MeasureError(
                f"-m {name}: expected the name of one with cutoffs: {', '.join(DEFAULT_MEASURES)} ..."
            )
    return select_at(list(dict.fromkeys(measures)), cutoffs, options)


def sweep(runs: Sequence[str], evaluations: Sequence[ScoredRun], cutoffs: Sequence[int]) -> Sweep:
    """Evaluations of `sweep_selection`, laid out by measure, cutoff and run (figure 8 of Magdy & Jones)."""
    columns = evaluations[0].columns
    names = tuple(dict.fromkeys(column.measure.name for column in columns))
    means = summaries(evaluations).reshape(len(names), len(cutoffs), len(runs))
    return Sweep(tuple(runs), names, tuple(cutoffs), np.ascontiguousarray(means))
