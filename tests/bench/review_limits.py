"""How often the limits to one side of `pres-eval validate` are wrong, in the worst case that was found.

    python tests/bench/review_limits.py [SAMPLES [SEED]]

A limit of 95 % confidence may be wrong in 5 % of reviews, whatever is true.  So no collection is drawn at
random here: for each true number of relevant documents the errors are counted, and the largest is printed.
First reviews of which one part is a sample, for every number that may be true, by adding up the chances of
all samples.  Then reviews of several parts drawn by their sizes, samples and numbers of relevant documents:
SAMPLES (default 1,000) of each review, and ten times as many, drawn anew, of the five with most errors (the
largest of many counts is too large itself).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from pres_eval.analysis.review_intervals import ReviewSettings
from pres_eval.analysis.validation import Estimate, estimates_of_parts
from pres_eval.analysis.yields import SampledPart
from pres_eval.arrays import FloatArray

QUANTITIES = ("recall", "relevant missed", "relevant")
REVIEWS = 60
DRAWS = 4_000

Part = tuple[bool, int, int, int]
"""Whether the review found the part, its documents, how many are judged, and how many are relevant."""


@lru_cache(maxsize=200_000)
def limits(parts: tuple[Part, ...], method: str) -> dict[str, Estimate]:
    """Return the estimates of parts whose last number is that of relevant judged documents."""
    sampled = [
        SampledPart(b"1", str(number), found, size, judged, relevant)
        for number, (found, size, judged, relevant) in enumerate(parts)
    ]
    by_topic = estimates_of_parts(b"1", sampled, ReviewSettings(method, draws=DRAWS))
    return {one.quantity: one for one in by_topic if one.quantity in QUANTITIES}


def truth(parts: Sequence[Part]) -> dict[str, float]:
    """Return the true values of quantities, of parts whose last number is that of all relevant documents."""
    inside = sum(relevant for found, _, _, relevant in parts if found)
    missed = sum(relevant for found, _, _, relevant in parts if not found)
    return {"recall": inside / (inside + missed), "relevant missed": missed, "relevant": inside + missed}


def one_part_errors(size: int, judged: int, method: str) -> tuple[float, float, float]:
    """Return the largest shares of wrong limits of relevant missed documents, and of wrong intervals.

    A review of 1,000 documents of which all are judged and 500 relevant, and a sample of the rest.
    """
    hits = range(min(judged, 40) + 1)
    ends = [limits(((True, 1000, 1000, 500), (False, size, judged, x)), method)["recall"] for x in hits]
    worst = [0.0, 0.0, 0.0]
    for relevant in range(1, 20 * size // judged, max(1, size // judged // 20)):
        chances = hypergeometric(size, relevant, judged, len(hits))
        recall = 500 / (500 + relevant)
        above = np.array([one.at_least > recall + 1e-9 for one in ends])
        below = np.array([one.at_most < recall - 1e-9 for one in ends])
        outside = np.array([not one.low - 1e-9 <= recall <= one.high + 1e-9 for one in ends])
        for number, wrong in enumerate((above, below, outside)):
            worst[number] = max(worst[number], float(chances[wrong].sum()))
    return worst[0], worst[1], worst[2]


def hypergeometric(size: int, relevant: int, judged: int, below: int) -> FloatArray:
    """Return the chances (below,) of 0, 1, … relevant documents in a sample."""
    log = [0.0]
    for k in range(judged):
        ratio = (relevant - k) * (judged - k) / ((k + 1) * max(size - relevant - judged + k + 1, 1))
        log.append(log[-1] + (np.log(ratio) if ratio > 0 else -np.inf))
    chances = np.exp(np.array(log) - max(log))
    return np.asarray((chances / chances.sum())[:below])


def random_review(chance: np.random.Generator) -> tuple[Part, ...]:
    """Return parts of a review: few or many, sparse or dense, sampled thinly or not."""
    parts: list[Part] = []
    alike = chance.random() < 0.4
    for found in (True, False):
        number = int(chance.choice([1, 1, 2, 3, 5, 10]))
        size = 0
        for _ in range(number):
            if not (alike and size):
                judged = round(10 ** chance.uniform(0.3, 2.3))
                size = round(judged * 10 ** chance.uniform(0, 1.7)) + 1
                sparse = chance.random() < (0.2 if found else 0.7)
                expected = chance.uniform(0, 6) if sparse else judged * chance.random()
            relevant = min(size, round(expected * size / judged))
            parts.append((found, size, judged, relevant))
    return tuple(parts)


def error_rates(
    parts: tuple[Part, ...], method: str, samples: int, chance: np.random.Generator
) -> tuple[float, float, float]:
    """Return the largest shares of wrong lower limits, upper limits and intervals, over QUANTITIES."""
    true = truth(parts)
    wrong = {name: np.zeros(3) for name in QUANTITIES}
    for _ in range(samples):
        drawn = tuple(
            (found, size, judged, int(chance.hypergeometric(relevant, size - relevant, judged)))
            for found, size, judged, relevant in parts
        )
        for name, one in limits(drawn, method).items():
            value = true[name]
            wrong[name] += [
                one.at_least > value + 1e-9,
                one.at_most < value - 1e-9,
                not one.low - 1e-9 <= value <= one.high + 1e-9,
            ]
    above, below, outside = np.max(list(wrong.values()), axis=0) / samples
    return float(above), float(below), float(outside)


def worst_reviews(
    method: str, samples: int, seed: int, reviews: int = REVIEWS
) -> Iterator[tuple[str, float, tuple[Part, ...]]]:
    """Yield of each kind of error the largest share in the reviews, and the review that it is of."""
    chance = np.random.default_rng(seed)
    tried: list[tuple[tuple[Part, ...], tuple[float, float, float]]] = []
    while len(tried) < reviews:
        parts = random_review(chance)
        if any(relevant for _, _, _, relevant in parts):
            tried.append((parts, error_rates(parts, method, samples, chance)))
    for number, kind in enumerate(("lower limit", "upper limit", "interval")):
        first_rates = [rates[number] for _, rates in tried]
        again = [tried[place][0] for place in np.argsort(first_rates)[-5:]]
        repeated = [(error_rates(parts, method, 10 * samples, chance)[number], parts) for parts in again]
        yield kind, *max(repeated)


def main(samples: int, seed: int) -> None:
    """Print the largest shares of errors."""
    print("review\tmethod\tlower limit\tupper limit\tinterval")
    for method in ("beta-binomial", "clopper-pearson"):
        for size, judged in ((50_000, 1500), (10_000, 500), (2_000, 500), (1_000, 100)):
            rates = "\t".join(f"{rate:.3f}" for rate in one_part_errors(size, judged, method))
            print(f"{judged} of {size} missed\t{method}\t{rates}", flush=True)
        for kind, rate, parts in worst_reviews(method, samples, seed):
            print(f"several parts, {kind}\t{method}\t{rate:.3f}\t{parts}", flush=True)


if __name__ == "__main__":
    main(*(int(text) for text in (*sys.argv[1:], *("1000", "1")[len(sys.argv) - 1 :])))
