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

NumberFormatter = Callable[[float, Format], str]
"""Function that returns a number as text: `shown`, rounded, or `exact`, in full."""


@dataclass(frozen=True)
class RunLayout(Look):
    """Choice of columns and rows of the evaluations, besides their look.

    per_topic  whether there is a row for each topic as well (-q)
    summary    whether there are rows over all topics (not with -n)
    naming     how runs are named (--names)
    order      labels of columns in the order of -m; other columns follow
    sort       the label of the column by which runs are sorted, the best first (--sort); None: as they came
    transpose  whether measures are rows (--transpose); None: where the table is too wide otherwise
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
    """Return the columns of a table by label, in the order of the layout.

    Left out are the run's tag, which names the row, and columns without a value in the rows that are shown.
    """
    columns: dict[str, SelectedColumn] = {}
    for evaluation in evaluations:
        for column, summary in zip(evaluation.columns, evaluation.summary, strict=True):
            has_topics = layout.per_topic and column.measure.per_topic
            has_summary = layout.summary and summary is not None
            has_values = has_topics or has_summary
            if has_values and column.measure.format is not Format.TAG:
                columns[column.label] = column
    rank_of = {label: rank for rank, label in enumerate(layout.order)}

    def rank(label: str) -> int:
        """Return the place of a column; the bounds of its values, `map(bound=least)`, stand behind `map`."""
        if label in rank_of:
            return rank_of[label]
        without_view, _, _ = label.partition("(")
        return rank_of.get(without_view, len(rank_of))

    return {label: columns[label] for label in sorted(columns, key=rank)}


def in_order_of(
    evaluations: Sequence[ScoredRun], names: Sequence[str], layout: RunLayout
) -> list[tuple[str, ScoredRun]]:
    """Return the runs with their names, sorted if the layout asks for it.

    The best is first; runs without a number come behind, and last those that lack topics: a mean over fewer
    topics than others have cannot be ranked among them.  Sorted by a column over a group, the topics of the
    group count.
    """
    named = list(zip(names, evaluations, strict=True))
    if layout.sort is None or not named:
        return named
    label = _sort_label(evaluations, layout.sort)
    column = evaluations[0].labels.index(label)
    # Times this, the best value is the lowest.
    sign = 1 if evaluations[0].columns[column].measure.less_is_better else -1
    _, group = split_label(label)
    has_group = [run for run, evaluation in enumerate(evaluations) if group in evaluation.groups]
    if has_group:
        runs_in_group = [evaluations[run].groups[group] for run in has_group]
        incomplete = {has_group[number] for number in incomplete_runs(runs_in_group)}
    else:
        incomplete = set(incomplete_runs(evaluations))

    def key(run: int) -> tuple[bool, float]:
        """Return what runs are sorted by: those that lack topics last, before them those without a number."""
        value = evaluations[run].summary[column]
        if not isinstance(value, float) or math.isnan(value):
            return run in incomplete, math.inf
        return run in incomplete, sign * value

    return [named[run] for run in sorted(range(len(named)), key=key)]


def _sort_label(evaluations: Sequence[ScoredRun], name: str) -> str:
    """Return the label of the column that --sort means by a name; raise UsageError if there is none.

    It has a number of some run: over a group of topics not all runs need have one.
    """
    labels: list[str] = []
    for number, label in enumerate(evaluations[0].labels):
        if any(isinstance(evaluation.summary[number], float) for evaluation in evaluations):
            labels.append(label)
    return known_label("--sort", name, labels)


def sort_note(
    evaluations: Sequence[ScoredRun],
    groups: Groups | None,
    weights: Weights | None,
    layout: RunLayout,
) -> str | None:
    """Return a note on why no run of a sorted table is best; None where one is, or the table is not sorted.

    Sorted by a column over a group of topics, it is about the runs in this group.  A mean of groups, or the
    worst, is no such column: None.
    """
    if layout.sort is None or len(evaluations) < 2:
        return None
    with_groups = [with_group_columns(evaluation, groups) for evaluation in evaluations]
    label, group = split_label(_sort_label(with_groups, layout.sort))
    names = run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations], layout.naming)
    compared_names, compared_runs, shown_label = names, list(evaluations), label
    if group:
        shown_label = group_label(label, group)
        compared_names, compared_runs = [], []
        for name, run in zip(names, evaluations, strict=True):
            if group in run.groups:
                compared_names.append(name)
                compared_runs.append(run.groups[group])
    if len(compared_names) < 2:
        return None
    why = why_none_is_best(compared_runs, compared_names, label, weights, layout.digits)
    if why is None:
        return None
    return f"no run is best by {shown_label}: {why}"


def rows_of(
    evaluation: ScoredRun, columns: dict[str, SelectedColumn], layout: RunLayout, cell: NumberFormatter
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of one run that the layout asks for: topic, then a cell for each column.

    The row over all topics is the last; its topic is `all`.  Cells without a value are empty.
    """
    if layout.per_topic:
        cells_by_label = {}
        for column, values in zip(evaluation.columns, evaluation.values, strict=True):
            if column.measure.per_topic:
                values_of_topics = values if isinstance(values, list) else values.tolist()
                cells_by_label[column.label] = _cells(column, values_of_topics, cell)
        empty_cells = [""] * len(evaluation.topics)
        cells_by_column = [cells_by_label.get(label, empty_cells) for label in columns]
        yield from zip(map(text_of, evaluation.topics), *cells_by_column, strict=True)
    if layout.summary:
        summary = {}
        for column, value in zip(evaluation.columns, evaluation.summary, strict=True):
            if value is not None:
                summary[column.label] = _cells(column, [value], cell)[0]
        row = ["all"]
        row += [summary.get(label, "") for label in columns]
        yield tuple(row)


def _cells(column: SelectedColumn, values: Sequence[Any], cell: NumberFormatter) -> list[str]:
    """Return values of a column as cells, numbers by the function `cell`.

    If that is `exact`, the cells are for CSV: texts that a spreadsheet would take for formulas are guarded.
    """
    kind = column.measure.format
    if kind not in (Format.TEXT, Format.TAG):
        return [cell(value, kind) for value in values]
    texts = [text_of(value) for value in values]
    if cell is exact:
        return [guarded(text) for text in texts]
    return texts


NUM_Q = "num_q"
"""Label of the number of topics, which a table of several runs always has."""


def as_table(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return a table for a terminal, in Markdown or in LaTeX, escaped as the layout's form needs it.

    One run without topics has a line for each measure.
    """
    check_style(layout.style)
    grids = [_turned(grid_of(table, layout), layout) for table in _tables_of(evaluations, layout)]
    return laid_out(grids, layout.notes, layout)


def as_csv(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return CSV, or TSV if that is the layout's form: file, run, topic (`all`: over all), measures in full.

    If runs could not be evaluated, a last column has the reason.
    """
    delimiter = "\t" if layout.form == "tsv" else ","
    return separated(_csv_rows(evaluations, layout), delimiter)


def _csv_rows(evaluations: Sequence[ScoredRun], layout: RunLayout) -> Iterator[list[str]]:
    """Yield the rows of CSV: headings, values by topic and over all, failures."""
    columns = columns_of(evaluations, layout)
    header = ["file", "run", "topic"]
    header += [guarded(label) for label in columns]
    if layout.failures:
        header.append("error")
    yield header
    for evaluation in evaluations:
        start = [guarded(text_of(evaluation.path)), guarded(text_of(evaluation.tag))]
        for topic, *cells in rows_of(evaluation, columns, layout, exact):
            row = [*start, guarded(topic), *cells]
            if layout.failures:
                row.append("")
            yield row
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
        tables = []
        for _, evaluation in runs:
            rows_of_topics = list(_lines(evaluation, columns, layout))
            tables.append(Table(name="topics", headings=("topic", *columns), rows=rows_of_topics))
        return tables
    counts_topics = NUM_Q not in columns and len(runs) > 1
    headings = ["run"]
    if counts_topics:
        headings.append(NUM_Q)
    headings += columns
    rows: list[list[str]] = []
    for name, evaluation in runs:
        for _, *cells in _lines(evaluation, columns, layout):
            row = [name]
            if counts_topics:
                row.append(str(evaluation.totals.num_topics))
            rows.append(row + cells)
    return [Table(name="runs", headings=headings, rows=rows)]


def _lines(
    evaluation: ScoredRun, columns: dict[str, SelectedColumn], layout: RunLayout
) -> Iterator[tuple[str, ...]]:
    """Return the rows of one run with rounded numbers."""
    return rows_of(evaluation, columns, layout, lambda value, kind: shown(value, layout.digits, kind))


def _by_topic(
    label: str, column: SelectedColumn, runs: Sequence[tuple[str, ScoredRun]], layout: RunLayout
) -> Table:
    """Return the table of one measure: a line for each topic, a column for each run.

    A cell is empty if the run lacks the topic, or the measure has no values for topics.
    """
    headings, summaries = ["topic"], ["all"]
    cells_of_runs: list[dict[bytes, str]] = []
    for name, evaluation in runs:
        headings.append(name)
        cells = [cell for _, cell in _lines(evaluation, {label: column}, layout)]
        topics = evaluation.topics if column.measure.per_topic else ()
        # Besides the topics' cells there may be a last one, over all topics, which zip leaves out.
        cells_of_runs.append(dict(zip(topics, cells, strict=False)))
        summaries += cells[-1:]
    rows: list[list[str]] = []
    for topic in sorted(set().union(*cells_of_runs)):
        row = [text_of(topic)]
        row += [cells_by_topic.get(topic, "") for cells_by_topic in cells_of_runs]
        rows.append(row)
    if layout.summary:
        rows.append(summaries)
    return Table(name=label, title=label, headings=headings, rows=rows)


def _turned(grid: Grid, layout: RunLayout) -> Grid:
    """Return the grid, turned so that its columns are rows if the layout or the width of a line asks for it.

    If the layout leaves it open: a single run has a line for each measure, and a table that is too wide is
    turned if it fits then.
    """
    turned = _transposed(grid)
    if layout.transpose is not None:
        return turned if layout.transpose else grid
    is_single_run = grid.header[0] == "run" and len(grid.rows) == 1
    if is_single_run:
        return turned
    if fits(grid, layout.markup, layout.width):
        return grid
    return turned if fits(turned, layout.markup, layout.width) else grid


def _transposed(grid: Grid) -> Grid:
    """Return the grid with its columns as rows.

    A grid with a title, its measure, has a column for each run: the first heading becomes "run".  One without
    a title has a column for each measure: "measure".
    """
    header = ["run" if grid.title else "measure"]
    header += [row[0] for row in grid.rows]
    if not grid.rows:
        return replace(grid, header=tuple(header), rows=())
    rows = zip(grid.header[1:], *(row[1:] for row in grid.rows), strict=True)
    return replace(grid, header=tuple(header), rows=tuple(rows))
