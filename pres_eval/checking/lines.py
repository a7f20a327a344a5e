"""The lines of a chunk, split without stopping at a fault: what is malformed is left out and told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pres_eval.arrays.ids import Ids, WordIds
from pres_eval.arrays.types import Bytes, IntArray
from pres_eval.checking.findings import Example, FileReport, plural
from pres_eval.reading.source import BYTE_ORDER_MARK, Chunk, Source
from pres_eval.reading.tokens import HASH, NEWLINE, LineError, is_space, split_fields

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows of a chunk, and what its other lines are.

    size          R
    place         gives where a column begins and ends in the chunk's buffer
    regular       whether there is nothing but single separators between the columns
    lines         (R,) line of each row, counted from 0; None where row i is line i
    few, many     lines with too few and too many columns, with how many they have
    nul           lines with a NUL byte
    not_utf8      lines that are no UTF-8
    """

    size: int
    place: Callable[[int], tuple[IntArray, IntArray]]
    regular: bool
    num_lines: int
    lines: IntArray | None = None
    few: IntArray = field(default_factory=lambda: _NONE)
    few_counts: IntArray = field(default_factory=lambda: _NONE)
    many: IntArray = field(default_factory=lambda: _NONE)
    many_counts: IntArray = field(default_factory=lambda: _NONE)
    nul: IntArray = field(default_factory=lambda: _NONE)
    blank: int = 0
    comments: int = 0

    def __len__(self) -> int:
        return self.size

    def column(self, buffer: Bytes, number: int, rows: IntArray | None = None) -> Ids:
        """One column as ids; of all rows if none are named."""
        starts, ends = self.place(number)
        ids = Ids(buffer, starts, ends - starts)
        return ids if rows is None else ids.take(rows)

    def line_of(self, rows: IntArray) -> IntArray:
        """The lines of rows, counted from 0."""
        return rows if self.lines is None else self.lines[rows]


def split_all(chunk: Chunk, columns: int, keep_longer: bool) -> Lines:
    """The rows of a chunk; lines with more columns are rows as well if `keep_longer`."""
    try:
        fields = split_fields(chunk, columns, "")
    except LineError:
        return _split_faulty(chunk, columns, keep_longer)
    if fields.lines is not None:
        return _split_faulty(chunk, columns, keep_longer)
    return Lines(len(fields), fields.column, fields.separators, fields.num_lines)


def _split_faulty(chunk: Chunk, columns: int, keep_longer: bool) -> Lines:
    text = chunk.array()[chunk.start : chunk.stop]
    space = np.concatenate(([True], is_space(text)))
    edges = np.flatnonzero(space[1:] != space[:-1])
    starts, ends = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(text == NEWLINE)
    bounds = np.concatenate(([0], np.searchsorted(starts, newlines)))
    counts = np.diff(bounds)
    has_nul = np.zeros(len(newlines), np.bool_)
    has_nul[np.searchsorted(newlines, np.flatnonzero(text == 0))] = True
    filled = counts > 0
    comment = np.zeros(len(newlines), np.bool_)
    comment[filled] = text[starts[bounds[:-1][filled]]] == HASH
    data = filled & ~comment
    few = data & ~has_nul & (counts < columns)
    many = data & ~has_nul & (counts > columns)
    rows = np.flatnonzero(data & ~has_nul & ~few & (keep_longer | ~many))
    chosen = bounds[rows][:, None] + np.arange(columns)
    columns_of = np.ascontiguousarray(chosen.T)
    return Lines(
        len(rows),
        lambda number: (starts[columns_of[number]] + chunk.start, ends[columns_of[number]] + chunk.start),
        False,
        len(newlines),
        rows,
        np.flatnonzero(few),
        counts[few],
        np.flatnonzero(many),
        counts[many],
        np.flatnonzero(data & has_nul),
        int(np.count_nonzero(~filled)),
        int(np.count_nonzero(comment)),
    )


def tell_lines(report: FileReport, chunk: Chunk, lines: Lines, expected: str, longer: str) -> None:
    """Count what the bytes and the malformed lines of a chunk tell; `longer` is the kind of long lines.

    Examples have the line in the chunk, from 1: `FileReport.merge` moves them.
    """
    if chunk.buffer.startswith(BYTE_ORDER_MARK, chunk.start - len(BYTE_ORDER_MARK)):
        report.add("byte-order-mark", 1, "", [Example(1, "EF BB BF before the first id")])
    has_returns = chunk.buffer.find(b"\r", chunk.start, chunk.stop) >= 0
    returns = chunk.buffer.count(b"\r\n", chunk.start, chunk.stop) if has_returns else 0
    report.add("crlf", returns)
    report.counts["bytes", "tabs"] = int(chunk.buffer.find(b"\t", chunk.start, chunk.stop) >= 0)
    report.counts["bytes", "uneven"] = not lines.regular
    bad = _lines_not_utf8(bytes(memoryview(chunk.buffer)[chunk.start : chunk.stop]))
    report.add("not-utf-8", len(bad), "", (Example(line + 1, "not UTF-8") for line in bad.tolist()))
    report.add(
        "too-few-columns", len(lines.few), f"expected {expected}", _columns(lines.few, lines.few_counts)
    )
    report.add(longer, len(lines.many), f"expected {expected}", _columns(lines.many, lines.many_counts))
    report.add(
        "nul-byte", len(lines.nul), "", (Example(line + 1, "a NUL byte") for line in lines.nul.tolist())
    )
    report.add("blank-lines", lines.blank)
    report.add("comments", lines.comments)


def _columns(lines: IntArray, counts: IntArray) -> Iterator[Example]:
    for line, count in zip(lines, counts, strict=True):
        yield Example(int(line) + 1, plural(int(count), "column"))


def _lines_not_utf8(text: bytes) -> IntArray:
    if text.isascii():
        return _NONE
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        characters = np.frombuffer(
            text.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass"), "<u4"
        )
        wrong = np.flatnonzero((characters >= 0xDC80) & (characters <= 0xDCFF))
        return np.unique(np.searchsorted(np.flatnonzero(characters == NEWLINE), wrong))
    return _NONE


def texts_at(source: Source, columns: int, number: int, wanted: IntArray) -> WordIds | None:
    """One column of the lines `wanted` (ascending, counted from 0), in a further pass over the file."""
    parts: list[WordIds] = []
    before = 0
    for chunk in source.chunks():
        lines = split_all(chunk, columns, keep_longer=True)
        here = (
            wanted[np.searchsorted(wanted, before) : np.searchsorted(wanted, before + lines.num_lines)]
            - before
        )
        if len(here):
            rows = here if lines.lines is None else np.searchsorted(lines.lines, here)
            parts.append(WordIds.of(lines.column(chunk.array(), number, rows)))
        before += lines.num_lines
        source.give_back(chunk)
    return WordIds.concatenate(parts) if parts else None


def some(texts: Iterable[str], most: int) -> str:
    """The first few of some texts, for a message."""
    listed = list(texts)
    return ", ".join(listed[:most]) + (" ..." if len(listed) > most else "")
