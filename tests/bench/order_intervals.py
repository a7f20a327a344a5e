"""How often bootstrap intervals over topics hold the rank correlation of two measures' orders of runs.

    python tests/bench/order_intervals.py SCORES.csv [TRIALS]

The topics of a table of real scores are the population; the truth is τ_a between the orders by the means
over all of them.  Topics are drawn with replacement, TRIALS (default 150) times for each number, and from
these the bootstrap draws 300 times.  Printed is the share of 95 % intervals that hold the truth: percentiles
(2.21.0), and the basic bootstrap, mirrored at the estimate.  The means of a draw are noisier than those that
they are drawn from, so its orders agree less, and no mirror mends it where runs are nearly as good as others.
So `agreement` has no intervals.  The second table has 17 runs whose means lie evenly over 0.02 or 0.1, in the
same order by both measures, with a deviation of 0.1 from topic to topic.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.null_rates import read_tables

from pres_eval.arrays.types import FloatArray

TOPICS = (10, 25, 50)
DRAWS = 300


def taus(means: FloatArray, first: int, second: int) -> FloatArray:
    """Return τ_a (…,) of two measures, of means (…, M, R)."""
    one, other = np.triu_indices(means.shape[-1], 1)
    signs = np.sign(means[..., one] - means[..., other])
    return np.asarray((signs[..., first, :] * signs[..., second, :]).mean(axis=-1))


def held(
    values: FloatArray, first: int, second: int, topics: int, trials: int, chance: np.random.Generator
) -> FloatArray:
    """Return the shares (2,) of intervals of two measures that hold the truth, of values (M, R, T)."""
    truth, count = float(taus(values.mean(axis=2), first, second)), np.zeros(2)
    for _ in range(trials):
        drawn = values[:, :, chance.integers(values.shape[2], size=topics)]
        times = chance.multinomial(topics, np.full(topics, 1 / topics), size=DRAWS) / topics
        of_draws = taus(np.einsum("mrt,bt->bmr", drawn, times), first, second)
        low, high = np.quantile(of_draws, (0.025, 0.975))
        twice = 2 * float(taus(drawn.mean(axis=2), first, second))
        for number, (lower, upper) in enumerate(((low, high), (twice - high, twice - low))):
            count[number] += lower - 1e-9 <= truth <= upper + 1e-9
    return count / trials


def main(path: Path, trials: int) -> None:
    """Print the shares."""
    chance = np.random.default_rng(1)
    tables = read_tables(path)
    values = np.array(list(tables.values()))
    for (first, one), (second, other) in itertools.combinations(enumerate(tables), 2):
        for topics in TOPICS:
            shares = held(values, first, second, topics, trials, chance)
            print(f"| {one}, {other} | {topics} | {shares[0]:.2f} | {shares[1]:.2f} |", flush=True)
    for spread in (0.02, 0.1):
        noise = chance.normal(size=(2, 17, 2000))
        noise -= noise.mean(axis=2, keepdims=True)
        even = np.linspace(0, spread, 17)[None, :, None] + 0.1 * noise
        for topics in TOPICS:
            shares = held(even, 0, 1, topics, trials, chance)
            print(f"| even over {spread:g} | {topics} | {shares[0]:.2f} | {shares[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 150)
