"""Runs compared with a baseline or with each other: tests, corrections, effect sizes, intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.compare_settings import ComparedRuns, CompareSettings, Comparison, check_settings
from pres_eval.analysis.corrections import CORRECTIONS, SHARES
from pres_eval.analysis.estimates import favoured, hedges_g, rank_biserial, standardised
from pres_eval.analysis.joint import JOINT_TESTS, Draws, Joint
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import mean_and_deviation, rounded, wins_ties_losses
from pres_eval.analysis.significance import (
    directions,
    ends_outside,
    open_ends,
    p_values,
    shown_by,
)
from pres_eval.analysis.weighting import linearised, weighted_intervals, with_weights
from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn

BEST_RUN = "best"
"""Name of a baseline that is no run: the best run of each measure."""


def best_runs(means: FloatArray) -> BoolArray:
    """Return (M, R) whether each run is the best of a measure, by means (M, R) as gains; 12 digits count."""
    best = np.zeros(means.shape, np.bool_)
    for measure, means_of_runs in enumerate(means):
        comparable = rounded(means_of_runs)
        best[measure] = comparable == comparable.max()
    return best


def best_run_of_measures(means: FloatArray) -> tuple[int, ...]:
    """Return the index of each measure's best run, the first of equal ones, by means (M, R) as gains."""
    return tuple(int(is_best.argmax()) for is_best in best_runs(means))


def compare(
    scores: PairedScores,
    baseline: int | Sequence[int] | None = 0,
    settings: CompareSettings = CompareSettings(),
    loop: Loop = in_turn,
) -> ComparedRuns:
    """Return the comparisons of every run with the baseline under every measure.

    baseline  the index of a run; or None: all pairs of runs are compared; or the index of each measure's best
              run (best_run_of_measures): p-values are then corrected for all pairs, because the choice of the
              best run compared all of them
    loop      carries out the loops over the measures and over random draws
    Raises MissingExtraError for a joint test that needs scipy if it is not installed, UsageError for settings
    that do not go together.
    """
    check_settings(settings, all_pairs=not isinstance(baseline, int))
    num_measures, num_runs = len(scores.measures), len(scores.runs)
    unseen = 0  # no others than these are compared, unless scores chose the baselines
    if baseline is None:
        baselines = None
        pairs = [_pairs(num_runs, None)] * num_measures
    elif isinstance(baseline, int):
        baselines = (baseline,) * num_measures
        pairs = [_pairs(num_runs, baseline)] * num_measures
    else:
        baselines = tuple(baseline)
        pairs = [_pairs(num_runs, run) for run in baselines]
        unseen = _num_unseen(num_runs, settings)
    ends = loop(lambda measure: settings.intervals_of_means(scores, measure), num_measures)
    lower, upper = np.stack(list(ends), axis=1)
    comparisons: list[Comparison] = []
    if num_runs > 1:
        tests = _test_pairs(scores, pairs, settings, loop)
        comparisons = list(_comparisons(scores, pairs, tests, settings, unseen))
    return ComparedRuns(
        scores=scores,
        settings=settings,
        lower=lower,
        upper=upper,
        best=best_runs(scores.gains()),
        baselines=baselines,
        comparisons=tuple(comparisons),
        unseen=unseen,
    )


def _test_pairs(
    scores: PairedScores, pairs: Sequence[IntArray], settings: CompareSettings, loop: Loop
) -> list[Joint]:
    """Return the p-values of the pairs (P, 2) of each measure."""
    if settings.test in JOINT_TESTS:
        return _test_jointly(scores, pairs, settings, loop)
    values = scores.gain_values()
    test = with_weights(settings.test, scores.weights)
    margin = settings.margin if scores.weights is None else settings.margin * scores.weights

    def test_measure(measure: int) -> Joint:
        """Return the p-values of the pairs under one measure, by a test of two runs."""
        differences = _differences(values[measure], pairs[measure])
        return Joint(
            p_values(test, differences, settings.alternative, margin, settings.samples, settings.seed)
        )

    return list(loop(test_measure, len(scores.measures)))


def _test_jointly(
    scores: PairedScores, pairs: Sequence[IntArray], settings: CompareSettings, loop: Loop
) -> list[Joint]:
    """Return the p-values of the pairs (P, 2) of each measure by a test of all runs at once."""
    values = scores.gain_values()
    if scores.weights is not None and settings.test != "randomised-tukey":
        # The residual variance has to be that of weighted means.  (Randomised Tukey exchanges the weighted
        # scores of a topic as they are.)
        for measure, weighted in enumerate(scores.gain_values()):
            values[measure] = linearised(weighted, scores.weights)
    differences = []
    for means, pairs_of_measure in zip(scores.gains(), pairs, strict=True):
        differences.append(_differences(means, pairs_of_measure))
    draws = Draws(settings.samples, settings.seed, settings.joint_alpha(len(scores.measures)), loop)
    return JOINT_TESTS[settings.test].run(values, differences, draws)


def _num_unseen(num_runs: int, settings: CompareSettings) -> int:
    """Return how many other comparisons the choice of a measure's best run made, besides those with that run.

    For a one-sided alternative each pair counts twice: the choice could have put either run first.
    """
    num_pairs = num_runs * (num_runs - 1) // 2
    sides = 2 if settings.alternative in ("greater", "less") else 1
    return sides * num_pairs - (num_runs - 1)


def _pairs(count: int, baseline: int | None) -> IntArray:
    """Return pairs of runs (P, 2): each other run with the baseline; all pairs if that is None."""
    if baseline is None:
        return np.column_stack(np.triu_indices(count, 1))
    others = np.delete(np.arange(count), baseline)
    return np.column_stack((others, np.full(len(others), baseline)))


def _differences(values: FloatArray, pairs: IntArray) -> FloatArray:
    """Return differences (P, T) of values (R, T), or (P,) of (R,), for pairs (P, 2): first less second."""
    return values[pairs[:, 0]] - values[pairs[:, 1]]


def _by_family(
    function: Callable[[FloatArray], FloatArray], p_values: Sequence[FloatArray], settings: CompareSettings
) -> list[FloatArray]:
    """Return `function` of the p-values (P,) of each measure, computed from those of its family.

    The family is the measure (settings.over "runs"), or all measures together.
    """
    if settings.over == "runs" or not p_values:
        return [function(p_of_measure) for p_of_measure in p_values]
    ends = np.cumsum([len(p_of_measure) for p_of_measure in p_values])[:-1]
    return np.split(function(np.concatenate(p_values)), ends)


def _comparisons(
    scores: PairedScores,
    pairs: Sequence[IntArray],
    tests: Sequence[Joint],
    settings: CompareSettings,
    unseen: int,
) -> Iterator[Comparison]:
    """Yield the records of the pairs (P, 2) of all measures, with corrected p-values."""
    # The comparisons that the choice of the best run made besides count with p-values of 1.
    p_values = [np.append(test.p_values, np.ones(unseen)) for test in tests]
    if settings.test in JOINT_TESTS:
        # Corrected for the number of runs already; over several measures by Bonferroni.
        times = len(tests) if settings.over == "measures" else 1
        corrected = [np.minimum(1.0, times * p_of_pairs) for p_of_pairs in p_values]
        miss_rate = settings.joint_alpha(len(tests))
        miss_rates = [np.full(len(p_of_pairs), miss_rate) for p_of_pairs in p_values]
    else:
        corrected = _by_family(CORRECTIONS[settings.correction], p_values, settings)
        shares = SHARES[settings.correction if settings.simultaneous else "none"]
        miss_rates = _by_family(
            lambda p_of_family: settings.alpha * shares(p_of_family, settings.alpha), p_values, settings
        )
    for measure, test in enumerate(tests):
        results = PairResults(
            pairs=pairs[measure],
            test=test,
            corrected=corrected[measure][: len(pairs[measure])],
            miss_rates=miss_rates[measure][: len(pairs[measure])],
        )
        yield from _of_measure(scores, measure, results, settings)


@dataclass(frozen=True, eq=False)
class PairResults:
    """Tests of the pairs of runs under one measure.

    pairs       (P, 2) run and other
    test        the p-values, and for a joint test half the width of its intervals
    corrected   (P,) p-values after the correction
    miss_rates  (P,) the chances with which intervals may miss the true difference
    """

    pairs: IntArray
    test: Joint
    corrected: FloatArray
    miss_rates: FloatArray


def _of_measure(
    scores: PairedScores, measure: int, results: PairResults, settings: CompareSettings
) -> list[Comparison]:
    """Return the comparisons of the pairs under one measure."""
    sign = scores.sign(measure)
    # With the sign differences are gains: positive where the run is better.
    differences = _differences(sign * scores.values[measure], results.pairs)
    means = _differences(sign * scores.means[measure], results.pairs)
    lower, upper = _intervals(differences, means, results, settings, scores.weights)
    significant = results.corrected < settings.alpha
    shows_difference = shown_by(lower, upper, settings.alternative, settings.margin)
    undecided = np.isnan(results.test.p_values) | (np.isnan(lower) & np.isnan(upper))
    agrees = (significant == shows_difference) | undecided
    direction = directions(favoured(differences, settings.test), settings.alternative)
    wins, ties, losses = wins_ties_losses(differences)
    estimates = _as_printed(differences, means, lower, upper, settings.alpha, sign, scores.weights)
    comparisons = []
    for pair, (run, other) in enumerate(results.pairs.tolist()):
        comparisons.append(
            Comparison(
                measure=scores.measures[measure],
                run=scores.runs[run],
                other=scores.runs[other],
                mean=float(scores.means[measure, run]),
                other_mean=float(scores.means[measure, other]),
                wins=int(wins[pair]),
                ties=int(ties[pair]),
                losses=int(losses[pair]),
                p_value=float(results.test.p_values[pair]),
                corrected=float(results.corrected[pair]),
                significant=bool(significant[pair]),
                direction=int(direction[pair]),
                level=float(1 - results.miss_rates[pair]),
                g_level=1 - settings.alpha,
                agrees=bool(agrees[pair]),
                **{name: float(values[pair]) for name, values in estimates.items()},
            )
        )
    return comparisons


def _as_printed(
    differences: FloatArray,
    means: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    alpha: float,
    sign: int,
    weights: FloatArray | None,
) -> dict[str, FloatArray]:
    """Return the fields (P,) of Comparison that are printed as run minus other.

    differences  (P, T) by which the run is better than the other; means, lower, upper (P,) are theirs
    sign         -1 if less is better: printed differences have the opposite sign then; else 1
    """
    g, g_lower, g_upper = hedges_g(differences, 1 - alpha, weights)
    if sign < 0:
        lower, upper, g_lower, g_upper = upper, lower, g_upper, g_lower
    columns = {
        "difference": means,
        "lower": lower,
        "upper": upper,
        "d_z": standardised(differences, weights),
        "hedges_g": g,
        "g_lower": g_lower,
        "g_upper": g_upper,
        "rank_biserial": rank_biserial(differences),
    }
    if sign > 0:
        return columns
    # 0 stays 0, not -0.
    return {name: 0.0 - column for name, column in columns.items()}


def _intervals(
    differences: FloatArray,
    means: FloatArray,
    results: PairResults,
    settings: CompareSettings,
    weights: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper ends (P,) of intervals of differences (P, T) with means (P,).

    nan where there is no p-value, or no variance.
    """
    if settings.test in JOINT_TESTS:
        half_width = np.where(np.isnan(results.test.p_values), np.nan, results.test.half_width)
        return means - half_width, means + half_width
    outside = ends_outside(results.miss_rates, settings.alternative)
    ends = weighted_intervals(
        differences, weights, outside, settings.interval, settings.samples, settings.seed
    )
    lower, upper = open_ends(*ends, settings.alternative)
    # The same change on all topics does not show that on others: an interval without width would claim it.
    deviating = differences if weights is None else linearised(differences, weights)
    _, deviations = mean_and_deviation(deviating)
    has_none = np.isnan(results.test.p_values) | (deviations == 0)
    lower[has_none] = np.nan
    upper[has_none] = np.nan
    return lower, upper
