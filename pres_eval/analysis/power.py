"""Power of experiments: topics needed, pairs that differ significantly, rates at which runs swap."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from pres_eval.analysis.distributions import t_quantile
from pres_eval.analysis.joint import Draws, Joint, randomised_tukey, residual_variance, special_functions
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.reproducible import RandomStream, least_enough, mean_and_deviation, rounded
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.arrays import FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn

DISCRIMINATION = ("randomised-tukey", "t", "bootstrap")
"""Tests that give the achieved significance levels, by the names that options use; the first is the
default."""


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
    test: str = DISCRIMINATION[0],
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 0,
    loop: Loop = in_turn,
) -> list[Discrimination]:
    """Return the achieved significance levels of all pairs of runs under each measure.

    randomised-tukey: corrected for the number of pairs; t, bootstrap: each pair by itself, as in the paper.
    `loop` carries out the loop over measures, of randomised-tukey that over draws.
    Source: Sakai, SIGIR 2006, doi:10.1145/1148170.1148261; with randomised Tukey: Sakai, EVIA 2012.
    """
    first, second = np.triu_indices(len(scores.runs), 1)

    def test_measure(measure: int) -> Joint:
        """Return the p-values of pairs of runs, and the mean that t needs for the one that varies most."""
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
    """Return how many pairs of runs a test tells apart, and all of its levels."""
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

    topics        of each set
    lower, upper  |d| of the means on the first set: lower <= |d| < upper
    pairs         pairs of runs, over all trials, that are so far apart
    swaps, rate   how many of them swap, and as a share
    """

    measure: str
    topics: int
    lower: float
    upper: float
    pairs: int
    swaps: int
    rate: float


FUZZINESS = 0.05
"""Means count as the same if they differ by this share of the larger one, or by less."""

BIN_WIDTH, BINS = 0.01, 21
"""Width and number of the bins of differences; the last one has all that are larger."""


def stability(
    scores: PairedScores, sizes: Sequence[int], *, trials: int = 1000, seed: int = 0, loop: Loop = in_turn
) -> tuple[list[tuple[str, int, float, float, float]], list[Swaps]]:
    """Return error rates and swap rates of measures on random sets of topics, of each of the sizes.

    For each measure and size: these, the share of the rarer verdicts over all pairs of runs (error rate), the
    share of verdicts that call the two the same, and how often a second set without a topic in common turns
    the order of two runs round (swap rate).

    A size is half of the topics at most, so that a second set without a topic in common can be drawn.
    Source: Buckley & Voorhees, SIGIR 2000, doi:10.1145/345508.345543; Voorhees & Buckley, SIGIR 2002,
      doi:10.1145/564376.564432.
    """
    pairs = np.triu_indices(len(scores.runs), 1)
    measures_and_sizes = list(itertools.product(range(len(scores.measures)), sizes))

    def of_size(number: int) -> tuple[tuple[str, int, float, float, float], list[Swaps]]:
        """Return the rates of a measure, on sets of topics of a size."""
        measure, size = measures_and_sizes[number]
        stream = RandomStream(seed, size)
        counts = np.zeros((3, len(pairs[0])), np.int64)
        in_bin, swaps = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
        for order in stream.orders(trials, len(scores.topics)):
            first, second, difference = _means_of_pairs(scores.values[measure], order[:size], pairs)
            same = np.abs(difference) <= FUZZINESS * np.maximum(np.abs(first), np.abs(second))
            # Whether the first is better, the second is, or both are about the same.
            counts += np.array([(first > second) & ~same, (first < second) & ~same, same])
            _, _, difference_again = _means_of_pairs(scores.values[measure], order[size : 2 * size], pairs)
            bin_of = np.minimum((np.abs(difference) / BIN_WIDTH + 1e-9).astype(np.int64), BINS - 1)
            in_bin += np.bincount(bin_of, minlength=BINS)
            swaps += np.bincount(bin_of[difference * difference_again < 0], minlength=BINS)
        label = scores.measures[measure]
        num_verdicts = trials * len(pairs[0])
        error_rate = int(np.minimum(counts[0], counts[1]).sum()) / num_verdicts
        share_of_same = int(counts[2].sum()) / num_verdicts
        swap_rate = int(swaps.sum()) / num_verdicts
        rates = label, size, error_rate, share_of_same, swap_rate
        return rates, _bins(label, size, in_bin, swaps)

    rows, swapped = zip(*loop(of_size, len(measures_and_sizes)), strict=True)
    return list(rows), list(itertools.chain(*swapped))


def _means_of_pairs(
    values: FloatArray, topics: IntArray, pairs: tuple[IntArray, IntArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (P,) each: the means of the first run of pairs, of the second, and their rounded difference.

    values  (R, T) scores; the means are over some topics (n,)
    """
    means = means_of(values.take(topics, axis=1))
    first, second = means.take(pairs[0]), means.take(pairs[1])
    return first, second, rounded(first - second)


def _bins(label: str, size: int, in_bin: IntArray, swaps: IntArray) -> list[Swaps]:
    """Return the bins of differences that have pairs, by their numbers of pairs (B,) and of swaps (B,)."""
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
    """Return the lowest difference from which on swaps are no more frequent than `rate`; nan if none is."""
    lowest = math.nan
    for row in sorted(swaps, key=lambda row: -row.lower):
        if row.rate > rate:
            break
        lowest = row.lower
    return lowest


MOST_PLANNED_TOPICS = 1_000_000
"""Topics beyond which a plan says that more would be needed."""

FEATURE = "the number of topics"
"""What needs scipy, for the message where it is not installed."""

PLANNED_CONFIDENCE = 0.95
"""Confidence of the interval of a number of topics."""

FEWEST_FOR_KURTOSIS = 5
"""Topics from which on the kurtosis of differences can be estimated."""


@dataclass(frozen=True)
class Sizes:
    """Topics that a difference of means needs under one measure.

    deviation    the standard deviation of a score that neither run nor topic explains
    pairs        the share of the pairs of runs whose differences vary no more than the t-test is planned for
    t            for a paired t-test of two runs to find it
    t_low, t_high  ends of the interval of this number: the variance is an estimate from the given topics
    anova        for a one-way analysis of variance to find that some of `runs` runs differ, if the best and
                 the worst are that far apart
    interval     for a confidence interval of the difference of two runs to be that wide at most
    detectable   the smallest difference that the t-test finds with the given topics
    None where more than a million would be needed, or the scores do not vary.
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
    alpha, power level of significance, and the probability of finding the difference
    runs         of an analysis of variance
    comparisons  of two runs for which p-values are corrected: by Bonferroni each is tested at this share of
                 alpha, and Holm's correction finds all that Bonferroni's does
    share        the share of pairs of runs that have the power; None: an average pair, whose variance is
                 twice the residual variance
    """

    delta: float
    alpha: float = 0.05
    power: float = 0.8
    runs: int = 10
    comparisons: int = 1
    share: float | None = None


def topic_set_sizes(scores: PairedScores, plan: SizePlan) -> list[Sizes]:
    """Return the topics needed to find a difference with a chance, under each measure.

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
    cut = int(topics / (2 * math.sqrt(topics - 4)))
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
        planned_variance = float(variances[math.ceil(plan.share * len(variances)) - 1])
    # Sums of the same numbers in another order are equal.
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
    """Return the ends of the interval of a variance that was estimated over some topics; nan for few topics.

    Formula:  exp(ln(c s²) ± z c √((k - (n - 3) / n) / (n - 1))), c = n / (n - z), k the kurtosis about a mean
      without a share 1 / (2 √(n - 4)) of the values at each end; also for differences with long tails, of
      which the quantiles of χ² hold 81 to 89 % instead of 95.
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
    # Also where a chance is nan: there is no better to be found.
    return least_enough(
        lambda delta: not t_power(topics, delta, variance, alpha) < power, math.sqrt(variance)
    )


def t_power(topics: int, delta: float, variance: float, alpha: float) -> float:
    """Return the probability that a paired t-test finds a mean difference of delta, at a known variance.

    Formula:  P(|T| > t), T noncentral with n - 1 degrees of freedom and √(n / variance) delta.  Needs scipy.
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

    The best and the worst run are delta apart, all others in the middle, which is the least difference
    between the runs of that range.  It does not tell which runs differ.

    Formula:  P(F' > F), F' noncentral with m - 1 and m (n - 1) degrees of freedom and n delta² / (2
      variance), the least that m runs can have between them.  Needs scipy.
    """
    special = special_functions(FEATURE)
    between, within = runs - 1, runs * (topics - 1)
    noncentrality = topics * delta**2 / (2 * variance)
    critical = float(special.fdtri(between, within, 1 - alpha))
    return 1 - float(special.ncfdtr(between, within, noncentrality, critical))


def expected_width(topics: int, variance: float, alpha: float) -> float:
    """Return the mean width of the 1 - alpha interval of a mean difference.

    Formula:  2 t √(variance / n) √(2 / (n - 1)) Γ(n / 2) / Γ((n - 1) / 2)
    """
    gamma_ratio = math.exp(math.lgamma(topics / 2) - math.lgamma((topics - 1) / 2))
    # The expected deviation of n values is that much lower than the true one.
    factor = math.sqrt(2 / (topics - 1)) * gamma_ratio
    return 2 * t_quantile(alpha, topics - 1) * math.sqrt(variance / topics) * factor


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """Return the fewest topics, 2 at the least, that are enough; None if a million are not."""
    high = 2
    while not enough(high):
        if high > MOST_PLANNED_TOPICS:
            return None
        high *= 2
    between = range(high // 2 + 1, high)
    return between.start + bisect_left(between, True, key=enough)
