"""Validation of a review: recall and related quantities from judged random samples, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pres_eval.analysis.exact_limits import lower_limits, shuffled, upper_limits
from pres_eval.analysis.reproducible import RandomStream
from pres_eval.analysis.review_intervals import (
    QUANTITIES,
    ReviewSettings,
    drawn,
    ends_of,
    ends_of_quantities,
    limits_of,
)
from pres_eval.analysis.yields import Ends, SampledPart, relevant_needed
from pres_eval.arrays import FloatArray
from pres_eval.errors import UsageError
from pres_eval.records import dataclass

ALL_TOPICS = b"all"
"""The topic of estimates over all topics together."""


@dataclass(frozen=True)
class Estimate:
    """A quantity estimated from a sample.

    quantity  one of QUANTITIES, or ERECALL
    estimate  nan if it has no value: recall without relevant documents, precision if nothing was found
    low, high           the interval that contains the quantity with the confidence of the settings
    at_least, at_most   limits to one side, each with that confidence
    """

    topic: bytes
    quantity: str
    estimate: float
    low: float
    high: float
    at_least: float
    at_most: float


@dataclass(frozen=True, eq=False)
class Validation:
    """Estimates from samples: of each topic, and of all together if there are several.

    parts      the parts of the collection that samples were drawn from
    estimates  each of QUANTITIES for the first topic, then for the second, and so on; if there are several
               topics, the last ones are for ALL_TOPICS
    """

    settings: ReviewSettings
    parts: Sequence[SampledPart]
    estimates: Sequence[Estimate]

    def of(self, quantity: str) -> list[Estimate]:
        """Return the estimates of a quantity, one for each topic."""
        return [estimate for estimate in self.estimates if estimate.quantity == quantity]

    def stopping(self, target: float) -> Iterator[tuple[bytes, int, int | None, int, bool]]:
        """Yield for each topic whose sample has one stratum whether the review may stop.

        A row has the topic, the number of relevant documents in the sample, how many of these the review must
        find (None: the sample has too few to ever stop), how many it found, and whether that is enough.  The
        rule (QBCB, see `relevant_needed`) holds for a sample drawn before the review from all documents.
        """
        for topic in dict.fromkeys(part.topic for part in self.parts):
            parts = [part for part in self.parts if part.topic == topic]
            if len({part.stratum for part in parts}) == 1:
                relevant_sampled = sum(part.relevant for part in parts)
                relevant_found = sum(part.relevant for part in parts if part.found)
                needed = relevant_needed(relevant_sampled, target, self.settings.confidence)
                may_stop = needed is not None and relevant_found >= needed
                yield topic, relevant_sampled, needed, relevant_found, may_stop

    def shows(self, recall: Estimate) -> bool:
        """Return whether the sample shows that the recall reaches the target; True without a target."""
        if self.settings.target is None:
            return True
        # If all documents are judged, the limit is the recall itself, except for rounding errors.
        return round(recall.at_least, 12) >= self.settings.target


def estimates_of_topics(parts: Sequence[SampledPart], settings: ReviewSettings) -> list[Estimate]:
    """Return the estimates for each topic of the parts; if there are several, for all together as well."""
    parts_of_topic: dict[bytes, list[SampledPart]] = {}
    for part in parts:
        parts_of_topic.setdefault(part.topic, []).append(part)
    if len(parts_of_topic) > 1:
        parts_of_topic[ALL_TOPICS] = list(parts)
    rows: list[Estimate] = []
    for topic, topic_parts in parts_of_topic.items():
        rows += estimates_of_parts(topic, topic_parts, settings)
    return rows


def estimates_of_parts(
    topic: bytes, parts: Sequence[SampledPart], settings: ReviewSettings
) -> list[Estimate]:
    """Return the estimate of each of QUANTITIES, from the parts of one topic or of several together.

    The relevant documents of the parts are added up: Σ N x / n, for N documents of which n were judged and x
    of these are relevant.
    """
    found_parts = [part for part in parts if part.found]
    missed_parts = [part for part in parts if not part.found]
    sizes = sum(part.size for part in found_parts), sum(part.size for part in missed_parts)
    relevant_found = np.array(math.fsum(part.estimate for part in found_parts))
    relevant_missed = np.array(math.fsum(part.estimate for part in missed_parts))
    ends = ends_of_quantities((found_parts, missed_parts), sizes, settings)
    rows = []
    for name, quantity in QUANTITIES.items():
        value = float(quantity(relevant_found, relevant_missed, sizes))
        rows.append(_estimate_with_limits(topic, name, value, ends[name]))
    return rows


def _estimate_with_limits(topic: bytes, name: str, value: float, ends: Sequence[Ends]) -> Estimate:
    """Return an estimate with its interval and limits, widened so that they contain it.

    value  the estimate; if it is nan and its interval has a width, interval and limits are widened to 0 … 1
    ends   those of the interval, then the limits to one side

    The interval is widened to contain both limits: for a share of which the sample has no document, Jeffreys'
    prior alone would end it below 2.6 / n, though the limit to one side is 3 / n.
    Source: Brown, Cai & DasGupta, Statistical Science 2001, doi:10.1214/ss/1009213286, 4.1.2.
    """
    (low, high), (at_least, at_most) = ends
    least = most = value
    if math.isnan(value) and low < high:
        least, most = 0.0, 1.0
    # min and max keep their first argument if the second is nan.
    at_least, at_most = min(at_least, least), max(at_most, most)
    low, high = min(low, at_least), max(high, at_most)
    return Estimate(topic, name, value, low, high, at_least, at_most)


ERECALL = "eRecall"
"""Name of the quantity that `erecall` estimates, as in eDiscovery."""


def erecall(parts: Sequence[SampledPart], control: SampledPart, settings: ReviewSettings) -> Estimate:
    """Return eRecall of a topic: the share of the relevant documents that the review did not miss.

    parts    of the topic
    control  sample of all documents of the topic
    Formula:  1 - M / R      M  relevant documents that the review missed, estimated from their sample
                             R  relevant documents of the collection, estimated from the control sample
    Range: up to 1; below 0 if the two samples contradict each other; nan if no control document is relevant.
    The ends of the interval are quantiles of draws from both posteriors, cut to 0 … 1.  The interval contains
    the estimate and the limits to one side, which are melded from exact limits.
    Since M and R are estimated from different samples, their errors add up: recall from one sample is more
    precise.
    Source: Roitblat, "Measurement in eDiscovery", 2013 (elusion and prevalence of two samples).
    """
    default_method = ReviewSettings.method
    if settings.method != default_method:
        raise UsageError(f"--control goes with --method {default_method}, not {settings.method}")
    stream, draws = RandomStream(settings.seed, 1), settings.draws
    missed_parts = [part for part in parts if not part.found]
    missed, relevant = drawn(missed_parts, stream, draws), drawn([control], stream, draws)
    outside = 1 - settings.confidence
    value = math.nan
    if control.relevant:
        value = 1 - math.fsum(part.estimate for part in missed_parts) / control.estimate
    [interval] = ends_of(_share_not_missed(missed, relevant), [outside])
    most_missed = shuffled(upper_limits(missed_parts, draws), stream)
    worst = _share_not_missed(most_missed, lower_limits([control], draws))
    least_missed = shuffled(lower_limits(missed_parts, draws), stream)
    best = _share_not_missed(least_missed, upper_limits([control], draws))
    [limits] = limits_of(worst, best, [2 * outside])
    return _estimate_with_limits(control.topic, ERECALL, value, [interval, limits])


def _share_not_missed(missed: FloatArray, relevant: FloatArray) -> FloatArray:
    """Return 1 - missed / relevant (draws,) of drawn numbers, cut to 0 … 1; nan for 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: FloatArray = np.clip(1 - np.divide(missed, relevant), 0.0, 1.0)
    return shares
