"""Stretches of rows: their indices, and some of them at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pres_eval.arrays import stretches as module
from pres_eval.arrays.stretches import blocks, rows_of_stretches, rows_or_slice


@pytest.mark.parametrize("size", [1, 2, module.BLOCK_ROWS])
def test_rows_of_stretches(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_ROWS", size)
    rows, offsets = rows_of_stretches(np.array([10, 5, 7]), np.array([2, 0, 3]))
    assert rows.tolist() == [10, 11, 7, 8, 9]
    assert offsets.tolist() == [0, 2, 2, 5]


def test_rows_or_slice() -> None:
    """A slice where there are no gaps, the same rows in any case."""
    for starts, lengths in (([3, 5, 5], [2, 0, 3]), ([3, 4], [2, 1]), ([5, 3], [1, 2]), ([], []), ([4], [3])):
        rows, offsets = rows_or_slice(np.array(starts, np.int64), np.array(lengths, np.int64))
        expected, bounds = rows_of_stretches(np.array(starts, np.int64), np.array(lengths, np.int64))
        assert np.arange(20)[rows].tolist() == expected.tolist()
        assert offsets.tolist() == bounds.tolist()
    assert rows_or_slice(np.array([3, 5]), np.array([2, 3]))[0] == slice(3, 8)


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 20))
def test_blocks(lengths: list[int], size: int) -> None:
    """Every topic once, as many together as there is room for."""
    offsets = np.concatenate(([0], np.cumsum(np.array(lengths, np.int64))))
    ranges = list(blocks(offsets, size))
    assert [topic for start, stop in ranges for topic in range(start, stop)] == list(range(len(lengths)))
    for start, stop in ranges:
        assert stop - start == 1 or offsets[stop] - offsets[start] <= size
        assert stop == len(lengths) or offsets[stop + 1] - offsets[start] > size
