"""Tables for people by a list of columns: the heading of each, and the cell that it makes of a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pres_eval.report.layout import Shown, ShownCell

Record = TypeVar("Record")


def shown_by(
    columns: Sequence[tuple[str, Callable[[Record], ShownCell]]], records: Sequence[Record], left: int = 1
) -> Shown:
    """Return the form of a table with these columns and a row for each record.

    left: how many columns, from the first, are text

    >>> shown_by([("run", lambda run: run[0]), ("mean", lambda run: run[1])], [("a", 0.5)]).rows
    [['a', 0.5]]
    """
    headings = [heading for heading, _ in columns]
    rows: list[list[ShownCell]] = []
    for record in records:
        rows.append([cell(record) for _, cell in columns])
    return Shown(headings, rows, left)
