"""How often intervals of weighted means hold the truth, if a few topics have most of the weight.

    python tests/bench/weighted_coverage.py [DRAWS [SEED]]

Prints the shares of 95 % intervals (default 2,000 draws) for normal values, and for beta-distributed ones in
brackets: with the error from w (x - m) and T - 1 degrees of freedom, as for means up to 2.21.0, and those of
`compare`.
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
VALUES: Mapping[str, Draw] = {
    "normal": lambda chance, topics: chance.normal(size=topics),
    "beta": lambda chance, topics: chance.beta(0.7, 1.3, topics) - 0.35,
}


def held(weights_of: Draw, values_of: Draw, topics: int, draws: int, seed: int) -> tuple[float, ...]:
    """Return the shares of intervals that hold 0, by both ways, and the mean of effective topics."""
    chance = np.random.default_rng([seed, topics])
    count = np.zeros(3)
    for _ in range(draws):
        weights = weights_of(chance, topics)
        weights *= topics / weights.sum()
        weighted = (weights * values_of(chance, topics))[None, :]
        for number, (lower, upper) in enumerate(
            (t_intervals(linearised(weighted, weights), 0.05), weighted_intervals(weighted, weights, 0.05))
        ):
            count[number] += lower[0] <= 0 <= upper[0]
        count[2] += effective_topics(weights)
    return tuple((count / draws).tolist())


def main(draws: int, seed: int) -> None:
    """Print the shares."""
    for topics in TOPICS:
        for name, weights_of in WEIGHTS.items():
            normal, beta = (held(weights_of, values_of, topics, draws, seed) for values_of in VALUES.values())
            cells = [f"{one:.3f} ({other:.3f})" for one, other in zip(normal[:2], beta[:2], strict=True)]
            print(f"| {topics} | {name} | {normal[2]:.1f} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    defaults = ("2000", "1")
    main(*(int(text) for text in (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])))
