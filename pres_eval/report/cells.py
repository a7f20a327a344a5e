"""Cells of tables for people: numbers, intervals and p-values that round, mark and escape themselves.

Most cells are plain values; the classes are for numbers with a mark, a sign, two ends or digits of their own.
"""

from __future__ import annotations

import math

from pres_eval.records import dataclass
from pres_eval.report.grid import LATEX, MARKDOWN, escaped
from pres_eval.report.text import UNKNOWN, interval, p_text, plain_text, shown, signed_difference

BEST_MARK = "^"
"""The mark of the best of a measure in plain text; * is that of a significant difference."""

BOLD = {LATEX: r"\textbf{{{}}}", MARKDOWN: "**{}**"}
"""How styles that can do so show the best of a measure in bold, instead of the mark."""

Value = str | bytes | int | float | bool | None
"""Content of a cell that is a plain value; bytes are an id as it is in a file, None is no value."""


@dataclass(frozen=True)
class Score:
    """A number.

    best    whether it is the best of its measure: marked ^, bold in LaTeX and Markdown
    mark    a further mark of the number: + or - of a test
    signed  whether it is a difference: + comes before a number above 0, and before 0
    """

    value: float
    best: bool = False
    mark: str = ""
    signed: bool = False

    def text(self, digits: int, style: str) -> str:
        """Return the number with its marks, rounded to these digits, for a style of tables.

        Digits and signs need no escape in any style.
        """
        number = signed_difference(self.value, digits) if self.signed else shown(self.value, digits)
        if not self.best:
            return _marked(number, self.mark, style)
        if style in BOLD:
            return _marked(BOLD[style].format(number), self.mark, style)
        return _marked(number, BEST_MARK + self.mark, style)


@dataclass(frozen=True)
class Interval:
    """Two ends of an interval, with a mark in front if there is one.

    signed  whether + comes before ends above 0
    """

    low: float
    high: float
    signed: bool = False
    mark: str = ""

    def text(self, digits: int, style: str) -> str:
        """Return the ends with the mark, rounded to these digits, for a style of tables."""
        ends = interval(self.low, self.high, digits, self.signed)
        return _marked(escaped(ends, style), self.mark, style)


@dataclass(frozen=True)
class PValue:
    """A p-value, with a star if it is significant."""

    value: float
    significant: bool = False

    def text(self, digits: int, style: str) -> str:
        """Return the p-value with its star for a style of tables; it has four digits, whatever is asked."""
        star = "*" if self.significant else ""
        return _marked(escaped(p_text(self.value), style), star, style)


Cell = Value | Score | Interval | PValue
"""Content of a cell for people."""


def cell_text(cell: Cell, digits: int, style: str) -> str:
    """Return a cell as text of a style of tables, escaped: numbers rounded; True is yes, False nothing."""
    if isinstance(cell, (Score, Interval, PValue)):
        return cell.text(digits, style)
    if isinstance(cell, float):
        return UNKNOWN if math.isnan(cell) else shown(cell, digits)
    return escaped(plain_text(cell, yes="yes", no=""), style)


def _marked(text: str, mark: str, style: str) -> str:
    """Return an escaped text with its mark: before it, or raised in LaTeX, or behind it in Markdown."""
    if not mark:
        return text
    if style == LATEX:
        return f"{text}$^{{{mark}}}$"
    if style == MARKDOWN:
        return f"{text} {escaped(mark, style)}"
    return f"{mark} {text}"


@dataclass(frozen=True)
class Note:
    """A line below a table that explains one mark or several.

    mark  the mark that it explains; several are separated by blanks
    """

    text: str
    mark: str


def note_text(note: str | Note, style: str) -> str:
    """Return a line below a table, escaped, with the mark that it explains in front of it."""
    if isinstance(note, str):
        return escaped(note, style)
    if note.mark == BEST_MARK and style in BOLD:
        marks = BOLD[style].format("bold") + ":"  # the word itself is bold
    elif style == LATEX:
        marks = ", ".join(f"$^{{{mark}}}$" for mark in note.mark.split())
    else:
        marks = escaped(note.mark, style)
    return f"{marks} {escaped(note.text, style)}"
