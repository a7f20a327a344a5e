"""Confidence distributions of numbers of relevant documents, for limits to one side that keep their level.

Of the N documents of a part a sample of n was judged, and x of these are relevant.  The upper limit is the
largest number K of relevant documents in the part that the sample does not contradict: P(X ≤ x | K) > α, X
hypergeometric (Clopper & Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404).  For a uniformly random α
the limit has the distribution x + BetaBinomial(N - n, x + 1, n - x), the lower limit
x + BetaBinomial(N - n, x, n - x + 1).

Worked example: of 1,500 documents drawn from 50,000 none is relevant.  BetaBinomial(48,500, 1, 1,500) is 98
or more with a chance of 0.0504, and 99 or more with one of 0.0489.  So the limit at α = 0.05 is 98.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pres_eval.analysis.reproducible import RandomStream
from pres_eval.analysis.yields import SampledPart, beta_binomial, beta_binomial_of_moments
from pres_eval.arrays import FloatArray


def upper_limits(parts: Sequence[SampledPart], draws: int) -> FloatArray:
    """Return upper limits (draws,) of the relevant documents in parts: one for each of evenly spaced α.

    The limits ascend.  If one part is not fully judged, they are the exact hypergeometric ones.  For several
    parts they are the gamma limits of Fay & Feuer for a weighted sum, with a beta-binomial in place of the
    gamma distribution since parts are finite.  Its mean and variance are those of the estimate, plus one
    relevant document in the part in which that adds most.

    Formula, sums over the parts that are not fully judged:
      mean      = Σ (N - n) x / n + e
      variance  = Σ N (N - n) / n · v + e (e + 1)
      v         = x (n - x) / (n (n - 1)), ¼ for a sample of one document
      e         = max (N - n) (n - x) / (n (n + 1))
    Source: Fay & Feuer, Statistics in Medicine 1997, doi:10.1002/(SICI)1097-0258(19970415)16:7<791.
    """
    judged_relevant = sum(part.relevant for part in parts)
    uncertain = [part for part in parts if part.sampled < part.size]
    if not uncertain:
        return np.full(draws, float(judged_relevant))
    unjudged = sum(part.size - part.sampled for part in uncertain)
    if len(uncertain) == 1:
        [part] = uncertain
        more = beta_binomial(unjudged, part.relevant + 1, part.sampled - part.relevant, draws)
    else:
        mean, variance = _moments_of_several(uncertain)
        more = beta_binomial_of_moments(unjudged, mean, variance, draws)
    return judged_relevant + more


def lower_limits(parts: Sequence[SampledPart], draws: int) -> FloatArray:
    """Return lower limits (draws,) of the relevant documents in parts: one for each of evenly spaced α.

    They ascend, and are the number of documents less the upper limits of the irrelevant ones.
    """
    documents = sum(part.size for part in parts)
    irrelevant = upper_limits([part.with_relevance_exchanged() for part in parts], draws)
    return (documents - irrelevant)[::-1]


def _moments_of_several(parts: Sequence[SampledPart]) -> tuple[float, float]:
    """Return mean and variance of the upper limit of unjudged relevant documents (see `upper_limits`)."""
    mean = variance = extra = 0.0
    for part in parts:
        size, sampled, relevant = part.size, part.sampled, part.relevant
        unjudged, irrelevant = size - sampled, sampled - relevant
        variance_of_share = 0.25
        if sampled > 1:
            variance_of_share = relevant * irrelevant / (sampled * (sampled - 1))
        mean += unjudged * relevant / sampled
        variance += size * unjudged / sampled * variance_of_share
        extra = max(extra, unjudged * irrelevant / (sampled * (sampled + 1)))
    return mean + extra, variance + extra * (extra + 1)


def shuffled(limits: FloatArray, stream: RandomStream) -> FloatArray:
    """Return limits (draws,) in a random order, to be melded with limits of other parts.

    Melding pairs the limits of two numbers at random.  For the lower limit of a quantity it takes the lower
    limits of the number that raises the quantity, and the upper limits of the number that lowers it; a
    quantile of the values is the limit.
    Source: Fay, Proschan & Brittain, Biometrics 2015, doi:10.1111/biom.12231 (melded confidence intervals).
    """
    return np.asarray(limits[stream.orders(1, len(limits))[0]])


def quantile_at_least(values: FloatArray, chance: float) -> float:
    """Return the least of the values (n,) such that more than a share `chance` of them is not above it.

    nan are left out; nan if there is no value.
    """
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return math.nan
    return float(known[math.floor(chance * len(known))])


def quantile_at_most(values: FloatArray, chance: float) -> float:
    """Return the largest of the values (n,) such that more than a share `chance` of them is not below it.

    nan are left out; nan if there is no value.
    """
    return -quantile_at_least(-values, chance)
