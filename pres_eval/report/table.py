"""Evaluations as tables: for people (tabulate, LaTeX, Markdown) and for spreadsheets and pandas (CSV, TSV).

Tables for people round to `digits`; CSV and TSV give every number in full, and make text that a spreadsheet
would take for a formula harmless (see `guarded`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pres_eval.errors import RunFailure, UsageError, nearest
from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.grid import (
    LATEX,
    MARKDOWN,
    Grid,
    escaped,
    fits,
    notes_text,
    pieces,
    separated,
    transposed,
)
from pres_eval.report.shown_runs import DEFAULT_STYLE, RunLayout, columns_of, guarded, in_order_of, rows_of
from pres_eval.report.text import exact, file_name, run_names, shown, text_of
from pres_eval.scoring import ScoredRun

NUM_Q = "num_q"


def styles() -> list[str]:
    """Return the values of --style: tabulate's styles, except the one that leaves `<script>` as it is."""
    from tabulate import tabulate_formats

    return [style for style in tabulate_formats if style != "unsafehtml"]


def check_style(style: str) -> None:
    """Raises UsageError for a table style that does not exist."""
    if style not in styles():
        expected = ", ".join(nearest(style, styles()) or styles())
        raise UsageError(f"--style {style}: not a table style, expected one of {expected}")


def as_table(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return a table for the terminal; one run without topics has a line for each measure."""
    check_style(layout.style)
    return _written(evaluations, layout, layout.style)


def as_markdown(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return the table as GitHub reads it, with the characters that mean something in Markdown escaped."""
    return _written(evaluations, layout, MARKDOWN)


def as_latex(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return the table for LaTeX (package booktabs), special characters escaped."""
    return _written(evaluations, layout, LATEX)


def _written(evaluations: Sequence[ScoredRun], layout: RunLayout, style: str) -> str:
    """Return the tables of the evaluations with their notes."""
    failed = apart(layout.failures, style)
    texts = [
        text
        for grid in grids_of(evaluations, layout, style)
        for text in pieces(
            replace(_turned(grid, style, layout), apart=failed, fit=layout.fit), style, layout.width
        )
    ]
    notes = [escaped(text_of(note), style) for note in layout.notes]
    below = [notes_text(notes, style, layout.width)] if notes else []
    return "\n".join([*texts, *below])


def apart(failures: Sequence[RunFailure], style: str) -> tuple[tuple[str, str], ...]:
    """Return the rows of runs that could not be evaluated, escaped: the name, and why."""
    return tuple(
        (escaped(text_of(file_name(each.path)), style), escaped(text_of(each.message), style))
        for each in failures
    )


def as_csv(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout(), delimiter: str = ",") -> str:
    """Return comma-separated values: file, run, topic (`all` for the summary), then all measures in full.

    If runs could not be evaluated, a last column has the reason.
    """
    return separated(_csv_rows(evaluations, layout), delimiter)


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


def as_tsv(evaluations: Sequence[ScoredRun], layout: RunLayout = RunLayout()) -> str:
    """Return the same as `as_csv`, separated by tabs."""
    return as_csv(evaluations, layout, "\t")


def grids_of(evaluations: Sequence[ScoredRun], layout: RunLayout, style: str = DEFAULT_STYLE) -> list[Grid]:
    """Return the tables that show the evaluations, with cells escaped for the style.

    One run: a line for each measure, or with -q for each topic.  Several runs: a line for each run, or with
    -q a table for each measure with a line for each topic and a column for each run.
    """
    columns = columns_of(evaluations, layout)
    names = run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations], layout.naming)
    runs = in_order_of(evaluations, names, layout)
    if layout.per_topic and len(runs) > 1:
        grids = [_by_topic(label, columns[label], runs, layout) for label in columns]
    elif layout.per_topic:
        grids = [Grid(("topic", *columns), tuple(_lines(runs[0][1], columns, layout)))] if runs else []
    else:
        grids = [_by_run(columns, runs, layout)]
    return [_escaped(grid, style) for grid in grids]


def _by_run(
    columns: dict[str, SelectedColumn], runs: Sequence[tuple[str, ScoredRun]], layout: RunLayout
) -> Grid:
    """Return a line for each run; those of several also have the number of topics averaged."""
    count = [] if NUM_Q in columns or len(runs) == 1 else [NUM_Q]
    lines = []
    for name, evaluation in runs:
        topics = [str(evaluation.totals.num_topics)] if count else []
        lines += [(name, *topics, *cells) for _, *cells in _lines(evaluation, columns, layout)]
    return Grid(("run", *count, *columns), tuple(lines))


def _lines(
    evaluation: ScoredRun, columns: dict[str, SelectedColumn], layout: RunLayout
) -> Iterator[tuple[str, ...]]:
    """Return the rows of one run with rounded numbers: topic, then a cell for each column."""
    rows = rows_of(evaluation, columns, layout, lambda value, kind: shown(value, layout.digits, kind))
    return ((topic, *cells) for topic, cells in rows)


def _by_topic(
    label: str, column: SelectedColumn, runs: Sequence[tuple[str, ScoredRun]], layout: RunLayout
) -> Grid:
    """Return the table of one measure: a line for each topic, a column for each run, or nothing."""
    cells: list[dict[bytes, str]] = []
    last: list[str] = []
    for _, evaluation in runs:
        values = [value for _, value in _lines(evaluation, {label: column}, layout)]
        if layout.summary:
            last.append(values.pop())
        topics = evaluation.topics if column.measure.per_topic else ()
        cells.append(dict(zip(topics, values, strict=False)))
    rows = [(text_of(topic), *(own.get(topic, "") for own in cells)) for topic in sorted(set().union(*cells))]
    if layout.summary:
        rows.append(("all", *last))
    return Grid(("topic", *(name for name, _ in runs)), tuple(rows), label)


def _escaped(grid: Grid, style: str) -> Grid:
    return replace(
        grid,
        header=tuple(escaped(label, style) for label in grid.header),
        rows=tuple(tuple(escaped(cell, style) for cell in row) for row in grid.rows),
    )


def _turned(grid: Grid, style: str, layout: RunLayout) -> Grid:
    """Return the grid with measures as rows if asked for, for a single run, or where it is too wide."""
    other = transposed(grid, "run" if grid.title else "measure")
    if layout.transpose is not None:
        return other if layout.transpose else grid
    if grid.header[0] == "run" and len(grid.rows) == 1:
        return other
    return grid if fits(grid, style, layout.width) or not fits(other, style, layout.width) else other
