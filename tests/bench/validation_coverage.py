"""How often the intervals of `pres-eval validate` hold the recall that is true, and how wide they are.

    python tests/bench/validation_coverage.py [COLLECTIONS]

draws so many collections (default 10,000) for each size, prevalence and way to sample, each with a recall
between 0.3 and 0.95 of its own and a review half of which is relevant, and prints the share of intervals and
of limits to one side that hold, and the mean width.  Of a collection from whose sample nothing can be
estimated (none of the found documents is in it, or no relevant one) nothing is asked.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from pres_eval.analysis.validation import METHODS, ReviewSettings, estimates
from pres_eval.analysis.yields import SampledPart

SIZES = (2_000, 20_000, 100_000)
PREVALENCES = (0.01, 0.05, 0.2)
SAMPLED = 600


def parts_of(
    size: int, relevant: int, recall: float, design: str, chance: np.random.Generator
) -> list[SampledPart]:
    """A sample of a collection: of all documents, or of those that the review did not find."""
    inside = round(recall * relevant)
    found = 2 * inside
    missed, outside = relevant - inside, size - found
    first = int(chance.hypergeometric(found, outside, SAMPLED)) if design == "all" else found
    second = SAMPLED - first if design == "all" else SAMPLED
    hits = int(chance.hypergeometric(inside, found - inside, first)) if first else 0
    more = int(chance.hypergeometric(missed, outside - missed, second))
    return [
        SampledPart(b"1", "a", True, found, first, hits),
        SampledPart(b"1", "a", False, outside, second, more),
    ]


def measure(size: int, prevalence: float, design: str, collections: int) -> None:
    """Print the coverage and the width of every method."""
    chance = np.random.default_rng([size, round(1000 * prevalence), len(design)])
    relevant = round(prevalence * size)
    methods = (ReviewSettings.method, *METHODS)
    held, limits, widths = (dict.fromkeys(methods, 0.0) for _ in range(3))
    asked = 0
    for _ in range(collections):
        recall = round(chance.uniform(0.3, 0.95) * relevant) / relevant
        parts = parts_of(size, relevant, recall, design, chance)
        if not parts[0].sampled or not parts[0].relevant + parts[1].relevant:
            continue
        asked += 1
        for method in methods:
            settings = ReviewSettings(method, seed=int(chance.integers(1 << 30)), draws=4_000)
            found = next(one for one in estimates(b"1", parts, settings) if one.quantity == "recall")
            held[method] += found.low - 1e-9 <= recall <= found.high + 1e-9
            limits[method] += found.at_least - 1e-9 <= recall
            widths[method] += found.high - found.low
    for method in methods:
        rates = f"{held[method] / asked:.4f} {limits[method] / asked:.4f} {widths[method] / asked:.4f}"
        error = 1.96 * math.sqrt(0.95 * 0.05 / asked)
        print(f"{size} {prevalence} {design} {asked} ±{error:.4f} {method} {rates}", flush=True)


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print("size prevalence sample collections error method interval limit width")
    for design in ("all", "rest"):
        for size in SIZES:
            for prevalence in PREVALENCES:
                measure(size, prevalence, design, number)
