"""The way from a ranked run to numbers: batches × selection -> an Evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.batch import Batch, FloatArray, add_in_order
from pres_eval.measures.base import Format, Measure, Totals, WhenMissing
from pres_eval.options import Options

BLOCK = 4096
"""Topics scored at a time: enough for numpy to be fast, few enough to keep memory flat."""


@dataclass(frozen=True)
class SelectedColumn:
    """One column of the output: a measure with its arguments filled in."""

    label: str
    measure: Measure
    arguments: tuple[object, ...]


Selection = tuple[SelectedColumn, ...]
"""The columns asked for, in print order."""

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

    def by_label(self, label: str) -> FloatArray:
        """The per-topic values of a numeric column."""
        for column, values in zip(self.columns, self.values, strict=True):
            if column.label == label and not isinstance(values, list):
                return values
        raise KeyError(label)


def score_block(batch: Batch, selection: Selection) -> ScoredBlock:
    """Score some topics with every measure of the selection."""
    return ScoredBlock(batch.topics, tuple(_score_column(batch, column) for column in selection))


def _score_column(batch: Batch, column: SelectedColumn) -> Values:
    values = column.measure.score(batch, *column.arguments)
    when_missing = column.measure.when_missing
    reset = when_missing is WhenMissing.ZERO or (
        when_missing is WhenMissing.ZERO_WITHOUT_PARAMETERS and column.label == column.measure.name
    )
    if isinstance(values, list):
        if reset and batch.missing.any():
            return ["" if gone else text for text, gone in zip(values, batch.missing, strict=True)]
        return values
    if reset and batch.missing.any():
        values = np.where(batch.missing, 0, values)
    return np.asarray(values, np.float64)
