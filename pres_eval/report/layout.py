"""Tables of the results of an analysis, and their text: tables for people, JSON and CSV for programs.

An analysis gives one or more tables of plain values.  People see them one below the other, rounded; JSON has
them all under their names; CSV has one, the first unless another is asked for, so that it opens in pandas and
in a spreadsheet as it is.

To add a table, make a `Table` with headings and rows of plain values.  Where people are to see other columns,
other rows or marked numbers, its `shown` is a second table, of records often by `columns_table`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from typing import Generic, TypeVar

from pres_eval import __version__
from pres_eval.errors import RunFailure, UsageError, check_whole
from pres_eval.records import dataclass
from pres_eval.report.cells import Cell, Interval, Note, PValue, Score, cell_text, note_text
from pres_eval.report.grid import (
    HTML,
    LATEX,
    MARKDOWN,
    Grid,
    check_style,
    escaped,
    guarded,
    notes_text,
    pieces,
    separated,
)
from pres_eval.report.text import exact, file_name, plain_text, printable_json, text_of

PAPER_STYLES = (LATEX, MARKDOWN, HTML)
"""Styles of tables that are read without the command's other output."""

ANALYSIS_FORMATS = ("table", "json", "csv", "tsv", "latex", "markdown")
"""Values of --format of an analysis; table is the default."""


@dataclass(frozen=True)
class Look:
    """Look of tables as text: what the user chose.

    form    one of ANALYSIS_FORMATS
    chosen  the table that is printed alone; None: all of them, of which CSV and TSV take the first
    digits  digits after the point in tables for people
    style   one of tabulate's table styles
    width   characters that a line of a table for people may have; None: any number
    failures  runs that could not be evaluated: the first table for people has a row for each, JSON a list
    fit     whether tables in LaTeX are no wider than a column
    """

    form: str = "table"
    chosen: str | None = None
    digits: int = 4
    style: str = "simple"
    width: int | None = None
    failures: tuple[RunFailure, ...] = ()
    fit: bool = False

    @property
    def markup(self) -> str:
        """Return the style of the text: one of tabulate's for the form "table", else the form itself."""
        return self.style if self.form == "table" else self.form


class Readers(Enum):
    """Who gets a table of an analysis if no --table is asked for."""

    ALL = "people, and programs: JSON and CSV"
    PEOPLE = "people alone: its numbers are in other tables, and --table cannot name it"
    PROGRAMS = "programs alone"
    NOBODY = "nobody: its numbers are in other tables, and --table prints it"


@dataclass(frozen=True)
class Table:
    """One table of an analysis: plain values for programs, and what people see of it.

    name      in JSON, and for --table
    title     the line above it
    headings  of the columns; in JSON the keys of each row
    rows      values in full, rounded for people; rows that people alone see may have cells of any kind
    notes     lines below it, for people
    shown     the table that people see instead: its headings, rows and `left` are used; None: this one
    left      how many columns, from the first, are text, aligned to the left
    readers   who gets it among the other tables
    headed    whether LaTeX prints the title, too, which is a comment otherwise
    drawing   lines of letters that make a picture, below the notes
    rest      the last line: what people do not see, and how they get it
    paper_note  returns the line below a table for a paper or a page, of topics, test, version; None: no line
    """

    name: str = ""
    title: str = ""
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()
    notes: Sequence[str | Note] = ()
    shown: Table | None = None
    left: int = 1
    readers: Readers = Readers.ALL
    drawing: Sequence[str] = ()
    rest: str = ""
    paper_note: Callable[[], str] | None = None
    headed: bool = False


Row_contra = TypeVar("Row_contra", contravariant=True)
Record = TypeVar("Record")


@dataclass(frozen=True)
class Column(Generic[Row_contra]):
    """A column that people see: its heading, and the function that returns its cell of a row's record."""

    heading: str
    cell: Callable[[Row_contra], Cell]


def columns_table(columns: Sequence[Column[Record]], records: Sequence[Record], left: int = 1) -> Table:
    """Return a table with these columns and a row for each record, to be the `shown` of another.

    left: how many columns, from the first, are text

    >>> columns = [Column("run", lambda run: run[0]), Column("mean", lambda run: run[1])]
    >>> columns_table(columns, [("bm25", 0.5), ("dense", 0.4)]).rows
    [['bm25', 0.5], ['dense', 0.4]]
    """
    rows = []
    for record in records:
        rows.append([column.cell(record) for column in columns])
    return Table(headings=[column.heading for column in columns], rows=rows, left=left)


def records_table(
    name: str,
    title: str,
    records: Sequence[object],
    kind: type,
    notes: Sequence[str | Note] = (),
    shown: Table | None = None,
    readers: Readers = Readers.ALL,
) -> Table:
    """Return a table of dataclass records of that kind: a column for each field.

    shown, readers: as in Table
    """
    names = [field.name for field in fields(kind)]
    return Table(
        name=name,
        title=title,
        headings=names,
        rows=[[getattr(record, name) for name in names] for record in records],
        notes=notes,
        shown=shown,
        readers=readers,
    )


def render(
    tables: Sequence[Table], look: Look, command: str = "", settings: Mapping[str, object] | None = None
) -> str:
    """Return the text of the tables.

    command, settings: name of the command and its options, which JSON records beside the numbers

    Raises UsageError for a table or a style that does not exist.
    """
    if look.form not in ANALYSIS_FORMATS:
        raise UsageError(f"form={look.form!r}: expected one of {', '.join(ANALYSIS_FORMATS)}")
    check_whole("digits", look.digits, 0)
    if look.chosen is None:
        for_people = [table for table in tables if table.readers in (Readers.ALL, Readers.PEOPLE)]
        for_programs = [table for table in tables if table.readers in (Readers.ALL, Readers.PROGRAMS)]
    else:
        for_people = for_programs = [_named(look.chosen, tables)]
    if look.form == "json":
        return as_json(for_programs, command, settings or {}, look.failures)
    if look.form == "tsv":
        return as_csv(for_programs[0], "\t")
    if look.form == "csv":
        return as_csv(for_programs[0])
    return _as_text(for_people, look)


def _named(name: str, tables: Sequence[Table]) -> Table:
    """Return the table that --table names; raise UsageError if there is none."""
    by_name = {table.name: table for table in tables if table.readers is not Readers.PEOPLE}
    if name not in by_name:
        raise UsageError(f"--table {name}: no such table, expected one of {', '.join(by_name)}")
    return by_name[name]


def _as_text(tables: Sequence[Table], look: Look) -> str:
    """Return the tables for people one below the other, each with its notes and its drawing."""
    check_style(look.style)
    texts = []
    for table in tables:
        notes = list(table.notes)
        if table.paper_note is not None and look.markup in PAPER_STYLES:
            notes = [_without_correct_over(note) for note in notes]
            notes.append(table.paper_note())
        texts.append(laid_out([grid_of(table, look)], notes, look))
        if table.drawing:
            texts.append(drawing_text(table.drawing, look.markup))
        if table.rest:
            texts.append(notes_text([note_text(table.rest, look.markup)], look.markup, look.width))
        look = replace(look, failures=())  # the first table has had them
    return "\n".join(texts)


def _without_correct_over(note: str | Note) -> str | Note:
    """Return a note without its advice on --correct-over, an option that a reader of a paper cannot give."""
    from pres_eval.analysis.corrections import CORRECT_OVER_ALL  # tables of evaluations do without

    advice = f" {CORRECT_OVER_ALL}"
    if isinstance(note, Note):
        return replace(note, text=note.text.replace(advice, ""))
    return note.replace(advice, "")


def grid_of(table: Table, look: Look) -> Grid:
    """Return a table as people see it, its cells rounded and escaped, with a row for each run that failed."""
    style = look.markup
    view = table if table.shown is None else table.shown
    rows = []
    for row in view.rows:
        cells = []
        for cell in row:
            # Most cells of large tables are texts: these take the short way.
            if isinstance(cell, str):
                cells.append(escaped(cell, style))
            else:
                cells.append(cell_text(cell, look.digits, style))
        rows.append(tuple(cells))
    failed_rows = []
    for failure in look.failures:
        name, message = text_of(file_name(failure.path)), text_of(failure.message)
        failed_rows.append((escaped(name, style), escaped(message, style)))
    return Grid(
        header=tuple(escaped(heading, style) for heading in view.headings),
        rows=tuple(rows),
        title=table.title,
        left=view.left,
        apart=tuple(failed_rows),
        fit=look.fit,
        headed=table.headed,
    )


def laid_out(grids: Sequence[Grid], notes: Sequence[str | Note], look: Look) -> str:
    """Return the text of tables, those that are too wide in several parts, with notes below the last one."""
    texts: list[str] = []
    for grid in grids:
        texts += pieces(grid, look.markup, look.width)
    if notes:
        lines = [note_text(note, look.markup) for note in notes]
        texts.append(notes_text(lines, look.markup, look.width))
    return "\n".join(texts)


def drawing_text(lines: Sequence[str], style: str) -> str:
    """Return a picture made of letters as a block in which they keep their places in this style of tables."""
    text = "".join(f"{line}\n" for line in lines)
    if style == MARKDOWN:
        return f"```text\n{text}```\n"
    if style == LATEX:
        return f"\\begin{{verbatim}}\n{text}\\end{{verbatim}}\n"
    if style == HTML:
        from pres_eval.report.markup import element

        return f"{element('pre', text)}\n"
    return text


def as_csv(table: Table, delimiter: str = ",") -> str:
    """Return the table as CSV, numbers in full; text that a spreadsheet would run as a formula is guarded."""
    headings = [guarded(heading) for heading in table.headings]
    rows = [[_csv_cell(value) for value in row] for row in table.rows]
    return separated([headings, *rows], delimiter)


def _csv_cell(value: Cell) -> str:
    """Return a plain value as CSV has it: numbers in full, nothing for nan and None, other texts guarded."""
    assert not isinstance(value, (Score, Interval, PValue)), "only tables for people alone have such cells"
    if isinstance(value, float):
        return "" if math.isnan(value) else exact(value)
    text = plain_text(value, yes="true", no="false")
    return guarded(text) if isinstance(value, (str, bytes)) else text


def as_json(
    tables: Sequence[Table],
    command: str,
    settings: Mapping[str, object],
    failures: Sequence[RunFailure] = (),
) -> str:
    """Return all tables as one JSON object; numbers that are not finite are null."""
    document: dict[str, object] = {
        "producer": f"pres-eval {__version__}",
        "command": command,
        "settings": {name: _json_value(value) for name, value in settings.items()},
    }
    for table in tables:
        rows = [map(_json_value, row) for row in table.rows]
        document[table.name] = [dict(zip(table.headings, row, strict=True)) for row in rows]
    if failures:
        document["failures"] = [
            {"file": text_of(failure.path), "message": text_of(failure.message)} for failure in failures
        ]
    return printable_json(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def _json_value(value: object) -> object:
    """Return a plain value as `json` takes it: an id as text, None for a number that is not finite."""
    if isinstance(value, bytes):
        return text_of(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    return value
