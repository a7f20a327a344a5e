"""Confidence intervals: against scipy, by definition, and how often they cover the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from pres_eval.analysis.distributions import t_above, t_quantile, t_two_sided
from pres_eval.analysis.estimates import (
    INTERVALS,
    bca_intervals,
    bootstrap_means,
    intervals,
    percentile_intervals,
    t_intervals,
)
from pres_eval.analysis.reproducible import RandomStream


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 49, 400, pytest.param(4851, marks=pytest.mark.slow)])
def test_students_t_is_scipys(freedom: int) -> None:
    t = np.concatenate((np.linspace(-12, 12, 241), [1e-3, 1e-2, 40.0]))
    assert t_two_sided(t, freedom) == pytest.approx(2 * special.stdtr(freedom, -np.abs(t)), rel=1e-10)
    assert t_above(t, freedom) == pytest.approx(special.stdtr(freedom, -t), rel=1e-10)
    for outside in (0.999, 0.5, 0.1, 0.05, 0.01, 1e-4, 1e-7):
        # Not stdtrit: before scipy 1.16 it is off by 1e-11.
        found = special.stdtr(freedom, -t_quantile(outside, freedom))
        assert found == pytest.approx(outside / 2, rel=1e-10)


def test_bits_of_students_t_do_not_depend_on_what_stands_beside() -> None:
    t = np.linspace(0.01, 9, 400)
    together = t_two_sided(t, 11)
    assert together.tolist() == [t_two_sided(t[i : i + 1], 11)[0] for i in range(len(t))]


def test_students_t_at_its_ends() -> None:
    found = t_two_sided(np.array([0.0, math.inf, -math.inf, math.nan]), 5)
    assert found[:3].tolist() == [1.0, 0.0, 0.0]
    assert math.isnan(found[3])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60), st.sampled_from([0.2, 0.05, 0.001]))
@settings(deadline=None)
def test_t_interval_is_scipys(values: list[float], outside: float) -> None:
    row = np.array(values)
    lower, upper = t_intervals(row[None, :], outside)
    if np.ptp(row) < 1e-9:
        assert upper[0] - lower[0] == pytest.approx(0, abs=1e-8)
        return
    theirs = stats.t.interval(1 - outside, len(row) - 1, row.mean(), stats.sem(row))
    assert (lower[0], upper[0]) == pytest.approx(theirs, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
@pytest.mark.parametrize("shape", [(0.5, 2), (2, 2)])
def test_bootstrap_intervals_are_scipys(method: str, shape: tuple[float, float]) -> None:
    """Other draws, so the ends agree as far as 20,000 draws are sure of them."""
    values = np.random.default_rng(4).beta(*shape, 40)
    lower, upper = intervals(values[None, :], 0.05, method.lower(), 20_000, seed=0)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(1)
    ).confidence_interval
    assert (lower[0], upper[0]) == pytest.approx((theirs.low, theirs.high), abs=0.003)


def test_bootstrap_draws_are_the_percentiles_of_the_means_of_the_stream() -> None:
    values = np.random.default_rng(6).random((2, 7))
    draws = RandomStream(9).indices(200, 7, 7)
    means = np.sort([[math.fsum(row[draw]) / 7 for draw in draws] for row in values])
    lower, upper = percentile_intervals(bootstrap_means(values, 200, seed=9), 0.1)
    assert np.allclose(lower, np.quantile(means, 0.05, axis=1), rtol=1e-13)
    assert np.allclose(upper, np.quantile(means, 0.95, axis=1), rtol=1e-13)


@pytest.mark.parametrize("kind", INTERVALS)
def test_intervals_of_equal_values_have_no_width_and_one_topic_has_none(kind: str) -> None:
    lower, upper = intervals(np.full((1, 8), 0.25), 0.05, kind, 50)
    assert lower.tolist() == upper.tolist() == [0.25]
    lower, upper = intervals(np.full((2, 1), 0.25), 0.05, kind, 50)
    assert np.isnan([lower, upper]).all()


def test_bca_by_its_formula() -> None:
    values = np.random.default_rng(2).beta(0.4, 2, 15)
    means = bootstrap_means(values[None, :], 4000, seed=3)
    normal = stats.norm
    bias = normal.ppf((means[:, 0] < values.mean() - 1e-12).mean())
    jackknife = np.array([np.delete(values, place).mean() for place in range(15)])
    left = jackknife.mean() - jackknife
    acceleration = (left**3).sum() / (6 * (left**2).sum() ** 1.5)
    z = bias + normal.ppf([0.025, 0.975])
    shares = normal.cdf(bias + z / (1 - acceleration * z))
    lower, upper = bca_intervals(values[None, :], means, 0.05)
    assert (lower[0], upper[0]) == pytest.approx(np.quantile(means[:, 0], shares), abs=1e-12)


COVERAGE = {"t": (0.91, 0.97), "bca": (0.875, 0.95), "percentile": (0.86, 0.935)}


@pytest.mark.parametrize("kind", INTERVALS)
def test_coverage_of_ten_topics(kind: str) -> None:
    """Differences of two skewed scores, 10 topics: only t comes near to the 95 % that are wanted."""
    rng = np.random.default_rng(17)
    values = rng.beta(0.6, 2, (1000, 10)) - rng.beta(0.6, 2, (1000, 10))
    lower, upper = intervals(values, 0.05, kind, 1000, seed=1)
    covered = float(((lower <= 0) & (upper >= 0)).mean())
    least, most = COVERAGE[kind]
    assert least < covered < most


def test_bootstrap_rows_stay_paired() -> None:
    values = np.random.default_rng(6).random((2, 30))
    both = bootstrap_means(values, 300, seed=2)
    difference = bootstrap_means(values[:1] - values[1:], 300, seed=2)[:, 0]
    assert np.allclose(both[:, 0] - both[:, 1], difference, atol=1e-15)
