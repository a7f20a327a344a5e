"""Rows of CSV, whatever the separator and the quotation mark."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import chain

from pres_eval.errors import InputError, SwallowedLinesNote

END = "\x1eend-of-the-file\x1e"
"""Line that is added at the end: if a quotation mark is not closed, it becomes part of a cell."""


def separated_rows(
    name: str,
    lines: Iterable[str],
    expected: str,
    separator: str = ",",
    quote: str = '"',
    before: int = 0,
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV, each with the line where it ends, counted from 1.

    name      of the file, in messages
    expected  what messages expect
    quote     the quotation mark
    before    how many lines of the file come before these
    Raises InputError for other text, and for a quotation mark that is not closed.  Notes a cell with line
    ends: if the mark that closes it is the next cell's, all rows between the two are lost.
    """
    import csv  # takes a while to import, and most evaluations read no CSV

    reader = csv.reader(chain(lines, [END]), delimiter=separator, quotechar=quote)
    last_line = before
    longest_begin, longest_lines = 0, 1  # of the row with most lines: its first line, and how many it has
    try:
        for row in reader:
            line = reader.line_num + before
            if row == [END]:
                break
            if row and row[-1].endswith(END):
                advice = "close it, or write it twice within a cell that is quoted"
                raise InputError(name, last_line + 1, "a quotation mark that is not closed", expected, advice)
            if line - last_line > longest_lines:
                longest_begin, longest_lines = last_line + 1, line - last_line
            last_line = line
            yield line, row
    except csv.Error as error:  # a carriage return alone, a field of more than 131,072 characters
        problem = str(error).partition(" - ")[0]
        raise InputError(name, reader.line_num + before, problem, expected) from None
    if longest_lines > 1:
        lines_of_cell = f"lines {longest_begin} to {longest_begin + longest_lines - 1}"
        text = f"{name}: {lines_of_cell} are one row, whose cell has line ends: is a quotation mark missing?"
        warnings.warn(text, SwallowedLinesNote, stacklevel=2)


def separator_of_lines(head: bytes, least: int) -> str | None:
    """Return the separator that gives all lines the same number of columns; None: blanks, or there is none.

    head   the beginning of the file; a last line without an end does not count if there are others
    least  how many columns they must have at least
    """
    text = head.decode("utf-8-sig", "surrogateescape")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) > 1 and not text.endswith("\n"):
        del lines[-1]
    for separator in ("\t", ";", "|", None, ","):
        widths = {len(cells_of(line, separator)) for line in lines}
        if len(widths) == 1 and widths.pop() >= least:
            return separator
    return None


def cells_of(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line without blanks around them; [] if it is no CSV.

    separator  of the cells; None: blanks
    """
    import csv

    if separator is None:
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []
