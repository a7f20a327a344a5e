"""Tests and intervals on real scores where the truth is known: they err as often as they say they do.

The scores are those of 17 runs of the TREC 2003 Robust track (fixtures/scores).  tests/bench/null_rates.py
counts more, on any scores.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.commands import FIXTURES
from support.null_rates import (
    ALPHA,
    Draws,
    any_false_positive,
    at_the_margin,
    coverage,
    effect_coverage,
    false_positives,
    pair_differences,
    read_tables,
)
from support.trials import ALL

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.significance import PAIRED_TESTS

pytestmark = pytest.mark.slow

TABLES = read_tables(FIXTURES / "scores" / "robust03.csv")
TRIALS = 4000
TABLES_DEALT = 1000 if ALL else 400


def noise(trials: int, rate: float = ALPHA) -> float:
    """How far a rate comes out from the true one by chance: four standard deviations."""
    return 4 * math.sqrt(rate * (1 - rate) / trials)


def test_scores_are_those_of_the_track() -> None:
    assert {values.shape for values in TABLES.values()} == {(17, 100)}
    assert TABLES["map"].mean(axis=1).max() == pytest.approx(0.3140, abs=0.02)


def test_centred_differences_have_no_mean_and_keep_their_shape() -> None:
    values = TABLES["map"]
    drawn = pair_differences(values, Draws(20_000, 25), "centred")
    assert abs(drawn.mean()) < 0.001
    below = (drawn < -1e-9).mean(axis=1) - (drawn > 1e-9).mean(axis=1)
    assert np.abs(below).mean() > 0.1, "more topics on one side of the mean than on the other"
    swapped = pair_differences(values, Draws(20_000, 25), "swapped")
    assert abs((swapped > 0).mean() - (swapped < 0).mean()) < 0.005


@pytest.mark.parametrize("measure", TABLES)
@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_two_runs_that_nothing_tells_apart(test: str, measure: str) -> None:
    """Scores swapped at random, so that the runs can be exchanged, as all of these tests suppose."""
    rate = false_positives(TABLES[measure], test, Draws(TRIALS, 25), "swapped", samples=1000)
    assert rate < ALPHA + noise(TRIALS)
    assert rate > (0.015 if test == "sign" else 0.035)


@pytest.mark.parametrize("measure", TABLES)
def test_equal_means_are_what_t_tests_and_not_what_ranks_do(measure: str) -> None:
    """Lopsided differences with equal means: t keeps its level, signs and ranks find something else."""
    rates = {
        test: false_positives(TABLES[measure], test, Draws(TRIALS, 50), "centred", samples=1000)
        for test in PAIRED_TESTS
    }
    assert ALPHA - noise(TRIALS) < rates["t"] < ALPHA + noise(TRIALS)
    assert rates["randomisation"] < ALPHA + noise(TRIALS)
    assert rates["wilcoxon"] > rates["t"] + 0.01
    assert rates["sign"] > rates["t"] + 0.02


@pytest.mark.parametrize("alternative", ["equivalent", "non-inferior"])
def test_differences_as_large_as_the_margin_pass_in_five_of_a_hundred(alternative: str) -> None:
    rate = at_the_margin(TABLES["map"], "t", Draws(TRIALS, 100), alternative)
    assert 0.03 < rate < ALPHA + noise(TRIALS) + 0.005


@pytest.mark.parametrize(
    "settings",
    [
        CompareSettings(test="t", correction="holm"),
        CompareSettings(test="tukey"),
        CompareSettings(test="randomised-tukey", samples=199),
        CompareSettings(test="dunnett"),
    ],
    ids=lambda settings: settings.test,
)
def test_any_false_finding_among_real_runs(settings: CompareSettings) -> None:
    draws, one = Draws(TABLES_DEALT, 25), settings.test == "dunnett"
    rate = any_false_positive(TABLES["map"], settings, draws, against_first=one)
    assert rate < ALPHA + noise(TABLES_DEALT)
    assert rate > (0.002 if settings.test == "t" else 0.025), (
        "Holm's correction is strict, the others are not"
    )


def test_without_correction_most_tables_have_a_false_finding() -> None:
    assert any_false_positive(TABLES["map"], CompareSettings(correction="none"), Draws(100, 25)) > 0.5


@pytest.mark.parametrize("of_differences", [False, True])
def test_coverage_of_intervals(of_differences: bool) -> None:
    """t covers what it should from 25 topics on, and with 10 more than the bootstrap does."""
    found = {
        (kind, topics): coverage(
            TABLES["map"],
            kind,
            Draws(2000, topics),
            of_differences=of_differences,
            samples=1000 if ALL else 500,
        )
        for kind in ("t", "bca", "percentile")
        for topics in (10, 50)
    }
    assert found["t", 50] > 0.935
    assert found["t", 10] > 0.905
    assert max(found["bca", 10], found["percentile", 10]) < min(0.93, found["t", 10])


def test_coverage_of_hedges_g() -> None:
    assert 0.93 < effect_coverage(TABLES["map"], Draws(TRIALS, 50)) < 0.975
