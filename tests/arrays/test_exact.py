"""Sums as C makes them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pres_eval.arrays.exact import add_in_order


@pytest.mark.parametrize("start", [0.0, np.nan, -np.nan])
@pytest.mark.parametrize("values", [[1.0, np.nan, -np.nan, 2.0], [-np.nan, 1.0, np.nan], [1.0, 2.0]])
def test_a_sum_of_nans_has_the_sign_of_the_last(start: float, values: list[float]) -> None:
    total = add_in_order(np.array(values), start)
    last = [value for value in [start, *values] if math.isnan(value)][-1:]
    assert math.isnan(total) == bool(last)
    if last:
        assert math.copysign(1, total) == math.copysign(1, last[0])


def test_a_sum_is_a_loop() -> None:
    values = np.random.default_rng(1).normal(size=1000)
    expected = 0.5
    for value in values.tolist():
        expected += value
    assert add_in_order(values, 0.5) == expected
