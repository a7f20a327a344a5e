"""Ids as integers: words of eight bytes, hashes of them, exact comparison and byte order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ragged import blocks
from pres_eval.arrays.types import BoolArray, IntArray, Words

WORD = 8
PADDING = 64
"""Spare bytes on either side of a text in a buffer, so that whole words can be loaded at its ends."""

AT_ONCE = 1 << 16
"""Ids that are hashed at a time, so that what is computed on the way stays in the cache."""

_EVERYWHERE = 16
"""Words of an id that are looked at one after the other; all further ones of an id together."""

_REST_AT_ONCE = 1 << 17
"""Such further words that are looked at together."""

_ALWAYS = 2
"""Words that WordIds have room for whatever the mean is."""

_WORDS_SORTED = 64
"""Words by which ids are sorted in arrays; the few that agree in all of these are sorted one by one."""

_PROCESS = int.from_bytes(os.urandom(WORD), "little")
"""Differs from process to process: nobody can make ids that collide.  No result depends on it."""

EVERY_PROCESS = 2**64
"""Seeds from here on give the same hashes in every process; 64 bits of them should be drawn at random."""


@cache
def _odd_numbers(seed: int, count: int) -> Words:
    """The first of an endless stream of odd 64-bit multipliers (splitmix64)."""
    begin = np.uint64((_PROCESS + (seed << 32) if seed < EVERY_PROCESS else seed) % 2**64)
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + begin
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


def random_odd_number() -> np.uint64:
    """An odd number that differs from process to process."""
    return np.uint64(_odd_numbers(-1, 1)[0])


def _add_mixed(mixed: Words, words: Words, multiplier: np.uint64 | Words) -> None:
    """Add what a word after the first contributes to a hash; a word of NULs adds nothing."""
    # A plain sum of products would never tell ids apart that differ in the highest bits of two words:
    # 2^63 times any odd number is 2^63 again, and twice that is 0.
    words = words * multiplier
    words ^= words >> np.uint64(32)
    words *= multiplier
    mixed += words


def load_pairs(buffer: NDArray[np.uint8], numbers: IntArray) -> tuple[Words, Words]:
    """The numbers[i]-th aligned word of the buffer and the one behind it, little-endian."""
    # numpy takes elements ten times faster where they are aligned, so words that begin anywhere are put
    # together of two; a complex number is the type that fetches both at once.
    pairs: NDArray[Any] = np.ndarray((len(buffer) // WORD - 1,), "<c16", buffer, 0, (WORD,))[numbers]
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


_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(WORD + 1)], np.uint64)


def _mask(count: IntArray) -> Words:
    """Keeps the first `count` bytes of a word; all eight for more."""
    return _MASKS.take(count, mode="clip")


class Ids(Sequence[bytes]):
    """Ids in a buffer: `buffer[starts[i] : starts[i] + lengths[i]]`.

    The buffer needs 16 bytes behind the last id, and no id has a NUL, so that a word padded with NULs
    stands for one text only.
    """

    def __init__(self, buffer: NDArray[np.uint8], starts: IntArray, lengths: IntArray) -> None:
        self.buffer = buffer
        self.starts = starts
        self.lengths = lengths
        self._first_words: Words | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (self.buffer, self.starts, self.lengths)

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
            part = Ids(self.buffer, self.starts[index], self.lengths[index])
            if self._first_words is not None:
                part._first_words = self._first_words[index]
            return part
        start = int(self.starts[index])
        return self.buffer[start : start + int(self.lengths[index])].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        if not len(self):
            return iter(())
        ends = self.starts + self.lengths
        low, high = int(self.starts.min()), int(ends.max())
        if high - low > 256 * len(self):  # scattered so far apart that what lies between is not worth a copy
            return map(self.__getitem__, range(len(self)))
        text = self.buffer[low:high].tobytes()
        spans = zip((self.starts - low).tolist(), (ends - low).tolist(), strict=True)
        return iter([text[start:end] for start, end in spans])

    def take(self, rows: IntArray | BoolArray) -> Ids:
        """Some of the ids."""
        part = Ids(self.buffer, self.starts[rows], self.lengths[rows])
        if self._first_words is not None:  # faster than reading them again
            part._first_words = self._first_words[rows]
        return part

    def width(self) -> int:
        """Words that the longest id takes."""
        return -(-int(self.lengths.max(initial=0)) // WORD)

    def word(self, number: int) -> Words:
        """The number-th word of every id, padded with NULs; 0 where the id is shorter."""
        if number == 0:
            if self._first_words is None:
                self._first_words = load_words(self.buffer, self.starts)
                self._first_words &= _mask(self.lengths)
                self._first_words.flags.writeable = False
            return self._first_words
        left = np.maximum(self.lengths - WORD * number, 0)
        starts = np.minimum(self.starts + WORD * number, len(self.buffer) - 2 * WORD)
        return load_words(self.buffer, starts) & _mask(left)

    def hashes(self, seed: int = 0) -> Words:
        """A hash of every id, good in its upper bits; equal ids have equal hashes wherever they are."""
        mixed = np.zeros(len(self), np.uint64)
        if len(self) > AT_ONCE:
            for start in range(0, len(self), AT_ONCE):
                mixed[start : start + AT_ONCE] = self[start : start + AT_ONCE].hashes(seed)
            return mixed
        width = self.width()
        multipliers = _odd_numbers(seed, max(_EVERYWHERE, 1 << (width - 1).bit_length()))
        if width:
            np.multiply(self.word(0), multipliers[0], out=mixed)
        for number in range(1, min(width, _EVERYWHERE)):
            longer = np.flatnonzero(self.lengths > WORD * number)
            if 2 * len(longer) > len(self):
                _add_mixed(mixed, self.word(number), multipliers[number])
            else:
                part = mixed[longer]
                _add_mixed(part, self.take(longer).word(number), multipliers[number])
                mixed[longer] = part
        for rows, begins, numbers, words in self._rest():
            parts = np.zeros(len(words), np.uint64)
            _add_mixed(parts, words, multipliers[numbers])
            mixed[rows] += np.add.reduceat(parts, begins)
        return mixed

    def copied(self) -> Ids:
        """The same ids, cut loose from their buffer."""
        counts = -(-self.lengths // WORD)
        ends = np.cumsum(counts)
        starts = ends - counts
        words = np.zeros((int(ends[-1]) if len(ends) else 0) + 3, "<u8")
        for first, last in blocks(np.concatenate(([0], ends)), _REST_AT_ONCE):
            begin, end = int(starts[first]), int(ends[last - 1])
            within = np.arange(begin, end) - np.repeat(starts[first:last], counts[first:last])
            within *= WORD
            places = np.repeat(self.starts[first:last], counts[first:last]) + within
            left = np.repeat(self.lengths[first:last], counts[first:last]) - within
            words[begin:end] = load_words(self.buffer, places) & _mask(left)
        return Ids(words.view(np.uint8), WORD * starts, self.lengths)

    def _rest(self) -> Iterator[tuple[IntArray, IntArray, IntArray, Words]]:
        """What follows the first _EVERYWHERE words of an id: all words of some rows at a time.

        Gives the rows, where the words of each begin, and of all words their numbers and themselves.
        """
        longer = np.flatnonzero(self.lengths > WORD * _EVERYWHERE)
        counts = -(-self.lengths[longer] // WORD) - _EVERYWHERE
        ends = np.cumsum(counts)
        start = 0
        while start < len(longer):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + _REST_AT_ONCE, side="right")), start + 1)
            rows, begins = longer[start:stop], ends[start:stop] - counts[start:stop] - before
            numbers = np.arange(int(ends[stop - 1]) - before) - np.repeat(begins, counts[start:stop])
            numbers += _EVERYWHERE
            places = np.repeat(self.starts[rows], counts[start:stop]) + WORD * numbers
            left = np.repeat(self.lengths[rows], counts[start:stop]) - WORD * numbers
            yield rows, begins, numbers, load_words(self.buffer, places) & _mask(left)
            start = stop


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
        """A copy of ids in a buffer."""
        width = max(ids.width(), 1)
        if width <= _ALWAYS:
            return cls([ids.word(number) for number in range(width)])
        mean = int(ids.lengths.sum()) // (WORD * len(ids))
        width = min(width, _ALWAYS + 2 * mean if mean < _EVERYWHERE else _ALWAYS)
        rows = np.flatnonzero(ids.lengths > WORD * width)
        return cls([ids.word(number) for number in range(width)], rows, ids.take(rows).copied())

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
                    column.append(np.zeros(len(part), np.uint64))
            columns.append(np.concatenate(column))
        starts = np.cumsum([0, *map(len, parts)])
        rows = [part.long_rows + start for part, start in zip(parts, starts.tolist(), strict=False)]
        long_ids = [text for part in parts for text in part.long_ids]
        return cls(columns, np.concatenate(rows), Ids.of(long_ids)) if long_ids else cls(columns)

    def hashes(self, seed: int = 0) -> Words:
        """The same hashes as those of the ids in a buffer."""
        mixed = np.zeros(len(self), np.uint64)
        if len(self) > AT_ONCE:
            for start in range(0, len(self), AT_ONCE):
                mixed[start : start + AT_ONCE] = self.pick(slice(start, start + AT_ONCE)).hashes(seed)
            return mixed
        multipliers = _odd_numbers(seed, max(_EVERYWHERE, 1 << (len(self.columns) - 1).bit_length()))
        np.multiply(self.columns[0], multipliers[0], out=mixed)
        for number, column in enumerate(self.columns[1:], 1):
            _add_mixed(mixed, column, multipliers[number])
        if len(self.long_rows):
            mixed[self.long_rows] = self.long_ids.hashes(seed)
        return mixed

    def pick(self, rows: IntArray | slice) -> WordIds:
        """Some of the ids; of a slice no copy is made."""
        columns = [column[rows] for column in self.columns]
        if not len(self.long_rows):
            return WordIds(columns)
        places, which = self._long_among(rows)
        return WordIds(columns, places, self.long_ids.take(which))

    def take(self, rows: IntArray | slice) -> Ids:
        """Some of the ids, in a buffer."""
        width = len(self.columns)
        matrix = np.zeros((len(self.columns[0][rows]) + 2, width), "<u8")
        for number, column in enumerate(self.columns):
            matrix[:-2, number] = column[rows]
        buffer = matrix.view(np.uint8).reshape(-1)
        starts = np.arange(len(matrix) - 2, dtype=np.int64) * (WORD * width)
        filled = matrix[:-2].view(np.uint8).reshape(-1, WORD * width) != 0
        ids = Ids(buffer, starts, np.count_nonzero(filled, axis=1).astype(np.int64))
        if len(self.long_rows):
            places, which = self._long_among(rows)
            if len(places) == len(ids):
                return self.long_ids.take(which)
            long_ids = self.long_ids.take(which).copied()
            ids.starts[places], ids.lengths[places] = long_ids.starts + len(buffer), long_ids.lengths
            ids.buffer = np.concatenate((buffer, long_ids.buffer))
        return ids

    def num_distinct(self) -> int:
        """How many different ids there are."""
        if len(self.columns) > 1:
            return len(distinct(self.take(slice(None)))[0])
        in_order = np.sort(self.columns[0])
        return int(np.count_nonzero(in_order[1:] != in_order[:-1])) + min(len(in_order), 1)

    def equal(self, rows: IntArray, others: WordIds, other_rows: IntArray) -> BoolArray:
        """Whether the id at rows[i] is the same text as that at other_rows[i] of the others."""
        same = np.ones(len(rows), np.bool_)
        for number in range(max(len(self.columns), len(others.columns))):
            mine = self.columns[number][rows] if number < len(self.columns) else np.uint64(0)
            theirs = others.columns[number][other_rows] if number < len(others.columns) else np.uint64(0)
            same &= mine == theirs
        if len(self.long_rows) or len(others.long_rows):
            places = np.union1d(self._long_among(rows)[0], others._long_among(other_rows)[0])
            same[places] = equal(self.take(rows[places]), others.take(other_rows[places]))
        return same

    def compare(self, rows: IntArray, others: IntArray) -> tuple[BoolArray, BoolArray]:
        """Whether the id at rows[i] comes after that at others[i] in byte order, and whether it is the same.

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

    def _long_among(self, rows: IntArray | slice) -> tuple[IntArray, IntArray]:
        """Where in a choice of rows long ids are, and which of them."""
        if not len(self.long_rows):
            return _NO_ROWS, _NO_ROWS
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


def equal(some: Ids, others: Ids) -> BoolArray:
    """Whether some[i] is the same text as others[i]."""
    same: BoolArray = some.lengths == others.lengths
    for number in range(min(some.width(), others.width(), _EVERYWHERE)):
        rows = np.flatnonzero(same)
        same[rows] = some.take(rows).word(number) == others.take(rows).word(number)
    alike = np.flatnonzero(same & (some.lengths > WORD * _EVERYWHERE))
    # Their lengths are the same, so their words come in the same parts.
    for mine, theirs in zip(some.take(alike)._rest(), others.take(alike)._rest(), strict=True):
        rows, begins, _, words = mine
        same[alike[rows]] = np.logical_and.reduceat(words == theirs[3], begins)
    return same


def byte_order(ids: Ids, group: IntArray | None = None) -> IntArray:
    """The permutation that sorts the ids as strcmp does, inside of groups if these are given."""
    if group is None:
        order, alike = np.arange(len(ids)), np.ones(max(len(ids) - 1, 0), np.bool_)
    else:
        order = np.argsort(group, kind="stable")
        alike = group[order[1:]] == group[order[:-1]]
    for number in range(min(ids.width(), _WORDS_SORTED)):
        places, rivals = _runs(alike)
        if not len(places):
            return order
        rows = order[places]
        words = ids.take(rows).word(number).byteswap()  # as big-endian numbers words compare like their text
        same_run = rivals[1:] == rivals[:-1]
        differs = words[1:] != words[:-1]
        if not (same_run & differs).any():
            continue
        by_word = np.argsort(words, kind="stable") if rivals[-1] == 0 else np.lexsort((words, rivals))
        order[places] = rows[by_word]
        # Runs keep their places, so that `rivals` holds for the sorted words too.
        words = words[by_word]
        alike[places[1:][same_run] - 1] = (words[1:] == words[:-1])[same_run]
    return _sort_the_rest(ids, order, alike) if ids.width() > _WORDS_SORTED else order


def _runs(alike: BoolArray) -> tuple[IntArray, IntArray]:
    """The places that belong to runs of places of which each is like the next, and the number of their run.

    alike (N-1,): whether place i + 1 is like place i.
    """
    inside = np.zeros(len(alike) + 1, np.bool_)
    inside[:-1] = alike
    inside[1:] |= alike
    places = np.flatnonzero(inside)
    if not len(places):
        return places, places
    begins = np.ones(len(places), np.bool_)
    begins[1:] = ~alike[places[1:] - 1]
    return places, np.cumsum(begins) - 1


def _sort_the_rest(ids: Ids, order: IntArray, alike: BoolArray) -> IntArray:
    """Sort by Python the ids that are still alike."""
    places, rivals = _runs(alike)
    rows = order[places]
    texts, runs = list(ids.take(rows)), rivals.tolist()
    by_text = sorted(range(len(texts)), key=lambda row: (runs[row], texts[row]))
    order[places] = rows[np.array(by_text, np.int64)]
    return order


def stable_order(numbers: NDArray[np.signedinteger[Any]], limit: int) -> IntArray:
    """The permutation that sorts numbers from 0 to limit - 1; equal ones keep their order."""
    # numpy sorts numbers of 16 bits by digits, in linear time.
    return np.argsort(numbers.astype(np.uint16) if limit <= 2**16 else numbers, kind="stable")


def has_equal(numbers: NDArray[np.generic]) -> bool:
    """Whether a number comes twice."""
    # np.unique would do, but to make sure that its argument has no mask it imports numpy.ma: 15 ms.
    in_order = np.sort(numbers)
    return bool((in_order[1:] == in_order[:-1]).any())


def changes(ids: Ids) -> IntArray:
    """The rows whose text differs from that of the row before; row 0 is one."""
    if not len(ids):
        return np.zeros(0, np.int64)
    differs = ids.lengths[1:] != ids.lengths[:-1]
    width = ids.width()
    for number in range(min(width, _EVERYWHERE)):
        word = ids.word(number)
        differs |= word[1:] != word[:-1]
    if width > _EVERYWHERE:
        alike = np.flatnonzero(~differs)
        differs[alike] = ~equal(ids.take(alike), ids.take(alike + 1))
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
