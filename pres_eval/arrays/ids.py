"""Ids as words: column j holds the j-th eight bytes of every id, padded with NULs.

So ids are compared, hashed and sorted as numbers, many at a time.  b"d10" is the one word 0x303164: its first
byte is the lowest.  No id has a NUL, so that a word is the word of one text only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import overload

import numpy as np

from pres_eval.arrays.stretches import Stretches
from pres_eval.arrays.types import AnyArray, BoolArray, Bytes, IntArray, Words

WORD = 8
PADDING = 64
"""Spare bytes on either side of a text in a buffer, so that whole words can be loaded at its ends."""

MOST_WORDS = 128
"""Columns for the first 1,024 bytes of ids: longer ids are kept aside."""

_LEAST_COLUMNS = 2
"""Columns that ids have if one of them is so long, however short the others are."""

_PROCESS = int.from_bytes(os.urandom(WORD), "little")
"""Differs from process to process: nobody can make ids that collide.  No result depends on it."""

EVERY_PROCESS = 2**64
"""Seeds from here on give the same hashes in every process; 64 bits of them should be drawn at random."""

_SORTED_COLUMNS = 64
"""Columns by which ids are sorted in arrays; the few that agree in all of these are sorted one by one."""

_LONG_AT_ONCE = 1 << 10
"""Long ids that are hashed at a time: a megabyte."""

_NO_ROWS = np.zeros(0, np.int64)

MASKS = np.array([(1 << (8 * count)) - 1 for count in range(WORD + 1)], np.uint64)
"""The i-th mask keeps the first i bytes of a word; with mode="clip", all eight for larger i."""


@cache
def odd_numbers(seed: int, count: int) -> Words:
    """Return (count,) the first of an endless stream of odd 64-bit multipliers (splitmix64)."""
    begin = np.uint64((_PROCESS + (seed << 32) if seed < EVERY_PROCESS else seed) % 2**64)
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + begin
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


def _mix(words: Words, multipliers: np.uint64 | Words) -> Words:
    """Return what later words (n,) of ids add to hashes (n,); a word of NULs adds nothing."""
    # A plain sum of products would never tell ids apart that differ in the highest bits of two words:
    # 2^63 times any odd number is 2^63 again, and twice that is 0.
    products = words * multipliers
    products ^= products >> np.uint64(32)
    products *= multipliers
    return products


def load_pairs(buffer: Bytes, numbers: IntArray) -> tuple[Words, Words]:
    """Return the numbers[i]-th words (n,) of the buffer (bytes,), little-endian, and the next ones (n,)."""
    # numpy takes elements ten times faster where they are aligned, so words that begin anywhere are put
    # together of two; a complex number is the type that fetches both at once.
    pairs: AnyArray = np.ndarray((len(buffer) // WORD - 1,), "<c16", buffer, 0, (WORD,))[numbers]
    words = pairs.view("<u8")
    return words[0::2], words[1::2]


def load_words(buffer: Bytes, starts: IntArray) -> Words:
    """Return the eight bytes (n,) from each place on; the buffer (bytes,) must have 16 from there on."""
    low, high = load_pairs(buffer, starts >> 3)
    shift = (starts << 3).view(np.uint64) & np.uint64(63)
    word = low >> shift
    np.subtract(np.uint64(64), shift, out=shift)
    word |= high << shift  # numpy shifts everything out where the shift is 64
    return word


def num_bytes(words: Words) -> IntArray:
    """Return (n,) the bytes of words (n,) up to the last that is not NUL, in the order of a text."""
    # No number is rounded up to the next power of two without the second of two bits in a row.
    return np.frexp((words & ~(words >> np.uint64(1))).astype(np.float64))[1] + 7 >> 3


class Ids(Sequence[bytes]):
    """N ids.

    So that a few long ids among many short ones don't take room for all, ids that need far more words than
    the mean, or more than MOST_WORDS, have only their beginning in the columns and are kept whole aside.

    columns     (N,) words each, at least one column
    long_rows   (L,) rows of the ids that are longer than the columns, ascending
    long_texts  L whole ids
    """

    def __init__(
        self,
        columns: Sequence[Words],
        long_rows: IntArray = _NO_ROWS,
        long_texts: Sequence[bytes] = (),
    ) -> None:
        self.columns = tuple(columns)
        self.long_rows = long_rows
        self.long_texts = long_texts

    @classmethod
    def from_buffer(cls, buffer: Bytes, starts: IntArray, ends: IntArray) -> Ids:
        """Return the ids (N,) buffer[starts[i]:ends[i]]; the buffer has 16 bytes behind the last one."""
        lengths = ends - starts
        columns = [_column(buffer, starts, lengths, number) for number in range(_num_columns(lengths))]
        long_rows = np.flatnonzero(lengths > WORD * len(columns))
        spans = zip(starts[long_rows].tolist(), ends[long_rows].tolist(), strict=True)
        return cls(columns, long_rows, [buffer[start:end].tobytes() for start, end in spans])

    @classmethod
    def from_texts(cls, texts: Sequence[bytes]) -> Ids:
        """Return ids from Python's bytes."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ends = np.cumsum(lengths)
        return cls.from_buffer(
            np.frombuffer(b"".join(texts) + bytes(3 * WORD), np.uint8), ends - lengths, ends
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Ids]) -> Ids:
        """Return all ids of the parts."""
        if len(parts) == 1:
            return parts[0]
        width = max(len(part.columns) for part in parts)
        columns = [np.concatenate([part.word(number) for part in parts]) for number in range(width)]
        starts = np.cumsum([0, *map(len, parts)]).tolist()
        long_rows = [part.long_rows + start for part, start in zip(parts, starts, strict=False)]
        long_texts = [text for part in parts for text in part.long_texts]
        return cls.with_long(columns, np.concatenate(long_rows), long_texts)

    @classmethod
    def with_long(cls, columns: Sequence[Words], long_rows: IntArray, long_texts: Sequence[bytes]) -> Ids:
        """Return ids of which some rows (L,) are these texts, which the columns may have room for by now."""
        if not len(long_rows):
            return cls(columns)
        words = _words_of(long_texts, len(columns))
        for number, column in enumerate(columns):
            column[long_rows] = words[:, number]
        is_long = [len(text) > WORD * len(columns) for text in long_texts]
        still_long = [text for text, flag in zip(long_texts, is_long, strict=True) if flag]
        return cls(columns, long_rows[np.array(is_long, np.bool_)], still_long)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[bytes]:
        words = np.stack(self.columns, axis=1)
        texts: list[bytes] = words.view(f"S{WORD * len(self.columns)}").ravel().tolist()
        for row, text in zip(self.long_rows.tolist(), self.long_texts, strict=True):
            texts[row] = text
        return iter(texts)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Ids: ...
    def __getitem__(self, index: int | slice) -> bytes | Ids:
        if isinstance(index, slice):
            return self.take(index)
        (text,) = self.take(np.array([range(len(self))[index]]))
        return text

    @property
    def nbytes(self) -> int:
        """The bytes of memory that they take."""
        return sum(column.nbytes for column in self.columns) + sum(map(len, self.long_texts))

    def lengths(self) -> IntArray:
        """Return (N,) how many bytes each id has."""
        lengths = np.zeros(len(self), np.int64)
        for column in self.columns:
            lengths += num_bytes(column)  # all words before the last are full
        lengths[self.long_rows] = list(map(len, self.long_texts))
        return lengths

    def word(self, number: int) -> Words:
        """Return (N,) the number-th word of every id; 0 behind the last column."""
        return self.columns[number] if number < len(self.columns) else np.zeros(len(self), np.uint64)

    def take(self, rows: IntArray | slice | Stretches) -> Ids:
        """Return the ids of some rows (n,); of a slice no copy is made."""
        if isinstance(rows, Stretches):
            columns = [rows.values_in(column) for column in self.columns]
        else:
            columns = [column[rows] for column in self.columns]
        if not len(self.long_rows):
            return Ids(columns)
        long_rows, which = self._long_among(rows)
        return Ids(columns, long_rows, [self.long_texts[number] for number in which.tolist()])

    def hashes(self, seed: int = 0) -> Words:
        """Return a hash (N,) of every id, good in its upper bits; equal ids have equal hashes."""
        multipliers = odd_numbers(seed, MOST_WORDS)
        mixed: Words = self.columns[0] * multipliers[0]
        for number, column in enumerate(self.columns[1:], 1):
            mixed += _mix(column, multipliers[number])
        for start in range(0, len(self.long_rows), _LONG_AT_ONCE):
            rows = self.long_rows[start : start + _LONG_AT_ONCE]
            mixed[rows] = _hashes_of_long(self.long_texts[start : start + _LONG_AT_ONCE], multipliers)
        return mixed

    def equal(self, rows: IntArray, others: Ids, other_rows: IntArray) -> BoolArray:
        """Return (n,) whether the id at rows[i] is the same text as that at other_rows[i] of the others."""
        same = np.ones(len(rows), np.bool_)
        for number in range(max(len(self.columns), len(others.columns))):
            same &= self.word(number)[rows] == others.word(number)[other_rows]
        if not len(self.long_rows) and not len(others.long_rows):
            return same
        is_long = np.zeros(len(rows), np.bool_)
        is_long[self._long_among(rows)[0]] = True
        is_long[others._long_among(other_rows)[0]] = True
        long_pairs = np.flatnonzero(is_long)
        texts = zip(self.take(rows[long_pairs]), others.take(other_rows[long_pairs]), strict=True)
        same[long_pairs] = [text == other for text, other in texts]
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

    def heads(self) -> IntArray:
        """Return (n,) the rows whose id differs from that of the row before; row 0 is one."""
        if not len(self):
            return _NO_ROWS
        differs = self.columns[0][1:] != self.columns[0][:-1]
        for column in self.columns[1:]:
            differs |= column[1:] != column[:-1]
        if len(self.long_rows):
            rows = np.flatnonzero(~differs)
            differs[rows] = ~self.equal(rows, self, rows + 1)
        return np.concatenate(([0], np.flatnonzero(differs) + 1))

    def stretches(self) -> tuple[Ids, IntArray]:
        """Return the id of each stretch of equal neighbours, and (n,) how many these are."""
        heads = self.heads()
        return self.take(heads), np.diff(heads, append=len(self))

    def byte_order(self, group: IntArray | None = None) -> IntArray:
        """Return the permutation (N,) that sorts the ids as strcmp does, within groups (N,) if there are."""
        if group is None:
            order, alike = np.arange(len(self)), np.ones(max(len(self) - 1, 0), np.bool_)
        else:
            order = np.argsort(group, kind="stable")
            alike = group[order[1:]] == group[order[:-1]]
        for column in self.columns[:_SORTED_COLUMNS]:
            positions, rivals = _series(alike)
            if not len(positions):
                return order
            rows = order[positions]
            words = column[rows].byteswap()  # as big-endian numbers words compare like their text
            is_same_series = rivals[1:] == rivals[:-1]
            if not (is_same_series & (words[1:] != words[:-1])).any():
                continue
            by_word = np.argsort(words, kind="stable") if rivals[-1] == 0 else np.lexsort((words, rivals))
            order[positions] = rows[by_word]
            # Series keep their positions, so that `rivals` holds for the sorted words too.
            words = words[by_word]
            alike[positions[1:][is_same_series] - 1] = (words[1:] == words[:-1])[is_same_series]
        if len(self.long_rows) or len(self.columns) > _SORTED_COLUMNS:
            self._sort_texts(order, alike)
        return order

    def distinct(self) -> tuple[Ids, IntArray]:
        """Return the distinct ids in byte order, and (N,) the index of each id in them."""
        order = self.byte_order()
        in_order = self.take(order)
        heads = in_order.heads()
        is_new = np.zeros(len(self), np.bool_)
        is_new[heads] = True
        index = np.empty(len(self), np.int64)
        index[order] = np.cumsum(is_new) - 1
        return in_order.take(heads), index

    def _sort_texts(self, order: IntArray, alike: BoolArray) -> None:
        """Let Python sort the ids whose columns are alike, in an order (N,); alike (N-1,): with the next."""
        positions, rivals = _series(alike)
        rows = order[positions]
        texts, series = list(self.take(rows)), rivals.tolist()
        by_text = sorted(range(len(texts)), key=lambda number: (series[number], texts[number]))
        order[positions] = rows[np.array(by_text, np.int64)]

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
        long_rows = np.flatnonzero(self.long_rows[which] == rows)
        return long_rows, which[long_rows]


NO_IDS = Ids([np.zeros(0, np.uint64)])


def _num_columns(lengths: IntArray) -> int:
    """Return how many columns ids of these lengths (N,) have."""
    longest = -(-int(lengths.max(initial=1)) // WORD)
    if longest <= _LEAST_COLUMNS:
        return longest
    mean = int(lengths.sum()) // (WORD * len(lengths))
    return min(longest, _LEAST_COLUMNS + 2 * mean, MOST_WORDS)


def _column(buffer: Bytes, starts: IntArray, lengths: IntArray, number: int) -> Words:
    """Return (N,) the number-th word of every id in a buffer, 0 where the id is shorter."""
    begins, num_left = starts, lengths
    if number:
        begins, num_left = starts + WORD * number, lengths - WORD * number
    if num_left.min(initial=1) > 0:
        return _masked_words(buffer, begins, num_left)
    column = np.zeros(len(starts), np.uint64)
    longer = np.flatnonzero(num_left > 0)
    column[longer] = _masked_words(buffer, begins[longer], num_left[longer])
    return column


def _masked_words(buffer: Bytes, starts: IntArray, lengths: IntArray) -> Words:
    """Return the first words (n,) of texts in a buffer, padded with NULs."""
    words = load_words(buffer, starts)
    words &= MASKS.take(lengths, mode="clip")
    return words


def _words_of(texts: Sequence[bytes], width: int) -> Words:
    """Return the first words (n, width) of texts."""
    words: Words = np.array(texts, f"S{WORD * width}").view("<u8").reshape(len(texts), width)
    return words


def _hashes_of_long(texts: Sequence[bytes], multipliers: Words) -> Words:
    """Return the hashes (n,) of ids that are kept aside: those of the same ids in columns."""
    num_bytes_in_columns = WORD * MOST_WORDS
    longest = min(max(map(len, texts)), num_bytes_in_columns)
    words = _words_of(texts, -(-longest // WORD))
    mixed: Words = words[:, 0] * multipliers[0]
    for number in range(1, words.shape[1]):
        mixed += _mix(words[:, number], multipliers[number])
    for number, text in enumerate(texts):
        if len(text) > num_bytes_in_columns:
            from hashlib import blake2b  # takes a while to import

            rest = blake2b(text[num_bytes_in_columns:], digest_size=WORD, key=multipliers[0].tobytes())
            mixed[number] ^= np.frombuffer(rest.digest(), "<u8")[0]
    return mixed


def _series(alike: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the positions in series of equal neighbours, and the number of each position's series.

    alike  (N-1,) whether position i + 1 is like position i
    """
    inside = np.zeros(len(alike) + 1, np.bool_)
    inside[:-1] = alike
    inside[1:] |= alike
    positions = np.flatnonzero(inside)
    begins = np.ones(len(positions), np.bool_)
    begins[1:] = ~alike[positions[1:] - 1]
    return positions, np.cumsum(begins) - 1
