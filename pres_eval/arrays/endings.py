"""Endings of ids, for many ids at once."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.ids import WORD, Ids, load_words, num_bytes
from pres_eval.arrays.types import BoolArray, Bytes, IntArray


def bytes_among(some: bytes) -> BoolArray:
    """Return which bytes (256,) are among some."""
    among = np.zeros(256, np.bool_)
    among[list(some)] = True
    return among


DIGITS = bytes_among(b"0123456789")
AS_WRITTEN: Bytes = np.arange(256, dtype=np.uint8)
LOWER: Bytes = np.frombuffer(bytes(range(256)).lower(), np.uint8)
"""Table of the byte that replaces each byte in comparisons."""


def stripped(ids: Ids, lengths: IntArray, among: BoolArray) -> IntArray:
    """Return the lengths (n,) that beginnings (n,) of ids have without their last bytes of a kind (256,)."""
    left, others = lengths.copy(), (~among).tobytes()
    rows = np.flatnonzero(among[ids.buffer[ids.starts + np.maximum(lengths - 1, 0)]] & (lengths > 0))
    while len(rows):
        # The last eight bytes at once; those before the id do not count.
        begins = ids.starts[rows] + left[rows] - WORD
        words = load_words(ids.buffer, np.maximum(begins, 0))
        words <<= (np.maximum(-begins, 0) << 3).view(np.uint64)
        # Python replaces bytes in half the time that numpy takes.
        text = words.astype("<u8", copy=False).tobytes().translate(others)
        # The highest byte that counts is the last such one.
        gone = WORD - num_bytes(np.frombuffer(text, "<u8"))
        left[rows] = np.maximum(left[rows] - gone, 0)
        rows = rows[(gone == WORD) & (left[rows] > 0)]
    return left


def ending_in(ids: Ids, lengths: IntArray, text: bytes, letters: Bytes = AS_WRITTEN) -> IntArray:
    """Return the rows (m,) of ids whose beginnings, so long (n,), end in a text."""
    rows = np.flatnonzero(lengths >= len(text))
    for place, wanted in enumerate(reversed(text), 1):
        rows = rows[letters[ids.buffer[ids.starts[rows] + lengths[rows] - place]] == wanted]
    return rows
