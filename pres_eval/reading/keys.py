"""Ids as integers: words of eight bytes, hashes of them, exact comparison and byte order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from pres_eval.batch import BoolArray, IntArray

Words = NDArray[np.uint64]

WORD = 8
AT_ONCE = 1 << 16
"""Ids that are hashed at a time, so that what is computed on the way stays in the cache."""

_EVERYWHERE = 8
"""Words of an id that are loaded for all rows; further ones only for the rows that are so long."""


def _odd_numbers(seed: int) -> Iterator[int]:
    """An endless, fixed stream of odd 64-bit multipliers (splitmix64)."""
    state = seed << 32
    while True:
        state = (state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        yield (mixed ^ (mixed >> 31)) | 1


def load_pairs(buffer: NDArray[np.uint8], numbers: IntArray) -> tuple[Words, Words]:
    """The numbers[i]-th aligned word of the buffer and the one behind it, little-endian."""
    # numpy takes elements ten times faster where they are aligned, so words that begin anywhere are put
    # together of two; a complex number is the type that fetches both at once.
    pairs = np.ndarray((len(buffer) // WORD - 1,), "<c16", buffer, 0, (WORD,))[numbers]
    words = pairs.view("<u8")
    return words[0::2], words[1::2]


def load_words(buffer: NDArray[np.uint8], starts: IntArray) -> Words:
    """The eight bytes from each place on; 16 bytes from there on must be in the buffer."""
    low, high = load_pairs(buffer, starts >> 3)
    shift = (starts << 3).view(np.uint64) & np.uint64(63)
    word = low >> shift
    np.subtract(np.uint64(64), shift, out=shift)
    word |= high << shift  # numpy shifts everything out where the shift is 64
    return word


def _mask(count: IntArray) -> Words:
    """Keeps the first `count` bytes of a word; all eight for more."""
    # numpy shifts everything out where the shift is 64 or more, which leaves all bits set.
    return (np.uint64(1) << (count.view(np.uint64) << np.uint64(3))) - np.uint64(1)


class Ids(Sequence[bytes]):
    """Ids that stand in a buffer: `buffer[starts[i] : starts[i] + lengths[i]]`.

    The buffer needs 16 bytes behind the last id, and no id has a NUL, so that a word padded with NULs
    stands for one text only.
    """

    def __init__(self, buffer: NDArray[np.uint8], starts: IntArray, lengths: IntArray) -> None:
        self.buffer = buffer
        self.starts = starts
        self.lengths = lengths

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> Ids:
        """Ids from Python's bytes."""
        lengths = np.array([len(text) for text in texts], np.int64)
        starts = np.concatenate(([0], np.cumsum(lengths)))[: len(texts)].astype(np.int64)
        return cls(np.frombuffer(b"".join(texts) + bytes(3 * WORD), np.uint8), starts, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Ids: ...
    def __getitem__(self, index: int | slice) -> bytes | Ids:
        if isinstance(index, slice):
            return Ids(self.buffer, self.starts[index], self.lengths[index])
        start = int(self.starts[index])
        return self.buffer[start : start + int(self.lengths[index])].tobytes()

    def take(self, rows: IntArray | BoolArray) -> Ids:
        """Some of the ids."""
        return Ids(self.buffer, self.starts[rows], self.lengths[rows])

    def width(self) -> int:
        """Words that the longest id takes."""
        return -(-int(self.lengths.max(initial=0)) // WORD)

    def word(self, number: int) -> Words:
        """The number-th word of every id, padded with NULs; 0 where the id is shorter."""
        if number == 0:
            return load_words(self.buffer, self.starts) & _mask(self.lengths)
        left = np.maximum(self.lengths - WORD * number, 0)
        starts = np.minimum(self.starts + WORD * number, len(self.buffer) - 2 * WORD)
        return load_words(self.buffer, starts) & _mask(left)

    def hashes(self, seed: int = 0) -> Words:
        """A hash of every id, good in its upper bits; equal ids have equal hashes wherever they stand."""
        mixed = np.zeros(len(self), np.uint64)
        if len(self) > AT_ONCE:
            for start in range(0, len(self), AT_ONCE):
                mixed[start : start + AT_ONCE] = self[start : start + AT_ONCE].hashes(seed)
            return mixed
        numbers = _odd_numbers(seed)
        for number in range(self.width()):
            multiplier = np.uint64(next(numbers))
            if number < _EVERYWHERE:
                mixed += self.word(number) * multiplier
            else:
                rows = np.flatnonzero(self.lengths > WORD * number)
                mixed[rows] += self.take(rows).word(number) * multiplier
        return mixed


class WordIds:
    """Ids cut loose from their buffer: column j holds the j-th word of every id."""

    def __init__(self, columns: list[Words]) -> None:
        self.columns = columns

    @classmethod
    def of(cls, ids: Ids) -> WordIds:
        """A copy of ids in a buffer."""
        return cls([ids.word(number) for number in range(max(ids.width(), 1))])

    @classmethod
    def concatenate(cls, parts: Sequence[WordIds]) -> WordIds:
        """All ids of the parts."""
        columns = []
        for number in range(max(len(part.columns) for part in parts)):
            column = []
            for part in parts:
                if number < len(part.columns):
                    column.append(part.columns[number])
                else:
                    column.append(np.zeros(len(part.columns[0]), np.uint64))
            columns.append(np.concatenate(column))
        return cls(columns)

    def pick(self, rows: IntArray | slice) -> PickedIds:
        """Some rows, without a copy of their text."""
        return PickedIds(self, rows)

    def num_distinct(self) -> int:
        """How many different ids there are."""
        if len(self.columns) > 1:
            return len(distinct(self.ids(slice(None)))[0])
        in_order = np.sort(self.columns[0])
        return int(np.count_nonzero(in_order[1:] != in_order[:-1])) + min(len(in_order), 1)

    def ids(self, rows: IntArray | slice) -> Ids:
        """Some of the ids, in a new buffer."""
        width = len(self.columns)
        matrix = np.zeros((len(self.columns[0][rows]) + 2, width), "<u8")
        for number, column in enumerate(self.columns):
            matrix[:-2, number] = column[rows]
        buffer = matrix.view(np.uint8).reshape(-1)
        starts = np.arange(len(matrix) - 2, dtype=np.int64) * (WORD * width)
        filled = matrix[:-2].view(np.uint8).reshape(-1, WORD * width) != 0
        return Ids(buffer, starts, np.count_nonzero(filled, axis=1).astype(np.int64))

    def __len__(self) -> int:
        return len(self.columns[0])


class PickedIds:
    """Some rows of ids cut loose, of which only a few will be looked at."""

    def __init__(self, ids: WordIds, rows: IntArray | slice) -> None:
        self._ids = ids
        self._rows = rows

    def hashes(self, seed: int) -> Words:
        """The same hashes as those of the ids in a buffer."""
        mixed = np.zeros(1, np.uint64)
        for column, multiplier in zip(self._ids.columns, _odd_numbers(seed), strict=False):
            mixed = mixed + column[self._rows] * np.uint64(multiplier)
        return mixed

    def take(self, rows: IntArray) -> Ids:
        """Some of the ids."""
        start = self._rows.start if isinstance(self._rows, slice) else None
        return self._ids.ids(rows + start if start is not None else self._rows[rows])  # type: ignore[index]

    def __getitem__(self, index: int) -> bytes:
        return self.take(np.array([index]))[0]


def equal(some: Ids, others: Ids) -> BoolArray:
    """Whether some[i] is the same text as others[i]."""
    same: BoolArray = some.lengths == others.lengths
    for number in range(min(some.width(), others.width())):
        rows = np.flatnonzero(same)
        same[rows] = some.take(rows).word(number) == others.take(rows).word(number)
    return same


def byte_order(ids: Ids, group: IntArray | None = None) -> IntArray:
    """The permutation that sorts the ids as strcmp does, inside of groups if these are given."""
    keys = []
    for number in range(ids.width()):
        word = ids.word(number).byteswap()  # as big-endian numbers words compare like their text
        if len(word) and (word != word[0]).any():
            keys.append(word)
    if group is not None:
        keys.insert(0, group.view(np.uint64))
    if not keys:
        return np.arange(len(ids))
    if len(keys) == 1:
        return np.argsort(keys[0], kind="stable")
    return np.lexsort(keys[::-1])


def has_equal(numbers: NDArray[np.generic]) -> bool:
    """Whether a number stands twice."""
    # np.unique would do, but to make sure that its argument has no mask it imports numpy.ma: 15 ms.
    in_order = np.sort(numbers)
    return bool((in_order[1:] == in_order[:-1]).any())


def changes(ids: Ids) -> IntArray:
    """The rows at which a text stands that differs from that of the row before; row 0 is one."""
    if not len(ids):
        return np.zeros(0, np.int64)
    differs = ids.lengths[1:] != ids.lengths[:-1]
    for number in range(ids.width()):
        word = ids.word(number)
        differs |= word[1:] != word[:-1]
    return np.concatenate(([0], np.flatnonzero(differs) + 1))


def distinct(ids: Ids) -> tuple[Ids, IntArray]:
    """The distinct ids in byte order, and the index of each id in them."""
    order = byte_order(ids)
    in_order = ids.take(order)
    new = np.zeros(len(ids), np.bool_)
    new[changes(in_order)] = True
    index = np.empty(len(ids), np.int64)
    index[order] = np.cumsum(new) - 1
    return in_order.take(new), index
