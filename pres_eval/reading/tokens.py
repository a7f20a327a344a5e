r"""Columns of a chunk's lines: where they begin and end, and which lines are malformed.

Two ways give the same answer.  The regular way: every line has its columns separated by single blanks or
tabs and ends in \n or \r\n, as nearly all files have, so the places of the separators become the columns by
a reshape.  The general way takes anything: a token is what lies between bytes of C's isspace; blank lines and
lines whose first character is # are left out.  Malformed lines are left out and reported: the evaluator
raises an error for the first of them, the checker lists all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pres_eval.arrays import AnyInts, BoolArray, Bytes, IntArray
from pres_eval.errors import plural
from pres_eval.reading.file import Chunk
from pres_eval.records import dataclass

BLANK, TAB, NEWLINE, RETURN, HASH = b" \t\n\r#"
"""Numbers of these bytes."""

_NO_POSITIONS = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Faults:
    """The lines of a chunk that have one kind of fault.

    kind      its name, as the checker prints it
    lines     (F,) these lines, ascending, counted from 0
    content   function that returns what the i-th of them has, as messages call it
    expected  what each should have
    """

    kind: str
    lines: IntArray
    content: Callable[[int], str]
    expected: str


@dataclass(frozen=True, eq=False)
class Fields:
    """Positions of the columns of R rows, the good lines of a chunk, and the faults of its other lines.

    edges       (R, E) positions in the chunk's text.  With `separators` they are those of the separators:
                each ends a column, and the next column begins behind it.  Otherwise they are where columns
                begin and end in turn: begin, end, begin, end, ...
    base        where the text begins in the chunk's buffer
    columns     how many columns a row has
    num_lines   lines in the chunk, also blank ones and comments
    separators  whether the edges are separators
    lines       (R,) the line of each row, counted from 0; None where row i is line i
    faults      lines that are no rows because they are malformed
    longer      rows with more columns than `columns`, where that is allowed; None if there are none
    blank       how many lines are blank
    comments    how many lines are comments
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
            return self._behind_edge(number - 1), ends
        starts = np.empty_like(ends)
        starts[0] = self.base
        ends_of_rows = self.edges[:-1, -1]
        np.add(ends_of_rows, np.int64(self.base + 1), out=starts[1:])  # a row begins behind the one before
        return starts, ends

    def _edge(self, number: int) -> IntArray:
        """Return (R,) where the number-th edge of each row is in the chunk's buffer."""
        return np.add(self.edges[:, number], np.int64(self.base), dtype=np.int64)

    def _behind_edge(self, number: int) -> IntArray:
        """Return (R,) the position behind the number-th edge of each row in the chunk's buffer."""
        return np.add(self.edges[:, number], np.int64(self.base + 1), dtype=np.int64)

    def cell(self, row: int, number: int) -> tuple[int, int]:
        """Return where a row's field of a column begins and ends in the chunk's buffer; not of column 0."""
        edges = self.edges[row]
        if self.separators:
            start, end = int(edges[number - 1]) + 1, int(edges[number])
        else:
            start, end = int(edges[2 * number]), int(edges[2 * number + 1])
        return self.base + start, self.base + end

    def head(self, rows: int) -> Fields:
        """Return the first `rows` rows, or all if there are fewer."""
        lines = None if self.lines is None else self.lines[:rows]
        return replace(self, edges=self.edges[:rows], lines=lines)

    def take(self, rows: IntArray) -> Fields:
        """Return some of the rows (n,)."""
        edges: list[IntArray] = []
        for number in range(self.columns):
            starts, ends = self.column(number)
            edges += [starts[rows] - self.base, ends[rows] - self.base]
        lines = rows if self.lines is None else self.lines[rows]
        return replace(self, edges=np.stack(edges, axis=1), separators=False, lines=lines)


def split_fields(chunk: Chunk, columns: int, expected: str, more: bool = False) -> Fields:
    """Return where the columns of a chunk's lines are.

    columns   how many a line should have
    expected  their number and names, for messages
    more      whether a line may have further ones
    """
    text = chunk.array()[chunk.start : chunk.stop]
    fields = _split_regular(chunk, text, columns)
    if fields is not None:
        return fields
    nuls = _NO_POSITIONS
    if chunk.buffer.find(b"\0", chunk.start, chunk.stop) >= 0:
        nuls = np.flatnonzero(text == 0)
    return _split_any(text, chunk.start, columns, expected, more, nuls)


def _split_regular(chunk: Chunk, text: Bytes, columns: int) -> Fields | None:
    """Return the fields of a chunk's text (n,) in the regular way, None if some line is not regular.

    All bytes of at most 32, the number of the blank, are separators.  Of the lines b"1 0 d1 1" and
    b"1 0 d2 0" these are at 1, 3, 6, 8 and 10, 12, 15, 17, a row for each line.  The last of each row is a
    newline, and none of them are side by side.
    """
    is_separator = text <= BLANK
    # In half as many bytes the positions are read faster afterwards.
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
    # If blanks and tabs are as many as they should be, and newlines are where they should be, all separators
    # are these: no other control character is among them.  The memory of `is_separator` is used again.
    num_blanks = np.count_nonzero(np.equal(text, BLANK, out=is_separator))
    if num_blanks != num_lines * (columns - 1):
        num_blanks += np.count_nonzero(np.equal(text, TAB, out=is_separator))
    if num_blanks != num_lines * (columns - 1):
        return None
    newlines = separators[width - 1 :: width].astype(np.int64)
    if (text[newlines] != NEWLINE).any() or (has_returns and (text[newlines - 1] != RETURN).any()):
        return None
    # Most files have no # at all, which is seen faster than what each line begins with.
    has_hash = chunk.buffer.find(b"#", chunk.start, chunk.stop) >= 0
    if has_hash and (text[newlines[:-1] + 1] == HASH).any():
        return None
    return Fields(separators.reshape(num_lines, width), chunk.start, columns, num_lines, separators=True)


def _split_any(text: Bytes, base: int, columns: int, expected: str, more: bool, nuls: IntArray) -> Fields:
    r"""Return the fields of any text (n,), for the other arguments of `split_fields`.

    base  where the text begins in the chunk's buffer
    nuls  (z,) positions of its NUL bytes

    Of b" 1  0 d1 1\n" the tokens begin and end at 1, 2, 4, 5, 6, 8, 9, 10: pairs of edges.  The newline is at
    10, and 4 pairs end up to there: these are the line's columns.
    """
    edges = _edges(text)
    newlines = np.flatnonzero(text == NEWLINE)
    edges_up_to_newline = np.searchsorted(edges, newlines, side="right")
    tokens_before = np.concatenate(([0], edges_up_to_newline >> 1))
    num_columns = np.diff(tokens_before)  # of each line
    tokens = edges.reshape(-1, 2)
    have_right_columns = (num_columns == columns).all()
    if have_right_columns and not len(nuls) and not (text[tokens[::columns, 0]] == HASH).any():
        return Fields(edges.reshape(-1, 2 * columns), base, columns, len(newlines))
    has_tokens = num_columns > 0
    first_tokens = tokens_before[:-1][has_tokens]
    is_comment = np.zeros(len(newlines), np.bool_)
    is_comment[has_tokens] = text[tokens[first_tokens, 0]] == HASH
    # A NUL is a fault in a comment too: such a file is no text.
    has_nul = np.zeros(len(newlines), np.bool_)
    has_nul[np.searchsorted(newlines, nuls)] = True
    is_data = has_tokens & ~is_comment & ~has_nul
    has_too_few = is_data & (num_columns < columns)
    has_more = is_data & (num_columns > columns)
    is_row = is_data & ~has_too_few
    faults = [_wrong_columns("too-few-columns", has_too_few, num_columns, expected)]
    longer = None
    if not more:
        is_row &= ~has_more
        faults.append(_wrong_columns("too-many-columns", has_more, num_columns, expected))
    elif has_more.any():
        longer = _wrong_columns("extra-columns", has_more, num_columns, expected)
    faults.append(Faults("nul-byte", np.flatnonzero(has_nul), lambda _: "a NUL byte", "text"))
    lines = np.flatnonzero(is_row)
    numbers_of_tokens = tokens_before[lines][:, np.newaxis] + np.arange(columns)
    return Fields(
        edges=tokens[numbers_of_tokens].reshape(len(lines), 2 * columns),
        base=base,
        columns=columns,
        num_lines=len(newlines),
        lines=lines,
        faults=tuple(fault for fault in faults if len(fault.lines)),
        longer=longer,
        blank=int(np.count_nonzero(~has_tokens)),
        comments=int(np.count_nonzero(is_comment)),
    )


def _edges(text: Bytes) -> IntArray:
    r"""Return (e,) where tokens of a text (n,) begin and end, in turn; bytes of C's isspace separate them.

    Of b"ab c\n" they are 0, 2, 3 and 4.
    """
    is_space = np.empty(len(text) + 1, np.bool_)
    is_space[0] = True  # as if a blank came before the text
    np.equal(text, BLANK, out=is_space[1:])
    # Tab, line feed, vertical tab, form feed, carriage return: smaller bytes become large ones here.
    is_space[1:] |= (text - TAB) < 5
    return np.flatnonzero(is_space[1:] != is_space[:-1])


def _wrong_columns(kind: str, is_wrong: BoolArray, num_columns: IntArray, expected: str) -> Faults:
    """Return the faults of lines with a wrong number of columns.

    is_wrong     (L,) which lines
    num_columns  (L,) how many columns each line has
    """
    counts = num_columns[is_wrong].tolist()
    return Faults(kind, np.flatnonzero(is_wrong), lambda i: plural(counts[i], "column"), expected)
