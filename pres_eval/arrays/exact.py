"""Arithmetic with C's bits: sums that add one double after the other, the C library's logarithms.

numpy's pairwise sums and its own logarithms give other last bits, and they show in printed digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pres_eval.arrays.types import FloatArray, IntArray


def divide(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Return (n,) quotient of each two as doubles, 0 where the denominator is 0."""
    quotient = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def add_in_order(values: FloatArray, start: float = 0.0) -> float:
    """Return the sum of (n,) values, one double after the other, as a C loop gives it."""
    return float(add_rows_in_order(values[np.newaxis], np.array([start]))[0]) if len(values) else start


def add_rows_in_order(values: FloatArray, start: FloatArray) -> FloatArray:
    """Return the same for every row: sums (C,) of values (C, N) that begin with `start` (C,)."""
    with np.errstate(all="ignore"):
        totals: FloatArray = np.add.accumulate(np.column_stack((start, values)), axis=1)[:, -1]
    for row in np.flatnonzero(np.isnan(totals)).tolist():
        # trec_eval: of several nans the sum keeps the sign of the last, as x86 adds there.
        nans = np.flatnonzero(np.isnan(values[row]))
        if len(nans):
            totals[row] = values[row, nans[-1]]
    return totals


NARROW = 48
"""Values of a stretch up to which it is a row of a table; for longer ones a step of a loop costs no more."""


def accumulate(operation: np.ufunc, values: FloatArray, offsets: IntArray) -> FloatArray:
    """Return running sums (np.add) or products (np.multiply) that begin anew at each offset, step by step.

    values (N,), offsets (S+1,) of S stretches -> (N,).  Short stretches are the rows of a table, so that
    they need no loop; long ones are few.
    """
    lengths = offsets[1:] - offsets[:-1]
    width = int(lengths.max(initial=0))
    if len(lengths) * width == len(values):  # all of one length are a table already
        whole: FloatArray = operation.accumulate(values.reshape(len(lengths), width), axis=1).ravel()
        return whole
    running = np.empty(len(values))
    is_short = lengths <= NARROW
    for begin, end in zip(offsets[:-1][~is_short].tolist(), offsets[1:][~is_short].tolist(), strict=True):
        operation.accumulate(values[begin:end], out=running[begin:end])
    chosen = slice(None) if width <= NARROW else np.repeat(is_short, lengths)
    lengths = lengths[is_short]
    inside = np.arange(lengths.max(initial=0)) < lengths[:, np.newaxis]
    table = np.zeros(inside.shape)
    table[inside] = values[chosen]
    running[chosen] = operation.accumulate(table, axis=1)[inside]
    return running


def elementwise(function: Callable[[float], float], values: FloatArray) -> FloatArray:
    """Return a function of Python's math module at each value (n,): the C library's bits, unlike numpy's."""
    different, where = np.unique(values, return_inverse=True)
    return np.fromiter(map(function, different.tolist()), float, len(different))[where].reshape(values.shape)


_LOG2_TABLE = np.array([math.nan])
_LOG2_SPARSE = 1 << 16


def log2(whole: IntArray) -> FloatArray:
    """Return (n,) base-2 logarithm of whole numbers >= 1, bit-equal to the C library's (np.log2 is not)."""
    global _LOG2_TABLE  # noqa: PLW0603 - one table for the process, it only ever grows
    table = _LOG2_TABLE
    largest = int(whole.max(initial=0))
    if largest >= len(table):
        if largest >= max(_LOG2_SPARSE, 4 * len(whole)):
            return elementwise(math.log2, whole.astype(float))
        size = max(1024, largest + 1)
        more = np.fromiter(map(math.log2, range(len(table), size)), float, size - len(table))
        _LOG2_TABLE = table = np.concatenate((table, more))
    return table[whole]
