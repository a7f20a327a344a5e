"""How the results of an analysis become text: tables for people, JSON and CSV for programs.

An analysis gives one or more tables of plain values.  People see them one below the other, rounded; JSON has
them all under their names; CSV has one, the first unless another is asked for, so that it opens in pandas and
in a spreadsheet as it is.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from pres_eval.errors import RunFailure, UsageError
from pres_eval.report.differences import interval, signed
from pres_eval.report.grid import LATEX, MARKDOWN, Grid, escaped, folded, notes_text, written
from pres_eval.report.shown_runs import guarded
from pres_eval.report.table import apart, check_style
from pres_eval.report.text import exact, p_text, shown, text_of
from pres_eval.version import __version__

FORMATS = ("table", "json", "csv", "tsv", "latex", "markdown")
"""What --format of an analysis takes; table is the default."""

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Score:
    """A number in a cell for people.

    best    whether it is the best of its measure: marked *, bold in LaTeX and Markdown
    mark    what the number is marked with besides: + or - of a test
    signed  whether + comes before a number above 0
    """

    value: float
    best: bool = False
    mark: str = ""
    signed: bool = False


@dataclass(frozen=True)
class Interval:
    """Two ends of an interval in a cell for people."""

    low: float
    high: float
    signed: bool = False


@dataclass(frozen=True)
class PValue:
    """A p-value in a cell for people, with a star if it is significant."""

    value: float
    significant: bool = False


@dataclass(frozen=True)
class Note:
    """A line below a table: what a mark means, or anything else if there is no mark.

    bold  whether LaTeX and Markdown show what is marked in bold instead
    """

    text: str
    mark: str = ""
    bold: bool = False


ShownCell = str | Score | Interval | PValue


@dataclass(frozen=True)
class Shown:
    """The form of a table that people see, where it is another than its rows: headings and cells."""

    headings: Sequence[str]
    rows: Sequence[Sequence[ShownCell]]
    left: int = 1


@dataclass(frozen=True)
class Look:
    """How tables become text.

    form    one of FORMATS
    chosen  the table that is put out alone; None: all of them, of which CSV and TSV take the first
    digits  digits after the point in tables for people
    style   one of tabulate's table styles
    width   characters that a line of a table for people may have; None: any number
    failures  runs that could not be evaluated: rows of the first table for people, and in JSON
    """

    form: str = "table"
    chosen: str | None = None
    digits: int = 4
    style: str = "simple"
    width: int | None = None
    failures: tuple[RunFailure, ...] = ()


@dataclass(frozen=True)
class Table:
    """One table of an analysis.

    name      in JSON, and for --table
    title     the line above it
    headings  of the columns; in JSON the keys of each row
    rows      values in full
    notes     lines below it, for people
    shown     what people see instead; None: the rows, rounded
    left      how many columns, from the first, are text, aligned to the left
    digits    digits after the point for people, where not 4, by heading
    people, programs  whether people see it, whether JSON and CSV have it
    """

    name: str
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str | Note] = ()
    shown: Shown | None = None
    left: int = 1
    digits: Mapping[str, int] = field(default_factory=dict)
    people: bool = True
    programs: bool = True


def records_table(
    name: str,
    title: str,
    records: Sequence[object],
    kind: type,
    notes: Sequence[str | Note] = (),
    shown: Shown | None = None,
) -> Table:
    """A table of dataclass records of that kind: a column for each field."""
    names = [column.name for column in fields(kind)]
    return Table(
        name=name,
        title=title,
        headings=names,
        rows=[[getattr(record, each) for each in names] for record in records],
        notes=notes,
        shown=shown,
    )


def render(
    tables: Sequence[Table], look: Look, command: str = "", settings: Mapping[str, object] | None = None
) -> str:
    """The text of the tables.

    `settings` go into the JSON, so that it says how its numbers came about.  Raises UsageError for a table or
    a style that does not exist.
    """
    by_name = {table.name: table for table in tables if table.programs}
    if look.chosen is not None and look.chosen not in by_name:
        raise UsageError(f"--table {look.chosen}: no such table, expected one of {', '.join(by_name)}")
    wanted = [*by_name.values()] if look.chosen is None else [by_name[look.chosen]]
    if look.form == "json":
        return as_json(wanted, command, settings or {}, look.failures)
    if look.form in ("csv", "tsv"):
        return as_csv(wanted[0], "\t" if look.form == "tsv" else ",")
    if look.chosen is None:
        wanted = [table for table in tables if table.people]
    check_style(look.style)
    others = replace(look, failures=())
    return "\n".join(as_text(table, others if place else look) for place, table in enumerate(wanted))


def as_text(table: Table, look: Look = Look()) -> str:
    """Title, table and notes for people."""
    style = look.style if look.form == "table" else look.form
    view = table.shown or Shown(table.headings, _rounded(table, look.digits), table.left)
    grid = Grid(
        header=tuple(escaped(heading, style) for heading in view.headings),
        rows=tuple(tuple(_cell(cell, look.digits, style) for cell in row) for row in view.rows),
        title=table.title,
        left=view.left,
        apart=apart(look.failures, style),
    )
    pieces = [written(piece, style, look.width) for piece in folded(grid, style, look.width)]
    notes = (
        [notes_text([_note(note, style) for note in table.notes], style, look.width)] if table.notes else []
    )
    return "\n".join([*pieces, *notes])


def _cell(cell: ShownCell, digits: int, style: str) -> str:
    """A cell as it is written, escaped."""
    if isinstance(cell, str):
        return escaped(cell, style)
    if isinstance(cell, Interval):
        return escaped(interval(cell.low, cell.high, digits, cell.signed), style)
    if isinstance(cell, PValue):
        return _marked(escaped(p_text(cell.value), style), "*" if cell.significant else "", style)
    number = signed(cell.value, digits) if cell.signed else shown(cell.value, digits)
    if cell.best and style == LATEX:
        number = rf"\textbf{{{number}}}"
    elif cell.best and style == MARKDOWN:
        number = f"**{number}**"
    elif cell.best:
        return f"*{cell.mark} {number}"
    return _marked(number, cell.mark, style)


def _marked(text: str, mark: str, style: str) -> str:
    """A finished text with its mark: before it, or raised in LaTeX, or behind it in Markdown."""
    if not mark:
        return text
    if style == LATEX:
        return f"{text}$^{{{mark}}}$"
    return f"{text} {escaped(mark, style)}" if style == MARKDOWN else f"{mark} {text}"


def _note(note: str | Note, style: str) -> str:
    if isinstance(note, str):
        return escaped(note, style)
    marks = note.mark
    if style == LATEX:
        marks = r"\textbf{bold}:" if note.bold else ", ".join(f"$^{{{mark}}}$" for mark in marks.split())
    elif style == MARKDOWN:
        marks = "**bold**:" if note.bold else escaped(marks, style)
    return f"{marks} {escaped(note.text, style)}"


def _rounded(table: Table, digits: int) -> list[list[str]]:
    return [
        [
            cell_text(cell, table.digits.get(name, digits))
            for name, cell in zip(table.headings, row, strict=True)
        ]
        for row in table.rows
    ]


def cell_text(value: Value, digits: int = 4) -> str:
    """A value as people read it: rounded, yes or nothing for a truth, nothing for what is not there."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return shown(value, digits)
    return str(value)


def as_csv(table: Table, delimiter: str = ",") -> str:
    """The table as CSV, numbers in full; text that a spreadsheet would run as a formula is guarded."""
    output = io.StringIO()
    writer = csv.writer(output, delimiter=delimiter, lineterminator="\n")
    writer.writerow([guarded(heading) for heading in table.headings])
    for row in table.rows:
        writer.writerow([_csv_cell(value) for value in row])
    return output.getvalue()


def _csv_cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return guarded(value)
    return exact(value) if isinstance(value, float) else str(value)


def as_json(
    tables: Sequence[Table],
    command: str,
    settings: Mapping[str, object],
    failures: Sequence[RunFailure] = (),
) -> str:
    """All tables as one JSON object; what is not a finite number is null."""
    document: dict[str, object] = {
        "producer": f"pres-eval {__version__}",
        "command": command,
        "settings": {name: _json_value(value) for name, value in settings.items()},
    }
    for table in tables:
        document[table.name] = [
            {name: _json_value(cell) for name, cell in zip(table.headings, row, strict=True)}
            for row in table.rows
        ]
    if failures:
        document["failures"] = [
            {"file": text_of(each.path), "message": text_of(each.message)} for each in failures
        ]
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _json_value(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (list, tuple)):
        return [_json_value(each) for each in value]
    return value
