"""eRecall: recall from two samples, one of all documents and one of those that a review missed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pres_eval.analysis.randomness import RandomStream
from pres_eval.analysis.validation import Estimate, ReviewSettings, drawn, ends_of
from pres_eval.analysis.yields import SampledPart
from pres_eval.arrays.exact import divide
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.reading.samples import Sampled

ERECALL = "eRecall"


def control_parts(
    control: Sequence[Sampled], parts: Sequence[SampledPart], level: int = 1
) -> dict[bytes, SampledPart]:
    """Return for each topic of the parts its control sample, one of all its documents.

    Raises InputError for a document that comes twice, a sample in strata or larger than the collection, and
    a topic without one.
    """
    grades: dict[bytes, dict[bytes, int]] = {}
    for one in control:
        own = grades.setdefault(one.stratum.topic, {})
        if one.key[1] in own or one.stratum.name != control[0].stratum.name:
            again = f"document {quoted(one.key[1])} again" if one.key[1] in own else f"{one.stratum}"
            raise InputError(*one.place, again, "a control sample of all documents, without strata")
        own[one.key[1]] = one.grade
    found = {}
    for topic in dict.fromkeys(part.topic for part in parts):
        judged = [grade for grade in grades.get(topic, {}).values() if grade >= 0]
        size = sum(part.size for part in parts if part.topic == topic)
        if not 1 <= len(judged) <= size:
            where = control[0].place[0] if control else "the control sample"
            raise InputError(
                where, None, f"{len(judged)} judged documents of topic {quoted(topic)}",
                f"a sample of its {size:,} documents",
            )  # fmt: skip
        relevant = sum(grade >= level for grade in judged)
        found[topic] = SampledPart(topic, "control", True, size, len(judged), relevant)
    return found


def erecall(parts: Sequence[SampledPart], control: SampledPart, settings: ReviewSettings) -> Estimate:
    """Return eRecall of a topic: what its review did not miss, as a share of what the control sample says.

    Formula:  1 - M / R      M  relevant documents that the review missed, estimated from their sample
                             R  relevant documents of the collection, estimated from the control sample
    Range: to 1; below 0 where the two samples contradict each other, nan if the control has nothing relevant.
    The interval has the quantiles of draws from both posteriors, cut to 0 … 1.  As M and R are estimated
    apart, their errors add up: recall from one sample is surer.
    Source: Roitblat, "Measurement in eDiscovery", 2013 (elusion and prevalence of two samples).
    """
    if settings.method != ReviewSettings.method:
        raise UsageError(f"--control goes with --method {ReviewSettings.method}, not {settings.method}")
    stream = RandomStream(settings.seed, 1)
    own = [part for part in parts if not part.found]
    missed, relevant = (drawn(some, stream, settings.draws) for some in (own, [control]))
    outside = 1 - settings.confidence
    value = 1 - math.fsum(part.estimate for part in own) / control.estimate if control.relevant else math.nan
    ends = ends_of(np.clip(1 - divide(missed, relevant), 0.0, 1.0), (outside, 2 * outside))
    return Estimate(control.topic, ERECALL, value, *ends[0], *ends[1])
