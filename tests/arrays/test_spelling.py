"""Decimal digits as words: Python's str() of every number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pres_eval.arrays.spelling import decimal_ids

EDGES = [number for power in range(19) for number in (10**power - 1, 10**power, 10**power + 1)]


@given(st.lists(st.one_of(st.integers(0, 2**63 - 1), st.integers(0, 10**9), st.sampled_from(EDGES))))
@example([])
@example([0])
@example([2**63 - 1, 0])
def test_like_str(numbers: list[int]) -> None:
    assert list(decimal_ids(np.array(numbers, np.int64))) == [str(number).encode() for number in numbers]


@pytest.mark.parametrize("most", [10**8, 10**16, 2**63 - 1])
def test_many(most: int) -> None:
    numbers = np.random.default_rng(5).integers(0, most, 20_000)
    assert list(decimal_ids(numbers)) == [str(number).encode() for number in numbers.tolist()]
