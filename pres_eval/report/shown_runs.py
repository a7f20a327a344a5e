"""Layout of tables of runs: columns, rows, and their order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn
from pres_eval.records import dataclass
from pres_eval.report.grid import guarded
from pres_eval.report.groups import known_label
from pres_eval.report.layout import Look
from pres_eval.report.text import exact, text_of
from pres_eval.scoring import ScoredRun

Cell = Callable[[float, Format], str]
"""Formatter of a number."""


@dataclass(frozen=True)
class RunLayout(Look):
    """Choice of columns and rows of the evaluations, besides their look.

    per_topic  a row for each topic as well (-q)
    summary    the rows over all topics (not with -n)
    naming     the names of runs (--names)
    order      the labels of the columns as they are wanted; others follow
    sort       the label of the column by which runs are sorted, the best first (--sort)
    transpose  measures as rows (--transpose); None: where the table is too wide otherwise
    notes      lines below a table for people
    """

    per_topic: bool = False
    summary: bool = True
    naming: str = "auto"
    order: tuple[str, ...] = ()
    sort: str | None = None
    transpose: bool | None = None
    notes: tuple[str, ...] = ()


def columns_of(evaluations: Sequence[ScoredRun], layout: RunLayout) -> dict[str, SelectedColumn]:
    """Return the columns of a table, without the run's tag, which names the row, and without empty ones."""
    found = {
        column.label: column
        for evaluation in evaluations
        for column, summary in zip(evaluation.columns, evaluation.summary, strict=True)
        if column.measure.format is not Format.TAG
        and ((layout.per_topic and column.measure.per_topic) or (layout.summary and summary is not None))
    }
    places = {label: place for place, label in enumerate(layout.order)}
    # The ends of a column's values, which -m does not name, stand behind it.
    behind = {label: places.get(label.partition("(")[0], len(places)) for label in found}
    order = sorted(found, key=lambda label: places.get(label, behind[label]))
    return {label: found[label] for label in order}


def in_order_of(
    evaluations: Sequence[ScoredRun], names: Sequence[str], layout: RunLayout
) -> list[tuple[str, ScoredRun]]:
    """Return the runs with their names, sorted on request: the best first, then nan, then incomplete ones.

    A mean over fewer topics than others have cannot be ranked among them.
    """
    named = list(zip(names, evaluations, strict=True))
    if layout.sort is None or not named:
        return named
    columns = {
        column.label: place
        for place, (column, summary) in enumerate(
            zip(evaluations[0].columns, evaluations[0].summary, strict=True)
        )
        if isinstance(summary, float)
    }
    place = columns[known_label("--sort", layout.sort, list(columns))]
    sign = 1 if evaluations[0].columns[place].measure.less_is_better else -1

    most = max(evaluation.totals.num_topics for evaluation in evaluations)

    def key(run: tuple[str, ScoredRun]) -> tuple[bool, float]:
        value, lacks = run[1].summary[place], run[1].totals.num_topics < most
        return lacks, sign * value if isinstance(value, float) and not math.isnan(value) else math.inf

    return sorted(named, key=key)


def rows_of(
    evaluation: ScoredRun, columns: dict[str, SelectedColumn], layout: RunLayout, cell: Cell
) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of one run: (topic, a cell for each column); the last is `all`."""
    if layout.per_topic:
        texts = dict(_column_texts(evaluation, cell))
        empty = [""] * len(evaluation.topics)
        by_column = [texts.get(label, empty) for label in columns]
        for number, topic in enumerate(evaluation.topics):
            yield text_of(topic), [column[number] for column in by_column]
    if layout.summary:
        values = {
            c.label: (v, c.measure.format)
            for c, v in zip(evaluation.columns, evaluation.summary, strict=True)
        }
        yield "all", [_summary_text(*values.get(label, (None, Format.FLOAT)), cell) for label in columns]


def _column_texts(evaluation: ScoredRun, cell: Cell) -> Iterator[tuple[str, list[str]]]:
    """Yield label and cells of each column that has values by topic."""
    for column, values in zip(evaluation.columns, evaluation.values, strict=True):
        kind = column.measure.format
        if not column.measure.per_topic or kind is Format.TAG:
            continue
        if isinstance(values, list):
            yield (
                column.label,
                [guarded(text_of(value)) if cell is exact else text_of(value) for value in values],
            )
        else:
            yield column.label, [cell(value, kind) for value in values.tolist()]


def _summary_text(value: float | str | None, kind: Format, cell: Cell) -> str:
    if value is None:
        return ""
    return text_of(value) if isinstance(value, str) else cell(value, kind)
