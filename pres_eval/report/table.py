"""Evaluations as tables: for people (tabulate, LaTeX, Markdown) and for spreadsheets and pandas (CSV, TSV).

Tables for people round to `digits`; CSV and TSV give every number in full, and make text that a spreadsheet
would take for a formula harmless (see `guarded`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.grid import Grid, check_style, fits, guarded, separated, transposed
from pres_eval.report.layout import Table, grid_of, laid_out
from pres_eval.report.shown_runs import RunLayout, columns_of, in_order_of, rows_of
from pres_eval.report.text import exact, run_names, shown, text_of
from pres_eval.scoring import ScoredRun

NUM_Q = "num_q"


def as_table(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return a table for a terminal, in Markdown or in LaTeX, escaped as the layout's form needs it.

    One run without topics has a line for each measure.
    """
    check_style(layout.style)
    grids = [_turned(grid_of(table, layout), layout) for table in tables_of(evaluations, layout)]
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
        for topic, cells in rows_of(evaluation, columns, layout, exact):
            yield [*start, guarded(topic), *cells, *[""] * len(error)]
    for failure in layout.failures:
        empty = [""] * (len(columns) + 2)
        yield [guarded(text_of(failure.path)), *empty, guarded(text_of(failure.message))]


def tables_of(evaluations: Sequence[ScoredRun], layout: RunLayout) -> list[Table]:
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
        lines = [list(_lines(evaluation, columns, layout)) for _, evaluation in runs]
        return [Table("topics", headings=("topic", *columns), rows=rows) for rows in lines]
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
    """Return the rows of one run with rounded numbers: topic, then a cell for each column."""
    rows = rows_of(evaluation, columns, layout, lambda value, kind: shown(value, layout.digits, kind))
    return ((topic, *cells) for topic, cells in rows)


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
    other = transposed(grid, "run" if grid.title else "measure")
    if layout.transpose is not None:
        return other if layout.transpose else grid
    if grid.header[0] == "run" and len(grid.rows) == 1:
        return other
    width, markup = layout.width, layout.markup
    return grid if fits(grid, markup, width) or not fits(other, markup, width) else other
