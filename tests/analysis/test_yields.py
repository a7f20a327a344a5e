"""Relevant documents in a judged sample: intervals beside plain loops, scipy and statsmodels."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.analysis.yields import (
    LARGEST_TABLE,
    SampledPart,
    binomial,
    clopper_pearson,
    elusion_tests,
    plans,
    posterior,
    relevant_needed,
    sample_needed,
    wald,
    wilson,
)


def part(size: int, sampled: int, relevant: int, found: bool = True) -> SampledPart:
    return SampledPart(b"1", "all", found, size, sampled, relevant)


@st.composite
def parts(draw: st.DrawFn) -> SampledPart:
    size = draw(st.integers(1, 40))
    sampled = draw(st.integers(1, size))
    return part(size, sampled, draw(st.integers(0, sampled)))


def hypergeometric(own: SampledPart, relevant: int) -> list[float]:
    """The chance of each number of relevant documents in the sample."""
    ways = math.comb(own.size, own.sampled)
    return [
        math.comb(relevant, k) * math.comb(own.size - relevant, own.sampled - k) / ways
        for k in range(own.sampled + 1)
    ]


@given(parts(), st.sampled_from([0.0503, 0.1007, 0.3989]))
@settings(max_examples=300)
def test_exact_intervals_hold_what_the_sample_does_not_contradict(own: SampledPart, outside: float) -> None:
    kept = [
        relevant
        for relevant in range(own.size + 1)
        if sum(hypergeometric(own, relevant)[own.relevant :]) > outside / 2
        and sum(hypergeometric(own, relevant)[: own.relevant + 1]) > outside / 2
    ]
    assert clopper_pearson(own, outside) == (kept[0], kept[-1])


@given(parts())
@settings(max_examples=200)
def test_posterior_is_beta_binomial(own: SampledPart) -> None:
    left, a, b = own.size - own.sampled, own.relevant + 0.5, own.sampled - own.relevant + 0.5
    draws = posterior([own], 10_000)
    found = np.bincount((draws - own.relevant).astype(int), minlength=left + 1) / len(draws)
    for k in range(left + 1):
        log = math.log(math.comb(left, k)) + math.lgamma(k + a) + math.lgamma(left - k + b)
        log += math.lgamma(a + b) - math.lgamma(left + a + b) - math.lgamma(a) - math.lgamma(b)
        assert found[k] == pytest.approx(math.exp(log), abs=2.1e-4)


@pytest.mark.parametrize("left", [LARGEST_TABLE, LARGEST_TABLE + 1, 2 * LARGEST_TABLE])
def test_posterior_of_many_documents_is_scipys(left: int) -> None:
    draws = posterior([part(left + 1500, 1500, 3)], 1_000)
    chances = [0.0255, 0.5005, 0.9745]
    exact = 3 + scipy.stats.betabinom.ppf(chances, left, 3.5, 1497.5)
    assert draws[[25, 500, 974]] == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize(
    "every",
    [
        [(400, 40, 2), (300, 60, 1)],
        [(1000, 60, 0)] * 9 + [(1000, 60, 3)],
        [(500, 250, 2), (1000, 200, 0), (50_000, 300, 1), (70, 70, 9)],
        [(20, 2, 1)] * 30,
    ],
)
def test_posterior_of_many_parts_has_the_mean_and_variance_of_their_sum(
    every: list[tuple[int, int, int]],
) -> None:
    """Each share of a prior, mean and variance from the formulas, one part at a time."""
    uncertain = [one for one in every if one[0] > one[1]]
    thickness = sum(size / sampled for size, sampled, _ in uncertain)
    common = (sum(x for _, _, x in uncertain) + 0.5) / (sum(n for _, n, _ in uncertain) + 1)
    mean, variance = float(sum(x for _, _, x in every)), 0.0
    for size, n, x in uncertain:
        prior = 0.5 * (size / n) / thickness
        mean += (size - n) * (x + prior) / (n + 2 * prior)
        share = (x + prior + (1 - 2 * prior) * common) / (n + 1)
        variance += size**2 * (1 - n / size) * share * (1 - share) / n * (n + 1) ** 2 / (n**2 + n + 1)
    draws = posterior([part(*one) for one in every], 200_000)
    assert draws.mean() == pytest.approx(mean, rel=1e-3)
    assert draws.var() == pytest.approx(variance, rel=2e-2)


def test_parts_of_which_nearly_nothing_is_judged_have_a_posterior() -> None:
    draws = posterior([part(1000, 1, 1), part(5, 1, 0)], 1_000)
    assert draws[0] >= 1 and draws[-1] <= 1004 and (np.diff(draws) >= 0).all()


def test_the_whole_part_judged_leaves_no_doubt() -> None:
    own = part(30, 30, 12)
    assert {interval(own, 0.05) for interval in (wald, wilson, clopper_pearson, binomial)} == {(12.0, 12.0)}
    assert set(posterior([own], 100).tolist()) == {12.0}
    assert wald(part(1, 1, 1), 0.05) == wilson(part(1, 1, 1), 0.05) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("interval", "method"),
    [(wald, "normal"), (wilson, "wilson"), (clopper_pearson, "beta"), (binomial, "beta")],
)
@pytest.mark.parametrize(("sampled", "relevant"), [(10, 3), (1534, 5), (40, 0), (40, 40), (300, 299)])
def test_large_parts_have_the_intervals_of_statsmodels(
    interval: Callable[[SampledPart, float], tuple[float, float]], method: str, sampled: int, relevant: int
) -> None:
    from statsmodels.stats.proportion import proportion_confint  # slow to import

    own = part(10**12, sampled, relevant)
    ends = np.array(own.clipped(interval(own, 0.05))) / 10**12
    exact = np.clip(proportion_confint(relevant, sampled, 0.05, method), 0, 1)
    assert ends == pytest.approx(exact, abs=1e-9)


def test_a_finite_population_narrows_by_its_correction() -> None:
    own, share, z = part(200, 50, 10), 0.2, NormalDist().inv_cdf(0.975)
    error = math.sqrt(share * (1 - share) / 50 * (200 - 50) / (200 - 1))
    assert wald(own, 0.05) == pytest.approx((200 * (share - z * error), 200 * (share + z * error)))
    number = 50 * 199 / 150
    middle = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    spread = z / (1 + z**2 / number) * math.sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
    assert wilson(own, 0.05) == pytest.approx((200 * (middle - spread), 200 * (middle + spread)))


@pytest.mark.parametrize("target", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_qbcb_is_the_least_number_by_a_loop(target: float, confidence: float) -> None:
    for sampled in range(120):
        below, least = 0.0, None
        for j in range(sampled + 1):
            if below >= confidence:
                least = j
                break
            below += math.comb(sampled, j) * target**j * (1 - target) ** (sampled - j)
        assert relevant_needed(sampled, target, confidence) == least


def test_qbcb_needs_as_many_as_one_would_not_all_find_by_chance() -> None:
    assert [relevant_needed(size, 0.8, 0.95) for size in (13, 14)] == [None, 14]  # 0.8^13 > 0.05 > 0.8^14


def test_more_documents_narrow_the_interval_to_the_margin() -> None:
    own = part(5000, 200, 100)
    more = sample_needed(own, 0.1, 0.05)
    # 1/n - 1/N is what the square of the width goes with.
    assert (1 / more - 1 / 5000) / (1 / 200 - 1 / 5000) == pytest.approx(0.25, rel=0.01)
    assert sample_needed(own, 0.04, 0.05) == 200
    assert sample_needed(part(10, 10, 3), 0.4, 0.05) == 10
    assert sample_needed(part(20, 4, 3), 0.4, 0.001) == 20


def test_plans_have_the_margin_wanted() -> None:
    z = NormalDist().inv_cdf(0.975)
    for recall, relevant, documents in plans(100_000, 0.02, 0.05, 0.95):
        error = z * math.sqrt(recall * (1 - recall) / relevant * (2000 - relevant) / (2000 - 1))
        assert 0.049 < error <= 0.05
        assert documents == pytest.approx(relevant / 0.02, abs=50)
    assert {documents for _, _, documents in plans(100, 0.02, 0.05, 0.95)} == {99, 100}


def test_elusion_tests_say_what_zero_says() -> None:
    rows = list(elusion_tests(92_000, 9_200, 0.95))
    assert [row[0] for row in rows][-1] == 10_000
    for size, elusion, missed, recall in rows:
        assert elusion == pytest.approx(1 - 0.05 ** (1 / size), rel=0.12)
        # One more missed document, and samples without any are rarer than 5 in 100.
        chance = scipy.stats.hypergeom(92_000, missed, size).pmf(0)
        assert chance > 0.05 > scipy.stats.hypergeom(92_000, missed + 1, size).pmf(0)
        assert recall == pytest.approx(max(0, 1 - missed / 9_200))
    assert [row[0] for row in elusion_tests(300, 30, 0.95)] == [50, 100, 200, 300]
