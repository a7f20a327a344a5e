"""Numbers that come out the same everywhere: comparisons that rounding errors do not decide, random choices.

np.add.accumulate adds up one number after the other, on every platform alike; np.sum does not promise that.

numpy promises the raw 64-bit stream of a bit generator for all time, but not the results of its
distributions.  So only PCG64's raw stream is used here, seeded through SeedSequence, and the choices are made
of it in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, Words

DECIMALS = 12
"""Decimals to which scores and differences are rounded before they are compared.

0.3 - 0.1 and 0.2 are the same difference, though not the same double.  Two runs with the same values on other
topics have the same mean, though it was added up in another order.
"""


def rounded(values: FloatArray) -> FloatArray:
    """Return values, (n,) or of another shape, rounded to 12 decimals for comparisons.

    If the largest value is above 1, all have fewer decimals, one less up to 10, two less up to 100, and so
    on: it keeps 12 digits (10 and 100 themselves 13).
    """
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=1.0))
    digits_before_point = math.ceil(math.log10(largest))
    return np.round(values, DECIMALS - digits_before_point)


def quantiles_of_known(values: FloatArray, shares: Sequence[float]) -> list[float]:
    """Return the quantiles of the values (n,) that are numbers; nan where none is."""
    known = values[~np.isnan(values)]
    if not len(known):
        return [math.nan] * len(shares)
    quantiles: list[float] = np.quantile(known, shares).tolist()
    return quantiles


def least_enough(enough: Callable[[float], bool], high: float, halvings: int = 50) -> float:
    """Return the least number above 0 that is enough, at most high / 2**halvings too large.

    high  a first guess; it is doubled until it is enough, and counts as doubled in the sentence above
    Some number has to be enough, and then all numbers above it.
    """
    low = 0.0
    while not enough(high):
        high *= 2
    for _ in range(halvings):
        middle = (low + high) / 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def wins_ties_losses(differences: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return how many topics have a difference (P, T) above, at and below zero: three arrays (P,).

    The rounding errors of a difference are as large as its two scores make them, which are not known here: it
    is rounded as that of scores up to 1,000 or so.
    """
    differences = np.round(differences, DECIMALS)
    return (differences > 0).sum(axis=1), (differences == 0).sum(axis=1), (differences < 0).sum(axis=1)


def mean_and_deviation(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means (P,) and sample standard deviations (P,), with divisor T - 1, of rows (P, T).

    A row of numbers that are equal after rounding has a deviation of exactly 0, and so has a single number.
    """
    size = differences.shape[1]
    mean = np.add.accumulate(differences, axis=1)[:, -1] / size
    squares = np.add.accumulate((differences - mean[:, None]) ** 2, axis=1)[:, -1]
    deviation = np.sqrt(squares / max(size - 1, 1))
    comparable = np.round(differences, DECIMALS)
    deviation[(comparable == comparable[:, :1]).all(axis=1)] = 0.0
    return mean, deviation


class RandomStream:
    """A stream of random choices that depends on its seeds (whole numbers >= 0) and on nothing else."""

    def __init__(self, *seeds: int) -> None:
        self._generator = np.random.PCG64(np.random.SeedSequence(seeds))

    def skip(self, count: int) -> None:
        """Leave out the next `count` words."""
        self._generator.advance(count)

    def words(self, count: int) -> Words:
        """Return (count,) random 64-bit words."""
        return np.asarray(self._generator.random_raw(count), np.uint64)

    def signs(self, rows: int, columns: int) -> BoolArray:
        """Return (rows, columns) fair coin flips."""
        words_of_row = -(-columns // 64)
        words = self.words(rows * words_of_row).reshape(rows, words_of_row)
        bits = (words[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        return bits.reshape(rows, -1)[:, :columns].astype(bool)

    def indices(self, rows: int, columns: int, below: int) -> IntArray:
        """Return random integers (rows, columns) from 0 to below - 1.

        One may be likelier than another, by less than a share of below / 2**32.
        """
        numbers_of_32_bits = self.words(rows * columns) >> np.uint64(32)
        indices = (numbers_of_32_bits * np.uint64(below)) >> np.uint64(32)
        return indices.astype(np.int64).reshape(rows, columns)

    def times_drawn(self, rows: int, size: int) -> FloatArray:
        """Return (rows, size) how often each of `size` things occurs in `size` draws with replacement."""
        first_cell_of_row = np.arange(rows)[:, None] * size
        cells = (first_cell_of_row + self.indices(rows, size, size)).ravel()
        return np.bincount(cells, minlength=rows * size).reshape(rows, size).astype(float)

    def orders(self, rows: int, size: int) -> IntArray:
        """Return (rows, size) random orders of the numbers 0 to size-1."""
        words = self.words(rows * size).reshape(rows, size)
        bits = max(size - 1, 1).bit_length()
        # The lowest bits carry the number, the others are random: sorting sorts the numbers at random.
        words &= np.uint64((1 << 64) - (1 << bits))
        words |= np.arange(size, dtype=np.uint64)
        words.sort(axis=1)
        words &= np.uint64((1 << bits) - 1)
        return words.view(np.int64)
