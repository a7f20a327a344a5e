"""Runs compared with a baseline or with each other: tests, corrections, effect sizes, intervals."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.effects import (
    bootstrap_means,
    cohens_d,
    percentile_intervals,
    rank_biserial,
    wins_ties_losses,
)
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.significance import TESTS
from pres_eval.arrays.types import BoolArray, FloatArray


@dataclass(frozen=True)
class Settings:
    """How runs are compared.

    test         "wilcoxon", "t" or "randomisation"
    correction   "holm", "bonferroni", "bh" or "none", over the comparisons of one measure
    alpha        level of significance; intervals cover 1 - alpha
    samples      sign changes of the randomisation test, draws of the bootstrap
    seed         of both
    """

    test: str = "wilcoxon"
    correction: str = "holm"
    alpha: float = 0.05
    samples: int = 10_000
    seed: int = 0


@dataclass(frozen=True)
class Comparison:
    """One run against another under one measure; differences are run minus other.

    lower, upper    bootstrap interval of the mean difference
    wins, ties, losses  topics on which the run is better than, as good as, worse than the other
    p_value, corrected  of the test, and after the correction
    cohens_d, rank_biserial  effect sizes
    """

    measure: str
    run: str
    other: str
    mean: float
    other_mean: float
    difference: float
    lower: float
    upper: float
    wins: int
    ties: int
    losses: int
    p_value: float
    corrected: float
    significant: bool
    cohens_d: float
    rank_biserial: float


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Runs with their means, the intervals of these, the best of each measure, and the comparisons made.

    lower, upper  (M, R)
    best          (M, R) whether no run has a higher mean
    baseline      the index of the baseline, None where all pairs were compared
    """

    scores: PairedScores
    settings: Settings
    lower: FloatArray
    upper: FloatArray
    best: BoolArray
    baseline: int | None
    comparisons: tuple[Comparison, ...]


def compare(
    scores: PairedScores,
    baseline: int | None = 0,
    settings: Settings = Settings(),
    each: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> ComparedRuns:
    """Compare every run with the baseline, or all pairs of runs if that is None, under every measure.

    `each` wraps the loop over the measures (a progress bar).  Raises MissingExtraError for the t-test without
    scipy.
    """
    count = len(scores.runs)
    if baseline is None:
        pairs = list(itertools.combinations(range(count), 2))
    else:
        pairs = [(run, baseline) for run in range(count) if run != baseline]
    lower, upper = np.empty_like(scores.means), np.empty_like(scores.means)
    comparisons: list[Comparison] = []
    for measure in each(range(len(scores.measures))):
        resampled = bootstrap_means(scores.values[measure], settings.samples, settings.seed)
        lower[measure], upper[measure] = percentile_intervals(resampled, 1 - settings.alpha)
        if pairs:
            comparisons += _compare_pairs(scores, measure, pairs, settings, resampled)
    best = scores.means == scores.means.max(axis=1, keepdims=True)
    return ComparedRuns(scores, settings, lower, upper, best, baseline, tuple(comparisons))


def _compare_pairs(
    scores: PairedScores,
    measure: int,
    pairs: list[tuple[int, int]],
    settings: Settings,
    resampled: FloatArray,
) -> list[Comparison]:
    runs, others = np.array(pairs).T
    differences = scores.values[measure, runs] - scores.values[measure, others]
    p_values = TESTS[settings.test](differences, settings.samples, settings.seed)
    corrected = CORRECTIONS[settings.correction](p_values)
    lower, upper = percentile_intervals(resampled[:, runs] - resampled[:, others], 1 - settings.alpha)
    counts = wins_ties_losses(differences)
    sizes, biserial = cohens_d(differences), rank_biserial(differences)
    means = scores.means[measure]
    return [
        Comparison(
            measure=scores.measures[measure],
            run=scores.runs[run],
            other=scores.runs[other],
            mean=float(means[run]),
            other_mean=float(means[other]),
            difference=float(means[run] - means[other]),
            lower=float(lower[row]),
            upper=float(upper[row]),
            wins=int(counts[0][row]),
            ties=int(counts[1][row]),
            losses=int(counts[2][row]),
            p_value=float(p_values[row]),
            corrected=float(corrected[row]),
            significant=bool(corrected[row] < settings.alpha),
            cohens_d=float(sizes[row]),
            rank_biserial=float(biserial[row]),
        )
        for row, (run, other) in enumerate(pairs)
    ]
