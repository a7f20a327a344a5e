"""Columns of numbers and ids that grow at their ends, so that parts need no room once they are added."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.types import AnyArray, IntArray

Value = TypeVar("Value")

SHORT_COLUMN_ROWS, LONG_COLUMN_ROWS = 1 << 12, 1 << 20
RESERVED = 64 << 20
"""Bytes for which a column reserves addresses once it has LONG_COLUMN_ROWS rows; memory is taken where it is
filled."""


class _Numbers:
    """A column of numbers that grows in place, so that parts need no room once they are added.

    values  (N,) all of them
    """

    def __init__(self, values: AnyArray) -> None:
        self._room = self.values = values

    def append(self, values: AnyArray) -> None:
        """Add (n,) values; the type becomes one that holds these, too."""
        before = len(self.values)
        length = before + len(values)
        if length == before:
            return  # what came first may be read-only
        dtype = np.promote_types(self._room.dtype, values.dtype)
        if length > len(self._room) or dtype != self._room.dtype:
            room = max(2 * length, SHORT_COLUMN_ROWS)
            if length * dtype.itemsize >= LONG_COLUMN_ROWS:
                room = max(room, RESERVED // dtype.itemsize)
            self._room = np.empty(room, dtype)
            self._room[:before] = self.values
        self._room[before:length] = values
        self.values = self._room[:length]


class _GrowingIds:
    """A column of ids that grows in the same way; the few long ones wait until all are wanted."""

    def __init__(self, ids: Ids) -> None:
        self._columns = [_Numbers(words) for words in ids.columns]
        self._length = len(ids)
        self._long_rows, self._long_texts = [ids.long_rows], list(ids.long_texts)

    def append(self, ids: Ids) -> None:
        """Add (n,) ids."""
        for _ in ids.columns[len(self._columns) :]:
            self._columns.append(_Numbers(np.zeros(self._length, np.uint64)))
        for number, column in enumerate(self._columns):
            column.append(ids.word(number))
        self._long_rows.append(ids.long_rows + self._length)
        self._long_texts += ids.long_texts
        self._length += len(ids)

    @property
    def values(self) -> Ids:
        """Return (N,) all ids."""
        columns = [column.values for column in self._columns]
        return Ids.with_long(columns, np.concatenate(self._long_rows), self._long_texts)


class GrowingColumns:
    """Columns of numbers and ids that grow at their ends; none before anything was added."""

    def __init__(self) -> None:
        self._columns: list[Any] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, *columns: Any) -> None:
        """Add arrays or Ids, the last of them (n,), at the ends of the columns."""
        if self._columns:
            for whole, column in zip(self._columns, columns, strict=True):
                whole.append(column)
        else:
            self._columns = [
                _GrowingIds(column) if isinstance(column, Ids) else _Numbers(column) for column in columns
            ]
        self._length += len(columns[-1])

    def values(self) -> list[Any]:
        """Return all columns, which are no longer kept here."""
        columns, self._columns = self._columns, []
        return [column.values for column in columns]


def narrow(values: IntArray) -> AnyArray:
    """Return whole numbers (n,) in as few bytes as the largest of them needs."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for dtype in (np.int8, np.int32):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return values.astype(dtype)
    return values


def read_only(value: Value) -> Value:
    """Return an array, or several (a tuple), that nobody can change any more."""
    arrays: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    for array in arrays:
        array.flags.writeable = False
    return value
