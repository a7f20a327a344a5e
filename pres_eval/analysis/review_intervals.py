"""Intervals of what a review found and missed, from judged random samples of the parts of a collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from pres_eval.analysis.exact_limits import (
    lower_limits,
    quantile_at_least,
    quantile_at_most,
    shuffled,
    upper_limits,
)
from pres_eval.analysis.reproducible import RandomStream, quantiles_of_known
from pres_eval.analysis.yields import Ends, SampledPart, binomial, posterior, wald, wilson
from pres_eval.arrays import FloatArray
from pres_eval.records import dataclass


@dataclass(frozen=True)
class ReviewSettings:
    """Settings of a validation.

    method      of the intervals: beta-binomial or one of METHODS
    confidence  probability with which intervals contain the quantity
    seed        of random draws
    target      the recall to be shown; None: no test
    margin      half the width that the interval of recall should have, to plan larger samples; None: no plan
    draws       number of random draws of relevant documents
    """

    method: str = "beta-binomial"
    confidence: float = 0.95
    seed: int = 0
    target: float | None = None
    margin: float | None = None
    draws: int = 100_000


FOUND, MISSED = 0, 1
"""Indices of the two sides of a review: the documents that it found, and those that it missed."""

Quantity = Callable[[FloatArray, FloatArray, tuple[int, int]], FloatArray]
"""Function of the relevant documents found (n,) and missed (n,), and of the sizes of both sides."""

QUANTITIES: dict[str, Quantity] = {
    "recall": lambda found, missed, sizes: _share(found, found + missed),
    "precision": lambda found, missed, sizes: _share(found, sizes[FOUND]),
    "F1": lambda found, missed, sizes: _share(2 * found, found + missed + sizes[FOUND]),
    "prevalence": lambda found, missed, sizes: _share(found + missed, sum(sizes)),
    "elusion": lambda found, missed, sizes: _share(missed, sizes[MISSED]),
    "relevant": lambda found, missed, sizes: found + missed,
    "relevant found": lambda found, missed, sizes: found,
    "relevant missed": lambda found, missed, sizes: missed,
}
"""Estimated quantities.

found, missed  numbers of relevant documents that the review found, and that it missed
sizes          numbers of all documents that it found, and that it missed
"""


def _share(part: FloatArray, whole: FloatArray | int) -> FloatArray:
    """Return (n,) part (n,) / whole, nan for 0 / 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.divide(part, whole))


FURTHER_OUT = 0.9
"""Factor of the share outside an interval, for quantiles of the posterior.

Webber's own intervals miss the true recall in up to 5.3 % of collections instead of 5 %; these, 2 % wider, in
5 % at most.
"""

Quantiles = dict[str, list[Ends]]
"""For each quantity the ends of its intervals, one interval for each share outside."""


def ends_of_quantities(
    sides: Sequence[list[SampledPart]], sizes: tuple[int, int], settings: ReviewSettings
) -> Quantiles:
    """Return for each of QUANTITIES two pairs of ends: its interval, and its limits to one side.

    sides  parts that the review found, and parts that it missed
    sizes  numbers of documents of both
    """
    outside = 1 - settings.confidence
    if settings.method == ReviewSettings.method:
        intervals = _drawn(sides, sizes, settings, [outside])
        limits = _melded(sides, sizes, settings, [2 * outside])
        return {name: [*intervals[name], *limits[name]] for name in QUANTITIES}
    if settings.method == EXACT:
        return _melded(sides, sizes, settings, (outside, 2 * outside))
    return _analytic(sides, sizes, settings, (outside, 2 * outside))


def _drawn(
    sides: Sequence[list[SampledPart]],
    sizes: tuple[int, int],
    settings: ReviewSettings,
    outside: Sequence[float],
) -> Quantiles:
    """Return intervals from the posterior: quantiles of quantities of drawn numbers of relevant documents.

    outside  shares of values outside the intervals, at both ends together
    """
    stream = RandomStream(settings.seed)
    drawn_found, drawn_missed = (drawn(side, stream, settings.draws) for side in sides)
    ends = {}
    for name, quantity in QUANTITIES.items():
        ends[name] = ends_of(quantity(drawn_found, drawn_missed, sizes), outside)
    return ends


def _melded(
    sides: Sequence[list[SampledPart]],
    sizes: tuple[int, int],
    settings: ReviewSettings,
    outside: Sequence[float],
) -> Quantiles:
    """Return intervals whose ends are limits to one side that keep their level.

    outside  shares outside the intervals, at both ends together

    The lower limit of recall draws lower limits of the relevant documents found, and independently upper
    limits of those missed; its upper limit the other way round (melded confidence intervals, see `shuffled`).
    """
    stream, draws = RandomStream(settings.seed, 2), settings.draws
    found_parts, missed_parts = sides
    all_parts = [*found_parts, *missed_parts]
    found_low, found_high = lower_limits(found_parts, draws), upper_limits(found_parts, draws)
    missed_low = shuffled(lower_limits(missed_parts, draws), stream)
    missed_high = shuffled(upper_limits(missed_parts, draws), stream)
    all_low, all_high = lower_limits(all_parts, draws), upper_limits(all_parts, draws)
    # In place of the number that a quantity does not depend on, and where all parts are the first number.
    zeros = np.zeros(draws)
    worst_and_best: dict[str, tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]] = {
        "recall": ((found_low, missed_high), (found_high, missed_low)),
        "F1": ((found_low, missed_high), (found_high, missed_low)),
        "precision": ((found_low, zeros), (found_high, zeros)),
        "relevant found": ((found_low, zeros), (found_high, zeros)),
        "elusion": ((zeros, missed_low), (zeros, missed_high)),
        "relevant missed": ((zeros, missed_low), (zeros, missed_high)),
        "prevalence": ((all_low, zeros), (all_high, zeros)),
        "relevant": ((all_low, zeros), (all_high, zeros)),
    }
    limits = {}
    for name, (worst, best) in worst_and_best.items():
        quantity = QUANTITIES[name]
        limits[name] = limits_of(quantity(*worst, sizes), quantity(*best, sizes), outside)
    return limits


def limits_of(worst: FloatArray, best: FloatArray, outside: Sequence[float]) -> list[Ends]:
    """Return for each share outside the lower limit of a quantity and the upper one.

    worst, best  (draws,) values of the quantity at the worst and at the best limits of its parts
    A value is nan if a draw has no relevant document: such a draw excludes no value of the quantity.  If all
    worst values are nan, the best ones give the lower limit, and the other way round.
    """
    known_worst = _without_nan(worst, 0.0, best)
    known_best = _without_nan(best, 1.0, worst)
    limits = []
    for chance in outside:
        lower = quantile_at_least(known_worst, chance / 2)
        upper = quantile_at_most(known_best, chance / 2)
        limits.append((lower, upper))
    return limits


def _without_nan(values: FloatArray, substitute: float, others: FloatArray) -> FloatArray:
    """Return values (draws,) with `substitute` in place of nan; if all are nan, the others (draws,)."""
    is_unknown = np.isnan(values)
    if is_unknown.all():
        return others
    return np.where(is_unknown, substitute, values)


def drawn(parts: Sequence[SampledPart], stream: RandomStream, draws: int) -> FloatArray:
    """Return numbers (draws,) of relevant documents of parts together, drawn at random from the posterior."""
    if not parts:
        return np.zeros(draws)
    return np.asarray(posterior(parts, draws)[stream.orders(1, draws)[0]])


def ends_of(values: FloatArray, outside: Sequence[float]) -> list[Ends]:
    """Return for each share outside the ends of an interval of drawn values (n,); nan are left out."""
    chances: list[float] = []
    for chance in outside:
        beyond = FURTHER_OUT * chance / 2
        chances += (beyond, 1 - beyond)
    quantiles = quantiles_of_known(values, chances)
    return list(zip(quantiles[::2], quantiles[1::2], strict=True))


def _analytic(
    sides: Sequence[list[SampledPart]],
    sizes: tuple[int, int],
    settings: ReviewSettings,
    outside: Sequence[float],
) -> Quantiles:
    """Return intervals by a formula from those of the parts, one for each share outside."""
    interval, least = ANALYTIC[settings.method]
    ends: Quantiles = {name: [] for name in QUANTITIES}
    for chance in outside:
        found = _sum(sides[FOUND], interval, chance)
        missed = _sum(sides[MISSED], interval, chance)
        relevant = _sum(sides[FOUND] + sides[MISSED], interval, chance)
        ends["recall"].append((least(found, missed), 1 - least(missed, found)))
        # F1 = 2 found / (found + rest), where the rest is what was missed and what was retrieved.
        estimate, low, high = missed
        rest = estimate + sizes[FOUND], low + sizes[FOUND], high + sizes[FOUND]
        ends["F1"].append((2 * least(found, rest), 2 - 2 * least(rest, found)))
        numbers_and_shares = (
            ("relevant", "prevalence", relevant, sum(sizes)),
            ("relevant found", "precision", found, sizes[FOUND]),
            ("relevant missed", "elusion", missed, sizes[MISSED]),
        )
        for name_of_number, name_of_share, (_, low, high), size in numbers_and_shares:
            ends[name_of_number].append((low, high))
            ends[name_of_share].append(_ends_of_share(low, high, size))
    return ends


def _ends_of_share(low: float, high: float, size: int) -> Ends:
    """Return the ends of an interval of a number of documents as shares of `size`; nan if size is 0."""
    if not size:
        return math.nan, math.nan
    return low / size, high / size


Yield = tuple[float, float, float]
"""Estimated number of relevant documents, and the lower and the upper end of its interval."""


def _sum(
    parts: Sequence[SampledPart], interval: Callable[[SampledPart, float], Ends], outside: float
) -> Yield:
    """Return the relevant documents of several parts, with the interval of their sum (MOVER).

    interval  returns the ends of one part's interval, by the share outside
    Formula:  from x̂ - √Σ(x̂ᵢ - lᵢ)² to x̂ + √Σ(uᵢ - x̂ᵢ)², x̂ᵢ the estimate of a part, lᵢ and uᵢ its ends, x̂
      the sum of the estimates
    Source: Zou & Donner, Statistics in Medicine 2008, doi:10.1002/sim.3095.
    """
    estimates, below, above = [], [], []
    for part in parts:
        low, high = part.clipped(interval(part, outside))
        estimates.append(part.estimate)
        below.append(part.estimate - low)
        above.append(high - part.estimate)
    total = math.fsum(estimates)
    return total, total - math.hypot(*below), total + math.hypot(*above)


def least_share(part: Yield, rest: Yield) -> float:
    """Return the lower end of the interval of part / (part + rest), two independent estimates (MOVER-R).

    Formula:  q / (1 + q), q = (a² - (a - l)²) / (a b + √(a² b² - (a² - (a - l)²) (b² - (u - b)²)))
      a, l  estimate and lower end of the part      b, u  estimate and upper end of the rest
    Source: Donner & Zou, Statistical Methods in Medical Research 2012, doi:10.1177/0962280210383082.
    """
    (a, low, _), (b, _, high) = part, rest
    numerator = low * (2 * a - low)  # a² - (a - l)²
    if not numerator:
        return 0.0
    root = math.sqrt(max((a * b) ** 2 - numerator * high * (2 * b - high), 0.0))
    return numerator / (numerator + a * b + root)


def worst_share(part: Yield, rest: Yield) -> float:
    """Return part / (part + rest) with the lower end of the part and the upper end of the rest."""
    (_, low, _), (_, _, high) = part, rest
    if not low:
        return 0.0
    return low / (low + high)


EXACT = "clopper-pearson"
"""The method whose intervals have exact limits at both ends."""

ANALYTIC = {
    "wilson": (wilson, least_share),
    "wald": (wald, least_share),
    "ei-recall": (binomial, worst_share),
}
"""The methods with a formula: the function for the interval of a part, and that for the end of a share.

ei-recall: Losey 2015, "Introducing ei-Recall": recall is lowest where most was missed and least was found.
Unless all found documents are judged, it is wider than necessary.
"""

METHODS = ("wilson", EXACT, "wald", "ei-recall")
"""The methods besides beta-binomial."""
