r"""Where the columns of a chunk's lines begin and end.

Two ways give the same answer.  The regular way: every line has its columns separated by single blanks or
tabs and ends in \\n or \\r\\n, as nearly all files have, so the separators' places are the columns after a
reshape.  The general way takes anything: a token is what stands between bytes of C's isspace; blank lines and
lines whose first character is # are left out; too few columns are an error, more columns are noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pres_eval.arrays.types import BoolArray, Bytes, IntArray
from pres_eval.reading.source import Chunk

Parsed = TypeVar("Parsed")

BLANK, TAB, NEWLINE, RETURN, HASH = 32, 9, 10, 13, 35


class LineError(Exception):
    """A fault in a line of a chunk, before it is known where the chunk stands in the file."""

    def __init__(self, line: int, found: str, expected: str) -> None:
        super().__init__(line, found, expected)
        self.line = line
        self.found = found
        self.expected = expected


def parsed(parse: Callable[[Chunk], Parsed], chunk: Chunk) -> Parsed:
    """What `parse` makes of a chunk.

    Raises LineError: of several faults that of the first line, whatever `parse` looks for first.
    """
    try:
        return parse(chunk)
    except LineError as error:
        if error.line:
            newlines = np.flatnonzero(chunk.array()[chunk.start : chunk.stop] == NEWLINE)
            parsed(parse, Chunk(chunk.buffer, chunk.start, chunk.start + int(newlines[error.line - 1]) + 1))
        raise


@dataclass(frozen=True, eq=False)
class Fields:
    """The columns of R rows.

    edges      (R, edges of a line) places in the chunk's text: where columns begin and end by turns, or the
               separators alone, where each column begins behind the separator of the one before
    base       where the text begins in the chunk's buffer
    columns    how many columns a row has
    num_lines  lines in the chunk, also blank ones and comments
    lines      (R,) the line of each row, counted from 0; None where row i is line i
    longer     row of the first line with more columns than wanted, None if there is none
    """

    edges: IntArray
    base: int
    columns: int
    num_lines: int
    separators: bool = False
    lines: IntArray | None = None
    longer: int | None = None

    def column(self, number: int) -> tuple[IntArray, IntArray]:
        """Where the fields of one column begin and end in the chunk's buffer."""
        if not self.separators:
            return self.edges[:, 2 * number] + self.base, self.edges[:, 2 * number + 1] + self.base
        ends = self.edges[:, number] + self.base
        if number:
            return self.edges[:, number - 1] + (self.base + 1), ends
        starts = np.empty_like(ends)
        starts[0] = self.base
        np.add(self.edges[:-1, -1], self.base + 1, out=starts[1:])
        return starts, ends

    def cell(self, row: int, number: int) -> tuple[int, int]:
        """Where one field begins and ends; not the first column."""
        if self.separators:
            return int(self.edges[row, number - 1]) + self.base + 1, int(self.edges[row, number]) + self.base
        return int(self.edges[row, 2 * number]) + self.base, int(self.edges[row, 2 * number + 1]) + self.base

    @property
    def starts(self) -> IntArray:
        """(R, columns) where the columns begin."""
        return np.stack([self.column(number)[0] for number in range(self.columns)], axis=1)

    @property
    def ends(self) -> IntArray:
        """(R, columns) where the columns end."""
        return np.stack([self.column(number)[1] for number in range(self.columns)], axis=1)

    def line_of(self, row: int) -> int:
        """The line of a row, counted from 0."""
        return row if self.lines is None else int(self.lines[row])

    def __len__(self) -> int:
        return len(self.edges)


def split_fields(chunk: Chunk, columns: int, layout: str, more: bool = False) -> Fields:
    """Split the lines of a chunk; `layout` names the columns for errors, `more` allows further ones."""
    text = chunk.array()[chunk.start : chunk.stop]
    if chunk.buffer.find(b"\0", chunk.start, chunk.stop) >= 0:
        line = int(np.count_nonzero(text[: chunk.buffer.find(b"\0", chunk.start) - chunk.start] == NEWLINE))
        raise LineError(line, "a NUL byte", "text")
    fields = _regular(text, chunk.start, columns)
    return fields if fields is not None else _general(text, chunk.start, columns, layout, more)


def _regular(text: Bytes, base: int, columns: int) -> Fields | None:
    """The regular way, or None if some line is not like that."""
    separator = text <= BLANK
    places = np.flatnonzero(separator)
    num_lines = int(np.count_nonzero(text == NEWLINE))
    returns = len(places) == num_lines * (columns + 1)
    width = columns + returns
    if len(places) != num_lines * width or text[0] == HASH or separator[0]:
        return None
    # Two separators side by side would be an empty column; only \r\n may stand so, at the end of a line.
    if np.count_nonzero(separator[1:] & separator[:-1]) != num_lines * returns:
        return None
    blanks = int(np.count_nonzero(text == BLANK))
    if blanks != num_lines * (columns - 1):
        blanks += int(np.count_nonzero(text == TAB))
    if blanks != num_lines * (columns - 1):
        return None
    edges = places.reshape(num_lines, width)
    newlines = edges[:, -1]
    if (text[newlines] != NEWLINE).any() or (text[newlines[:-1] + 1] == HASH).any():
        return None
    if returns and (text[newlines - 1] != RETURN).any():
        return None
    return Fields(edges, base, columns, num_lines, separators=True)


def is_space(text: Bytes) -> BoolArray:
    """C's isspace: blank, and tab to carriage return."""
    space: BoolArray = (text == BLANK) | ((text - TAB) < 5)
    return space


def _general(text: Bytes, base: int, columns: int, layout: str, more: bool) -> Fields:
    """The general way."""
    space = np.empty(len(text) + 1, np.bool_)
    space[0] = True
    np.equal(text, BLANK, out=space[1:])
    space[1:] |= (text - TAB) < 5
    edges = np.flatnonzero(space[1:] != space[:-1])
    newlines = np.flatnonzero(text == NEWLINE)
    # Two edges a token: those before a newline's place are of lines up to it.
    bounds = np.concatenate(([0], np.searchsorted(edges, newlines, side="right")))
    bounds >>= 1
    counts = np.diff(bounds)
    pairs = edges.reshape(-1, 2)
    if (counts == columns).all() and not (text[pairs[::columns, 0]] == HASH).any():
        return Fields(edges.reshape(-1, 2 * columns), base, columns, len(newlines))
    lines = np.flatnonzero(counts > 0)
    lines = lines[text[pairs[bounds[lines], 0]] != HASH]
    counts = counts[lines]
    wrong = np.flatnonzero(counts < columns if more else counts != columns)
    if len(wrong):
        found = int(counts[wrong[0]])
        raise LineError(int(lines[wrong[0]]), f"{found} column{'s' * (found != 1)}", f"{columns} ({layout})")
    longer = np.flatnonzero(counts > columns)
    chosen = pairs[bounds[lines][:, None] + np.arange(columns)]
    return Fields(
        chosen.reshape(len(lines), 2 * columns),
        base,
        columns,
        len(newlines),
        lines=lines,
        longer=int(longer[0]) if len(longer) else None,
    )
