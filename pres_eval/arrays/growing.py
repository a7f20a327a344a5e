"""Columns that grow while a file is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from pres_eval.arrays.types import AnyArray, IntArray
from pres_eval.arrays.word_ids import WordIds, joined_long_ids

SHORT, LONG = 1 << 12, 1 << 20
RESERVED = 64 << 20
"""Bytes for which a column reserves addresses once it has LONG ones; memory is taken where it is filled."""


class _Numbers:
    """A column of numbers that grows in place, so that parts need no room once they are added."""

    def __init__(self, values: AnyArray) -> None:
        self._room = self._values = values

    def append(self, values: AnyArray) -> None:
        """Add (n,) values; the type becomes one that holds these, too."""
        before = len(self._values)
        length = before + len(values)
        if length == before:
            return  # what came first may be read-only
        dtype = np.promote_types(self._room.dtype, values.dtype)
        if length > len(self._room) or dtype != self._room.dtype:
            room = max(2 * length, SHORT)
            if length * dtype.itemsize >= LONG:
                room = max(room, RESERVED // dtype.itemsize)
            self._room = np.empty(room, dtype)
            self._room[:before] = self._values
        self._room[before:length] = values
        self._values = self._room[:length]

    def values(self) -> AnyArray:
        """Return (N,) all values."""
        return self._values


class _Ids:
    """A column of ids that grows in the same way; the few long ones wait until all are wanted."""

    def __init__(self, ids: WordIds) -> None:
        self._columns = [_Numbers(words) for words in ids.columns]
        self._length = len(ids)
        self._long_rows, self._long_ids = [ids.long_rows], [ids.long_ids]

    def append(self, ids: WordIds) -> None:
        """Add (n,) ids."""
        for _ in ids.columns[len(self._columns) :]:
            self._columns.append(_Numbers(np.zeros(self._length, np.uint64)))
        for number, column in enumerate(self._columns):
            column.append(ids.word(number))
        self._long_rows.append(ids.long_rows + self._length)
        self._long_ids.append(ids.long_ids)
        self._length += len(ids)

    def values(self) -> WordIds:
        """Return (N,) all ids."""
        columns = [column.values() for column in self._columns]
        return WordIds(columns, *joined_long_ids(self._long_rows, self._long_ids))


class GrowingColumns:
    """Columns of numbers and ids that grow at their ends; none before anything was added."""

    def __init__(self) -> None:
        self._columns: list[Any] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, *columns: Any) -> None:
        """Add arrays or WordIds, the last of them (n,), at the ends of the columns."""
        if self._columns:
            for whole, column in zip(self._columns, columns, strict=True):
                whole.append(column)
        else:
            self._columns = [
                _Ids(column) if isinstance(column, WordIds) else _Numbers(column) for column in columns
            ]
        self._length += len(columns[-1])

    def values(self) -> list[Any]:
        """Return all columns, which are no longer kept here."""
        columns, self._columns = self._columns, []
        return [column.values() for column in columns]


def narrow(values: IntArray) -> AnyArray:
    """Return whole numbers (n,) in as few bytes as the largest of them needs."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for dtype in (np.int8, np.int32):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return values.astype(dtype)
    return values
