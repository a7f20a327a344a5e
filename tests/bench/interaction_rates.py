"""How often `pres-eval compare --groups` finds an interaction that is not there, and one that is.

    python tests/bench/interaction_rates.py [DRAWS [SEED]]

Differences of two runs over 50 topics in two groups are normal numbers that spread as much, three or ten
times as much in the second group.  Printed are shares of draws (default 1,000) with p < 0.05 without an
interaction, and with one that Welch's t finds in about 80 %: by the sum of squares between the groups
(2.21.0), by Welch's t alone, and by the p-value of `compare`.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from pres_eval.analysis.distributions import t_two_sided
from pres_eval.analysis.interaction import p_of_interaction
from pres_eval.arrays.types import FloatArray

SAMPLES = 300
GROUPS = ((25, 25), (40, 10), (45, 5), (10, 40))
SPREADS = (1.0, 3.0, 10.0)


def p_of_means(values: FloatArray, first: int, chance: np.random.Generator) -> float:
    """Return the share of deals whose means are as far apart."""
    orders = chance.permuted(np.broadcast_to(values, (SAMPLES, len(values))), axis=1)
    apart = np.abs(orders[:, :first].mean(axis=1) - orders[:, first:].mean(axis=1))
    reached = abs(values[:first].mean() - values[first:].mean()) * (1 - 1e-9)
    return float((1 + np.count_nonzero(apart >= reached)) / (1 + SAMPLES))


def p_of_welch(values: FloatArray, first: int) -> float:
    """Return the p-value of Welch's t-test."""
    parts = values[:first], values[first:]
    variances = [part.var(ddof=1) / len(part) for part in parts]
    freedom = sum(variances) ** 2 / sum(
        own**2 / (len(part) - 1) for own, part in zip(variances, parts, strict=True)
    )
    t = (parts[0].mean() - parts[1].mean()) / math.sqrt(sum(variances))
    return float(t_two_sided(np.array([t]), freedom)[0])


def shares(first: int, second: int, spread: float, shift: float, draws: int, seed: int) -> FloatArray:
    """Return the shares (3,) of draws with p < 0.05."""
    chance = np.random.default_rng([seed, first, int(spread), int(1000 * shift)])
    group = np.repeat([0, 1], [first, second])
    count = np.zeros(3)
    for draw in range(draws):
        values = chance.normal(size=first + second) * np.where(group, spread, 1.0) + shift * group
        p_values = (
            p_of_means(values, first, chance),
            p_of_welch(values, first),
            p_of_interaction(values, group, SAMPLES, draw),
        )
        count += np.array(p_values) < 0.05
    return count / draws


def main(draws: int, seed: int) -> None:
    """Print the shares."""
    print("| topics | spread | 2.21.0 | Welch's t | now | power of Welch's t | now's |")
    for first, second in GROUPS:
        for spread in SPREADS:
            error = math.sqrt(1 / first + spread**2 / second)
            freedom = error**4 / (1 / first**2 / (first - 1) + spread**4 / second**2 / (second - 1))
            null = shares(first, second, spread, 0.0, draws, seed)
            _, welch, found = shares(first, second, spread, (2.85 + 2.5 / freedom) * error, draws, seed)
            rates = " | ".join(f"{rate:.3f}" for rate in (*null, welch, found))
            print(f"| {first} + {second} | {spread:g} | {rates} |", flush=True)


if __name__ == "__main__":
    defaults = ("1000", "1")
    main(*(int(text) for text in (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])))
