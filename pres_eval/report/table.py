"""Evaluations as tables: for people (tabulate, LaTeX, Markdown) and for spreadsheets and pandas (CSV, TSV).

Tables for people round to `digits`; CSV and TSV give every number in full, and make text that a spreadsheet
would take for a formula harmless (see `guarded`).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pres_eval.errors import MeasureError, RunFailure, UsageError, did_you_mean, nearest
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn, labels_of
from pres_eval.report.grid import (
    LATEX,
    MARKDOWN,
    Grid,
    escaped,
    fits,
    folded,
    notes_text,
    transposed,
    written,
)
from pres_eval.report.names import file_name, run_names
from pres_eval.report.text import exact, shown, text_of
from pres_eval.scoring import Evaluation

DEFAULT_STYLE = "simple"
DEFAULT_DIGITS = 4

NUM_Q = "num_q"

Cell = Callable[[float, Format], str]


@dataclass(frozen=True)
class Layout:
    """What of the evaluations is shown, and how.

    per_topic  a row for each topic as well (-q)
    summary    the rows over all topics (not with -n)
    digits     digits after the point in tables for people (--digits)
    style      one of tabulate's table styles (--style)
    naming     what runs are called (--names)
    order      the labels of the columns as they are wanted; others follow
    sort       the label of the column by which runs are sorted, the best first (--sort)
    transpose  measures as rows (--transpose); None: where the table is too wide otherwise
    width      characters that a line may have; None: any number
    notes      lines below a table for people
    failures   runs that could not be evaluated
    """

    per_topic: bool = False
    summary: bool = True
    digits: int = DEFAULT_DIGITS
    style: str = DEFAULT_STYLE
    naming: str = "auto"
    order: tuple[str, ...] = ()
    sort: str | None = None
    transpose: bool | None = None
    width: int | None = None
    notes: tuple[str, ...] = ()
    failures: tuple[RunFailure, ...] = ()


def known_label(option: str, wanted: str, labels: Sequence[str]) -> str:
    """The column that an option means: as it is printed, or in any way that -m takes it (PRES.100, P@10).

    Raises UsageError for one that is not there, with the nearest.
    """
    if wanted in labels:
        return wanted
    try:
        found = [label for label in labels_of(wanted) if label in labels]
    except MeasureError:
        found = []
    if len(found) == 1:
        return found[0]
    there = did_you_mean(wanted, labels, f"there are {', '.join(labels)}")
    raise UsageError(f"{option} {wanted}: not among the measures (-m), {there}")


def styles() -> list[str]:
    """The table styles that --style takes: tabulate's, without the one that leaves `<script>` as it is."""
    from tabulate import tabulate_formats

    return [style for style in tabulate_formats if style != "unsafehtml"]


def check_style(style: str) -> None:
    """Raises UsageError for a table style that does not exist."""
    if style not in styles():
        expected = ", ".join(nearest(style, styles()) or styles())
        raise UsageError(f"--style {style}: not a table style, expected one of {expected}")


def as_table(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """A table for the terminal; one run without topics has a line for each measure."""
    check_style(layout.style)
    return _written(evaluations, layout, layout.style)


def as_markdown(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """The table as GitHub reads it, with the characters that mean something in Markdown escaped."""
    return _written(evaluations, layout, MARKDOWN)


def as_latex(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """The table for LaTeX (package booktabs), special characters escaped."""
    return _written(evaluations, layout, LATEX)


def _written(evaluations: Sequence[Evaluation], layout: Layout, style: str) -> str:
    failed = apart(layout.failures, style)
    pieces = [
        written(piece, style, layout.width)
        for grid in grids_of(evaluations, layout, style)
        for piece in folded(replace(_turned(grid, style, layout), apart=failed), style, layout.width)
    ]
    notes = [escaped(text_of(note), style) for note in layout.notes]
    below = [notes_text(notes, style, layout.width)] if notes else []
    return "\n".join([*pieces, *below])


def apart(failures: Sequence[RunFailure], style: str) -> tuple[tuple[str, str], ...]:
    """The rows of runs that could not be evaluated, escaped: the name, and why."""
    return tuple(
        (escaped(text_of(file_name(each.path)), style), escaped(text_of(each.message), style))
        for each in failures
    )


def as_csv(evaluations: Sequence[Evaluation], layout: Layout = Layout(), delimiter: str = ",") -> str:
    """Comma-separated values: file, run, topic (`all` for the summary), then each measure with all digits.

    Where runs could not be evaluated a last column says why.
    """
    output = io.StringIO()
    writer = csv.writer(output, delimiter=delimiter, lineterminator="\n")
    columns = _columns(evaluations, layout)
    error = ["error"] if layout.failures else []
    writer.writerow(["file", "run", "topic", *(guarded(label) for label in columns), *error])
    for evaluation in evaluations:
        start = [guarded(text_of(evaluation.path)), guarded(text_of(evaluation.tag))]
        for topic, cells in _rows(evaluation, columns, layout, exact):
            writer.writerow([*start, guarded(topic), *cells, *[""] * len(error)])
    for failure in layout.failures:
        empty = [""] * (len(columns) + 2)
        writer.writerow([guarded(text_of(failure.path)), *empty, guarded(text_of(failure.message))])
    return output.getvalue()


def as_tsv(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """The same as `as_csv`, separated by tabs."""
    return as_csv(evaluations, layout, "\t")


_STARTS_FORMULA = re.compile("[=+\\-@'\t\r＝＋－＠]")


def guarded(text: str) -> str:
    """Text for a spreadsheet: what would start a formula (`= + - @`) gets an apostrophe in front.

    Text that starts with an apostrophe gets another one, so that taking one away always gives the text back.
    Numbers of the evaluation never pass through here: -0.5 stays a number.
    """
    return f"'{text}" if _STARTS_FORMULA.match(text) else text


def _columns(evaluations: Sequence[Evaluation], layout: Layout) -> dict[str, SelectedColumn]:
    """The columns of a table: not the run's tag, which is the name of the row, and none that stays empty."""
    found = {
        column.label: column
        for evaluation in evaluations
        for column, summary in zip(evaluation.columns, evaluation.summary, strict=True)
        if column.measure.format is not Format.TAG
        and ((layout.per_topic and column.measure.per_topic) or (layout.summary and summary is not None))
    }
    places = {label: place for place, label in enumerate(layout.order)}
    return {label: found[label] for label in sorted(found, key=lambda each: places.get(each, len(places)))}


def _sorted(
    evaluations: Sequence[Evaluation], names: Sequence[str], layout: Layout
) -> list[tuple[str, Evaluation]]:
    """The runs with their names, the best first if they are to be sorted; nan is worse than any number."""
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
    label = known_label("--sort", layout.sort, list(columns))
    place = columns[label]
    sign = 1 if evaluations[0].columns[place].measure.less_is_better else -1

    def key(run: tuple[str, Evaluation]) -> float:
        value = run[1].summary[place]
        return sign * value if isinstance(value, float) and not math.isnan(value) else math.inf

    return sorted(named, key=key)


def _rows(
    evaluation: Evaluation, columns: dict[str, SelectedColumn], layout: Layout, cell: Cell
) -> Iterator[tuple[str, list[str]]]:
    """The rows of one run: (topic, a cell for each column); the last is `all`."""
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


def _column_texts(evaluation: Evaluation, cell: Cell) -> Iterator[tuple[str, list[str]]]:
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


def grids_of(evaluations: Sequence[Evaluation], layout: Layout, style: str = DEFAULT_STYLE) -> list[Grid]:
    """The tables that show the evaluations, with cells escaped for the style.

    One run: a line for each measure, or with -q for each topic.  Several runs: a line for each run, or with
    -q a table for each measure with a line for each topic and a column for each run.
    """
    columns = _columns(evaluations, layout)
    names = run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations], layout.naming)
    runs = _sorted(evaluations, names, layout)
    if layout.per_topic and len(runs) > 1:
        grids = [_by_topic(label, columns[label], runs, layout) for label in columns]
    elif layout.per_topic:
        grids = [Grid(("topic", *columns), tuple(_lines(runs[0][1], columns, layout)))] if runs else []
    else:
        grids = [_by_run(columns, runs, layout)]
    return [_escaped(grid, style) for grid in grids]


def _by_run(
    columns: dict[str, SelectedColumn], runs: Sequence[tuple[str, Evaluation]], layout: Layout
) -> Grid:
    """A line for each run; several also say over how many topics they are averaged."""
    count = [] if NUM_Q in columns or len(runs) == 1 else [NUM_Q]
    lines = []
    for name, evaluation in runs:
        topics = [str(evaluation.totals.num_topics)] if count else []
        lines += [(name, *topics, *cells) for _, *cells in _lines(evaluation, columns, layout)]
    return Grid(("run", *count, *columns), tuple(lines))


def _lines(
    evaluation: Evaluation, columns: dict[str, SelectedColumn], layout: Layout
) -> Iterator[tuple[str, ...]]:
    """The rows of one run with rounded numbers: topic, then a cell for each column."""

    def cell(value: float, kind: Format) -> str:
        return shown(value, layout.digits, kind)

    for topic, cells in _rows(evaluation, columns, layout, cell):
        yield (topic, *cells)


def _by_topic(
    label: str, column: SelectedColumn, runs: Sequence[tuple[str, Evaluation]], layout: Layout
) -> Grid:
    """One measure: a line for each topic, a column for each run, nothing where a run lacks the topic."""
    cells: dict[bytes, dict[int, str]] = {}
    last: list[str] = []
    for place, (_, evaluation) in enumerate(runs):
        lines = [value for _, value in _lines(evaluation, {label: column}, layout)]
        if layout.summary:
            last.append(lines.pop())
        if column.measure.per_topic:
            for topic, value in zip(evaluation.topics, lines, strict=True):
                cells.setdefault(topic, {})[place] = value
    rows = [
        (text_of(topic), *(cells[topic].get(place, "") for place in range(len(runs))))
        for topic in sorted(cells)
    ]
    if layout.summary:
        rows.append(("all", *last))
    return Grid(("topic", *(name for name, _ in runs)), tuple(rows), label)


def _escaped(grid: Grid, style: str) -> Grid:
    return replace(
        grid,
        header=tuple(escaped(label, style) for label in grid.header),
        rows=tuple(tuple(escaped(cell, style) for cell in row) for row in grid.rows),
    )


def _turned(grid: Grid, style: str, layout: Layout) -> Grid:
    """The grid as it is wanted: measures as rows if asked for, for a single run, or where it is too wide."""
    other = transposed(grid, "run" if grid.title else "measure")
    if layout.transpose is not None:
        return other if layout.transpose else grid
    if grid.header[0] == "run" and len(grid.rows) == 1:
        return other
    return grid if fits(grid, style, layout.width) or not fits(other, style, layout.width) else other
