"""Sums as C makes them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from pres_eval.arrays.exact import add_in_order, add_rows_in_order, elementwise


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


def test_sums_of_rows_are_those_of_each() -> None:
    rows = np.random.default_rng(2).normal(size=(5, 300))
    rows[1, 7], rows[2, 250], rows[2, 260] = np.nan, np.inf, -np.inf
    rows[3, 9], rows[3, 10] = -np.nan, np.nan
    start = np.array([0.0, 1.5, -2.0, np.nan, 3.0])
    wanted = [add_in_order(row, first) for row, first in zip(rows, start.tolist(), strict=True)]
    found = add_rows_in_order(rows, start).tolist()
    assert list(map(repr, found)) == list(map(repr, wanted))
    assert [math.copysign(1, value) for value in found] == [math.copysign(1, value) for value in wanted]


@pytest.mark.parametrize("function", [math.log, math.exp, math.log1p])
def test_functions_are_those_of_the_c_library(function: Callable[[float], float]) -> None:
    """Those of numpy differ in the last bit of one value in three hundred."""
    values = np.random.default_rng(1).random(5000)
    assert elementwise(function, values).tolist() == list(map(function, values.tolist()))
