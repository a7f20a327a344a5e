"""Relevant documents of a part of a collection, estimated from a judged sample; sizes of samples.

In formulas N is the size of a part, n its sample, x the relevant documents of the sample, p̂ = x / n.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.records import dataclass

Ends = tuple[float, float]
"""Ends of an interval of the number of relevant documents in a part."""

LARGEST_TABLE = 1 << 20
"""Up to this number of unjudged documents a table has a probability for each number of relevant ones.

For more documents its rows stand for equally large groups of them: this bounds the memory.
"""

AS_IF_INFINITE = 10**12
"""Size of a part that makes the hypergeometric distribution of its samples binomial."""


@dataclass(frozen=True)
class SampledPart:
    """Documents of one stratum that the review found, or those that it missed, with their judged sample.

    found     whether the review found these documents
    size      number of documents
    sampled   how many of them were drawn at random and judged; one at least
    relevant  how many of the sampled ones are relevant
    """

    topic: bytes
    stratum: str
    found: bool
    size: int
    sampled: int
    relevant: int

    @property
    def estimate(self) -> float:
        """The estimated number of relevant documents: size · relevant / sampled."""
        return self.size * self.relevant / self.sampled

    def with_relevance_exchanged(self) -> SampledPart:
        """Return the part with its irrelevant documents as the relevant ones."""
        return replace(self, relevant=self.sampled - self.relevant)

    def clipped(self, ends: Ends) -> Ends:
        """Return the ends of an interval, cut at what the judged documents leave possible."""
        least, most = float(self.relevant), float(self.size - self.sampled + self.relevant)
        low, high = ends
        return min(max(low, least), most), min(max(high, least), most)


def wald(part: SampledPart, outside: float) -> Ends:
    """Return the interval by the normal approximation; for comparison only.

    outside  probability left outside the interval, at both ends together; the same for the others below
    Formula:  N (p̂ ± z √(p̂ (1 - p̂) / n · (N - n) / (N - 1))), z the normal quantile
    It has no width if no document of the sample is relevant, or if all are.
    """
    share = part.relevant / part.sampled
    finite_population = (part.size - part.sampled) / max(part.size - 1, 1)
    error = math.sqrt(share * (1 - share) / part.sampled * finite_population)
    half_width = -NormalDist().inv_cdf(outside / 2) * error
    return part.size * (share - half_width), part.size * (share + half_width)


def wilson(part: SampledPart, outside: float) -> Ends:
    """Return Wilson's score interval.

    Formula:  N (p̂ + z² / (2 m) ± z √(p̂ (1 - p̂) / m + z² / (4 m²))) / (1 + z² / m), z the normal quantile,
      m = n (N - 1) / (N - n), the sample's size corrected for a finite part
    Source: Wilson, JASA 1927, doi:10.1080/01621459.1927.10502953.
    """
    share = part.relevant / part.sampled
    finite_population = (part.size - part.sampled) / max(part.size - 1, 1)
    z_squared_by_m = NormalDist().inv_cdf(outside / 2) ** 2 / part.sampled * finite_population
    middle = share + z_squared_by_m / 2
    half_width = math.sqrt(share * (1 - share) * z_squared_by_m + z_squared_by_m * z_squared_by_m / 4)
    scale = part.size / (1 + z_squared_by_m)
    return scale * (middle - half_width), scale * (middle + half_width)


def clopper_pearson(part: SampledPart, outside: float) -> Ends:
    """Return the exact interval: the numbers of relevant documents that the sample does not contradict.

    Formula:  all K with P(X ≥ x | K) > outside / 2 and P(X ≤ x | K) > outside / 2, X hypergeometric: the
      relevant documents of a sample of n, if K of the N documents are relevant
    Source: Clopper & Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404.
    """
    least_relevant = _least_possible(part, outside / 2)
    least_irrelevant = _least_possible(part.with_relevance_exchanged(), outside / 2)
    return float(least_relevant), float(part.size - least_irrelevant)


def _least_possible(part: SampledPart, chance: float) -> int:
    """Return the least number of relevant documents in a part that its sample does not contradict.

    It is the least with which a sample has as many relevant documents as this one, or more, with a
    probability above `chance`.
    """
    candidates = range(part.relevant, part.size - part.sampled + part.relevant)
    num_unlikely = bisect_left(candidates, True, key=lambda relevant: _at_least(relevant, part) > chance)
    return part.relevant + num_unlikely


def _at_least(relevant: int, part: SampledPart) -> float:
    """Return the chance of as many relevant documents in the sample or more, if the part has `relevant`."""
    size, sampled = part.size, part.sampled
    # The sample has at least these relevant documents, since the part has too few irrelevant ones.
    first = max(0, sampled - (size - relevant))
    k = np.arange(first, min(sampled, relevant), dtype=np.float64)
    # The ratio of the chances of k + 1 and of k relevant documents.
    numerator = (relevant - k) * (sampled - k)
    denominator = (k + 1) * (size - relevant - sampled + k + 1)
    steps = np.log(numerator) - np.log(denominator)
    return float(_chances(steps)[max(part.relevant - first, 0) :].sum())


def _chances(steps: FloatArray) -> FloatArray:
    """Return probabilities p(0) … p(n) (n+1,) that add up to 1, from their ratios.

    steps  (n,) log(p(k+1) / p(k)) for k = 0 … n-1
    """
    logarithms = np.concatenate(([0.0], np.cumsum(steps)))
    chances = np.exp(logarithms - logarithms.max())
    return np.asarray(chances / chances.sum())


def binomial(part: SampledPart, outside: float) -> Ends:
    """Return Clopper and Pearson's interval as if the part were infinite, unless all of it is judged."""
    size = part.size
    if part.sampled < part.size:
        size = AS_IF_INFINITE
    low, high = clopper_pearson(replace(part, size=size), outside)
    return part.size * (low / size), part.size * (high / size)


def posterior(parts: Sequence[SampledPart], draws: int) -> FloatArray:
    """Return numbers (draws,) of relevant documents of several parts together: even quantiles, ascending.

    Formula:  Σ x + BetaBinomial(Σ (N - n), a, b), the relevant documents that were judged, and those among
      the unjudged ones.  For one part that is not fully judged a = x + ½, b = n - x + ½ (Jeffreys' prior);
      for several a and b follow from the mean and the variance of `_moments_of_several`.
    Source: Webber, "Approximate recall confidence intervals", TOIS 2013, doi:10.1145/2414782.2414784.
    """
    judged_relevant = sum(part.relevant for part in parts)
    uncertain = [part for part in parts if part.sampled < part.size]
    unjudged = sum(part.size - part.sampled for part in uncertain)
    if not uncertain:
        return np.full(draws, float(judged_relevant))
    if len(uncertain) == 1:
        [part] = uncertain
        more = beta_binomial(unjudged, part.relevant + 0.5, part.sampled - part.relevant + 0.5, draws)
    else:
        mean, variance = _moments_of_several(uncertain)
        more = beta_binomial_of_moments(unjudged, mean, variance, draws)
    return judged_relevant + more


def beta_binomial(documents: int, a: float, b: float, draws: int) -> FloatArray:
    """Return even quantiles (draws,) of BetaBinomial(documents, a, b), ascending; a or b may be 0.

    More than LARGEST_TABLE documents are represented by that number of groups.
    """
    if not documents or not a:
        return np.zeros(draws)
    if not b:
        return np.full(draws, float(documents))
    groups = min(documents, LARGEST_TABLE)
    k = np.arange(groups, dtype=np.float64)
    numerator, denominator = (k + a) * (groups - k), (k + 1) * (groups - k - 1 + b)
    chances = _chances(np.log(numerator) - np.log(denominator))
    shares = (np.arange(draws) + 0.5) / draws
    relevant_groups = np.searchsorted(np.cumsum(chances)[:-1], shares)
    return np.asarray(relevant_groups * (documents / groups))


def beta_binomial_of_moments(documents: int, mean: float, variance: float, draws: int) -> FloatArray:
    """Return even quantiles (draws,) of the beta-binomial with this mean and variance, ascending.

    a + b is at least 1, as for the prior alone.  A variance below the binomial one gives about the binomial
    distribution.
    """
    share = min(mean / documents, 1.0)
    ratio = 1.0  # of the variance to the binomial one
    if 0 < share < 1:
        ratio = variance / (mean * (1 - share))
    # a + b, by the variance of the beta-binomial distribution.
    weight = max((documents - ratio) / max(ratio - 1, 1e-9), 1.0)
    return beta_binomial(documents, weight * share, weight * (1 - share), draws)


def _moments_of_several(parts: Sequence[SampledPart]) -> tuple[float, float]:
    """Return mean and variance of the number of relevant documents among the unjudged ones of several parts.

    A prior of its own for each part would add half a relevant document N / n times for each: with ten strata
    or twenty topics the interval would not contain the estimate.  So all parts share one half relevant and
    one half irrelevant document, in proportion to their N / n.  A variance of 0 would claim that a part
    without a relevant document in its sample has none.  So for the variance each part's sample has one more
    document: h of it is relevant, h is not, and of the rest the parts' common share is.

    Formula:
      h         = ½ (N / n) / Σ (N / n)                                 the part's share of the half document
      mean      = Σ (N - n) (x + h) / (n + 2 h)
      c         = (Σ x + ½) / (Σ n + 1)                                 the common share of relevant documents
      q         = (x + h + (1 - 2 h) c) / (n + 1)
      variance  = Σ N (N - n) / n q (1 - q) (n + 1)² / (n² + n + 1)
    The last factor makes up for q (1 - q) of samples, which is too low on average.
    """
    scale = sum(part.size / part.sampled for part in parts)
    common = (sum(part.relevant for part in parts) + 0.5) / (sum(part.sampled for part in parts) + 1)
    mean = variance = 0.0
    for part in parts:
        size, sampled = part.size, part.sampled
        half = size / sampled / scale / 2
        share = (part.relevant + half + (1 - 2 * half) * common) / (sampled + 1)
        correction = (sampled + 1) ** 2 / (sampled * sampled + sampled + 1)
        mean += (size - sampled) * (part.relevant + half) / (sampled + 2 * half)
        variance += size * (size - sampled) / sampled * share * (1 - share) * correction
    return mean, variance


def relevant_needed(sampled: int, target: float, confidence: float) -> int | None:
    """Return how many of the relevant documents of a sample a review must find before it may stop.

    sampled  number of relevant documents in the sample; the result is None if they are too few to ever stop
    target   the recall to reach
    Formula:  the least j with P(X < j) ≥ confidence, X binomial with `sampled` trials and chance `target`
    Source: Lewis, Yang & Frieder, CIKM 2021, doi:10.1145/3459637.3482415 (QBCB).
    """
    k = np.arange(sampled, dtype=np.float64)
    below = np.cumsum(_chances(np.log((sampled - k) / (k + 1) * target / (1 - target))))
    needed = int(np.searchsorted(below, confidence)) + 1
    if needed > sampled:
        return None
    return needed


def sample_needed(part: SampledPart, half_width: float, margin: float) -> int:
    """Return how many documents of a part to judge in all, so that the interval of recall is ± margin.

    half_width  h, half the width of today's interval
    Formula:  1 / (1 / N + (1 / n - 1 / N) (margin / h)²), if the samples of all parts grow alike
    """
    if half_width <= margin or part.sampled == part.size:
        return part.sampled
    # The variance of an estimate is proportional to 1 / n - 1 / N.  The margin allows this value of it.
    allowed = (1 / part.sampled - 1 / part.size) * (margin / half_width) ** 2
    return min(part.size, math.ceil(1 / (1 / part.size + allowed)))


PLANNED_RECALLS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95)
"""Recalls for which samples are planned: the width of an interval depends on the recall."""


class SamplePlan(NamedTuple):
    """Sample to draw at random, if the recall is about this: its documents, and its relevant documents."""

    recall: float
    relevant: int
    documents: int


def plans(collection: int, prevalence: float, margin: float, confidence: float) -> Iterator[SamplePlan]:
    """Yield for several recalls how many documents to draw at random for recall ± margin.

    collection  number of documents
    prevalence  share of relevant documents among them
    Formula:  m = z² r (1 - r) / margin² relevant documents for recall r, z the normal quantile; of only R in
      the collection m / (1 + (m - 1) / R); this divided by the prevalence is the number of documents
    """
    z = NormalDist().inv_cdf((1 - confidence) / 2)
    for recall in PLANNED_RECALLS:
        of_infinite = z * z * recall * (1 - recall) / margin**2
        relevant = of_infinite / (1 + max(of_infinite - 1, 0.0) / (collection * prevalence))
        yield SamplePlan(
            recall=recall,
            relevant=math.ceil(relevant),
            documents=min(collection, math.ceil(relevant / prevalence)),
        )


ELUSION_SAMPLES = (50, 100, 200, 300, 500, 1000, 1500, 2000, 3000, 5000, 10_000)
"""Sizes of samples for which the results of elusion tests are listed."""


class ElusionTest(NamedTuple):
    """Elusion test: a sample of the documents that a review did not find, without a relevant one among them.

    documents  size of the sample
    elusion    the largest share of the documents not found that may be relevant
    missed     the same as a number of documents
    recall     the least recall that this leaves possible
    """

    documents: int
    elusion: float
    missed: int
    recall: float


def elusion_tests(unfound: int, relevant: float, confidence: float) -> Iterator[ElusionTest]:
    """Yield the results of elusion tests of several sizes that find no relevant document.

    unfound   number of documents that the review did not find
    relevant  number of relevant documents, found or not
    """
    for size in ELUSION_SAMPLES:
        if size <= unfound:
            part = SampledPart(topic=b"", stratum="", found=False, size=unfound, sampled=size, relevant=0)
            # Only the upper end matters: all of the error is on one side.
            _, high = clopper_pearson(part, 2 * (1 - confidence))
            yield ElusionTest(
                documents=size,
                elusion=high / unfound,
                missed=int(high),
                recall=max(0.0, 1 - high / relevant),
            )
