"""Running sums of stretches: the same bits by a loop over them and in tables."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pres_eval.arrays import exact

VALUES = st.lists(st.lists(st.floats(-1e6, 1e6), max_size=9), max_size=12)


@given(VALUES, st.sampled_from([0, 1, 4, 9]))
def test_like_a_plain_loop(stretches: list[list[float]], narrow: int) -> None:
    offsets = np.cumsum([0, *map(len, stretches)])
    expected = []
    for stretch in stretches:
        total = 0.0
        for number, value in enumerate(stretch):
            total = value if number == 0 else total + value
            expected.append(total)
    values = np.array([value for stretch in stretches for value in stretch], np.float64)
    with mock.patch.object(exact, "SHORT_STRETCH_VALUES", narrow):
        assert exact.accumulate(np.add, values, offsets).tolist() == expected


@pytest.mark.parametrize("count", [1, 500])
def test_many_stretches(count: int) -> None:
    values = np.random.default_rng(1).random(count * 3)
    offsets = np.arange(0, len(values) + 1, 3)
    found = exact.accumulate(np.add, values, offsets).reshape(-1, 3)
    assert (found == np.add.accumulate(values.reshape(-1, 3), axis=1)).all()
