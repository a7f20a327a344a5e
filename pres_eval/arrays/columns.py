"""Columns of ids and numbers: ids as words, cut loose from their text, or in it; and columns that grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar, overload

import numpy as np

from pres_eval.arrays.ids import (
    AT_ONCE,
    EVERYWHERE,
    PADDING,
    WORD,
    Ids,
    add_mixed,
    equal,
    num_bytes,
    odd_numbers,
)
from pres_eval.arrays.stretches import Stretches
from pres_eval.arrays.types import AnyArray, BoolArray, IntArray, Words
from pres_eval.records import dataclass

Value = TypeVar("Value")

_ALWAYS = 2
"""Words that WordIds have room for whatever the mean is."""

SHORT, LONG = 1 << 12, 1 << 20
RESERVED = 64 << 20
"""Bytes for which a column reserves addresses once it has LONG ones; memory is taken where it is filled."""

_NO_ROWS = np.zeros(0, np.int64)
_NO_LONG_IDS = Ids.of([])


class WordIds(Sequence[bytes]):
    """Ids cut loose from their buffer: column j holds the j-th word of every id.

    So that a few long ids among many short ones don't take room for all, ids that need far more words than
    the mean have only their beginning in the columns, and are whole in `long_ids`; so do all if most are
    very long.

    columns    (N,) words, padded with NULs
    long_rows  rows of the ids that are longer than the columns, ascending
    long_ids   these ids
    """

    def __init__(
        self, columns: list[Words], long_rows: IntArray = _NO_ROWS, long_ids: Ids = _NO_LONG_IDS
    ) -> None:
        self.columns = columns
        self.long_rows = long_rows
        self.long_ids = long_ids

    @classmethod
    def of(cls, ids: Ids) -> WordIds:
        """Return a copy of ids in a buffer."""
        width = max(ids.width(), 1)
        if width <= _ALWAYS:
            return cls([ids.word(number) for number in range(width)])
        mean = int(ids.lengths.sum()) // (WORD * len(ids))
        width = min(width, _ALWAYS + 2 * mean if mean < EVERYWHERE else _ALWAYS)
        rows = np.flatnonzero(ids.lengths > WORD * width)
        return cls([ids.word(number) for number in range(width)], rows, ids.take(rows).copied())

    @classmethod
    def concatenate(cls, parts: Sequence[WordIds]) -> WordIds:
        """Return all ids of the parts."""
        if len(parts) == 1:
            return parts[0]
        width = max(len(part.columns) for part in parts)
        columns = [np.concatenate([part.word(number) for part in parts]) for number in range(width)]
        starts = np.cumsum([0, *map(len, parts)])
        rows = [part.long_rows + start for part, start in zip(parts, starts.tolist(), strict=False)]
        return cls(columns, *_joined_long_ids(rows, [part.long_ids for part in parts]))

    def word(self, number: int) -> Words:
        """Return (N,) the number-th word of every id; 0 behind the last column."""
        return self.columns[number] if number < len(self.columns) else np.zeros(len(self), np.uint64)

    def hashes(self, seed: int = 0) -> Words:
        """Return (N,) the same hashes as those of the ids in a buffer."""
        mixed = np.zeros(len(self), np.uint64)
        if len(self) > AT_ONCE:
            for start in range(0, len(self), AT_ONCE):
                mixed[start : start + AT_ONCE] = self.pick(slice(start, start + AT_ONCE)).hashes(seed)
            return mixed
        multipliers = odd_numbers(seed, max(EVERYWHERE, 1 << (len(self.columns) - 1).bit_length()))
        np.multiply(self.columns[0], multipliers[0], out=mixed)
        for number, column in enumerate(self.columns[1:], 1):
            add_mixed(mixed, column, multipliers[number])
        if len(self.long_rows):
            mixed[self.long_rows] = self.long_ids.hashes(seed)
        return mixed

    def pick(self, rows: IntArray | slice | Stretches) -> WordIds:
        """Return the ids of some rows (n,); of a slice no copy is made."""
        columns = [
            rows.of(column) if isinstance(rows, Stretches) else column[rows] for column in self.columns
        ]
        if not len(self.long_rows):
            return WordIds(columns)
        places, which = self._long_among(rows)
        return WordIds(columns, places, self.long_ids.take(which))

    def take(self, rows: IntArray | slice) -> Ids:
        """Return the ids of some rows (n,), in a buffer."""
        width = len(self.columns)
        columns = [column[rows] for column in self.columns]
        matrix = np.zeros((len(columns[0]) + 2, width), "<u8")
        lengths = np.zeros(len(columns[0]), np.int64)
        for number, column in enumerate(columns):
            matrix[:-2, number] = column
            lengths += num_bytes(column)  # all words before the last are full
        buffer = matrix.view(np.uint8).reshape(-1)
        # Read only: of a slice they are the words of these ids, too.
        first_words = None if len(self.long_rows) else read_only(columns[0])
        ids = Ids(buffer, np.arange(len(lengths), dtype=np.int64) * (WORD * width), lengths, first_words)
        if len(self.long_rows):
            places, which = self._long_among(rows)
            if len(places) == len(ids):
                return self.long_ids.take(which)
            long_ids = self.long_ids.take(which).copied()
            ids.starts[places], ids.lengths[places] = long_ids.starts + len(buffer), long_ids.lengths
            ids.buffer = np.concatenate((buffer, long_ids.buffer))
        return ids

    def equal(self, rows: IntArray, others: WordIds, other_rows: IntArray) -> BoolArray:
        """Return (n,) whether the id at rows[i] is the same text as that at other_rows[i] of the others."""
        same = np.ones(len(rows), np.bool_)
        for number in range(max(len(self.columns), len(others.columns))):
            same &= self.word(number)[rows] == others.word(number)[other_rows]
        if len(self.long_rows) or len(others.long_rows):
            places = np.union1d(self._long_among(rows)[0], others._long_among(other_rows)[0])
            same[places] = equal(self.take(rows[places]), others.take(other_rows[places]))
        return same

    def compare(self, rows: IntArray, others: IntArray) -> tuple[BoolArray, BoolArray]:
        """Return (n,) whether the id at rows[i] is after that at others[i] in byte order, and (n,) if equal.

        The columns must hold all ids whole.
        """
        assert not len(self.long_rows)
        after, same = np.zeros(len(rows), np.bool_), np.ones(len(rows), np.bool_)
        for column in self.columns:
            # As big-endian numbers words compare like their text.
            mine, theirs = column[rows].byteswap(), column[others].byteswap()
            after |= same & (mine > theirs)
            same &= mine == theirs
        return after, same

    def _long_among(self, rows: IntArray | slice | Stretches) -> tuple[IntArray, IntArray]:
        """Return (n,) where in a choice of rows long ids are, and (n,) which of the long ones."""
        if not len(self.long_rows):
            return _NO_ROWS, _NO_ROWS
        if isinstance(rows, Stretches):
            rows = rows.rows()
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            first, last = np.searchsorted(self.long_rows, (start, stop)).tolist()
            return self.long_rows[first:last] - start, np.arange(first, last)
        which = np.minimum(np.searchsorted(self.long_rows, rows), len(self.long_rows) - 1)
        places = np.flatnonzero(self.long_rows[which] == rows)
        return places, which[places]

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.take(slice(None)))

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> WordIds: ...
    def __getitem__(self, index: int | slice) -> bytes | WordIds:
        return self.pick(index) if isinstance(index, slice) else self.take(np.array([index]))[0]


NO_IDS = WordIds([np.zeros(0, np.uint64)])


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of ids that are still in the buffer; picking copies them."""

    ids: Ids

    def __len__(self) -> int:
        return len(self.ids)

    def pick(self, rows: IntArray | slice, /) -> WordIds:
        """Return the ids of some rows (n,)."""
        return WordIds.of(self.ids.take(rows))


def _joined_long_ids(rows: Sequence[IntArray], ids: Sequence[Ids]) -> tuple[IntArray, Ids]:
    """Return the rows (L,) of the long ids of several parts, and these ids in one buffer."""
    lengths = np.concatenate([part.lengths for part in ids])
    text = np.frombuffer(b"".join((*chain.from_iterable(ids), bytes(PADDING))), np.uint8)
    return np.concatenate(rows), Ids(text, np.cumsum(lengths) - lengths, lengths)


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
            room = max(2 * length, SHORT)
            if length * dtype.itemsize >= LONG:
                room = max(room, RESERVED // dtype.itemsize)
            self._room = np.empty(room, dtype)
            self._room[:before] = self.values
        self._room[before:length] = values
        self.values = self._room[:length]


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

    @property
    def values(self) -> WordIds:
        """Return (N,) all ids."""
        columns = [column.values for column in self._columns]
        return WordIds(columns, *_joined_long_ids(self._long_rows, self._long_ids))


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
