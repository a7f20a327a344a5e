"""Ids as words: column j holds the j-th eight bytes of every id, padded with NULs.

So ids are compared, hashed and sorted as numbers, many at a time.  b"d10" is the one word 0x303164: its first
byte is the lowest.  No id has a NUL, so that a word is the word of one text only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import compress
from operator import eq
from typing import overload

import numpy as np

from pres_eval.arrays.types import BoolArray, Bytes, IntArray, Words

WORD = 8
"""Bytes of a word."""

PADDING = 64
"""Spare bytes on either side of a text in a buffer, so that whole words can be loaded at its ends."""

MOST_WORDS = 128
"""Columns for the first 1,024 bytes of ids: longer ids are kept aside."""

_LEAST_COLUMNS = 2
"""Columns up to which no id is kept aside, however short the others are."""

_SEED_OF_PROCESS = int.from_bytes(os.urandom(WORD), "little")
"""Differs from process to process: nobody can make ids that collide.  No result depends on it."""

EVERY_PROCESS = 2**64
"""Seeds from here on give the same hashes in every process; 64 bits of them should be drawn at random."""

_SORTED_COLUMNS = 64
"""Columns by which ids are sorted in arrays; the few that agree in all of these are sorted one by one."""

_LONG_IDS_AT_ONCE = 1 << 10
"""Long ids that are hashed at a time: a megabyte."""

_NO_ROWS = np.zeros(0, np.int64)

MASKS = np.array([(1 << (8 * count)) - 1 for count in range(WORD + 1)], np.uint64)
"""The i-th mask keeps the first i bytes of a word; with mode="clip", all eight for larger i."""


@cache
def odd_numbers(seed: int, count: int) -> Words:
    """Return (count,) odd 64-bit multipliers that look random: the first of splitmix64's stream of a seed."""
    if seed < EVERY_PROCESS:
        seed = _SEED_OF_PROCESS + (seed << 32)
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = steps + np.uint64(seed % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed | np.uint64(1)


def _mix(words: Words, multiplier: np.uint64) -> Words:
    """Return what words (n,) of ids behind the first add to hashes (n,); a word of NULs adds nothing."""
    # A plain sum of products would never tell ids apart that differ in the highest bits of two words:
    # 2^63 times any odd number is 2^63 again, and twice that is 0.
    products = words * multiplier
    products ^= products >> np.uint64(32)
    products *= multiplier
    return products


def load_words(buffer: Bytes, starts: IntArray) -> Words:
    """Return the eight bytes (n,) of a buffer (bytes,) from each start (n,) on; it must have all of them."""
    words_at_all_bytes: Words = np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer, strides=(1,))
    return words_at_all_bytes[starts]


def num_bytes(words: Words) -> IntArray:
    """Return (n,) how many bytes words (n,) have up to the last that is not NUL: 3 of b"d10", at most 8."""
    # The exponent of a double is the number of bits up to the highest one.  As a double a number may be
    # rounded up to the next power of two, but not without the second of two bits in a row.
    rounded_down = words & ~(words >> np.uint64(1))
    _, num_bits = np.frexp(rounded_down.astype(np.float64))
    return num_bits + 7 >> 3


class Ids(Sequence[bytes]):
    """N ids, as columns of their words; a few long ones are kept aside as well.

    So that a few long ids among many short ones don't take room for all, ids that need far more words than
    the mean, or more than MOST_WORDS, have only their beginning in the columns and are kept whole aside.

    columns     (N,) words each, at least one column
    long_rows   (L,) rows of the ids that are longer than the columns, ascending
    long_texts  these L ids, whole
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
        """Return the ids buffer[starts[i]:ends[i]] (N,); the buffer has 8 bytes behind the last one."""
        lengths = ends - starts
        columns = [_column(buffer, starts, lengths, number) for number in range(_num_columns(lengths))]
        long_rows = np.flatnonzero(lengths > WORD * len(columns))
        long_texts: list[bytes] = []
        for row in long_rows.tolist():
            long_texts.append(buffer[starts[row] : ends[row]].tobytes())
        return cls(columns, long_rows, long_texts)

    @classmethod
    def from_texts(cls, texts: Sequence[bytes]) -> Ids:
        """Return ids from Python's bytes."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ends = np.cumsum(lengths)
        joined = b"".join(texts) + bytes(WORD)  # from_buffer needs 8 bytes behind the last id
        return cls.from_buffer(np.frombuffer(joined, np.uint8), ends - lengths, ends)

    @classmethod
    def concatenate(cls, parts: Sequence[Ids]) -> Ids:
        """Return all ids of the parts, of which there is one at least."""
        if len(parts) == 1:
            return parts[0]
        num_columns = max(len(part.columns) for part in parts)
        columns = [np.concatenate([part.word(number) for part in parts]) for number in range(num_columns)]
        long_rows: list[IntArray] = []
        long_texts: list[bytes] = []
        num_before = 0
        for part in parts:
            long_rows.append(part.long_rows + num_before)
            long_texts += part.long_texts
            num_before += len(part)
        return cls.with_long(columns, np.concatenate(long_rows), long_texts)

    @classmethod
    def with_long(cls, columns: Sequence[Words], long_rows: IntArray, long_texts: Sequence[bytes]) -> Ids:
        """Return the ids of columns (N,), in whose rows `long_rows` (L,) these L texts are.

        The columns may be more than those that the texts were too long for.  This writes into them as much of
        each text as they have room for, and keeps aside only the texts that are still too long.
        """
        if not len(long_rows):
            return cls(columns)
        words = _words_of(long_texts, len(columns))
        for number, column in enumerate(columns):
            column[long_rows] = words[:, number]
        is_long = [len(text) > WORD * len(columns) for text in long_texts]
        still_long = list(compress(long_texts, is_long))
        return cls(columns, long_rows[np.array(is_long, np.bool_)], still_long)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[bytes]:
        words = np.stack(self.columns, axis=1)
        as_texts = words.view(f"S{WORD * len(self.columns)}").ravel()  # whose NULs at the end numpy drops
        texts: list[bytes] = as_texts.tolist()
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
        """How many bytes of memory the ids take."""
        in_columns = sum(column.nbytes for column in self.columns)
        return in_columns + sum(map(len, self.long_texts))

    def lengths(self) -> IntArray:
        """Return (N,) how many bytes each id has."""
        lengths = np.zeros(len(self), np.int64)
        for column in self.columns:
            lengths += num_bytes(column)  # all words before the last are full
        lengths[self.long_rows] = list(map(len, self.long_texts))
        return lengths

    def word(self, number: int) -> Words:
        """Return (N,) the number-th word of every id, from 0; a word of NULs behind the last column."""
        if number < len(self.columns):
            return self.columns[number]
        return np.zeros(len(self), np.uint64)

    def take(self, rows: IntArray | slice) -> Ids:
        """Return the ids of some rows (n,); of a slice no copy is made."""
        columns = [column[rows] for column in self.columns]
        if not len(self.long_rows):
            return Ids(columns)
        long_rows, number_of_text = self._long_among(rows)
        return Ids(columns, long_rows, [self.long_texts[number] for number in number_of_text.tolist()])

    def hashes(self, seed: int = 0) -> Words:
        """Return a hash (N,) of every id, good in its upper bits; equal ids have equal hashes."""
        multipliers = odd_numbers(seed, MOST_WORDS)
        hashes = _hashes_of_words(self.columns, multipliers)
        for start in range(0, len(self.long_rows), _LONG_IDS_AT_ONCE):
            stop = start + _LONG_IDS_AT_ONCE
            hashes[self.long_rows[start:stop]] = _hashes_of_long(self.long_texts[start:stop], multipliers)
        return hashes

    def equal(self, rows: IntArray, others: Ids, other_rows: IntArray) -> BoolArray:
        """Return (n,) whether the id at rows[i] is the same text as that at other_rows[i] of the others."""
        is_same = np.ones(len(rows), np.bool_)
        for number in range(max(len(self.columns), len(others.columns))):
            is_same &= self.word(number)[rows] == others.word(number)[other_rows]
        if not len(self.long_rows) and not len(others.long_rows):
            return is_same
        # The columns have only the beginnings of long ids, which are compared as texts.
        is_long = np.zeros(len(rows), np.bool_)
        is_long[self._long_among(rows)[0]] = True
        is_long[others._long_among(other_rows)[0]] = True
        long_pairs = np.flatnonzero(is_long)
        texts = self.take(rows[long_pairs])
        other_texts = others.take(other_rows[long_pairs])
        is_same[long_pairs] = list(map(eq, texts, other_texts))
        return is_same

    def compare(self, rows: IntArray, other_rows: IntArray) -> tuple[BoolArray, BoolArray]:
        """Compare the ids at rows[i] with those at other_rows[i] in byte order.

        Return (n,) whether the first is after the second, and (n,) whether they are equal.  The columns must
        hold all ids whole.
        """
        assert not len(self.long_rows)
        is_after = np.zeros(len(rows), np.bool_)
        is_same = np.ones(len(rows), np.bool_)  # in the columns so far
        for column in self.columns:
            # As big-endian numbers words compare like their text.
            words, other_words = column[rows].byteswap(), column[other_rows].byteswap()
            is_after |= is_same & (words > other_words)
            is_same &= words == other_words
        return is_after, is_same

    def heads(self) -> IntArray:
        """Return (n,) the rows whose id differs from that of the row before; row 0 is the first of them."""
        if not len(self):
            return _NO_ROWS
        first_column = self.columns[0]
        differs = first_column[1:] != first_column[:-1]
        for column in self.columns[1:]:
            differs |= column[1:] != column[:-1]
        if len(self.long_rows):
            rows = np.flatnonzero(~differs)
            differs[rows] = ~self.equal(rows, self, rows + 1)
        return np.concatenate(([0], np.flatnonzero(differs) + 1))

    def stretches(self) -> tuple[Ids, IntArray]:
        """Return the id of each stretch of equal neighbours (S,), and (S,) how many rows each stretch has.

        Of the ids a, a, b, a they are a, b, a and 2, 1, 1.
        """
        heads = self.heads()
        return self.take(heads), np.diff(heads, append=len(self))

    def byte_order(self, group: IntArray | None = None) -> IntArray:
        """Return the permutation (N,) that sorts the ids as strcmp does.

        group  (N,) the number of each id's group, which they are sorted by first; None: all are of one group

        Column by column, each series of rows that were alike so far is sorted by the next word.
        """
        if group is None:
            order = np.arange(len(self))
            is_like_next = np.ones(max(len(self) - 1, 0), np.bool_)
        else:
            order = np.argsort(group, kind="stable")
            is_like_next = group[order[1:]] == group[order[:-1]]
        for column in self.columns[:_SORTED_COLUMNS]:
            positions, series = _series(is_like_next)
            if not len(positions):
                return order
            rows = order[positions]
            words = column[rows].byteswap()  # as big-endian numbers words compare like their text
            is_same_series = series[1:] == series[:-1]
            differs_in_series = is_same_series & (words[1:] != words[:-1])
            if not differs_in_series.any():
                continue
            is_one_series = series[-1] == 0
            by_word = np.argsort(words, kind="stable") if is_one_series else np.lexsort((words, series))
            order[positions] = rows[by_word]
            # Series keep their positions, so that `series` holds for the sorted words too.
            words = words[by_word]
            inner_positions = positions[1:][is_same_series]
            is_like_next[inner_positions - 1] = (words[1:] == words[:-1])[is_same_series]
        if len(self.long_rows) or len(self.columns) > _SORTED_COLUMNS:
            self._sort_texts(order, is_like_next)
        return order

    def distinct(self) -> tuple[Ids, IntArray]:
        """Return the distinct ids in byte order, and (N,) the index of each id in them.

        Of the ids b, a, b they are a, b and 1, 0, 1.
        """
        order = self.byte_order()
        in_order = self.take(order)
        heads = in_order.heads()
        is_new = np.zeros(len(self), np.bool_)
        is_new[heads] = True
        index = np.empty(len(self), np.int64)
        index[order] = np.cumsum(is_new) - 1
        return in_order.take(heads), index

    def _sort_texts(self, order: IntArray, is_like_next: BoolArray) -> None:
        """Let Python sort the ids whose columns are alike, inside an order (N,), which is changed.

        is_like_next  (N-1,) whether the columns of each id are those of the next one in this order
        """
        positions, series = _series(is_like_next)
        rows = order[positions]
        keys = list(zip(series.tolist(), self.take(rows), strict=True))
        by_text = sorted(range(len(keys)), key=keys.__getitem__)
        order[positions] = rows[np.array(by_text, np.int64)]

    def _long_among(self, rows: IntArray | slice) -> tuple[IntArray, IntArray]:
        """Return (m,) which of some rows (n,) have a long id, and (m,) the index of its text among the long
        ones.

        If row 7 has the first long id, of the rows 5, 7, 9 they are 1 (the second of these) and 0.
        """
        if not len(self.long_rows):
            return _NO_ROWS, _NO_ROWS
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1:
                first, last = np.searchsorted(self.long_rows, (start, stop)).tolist()
                return self.long_rows[first:last] - start, np.arange(first, last)
            rows = np.arange(start, stop, step)
        nearest = np.searchsorted(self.long_rows, rows)
        nearest = np.minimum(nearest, len(self.long_rows) - 1)
        long_rows = np.flatnonzero(self.long_rows[nearest] == rows)
        return long_rows, nearest[long_rows]


NO_IDS = Ids([np.zeros(0, np.uint64)])
"""A column of ids without rows."""


def _num_columns(lengths: IntArray) -> int:
    """Return how many columns of words ids with these numbers of bytes (N,) get.

    They get as many as the longest id needs, but not far more than the mean id does.
    """
    words_of_longest = -(-int(lengths.max(initial=1)) // WORD)
    if words_of_longest <= _LEAST_COLUMNS:
        return words_of_longest
    mean_words = int(lengths.sum()) // (WORD * len(lengths))
    return min(words_of_longest, _LEAST_COLUMNS + 2 * mean_words, MOST_WORDS)


def _column(buffer: Bytes, starts: IntArray, lengths: IntArray, number: int) -> Words:
    """Return (N,) the number-th word of every id in a buffer, 0 where the id is shorter."""
    if number:
        starts, lengths = starts + WORD * number, lengths - WORD * number
    if lengths.min(initial=1) > 0:
        return _masked_words(buffer, starts, lengths)
    column = np.zeros(len(starts), np.uint64)
    longer = np.flatnonzero(lengths > 0)
    column[longer] = _masked_words(buffer, starts[longer], lengths[longer])
    return column


def _masked_words(buffer: Bytes, starts: IntArray, lengths: IntArray) -> Words:
    """Return the first word (n,) of each text in a buffer, padded with NULs if the text is shorter."""
    words = load_words(buffer, starts)
    words &= MASKS.take(lengths, mode="clip")
    return words


def _words_of(texts: Sequence[bytes], width: int) -> Words:
    """Return the first `width` words of n texts (n, width), padded with NULs."""
    padded = np.array(texts, f"S{WORD * width}")
    words: Words = padded.view("<u8").reshape(len(texts), width)
    return words


def _hashes_of_words(columns: Sequence[Words], multipliers: Words) -> Words:
    """Return the hashes (n,) of ids with their words in columns (n,), each with a multiplier of its own."""
    hashes: Words = columns[0] * multipliers[0]
    for number, column in enumerate(columns[1:], 1):
        hashes += _mix(column, multipliers[number])
    return hashes


def _hashes_of_long(texts: Sequence[bytes], multipliers: Words) -> Words:
    """Return the hashes (n,) of ids that are kept aside: the same as if they were in columns."""
    num_bytes_in_columns = WORD * MOST_WORDS
    longest = min(max(map(len, texts)), num_bytes_in_columns)
    words = _words_of(texts, -(-longest // WORD))
    hashes = _hashes_of_words(list(words.T), multipliers)
    for number, text in enumerate(texts):
        if len(text) > num_bytes_in_columns:  # no column has what is behind
            from hashlib import blake2b  # takes a while to import

            rest = blake2b(text[num_bytes_in_columns:], digest_size=WORD, key=multipliers[0].tobytes())
            hashes[number] ^= np.frombuffer(rest.digest(), "<u8")[0]
    return hashes


def _series(is_like_next: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the positions (n,) that are in a series of equal neighbours, and (n,) the number of the series.

    is_like_next  (N-1,) whether the value at position i is that at i + 1
    Of the values 5 5 7 8 8 8 the positions are 0 1 3 4 5, and the series 0 0 1 1 1.
    """
    is_inside = np.zeros(len(is_like_next) + 1, np.bool_)
    is_inside[:-1] = is_like_next
    is_inside[1:] |= is_like_next
    positions = np.flatnonzero(is_inside)
    is_first = np.ones(len(positions), np.bool_)
    is_first[1:] = ~is_like_next[positions[1:] - 1]
    return positions, np.cumsum(is_first) - 1
