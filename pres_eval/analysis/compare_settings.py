"""Settings of a comparison of runs, the number of comparisons that p-values are corrected for, results."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from pres_eval.analysis.corrections import CORRECT_OVER_ALL, CORRECTIONS, letters_of_pairs
from pres_eval.analysis.estimates import INTERVALS, Ends
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import mean_and_deviation, rounded
from pres_eval.analysis.significance import (
    ALTERNATIVES,
    MOST_ENUMERATED_TOPICS,
    PAIRED_TESTS,
    WITH_MARGIN,
)
from pres_eval.analysis.weighting import linearised, weigh_the_same, weighted_intervals
from pres_eval.arrays import BoolArray, FloatArray
from pres_eval.errors import UsageError, check_whole, plural

TESTS = (*PAIRED_TESTS, *JOINT_TESTS)
"""The tests by the names that options use; the first is the default."""

DRAWN_TESTS = ("randomisation", "bootstrap", "randomised-tukey")
"""Tests with random draws: their number and the seed matter."""


FAMILIES = ("runs", "measures")
"""Families for correction: the comparisons of one measure, or those of all measures together."""


LEAST_ALPHA = 1e-6
"""Least level of significance: for less, 1 - alpha / comparisons could be rounded to 1."""


@dataclass(frozen=True)
class CompareSettings:
    """Settings of a comparison of runs.

    test         a name of TESTS
    correction   "holm", "bonferroni", "bh" or "none"; the joint tests need none for the number of runs
    alpha        level of significance; intervals of means cover 1 - alpha
    samples      sign changes of the randomisation test, draws of the bootstrap, deals of randomised Tukey
    seed         of these random choices
    alternative  the hypothesis, a name of ALTERNATIVES; joint tests have only "two-sided"
    margin       the largest difference that does not matter, for "equivalent" and "non-inferior"; else 0
    interval     kind of the intervals, a name of INTERVALS; joint tests have their own for differences
    over         family of the correction, a name of FAMILIES
    simultaneous whether intervals of differences are wider, as the correction requires
    """

    test: str = TESTS[0]
    correction: str = "holm"
    alpha: float = 0.05
    samples: int = 10_000
    seed: int = 0
    alternative: str = ALTERNATIVES[0]
    margin: float = 0.0
    interval: str = INTERVALS[0]
    over: str = FAMILIES[0]
    simultaneous: bool = True

    def recorded(self) -> dict[str, object]:
        """Return the settings for JSON; `simultaneous` is whether the intervals of differences hold together.

        Under Holm's correction they do not: each covers 1 - alpha or more by itself.
        """
        together = self.test in JOINT_TESTS or (self.simultaneous and self.correction == "bonferroni")
        return asdict(self) | {"simultaneous": together}

    def intervals_of_means(self, scores: PairedScores, measure: int) -> Ends:
        """Return the ends (R,), (R,) of the intervals of a measure's means, each by itself, within its range.

        nan where all topics have the same value: the spread of other topics is unknown then.
        """
        values = scores.values[measure]
        bounded = scores.measures[measure] in scores.bounded
        lower, upper = weighted_intervals(
            values,
            scores.weights,
            self.alpha,
            self.interval,
            self.samples,
            self.seed,
            between_0_and_1=bounded,
        )
        rows = values if scores.weights is None else linearised(values, scores.weights)
        alike = mean_and_deviation(rows)[1] == 0
        lower[alike] = upper[alike] = np.nan
        if not bounded:
            return lower, upper
        return np.maximum(lower, 0.0), np.minimum(upper, 1.0)

    def logit_measures(self, scores: PairedScores) -> list[str]:
        """Return the measures whose means have intervals by their logit: from 0 to 1, with weights."""
        if self.interval != "t" or weigh_the_same(scores.weights):
            return []
        return [measure for measure in scores.measures if measure in scores.bounded]

    def corrects_within(self, measures: int) -> bool:
        """Return whether p-values are corrected within each of several measures, not over all of them."""
        corrects = self.correction != "none" or self.test in JOINT_TESTS
        return measures > 1 and corrects and self.over == "runs"

    def within_note(self, measures: int) -> str:
        """Return the end of a note on stars: that p-values are corrected within each measure; else empty."""
        if not self.corrects_within(measures):
            return ""
        return f", corrected within each measure {CORRECT_OVER_ALL}"

    def joint_alpha(self, measures: int) -> float:
        """Return the chance that any interval of a joint test may miss, for one of several measures."""
        if self.over == "measures":
            return self.alpha / measures
        return self.alpha


def check_settings(settings: CompareSettings, all_pairs: bool = False) -> None:
    """Raise UsageError for settings that mean nothing or do not go together."""
    names: dict[str, tuple[str, Collection[str]]] = {
        "test": (settings.test, TESTS),
        "correction": (settings.correction, CORRECTIONS),
        "alternative": (settings.alternative, ALTERNATIVES),
        "interval": (settings.interval, INTERVALS),
        "correct_over": (settings.over, FAMILIES),
    }
    for option, (name, known) in names.items():
        if name not in known:
            raise UsageError(f"{option}={name!r}: expected one of {', '.join(known)}")
    alpha: object = settings.alpha
    if not isinstance(alpha, int | float) or not LEAST_ALPHA <= alpha < 1:
        raise UsageError(f"alpha={alpha!r}: expected a number from {LEAST_ALPHA:f} to below 1")
    check_whole("samples", settings.samples, 1)
    check_whole("seed", settings.seed, 0)
    _check_margin(settings)
    if settings.test in JOINT_TESTS:
        _check_joint_test(settings, all_pairs)


def _check_margin(settings: CompareSettings) -> None:
    """Raise UsageError for a missing margin, or one that the alternative does not take."""
    needs_margin = settings.alternative in WITH_MARGIN
    if needs_margin and not 0 < settings.margin < np.inf:
        raise UsageError(f"alternative {settings.alternative} needs a margin above 0")
    if not needs_margin and settings.margin:
        raise UsageError(f"alternative {settings.alternative} takes no margin")


def _check_joint_test(settings: CompareSettings, all_pairs: bool) -> None:
    """Raise UsageError for what a test of all runs at once cannot do."""
    if settings.alternative != ALTERNATIVES[0]:
        raise UsageError(f"test {settings.test} is two-sided: take another test for {settings.alternative}")
    if JOINT_TESTS[settings.test].against_baseline and all_pairs:
        raise UsageError(
            f"test {settings.test} compares with a named baseline, expected test tukey for all"
            " pairs and for the best run"
        )


def least_p(
    settings: CompareSettings, topics: int, comparisons: int, measures: int = 1, runs: int = 2
) -> float:
    """Return the lowest corrected p-value that a comparison over this number of topics can have.

    topics, comparisons, measures, runs  how many there are
    If it is alpha or more, nothing can be significant.  nan if a test has no p-value, as over one topic.
    """
    if settings.test in JOINT_TESTS:
        least = JOINT_TESTS[settings.test].least(runs, topics, settings.samples)
    else:
        least = PAIRED_TESTS[settings.test].least(topics, settings.samples)
        if settings.alternative != ALTERNATIVES[0] and least > 1 / (settings.samples + 1):
            least /= 2  # one of two sides; the share of one random draw stays the same
    least *= corrected_for(settings, comparisons, measures)
    if math.isnan(least):
        return least
    return min(1.0, least)


def is_drawn(test: str, topics: int) -> bool:
    """Return whether the p-values of a test over this number of topics are shares of random draws."""
    if test == "randomisation" and topics <= MOST_ENUMERATED_TOPICS:
        return False  # all signs are enumerated
    return test in DRAWN_TESTS


def corrected_for(settings: CompareSettings, comparisons: int, measures: int = 1) -> int:
    """Return the factor by which the correction multiplies the lowest p-value."""
    if settings.test in JOINT_TESTS:
        return measures if settings.over == "measures" else 1
    return comparisons if settings.correction in ("holm", "bonferroni") else 1


def reach_warning(settings: CompareSettings, scores: PairedScores, comparisons: int = 1) -> str | None:
    """Return the warning that no p-value of so many comparisons can be below alpha; None if one can be."""
    topics, measures, runs = len(scores.topics), len(scores.measures), len(scores.runs)
    least = least_p(settings, topics, comparisons, measures, runs)
    if not comparisons or least < settings.alpha:
        return None
    if math.isnan(least):
        return f"{settings.test} needs two topics at least: nothing can be significant"
    times = corrected_for(settings, comparisons, measures)
    is_random = is_drawn(settings.test, topics)
    # If 1000 more topics would not help, the number of random draws is the limit.
    least_of_draws = least_p(settings, topics + 1000, comparisons, measures, runs)
    too_few_draws = is_random and least_of_draws >= settings.alpha
    remedies = [f"--samples {math.ceil(times / settings.alpha)} or more" if too_few_draws else "more topics"]
    if topics > 1:
        if times > 1:
            remedies.append("fewer comparisons")
        remedies.append("--test t")
    effort, p_value = plural(topics), "p-value"
    if is_random:
        effort += f", {plural(settings.samples, 'sample')}"
    if times > 1:
        effort += f" and {plural(comparisons, 'comparison')}"
        p_value = "corrected p-value"
    return (
        f"{settings.test} over {effort} can't give a {p_value} below {least:.4g}, so"
        f" nothing can be significant at {settings.alpha:g}; what would help: {_listed(remedies)}"
    )


def _listed(remedies: Sequence[str]) -> str:
    """Return remedies as a list in a sentence: `a`, or `a, b, or c`."""
    if len(remedies) == 1:
        return remedies[0]
    return f"{', '.join(remedies[:-1])}, or {remedies[-1]}"


@dataclass(frozen=True)
class Comparison:
    """One run against another under one measure; differences are run minus other.

    A row of the table that `compare` prints, which has as many columns.

    lower, upper    interval of the mean difference; with an infinite end for a one-sided alternative
    level           coverage of this interval by itself; in joint tests of all intervals of the measure
    agrees          whether interval and test agree that there is a difference, or that none was found
    wins, ties, losses  topics on which the run is better than, as good as, worse than the other
    direction       1 where the test favours the run, -1 the other, 0 neither
    p_value, corrected  p-value of the test, and after the correction
    d_z, hedges_g, rank_biserial  effect sizes
    g_lower, g_upper  interval of Hedges' g that covers `g_level` by itself, never corrected.  For few topics
                    and a large g it covers less: 0.93 instead of 0.95 for 10 topics and a g of 2, 0.88 for 5
                    topics and a g of 3
    """

    measure: str
    run: str
    other: str
    mean: float
    other_mean: float
    difference: float
    lower: float
    upper: float
    wins: int
    ties: int
    losses: int
    p_value: float
    corrected: float
    significant: bool
    direction: int
    d_z: float
    hedges_g: float
    g_lower: float
    g_upper: float
    rank_biserial: float
    level: float
    g_level: float
    agrees: bool


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Runs with their means, the intervals of these, the best of each measure, and the comparisons.

    lower, upper  (M, R) ends of the intervals of means
    best          (M, R) whether no run has a better mean
    baselines     for each measure the index of the baseline; None if all pairs were compared
    unseen        number of further comparisons of each measure that the correction counts, without a record
                  here: those that the choice of the best run as the baseline made; 0 for other baselines
    """

    scores: PairedScores
    settings: CompareSettings
    lower: FloatArray
    upper: FloatArray
    best: BoolArray
    baselines: tuple[int, ...] | None
    comparisons: tuple[Comparison, ...]
    unseen: int = 0

    @property
    def baseline(self) -> int | None:
        """The index of the run that is the baseline of all measures; None if there is no such run."""
        baselines = set(self.baselines or ())
        if len(baselines) != 1:
            return None
        return baselines.pop()

    def of_measure(self, measure: str) -> list[Comparison]:
        """Return the comparisons under one measure."""
        return [comparison for comparison in self.comparisons if comparison.measure == measure]

    def letters(self, measure: int) -> list[str]:
        """Return the letters of each run (R): runs share one if no significant difference was found."""
        number_of_run = {name: number for number, name in enumerate(self.scores.runs)}
        comparisons = self.of_measure(self.scores.measures[measure])
        first = np.array([number_of_run[comparison.run] for comparison in comparisons], np.int64)
        second = np.array([number_of_run[comparison.other] for comparison in comparisons], np.int64)
        significant = [comparison.significant for comparison in comparisons]
        return letters_of_pairs(self.scores.gains()[measure], first, second, significant)

    def contradictions(self) -> int:
        """Return how many significant comparisons favour the run with the worse mean (tests on ranks).

        None does if the test showed that a run is as good, or not worse: that favours neither run.
        """
        if self.settings.alternative in WITH_MARGIN:
            return 0
        count = 0
        for comparison in self.comparisons:
            sign = self.scores.sign(self.scores.measures.index(comparison.measure))
            difference = float(rounded(np.array([comparison.difference]))[0])
            if comparison.significant and comparison.direction * sign * difference < 0:
                count += 1
        return count
