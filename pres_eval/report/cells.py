"""Cells of the tables of an analysis, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pres_eval.report.grid import LATEX, MARKDOWN, escaped
from pres_eval.report.text import UNKNOWN, interval, p_text, shown, signed, text_of

BEST = "^"
"""The mark of the best of a measure in plain text; * is that of a significant difference."""

Value = str | bytes | int | float | bool | None
"""What a cell holds; bytes are an id, as it is in a file."""


@dataclass(frozen=True)
class Score:
    """A number in a cell for people.

    best    whether it is the best of its measure: marked ^, bold in LaTeX and Markdown
    mark    what the number is marked with besides: + or - of a test
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
    """A line below a table: what a mark means, or anything else if there is no mark.

    bold  whether LaTeX and Markdown show what is marked in bold instead
    """

    text: str
    mark: str = ""
    bold: bool = False


ShownCell = Value | Score | Interval | PValue


def cell_text(cell: ShownCell, digits: int, style: str) -> str:
    """A cell as it is written, escaped: numbers rounded, yes or nothing for a truth."""
    if isinstance(cell, float):
        return UNKNOWN if math.isnan(cell) else shown(cell, digits)
    if isinstance(cell, Interval):
        return _marked(escaped(interval(cell.low, cell.high, digits, cell.signed), style), cell.mark, style)
    if isinstance(cell, PValue):
        return _marked(escaped(p_text(cell.value), style), "*" if cell.significant else "", style)
    if not isinstance(cell, Score):
        return escaped(plain_text(cell, yes="yes", no=""), style)
    number = signed(cell.value, digits) if cell.signed else shown(cell.value, digits)
    if cell.best and style == LATEX:
        number = rf"\textbf{{{number}}}"
    elif cell.best and style == MARKDOWN:
        number = f"**{number}**"
    elif cell.best:
        return f"{BEST}{cell.mark} {number}"
    return _marked(number, cell.mark, style)


def _marked(text: str, mark: str, style: str) -> str:
    """A finished text with its mark: before it, or raised in LaTeX, or behind it in Markdown."""
    if not mark:
        return text
    if style == LATEX:
        return f"{text}$^{{{mark}}}$"
    return f"{text} {escaped(mark, style)}" if style == MARKDOWN else f"{mark} {text}"


def note_text(note: str | Note, style: str) -> str:
    """A line below a table, escaped, with what it explains in front of it."""
    if isinstance(note, str):
        return escaped(note, style)
    marks = note.mark
    if style == LATEX:
        marks = r"\textbf{bold}:" if note.bold else ", ".join(f"$^{{{mark}}}$" for mark in marks.split())
    elif style == MARKDOWN:
        marks = "**bold**:" if note.bold else escaped(marks, style)
    return f"{marks} {escaped(note.text, style)}"


def plain_text(value: str | bytes | int | None, yes: str, no: str) -> str:
    """A value that is no fraction as text; nothing for what is not there."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return yes if value else no
    return text_of(value) if isinstance(value, bytes) else str(value)
