r"""Columns of a chunk's lines: where they begin and end, and which lines are malformed.

Two ways give the same answer.  The regular way: every line has its columns separated by single blanks or
tabs and ends in \\n or \\r\\n, as nearly all files have, so the separators' places are the columns after a
reshape.  The general way takes anything: a token is what lies between bytes of C's isspace; blank lines and
lines whose first character is # are left out.  Malformed lines are left out and reported: the evaluator
raises the first of them, the checker lists all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pres_eval.arrays import AnyInts, BoolArray, Bytes, IntArray
from pres_eval.errors import plural
from pres_eval.reading.file import Chunk
from pres_eval.records import dataclass

BLANK, TAB, NEWLINE, RETURN, HASH = 32, 9, 10, 13, 35


_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Faults:
    """The lines of a chunk that have one kind of fault.

    kind      its name, as the checker prints it
    lines     (F,) these lines, ascending, counted from 0
    found     the content of the i-th of them
    expected  the right content
    """

    kind: str
    lines: IntArray
    found: Callable[[int], str]
    expected: str


@dataclass(frozen=True, eq=False)
class Fields:
    """The columns of R rows.

    edges      (R, edges of a line) places in the chunk's text: where columns begin and end by turns, or the
               separators alone, where each column begins behind the separator of the one before
    base       where the text begins in the chunk's buffer
    columns    how many columns a row has
    num_lines  lines in the chunk, also blank ones and comments
    separators whether the edges are the separators alone
    lines      (R,) the line of each row, counted from 0; None where row i is line i
    faults     lines that are no rows because they are malformed
    longer     rows that have more columns than wanted, if that is allowed
    blank, comments
               how many lines are blank, and how many comments
    """

    edges: AnyInts
    base: int
    columns: int
    num_lines: int
    separators: bool = False
    lines: IntArray | None = None
    faults: tuple[Faults, ...] = ()
    longer: Faults | None = None
    blank: int = 0
    comments: int = 0

    def column(self, number: int) -> tuple[IntArray, IntArray]:
        """Return (R,) where the fields of one column begin and (R,) end in the chunk's buffer."""
        if not self.separators:
            return self._places(2 * number), self._places(2 * number + 1)
        ends = self._places(number)
        if number:
            return self._places(number - 1, 1), ends
        starts = np.empty_like(ends)
        starts[0] = self.base
        np.add(self.edges[:-1, -1], np.int64(self.base + 1), out=starts[1:])
        return starts, ends

    def _places(self, edge: int, behind: int = 0) -> IntArray:
        """Return (R,) where one edge of each row is in the chunk's buffer, or some bytes behind it."""
        return np.add(self.edges[:, edge], np.int64(self.base + behind), dtype=np.int64)

    def cell(self, row: int, number: int) -> tuple[int, int]:
        """Return where one field begins and ends; not the first column."""
        if self.separators:
            return int(self.edges[row, number - 1]) + self.base + 1, int(self.edges[row, number]) + self.base
        return int(self.edges[row, 2 * number]) + self.base, int(self.edges[row, 2 * number + 1]) + self.base

    def head(self, rows: int) -> Fields:
        """Return the first rows, as many as there are."""
        return replace(self, edges=self.edges[:rows], lines=None if self.lines is None else self.lines[:rows])

    def take(self, rows: IntArray) -> Fields:
        """Return some of the rows (n,)."""
        edges = [edge[rows] - self.base for number in range(self.columns) for edge in self.column(number)]
        lines = rows if self.lines is None else self.lines[rows]
        return replace(self, edges=np.stack(edges, axis=1), separators=False, lines=lines)


def split_fields(chunk: Chunk, columns: int, expected: str, more: bool = False) -> Fields:
    """Split the lines of a chunk; `expected` names the columns, `more` allows further ones."""
    text = chunk.array()[chunk.start : chunk.stop]
    fields = _regular(chunk, text, columns)
    if fields is not None:
        return fields
    has_nul = chunk.buffer.find(b"\0", chunk.start, chunk.stop) >= 0
    nuls = np.flatnonzero(text == 0) if has_nul else _NONE
    return _general(text, chunk.start, columns, expected, more, nuls)


def _regular(chunk: Chunk, text: Bytes, columns: int) -> Fields | None:
    """Return the regular way, for a text (n,), or None if some line is not like that."""
    separator = text <= BLANK
    # In half as many bytes the places are read faster afterwards.
    places: AnyInts = np.flatnonzero(separator).astype(np.int32 if len(text) < 1 << 31 else np.int64)
    returns = bool(len(text) > 1 and text[-2] == RETURN)
    width = columns + returns
    num_lines = len(places) // width
    if len(places) != num_lines * width or text[0] == HASH or separator[0]:
        return None
    # Two separators side by side would be an empty column; only \r\n may be, at the end of a line.
    if np.count_nonzero(places[1:] - places[:-1] == 1) != num_lines * returns:
        return None
    # As many blanks as there should be, and newlines where they should be: so all separators are these.
    blanks = np.count_nonzero(np.equal(text, BLANK, out=separator))
    if blanks != num_lines * (columns - 1):
        blanks += np.count_nonzero(np.equal(text, TAB, out=separator))
    if blanks != num_lines * (columns - 1):
        return None
    newlines = places[width - 1 :: width].astype(np.int64)
    # Most files have no # at all, which is told faster than what each line begins with.
    has_hash = chunk.buffer.find(b"#", chunk.start, chunk.stop) >= 0
    if (text[newlines] != NEWLINE).any() or (has_hash and (text[newlines[:-1] + 1] == HASH).any()):
        return None
    if returns and (text[newlines - 1] != RETURN).any():
        return None
    return Fields(places.reshape(num_lines, width), chunk.start, columns, num_lines, separators=True)


def _general(text: Bytes, base: int, columns: int, expected: str, more: bool, nuls: IntArray) -> Fields:
    """Return the general way, for a text (n,); `nuls` (n,) are the places of NUL bytes."""
    edges = _edges(text)
    newlines = np.flatnonzero(text == NEWLINE)
    # Two edges a token: those before a newline's place are of lines up to it.
    bounds = np.concatenate(([0], np.searchsorted(edges, newlines, side="right")))
    bounds >>= 1
    counts = np.diff(bounds)
    pairs = edges.reshape(-1, 2)
    regular = (counts == columns).all() and not len(nuls)
    if regular and not (text[pairs[::columns, 0]] == HASH).any():
        return Fields(edges.reshape(-1, 2 * columns), base, columns, len(newlines))
    filled = counts > 0
    comment = np.zeros(len(newlines), np.bool_)
    comment[filled] = text[pairs[bounds[:-1][filled], 0]] == HASH
    # A NUL is a fault in a comment too: such a file is no text.
    has_nul = np.zeros(len(newlines), np.bool_)
    has_nul[np.searchsorted(newlines, nuls)] = True
    data = filled & ~comment & ~has_nul
    too_few, too_many = data & (counts < columns), data & (counts > columns)
    lines = np.flatnonzero(data & ~too_few & (~too_many | more))
    chosen = pairs[bounds[lines][:, None] + np.arange(columns)]
    wrong = _wrong_columns("too-few-columns", too_few, counts, expected)
    longer = _wrong_columns("extra-columns" if more else "too-many-columns", too_many, counts, expected)
    with_nul = Faults("nul-byte", np.flatnonzero(has_nul), lambda _: "a NUL byte", "text")
    faults = (wrong, with_nul) if more else (wrong, longer, with_nul)
    return Fields(
        edges=chosen.reshape(len(lines), 2 * columns),
        base=base,
        columns=columns,
        num_lines=len(newlines),
        lines=lines,
        faults=tuple(fault for fault in faults if len(fault.lines)),
        longer=longer if more and len(longer.lines) else None,
        blank=int(np.count_nonzero(~filled)),
        comments=int(np.count_nonzero(comment)),
    )


def _edges(text: Bytes) -> IntArray:
    """Return the beginnings and ends (n,) of tokens of a text (N,) in turn; C's isspace separates them."""
    space = np.empty(len(text) + 1, np.bool_)
    space[0] = True
    np.equal(text, BLANK, out=space[1:])
    space[1:] |= (text - TAB) < 5
    return np.flatnonzero(space[1:] != space[:-1])


def _wrong_columns(kind: str, wrong: BoolArray, counts: IntArray, expected: str) -> Faults:
    """Return the lines that are wrong (L,), with how many columns they have (L,)."""
    columns = counts[wrong].tolist()
    return Faults(kind, np.flatnonzero(wrong), lambda i: plural(columns[i], "column"), expected)
