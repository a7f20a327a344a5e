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
    """Settings of a validation: method of the intervals (beta-binomial or one of METHODS), target of recall.

    target  the recall to be shown; None: no test
    margin  half the width that the interval of recall should have; None: nobody asks
    draws   from the posterior under beta-binomial
    """

    method: str = "beta-binomial"
    confidence: float = 0.95
    seed: int = 0
    target: float | None = None
    margin: float | None = None
    draws: int = 100_000


Quantity = Callable[[FloatArray, FloatArray, tuple[int, int]], FloatArray]
"""A function of the relevant documents (n,) found and (n,) missed, and of how many documents the review found
and missed."""

QUANTITIES: dict[str, Quantity] = {
    "recall": lambda relevant, missed, sizes: _share(relevant, relevant + missed),
    "precision": lambda relevant, missed, sizes: _share(relevant, sizes[0]),
    "F1": lambda relevant, missed, sizes: _share(2 * relevant, relevant + missed + sizes[0]),
    "prevalence": lambda relevant, missed, sizes: _share(relevant + missed, sum(sizes)),
    "elusion": lambda relevant, missed, sizes: _share(missed, sizes[1]),
    "relevant": lambda relevant, missed, sizes: relevant + missed,
    "relevant found": lambda relevant, missed, sizes: relevant,
    "relevant missed": lambda relevant, missed, sizes: missed,
}
"""Estimated quantities, computed from the relevant documents that the review found and missed, and from the
numbers of documents that it found and missed."""


def _share(part: FloatArray, whole: FloatArray | int) -> FloatArray:
    """Return (n,) part (n,) / whole, nan for 0 / 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.divide(part, whole))


FURTHER_OUT = 0.9
"""By how much less often than asked for quantiles of the posterior are to be missed.  Webber's own miss the
true recall in up to 5.3 % of collections where they should in 5 %; these, 2 % wider, in no more than that."""

Quantiles = dict[str, list[Ends]]
"""For each quantity the ends of an interval for each chance to miss it."""


def ends_of_quantities(
    sides: Sequence[list[SampledPart]], sizes: tuple[int, int], settings: ReviewSettings
) -> Quantiles:
    """Return for each of QUANTITIES the ends of its interval, and its limits to one side.

    sides  parts that the review found, and parts that it missed
    sizes  the numbers of their documents
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
    """Return quantiles of the posterior: those of the functions of draws of found and missed documents."""
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
    """Return intervals between two limits to one side that keep their level.

    A limit of recall draws the lower limit of the documents found and the upper one of those missed
    independently, or the other way round (melded confidence intervals, see `shuffled`).
    """
    stream, draws = RandomStream(settings.seed, 2), settings.draws
    found_parts, missed_parts = sides
    all_parts = [*found_parts, *missed_parts]
    found_low, found_high = lower_limits(found_parts, draws), upper_limits(found_parts, draws)
    missed_low = shuffled(lower_limits(missed_parts, draws), stream)
    missed_high = shuffled(upper_limits(missed_parts, draws), stream)
    all_low, all_high = lower_limits(all_parts, draws), upper_limits(all_parts, draws)
    nothing = np.zeros(draws)
    worst_and_best: dict[str, tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]] = {
        "recall": ((found_low, missed_high), (found_high, missed_low)),
        "F1": ((found_low, missed_high), (found_high, missed_low)),
        "precision": ((found_low, nothing), (found_high, nothing)),
        "relevant found": ((found_low, nothing), (found_high, nothing)),
        "elusion": ((nothing, missed_low), (nothing, missed_high)),
        "relevant missed": ((nothing, missed_low), (nothing, missed_high)),
        "prevalence": ((all_low, nothing), (all_high, nothing)),
        "relevant": ((all_low, nothing), (all_high, nothing)),
    }
    limits = {}
    for name, (worst, best) in worst_and_best.items():
        quantity = QUANTITIES[name]
        limits[name] = limits_of(quantity(*worst, sizes), quantity(*best, sizes), outside)
    return limits


def limits_of(worst: FloatArray, best: FloatArray, outside: Sequence[float]) -> list[Ends]:
    """Return for each chance the lower limit of the worst values (draws,) and the upper one of the best.

    A value is nan if there is no relevant document: such a draw shows no recall and rules none out.  If no
    worst value is a number, its limit is that of the best ones, and the other way round.
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
    """Return values (draws,) with the substitute in place of nan; if all are nan, the others (draws,)."""
    is_unknown = np.isnan(values)
    if is_unknown.all():
        return others
    return np.where(is_unknown, substitute, values)


def drawn(parts: Sequence[SampledPart], stream: RandomStream, draws: int) -> FloatArray:
    """Return (draws,) numbers of relevant documents of some parts together, drawn from their posterior."""
    if not parts:
        return np.zeros(draws)
    return np.asarray(posterior(parts, draws)[stream.orders(1, draws)[0]])


def ends_of(values: FloatArray, outside: Sequence[float]) -> list[Ends]:
    """Return the ends of an interval of drawn values (n,), nan among them left out, for each chance."""
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
    """Return the intervals that a formula makes of those of the parts, one for each chance of a miss."""
    interval, share = ANALYTIC[settings.method]
    ends: Quantiles = {name: [] for name in QUANTITIES}
    for chance in outside:
        found_yield = _sum(sides[0], interval, chance)
        missed_yield = _sum(sides[1], interval, chance)
        whole_yield = _sum(sides[0] + sides[1], interval, chance)
        missed, low_missed, high_missed = missed_yield
        retrieved = sizes[0]
        # F1 is twice the share of what was found in what was found, missed and retrieved.
        rest = missed + retrieved, low_missed + retrieved, high_missed + retrieved
        ends["recall"].append((share(found_yield, missed_yield), 1 - share(missed_yield, found_yield)))
        ends["F1"].append((2 * share(found_yield, rest), 2 - 2 * share(rest, found_yield)))
        for count, name, (_, low, high), size in (
            ("relevant", "prevalence", whole_yield, sum(sizes)),
            ("relevant found", "precision", found_yield, sizes[0]),
            ("relevant missed", "elusion", missed_yield, sizes[1]),
        ):
            ends[count].append((low, high))
            ends[name].append(_ends_of_share(low, high, size))
    return ends


def _ends_of_share(low: float, high: float, size: int) -> Ends:
    """Return the ends of an interval of a number of documents as shares of `size`; nan of no documents."""
    if not size:
        return math.nan, math.nan
    return low / size, high / size


Yield = tuple[float, float, float]
"""A number of relevant documents, and the ends of its interval."""


def _sum(
    parts: Sequence[SampledPart], interval: Callable[[SampledPart, float], Ends], outside: float
) -> Yield:
    """Return the relevant documents of several parts, with the interval of their sum (MOVER).

    Formula:  from x̂ - √Σ(x̂ᵢ - lᵢ)² to x̂ + √Σ(uᵢ - x̂ᵢ)²
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
    """Return the lower end of part / (part + rest), of two independent estimates (MOVER-R).

    Formula:  q = (a² - (a - l)²) / (ab + √(a²b² - (a² - (a - l)²) (b² - (u - b)²))), and q / (1 + q)
    Source: Donner & Zou, Statistical Methods in Medical Research 2012, doi:10.1177/0962280210383082.
    """
    (a, low, _), (b, _, high) = part, rest
    top = low * (2 * a - low)
    root = math.sqrt(max((a * b) ** 2 - top * high * (2 * b - high), 0.0))
    return top / (top + a * b + root) if top else 0.0


def worst_share(part: Yield, rest: Yield) -> float:
    """Return the lower end of part / (part + rest) if both are at the worst end of their intervals."""
    (_, low, _), (_, _, high) = part, rest
    return low / (low + high) if low else 0.0


EXACT = "clopper-pearson"
"""The method whose intervals have exact limits at both ends."""

ANALYTIC = {
    "wilson": (wilson, least_share),
    "wald": (wald, least_share),
    "ei-recall": (binomial, worst_share),
}
"""The methods with a formula: the interval of a part, and how two become that of a share.

ei-recall: Losey 2015, "Introducing ei-Recall": recall is lowest where most was missed and least was found.
Unless all found documents are judged, it is wider than necessary.
"""

METHODS = ("wilson", EXACT, "wald", "ei-recall")
"""The methods besides beta-binomial."""
