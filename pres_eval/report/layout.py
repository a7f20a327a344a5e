"""Text of the results of an analysis: tables for people, JSON and CSV for programs, and their cells.

An analysis gives one or more tables of plain values.  People see them one below the other, rounded; JSON has
them all under their names; CSV has one, the first unless another is asked for, so that it opens in pandas and
in a spreadsheet as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from pres_eval.errors import RunFailure, UsageError, check_whole
from pres_eval.records import dataclass
from pres_eval.report.grid import (
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
from pres_eval.report.text import (
    UNKNOWN,
    exact,
    file_name,
    interval,
    p_text,
    plain_text,
    printable_json,
    shown,
    signed,
    text_of,
)
from pres_eval.version import __version__

BEST_MARK = "^"
"""The mark of the best of a measure in plain text; * is that of a significant difference."""

BOLD = {LATEX: r"\textbf{{{}}}", MARKDOWN: "**{}**"}
"""Styles that show the best of a measure in bold instead."""

PAPER_STYLES = (LATEX, MARKDOWN, "html")
"""Styles of tables that are read without the command's other output."""

Value = str | bytes | int | float | bool | None
"""Content of a cell; bytes are an id, as it is in a file."""


@dataclass(frozen=True)
class Score:
    """A number in a cell for people.

    best    whether it is the best of its measure: marked ^, bold in LaTeX and Markdown
    mark    a further mark of the number: + or - of a test
    signed  whether + comes before a number above 0
    """

    value: float
    best: bool = False
    mark: str = ""
    signed: bool = False


@dataclass(frozen=True)
class Interval:
    """Two ends of an interval in a cell for people, with a mark in front if there is one."""

    low: float
    high: float
    signed: bool = False
    mark: str = ""


@dataclass(frozen=True)
class PValue:
    """A p-value in a cell for people, with a star if it is significant."""

    value: float
    significant: bool = False


@dataclass(frozen=True)
class Note:
    """A line below a table: what a mark means, or anything else if there is no mark."""

    text: str
    mark: str = ""


ShownCell = Value | Score | Interval | PValue


def cell_text(cell: ShownCell, digits: int, style: str) -> str:
    """Return a cell as it is written, escaped: numbers rounded, yes or nothing for a truth."""
    if not isinstance(cell, (float, Interval, PValue, Score)):
        return escaped(plain_text(cell, yes="yes", no=""), style)
    if isinstance(cell, float):
        return UNKNOWN if math.isnan(cell) else shown(cell, digits)
    if isinstance(cell, Interval):
        return _marked(escaped(interval(cell.low, cell.high, digits, cell.signed), style), cell.mark, style)
    if isinstance(cell, PValue):
        return _marked(escaped(p_text(cell.value), style), "*" if cell.significant else "", style)
    number = signed(cell.value, digits) if cell.signed else shown(cell.value, digits)
    bold = BOLD.get(style) if cell.best else None
    mark = BEST_MARK + cell.mark if cell.best and bold is None else cell.mark
    return _marked(number if bold is None else bold.format(number), mark, style)


def _marked(text: str, mark: str, style: str) -> str:
    """Return a finished text with its mark: before it, or raised in LaTeX, or behind it in Markdown."""
    if not mark:
        return text
    if style == LATEX:
        return f"{text}$^{{{mark}}}$"
    return f"{text} {escaped(mark, style)}" if style == MARKDOWN else f"{mark} {text}"


def note_text(note: str | Note, style: str) -> str:
    """Return a line below a table, escaped, with what it explains in front of it."""
    if isinstance(note, str):
        return escaped(note, style)
    marks = ", ".join(f"$^{{{mark}}}$" for mark in note.mark.split()) if style == LATEX else note.mark
    if note.mark == BEST_MARK and style in BOLD:
        marks = BOLD[style].format("bold") + ":"
    elif style == MARKDOWN:
        marks = escaped(marks, style)
    return f"{marks} {escaped(note.text, style)}"


ANALYSIS_FORMATS = ("table", "json", "csv", "tsv", "latex", "markdown")
"""Values of --format of an analysis; table is the default."""


@dataclass(frozen=True)
class Shown:
    """The form of a table that people see, where it is another than its rows: headings and cells."""

    headings: Sequence[str]
    rows: Sequence[Sequence[ShownCell]]
    left: int = 1


@dataclass(frozen=True)
class Look:
    """Look of tables as text.

    form    one of FORMATS
    chosen  the table that is printed alone; None: all of them, of which CSV and TSV take the first
    digits  digits after the point in tables for people
    style   one of tabulate's table styles
    width   characters that a line of a table for people may have; None: any number
    failures  runs that could not be evaluated: rows of the first table for people, and in JSON
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
        """Return the style of the text: one of tabulate's, or a form that has its own."""
        return self.style if self.form == "table" else self.form


@dataclass(frozen=True)
class Table:
    """One table of an analysis.

    name      in JSON, and for --table
    title     the line above it
    headings  of the columns; in JSON the keys of each row
    rows      values in full
    notes     lines below it, for people
    shown     the rows for people; None: the rows, rounded
    left      how many columns, from the first, are text, aligned to the left
    people, programs  whether people see it, whether JSON and CSV have it
    drawing   lines of letters that make a picture, below the notes
    rest      the last line: what people do not see, and how they get it
    paper_note  the line below a table for a paper or a page: topics, test, version
    """

    name: str
    title: str = ""
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[Value]] = ()
    notes: Sequence[str | Note] = ()
    shown: Shown | None = None
    left: int = 1
    people: bool = True
    programs: bool = True
    drawing: Sequence[str] = ()
    rest: str = ""
    paper_note: str = ""


def records_table(
    name: str,
    title: str,
    records: Sequence[object],
    kind: type,
    notes: Sequence[str | Note] = (),
    shown: Shown | None = None,
    people: bool = True,
) -> Table:
    """Return a table of dataclass records of that kind: a column for each field."""
    names = [column.name for column in fields(kind)]
    return Table(
        name=name,
        title=title,
        headings=names,
        rows=[[getattr(record, name) for name in names] for record in records],
        notes=notes,
        shown=shown,
        people=people,
    )


def render(
    tables: Sequence[Table], look: Look, command: str = "", settings: Mapping[str, object] | None = None
) -> str:
    """Return the text of the tables.

    `settings` go into the JSON, so that it records how its numbers were made.  Raises UsageError for a
    table or a style that does not exist.
    """
    if look.form not in ANALYSIS_FORMATS:
        raise UsageError(f"form={look.form!r}: expected one of {', '.join(ANALYSIS_FORMATS)}")
    check_whole("digits", look.digits, 0)
    by_name = {table.name: table for table in tables if table.programs}
    if look.chosen is not None and look.chosen not in by_name:
        raise UsageError(f"--table {look.chosen}: no such table, expected one of {', '.join(by_name)}")
    chosen = list(by_name.values())
    if look.chosen is not None:
        chosen = [by_name[look.chosen]]
    if look.form == "json":
        return as_json(chosen, command, settings or {}, look.failures)
    if look.form == "tsv":
        return as_csv(chosen[0], "\t")
    if look.form == "csv":
        return as_csv(chosen[0])
    if look.chosen is None:
        chosen = [table for table in tables if table.people]
    check_style(look.style)
    texts = []
    for table in chosen:
        notes = list(table.notes)
        if table.paper_note and look.markup in PAPER_STYLES:
            notes.append(table.paper_note)
        texts.append(laid_out([grid_of(table, look)], notes, look))
        if table.drawing:
            texts.append(drawing_text(table.drawing, look.markup))
        if table.rest:
            texts.append(notes_text([note_text(table.rest, look.markup)], look.markup, look.width))
        look = replace(look, failures=())  # the first table has them
    return "\n".join(texts)


def grid_of(table: Table, look: Look) -> Grid:
    """Return a table as people see it, its cells rounded and escaped, with the runs that failed."""
    style = look.markup
    view = table.shown or Shown(table.headings, table.rows, table.left)
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
    apart = []
    for failure in look.failures:
        name, message = text_of(file_name(failure.path)), text_of(failure.message)
        apart.append((escaped(name, style), escaped(message, style)))
    return Grid(
        header=tuple(escaped(heading, style) for heading in view.headings),
        rows=tuple(rows),
        title=table.title,
        left=view.left,
        apart=tuple(apart),
        fit=look.fit,
    )


def laid_out(grids: Sequence[Grid], notes: Sequence[str | Note], look: Look) -> str:
    """Return the text of tables, in pieces where they are too wide, with notes below the last one."""
    texts: list[str] = []
    for grid in grids:
        texts += pieces(grid, look.markup, look.width)
    if notes:
        lines = [note_text(note, look.markup) for note in notes]
        texts.append(notes_text(lines, look.markup, look.width))
    return "\n".join(texts)


def drawing_text(lines: Sequence[str], style: str) -> str:
    """Return a picture made of letters, which keep their places in every style."""
    text = "".join(f"{line}\n" for line in lines)
    if style == MARKDOWN:
        return f"```text\n{text}```\n"
    if style == LATEX:
        return f"\\begin{{verbatim}}\n{text}\\end{{verbatim}}\n"
    return text


def as_csv(table: Table, delimiter: str = ",") -> str:
    """Return the table as CSV, numbers in full; text that a spreadsheet would run as a formula is guarded."""
    headings = [guarded(heading) for heading in table.headings]
    rows = [[_csv_cell(value) for value in row] for row in table.rows]
    return separated([headings, *rows], delimiter)


def _csv_cell(value: Value) -> str:
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
    if isinstance(value, bytes):
        return text_of(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    return value
