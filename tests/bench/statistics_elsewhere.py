"""Compare the statistics with scipy's and statsmodels' on real scores, and count the values.

    python tests/bench/statistics_elsewhere.py fixtures/scores/robust03.csv [ANOTHER.csv ...]

prints a Markdown table: what was compared with what, how many values, and the largest difference.
docs/correctness.md shows it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scipy import stats
from statsmodels.stats import inter_rater, multitest, weightstats
from statsmodels.stats.power import TTestPower
from support.null_rates import read_tables

from pres_eval.analysis import power
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.correlation import kendall_tau_b, spearman
from pres_eval.analysis.estimates import intervals
from pres_eval.analysis.joint import Draws, residual_variance, tukey
from pres_eval.analysis.judging import cohens_kappa, grade_table
from pres_eval.analysis.significance import PAIRED_TESTS, p_values
from pres_eval.arrays.types import FloatArray

Compared = tuple[str, str, FloatArray, FloatArray]
"""What, with what, our values, theirs."""

SIZES = (8, 25, 50)
"""Topics that are compared, besides all of them."""

PAIRS, PERMUTED, DRAWS = 40, 8, 100
"""Pairs of runs of a table that are compared, those for which scipy goes through all sign changes, and sets
of topics over which measures order the runs."""


def of_pairs(differences: FloatArray) -> Iterator[Compared]:
    """Tests and intervals of (P, T) differences."""
    topics = differences.shape[1]
    sides = (("two-sided", "two-sided"), ("greater", "greater"), ("less", "less"))
    for ours, theirs in sides:
        said = p_values(PAIRED_TESTS["t"], differences, ours, 0.0, 1, 0)
        expected = stats.ttest_1samp(differences, 0, axis=1, alternative=theirs).pvalue
        yield "t-test", "scipy ttest_1samp", said, expected
        said = p_values(PAIRED_TESTS["wilcoxon"], differences, ours, 0.0, 1, 0)
        rounded = np.round(differences, 12)
        expected = [stats.wilcoxon(row, alternative=theirs, method="auto").pvalue for row in rounded]
        yield "Wilcoxon", "scipy wilcoxon", said, np.array(expected)
        said = p_values(PAIRED_TESTS["sign"], differences, ours, 0.0, 1, 0)
        wins, losses = (rounded > 0).sum(axis=1), (rounded < 0).sum(axis=1)
        expected = [
            stats.binomtest(int(w), int(w + n), alternative=theirs).pvalue
            for w, n in zip(wins, losses, strict=True)
        ]
        yield "sign test", "scipy binomtest", said, np.array(expected)
        if topics <= 8:
            few = np.round(differences[:PERMUTED], 4)
            said = p_values(PAIRED_TESTS["randomisation"], few, ours, 0.0, 1, 0)
            expected = [_permutation_p(row, theirs) for row in few]
            yield "randomisation", "scipy permutation_test", said, np.array(expected)
    for margin in (0.02, 0.05):
        said = p_values(PAIRED_TESTS["t"], differences, "equivalent", margin, 1, 0)
        zeros = np.zeros(topics)
        expected = [weightstats.ttost_paired(row, zeros, -margin, margin)[0] for row in differences]
        yield "equivalence (TOST)", "statsmodels ttost_paired", said, np.array(expected)
    lower, upper = intervals(differences, 0.05)
    theirs_t = stats.t.interval(0.95, topics - 1, differences.mean(axis=1), stats.sem(differences, axis=1))
    yield "t intervals", "scipy t.interval", np.concatenate((lower, upper)), np.concatenate(theirs_t)
    plain = PAIRED_TESTS["t"].run(differences, 1, 0)
    for name, method in (("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")):
        expected = multitest.multipletests(plain, method=method)[1]
        yield "corrections", "statsmodels multipletests", CORRECTIONS[name](plain), expected


def _permutation_p(row: FloatArray, alternative: str) -> float:
    # In ten-thousandths, whose sums are exact: scipy takes equal sums apart that only rounding tells apart.
    found = stats.permutation_test(
        (np.round(1e4 * row),),
        np.mean,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
        axis=0,
    )
    return float(found.pvalue)


def of_tables(values: FloatArray) -> Iterator[Compared]:
    """Tests of all runs at once: (R, T) values."""
    runs, topics = values.shape
    first, second = (places[:: max(1, len(places) // PAIRS)] for places in np.triu_indices(runs, 1))
    means = values.mean(axis=1)
    total = ((values - values.mean()) ** 2).sum()
    rest = total - topics * ((means - values.mean()) ** 2).sum()
    rest -= runs * ((values.mean(axis=0) - values.mean()) ** 2).sum()
    variance = rest / ((runs - 1) * (topics - 1))
    yield "residual variance", "sums of squares", np.array([residual_variance(values)]), np.array([variance])
    q = np.abs(means[first] - means[second]) / np.sqrt(variance / topics)
    expected = stats.studentized_range.sf(q, runs, (runs - 1) * (topics - 1))
    yield (
        "Tukey's HSD",
        "scipy studentized_range",
        tukey(values[None], [means[first] - means[second]], Draws())[0].p_values,
        expected,
    )


def of_orders(tables: FloatArray) -> Iterator[Compared]:
    """Correlations of the orders of runs under each pair of measures, over drawn topics: (M, R, T) values."""
    rng = np.random.default_rng(5)
    for topics in rng.integers(tables.shape[2], size=(DRAWS, 8)):
        means = tables[:, :, topics].mean(axis=2).round(12)
        for a, b in zip(*np.triu_indices(len(means), 1), strict=True):
            theirs = stats.kendalltau(means[a], means[b]).statistic
            yield (
                "tau_b",
                "scipy kendalltau",
                np.array([kendall_tau_b(means[a], means[b])]),
                np.array([theirs]),
            )
            theirs = stats.spearmanr(means[a], means[b]).statistic
            yield "rho", "scipy spearmanr", np.array([spearman(means[a], means[b])]), np.array([theirs])


def of_formulas() -> Iterator[Compared]:
    """What needs no scores: power, kappa."""
    for topics in (5, 10, 20, 50, 100, 500):
        for delta in (0.01, 0.05, 0.1, 0.2):
            for variance in (0.01, 0.05, 0.2):
                for alpha in (0.01, 0.05):
                    ours = power.t_power(topics, delta, variance, alpha)
                    theirs = TTestPower().power(delta / np.sqrt(variance), topics, alpha)
                    yield "power of t", "statsmodels TTestPower", np.array([ours]), np.array([theirs])
                    for runs in (2, 3, 10, 50):
                        ours = power.anova_power(topics, delta, variance, runs, alpha)
                        freedom = (runs - 1, runs * (topics - 1))
                        critical = stats.f.ppf(1 - alpha, *freedom)
                        theirs = stats.ncf.sf(critical, *freedom, topics * delta**2 / (2 * variance))
                        yield "power of ANOVA", "scipy ncf", np.array([ours]), np.array([theirs])
    rng = np.random.default_rng(4)
    for _ in range(200):
        grades = rng.integers(0, 4, (2, int(rng.integers(20, 200))))
        grades[:, :4] = np.arange(4)
        table = grade_table(grades[0], grades[1])
        for exponent, weights in ((0, None), (1, "linear"), (2, "quadratic")):
            theirs = inter_rater.cohens_kappa(table.counts, wt=weights, return_results=False)
            yield (
                "Cohen's kappa",
                "statsmodels cohens_kappa",
                np.array([cohens_kappa(table, exponent)]),
                np.array([theirs]),
            )


def every_comparison(paths: list[Path]) -> Iterator[Compared]:
    """All of them, on all tables of scores."""
    yield from of_formulas()
    for path in paths:
        tables = read_tables(path)
        most = max(len(values) for values in tables.values())
        yield from of_orders(np.array([values for values in tables.values() if len(values) == most]))
        for values in tables.values():
            first, second = np.triu_indices(len(values), 1)
            differences = values[first] - values[second]
            differences = differences[:: max(1, len(differences) // PAIRS)]
            varied = differences[(differences != 0).sum(axis=1) > 4]
            for topics in (*SIZES, values.shape[1]):
                part = values[:, :topics]
                own = varied[:, :topics]
                own = own[own.std(axis=1) > 1e-9]
                if len(own):
                    yield from of_pairs(own)
                if residual_variance(part) > 1e-9:
                    yield from of_tables(part)


def main(*names: str) -> None:
    """Print the table."""
    found: dict[tuple[str, str], list[float]] = {}
    for what, whose, ours, theirs in every_comparison([Path(name) for name in names]):
        distance = np.abs(np.asarray(ours) - np.asarray(theirs))
        found.setdefault((what, whose), []).extend(distance.tolist())
    print("| what | compared with | values | largest difference |\n| --- | --- | ---: | ---: |")
    for (what, whose), distances in found.items():
        print(f"| {what} | {whose} | {len(distances):,} | {max(distances):.0e} |")
    print(f"| all | | {sum(map(len, found.values())):,} | |")


if __name__ == "__main__":
    main(*sys.argv[1:])
