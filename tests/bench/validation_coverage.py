"""How often the intervals of `pres-eval validate` hold the recall that is true, and how wide they are.

    python tests/bench/validation_coverage.py [COLLECTIONS]

draws so many collections (default 10,000) for each size, prevalence and way to sample, each with a recall
between 0.3 and 0.95 of its own and a review half of which is relevant, and prints the share of intervals and
of limits to one side that hold, and the mean width.  Of a collection from whose sample nothing can be
estimated (none of the found documents is in it, or no relevant one) nothing is asked.  Then the same for
reviews of several topics or strata (DESIGNS), all of them together.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.review_intervals import METHODS, ReviewSettings
from pres_eval.analysis.validation import estimates_of_parts
from pres_eval.analysis.yields import SampledPart

SIZES = (2_000, 20_000, 100_000)
PREVALENCES = (0.01, 0.05, 0.2)
SAMPLED = 600

Sample = tuple[list[SampledPart], float]
"""The parts of a sample, and the recall that is true."""


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


@dataclass(frozen=True)
class Design:
    """A review in several parts: for each the documents, how many of them are judged, and are relevant."""

    found: Sequence[tuple[int, int, int]]
    missed: Sequence[tuple[int, int, int]]

    def parts(self, chance: np.random.Generator) -> tuple[list[SampledPart], float]:
        """A sample of each part, the shares of relevant documents moved by up to a third; the recall."""
        parts, counts = [], [0, 0]
        for side, own in enumerate((self.missed, self.found)):
            for number, (size, sampled, usual) in enumerate(own):
                relevant = min(size, round(usual * chance.uniform(2 / 3, 4 / 3)))
                hits = int(chance.hypergeometric(relevant, size - relevant, sampled))
                parts.append(SampledPart(b"1", str(number), bool(side), size, sampled, hits))
                counts[side] += relevant
        return parts, counts[1] / sum(counts)


DESIGNS = {
    "5 topics": Design([(100, 10, 32)] * 5, [(1900, 190, 8)] * 5),
    "20 topics": Design([(40, 4, 18)] * 20, [(1960, 196, 2)] * 20),
    "50 topics": Design([(40, 4, 6)] * 50, [(1960, 196, 2)] * 50),
    "10 alike strata": Design([(800, 800, 300)], [(1000, 60, 5)] * 10),
    "thinner with depth": Design(
        [(100, 100, 60), (400, 100, 60)], [(1000, 100, 30), (10_000, 200, 30), (100_000, 300, 40)]
    ),
    "most in a thin stratum": Design(
        [(200, 200, 100)], [(1000, 500, 20), (1000, 500, 10), (100_000, 500, 100)]
    ),
    "30 strata of 2 judged": Design([(20, 2, 10)] * 30, [(40, 2, 8)] * 30),
}


def measure(
    name: str,
    parts_and_recall: Callable[[np.random.Generator], Sample],
    collections: int,
    methods: Sequence[str] = (ReviewSettings.method, *METHODS),
) -> None:
    """Print the coverage and the width of the methods."""
    chance = np.random.default_rng(list(name.encode()))
    held, limits, widths = (dict.fromkeys(methods, 0.0) for _ in range(3))
    asked = 0
    for _ in range(collections):
        parts, recall = parts_and_recall(chance)
        if not all(part.sampled for part in parts) or not any(part.relevant for part in parts):
            continue
        asked += 1
        for method in methods:
            settings = ReviewSettings(method, seed=int(chance.integers(1 << 30)), draws=4_000)
            found = next(one for one in estimates_of_parts(b"1", parts, settings) if one.quantity == "recall")
            held[method] += found.low - 1e-9 <= recall <= found.high + 1e-9
            limits[method] += found.at_least - 1e-9 <= recall
            widths[method] += found.high - found.low
    for method in methods:
        rates = f"{held[method] / asked:.4f} {limits[method] / asked:.4f} {widths[method] / asked:.4f}"
        error = 1.96 * math.sqrt(0.95 * 0.05 / asked)
        print(f"{name}\t{asked} ±{error:.4f}\t{method} {rates}", flush=True)


def main(number: int) -> None:
    """Measure everything."""
    print("sample\tcollections error\tmethod interval limit width")
    for name, design in DESIGNS.items():
        # Exact intervals of a hundred parts take a tenth of a second for each collection.
        measure(name, design.parts, number, (ReviewSettings.method, "wilson", "wald"))
    for sampled, size, prevalence in itertools.product(("all", "rest"), SIZES, PREVALENCES):
        relevant = round(prevalence * size)

        def sample(
            chance: np.random.Generator, size: int = size, relevant: int = relevant, sampled: str = sampled
        ) -> Sample:
            recall = round(chance.uniform(0.3, 0.95) * relevant) / relevant
            return parts_of(size, relevant, recall, sampled, chance), recall

        measure(f"{size} {prevalence} {sampled}", sample, number)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
