"""Files of lines with columns: chunk by chunk, or whole as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays.ids import PADDING, Ids
from pres_eval.arrays.types import Bytes, IntArray
from pres_eval.errors import InputError
from pres_eval.reading.source import Chunk, Source
from pres_eval.reading.tokens import Fields, LineError, split_fields


def table_chunks(source: Source, columns: int, layout: str) -> Iterator[tuple[Chunk, Fields, int]]:
    """The chunks of a file with their fields, and the number of lines before each."""
    lines_before = 0
    for chunk in source.chunks():
        try:
            fields = split_fields(chunk, columns, layout)
        except LineError as error:
            raise in_file(error, source.name, lines_before) from None
        yield chunk, fields, lines_before
        lines_before += fields.num_lines


def in_file(error: LineError, name: str, lines_before: int) -> InputError:
    """The error of a line, now that it is known where its chunk stands."""
    return InputError(name, lines_before + error.line + 1, error.found, error.expected)


@dataclass(frozen=True, eq=False)
class Table:
    """A whole file: its bytes, and where the columns of its R rows stand in them.

    starts, ends  (R, columns) places in `buffer`
    lines         (R,) line numbers in the file, from 1
    """

    name: str
    buffer: Bytes
    starts: IntArray
    ends: IntArray
    lines: IntArray

    def column(self, number: int) -> Ids:
        """One column as ids."""
        starts = np.ascontiguousarray(self.starts[:, number])
        return Ids(self.buffer, starts, self.ends[:, number] - starts)

    def text(self, row: int, number: int) -> bytes:
        """One field."""
        return self.buffer[self.starts[row, number] : self.ends[row, number]].tobytes()

    def __len__(self) -> int:
        return len(self.starts)


def read_table(source: Source, columns: int, layout: str) -> Table:
    """Read a whole file of lines with this many columns; `layout` names them for errors.

    Comments (#) and blank lines are left out.  Raises InputError for a line with another number of columns.
    """
    texts: list[bytes] = [bytes(PADDING)]
    parts: list[tuple[IntArray, IntArray, IntArray]] = []
    size = PADDING
    for chunk, fields, lines_before in table_chunks(source, columns, layout):
        moved = size - chunk.start
        lines = np.arange(len(fields)) if fields.lines is None else fields.lines
        parts.append((fields.starts + moved, fields.ends + moved, lines + lines_before + 1))
        texts.append(bytes(memoryview(chunk.buffer)[chunk.start : chunk.stop]))
        size += chunk.stop - chunk.start
        source.give_back(chunk)
    texts.append(bytes(PADDING))
    starts, ends, numbers = (np.concatenate(part) for part in zip(*parts, strict=True))
    if not len(starts):
        raise InputError(source.name, None, "no lines but blank ones and comments", f"lines of {layout}")
    return Table(source.name, np.frombuffer(b"".join(texts), np.uint8), starts, ends, numbers)
