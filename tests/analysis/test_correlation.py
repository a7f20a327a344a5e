"""Rank correlations: against scipy, against published examples, and ties against all ways to break them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from pres_eval.analysis.correlation import (
    COEFFICIENTS,
    average_ranks,
    kendall_tau_a,
    kendall_tau_b,
    positions,
    spearman,
    tau_ap,
    tau_ap_b,
)

# The example on the manual page of the R package ircor (Urbano & Marrero), which prints what is expected.
X = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
Y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])


@st.composite
def two_lists(draw: st.DrawFn, largest: int = 5, most: int = 30) -> tuple[NDArray[Any], NDArray[Any]]:
    size = draw(st.integers(2, most))
    lists = [draw(st.lists(st.integers(0, largest), min_size=size, max_size=size)) for _ in range(2)]
    return np.array(lists[0], float), np.array(lists[1], float)


@pytest.mark.parametrize(
    ("truth", "estimate", "expected"),
    [(X, Y, "0.3928571"), (X, Y.round(1), "0.39903")],
)
def test_tau_ap_published(truth: NDArray[Any], estimate: NDArray[Any], expected: str) -> None:
    assert f"{tau_ap(truth, estimate):.7g}" == expected


@pytest.mark.parametrize(("x", "expected"), [(X, "0.3317019"), (X.round(1), "0.339418")])
def test_tau_ap_b_published(x: NDArray[Any], expected: str) -> None:
    assert f"{tau_ap_b(x, Y.round(1)):.7g}" == expected
    assert f"{tau_ap_b(Y.round(1), x):.7g}" == expected


def test_tau_ap_punishes_disorder_at_the_top() -> None:
    """The same number of swaps: Kendall sees no difference, τ_AP does (worked by hand)."""
    truth = np.array([0.0, -1, -2, -3, -4, -5, -6, -7])
    top_reversed = np.array([-3.0, -2, -1, 0, -4, -5, -6, -7])
    tail_reversed = np.array([0.0, -1, -2, -3, -7, -6, -5, -4])
    assert kendall_tau_a(truth, top_reversed) == kendall_tau_a(truth, tail_reversed) == 16 / 28
    assert tau_ap(truth, top_reversed) == pytest.approx(2 / 7 * (0 + 0 + 0 + 1 + 1 + 1 + 1) - 1, abs=1e-15)
    tail = 2 / 7 * (1 + 1 + 1 + 1 + 4 / 5 + 4 / 6 + 4 / 7) - 1
    assert tau_ap(truth, tail_reversed) == pytest.approx(tail, abs=1e-15)


def tau_ap_by_definition(truth: list[float], order: tuple[int, ...]) -> float:
    total = 0.0
    for place in range(1, len(order)):
        right = sum(truth[above] > truth[order[place]] for above in order[:place])
        total += right / place
    return 2 / (len(order) - 1) * total - 1


def orders_of(scores: NDArray[Any]) -> list[tuple[int, ...]]:
    """All orders, highest first, into which ties could be broken."""
    orders = itertools.permutations(range(len(scores)))
    return [o for o in orders if all(scores[a] >= scores[b] for a, b in itertools.pairwise(o))]


@given(two_lists(largest=3, most=5))
@settings(deadline=None, max_examples=60)
def test_tau_ap_is_the_mean_over_all_ways_to_break_ties(lists: tuple[NDArray[Any], NDArray[Any]]) -> None:
    truth, estimate = lists
    values = []
    for true_order in orders_of(truth):
        broken = [0.0] * len(truth)
        for place, thing in enumerate(true_order):
            broken[thing] = -float(place)
        values += [tau_ap_by_definition(broken, order) for order in orders_of(estimate)]
    assert tau_ap(truth, estimate) == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


@given(two_lists())
@settings(deadline=None)
def test_tau_b_and_spearman_are_scipys(lists: tuple[NDArray[Any], NDArray[Any]]) -> None:
    x, y = lists
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert math.isnan(kendall_tau_b(x, y))
        assert math.isnan(spearman(x, y))
        return
    assert kendall_tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-14)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-14)
    assert average_ranks(x).tolist() == stats.rankdata(x).tolist()
    assert positions(x).tolist() == stats.rankdata(-x, "min").tolist()


@given(two_lists())
@settings(deadline=None)
def test_tau_a_counts_pairs(lists: tuple[NDArray[Any], NDArray[Any]]) -> None:
    x, y = lists
    pairs = list(itertools.combinations(range(len(x)), 2))
    orders = [np.sign(x[a] - x[b]) * np.sign(y[a] - y[b]) for a, b in pairs]
    assert kendall_tau_a(x, y) == sum(orders) / len(pairs)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_ends_and_empty_cases(name: str) -> None:
    coefficient = COEFFICIENTS[name]
    scores = np.array([0.1, 0.5, 0.3, 0.9])
    assert coefficient(scores, scores * 2) == pytest.approx(1, abs=1e-15)
    assert coefficient(scores, -scores) == pytest.approx(-1, abs=1e-15)
    assert math.isnan(coefficient(scores[:1], scores[:1]))
