"""Arithmetic with C's bits: sums that add one double after the other, the C library's logarithms.

numpy's pairwise sums and its own logarithms give other last bits, and they show in printed digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pres_eval.arrays.types import BoolArray, FloatArray, IntArray


def divide(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Return (n,) the quotients of numbers (n,) as doubles, 0 where the denominator is 0."""
    quotient = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def add_in_order(values: FloatArray, start: float = 0.0) -> float:
    """Return start plus the values (n,), one double added after the other, as a loop in C adds them."""
    if not len(values):
        return start
    one_row = values[np.newaxis]
    return float(add_rows_in_order(one_row, np.array([start]))[0])


def add_rows_in_order(values: FloatArray, start: FloatArray) -> FloatArray:
    """Return (C,) for each row its start (C,) plus its values (C, N), added one after the other."""
    with np.errstate(all="ignore"):
        running = np.add.accumulate(np.column_stack((start, values)), axis=1)
    totals: FloatArray = running[:, -1]
    for row in np.flatnonzero(np.isnan(totals)).tolist():
        # trec_eval: of several nans the sum keeps the sign of the last, as x86 adds there.
        nans = np.flatnonzero(np.isnan(values[row]))
        if len(nans):
            totals[row] = values[row, nans[-1]]
    return totals


SHORT_STRETCH_VALUES = 48
"""Values up to which a stretch becomes a row of a table; for longer ones a step of a loop costs no more."""


def accumulate(operation: np.ufunc, values: FloatArray, offsets: IntArray) -> FloatArray:
    """Return (N,) running sums or products of values (N,), which begin anew in each of S stretches.

    operation  np.add or np.multiply; values are added one after the other
    offsets    (S+1,) where the stretches begin and end: sums of 1 2 | 3 4 5 are 1 3 | 3 7 12

    Short stretches become the rows of a table, padded with 0 at their ends, so that they need no loop; long
    ones are few.
    """
    starts, stops = offsets[:-1], offsets[1:]
    lengths = stops - starts
    longest = int(lengths.max(initial=0))
    if len(lengths) * longest == len(values):  # if all have the same length, they are a table already
        table = values.reshape(len(lengths), longest)
        running: FloatArray = operation.accumulate(table, axis=1).ravel()
        return running
    running = np.empty(len(values))
    is_short = lengths <= SHORT_STRETCH_VALUES
    for start, stop in zip(starts[~is_short].tolist(), stops[~is_short].tolist(), strict=True):
        operation.accumulate(values[start:stop], out=running[start:stop])
    of_short: slice | BoolArray = slice(None)
    if longest > SHORT_STRETCH_VALUES:
        of_short = np.repeat(is_short, lengths)
    short_lengths = lengths[is_short]
    is_value = np.arange(short_lengths.max(initial=0)) < short_lengths[:, np.newaxis]
    table = np.zeros(is_value.shape)
    table[is_value] = values[of_short]
    running[of_short] = operation.accumulate(table, axis=1)[is_value]
    return running


def elementwise(function: Callable[[float], float], values: FloatArray) -> FloatArray:
    """Return (n,) the results of a function of Python's math module for values (n,).

    They have the C library's bits, unlike those of numpy's function.
    """
    distinct_values, index = np.unique(values, return_inverse=True)  # each is computed once
    results = np.fromiter(map(function, distinct_values.tolist()), float, len(distinct_values))
    return results[index].reshape(values.shape)


_LOG2_TABLE = np.array([math.nan])
"""Base-2 logarithms of the whole numbers 0, 1, 2, ... so far; 0 has none."""

_LEAST_LARGE_NUMBER = 1 << 16
"""Number from which on logarithms are not kept in the table, unless nearly as many numbers are asked for."""

_SHORTEST_TABLE = 1024
"""Numbers whose logarithms are computed together at least."""


def log2(whole: IntArray) -> FloatArray:
    """Return (n,) base-2 logarithms of whole numbers >= 1, bit-equal to the C library's (np.log2 is not)."""
    global _LOG2_TABLE  # noqa: PLW0603 - one table for the process, it only ever grows
    table = _LOG2_TABLE
    largest = int(whole.max(initial=0))
    if largest < len(table):
        return table[whole]
    # A table of up to four times the numbers asked for is worth making.
    if largest >= max(_LEAST_LARGE_NUMBER, 4 * len(whole)):
        return elementwise(math.log2, whole.astype(float))
    new_numbers = range(len(table), max(_SHORTEST_TABLE, largest + 1))
    logarithms = np.fromiter(map(math.log2, new_numbers), float, len(new_numbers))
    table = np.concatenate((table, logarithms))
    _LOG2_TABLE = table
    return table[whole]
