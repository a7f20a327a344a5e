"""How often intervals of weighted means hold the truth, if a few topics have most of the weight.

    python tests/bench/weighted_coverage.py [DRAWS [SEED]]

Prints the shares of 95 % intervals (default 2,000 draws) of three kinds: with the error from w (x - m) and
T - 1 degrees of freedom, as for means up to 2.21.0; with the jackknife's and Kish's degrees of freedom, as
`compare` has for differences and for measures that are not from 0 to 1; and those of the logit, as it has for
means from 0 to 1.  Values are normal, or beta-distributed: somewhat skewed (0.7, 1.3) and most of them near 0
(0.3, 3).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import numpy as np

from pres_eval.analysis.estimates import t_intervals
from pres_eval.analysis.weighting import effective_topics, linearised, weighted_intervals
from pres_eval.arrays.types import FloatArray

TOPICS = (12, 25, 50)

Draw = Callable[[np.random.Generator, int], FloatArray]

WEIGHTS: Mapping[str, Draw] = {
    "1 to 4": lambda chance, topics: np.asarray(1.0 + np.arange(topics) % 4, np.float64),
    "lognormal, 1": lambda chance, topics: chance.lognormal(0, 1, topics),
    "lognormal, 1.5": lambda chance, topics: chance.lognormal(0, 1.5, topics),
    "1 / rank": lambda chance, topics: 1 / np.arange(1.0, topics + 1),
}
VALUES: Mapping[str, tuple[Draw, float]] = {
    "normal": (lambda chance, topics: chance.normal(0.5, 0.1, topics), 0.5),
    "beta 0.7, 1.3": (lambda chance, topics: chance.beta(0.7, 1.3, topics), 0.35),
    "beta 0.3, 3": (lambda chance, topics: chance.beta(0.3, 3, topics), 0.3 / 3.3),
}
"""Draws of values, and their mean."""


def held(
    weights_of: Draw, values_of: Draw, truth: float, topics: int, draws: int, seed: int
) -> tuple[float, ...]:
    """Return the shares of intervals of three kinds that hold the truth, and the mean of effective topics."""
    chance = np.random.default_rng([seed, topics])
    count = np.zeros(4)
    for _ in range(draws):
        weights = weights_of(chance, topics)
        weights *= topics / weights.sum()
        weighted = (weights * values_of(chance, topics))[None, :]
        ends = (
            t_intervals(linearised(weighted, weights), 0.05),
            weighted_intervals(weighted, weights, 0.05),
            weighted_intervals(weighted, weights, 0.05, between_0_and_1=True),
        )
        for number, (lower, upper) in enumerate(ends):
            count[number] += lower[0] <= truth <= upper[0]
        count[3] += effective_topics(weights)
    return tuple((count / draws).tolist())


def main(draws: int, seed: int) -> None:
    """Print the shares."""
    for topics in TOPICS:
        for weights_name, weights_of in WEIGHTS.items():
            for values_name, (values_of, truth) in VALUES.items():
                *shares, effective = held(weights_of, values_of, truth, topics, draws, seed)
                cells = " | ".join(f"{share:.3f}" for share in shares)
                print(
                    f"| {topics} | {weights_name} | {effective:.1f} | {values_name} | {cells} |", flush=True
                )


if __name__ == "__main__":
    defaults = ("2000", "1")
    main(*(int(text) for text in (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])))
