"""Evaluations as tables: for people (tabulate, LaTeX, Markdown) and for spreadsheets and pandas (CSV, TSV).

Tables for people round to `digits`; CSV and TSV give every number in full, and make text that a spreadsheet
would take for a formula harmless (see `guarded`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pres_eval.analysis.incomplete_runs import incomplete_runs, why_none_is_best
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.records import dataclass
from pres_eval.report.grid import Grid, check_style, fits, guarded, separated
from pres_eval.report.groups import group_label, known_label, split_label, with_group_columns
from pres_eval.report.layout import Look, Table, grid_of, laid_out
from pres_eval.report.text import exact, run_names, shown, text_of
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
    order = sorted(
        found, key=lambda label: places.get(label, places.get(label.partition("(")[0], len(places)))
    )
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
    place = evaluations[0].labels.index(_sort_label(evaluations[0], layout.sort))
    sign = 1 if evaluations[0].columns[place].measure.less_is_better else -1
    incomplete = set(incomplete_runs(evaluations))

    def key(run: int) -> tuple[bool, float]:
        value = evaluations[run].summary[place]
        is_number = isinstance(value, float) and not math.isnan(value)
        return run in incomplete, sign * float(value or 0) if is_number else math.inf

    return [named[run] for run in sorted(range(len(named)), key=key)]


def _sort_label(evaluation: ScoredRun, wanted: str) -> str:
    """Return the label of the column that --sort means; raise UsageError if there is none."""
    columns = zip(evaluation.columns, evaluation.summary, strict=True)
    labels = [column.label for column, summary in columns if isinstance(summary, float)]
    return known_label("--sort", wanted, labels)


def sort_note(
    evaluations: Sequence[ScoredRun],
    groups: Groups | None,
    weights: Weights | None,
    layout: RunLayout,
) -> str | None:
    """Return why none of the runs of a sorted table is best; None where one is, or the table is not sorted.

    A column over a group of topics tells which run is best in it; a mean of groups, or the worst, tells none.
    """
    if layout.sort is None or len(evaluations) < 2:
        return None
    label, group = split_label(_sort_label(with_group_columns(evaluations[0], groups), layout.sort))
    names = run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations], layout.naming)
    if group:
        names = [name for name, own in zip(names, evaluations, strict=True) if group in own.groups]
        evaluations = [own.groups[group] for own in evaluations if group in own.groups]
    why = why_none_is_best(evaluations, names, label, weights, layout.digits) if len(names) > 1 else None
    return why and f"no run is best by {group_label(label, group) if group else label}: {why}"


def rows_of(
    evaluation: ScoredRun, columns: dict[str, SelectedColumn], layout: RunLayout, cell: Cell
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of one run: topic, then a cell for each column; the last is `all`."""
    if layout.per_topic:
        texts = {
            column.label: _texts(column, values if isinstance(values, list) else values.tolist(), cell)
            for column, values in zip(evaluation.columns, evaluation.values, strict=True)
            if column.measure.per_topic
        }
        by_column = [texts.get(label, [""] * len(evaluation.topics)) for label in columns]
        yield from zip(map(text_of, evaluation.topics), *by_column, strict=True)
    if layout.summary:
        summary = {
            column.label: _texts(column, [value], cell)[0]
            for column, value in zip(evaluation.columns, evaluation.summary, strict=True)
            if value is not None
        }
        yield "all", *(summary.get(label, "") for label in columns)


def _texts(column: SelectedColumn, values: Sequence[Any], cell: Cell) -> list[str]:
    """Return values of a column as cells."""
    kind = column.measure.format
    if kind in (Format.TEXT, Format.TAG):
        return [guarded(text_of(value)) if cell is exact else text_of(value) for value in values]
    return [cell(value, kind) for value in values]


NUM_Q = "num_q"


def as_table(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return a table for a terminal, in Markdown or in LaTeX, escaped as the layout's form needs it.

    One run without topics has a line for each measure.
    """
    check_style(layout.style)
    grids = [_turned(grid_of(table, layout), layout) for table in _tables_of(evaluations, layout)]
    return laid_out(grids, [text_of(note) for note in layout.notes], layout)


def as_csv(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return values separated by commas, or tabs: file, run, topic (`all`: the summary), measures in full.

    If runs could not be evaluated, a last column has the reason.
    """
    return separated(_csv_rows(evaluations, layout), "\t" if layout.form == "tsv" else ",")


def _csv_rows(evaluations: Sequence[ScoredRun], layout: RunLayout) -> Iterator[list[str]]:
    """Yield the rows of CSV: header, values by topic and over all, failures."""
    columns = columns_of(evaluations, layout)
    error = ["error"] if layout.failures else []
    yield ["file", "run", "topic", *(guarded(label) for label in columns), *error]
    for evaluation in evaluations:
        start = [guarded(text_of(evaluation.path)), guarded(text_of(evaluation.tag))]
        for topic, *cells in rows_of(evaluation, columns, layout, exact):
            yield [*start, guarded(topic), *cells, *[""] * len(error)]
    for failure in layout.failures:
        empty = [""] * (len(columns) + 2)
        yield [guarded(text_of(failure.path)), *empty, guarded(text_of(failure.message))]


def _tables_of(evaluations: Sequence[ScoredRun], layout: RunLayout) -> list[Table]:
    """Return the tables that show the evaluations.

    One run: a line for each measure, or with -q for each topic.  Several runs: a line for each run, or with
    -q a table for each measure with a line for each topic and a column for each run.
    """
    columns = columns_of(evaluations, layout)
    names = run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations], layout.naming)
    runs = in_order_of(evaluations, names, layout)
    if layout.per_topic and len(runs) > 1:
        return [_by_topic(label, columns[label], runs, layout) for label in columns]
    if layout.per_topic:
        headings = ("topic", *columns)
        return [
            Table("topics", headings=headings, rows=list(_lines(each, columns, layout))) for _, each in runs
        ]
    count = [] if NUM_Q in columns or len(runs) == 1 else [NUM_Q]
    rows = [
        (name, *[str(evaluation.totals.num_topics)] * len(count), *cells)
        for name, evaluation in runs
        for _, *cells in _lines(evaluation, columns, layout)
    ]
    return [Table("runs", headings=("run", *count, *columns), rows=rows)]


def _lines(
    evaluation: ScoredRun, columns: dict[str, SelectedColumn], layout: RunLayout
) -> Iterator[tuple[str, ...]]:
    """Return the rows of one run with rounded numbers."""
    return rows_of(evaluation, columns, layout, lambda value, kind: shown(value, layout.digits, kind))


def _by_topic(
    label: str, column: SelectedColumn, runs: Sequence[tuple[str, ScoredRun]], layout: RunLayout
) -> Table:
    """Return the table of one measure: a line for each topic, a column for each run, or nothing."""
    values = [[cell for _, cell in _lines(each, {label: column}, layout)] for _, each in runs]
    cells = [
        dict(zip(evaluation.topics if column.measure.per_topic else (), own, strict=False))
        for (_, evaluation), own in zip(runs, values, strict=True)
    ]
    rows = [(text_of(topic), *(own.get(topic, "") for own in cells)) for topic in sorted(set().union(*cells))]
    if layout.summary:
        rows.append(("all", *(own[-1] for own in values)))
    return Table(label, label, ("topic", *(name for name, _ in runs)), rows)


def _turned(grid: Grid, layout: RunLayout) -> Grid:
    """Return the grid with measures as rows if asked for, for a single run, or where it is too wide."""
    turned = zip(grid.header[1:], *(row[1:] for row in grid.rows), strict=True)
    header = ("run" if grid.title else "measure", *(row[0] for row in grid.rows))
    other = replace(grid, header=header, rows=tuple(turned) if grid.rows else ())
    if layout.transpose is not None:
        return other if layout.transpose else grid
    if grid.header[0] == "run" and len(grid.rows) == 1:
        return other
    width, markup = layout.width, layout.markup
    return grid if fits(grid, markup, width) or not fits(other, markup, width) else other
