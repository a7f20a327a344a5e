"""How often tests of an interaction err where differences are skewed, and what they find where they are not.

    python tests/bench/skewed_interactions.py [DRAWS]

Differences of two runs over 50 topics in two groups, the second of which spreads as much, three or ten times
as much.  Printed are the shares of draws (default 400) with p < 0.05: for lognormal differences without an
interaction, and for normal ones with an interaction of three standard errors.  Tests: the one of `compare`,
Welch's t, a bootstrap of Welch's t (symmetric), Yuen's trimmed means, and Brunner and Munzel's ranks.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from scipy import stats

from pres_eval.analysis.interaction import p_of_interaction
from pres_eval.arrays.types import FloatArray

SAMPLES = 300
GROUPS = ((45, 5), (40, 10), (30, 20))
SPREADS = (1.0, 3.0, 10.0)


def welch_t(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Welch's t (n,) of the last axes of (n, topics) and (n, topics)."""
    variances = [values.var(axis=-1, ddof=1) / values.shape[-1] for values in (first, second)]
    difference = first.mean(axis=-1) - second.mean(axis=-1)
    return np.asarray(difference / np.sqrt(np.maximum(variances[0] + variances[1], 1e-12)))


def p_of_bootstrap(first: FloatArray, second: FloatArray, random: np.random.Generator) -> float:
    """Return the share of draws with replacement, from groups without a difference, whose |t| is as large."""
    redrawn = []
    for values in (first, second):
        rows = random.integers(len(values), size=(SAMPLES, len(values)))
        redrawn.append((values - values.mean())[rows])
    as_large = np.abs(welch_t(*redrawn)) >= abs(float(welch_t(first, second)))
    return float((1 + np.count_nonzero(as_large)) / (SAMPLES + 1))


def shares(sizes: tuple[int, int], spread: float, shift: float, draws: int, skewed: bool) -> FloatArray:
    """Return the shares (5,) of draws in which each test has p < 0.05."""
    random = np.random.default_rng([*sizes, int(spread), int(shift * 1000)])
    group = np.repeat([0, 1], sizes)
    count = np.zeros(5)
    for draw in range(draws):
        values = random.normal(size=len(group))
        if skewed:
            values = (np.exp(values) - math.exp(0.5)) / 2.16
        values = values * np.where(group, spread, 1.0) + shift * group
        first, second = values[group == 0], values[group == 1]
        p_values = (
            p_of_interaction(values, group, SAMPLES, draw),
            stats.ttest_ind(first, second, equal_var=False).pvalue,
            p_of_bootstrap(first, second, random),
            stats.ttest_ind(first, second, equal_var=False, trim=0.2).pvalue,
            stats.brunnermunzel(first, second).pvalue,
        )
        count += np.array(p_values) < 0.05
    return count / draws


def main(draws: int) -> None:
    """Print the shares of each case."""
    print("| topics | spread | compare | Welch | bootstrap | Yuen | ranks | the same, found |")
    for sizes in GROUPS:
        for spread in SPREADS:
            error = math.sqrt(1 / sizes[0] + spread**2 / sizes[1])
            wrong = shares(sizes, spread, 0.0, draws, skewed=True)
            right = shares(sizes, spread, 3 * error, draws, skewed=False)
            rates = " | ".join(f"{rate:.3f}" for rate in (*wrong, *right))
            print(f"| {sizes[0]} + {sizes[1]} | {spread:g} | {rates} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
