"""How often Tukey's test finds what is not there in runs that vary unequally, and how often it is warned of.

    python tests/bench/unequal_warnings.py [TABLES [SEED]]

Scores of runs with equal means vary from topic to topic as named; those of the first rows vary equally.
Printed are the largest variance of a difference by the mean of all pairs', and of some tables (default 500)
the shares with a significant difference (tukey, alpha 0.05) and with the warning of `compare`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from pres_eval.analysis.joint import Draws, tukey
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.unequal_variances import unequal_variances_warning
from pres_eval.arrays.types import FloatArray

TOPICS = (10, 25, 50)

Noise = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

NOISE: dict[str, Noise] = {
    "normal": lambda random, shape: random.normal(size=shape),
    "t, 3 degrees": lambda random, shape: random.standard_t(3, size=shape) / np.sqrt(3),
    "lognormal": lambda random, shape: (random.lognormal(size=shape) - np.exp(0.5)) / 2.16,
}

CASES: tuple[tuple[str, Sequence[float], str], ...] = (
    ("12 × .10", [0.10] * 12, "normal"),
    ("12 × .10", [0.10] * 12, "t, 3 degrees"),
    ("12 × .10", [0.10] * 12, "lognormal"),
    ("3 × .10", [0.10] * 3, "normal"),
    ("3 × .10", [0.10] * 3, "lognormal"),
    ("11 × .10 + .15", [0.10] * 11 + [0.15], "normal"),
    ("9 × .08 + 3 × .12", [0.08] * 9 + [0.12] * 3, "normal"),
    ("6 × .06 + 6 × .10", [0.06] * 6 + [0.10] * 6, "normal"),
    ("14 × .02 + 3 × .15", [0.02] * 14 + [0.15] * 3, "normal"),
)


def ratio(spreads: Sequence[float]) -> float:
    """Return the largest variance of a difference of two runs by the mean of all pairs'."""
    first, second = np.triu_indices(len(spreads), 1)
    variances = np.square(spreads)[first] + np.square(spreads)[second]
    return float(variances.max() / variances.mean())


def shares(
    spreads: Sequence[float], noise: Noise, topics: int, tables: int, seed: int
) -> tuple[float, float]:
    """Return the shares of tables with a false finding, and with the warning."""
    random = np.random.default_rng([seed, topics, len(spreads)])
    ids = tuple(b"%d" % topic for topic in range(topics))
    runs = tuple(f"r{run}" for run in range(len(spreads)))
    found = warned = 0
    for _ in range(tables):
        base = random.normal(0.4, 0.1, topics)
        values = base + np.array(spreads)[:, None] * noise(random, (len(spreads), topics))
        scores = PairedScores(runs, ("m",), ids, values[None], means_of(values)[None], topics)
        means = values.mean(axis=1)
        widest = np.array([means.max() - means.min()])
        found += tukey(values[None], [widest], Draws())[0].p_values[0] < 0.05
        warned += unequal_variances_warning(scores, "tukey") is not None
    return float(found) / tables, warned / tables


def main(tables: int, seed: int) -> None:
    """Print the shares."""
    print("| runs × deviation | scores | ratio | " + " | ".join(f"{n} topics" for n in TOPICS) + " |")
    for name, spreads, noise in CASES:
        cells = []
        for topics in TOPICS:
            found, warned = shares(spreads, NOISE[noise], topics, tables, seed)
            cells.append(f"{found:.3f}, {warned:.3f}")
        print(f"| {name} | {noise} | {ratio(spreads):.2f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    defaults = ("500", "1")
    main(*(int(text) for text in (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])))
