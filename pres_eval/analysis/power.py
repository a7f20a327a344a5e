"""Power of experiments: topics needed, pairs that differ significantly, rates at which runs swap."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pres_eval.analysis.distributions import t_quantile
from pres_eval.analysis.joint import Draws, Joint, randomised_tukey, residual_variance, special_functions
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.reproducible import RandomStream, least_enough, mean_and_deviation, rounded
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.arrays import FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn

DISCRIMINATION_TESTS = ("randomised-tukey", "t", "bootstrap")
"""Tests of pairs of runs, by the names that options use; the first is the default."""


@dataclass(frozen=True, eq=False)
class Discrimination:
    """The pairs of runs that differ significantly under a measure.

    levels       (P,) achieved significance levels (p-values) of the pairs, ascending
    significant  pairs whose level is below alpha
    share        these as a share of all pairs; nan without a pair
    needed       a difference of means that would have been significant for any pair
    """

    measure: str
    levels: FloatArray
    significant: int
    share: float
    needed: float


def discriminative_power(
    scores: PairedScores,
    *,
    test: str = DISCRIMINATION_TESTS[0],
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 0,
    loop: Loop = in_turn,
) -> list[Discrimination]:
    """Return the achieved significance levels of all pairs of runs under each measure.

    alpha  level of significance
    test   one of DISCRIMINATION_TESTS: the levels of randomised-tukey are corrected for the number of pairs;
           those of t and bootstrap are of each pair by itself, as in the paper
    loop   carries out the loop over measures, for randomised-tukey that over random draws
    Source: Sakai, SIGIR 2006, doi:10.1145/1148170.1148261; with randomised Tukey: Sakai, EVIA 2012.
    """
    first, second = np.triu_indices(len(scores.runs), 1)

    def test_measure(measure: int) -> Joint:
        """Return the p-values of pairs of runs, and a difference that would be significant for any pair.

        This is the difference of means that the t-test needs for the pair whose differences vary most.
        """
        differences = scores.values[measure][first] - scores.values[measure][second]
        _, deviations = mean_and_deviation(differences)
        topics = differences.shape[1]
        needed = t_quantile(alpha, topics - 1) / math.sqrt(topics) * float(deviations.max(initial=0.0))
        return Joint(PAIRED_TESTS[test].run(differences, samples, seed), needed)

    if test == "randomised-tukey":
        differences_of_means = list(scores.means[:, first] - scores.means[:, second])
        tests = randomised_tukey(scores.values, differences_of_means, Draws(samples, seed, alpha, loop))
    else:
        tests = list(loop(test_measure, len(scores.measures)))
    rows = []
    for label, result in zip(scores.measures, tests, strict=True):
        rows.append(_discrimination(label, result, alpha))
    return rows


def _discrimination(measure: str, test: Joint, alpha: float) -> Discrimination:
    """Return the number of pairs of runs that a test finds to differ, and the p-values of all pairs."""
    num_significant = int(np.count_nonzero(test.p_values < alpha))
    num_pairs = len(test.p_values)
    share = math.nan
    if num_pairs:
        share = num_significant / num_pairs
    return Discrimination(
        measure=measure,
        levels=np.sort(test.p_values),
        significant=num_significant,
        share=share,
        needed=test.half_width,
    )


@dataclass(frozen=True)
class Swaps:
    """Swaps of pairs of runs: a second set of topics puts them in the other order than the first set.

    topics        number of topics in each set
    lower, upper  limits of |d|, the difference of the means on the first set: lower <= |d| < upper
    pairs         pairs of runs with such a difference, over all trials
    swaps, rate   how many of these swap, and their share
    """

    measure: str
    topics: int
    lower: float
    upper: float
    pairs: int
    swaps: int
    rate: float


class Stability(NamedTuple):
    """Verdicts of a measure on pairs of runs, over random sets of topics.

    topics          number of topics in each set
    error_rate      share of verdicts against the majority: those for the run of a pair that is the better
                    one on fewer sets than the other
    share_of_same   share of verdicts that call the two runs the same
    swap_rate       share of pairs and sets where a second set without a topic in common has the other order
    """

    measure: str
    topics: int
    error_rate: float
    share_of_same: float
    swap_rate: float


FUZZINESS = 0.05
"""Means count as the same if they differ by at most this share of the larger one."""

BIN_WIDTH, BINS = 0.01, 21
"""Width and number of the bins of differences; the last one has all that are larger."""

ROUNDING_OF_BINS = 1e-9
"""Added to a difference in units of bins: 0.03 is in the bin from 0.03 on, whatever its last digits are."""


def stability(
    scores: PairedScores, sizes: Sequence[int], *, trials: int = 1000, seed: int = 0, loop: Loop = in_turn
) -> tuple[list[Stability], list[Swaps]]:
    """Return error rates and swap rates, and swaps by difference, for each measure and each of the sizes.

    sizes   numbers of topics in a set: half of the topics at most, so that a second set without a topic in
            common can be drawn
    trials  pairs of random sets for each size
    loop    carries out the loop over measures and sizes
    Source: Buckley & Voorhees, SIGIR 2000, doi:10.1145/345508.345543; Voorhees & Buckley, SIGIR 2002,
      doi:10.1145/564376.564432.
    """
    pairs = np.triu_indices(len(scores.runs), 1)
    measures_and_sizes = list(itertools.product(range(len(scores.measures)), sizes))

    def rates_of(number: int) -> tuple[Stability, list[Swaps]]:
        """Return the rates of a measure on sets of a size, by their number among measures_and_sizes."""
        measure, size = measures_and_sizes[number]
        stream = RandomStream(seed, size)
        num_pairs = len(pairs[0])
        # How often the first run of a pair was larger, the second was, or both were about the same.
        first_larger, second_larger, about_same = np.zeros((3, num_pairs), np.int64)
        in_bin, swaps = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
        for order in stream.orders(trials, len(scores.topics)):
            first, second, difference = _means_of_pairs(scores.values[measure], order[:size], pairs)
            same = np.abs(difference) <= FUZZINESS * np.maximum(np.abs(first), np.abs(second))
            first_larger += (first > second) & ~same
            second_larger += (first < second) & ~same
            about_same += same
            _, _, difference_again = _means_of_pairs(scores.values[measure], order[size : 2 * size], pairs)
            bin_of = (np.abs(difference) / BIN_WIDTH + ROUNDING_OF_BINS).astype(np.int64)
            bin_of = np.minimum(bin_of, BINS - 1)
            signs_differ = difference * difference_again < 0
            in_bin += np.bincount(bin_of, minlength=BINS)
            swaps += np.bincount(bin_of[signs_differ], minlength=BINS)
        label = scores.measures[measure]
        num_verdicts = trials * num_pairs
        rates = Stability(
            measure=label,
            topics=size,
            error_rate=int(np.minimum(first_larger, second_larger).sum()) / num_verdicts,
            share_of_same=int(about_same.sum()) / num_verdicts,
            swap_rate=int(swaps.sum()) / num_verdicts,
        )
        return rates, _swaps_by_bin(label, size, in_bin, swaps)

    rows, swaps_of_rows = zip(*loop(rates_of, len(measures_and_sizes)), strict=True)
    return list(rows), list(itertools.chain(*swaps_of_rows))


def _means_of_pairs(
    values: FloatArray, topics: IntArray, pairs: tuple[IntArray, IntArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return three arrays (P,): means of the first run of pairs, of the second, and their rounded difference.

    values  (R, T) scores
    topics  (n,) indices of the topics that the means are over
    pairs   (P,) first and (P,) second runs, as indices
    """
    means = means_of(values.take(topics, axis=1))
    first, second = means.take(pairs[0]), means.take(pairs[1])
    return first, second, rounded(first - second)


def _swaps_by_bin(label: str, size: int, in_bin: IntArray, swaps: IntArray) -> list[Swaps]:
    """Return the records of the bins that have pairs, from the numbers of pairs (B,) and of swaps (B,)."""
    ends = [number * BIN_WIDTH for number in range(BINS)] + [math.inf]
    rows = []
    for number in np.flatnonzero(in_bin).tolist():
        rows.append(
            Swaps(
                measure=label,
                topics=size,
                lower=ends[number],
                upper=ends[number + 1],
                pairs=int(in_bin[number]),
                swaps=int(swaps[number]),
                rate=int(swaps[number]) / int(in_bin[number]),
            )
        )
    return rows


def needed_difference(swaps: Iterable[Swaps], rate: float = 0.05) -> float:
    """Return the lowest difference from which on no bin has a rate above `rate`; nan if the last bin has."""
    lowest = math.nan
    for row in sorted(swaps, key=lambda row: -row.lower):
        if row.rate > rate:
            break
        lowest = row.lower
    return lowest


MOST_PLANNED_TOPICS = 1_000_000
"""Topics beyond which a plan has None instead of a number."""

FEATURE = "the number of topics"
"""The feature that needs scipy, for the message where it is not installed."""

PLANNED_CONFIDENCE = 0.95
"""Confidence of the interval of a number of topics."""

FEWEST_FOR_KURTOSIS = 5
"""Topics from which on the kurtosis of differences can be estimated: its formula divides by √(topics - 4)."""


@dataclass(frozen=True)
class Sizes:
    """Topics needed to find a difference of means under one measure, the `delta` of a SizePlan.

    deviation    the standard deviation of a score that neither run nor topic explains
    pairs        the share of the pairs of runs whose differences vary no more than the t-test is planned for
    t            topics for a paired t-test of two runs to find the difference
    t_low, t_high  ends of the interval of t, since the variance is an estimate from the topics of the runs
    anova        topics for a one-way analysis of variance to find that some of the plan's runs differ, if
                 the best and the worst are that far apart
    interval     topics for a confidence interval of the difference of two runs to be that wide at most
    detectable   the smallest difference that the t-test finds with the topics of the runs
    None where more than a million topics would be needed, or the scores do not vary.
    """

    measure: str
    deviation: float
    pairs: float
    t: int | None
    t_low: int | None
    t_high: int | None
    anova: int | None
    interval: int | None
    detectable: float


@dataclass(frozen=True)
class SizePlan:
    """The experiment that topics are planned for.

    delta        the difference of means to find
    alpha        level of significance
    power        the probability of finding the difference
    runs         number of runs in an analysis of variance
    comparisons  number of comparisons of two runs for which p-values are corrected: each is tested at
                 alpha / comparisons (Bonferroni); Holm's correction finds all that Bonferroni's does
    share        the share of pairs of runs for which the t-test has this power at least; None: it has the
                 power for an average pair, whose variance is twice the residual variance
    """

    delta: float
    alpha: float = 0.05
    power: float = 0.8
    runs: int = 10
    comparisons: int = 1
    share: float | None = None


def topic_set_sizes(scores: PairedScores, plan: SizePlan) -> list[Sizes]:
    """Return for each measure the topics needed to find the plan's difference with the plan's power.

    Source: Sakai, Information Retrieval Journal 2016, doi:10.1007/s10791-015-9273-z, for an average pair and
      one test.  Needs scipy.
    """
    sizes = []
    for measure, values in zip(scores.measures, scores.values, strict=True):
        sizes.append(_sizes(measure, values, plan))
    return sizes


def pair_variances(values: FloatArray) -> tuple[FloatArray, float]:
    """Return the variances (P,) of the differences of all pairs of runs, and their mean kurtosis.

    values  (R, T) scores
    The kurtosis is that of `variance_interval`, nan if no differences vary.
    """
    variances, kurtoses = [np.empty(0)], [np.empty(0)]
    for run in range(len(values) - 1):
        differences = values[run] - values[run + 1 :]
        variance = mean_and_deviation(differences)[1] ** 2
        variances.append(variance)
        kurtoses.append(_kurtoses(differences[variance > 0], variance[variance > 0]))
    kurtosis_of_pairs = np.concatenate(kurtoses)
    mean_kurtosis = math.nan
    if len(kurtosis_of_pairs):
        mean_kurtosis = float(means_of(kurtosis_of_pairs))
    return np.concatenate(variances), mean_kurtosis


def _kurtoses(differences: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the kurtosis (P,) about a trimmed mean of differences (P, T); nan for four topics or fewer."""
    topics = differences.shape[1]
    if topics < FEWEST_FOR_KURTOSIS:
        return np.full(len(differences), math.nan)
    cut = int(topics / (2 * math.sqrt(topics - 4)))  # values left out at each end
    trimmed = differences
    if 2 * cut < topics:
        trimmed = np.sort(differences, axis=1)[:, cut : topics - cut]
    trimmed_means = means_of(trimmed)
    sum_of_fourth_powers = topics * means_of((differences - trimmed_means[:, None]) ** 4)
    sum_of_squares = (topics - 1) * variances
    return np.asarray(topics * sum_of_fourth_powers / sum_of_squares**2, np.float64)


def _sizes(measure: str, values: FloatArray, plan: SizePlan) -> Sizes:
    """Return the numbers of topics that a measure with these values (R, T) needs."""
    topics = values.shape[1]
    score_variance = residual_variance(values)
    variances, kurtosis = pair_variances(values)
    variances.sort()
    planned_variance = 2 * score_variance
    if plan.share is not None:
        pairs_with_power = math.ceil(plan.share * len(variances))
        planned_variance = float(variances[pairs_with_power - 1])
    # Rounded, since sums of the same numbers in another order can differ in the last digits.
    is_covered = rounded(variances) <= rounded(np.array([planned_variance]))[0]
    alpha = plan.alpha / plan.comparisons
    low, high = variance_interval(planned_variance, kurtosis, topics)

    def topics_of_t(variance: float) -> int | None:
        """Return the topics that the t-test needs at a variance of differences."""
        if not variance > 0:
            return None
        return _fewest(lambda count: t_power(count, plan.delta, variance, alpha) >= plan.power)

    return Sizes(
        measure=measure,
        deviation=math.sqrt(score_variance),
        pairs=float(np.count_nonzero(is_covered)) / len(variances),
        t=topics_of_t(planned_variance),
        t_low=topics_of_t(low),
        t_high=topics_of_t(high),
        anova=_topics_of_anova(score_variance, plan),
        interval=_topics_of_interval(planned_variance, plan.delta, alpha),
        detectable=_detectable(topics, planned_variance, plan.power, alpha),
    )


def variance_interval(variance: float, kurtosis: float, topics: int) -> tuple[float, float]:
    """Return the ends of the interval of a variance s² that was estimated over n topics.

    Both are nan if the variance is 0 or the kurtosis is unknown.
    Formula:  exp(ln(c s²) ± z c √((k - (n - 3) / n) / (n - 1)))
      z  quantile of the normal distribution for PLANNED_CONFIDENCE, 1.96
      c  n / (n - z)
      k  kurtosis about a mean without a share 1 / (2 √(n - 4)) of the values at each end
    It holds for differences with long tails too: of these, intervals by χ² hold 81 to 89 % instead of 95.
    Source: Bonett, Computational Statistics & Data Analysis 2006, doi:10.1016/j.csda.2004.10.003.
    """
    if not variance > 0 or math.isnan(kurtosis):
        return math.nan, math.nan
    quantile = NormalDist().inv_cdf((1 + PLANNED_CONFIDENCE) / 2)
    factor = topics / (topics - quantile)
    spread = max(0.0, (kurtosis - (topics - 3) / topics) / (topics - 1))
    half_width = quantile * factor * math.sqrt(spread)
    middle = math.log(factor * variance)
    return math.exp(middle - half_width), math.exp(middle + half_width)


def _topics_of_anova(variance: float, plan: SizePlan) -> int | None:
    """Return the topics that an analysis of variance needs; None if scores do not vary."""
    if not variance > 0:
        return None
    return _fewest(
        lambda count: anova_power(count, plan.delta, variance, plan.runs, plan.alpha) >= plan.power
    )


def _topics_of_interval(variance: float, delta: float, alpha: float) -> int | None:
    """Return the topics that an interval of a difference needs; None if differences do not vary."""
    if not variance > 0:
        return None
    return _fewest(lambda count: expected_width(count, variance, alpha) <= delta)


def _detectable(topics: int, variance: float, power: float, alpha: float) -> float:
    """Return the least difference that a t-test over the topics finds; nan if differences do not vary."""
    if topics < 2 or not variance > 0:
        return math.nan

    def has_power(delta: float) -> bool:
        """Return whether the t-test finds delta with this power; nan, for a large shift, ends the search."""
        power_of_delta = t_power(topics, delta, variance, alpha)
        return math.isnan(power_of_delta) or power_of_delta >= power

    return least_enough(has_power, math.sqrt(variance))


def t_power(topics: int, delta: float, variance: float, alpha: float) -> float:
    """Return the probability that a paired t-test finds a mean difference of delta, at a known variance.

    Formula:  P(|T| > t), T noncentral t with n - 1 degrees of freedom and shift √(n / variance) delta, t the
      critical value at level alpha.  Needs scipy.
    """
    critical = t_quantile(alpha, topics - 1)
    shift = math.sqrt(topics / variance) * delta
    noncentral = special_functions(FEATURE).nctdtr
    below_critical = float(noncentral(topics - 1, shift, critical))
    other_side = float(noncentral(topics - 1, shift, -critical))
    if math.isnan(other_side):
        # scipy gives nan where the probability is too small.
        other_side = 0.0
    return 1 - below_critical + other_side


def anova_power(topics: int, delta: float, variance: float, runs: int, alpha: float) -> float:
    """Return the chance that a one-way analysis of variance finds that some runs differ.

    The best and the worst run are delta apart, all others in the middle: of all runs with that range these
    vary least, so that the chance is the least one.

    Formula:  P(F' > F), F' noncentral F with m - 1 and m (n - 1) degrees of freedom and noncentrality
      n delta² / (2 variance), for m runs over n topics, F the critical value at level alpha.  Needs scipy.
    """
    special = special_functions(FEATURE)
    between, within = runs - 1, runs * (topics - 1)
    noncentrality = topics * delta**2 / (2 * variance)
    critical = float(special.fdtri(between, within, 1 - alpha))
    return 1 - float(special.ncfdtr(between, within, noncentrality, critical))


def expected_width(topics: int, variance: float, alpha: float) -> float:
    """Return the mean width of the 1 - alpha interval of a mean difference.

    Formula:  2 t √(variance / n) √(2 / (n - 1)) Γ(n / 2) / Γ((n - 1) / 2), t the quantile for alpha with
      n - 1 degrees of freedom, n topics
    """
    gamma_ratio = math.exp(math.lgamma(topics / 2) - math.lgamma((topics - 1) / 2))
    # The expected sample deviation of n values is the true one times this factor, which is below 1.
    factor = math.sqrt(2 / (topics - 1)) * gamma_ratio
    return 2 * t_quantile(alpha, topics - 1) * math.sqrt(variance / topics) * factor


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """Return the fewest topics that are enough, 2 at least; None if a million are not.

    From the fewest on, all larger numbers have to be enough.
    """
    high = 2
    while not enough(high):
        if high > MOST_PLANNED_TOPICS:
            return None
        high *= 2
    # high topics are enough, and high // 2 are not unless high is 2.
    between = range(high // 2 + 1, high)
    fewest = between.start + bisect_left(between, True, key=enough)
    return fewest if fewest <= MOST_PLANNED_TOPICS else None
