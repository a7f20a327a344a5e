"""How often three tests of `pres-eval compare` find a difference, beside a reference with the same draws.

    python tests/bench/power_by_references.py [DRAWS [SEED]]

All pairs: t with Holm's correction, beside Tukey's test (scipy's studentised range of a two-way analysis of
variance); 12 runs of equal variance, one of which is better.  Weighted topics: the t-test of a ratio, beside
statsmodels' weighted least squares with HC1 errors.  Groups of topics: the interaction test, beside scipy's
Welch test and its permutation.  Scores are normal.  Printed are the shares of draws (default 1,000) with
p < 0.05 without a difference and with one; the last column has the reference's power at the level of
pres-eval: its critical value is the one that as many draws without a difference exceed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import statsmodels.api
from scipy import stats

from pres_eval.analysis.corrections import holm
from pres_eval.analysis.interaction import p_of_interaction
from pres_eval.analysis.significance import paired_t
from pres_eval.analysis.weighting import weighted_t
from pres_eval.arrays.types import FloatArray

ALPHA = 0.05
RUNS = 12
PERMUTATIONS = 400

Draw = Callable[[np.random.Generator, float, int], tuple[float, ...]]
"""Function that draws scores with a difference, and returns the p-values of pres-eval and of references."""


def all_pairs(topics: int) -> Draw:
    """Return the draw of tables of runs, the first of which is better; p of its pair with the second.

    Without a difference it is the smallest p-value of all pairs.
    """
    first, second = np.triu_indices(RUNS, 1)

    def p_values(random: np.random.Generator, difference: float, seed: int) -> tuple[float, ...]:
        scores = random.normal(0.4, 0.1, topics) + random.normal(0, 0.1, (RUNS, topics))
        scores[0] += 0.1 * difference
        of_pairs = holm(paired_t(scores[first] - scores[second]))
        residuals = scores - scores.mean(axis=0) - scores.mean(axis=1)[:, None] + scores.mean()
        freedom = (RUNS - 1) * (topics - 1)
        error = math.sqrt((residuals**2).sum() / freedom / topics)
        means = scores.mean(axis=1)
        distance = abs(means[0] - means[1]) if difference else means.max() - means.min()
        p_value = of_pairs[0] if difference else of_pairs.min()
        return float(p_value), float(stats.studentized_range.sf(distance / error, RUNS, freedom))

    return p_values


def weighted_topics(topics: int, spread: float) -> Draw:
    """Return the draw of differences of topics whose weights are lognormal with that deviation."""

    def p_values(random: np.random.Generator, difference: float, seed: int) -> tuple[float, ...]:
        weights = random.lognormal(0, spread, topics)
        weights /= weights.mean()
        differences = random.normal(difference, 1, topics)
        model = statsmodels.api.WLS(differences, np.ones(topics), weights=weights)
        reference = model.fit(cov_type="HC1", use_t=True).pvalues[0]
        return float(weighted_t((differences * weights)[None], weights=weights)[0]), float(reference)

    return p_values


def groups_of_topics(first: int, second: int, spread: float) -> Draw:
    """Return the draw of differences in two groups of topics, of which the second spreads more."""
    group = np.repeat([0, 1], [first, second])

    def p_values(random: np.random.Generator, difference: float, seed: int) -> tuple[float, ...]:
        values = random.normal(size=first + second) * np.where(group, spread, 1.0) + difference * group
        parts = values[:first], values[first:]
        welch = stats.ttest_ind(*parts, equal_var=False).pvalue
        permuted = stats.PermutationMethod(n_resamples=PERMUTATIONS, rng=np.random.default_rng(seed))
        of_permutations = stats.ttest_ind(*parts, equal_var=False, method=permuted).pvalue
        return p_of_interaction(values, group, PERMUTATIONS, seed), float(welch), float(of_permutations)

    return p_values


def row(draw: Draw, difference: float, draws: int, seed: int) -> str:
    """Return the shares with p < ALPHA: of pres-eval, and of each reference."""
    p_values = []
    for true_difference in (0.0, difference):
        random = np.random.default_rng([seed, int(1000 * true_difference)])
        p_values.append(np.array([draw(random, true_difference, number) for number in range(draws)]).T)
    without, with_difference = p_values
    level = (without[0] < ALPHA).mean()
    cells = [f"{level:.3f} | {(with_difference[0] < ALPHA).mean():.3f}"]
    for null, found in zip(without[1:], with_difference[1:], strict=True):
        at_level = (found < critical_value(null, float(level))).mean()
        cells.append(f"{(null < ALPHA).mean():.3f} | {(found < ALPHA).mean():.3f} | {at_level:.3f}")
    return " | ".join(cells)


def critical_value(p_values: FloatArray, level: float) -> float:
    """Return the p-value below which this share of the draws lies."""
    return float(np.sort(p_values)[min(len(p_values) - 1, round(level * len(p_values)))])


def main(draws: int, seed: int) -> None:
    """Print the shares of each case."""
    for topics in (10, 25, 50):
        # So far apart that a t-test without a correction has a power of about 0.97.
        difference = math.sqrt(2 / topics) * (4 + 15 / topics)
        case = row(all_pairs(topics), difference, draws, seed)
        print(f"| pair of {RUNS} runs, {topics} topics | {case} |", flush=True)
    for topics in (20, 50):
        for spread in (0.5, 1.0, 1.5):
            effective = topics / (1 + 0.7 * (math.exp(spread**2) - 1))
            case = row(weighted_topics(topics, spread), 3 / math.sqrt(effective), draws, seed)
            print(f"| {topics} weighted topics, lognormal {spread:g} | {case} |", flush=True)
    for first, second in ((25, 25), (40, 10), (45, 5), (10, 40)):
        for spread in (1.0, 3.0):
            error = math.sqrt(1 / first + spread**2 / second)
            freedom = error**4 / (1 / first**2 / (first - 1) + spread**4 / second**2 / (second - 1))
            draw = groups_of_topics(first, second, spread)
            case = row(draw, (2.85 + 2.5 / freedom) * error, draws, seed)
            print(f"| groups of {first} + {second}, spread × {spread:g} | {case} |", flush=True)


if __name__ == "__main__":
    defaults = ("1000", "1")
    main(*(int(text) for text in (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])))
