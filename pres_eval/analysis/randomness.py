"""Random choices that are the same for a seed on every platform and under every version of numpy.

numpy promises the raw 64-bit stream of a bit generator for all time, but not the results of its distributions
it.  So only PCG64's raw stream is used here, seeded through SeedSequence, and the choices are made of it in
whole numbers.
"""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, Words


class RandomStream:
    """A stream of random choices that depends on its seeds (whole numbers >= 0) and on nothing else."""

    def __init__(self, *seeds: int) -> None:
        self._generator = np.random.PCG64(np.random.SeedSequence(seeds))

    def after(self, count: int) -> RandomStream:
        """Return the stream without its next `count` words."""
        self._generator.advance(count)
        return self

    def words(self, count: int) -> Words:
        """Return (count,) random 64-bit words."""
        return np.asarray(self._generator.random_raw(count), np.uint64)

    def signs(self, rows: int, columns: int) -> BoolArray:
        """Return (rows, columns) fair coin flips."""
        words = self.words(rows * (-(-columns // 64))).reshape(rows, -1)
        flips = (words[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        return flips.reshape(rows, -1)[:, :columns].astype(bool)

    def indices(self, rows: int, columns: int, below: int) -> IntArray:
        """Return integers (rows, columns) from 0 to below-1; none is likelier by more than below / 2**32."""
        high = self.words(rows * columns) >> np.uint64(32)
        return ((high * np.uint64(below)) >> np.uint64(32)).astype(np.int64).reshape(rows, columns)

    def times_drawn(self, rows: int, size: int) -> FloatArray:
        """Return (rows, size) how often each of `size` things occurs in `size` draws with replacement."""
        flat = (np.arange(rows)[:, None] * size + self.indices(rows, size, size)).ravel()
        return np.bincount(flat, minlength=rows * size).reshape(rows, size).astype(float)

    def orders(self, rows: int, size: int) -> IntArray:
        """Return (rows, size) random orders of the numbers 0 to size-1."""
        words, bits = self.words(rows * size).reshape(rows, size), max(size - 1, 1).bit_length()
        # The lowest bits carry the number, the others are random: sorting sorts the numbers at random.
        words &= np.uint64((1 << 64) - (1 << bits))
        words |= np.arange(size, dtype=np.uint64)
        words.sort(axis=1)
        words &= np.uint64((1 << bits) - 1)
        return words.view(np.int64)
