"""Columns of numbers and ids that grow at their ends, so that each part can be freed once it is added."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.types import AnyArray, IntArray

Value = TypeVar("Value")

SHORT_COLUMN_ROWS = 1 << 12
"""Rows for which a column has room once it has grown, if it needs no more."""

LONG_COLUMN_BYTES = 1 << 20
"""Bytes from which on a column counts as long."""

RESERVED_BYTES = 64 << 20
"""Bytes for which a long column reserves addresses; the system gives memory only where these are filled."""


class _Numbers:
    """A column of numbers that grows in place.

    values  (N,) all numbers so far: the beginning of an array that has room for more
    """

    def __init__(self, values: AnyArray) -> None:
        self._room = values
        self.values = values

    def append(self, values: AnyArray) -> None:
        """Add (n,) values at the end; the type becomes one that holds these, too."""
        if not len(values):
            return  # nothing to write, and an array that has not grown may be read-only
        num_before = len(self.values)
        length = num_before + len(values)
        dtype = np.promote_types(self._room.dtype, values.dtype)
        if length > len(self._room) or dtype != self._room.dtype:
            self._make_room(length, dtype)
        self._room[num_before:length] = values
        self.values = self._room[:length]

    def _make_room(self, length: int, dtype: np.dtype[Any]) -> None:
        """Move the values to an array of this type with room for twice this length."""
        num_rows = max(2 * length, SHORT_COLUMN_ROWS)
        if length * dtype.itemsize >= LONG_COLUMN_BYTES:
            num_rows = max(num_rows, RESERVED_BYTES // dtype.itemsize)
        self._room = np.empty(num_rows, dtype)
        self._room[: len(self.values)] = self.values


class _GrowingIds:
    """A column of ids that grows in the same way.

    Ids are columns of words: eight bytes of each id, padded with NULs.  Each column of words grows by itself.
    The few ids that are longer than the columns of their part are put in their rows when `values` is read.
    """

    def __init__(self, ids: Ids) -> None:
        self._columns = [_Numbers(words) for words in ids.columns]
        self._length = len(ids)
        self._long_rows = [ids.long_rows]
        self._long_texts = list(ids.long_texts)

    def append(self, ids: Ids) -> None:
        """Add (n,) ids."""
        while len(self._columns) < len(ids.columns):  # all ids so far are shorter: padded with NULs
            self._columns.append(_Numbers(np.zeros(self._length, np.uint64)))
        for number, column in enumerate(self._columns):
            column.append(ids.word(number))
        self._long_rows.append(ids.long_rows + self._length)
        self._long_texts += ids.long_texts
        self._length += len(ids)

    @property
    def values(self) -> Ids:
        """Return (N,) all ids."""
        words = [column.values for column in self._columns]
        return Ids.with_long(words, np.concatenate(self._long_rows), self._long_texts)


class GrowingColumns:
    """Columns of numbers and ids that grow at their ends; none before anything was added.

    Columns may have different lengths, such as groups and their rows; its length is that of the last column.
    """

    def __init__(self) -> None:
        self._columns: list[Any] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, *columns: Any) -> None:
        """Add an array, or Ids, at the end of each column."""
        if not self._columns:
            for values in columns:
                self._columns.append(_GrowingIds(values) if isinstance(values, Ids) else _Numbers(values))
        else:
            for column, values in zip(self._columns, columns, strict=True):
                column.append(values)
        self._length += len(columns[-1])

    def release(self) -> list[Any]:
        """Return all columns, arrays or Ids, and be empty again."""
        columns = [column.values for column in self._columns]
        self._columns = []
        self._length = 0
        return columns


def narrow(values: IntArray) -> AnyArray:
    """Return whole numbers (n,) in 1 byte each if all of them fit, else in 4 if they do, or as they are."""
    least, largest = int(values.min(initial=0)), int(values.max(initial=0))
    for dtype in (np.int8, np.int32):
        limits = np.iinfo(dtype)
        if limits.min <= least and largest <= limits.max:
            return values.astype(dtype)
    return values


def read_only(value: Value) -> Value:
    """Make an array, or a tuple of arrays, such that nobody can change it any more, and return it."""
    arrays: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    for array in arrays:
        array.flags.writeable = False
    return value
