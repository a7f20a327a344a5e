r"""Where the columns of a chunk's lines begin and end.

Two ways give the same answer.  The regular way: every line has its columns separated by single blanks or tabs
and ends in \\n or \\r\\n, as nearly all files have, so the separators' places are the columns after a reshape.
The general way takes anything: a token is what stands between bytes of C's isspace; blank lines and lines
whose first character is # are left out; lines with too few columns are an error, more columns are counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pres_eval.batch import BoolArray, IntArray
from pres_eval.reading.source import Chunk

Bytes = NDArray[np.uint8]

BLANK, TAB, NEWLINE, RETURN, HASH = 32, 9, 10, 13, 35


class LineError(Exception):
    """A fault in a line of a chunk, before it is known where the chunk stands in the file."""

    def __init__(self, line: int, found: str, expected: str) -> None:
        super().__init__(line, found, expected)
        self.line = line
        self.found = found
        self.expected = expected


@dataclass(frozen=True, eq=False)
class Fields:
    """The columns of R rows: places in the chunk's buffer.

    starts, ends   (R, columns)
    num_lines      lines in the chunk, also blank ones and comments
    lines          (R,) the line of each row, counted from 0; None where row i is line i
    longer         row of the first line with more columns than wanted, None if there is none
    """

    starts: IntArray
    ends: IntArray
    num_lines: int
    lines: IntArray | None = None
    longer: int | None = None

    def column(self, number: int) -> tuple[IntArray, IntArray]:
        """Where the fields of one column begin and end."""
        return np.ascontiguousarray(self.starts[:, number]), np.ascontiguousarray(self.ends[:, number])

    def line_of(self, row: int) -> int:
        """The line of a row, counted from 0."""
        return row if self.lines is None else int(self.lines[row])

    def __len__(self) -> int:
        return len(self.starts)


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
    width = columns
    if len(places) == num_lines * (columns + 1) and np.count_nonzero(text == RETURN) == num_lines:
        width = columns + 1
    if len(places) != num_lines * width:
        return None
    blanks = np.count_nonzero(text == BLANK) + np.count_nonzero(text == TAB)
    if blanks != num_lines * (columns - 1) or text[0] == HASH or separator[0]:
        return None
    if np.count_nonzero(separator[1:] & separator[:-1]) != num_lines * (width - columns):
        return None
    places = places.reshape(num_lines, width)
    newlines = places[:, width - 1]
    if (text[newlines] != NEWLINE).any() or (text[newlines[:-1] + 1] == HASH).any():
        return None
    if width > columns and (places[:, columns] != places[:, columns - 1] + 1).any():
        return None
    starts = np.empty((num_lines, columns), np.int64)
    places += base
    starts[0, 0] = base
    starts[1:, 0] = newlines[:-1] + 1
    starts[:, 1:] = places[:, : columns - 1] + 1
    return Fields(starts, places[:, :columns], num_lines)


def is_space(text: Bytes) -> BoolArray:
    """C's isspace: blank, and tab to carriage return."""
    return (text == BLANK) | ((text - TAB) < 5)


def _general(text: Bytes, base: int, columns: int, layout: str, more: bool) -> Fields:
    """The general way."""
    space = np.empty(len(text) + 1, np.bool_)
    space[0] = True
    space[1:] = is_space(text)
    edges = np.flatnonzero(space[1:] != space[:-1])
    starts, ends = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(text == NEWLINE)
    bounds = np.concatenate(([0], np.searchsorted(starts, newlines)))
    counts = np.diff(bounds)
    if (counts == columns).all() and not (text[starts[0::columns]] == HASH).any():
        return Fields(starts.reshape(-1, columns) + base, ends.reshape(-1, columns) + base, len(newlines))
    lines = np.flatnonzero(counts > 0)
    lines = lines[text[starts[bounds[lines]]] != HASH]
    counts = counts[lines]
    wrong = np.flatnonzero(counts < columns if more else counts != columns)
    if len(wrong):
        found = int(counts[wrong[0]])
        raise LineError(int(lines[wrong[0]]), f"{found} column{'s' * (found != 1)}", f"{columns} ({layout})")
    longer = np.flatnonzero(counts > columns)
    chosen = bounds[lines][:, None] + np.arange(columns)
    return Fields(
        starts[chosen] + base,
        ends[chosen] + base,
        len(newlines),
        lines,
        int(longer[0]) if len(longer) else None,
    )
