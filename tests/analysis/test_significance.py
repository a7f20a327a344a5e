"""Paired tests, corrections, effect sizes, intervals: against scipy, statsmodels, and exact enumeration."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.effects import (
    bootstrap_means,
    cohens_d,
    percentile_intervals,
    rank_biserial,
    wins_ties_losses,
)
from pres_eval.analysis.randomness import Stream
from pres_eval.analysis.significance import (
    TESTS,
    mean_and_deviation,
    paired_t,
    randomisation,
    signed_ranks,
    wilcoxon,
)
from pres_eval.errors import MissingExtraError

# Differences in quarters are exact doubles, so nothing is rounded away and scipy sees the same ties.
quarters = st.integers(-8, 8).map(lambda whole: whole / 4)


@given(st.lists(quarters, min_size=14, max_size=120))
@settings(deadline=None)
def test_wilcoxon_with_ties_and_zeros_is_scipys(values: list[float]) -> None:
    differences = np.array(values)
    if not differences.any():
        assert wilcoxon(differences[None, :])[0] == 1
        return
    ours = signed_ranks(differences[None, :])
    theirs = stats.wilcoxon(differences)
    assert f"{ours.p_value[0]:.12g}" == f"{theirs.pvalue:.12g}"
    assert min(ours.positive[0], ours.negative[0]) == theirs.statistic


@given(st.lists(quarters, min_size=1, max_size=7))
@settings(deadline=None)
def test_wilcoxon_of_few_topics_goes_through_all_signs(values: list[float]) -> None:
    differences = np.array(values)
    kept = differences[differences != 0]
    if not len(kept):
        assert wilcoxon(differences[None, :])[0] == 1
        return
    ranks = stats.rankdata(np.abs(kept))
    least = min(ranks[kept > 0].sum(), ranks[kept < 0].sum())
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s)
        for signs in itertools.product((0, 1), repeat=len(kept))
    ]
    expected = min(1.0, 2 * sum(s <= least for s in sums) / len(sums))
    assert wilcoxon(differences[None, :])[0] == expected


@pytest.mark.parametrize("size", [1, 2, 5, 13, 14, 30, 50, 51, 400])
def test_wilcoxon_without_ties_is_scipys(size: int) -> None:
    differences = np.random.default_rng(size).normal(0.1, 1, (4, size))
    theirs = [stats.wilcoxon(row).pvalue for row in differences]
    assert [f"{p:.12g}" for p in wilcoxon(differences)] == [f"{p:.12g}" for p in theirs]


def test_wilcoxon_sees_ties_through_rounding() -> None:
    """0.3 - 0.1 and 0.2 are the same difference; 0.1 + 0.2 - 0.3 is none."""
    noisy = np.array([[0.3 - 0.1, 0.2, 0.1 + 0.2 - 0.3, -0.5]])
    ranks = signed_ranks(noisy)
    assert (ranks.positive[0], ranks.negative[0]) == (3.0, 3.0)
    assert [int(count[0]) for count in wins_ties_losses(noisy)] == [2, 1, 1]


@pytest.mark.parametrize("size", [2, 3, 50, 400])
def test_paired_t_is_scipys(size: int) -> None:
    rng = np.random.default_rng(size)
    x, y = rng.random((3, size)), rng.random((3, size))
    theirs = stats.ttest_rel(x, y, axis=1).pvalue
    assert [f"{p:.12g}" for p in paired_t(x - y)] == [f"{p:.12g}" for p in theirs]


def test_paired_t_of_constant_differences() -> None:
    assert paired_t(np.array([[0.0, 0.0], [0.3 - 0.1, 0.2]])).tolist() == [1.0, 0.0]
    assert math.isnan(paired_t(np.array([[0.5]]))[0])


def test_paired_t_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pres-eval\[stats\]'"):
        paired_t(np.zeros((1, 3)))


def enumerate_signs(differences: list[float]) -> float:
    reached = abs(math.fsum(differences)) - 1e-9
    signs = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [abs(math.fsum(s * d for s, d in zip(ss, differences, strict=True))) for ss in signs]
    return sum(s >= reached for s in sums) / len(sums)


@given(st.lists(st.integers(-20, 20).map(lambda whole: whole / 10), min_size=1, max_size=9))
@settings(deadline=None)
def test_randomisation_of_few_topics_is_exact(values: list[float]) -> None:
    assert randomisation(np.array([values]))[0] == enumerate_signs(values)


def test_randomisation_is_scipys_permutation_test() -> None:
    differences = np.random.default_rng(3).normal(0.3, 1, 11)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    assert randomisation(differences[None, :])[0] == pytest.approx(theirs.pvalue, abs=1e-15)


def test_sampled_randomisation_is_near_the_exact_one() -> None:
    differences = np.random.default_rng(5).normal(0.4, 1, 17)
    exact = enumerate_signs(differences.tolist())
    sampled = randomisation(differences[None, :], 20_000, seed=1)[0]
    assert 0.01 < exact < 0.5
    assert sampled == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))
    assert sampled == randomisation(differences[None, :], 20_000, seed=1)[0]
    assert sampled != randomisation(differences[None, :], 20_000, seed=2)[0]


def test_sampled_randomisation_is_never_zero_and_does_not_depend_on_other_rows() -> None:
    certain, other = np.full(40, 0.5), np.random.default_rng(1).normal(0.2, 1, 40)
    both = randomisation(np.array([certain, other]), 999)
    assert both[0] == 1 / 1000
    assert both[1] == randomisation(other[None, :], 999)[0]


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_is_not_significant_and_sides_do_not_matter(test: str) -> None:
    differences = np.random.default_rng(8).normal(0.2, 1, (3, 30))
    function = TESTS[test]
    assert function(np.zeros((1, 30)), 100, 0).tolist() == [1.0]
    assert function(differences, 500, 0).tolist() == function(-differences, 500, 0).tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(deadline=None)
def test_corrections_are_statsmodels(values: list[float]) -> None:
    p_values = np.array(values)
    names = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
    for ours, theirs in names.items():
        expected = multipletests(p_values, method=theirs)[1]
        assert [f"{p:.12g}" for p in CORRECTIONS[ours](p_values)] == [f"{p:.12g}" for p in expected], ours
    assert CORRECTIONS["none"](p_values).tolist() == values


def test_cohens_d_and_rank_biserial_by_hand() -> None:
    differences = np.array([[1.0, 2.0, 3.0, -4.0, 0.0]])
    assert cohens_d(differences)[0] == pytest.approx(0.4 / np.std(differences, ddof=1), abs=1e-15)
    assert rank_biserial(differences)[0] == (6 - 4) / 10
    assert cohens_d(np.array([[0.0, 0.0], [0.2, 0.3 - 0.1]])).tolist() == [0.0, math.inf]
    assert rank_biserial(np.array([[0.0, 0.0], [0.2, 0.1]])).tolist() == [0.0, 1.0]


def test_mean_and_deviation_are_numpys() -> None:
    values = np.random.default_rng(2).random((5, 40))
    mean, deviation = mean_and_deviation(values)
    assert np.allclose(mean, values.mean(axis=1), rtol=1e-14)
    assert np.allclose(deviation, values.std(axis=1, ddof=1), rtol=1e-14)


def test_bootstrap_interval_is_scipys_percentile_interval() -> None:
    """Other draws, so the ends agree as far as 20,000 draws are sure of them."""
    values = np.random.default_rng(4).beta(0.5, 2, 60)
    lower, upper = percentile_intervals(bootstrap_means(values[None, :], 20_000, seed=0))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert (lower[0], upper[0]) == pytest.approx((theirs.low, theirs.high), abs=0.003)
    assert lower[0] < values.mean() < upper[0]


def test_bootstrap_draws_are_the_percentiles_of_the_means_of_the_stream() -> None:
    values = np.random.default_rng(6).random((2, 7))
    draws = Stream(9).indices(200, 7, 7)
    means = np.sort([[math.fsum(row[draw]) / 7 for draw in draws] for row in values])
    lower, upper = percentile_intervals(bootstrap_means(values, 200, seed=9), confidence=0.9)
    assert np.allclose(lower, np.quantile(means, 0.05, axis=1), rtol=1e-13)
    assert np.allclose(upper, np.quantile(means, 0.95, axis=1), rtol=1e-13)


def test_bootstrap_of_equal_values_has_no_width() -> None:
    lower, upper = percentile_intervals(bootstrap_means(np.full((1, 8), 0.25), 50))
    assert lower.tolist() == upper.tolist() == [0.25]


def test_stream_is_the_same_everywhere() -> None:
    """Pinned: PCG64's raw stream, seeded through SeedSequence, as numpy promises to keep it."""
    assert [f"{word:016x}" for word in Stream(0).words(2)] == ["a30febcfd9c2825f", "4510bdf882d9d721"]
    assert Stream(1, 2).indices(2, 4, 10).tolist() == [[4, 4, 4, 2], [8, 0, 0, 8]]
    assert Stream(7).signs(1, 8).astype(int).tolist() == [[1, 1, 0, 1, 0, 0, 0, 1]]


def test_indices_cover_the_range_evenly() -> None:
    counts = np.bincount(Stream(3).indices(100, 700, 7).ravel(), minlength=8)
    assert counts[7] == 0
    assert counts[:7].min() > 9600
    assert counts[:7].max() < 10400


@pytest.mark.parametrize("columns", [1, 63, 64, 65, 130])
def test_signs_are_fair(columns: int) -> None:
    signs = Stream(5).signs(2000, columns)
    assert signs.shape == (2000, columns)
    assert np.all(np.abs(signs.mean(axis=0) - 0.5) < 0.06)


def test_bootstrap_rows_stay_paired() -> None:
    values = np.random.default_rng(6).random((2, 30))
    both = bootstrap_means(values, 300, seed=2)
    difference = bootstrap_means(values[:1] - values[1:], 300, seed=2)[:, 0]
    assert np.allclose(both[:, 0] - both[:, 1], difference, atol=1e-15)
