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
from dataclasses import dataclass, field, fields

from pres_eval import __version__
from pres_eval.errors import UsageError
from pres_eval.report.table import guarded
from pres_eval.report.text import exact, shown

FORMATS = ("table", "json", "csv")
"""What --format of an analysis takes; table is the default."""

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Shown:
    """The form of a table that people see, where it is another than its rows: headings and finished cells."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1


@dataclass(frozen=True)
class Table:
    """One table of an analysis.

    name      in JSON, and for --table
    title     the line above it
    headings  of the columns; in JSON the keys of each row
    rows      values in full
    notes     lines below it, for people
    shown     what people see instead; None: the rows, rounded
    left      how many columns, from the first, are text that stands to the left
    digits    digits after the point for people, where not 4, by heading
    people, programs  whether people see it, whether JSON and CSV have it
    """

    name: str
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
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
    notes: Sequence[str] = (),
    shown: Shown | None = None,
) -> Table:
    """A table of dataclass records of that kind: a column for each field."""
    names = [column.name for column in fields(kind)]
    return Table(
        name, title, names, [[getattr(record, each) for each in names] for record in records], notes, shown
    )


def render(
    tables: Sequence[Table],
    form: str,
    command: str,
    settings: Mapping[str, object],
    chosen: str | None = None,
) -> str:
    """The text of the tables in one of FORMATS.

    `chosen` names the table that CSV has (the first if None); `settings` go into the JSON, so that it says
    how its numbers came about.  Raises UsageError for a table that is not there.
    """
    by_name = {table.name: table for table in tables if table.programs}
    if chosen is not None and chosen not in by_name:
        raise UsageError(f"--table {chosen}: no such table, expected one of {', '.join(by_name)}")
    wanted = [*by_name.values()] if chosen is None else [by_name[chosen]]
    if form == "json":
        return as_json(wanted, command, settings)
    if form == "csv":
        return as_csv(wanted[0])
    if chosen is None:
        wanted = [table for table in tables if table.people]
    return "\n".join(as_text(table) for table in wanted)


def as_text(table: Table) -> str:
    """Title, table and notes, for a terminal."""
    from tabulate import tabulate

    view = table.shown or Shown(table.headings, _rounded(table), table.left)
    width = len(view.headings)
    text = tabulate(
        [list(row) for row in view.rows],
        headers=list(view.headings),
        tablefmt="simple",
        # It would turn topic 1e5 into 100000 and 0.5000 into 0.5.
        disable_numparse=True,
        colalign=["left"] * view.left + ["right"] * (width - view.left) if view.rows else None,
    )
    lines = [table.title, "", *(line.rstrip() for line in text.splitlines())]
    if table.notes:
        lines += ["", *table.notes]
    return "\n".join(lines) + "\n"


def _rounded(table: Table) -> list[list[str]]:
    return [
        [cell_text(cell, table.digits.get(name, 4)) for name, cell in zip(table.headings, row, strict=True)]
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


def as_csv(table: Table) -> str:
    """The table as CSV, numbers in full; text that a spreadsheet would run as a formula is guarded."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
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


def as_json(tables: Sequence[Table], command: str, settings: Mapping[str, object]) -> str:
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
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _json_value(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (list, tuple)):
        return [_json_value(each) for each in value]
    return value
