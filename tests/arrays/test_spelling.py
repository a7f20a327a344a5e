"""Decimal digits as words: Python's str() of every number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.spelling import are_short_numbers, decimal_ids

EDGES = [number for power in range(19) for number in (10**power - 1, 10**power, 10**power + 1)]


@given(st.lists(st.one_of(st.integers(0, 2**63 - 1), st.integers(0, 10**9), st.sampled_from(EDGES))))
@example([])
@example([0])
@example([2**63 - 1, 0])
def test_like_str(numbers: list[int]) -> None:
    assert list(decimal_ids(np.array(numbers, np.int64))) == [str(number).encode() for number in numbers]


@given(st.lists(st.text("09.:/a ", max_size=10).map(str.encode), min_size=1))
@example([b"12345678", b"123456789", b"1234567:", b"/1", b"", b"0"])
def test_short_numbers(texts: list[bytes]) -> None:
    expected = [len(text) <= 8 and (not text or text.isdigit()) for text in texts]
    assert are_short_numbers(Ids.of(texts)).tolist() == expected


@pytest.mark.parametrize("most", [10**8, 10**16, 2**63 - 1])
def test_many(most: int) -> None:
    numbers = np.random.default_rng(5).integers(0, most, 20_000)
    assert list(decimal_ids(numbers)) == [str(number).encode() for number in numbers.tolist()]
