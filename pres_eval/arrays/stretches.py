"""Rows that belong together: the order that brings them together, stretches of them, and blocks of these.

A stretch has the rows of one topic, as a rule; a block is some stretches that are worked on together.

By offsets (S+1,), the i-th stretch is offsets[i] ... offsets[i+1]-1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pres_eval.arrays.types import AnyArray, AnyInts, BoolArray, IntArray
from pres_eval.records import dataclass

BLOCK_ROWS = 1 << 17
"""Rows that are processed together, so that intermediate values stay in the cache."""

LONG_STRETCH_ROWS = 100
"""Rows of a stretch, on average, from which on it is copied as a whole faster than row by row."""


def changed(values: AnyArray, *others: AnyArray) -> BoolArray:
    """Return (n,) whether any of these columns (n,) differs from the row before; the first row does."""
    differs = np.concatenate((np.ones(min(len(values), 1), np.bool_), values[1:] != values[:-1]))
    for column in others:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def stable_order(numbers: AnyInts, limit: int) -> IntArray:
    """Return (n,) the permutation that sorts numbers from 0 to limit - 1; equal ones keep their order."""
    # numpy sorts numbers of 16 bits by digits, in linear time.
    return np.argsort(numbers.astype(np.uint16) if limit <= 2**16 else numbers, kind="stable")


def has_equal(numbers: AnyArray) -> bool:
    """Return whether one of the numbers (n,) occurs twice."""
    # np.unique would do, but to make sure that its argument has no mask it imports numpy.ma: 15 ms.
    in_order = np.sort(numbers)
    return bool((in_order[1:] == in_order[:-1]).any())


def present(numbers: AnyArray, limit: int) -> IntArray:
    """Return (m,) the different ones of numbers from 0 to limit - 1, ascending."""
    return np.flatnonzero(np.bincount(numbers, minlength=limit))


def absent(numbers: AnyArray, limit: int) -> IntArray:
    """Return (m,) the numbers from 0 to limit - 1 that are not among these, ascending."""
    return np.flatnonzero(np.bincount(numbers, minlength=limit) == 0)


def lengths_at(offsets: IntArray, chosen: IntArray) -> IntArray:
    """Return (n,) the lengths of the chosen ones (n,) of S stretches with offsets (S+1,)."""
    return offsets[chosen + 1] - offsets[chosen]


def ragged(starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return indices starts[i] ... starts[i]+lengths[i]-1 (n,) for every i, and their beginnings (S+1,)."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = np.repeat(starts - offsets[:-1], lengths)
    for begin in range(0, len(rows), BLOCK_ROWS):  # a second array as long would be memory never used before
        part = rows[begin : begin + BLOCK_ROWS]
        part += np.arange(begin, begin + len(part))
    return rows, offsets


def gathered(arrays: Sequence[AnyArray], starts: IntArray, lengths: IntArray) -> AnyArray:
    """Return (N,) the values starts[i] ... starts[i]+lengths[i]-1 for every i, in a row.

    Values are counted through all arrays; none of the stretches may be in two of them.
    """
    if 0 < LONG_STRETCH_ROWS * len(starts) <= lengths.sum():
        begins = np.cumsum([0, *map(len, arrays[:-1])])
        which = np.searchsorted(begins, starts, side="right") - 1
        first = starts - begins[which]
        spans = zip(which.tolist(), first.tolist(), (first + lengths).tolist(), strict=True)
        return np.concatenate([arrays[number][begin:end] for number, begin, end in spans])
    values: AnyArray = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    return values[ragged(starts, lengths)[0]]


@dataclass(frozen=True, eq=False)
class Stretches:
    """Some stretches in the order in which they are wanted: where each begins (S,), and its length (S,)."""

    starts: IntArray
    lengths: IntArray

    def rows(self) -> IntArray:
        """Return (N,) the rows of all stretches."""
        return ragged(self.starts, self.lengths)[0]

    def values_in(self, values: AnyArray) -> AnyArray:
        """Return (N,) the values of these rows."""
        return gathered([values], self.starts, self.lengths)


def consecutive(starts: IntArray, lengths: IntArray) -> tuple[IntArray | slice, IntArray]:
    """Return the same of S stretches (S,); a slice where each stretch begins at the end of the one before."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    if len(starts) and (starts - offsets[:-1] == starts[0]).all():
        return slice(int(starts[0]), int(starts[0] + offsets[-1])), offsets
    return ragged(starts, lengths)


def blocks(offsets: IntArray, size: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield ranges of stretches (S+1,) with up to `size` (BLOCK_ROWS) rows together, or one with more."""
    start = 0
    while start < len(offsets) - 1:
        stop = int(np.searchsorted(offsets, offsets[start] + (size or BLOCK_ROWS), side="right")) - 1
        stop = max(stop, start + 1)
        yield start, stop
        start = stop
