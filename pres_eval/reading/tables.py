"""Whole files of lines with columns, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import PADDING, Ids
from pres_eval.arrays.types import Bytes, IntArray
from pres_eval.reading.lines import Layout, Lines, in_parts, no_lines
from pres_eval.reading.source import Source


@dataclass(frozen=True, eq=False)
class FileTable:
    """A whole file: its bytes, and where the columns of its R rows are in them.

    starts, ends  (R, columns) places in `buffer`
    lines         (R,) line numbers in the file, from 1
    numbers       (R,) the column of numbers, empty if there is none
    """

    name: str
    buffer: Bytes
    starts: IntArray
    ends: IntArray
    lines: IntArray
    numbers: NDArray[Any]

    def column(self, number: int) -> Ids:
        """One column as ids."""
        starts = np.ascontiguousarray(self.starts[:, number])
        return Ids(self.buffer, starts, self.ends[:, number] - starts)

    def text(self, row: int, number: int) -> bytes:
        """One field."""
        return self.buffer[self.starts[row, number] : self.ends[row, number]].tobytes()

    def __len__(self) -> int:
        return len(self.starts)


def read_table(source: Source, layout: Layout) -> FileTable:
    """Read a whole file of lines with these columns; comments (#) and blank lines are left out.

    Raises InputError for the first line with another number of columns, or with a number that is none.
    """
    texts: list[bytes] = [bytes(PADDING)]
    parts: list[tuple[IntArray, IntArray, IntArray, NDArray[Any]]] = []
    size = PADDING
    for before, lines in in_parts(source, layout, Lines.checked, source.chunks(), 1):
        chunk = lines.chunk
        places = [lines.fields.column(number) for number in range(layout.width)]
        starts, ends = (np.stack(edges, axis=1) + (size - chunk.start) for edges in zip(*places, strict=True))
        parts.append((starts, ends, lines.line_of(np.arange(len(lines))) + before + 1, lines.numbers))
        texts.append(chunk.text())
        size += chunk.stop - chunk.start
    texts.append(bytes(PADDING))
    starts, ends, numbers, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    if not len(starts):
        raise no_lines(source, layout)
    return FileTable(
        name=source.name,
        buffer=np.frombuffer(b"".join(texts), np.uint8),
        starts=starts,
        ends=ends,
        lines=numbers,
        numbers=values,
    )
