"""Rows that belong together: the order that brings them together, stretches of them, and blocks of these.

A stretch is some rows that follow each other, mostly those of a topic; a block is some stretches that are
worked on together.

If S stretches follow each other, their offsets (S+1,) say that the i-th has the rows
offsets[i] ... offsets[i+1]-1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pres_eval.arrays.types import AnyArray, AnyInts, BoolArray, IntArray

BLOCK_ROWS = 1 << 17
"""Rows that are processed together, so that intermediate values stay in the cache."""


def changed(values: AnyArray, *others: AnyArray) -> BoolArray:
    """Return (n,) whether each row differs from the one before in any of these columns (n,).

    The first row counts as different: of 5 5 7 it and the third do.
    """
    differs = np.ones(len(values), np.bool_)
    differs[1:] = values[1:] != values[:-1]
    for column in others:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def stable_order(numbers: AnyInts, limit: int) -> IntArray:
    """Return (n,) the permutation that sorts numbers from 0 to limit - 1; equal ones keep their order."""
    if limit <= 2**16:  # numpy sorts numbers of 16 bits by digits, in linear time
        return np.argsort(numbers.astype(np.uint16), kind="stable")
    return np.argsort(numbers, kind="stable")


def has_equal(numbers: AnyArray) -> bool:
    """Return whether one of the numbers (n,) occurs twice."""
    # np.unique would do, but to make sure that its argument has no mask it imports numpy.ma: 15 ms.
    ascending = np.sort(numbers)
    is_like_next = ascending[1:] == ascending[:-1]
    return bool(is_like_next.any())


def present(numbers: AnyArray, limit: int) -> IntArray:
    """Return (m,) the distinct ones of some numbers (n,) from 0 to limit - 1, ascending."""
    return np.flatnonzero(np.bincount(numbers, minlength=limit))


def absent(numbers: AnyArray, limit: int) -> IntArray:
    """Return (m,) the numbers from 0 to limit - 1 that are not among some numbers (n,), ascending."""
    return np.flatnonzero(np.bincount(numbers, minlength=limit) == 0)


def lengths_at(offsets: IntArray, chosen: IntArray) -> IntArray:
    """Return (n,) the lengths of the stretches with these numbers (n,), of S with offsets (S+1,)."""
    return offsets[chosen + 1] - offsets[chosen]


def rows_of_stretches(starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows (n,) of stretches that begin at starts (S,), one after the other, and offsets (S+1,).

    The rows of stretches at 5 and 2, of lengths 2 and 3, are 5 6 2 3 4; their offsets among these 0, 2 and 5.
    """
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = np.repeat(starts - offsets[:-1], lengths)  # less their positions: 5 5 0 0 0
    # The positions are added in blocks: with an array of all of them, a million rows take over twice as long.
    for begin in range(0, len(rows), BLOCK_ROWS):
        part = rows[begin : begin + BLOCK_ROWS]
        part += np.arange(begin, begin + len(part))
    return rows, offsets


def rows_or_slice(starts: IntArray, lengths: IntArray) -> tuple[IntArray | slice, IntArray]:
    """Return the rows (n,) of stretches that begin at starts (S,), one after the other, and offsets (S+1,).

    The rows are a slice if each stretch begins where the one before ends, which costs less to index with.
    """
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    if len(starts) and (starts - offsets[:-1] == starts[0]).all():
        start = int(starts[0])
        return slice(start, start + int(offsets[-1])), offsets
    return rows_of_stretches(starts, lengths)


def blocks(offsets: IntArray, size: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) for each block of S stretches with offsets (S+1,): those from start to stop - 1.

    size  rows that a block has at most, unless it is a single stretch; None: BLOCK_ROWS
    """
    if size is None:
        size = BLOCK_ROWS
    start = 0
    while start < len(offsets) - 1:
        stop = int(np.searchsorted(offsets, offsets[start] + size, side="right")) - 1
        stop = max(stop, start + 1)
        yield start, stop
        start = stop
