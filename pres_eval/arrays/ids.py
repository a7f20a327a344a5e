"""Ids as integers: words of eight bytes, hashes of them, exact comparison."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, overload

import numpy as np

from pres_eval.arrays.types import AnyArray, BoolArray, Bytes, IntArray, Words

WORD = 8
PADDING = 64
"""Spare bytes on either side of a text in a buffer, so that whole words can be loaded at its ends."""

AT_ONCE = 1 << 16
"""Ids that are hashed at a time, so that intermediate values stay in the cache."""

EVERYWHERE = 16
"""Words of an id that are looked at one after the other; all further ones of an id together."""

_WORDS_AT_ONCE = 1 << 17
"""Words of ids with many that are looked at together."""

_PROCESS = int.from_bytes(os.urandom(WORD), "little")
"""Differs from process to process: nobody can make ids that collide.  No result depends on it."""

EVERY_PROCESS = 2**64
"""Seeds from here on give the same hashes in every process; 64 bits of them should be drawn at random."""


@cache
def odd_numbers(seed: int, count: int) -> Words:
    """Return (count,) the first of an endless stream of odd 64-bit multipliers (splitmix64)."""
    begin = np.uint64((_PROCESS + (seed << 32) if seed < EVERY_PROCESS else seed) % 2**64)
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + begin
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


def add_mixed(mixed: Words, words: Words, multiplier: np.uint64 | Words) -> None:
    """Add the contribution of a later word of each id to hashes (n,); a word of NULs adds nothing."""
    # A plain sum of products would never tell ids apart that differ in the highest bits of two words:
    # 2^63 times any odd number is 2^63 again, and twice that is 0.
    words = words * multiplier
    words ^= words >> np.uint64(32)
    words *= multiplier
    mixed += words


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


MASKS = np.array([(1 << (8 * count)) - 1 for count in range(WORD + 1)], np.uint64)
"""The i-th mask keeps the first i bytes of a word; with mode="clip", all eight for larger i."""


class Ids(Sequence[bytes]):
    """Ids in a buffer: `buffer[starts[i] : starts[i] + lengths[i]]`.

    The buffer needs 16 bytes behind the last id, and no id has a NUL, so that a word padded with NULs
    is the word of one text only.
    """

    def __init__(
        self, buffer: Bytes, starts: IntArray, lengths: IntArray, first_words: Words | None = None
    ) -> None:
        self.buffer = buffer
        self.starts = starts
        self.lengths = lengths
        self._first_words = first_words

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (self.buffer, self.starts, self.lengths)

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> Ids:
        """Return ids from Python's bytes."""
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
            return self.take(index)
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

    def take(self, rows: IntArray | BoolArray | slice) -> Ids:
        """Return the ids of some rows (n,)."""
        # Words that were read are taken: faster than reading them again.
        words = None if self._first_words is None else self._first_words[rows]
        return Ids(self.buffer, self.starts[rows], self.lengths[rows], words)

    def width(self) -> int:
        """Words that the longest id takes."""
        return -(-int(self.lengths.max(initial=0)) // WORD)

    def word(self, number: int) -> Words:
        """Return (N,) the number-th word of every id, padded with NULs; 0 where the id is shorter."""
        if number == 0:
            if self._first_words is None:
                self._first_words = load_words(self.buffer, self.starts)
                self._first_words &= MASKS.take(self.lengths, mode="clip")
                self._first_words.flags.writeable = False
            return self._first_words
        left = np.maximum(self.lengths - WORD * number, 0)
        starts = np.minimum(self.starts + WORD * number, len(self.buffer) - 2 * WORD)
        return load_words(self.buffer, starts) & MASKS.take(left, mode="clip")

    def hashes(self, seed: int = 0) -> Words:
        """Return a hash (N,) of every id, good in its upper bits; equal ids have equal hashes."""
        mixed = np.zeros(len(self), np.uint64)
        if len(self) > AT_ONCE:
            for start in range(0, len(self), AT_ONCE):
                mixed[start : start + AT_ONCE] = self[start : start + AT_ONCE].hashes(seed)
            return mixed
        width = self.width()
        multipliers = odd_numbers(seed, max(EVERYWHERE, 1 << (width - 1).bit_length()))
        if width:
            np.multiply(self.word(0), multipliers[0], out=mixed)
        for number in range(1, min(width, EVERYWHERE)):
            longer = np.flatnonzero(self.lengths > WORD * number)
            if 2 * len(longer) > len(self):
                add_mixed(mixed, self.word(number), multipliers[number])
            else:
                part = mixed[longer]
                add_mixed(part, self.take(longer).word(number), multipliers[number])
                mixed[longer] = part
        for rows, begins, numbers, words in self._words(EVERYWHERE) if width > EVERYWHERE else ():
            parts = np.zeros(len(words), np.uint64)
            add_mixed(parts, words, multipliers[numbers])
            mixed[rows] += np.add.reduceat(parts, begins)
        return mixed

    def copied(self) -> Ids:
        """Return the same ids, cut loose from their buffer."""
        counts = -(-self.lengths // WORD)
        ends = np.cumsum(counts)
        copy = np.zeros((int(ends[-1]) if len(ends) else 0) + 3, "<u8")
        place = 0
        for *_, words in self._words(0):
            copy[place : place + len(words)] = words
            place += len(words)
        return Ids(copy.view(np.uint8), WORD * (ends - counts), self.lengths)

    def _words(self, first: int) -> Iterator[tuple[IntArray, IntArray, IntArray, Words]]:
        """Yield the words of ids from one number on: all such words (W,) of some rows (n,) at a time.

        Gives the rows, where the words of each begin, and of all words their numbers and themselves.
        """
        longer = np.flatnonzero(self.lengths > WORD * first)
        counts = -(-self.lengths[longer] // WORD) - first
        ends = np.cumsum(counts)
        start = 0
        while start < len(longer):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + _WORDS_AT_ONCE, side="right")), start + 1)
            rows, begins = longer[start:stop], ends[start:stop] - counts[start:stop] - before
            numbers = np.arange(int(ends[stop - 1]) - before) - np.repeat(begins, counts[start:stop])
            numbers += first
            places = np.repeat(self.starts[rows], counts[start:stop]) + WORD * numbers
            left = np.repeat(self.lengths[rows], counts[start:stop]) - WORD * numbers
            words = load_words(self.buffer, places) & MASKS.take(left, mode="clip")
            yield rows, begins, numbers, words
            start = stop


def equal(some: Ids, others: Ids) -> BoolArray:
    """Return (n,) whether some[i] is the same text as others[i]."""
    same: BoolArray = some.lengths == others.lengths
    for number in range(min(some.width(), others.width(), EVERYWHERE)):
        rows = np.flatnonzero(same)
        same[rows] = some.take(rows).word(number) == others.take(rows).word(number)
    alike = np.flatnonzero(same & (some.lengths > WORD * EVERYWHERE))
    # Their lengths are the same, so their words come in the same parts.
    for mine, theirs in zip(
        some.take(alike)._words(EVERYWHERE), others.take(alike)._words(EVERYWHERE), strict=True
    ):
        rows, begins, _, words = mine
        same[alike[rows]] = np.logical_and.reduceat(words == theirs[3], begins)
    return same
