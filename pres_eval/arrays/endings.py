"""How ids end, for many ids at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.types import BoolArray, Bytes, IntArray


def bytes_among(some: bytes) -> BoolArray:
    """Return which bytes (256,) are among some."""
    among = np.zeros(256, np.bool_)
    among[list(some)] = True
    return among


DIGITS = bytes_among(b"0123456789")
AS_WRITTEN: Bytes = np.arange(256, dtype=np.uint8)
LOWER: Bytes = np.frombuffer(bytes(range(256)).lower(), np.uint8)
"""What becomes of each byte before it is compared."""


def stripped(ids: Ids, lengths: IntArray, among: BoolArray) -> IntArray:
    """Return the lengths (n,) that beginnings (n,) of ids have without their last bytes of a kind (256,)."""
    left = lengths.copy()
    rows: NDArray[np.int64] = np.arange(len(ids))
    while len(rows):
        rows = rows[left[rows] > 0]
        rows = rows[among[ids.buffer[ids.starts[rows] + left[rows] - 1]]]
        left[rows] -= 1
    return left


def ending_in(ids: Ids, lengths: IntArray, text: bytes, letters: Bytes = AS_WRITTEN) -> IntArray:
    """Return the rows (m,) of ids whose beginnings, so long (n,), end in a text."""
    rows = np.flatnonzero(lengths >= len(text))
    for place, wanted in enumerate(reversed(text), 1):
        rows = rows[letters[ids.buffer[ids.starts[rows] + lengths[rows] - place]] == wanted]
    return rows
