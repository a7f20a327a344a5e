"""Numbers of topics: how many an experiment needs, and what a number of topics can show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pres_eval.analysis import student
from pres_eval.analysis.digits import least_enough
from pres_eval.analysis.joint import residual_variance, special_functions
from pres_eval.analysis.paired import PairedScores

MOST_TOPICS = 1_000_000
FEATURE = "the number of topics"


@dataclass(frozen=True)
class Sizes:
    """Topics that a difference of means needs under one measure.

    deviation    the standard deviation of a score that neither run nor topic explains
    t            for a paired t-test of two runs to find it
    anova        for an analysis of variance to find that it separates the best and the worst of `runs`
    interval     for a confidence interval of the difference of two runs to be that wide at most
    detectable   the smallest difference that the t-test finds with the topics at hand
    None where more than a million would be needed, or the scores do not vary.
    """

    measure: str
    deviation: float
    t: int | None
    anova: int | None
    interval: int | None
    detectable: float


def topic_set_sizes(
    scores: PairedScores, delta: float, *, alpha: float = 0.05, power: float = 0.8, runs: int = 10
) -> list[Sizes]:
    """Return the topics needed to find a difference of `delta` with chance `power` at level alpha.

    The variance is that of the runs at hand (`residual_variance`); a difference of two runs has twice of it.
    Source: Sakai, Information Retrieval Journal 2016, doi:10.1007/s10791-015-9273-z.  Needs scipy.
    """
    topics = len(scores.topics)
    return [
        _sizes(measure, topics, residual_variance(values), delta, alpha, power, runs)
        for measure, values in zip(scores.measures, scores.values, strict=True)
    ]


def _sizes(
    measure: str, topics: int, variance: float, delta: float, alpha: float, power: float, runs: int
) -> Sizes:
    """Return the numbers of topics that a measure of this variance needs."""
    deviation = math.sqrt(variance)
    if not variance > 0:
        return Sizes(
            measure=measure, deviation=deviation, t=None, anova=None, interval=None, detectable=math.nan
        )
    of_difference = 2 * variance
    return Sizes(
        measure=measure,
        deviation=deviation,
        t=_fewest(lambda n: t_power(n, delta, of_difference, alpha) >= power),
        anova=_fewest(lambda n: anova_power(n, delta, variance, runs, alpha) >= power),
        interval=_fewest(lambda n: expected_width(n, of_difference, alpha) <= delta),
        detectable=_detectable(topics, of_difference, alpha, power),
    )


def t_power(topics: int, delta: float, variance: float, alpha: float) -> float:
    """The chance that a paired t-test finds a mean difference of delta, the differences' variance known.

    Formula:  P(|T| > t), T noncentral with n - 1 degrees of freedom and √(n / variance) delta.  Needs scipy.
    """
    critical = student.quantile(alpha, topics - 1)
    shift = math.sqrt(topics / variance) * delta
    noncentral = special_functions(FEATURE).nctdtr
    below = float(noncentral(topics - 1, shift, critical))
    far = float(noncentral(topics - 1, shift, -critical))
    return 1 - below + (0.0 if math.isnan(far) else far)


def anova_power(topics: int, delta: float, variance: float, runs: int, alpha: float) -> float:
    """The chance that a one-way analysis of variance finds that delta separates the best of runs from the
    worst.

    Formula:  P(F' > F), F' noncentral with m - 1 and m (n - 1) degrees of freedom and n delta² / (2
      variance), the least that m runs can have between them.  Needs scipy.
    """
    special = special_functions(FEATURE)
    between, within = runs - 1, runs * (topics - 1)
    critical = float(special.fdtri(between, within, 1 - alpha))
    return 1 - float(special.ncfdtr(between, within, topics * delta**2 / (2 * variance), critical))


def expected_width(topics: int, variance: float, alpha: float) -> float:
    """Return the mean width of the 1 - alpha interval of a mean difference.

    Formula:  2 t √(variance / n) √(2 / (n - 1)) Γ(n / 2) / Γ((n - 1) / 2)
    """
    unbiased = math.sqrt(2 / (topics - 1)) * math.exp(math.lgamma(topics / 2) - math.lgamma((topics - 1) / 2))
    return 2 * student.quantile(alpha, topics - 1) * math.sqrt(variance / topics) * unbiased


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The fewest topics, 2 at the least, that are enough."""
    high = 2
    while not enough(high):
        if high > MOST_TOPICS:
            return None
        high *= 2
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def _detectable(topics: int, variance: float, alpha: float, power: float) -> float:
    """Return the least difference found with this power, by halving; nan for one topic."""
    if topics < 2:
        return math.nan
    # Also where a chance is nan: there is no better to be found.
    return least_enough(
        lambda delta: not t_power(topics, delta, variance, alpha) < power, math.sqrt(variance)
    )
