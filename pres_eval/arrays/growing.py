"""Columns that grow while a file is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from pres_eval.arrays.ids import PADDING, Ids
from pres_eval.arrays.types import AnyArray, IntArray
from pres_eval.arrays.word_ids import WordIds

SHORT = 1 << 12
LONG = 1 << 20
RESERVED = 64 << 20
"""Bytes for which an array reserves addresses once it is long; memory is taken where it is filled."""


class Growing:
    """An array that grows at its end, seldom copied.

    Whole numbers are kept in as few bytes as the largest of them needs, if `dtype` is one of theirs.
    """

    def __init__(self, dtype: Any) -> None:
        self._values: AnyArray = np.empty(SHORT, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, values: AnyArray) -> None:
        """Add (n,) values at the end."""
        stop = self._length + len(values)
        dtype = np.promote_types(self._values.dtype, values.dtype)
        if stop > len(self._values) or dtype != self._values.dtype:
            old, size = self.values(), len(self._values)
            if stop > size:
                size = 2 * stop
                if size * dtype.itemsize >= LONG:
                    size = max(size, RESERVED // dtype.itemsize)
            self._values = np.empty(size, dtype)
            self._values[: self._length] = old
        self._values[self._length : stop] = values
        self._length = stop

    def values(self) -> AnyArray:
        """Return (N,) all values."""
        return self._values[: self._length]


class GrowingIds:
    """Ids that grow at their end."""

    def __init__(self) -> None:
        self._columns: list[Growing] = [Growing(np.uint64)]
        self._long_rows, self._long_lengths = Growing(np.int64), Growing(np.int64)
        self._long_text = Growing(np.uint8)

    def __len__(self) -> int:
        return len(self._columns[0])

    def append(self, ids: WordIds) -> None:
        """Add ids at the end."""
        before = len(self)
        for number, values in enumerate(ids.columns):
            if number == len(self._columns):
                self._columns.append(Growing(np.uint64))
                self._columns[number].append(np.zeros(before, np.uint64))
            self._columns[number].append(values)
        for column in self._columns[len(ids.columns) :]:
            column.append(np.zeros(len(ids), np.uint64))
        if len(ids.long_rows):
            self._long_rows.append(ids.long_rows + before)
            self._long_lengths.append(ids.long_ids.lengths)
            self._long_text.append(np.frombuffer(b"".join(ids.long_ids), np.uint8))

    def values(self) -> WordIds:
        """Return all ids."""
        columns = [column.values() for column in self._columns]
        lengths = self._long_lengths.values()
        text = np.concatenate((self._long_text.values(), np.zeros(PADDING, np.uint8)))
        return WordIds(columns, self._long_rows.values(), Ids(text, np.cumsum(lengths) - lengths, lengths))


class GrowingColumns:
    """Columns of numbers and ids that grow at their ends; none before anything was added."""

    def __init__(self) -> None:
        self._columns: list[Growing | GrowingIds] = []

    def __len__(self) -> int:
        return len(self._columns[-1]) if self._columns else 0

    def append(self, *columns: Any) -> None:
        """Add arrays or WordIds (n,) at the ends of the columns."""
        if not self._columns:
            self._columns = [
                GrowingIds() if isinstance(column, WordIds) else Growing(column.dtype) for column in columns
            ]
        for column, more in zip(self._columns, columns, strict=True):
            column.append(more)

    def values(self) -> list[Any]:
        """Return all columns."""
        return [column.values() for column in self._columns]


def narrow(values: IntArray) -> AnyArray:
    """Return whole numbers (n,) in as few bytes as the largest of them needs."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for dtype in (np.int8, np.int32):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return values.astype(dtype)
    return values
