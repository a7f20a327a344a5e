"""Tests of all runs at once: against scipy, statsmodels, published tables and a plain loop."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from pres_eval.analysis import joint
from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings, least_p
from pres_eval.analysis.corrections import letters
from pres_eval.analysis.joint import (
    JOINT_TESTS,
    Draws,
    against_one,
    dealt_ranges,
    dunnett,
    randomised_tukey,
    residual_variance,
    studentized_range,
    tukey,
)
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import RandomStream
from pres_eval.engines import copies
from pres_eval.engines.copies import by_copies
from pres_eval.engines.threads import Loop, by_threads, in_turn


@pytest.mark.parametrize(
    ("groups", "freedom"), [pytest.param(2, 2, marks=pytest.mark.slow), (3, 10), (17, 1584), (100, 4851)]
)
def test_studentized_range_is_scipys(groups: int, freedom: int) -> None:
    q = np.array([0.0, 0.5, 1.5, 3.0, 4.5, 6.0, 9.0])
    assert studentized_range(q, groups, freedom) == pytest.approx(
        stats.studentized_range.sf(q, groups, freedom), abs=1e-9
    )


@pytest.mark.parametrize(
    ("comparisons", "freedom", "critical"),
    [(1, 20, 2.09), (2, 10, 2.57), (3, 20, 2.54), (4, 15, 2.73), (9, 60, 2.77), (2, 5, 3.03), (5, 24, 2.70)],
)
def test_dunnetts_table(comparisons: int, freedom: int, critical: float) -> None:
    """Two-sided 5 % points of Dunnett, Biometrics 1964, table II."""
    below, above = against_one(np.array([critical + 0.006, critical - 0.006]), comparisons, freedom)
    assert below < 0.05 < above


def test_dunnett_is_scipys_distribution() -> None:
    """scipy has independent groups and random quadrature: the same distribution, to four digits."""
    rng = np.random.default_rng(1)
    groups = [rng.normal(shift, 1, 8) for shift in (0, 0.4, 0.8, 1.2)]
    theirs = stats.dunnett(*groups[1:], control=groups[0], rng=np.random.default_rng(0))
    assert against_one(np.abs(theirs.statistic), 3, 28) == pytest.approx(theirs.pvalue, abs=2e-4)


@pytest.mark.slow
def test_residual_variance_is_statsmodels_anova() -> None:
    import pandas as pd
    import statsmodels.api as sm
    from statsmodels.formula.api import ols

    values = np.random.default_rng(5).beta(1, 3, (4, 9)) + np.linspace(0, 0.3, 9)
    rows = [(run, topic, values[run, topic]) for run in range(4) for topic in range(9)]
    frame = pd.DataFrame(rows, columns=["run", "topic", "score"])
    table = sm.stats.anova_lm(ols("score ~ C(run) + C(topic)", frame).fit())
    assert residual_variance(values) == pytest.approx(table.loc["Residual", "mean_sq"], rel=1e-11)
    assert math.isnan(residual_variance(values[:1]))


def test_tukey_is_the_studentised_range_of_the_anova() -> None:
    values = np.random.default_rng(6).beta(1, 3, (5, 20)) + np.linspace(0, 0.3, 5)[:, None]
    first, second = np.triu_indices(5, 1)
    differences = values.mean(axis=1)[first] - values.mean(axis=1)[second]
    unit = math.sqrt(residual_variance(values) / 20)
    (said,) = tukey(values[None], [differences], Draws(alpha=0.05))
    expected = stats.studentized_range.sf(np.abs(differences) / unit, 5, 4 * 19)
    assert said.p_values == pytest.approx(expected, abs=1e-9)
    assert said.half_width == pytest.approx(stats.studentized_range.ppf(0.95, 5, 76) * unit, rel=1e-7)
    assert [p < 0.05 for p in said.p_values] == [abs(d) > said.half_width for d in differences]


def test_two_runs_are_a_paired_t_test() -> None:
    """Tukey and Dunnett of two runs have nothing to correct for."""
    values = np.random.default_rng(7).beta(1, 3, (2, 15))
    difference = values.mean(axis=1)[:1] - values.mean(axis=1)[1:]
    expected = stats.ttest_rel(values[0], values[1]).pvalue
    for test in (tukey, dunnett):
        assert test(values[None], [difference], Draws())[0].p_values[0] == pytest.approx(expected, abs=1e-10)


def plain_ranges(values: list[list[float]], samples: int, seed: int) -> list[float]:
    """Carterette's algorithm: shuffle each topic's scores among the runs, take the best mean less the
    worst."""
    runs, topics = len(values), len(values[0])
    orders = RandomStream(seed).orders(samples * topics, runs).reshape(samples, topics, runs).tolist()
    ranges = []
    for order in orders:
        means = [
            math.fsum(values[order[topic][run]][topic] for topic in range(topics)) / topics
            for run in range(runs)
        ]
        ranges.append(max(means) - min(means))
    return ranges


def test_randomised_tukey_is_carterettes_algorithm() -> None:
    values = np.random.default_rng(8).beta(1, 3, (4, 10)) + np.linspace(0, 0.3, 4)[:, None]
    ranges = plain_ranges(values.tolist(), 300, 2)
    assert dealt_ranges(values[None], 300, 2)[0] == pytest.approx(ranges, abs=1e-14)
    first, second = np.triu_indices(4, 1)
    differences = values.mean(axis=1)[first] - values.mean(axis=1)[second]
    (said,) = randomised_tukey(values[None], [differences], Draws(300, 2, 0.05))
    expected = [(1 + sum(r >= abs(d) - 1e-12 for r in ranges)) / 301 for d in differences]
    assert said.p_values.tolist() == expected
    assert said.half_width == sorted(ranges)[math.ceil(0.95 * 301) - 1]


@pytest.mark.parametrize("each", [in_turn, by_threads(3), lambda work, count: by_copies(work, count, 3)])
def test_deals_do_not_depend_on_who_deals_nor_on_how_many_are_dealt_at_once(
    each: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(10).beta(1, 3, (2, 5, 7))
    together = dealt_ranges(values, 101, 3)
    monkeypatch.setattr(joint, "_DEALT_AT_ONCE", 4 * 5 * 7)
    monkeypatch.setattr(copies, "LEAST_SECONDS", 0)
    assert dealt_ranges(values, 101, 3, each).tolist() == together.tolist()
    assert [dealt_ranges(one[None], 101, 3, each)[0].tolist() for one in values] == together.tolist()


def test_randomised_tukey_is_near_tukey() -> None:
    values = np.random.default_rng(9).normal(0, 1, (6, 60)) + np.linspace(0, 0.6, 6)[:, None]
    first, second = np.triu_indices(6, 1)
    differences = values.mean(axis=1)[first] - values.mean(axis=1)[second]
    (dealt,) = randomised_tukey(values[None], [differences], Draws(20_000))
    assert dealt.p_values == pytest.approx(tukey(values[None], [differences], Draws())[0].p_values, abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("test", JOINT_TESTS)
def test_any_false_finding_comes_in_about_five_of_a_hundred_tables(test: str) -> None:
    """Family-wise: 8 runs without a difference, skewed scores, topics of different difficulty."""
    rng = np.random.default_rng(31)
    against_one_run = JOINT_TESTS[test].against_baseline
    first, second = np.triu_indices(8, 1)
    if against_one_run:
        first, second = np.arange(1, 8), np.zeros(7, np.int64)
    wrong = 0
    for trial in range(200):
        values = rng.beta(0.6, 2, (8, 25)) * rng.uniform(0.2, 1, 25)
        means = values.mean(axis=1)
        [said] = JOINT_TESTS[test].run(values[None], [means[first] - means[second]], Draws(300, trial))
        wrong += bool((said.p_values < 0.05).any())
    assert 2 <= wrong <= 20


def test_one_topic_has_no_variance_and_few_topics_few_deals() -> None:
    scores = paired(3, 1)
    for test, baseline in (("tukey", None), ("dunnett", 0)):
        result = compare(scores, baseline, CompareSettings(test=test))
        assert all(math.isnan(one.p_value) and not one.significant for one in result.comparisons)
        assert math.isnan(least_p(CompareSettings(test=test), 1, 3))
    assert math.isnan(least_p(CompareSettings(), 1, 3))
    for topics in (1, 2, 3):
        # One run has all the best scores, another all the worst: nothing can be surer.
        values = np.tile([[1.0], [0.5], [0.0]], topics)
        found = compare(scores_of(values), None, CompareSettings(test="randomised-tukey", samples=20_000))
        least = least_p(found.settings, topics, 3, runs=3)
        assert least == 6.0 ** (1 - topics)
        assert min(one.p_value for one in found.comparisons) == pytest.approx(least, abs=0.01)
    assert (
        least_p(CompareSettings(test="randomised-tukey", over="measures"), 50, 6, measures=2, runs=3)
        == 2 / 10_001
    )


def test_equal_runs_do_not_differ() -> None:
    values = np.tile(np.random.default_rng(1).random(12), (3, 1))
    for test in JOINT_TESTS.values():
        [said] = test.run(values[None], [np.zeros(2)], Draws(50))
        assert said.p_values.tolist() == [1.0, 1.0]


def test_randomised_tukey_deals_all_measures_alike() -> None:
    values = np.random.default_rng(4).beta(1, 3, (3, 6, 20))
    differences = [rows.mean(axis=1)[1:] - rows.mean(axis=1)[0] for rows in values]
    together = randomised_tukey(values, differences, Draws(200, 5))
    for one, rows, apart in zip(together, values, differences, strict=True):
        (alone,) = randomised_tukey(rows[None], [apart], Draws(200, 5))
        assert (one.p_values.tolist(), one.half_width) == (alone.p_values.tolist(), alone.half_width)
    assert len({one.half_width for one in together}) == 3


def groups_of(texts: list[str]) -> list[set[int]]:
    symbols = sorted(set("".join(texts)))
    return [{run for run, text in enumerate(texts) if symbol in text} for symbol in symbols]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 1.0])
def test_runs_share_a_letter_if_and_only_if_they_do_not_differ(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 10))
    upper = np.triu(rng.random((size, size)) < share, 1)
    differ, means = upper | upper.T, rng.random(size)
    texts = letters(means, differ)
    assert all(texts)
    for a, b in itertools.combinations(range(size), 2):
        assert bool(set(texts[a]) & set(texts[b])) == (not differ[a, b])
    assert "a" in texts[int(means.argmax())]
    for group in groups_of(texts):
        others = [other for other in groups_of(texts) if other != group]
        pairs = list(itertools.combinations(sorted(group), 2))
        if pairs:
            covered = all(any({a, b} <= other for other in others) for a, b in pairs)
            assert not covered, "no letter says what others say already"


def test_letters_of_a_published_display() -> None:
    """Neighbours alike, the ends not: the usual overlapping groups."""
    means = np.array([0.1, 0.2, 0.3, 0.4])
    differ = np.abs(np.subtract.outer(range(4), range(4))) > 1
    assert letters(means, differ) == ["c", "bc", "ab", "a"]


def paired(runs: int, topics: int, measures: int = 2) -> PairedScores:
    values = np.random.default_rng(3).beta(1, 3, (measures, runs, topics))
    return scores_of(*(values + np.linspace(0, 0.2, runs)[:, None]))


def scores_of(*tables: np.ndarray) -> PairedScores:
    """(R, T) values of each measure as `compare` takes them."""
    values = np.array(tables)
    measures, runs, topics = values.shape
    names = tuple(f"r{number}" for number in range(runs))
    ids = tuple(b"%03d" % i for i in range(topics))
    labels = tuple("abcdef"[:measures])
    return PairedScores(names, labels, ids, values, values.mean(axis=2), topics)


def test_correction_over_measures_is_over_all_of_their_comparisons() -> None:
    scores = paired(5, 30)
    one = compare(scores, None, CompareSettings(correction="bonferroni"))
    both = compare(scores, None, CompareSettings(correction="bonferroni", over="measures"))
    for mine, theirs in zip(one.comparisons, both.comparisons, strict=True):
        assert mine.p_value == theirs.p_value
        assert theirs.corrected == pytest.approx(min(1, 20 * theirs.p_value))
        assert mine.corrected == pytest.approx(min(1, 10 * mine.p_value))
        assert theirs.upper - theirs.lower > mine.upper - mine.lower
    joint = compare(scores, None, CompareSettings(test="tukey", over="measures"))
    alone = compare(scores, None, CompareSettings(test="tukey"))
    for mine, theirs in zip(alone.comparisons, joint.comparisons, strict=True):
        assert theirs.corrected == pytest.approx(min(1, 2 * mine.corrected))


@pytest.mark.parametrize("test", ["t", "tukey", "randomised-tukey"])
def test_intervals_say_what_the_correction_says(test: str) -> None:
    """0 is outside of the interval where the difference is significant, and only there."""
    result = compare(paired(6, 30), None, CompareSettings(test=test, correction="bonferroni", samples=999))
    assert any(one.significant for one in result.comparisons)
    for one in result.comparisons:
        assert one.significant == (one.lower > 0 or one.upper < 0)


def test_baseline_of_each_measure() -> None:
    scores = paired(4, 20)
    result = compare(scores, (3, 1), CompareSettings())
    assert {one.other for one in result.of_measure("a")} == {"r3"}
    assert {one.other for one in result.of_measure("b")} == {"r1"}
    assert result.baselines == (3, 1)


def test_means_are_best_together_when_equal_at_twelve_digits() -> None:
    values = np.array([[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.1]]])
    means = np.array([[0.6 / 3, (0.3 + 0.2 + 0.1) / 3 + 3e-17, 0.5 / 3]])
    scores = PairedScores(("x", "y", "z"), ("m",), (b"1", b"2", b"3"), values, means, 3)
    assert compare(scores, 0, CompareSettings()).best.tolist() == [[True, True, False]]


def test_one_sided_and_equivalent_comparisons() -> None:
    scores = paired(3, 40, 1)
    greater = compare(scores, 0, CompareSettings(alternative="greater", correction="none"))
    less = compare(scores, 0, CompareSettings(alternative="less", correction="none"))
    for up, down in zip(greater.comparisons, less.comparisons, strict=True):
        assert up.p_value + down.p_value == pytest.approx(1)
        assert math.isinf(up.upper)
        assert math.isinf(down.lower)
        assert up.significant == (up.lower > 0)
        assert down.significant == (down.upper < 0)
    for margin in (0.01, 0.5):
        alike = compare(
            scores, 0, CompareSettings(alternative="equivalent", margin=margin, correction="none")
        )
        for one in alike.comparisons:
            assert one.significant == (-margin < one.lower and one.upper < margin)
            assert one.direction == 0
        fair = compare(
            scores, 0, CompareSettings(alternative="non-inferior", margin=margin, correction="none")
        )
        assert all(one.significant == (one.lower > -margin) for one in fair.comparisons)


@pytest.mark.parametrize(
    ("settings", "topics", "comparisons", "reachable"),
    [
        (CompareSettings(test="randomisation"), 50, 1128, False),
        (CompareSettings(test="randomisation", samples=30_000), 50, 1128, True),
        (CompareSettings(test="wilcoxon"), 5, 1, False),
        (CompareSettings(test="wilcoxon", alternative="greater"), 5, 1, True),
        (CompareSettings(test="wilcoxon"), 6, 1, True),
        (CompareSettings(test="sign"), 6, 10, False),
        (CompareSettings(test="randomisation", correction="bh"), 50, 1128, True),
        (CompareSettings(test="t"), 2, 4950, True),
        (CompareSettings(test="randomised-tukey", samples=10), 50, 4950, False),
        (CompareSettings(test="randomised-tukey"), 50, 4950, True),
    ],
)
def test_what_significance_can_be_reached(
    settings: CompareSettings, topics: int, comparisons: int, reachable: bool
) -> None:
    assert (least_p(settings, topics, comparisons) < settings.alpha) == reachable
