"""Paired tests, corrections, effect sizes: against scipy, statsmodels, and exact enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.distributions import rank_sums, wilcoxon
from pres_eval.analysis.estimates import hedges_g, rank_biserial, standardised
from pres_eval.analysis.reproducible import RandomStream, mean_and_deviation, wins_ties_losses
from pres_eval.analysis.significance import PAIRED_TESTS, bootstrap, paired_t, randomisation, sign
from pres_eval.analysis.significance import p_values as p_values_of

pytestmark = pytest.mark.slow

# Differences in quarters are exact doubles, so nothing is rounded away and scipy sees the same ties.
quarters = st.integers(-8, 8).map(lambda whole: whole / 4)


@given(st.lists(quarters, min_size=14, max_size=120))
@settings(deadline=None)
def test_wilcoxon_with_ties_and_zeros_is_scipys(values: list[float]) -> None:
    differences = np.array(values)
    if not differences.any():
        assert wilcoxon(differences[None, :])[0] == 1
        return
    ours = wilcoxon(differences[None, :])
    theirs = stats.wilcoxon(differences)
    assert f"{ours[0]:.12g}" == f"{theirs.pvalue:.12g}"
    assert min(sums[0] for sums in rank_sums(differences[None, :])) == theirs.statistic


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
    assert [sums[0] for sums in rank_sums(noisy)] == [3.0, 3.0]
    assert [int(count[0]) for count in wins_ties_losses(noisy)] == [2, 1, 1]


@pytest.mark.parametrize("size", [2, 3, 50, 400])
def test_paired_t_is_scipys(size: int) -> None:
    rng = np.random.default_rng(size)
    x, y = rng.random((3, size)), rng.random((3, size))
    theirs = stats.ttest_rel(x, y, axis=1).pvalue
    assert paired_t(x - y) == pytest.approx(theirs, rel=1e-11)
    above = stats.ttest_rel(x, y, axis=1, alternative="greater").pvalue
    assert paired_t(x - y, greater=True) == pytest.approx(above, rel=1e-11)


def test_paired_t_of_constant_differences() -> None:
    alike = np.array([[0.0] * 6, [0.3 - 0.1, 0.2] * 3])
    assert paired_t(alike).tolist() == [1.0, 2**-5]
    assert paired_t(alike[:, :2])[0] == 1.0
    assert np.isnan(paired_t(alike[:, :4])[1])
    assert math.isnan(paired_t(np.array([[0.5]]))[0])


def test_paired_t_one_sided_of_constant_differences() -> None:
    rows = np.array([[0.0] * 6, [0.3 - 0.1, 0.2] * 3, [-0.2] * 6])
    assert paired_t(rows, greater=True).tolist() == [0.5, 2**-6, 1.0]


@given(st.lists(quarters, min_size=1, max_size=60))
@settings(deadline=None)
def test_sign_test_is_scipys(values: list[float]) -> None:
    wins, losses = sum(v > 0 for v in values), sum(v < 0 for v in values)
    both, one = sign(np.array([values]))[0], sign(np.array([values]), greater=True)[0]
    if not wins + losses:
        assert (both, one) == (1, 1)
        return
    assert both == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-12)
    greater = stats.binomtest(wins, wins + losses, alternative="greater").pvalue
    assert one == pytest.approx(greater, rel=1e-12)


@pytest.mark.parametrize("size", [1, 5, 13, 14, 30, 50, 51, 200])
def test_wilcoxon_one_sided_is_scipys(size: int) -> None:
    differences = np.random.default_rng(size).normal(0.1, 1, (4, size))
    theirs = [stats.wilcoxon(row, alternative="greater").pvalue for row in differences]
    assert wilcoxon(differences, greater=True) == pytest.approx(theirs, rel=1e-11)


@given(st.lists(quarters, min_size=14, max_size=60))
@settings(deadline=None)
def test_wilcoxon_one_sided_with_ties_is_scipys(values: list[float]) -> None:
    differences = np.array(values)
    if differences.any():
        theirs = stats.wilcoxon(differences, alternative="greater").pvalue
        assert wilcoxon(differences[None, :], greater=True)[0] == pytest.approx(theirs, rel=1e-11)


def test_randomisation_one_sided_is_scipys_permutation_test() -> None:
    differences = np.random.default_rng(3).normal(0.3, 1, 11)
    theirs = stats.permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
        alternative="greater",
    )
    assert randomisation(differences[None, :], greater=True)[0] == pytest.approx(theirs.pvalue, abs=1e-15)


def plain_bootstrap(values: list[float], samples: int, seed: int, *, one_sided: bool) -> float:
    """Sakai's algorithm, draw after draw."""

    def statistic(sample: list[float]) -> float:
        mean = math.fsum(sample) / len(sample)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in sample) / (len(sample) - 1))
        return mean / deviation if deviation > 1e-12 else math.copysign(math.inf, mean)

    centre = math.fsum(values) / len(values)
    shifted = [value - centre for value in values]
    reached, as_far = statistic(values), 1
    for draw in RandomStream(seed).indices(samples, len(values), len(values)).tolist():
        t = statistic([shifted[place] for place in draw])
        as_far += t >= reached - 1e-9 if one_sided else abs(t) >= abs(reached) - 1e-9
    return as_far / (samples + 1)


def test_bootstrap_is_sakais_algorithm() -> None:
    rows = np.random.default_rng(11).normal(0.25, 1, (3, 12))
    expected = [plain_bootstrap(row.tolist(), 400, 5, one_sided=False) for row in rows]
    assert bootstrap(rows, 400, 5).tolist() == expected
    expected = [plain_bootstrap(row.tolist(), 400, 5, one_sided=True) for row in rows]
    assert bootstrap(rows, 400, 5, greater=True).tolist() == expected
    assert bootstrap(np.array([[0.0] * 5, [0.5] * 5]), 99).tolist() == [1.0, 2**-4]
    assert bootstrap(np.full((1, 20), 0.5), 99).tolist() == [0.01]


def test_bootstrap_of_a_mean_of_zero_that_is_rounded() -> None:
    rows = np.array([[0.0, 0.6 - 0.8, 0.4 - 0.2, 0.0, 0.0]])
    assert 0 < abs(rows.mean()) < 1e-12
    assert bootstrap(rows, 400).tolist() == [1.0]
    as_high, as_low = (bootstrap(sign * rows, 4000, greater=True)[0] for sign in (1, -1))
    assert as_high > 0.6 and as_high == pytest.approx(as_low, abs=0.04)


def test_equivalence_is_statsmodels_tost() -> None:
    from statsmodels.stats.weightstats import ttost_paired

    rng = np.random.default_rng(4)
    x, y = rng.random((5, 40)), rng.random((5, 40))
    for margin in (0.02, 0.1, 0.3):
        ours = p_values_of(PAIRED_TESTS["t"], x - y, "equivalent", margin, 10, 0)
        below = p_values_of(PAIRED_TESTS["t"], x - y, "non-inferior", margin, 10, 0)
        for row in range(5):
            theirs, lower, _ = ttost_paired(x[row], y[row], -margin, margin)
            assert ours[row] == pytest.approx(theirs, rel=1e-10)
            assert below[row] == pytest.approx(lower[1], rel=1e-10)


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_one_sided_p_values_go_with_the_two_sided_ones(test: str) -> None:
    differences = np.random.default_rng(8).normal(0.3, 1, (4, 30))
    record = PAIRED_TESTS[test]
    greater, less = (record.run(signed, 2000, 0, greater=True) for signed in (differences, -differences))
    both = record.run(differences, 2000, 0)
    # The bootstrap distribution of skewed differences is not symmetric.
    assert np.minimum(1, np.minimum(greater, less) * 2) == pytest.approx(
        both, abs=0.08 if test == "bootstrap" else 0.03
    )
    assert np.all(greater + less >= 1 - 1e-12)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@pytest.mark.parametrize("topics", [2, 5, 8, 20])
def test_no_p_value_is_below_the_least(test: str, topics: int) -> None:
    """All topics better, by different amounts: nothing can be surer."""
    record = PAIRED_TESTS[test]
    differences = np.linspace(1, 1.1, topics)[None, :]
    found = record.run(differences, 200, 0)[0]
    least = record.least(topics, 200)
    assert found >= least * (1 - 1e-12)
    if test not in ("t", "bootstrap"):
        assert found == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_false_positives_under_the_null(test: str) -> None:
    """Skewed scores like those of runs, no difference: about 5 % of 1,000 comparisons are significant."""
    rng = np.random.default_rng(21)
    x, y = rng.beta(0.5, 2, (1000, 25)), rng.beta(0.5, 2, (1000, 25))
    found = (PAIRED_TESTS[test].run(x - y, 400, 1) < 0.05).mean()
    assert 0.02 < found < 0.075, "the sign test can't come nearer to 5 % than 4.3 %"


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


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_no_difference_is_not_significant_and_sides_do_not_matter(test: str) -> None:
    differences = np.random.default_rng(8).normal(0.2, 1, (3, 30))
    function = PAIRED_TESTS[test].run
    assert function(np.zeros((1, 30)), 100, 0).tolist() == [1.0]
    assert function(differences, 500, 0).tolist() == function(-differences, 500, 0).tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(deadline=None)
def test_corrections_are_statsmodels(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    p_values = np.array(values)
    names = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
    for ours, theirs in names.items():
        expected = multipletests(p_values, method=theirs)[1]
        assert [f"{p:.12g}" for p in CORRECTIONS[ours](p_values)] == [f"{p:.12g}" for p in expected], ours
    assert CORRECTIONS["none"](p_values).tolist() == values


def test_d_z_and_rank_biserial_by_hand() -> None:
    differences = np.array([[1.0, 2.0, 3.0, -4.0, 0.0]])
    assert standardised(differences)[0] == pytest.approx(0.4 / np.std(differences, ddof=1), abs=1e-15)
    assert rank_biserial(differences)[0] == (6 - 4) / 10
    assert standardised(np.array([[0.0, 0.0], [0.2, 0.3 - 0.1]])).tolist() == [0.0, math.inf]
    assert rank_biserial(np.array([[0.0, 0.0], [0.2, 0.1]])).tolist() == [0.0, 1.0]


def test_mean_and_deviation_are_numpys() -> None:
    values = np.random.default_rng(2).random((5, 40))
    mean, deviation = mean_and_deviation(values)
    assert np.allclose(mean, values.mean(axis=1), rtol=1e-14)
    assert np.allclose(deviation, values.std(axis=1, ddof=1), rtol=1e-14)


def test_hedges_g_is_d_z_without_its_bias() -> None:
    """The mean of g over many samples is the true size, that of d_z is larger."""
    samples = np.random.default_rng(3).normal(0.5, 1, (20_000, 8))
    g, lower, upper = hedges_g(samples)
    assert g.mean() == pytest.approx(0.5, abs=0.01)
    assert standardised(samples).mean() > 0.55
    assert 0.92 < ((lower < 0.5) & (upper > 0.5)).mean() < 0.98
    m = 7
    exact = math.gamma(m / 2) / (math.sqrt(m / 2) * math.gamma((m - 1) / 2))
    assert g[0] == pytest.approx(exact * standardised(samples[:1])[0], rel=1e-12)
    assert np.isnan(hedges_g(np.array([[0.1, 0.2]]))[0]).all()


def test_stream_is_the_same_everywhere() -> None:
    """Pinned: PCG64's raw stream, seeded through SeedSequence, as numpy promises to keep it."""
    assert [f"{word:016x}" for word in RandomStream(0).words(2)] == ["a30febcfd9c2825f", "4510bdf882d9d721"]
    assert RandomStream(1, 2).indices(2, 4, 10).tolist() == [[4, 4, 4, 2], [8, 0, 0, 8]]
    assert RandomStream(7).signs(1, 8).astype(int).tolist() == [[1, 1, 0, 1, 0, 0, 0, 1]]


def test_indices_cover_the_range_evenly() -> None:
    counts = np.bincount(RandomStream(3).indices(100, 700, 7).ravel(), minlength=8)
    assert counts[7] == 0
    assert counts[:7].min() > 9600
    assert counts[:7].max() < 10400


@pytest.mark.parametrize("columns", [1, 63, 64, 65, 130])
def test_signs_are_fair(columns: int) -> None:
    signs = RandomStream(5).signs(2000, columns)
    assert signs.shape == (2000, columns)
    assert np.all(np.abs(signs.mean(axis=0) - 0.5) < 0.06)


@pytest.mark.parametrize("size", [1, 2, 3, 64, 100])
def test_orders_are_orders_and_fair(size: int) -> None:
    orders = RandomStream(4).orders(3000, size)
    assert np.array_equal(np.sort(orders, axis=1), np.broadcast_to(np.arange(size), (3000, size)))
    spread = 5 * math.sqrt((size**2 - 1) / 12 / 3000) + 1e-9
    assert np.all(np.abs(orders.mean(axis=0) - (size - 1) / 2) < spread)
