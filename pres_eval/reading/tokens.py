r"""Columns of a chunk's lines: where they begin and end, and which lines are malformed.

Two ways give the same answer.  The regular way: every line has its columns separated by single blanks or
tabs and ends in \n or \r\n, as nearly all files have, so the separators' places are the columns after a
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
    content   the content of the i-th of them
    expected  the right content
    """

    kind: str
    lines: IntArray
    content: Callable[[int], str]
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
            return self._edge(2 * number), self._edge(2 * number + 1)
        ends = self._edge(number)
        if number:
            return self._edge(number - 1, 1), ends
        starts = np.empty_like(ends)
        starts[0] = self.base
        np.add(self.edges[:-1, -1], np.int64(self.base + 1), out=starts[1:])
        return starts, ends

    def _edge(self, number: int, behind: int = 0) -> IntArray:
        """Return (R,) where an edge of each row is in the chunk's buffer, or some bytes behind it."""
        return np.add(self.edges[:, number], np.int64(self.base + behind), dtype=np.int64)

    def cell(self, row: int, number: int) -> tuple[int, int]:
        """Return where one field begins and ends; not the first column."""
        if self.separators:
            return int(self.edges[row, number - 1]) + self.base + 1, int(self.edges[row, number]) + self.base
        return int(self.edges[row, 2 * number]) + self.base, int(self.edges[row, 2 * number + 1]) + self.base

    def head(self, rows: int) -> Fields:
        """Return the first rows, as many as there are."""
        lines = None if self.lines is None else self.lines[:rows]
        return replace(self, edges=self.edges[:rows], lines=lines)

    def take(self, rows: IntArray) -> Fields:
        """Return some of the rows (n,)."""
        edges = [edge[rows] - self.base for number in range(self.columns) for edge in self.column(number)]
        lines = rows if self.lines is None else self.lines[rows]
        return replace(self, edges=np.stack(edges, axis=1), separators=False, lines=lines)


def split_fields(chunk: Chunk, columns: int, expected: str, more: bool = False) -> Fields:
    """Split the lines of a chunk; `expected` names the columns, `more` allows further ones."""
    text = chunk.array()[chunk.start : chunk.stop]
    fields = _split_regular(chunk, text, columns)
    if fields is not None:
        return fields
    has_nul = chunk.buffer.find(b"\0", chunk.start, chunk.stop) >= 0
    nuls = np.flatnonzero(text == 0) if has_nul else _NONE
    return _split_any(text, chunk.start, columns, expected, more, nuls)


def _split_regular(chunk: Chunk, text: Bytes, columns: int) -> Fields | None:
    """Return the fields of a text (n,) in the regular way, None if some line is not regular.

    Of the lines b"1 0 d1 1" and b"1 0 d2 0" all bytes up to the blank are separators: those at 1, 3, 6, 8
    and 10, 12, 15, 17, a row for each line.  The last of each row is a newline, and none of them are side by
    side.
    """
    is_separator = text <= BLANK
    # In half as many bytes they are read faster afterwards.
    index_type = np.int32 if len(text) < 1 << 31 else np.int64
    separators: AnyInts = np.flatnonzero(is_separator).astype(index_type)
    has_returns = bool(len(text) > 1 and text[-2] == RETURN)
    width = columns + has_returns
    num_lines = len(separators) // width
    if len(separators) != num_lines * width or text[0] == HASH or is_separator[0]:
        return None
    # Two separators side by side would be an empty column; only \r\n may be, at the end of a line.
    if np.count_nonzero(separators[1:] - separators[:-1] == 1) != num_lines * has_returns:
        return None
    # As many blanks as there should be, and newlines where they should be: so all separators are these.
    num_blanks = np.count_nonzero(np.equal(text, BLANK, out=is_separator))
    if num_blanks != num_lines * (columns - 1):
        num_blanks += np.count_nonzero(np.equal(text, TAB, out=is_separator))
    if num_blanks != num_lines * (columns - 1):
        return None
    newlines = separators[width - 1 :: width].astype(np.int64)
    if (text[newlines] != NEWLINE).any() or (has_returns and (text[newlines - 1] != RETURN).any()):
        return None
    # Most files have no # at all, which is told faster than what each line begins with.
    has_hash = chunk.buffer.find(b"#", chunk.start, chunk.stop) >= 0
    if has_hash and (text[newlines[:-1] + 1] == HASH).any():
        return None
    return Fields(separators.reshape(num_lines, width), chunk.start, columns, num_lines, separators=True)


def _split_any(text: Bytes, base: int, columns: int, expected: str, more: bool, nuls: IntArray) -> Fields:
    r"""Return the fields of any text (n,); `nuls` (n,): where it has NUL bytes.

    Of b" 1  0 d1 1\n" the tokens begin and end at 1, 2, 4, 5, 6, 8, 9, 10: pairs of edges.  The newline is at
    10, and 4 pairs end up to there: these are the line's columns.
    """
    edges = _edges(text)
    newlines = np.flatnonzero(text == NEWLINE)
    tokens_before = np.concatenate(([0], np.searchsorted(edges, newlines, side="right") >> 1))
    num_columns = np.diff(tokens_before)
    tokens = edges.reshape(-1, 2)
    if (num_columns == columns).all() and not len(nuls) and not (text[tokens[::columns, 0]] == HASH).any():
        return Fields(edges.reshape(-1, 2 * columns), base, columns, len(newlines))
    has_tokens = num_columns > 0
    is_comment = np.zeros(len(newlines), np.bool_)
    is_comment[has_tokens] = text[tokens[tokens_before[:-1][has_tokens], 0]] == HASH
    # A NUL is a fault in a comment too: such a file is no text.
    has_nul = np.zeros(len(newlines), np.bool_)
    has_nul[np.searchsorted(newlines, nuls)] = True
    is_data = has_tokens & ~is_comment & ~has_nul
    has_too_few, has_more = is_data & (num_columns < columns), is_data & (num_columns > columns)
    is_row = is_data & ~has_too_few
    if not more:
        is_row &= ~has_more
    lines = np.flatnonzero(is_row)
    fields = tokens[tokens_before[lines][:, np.newaxis] + np.arange(columns)]
    too_few = _wrong_columns("too-few-columns", has_too_few, num_columns, expected)
    longer = _wrong_columns("extra-columns" if more else "too-many-columns", has_more, num_columns, expected)
    with_nul = Faults("nul-byte", np.flatnonzero(has_nul), lambda _: "a NUL byte", "text")
    faults = [too_few, with_nul] if more else [too_few, longer, with_nul]
    return Fields(
        edges=fields.reshape(len(lines), 2 * columns),
        base=base,
        columns=columns,
        num_lines=len(newlines),
        lines=lines,
        faults=tuple(fault for fault in faults if len(fault.lines)),
        longer=longer if more and len(longer.lines) else None,
        blank=int(np.count_nonzero(~has_tokens)),
        comments=int(np.count_nonzero(is_comment)),
    )


def _edges(text: Bytes) -> IntArray:
    r"""Return the beginnings and ends (n,) of tokens of a text (N,) in turn; C's isspace separates them.

    Of b"ab c\n" they are 0, 2, 3 and 4.
    """
    is_space = np.empty(len(text) + 1, np.bool_)
    is_space[0] = True
    np.equal(text, BLANK, out=is_space[1:])
    is_space[1:] |= (text - TAB) < 5
    return np.flatnonzero(is_space[1:] != is_space[:-1])


def _wrong_columns(kind: str, is_wrong: BoolArray, num_columns: IntArray, expected: str) -> Faults:
    """Return the faults of wrong lines (L,), with how many columns they have (L,)."""
    counts = num_columns[is_wrong].tolist()
    return Faults(kind, np.flatnonzero(is_wrong), lambda i: plural(counts[i], "column"), expected)
