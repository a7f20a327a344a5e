"""Runs compared with a baseline or with each other: tests, corrections, effect sizes, intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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
from pres_eval.workers import Loop, in_turn

BEST = "best"
"""Name of a baseline that is no run: the best run of each measure."""


def best_runs(means: FloatArray) -> BoolArray:
    """Return (M, R) whether runs are the best of each measure, by means (M, R), equal at 12 digits."""
    means = np.array([rounded(row) for row in means]).reshape(means.shape)
    return np.asarray(means == means.max(axis=1, keepdims=True), np.bool_)


def best_places(means: FloatArray) -> tuple[int, ...]:
    """Return the place of each measure's best run, the first of equal ones, by means (M, R)."""
    return tuple(int(row.argmax()) for row in best_runs(means))


def compare(
    scores: PairedScores,
    baseline: int | Sequence[int] | None = 0,
    settings: CompareSettings = CompareSettings(),
    each: Loop = in_turn,
) -> ComparedRuns:
    """Compare every run with the baseline, or all pairs of runs if that is None, under every measure.

    baseline: the index of a run, or one for each measure that these scores chose (best_places):
    p-values are then corrected for all pairs, which the choice looked at.  `each` carries out the loops over
    the measures and over draws.  Raises MissingExtraError for a joint test that needs scipy, if that is not
    there, UsageError for settings that do not go together.
    """
    check_settings(settings, all_pairs=not isinstance(baseline, int))
    unseen = _num_unseen(scores, baseline, settings)
    baselines = None if baseline is None else tuple(np.broadcast_to(baseline, len(scores.measures)).tolist())
    pairs = [_pairs(len(scores.runs), own) for own in baselines or (None,) * len(scores.measures)]
    values, means = scores.gain_values(), scores.gains()
    apart = [_differences(own, both) for own, both in zip(means, pairs, strict=True)]

    def tested(measure: int) -> Joint:
        """Return what a test of two runs says of the pairs."""
        return Joint(
            p_values(
                with_weights(settings.test, scores.weights),
                _differences(values[measure], pairs[measure]),
                settings.alternative,
                settings.margin if scores.weights is None else settings.margin * scores.weights,
                settings.samples,
                settings.seed,
            )
        )

    said: list[Joint] = []
    if len(scores.runs) > 1 and settings.test in JOINT_TESTS:
        draws = Draws(settings.samples, settings.seed, settings.joint_alpha(len(scores.measures)), each)
        if scores.weights is not None and settings.test != "randomised-tukey":
            # Their variance is that of weighted means; deals exchange the weighted scores of a topic.
            values = np.array([linearised(rows, scores.weights) for rows in values])
        said = JOINT_TESTS[settings.test].run(values, apart, draws)
    elif len(scores.runs) > 1:
        said = list(each(tested, len(scores.measures)))
    ends = each(lambda measure: settings.of_means(scores, measure), len(scores.measures))
    lower, upper = np.stack(list(ends), axis=1)
    return ComparedRuns(
        scores=scores,
        settings=settings,
        lower=lower,
        upper=upper,
        best=best_runs(means),
        baselines=baselines,
        comparisons=tuple(_comparisons(scores, pairs, said, settings, unseen)) if said else (),
        unseen=unseen,
    )


def _num_unseen(scores: PairedScores, baseline: int | Sequence[int] | None, settings: CompareSettings) -> int:
    """Return how many pairs of runs the choice of a measure's best run looked at besides those with it."""
    if baseline is None or isinstance(baseline, int):
        return 0
    count = len(scores.runs)
    sides = 2 if settings.alternative in ("greater", "less") else 1
    return sides * count * (count - 1) // 2 - (count - 1)


def _pairs(count: int, baseline: int | None) -> IntArray:
    """Return (P, 2) every run with the baseline, or with every other run."""
    if baseline is None:
        return np.column_stack(np.triu_indices(count, 1))
    others = np.delete(np.arange(count), baseline)
    return np.column_stack((others, np.full(len(others), baseline)))


def _differences(values: FloatArray, pairs: IntArray) -> FloatArray:
    """Return (P, T) of (R, T) values, or (P,) of (R,), between the runs of pairs (P, 2)."""
    return values[pairs[:, 0]] - values[pairs[:, 1]]


def _by_family(
    make: Callable[[FloatArray], FloatArray], found: Sequence[FloatArray], settings: CompareSettings
) -> list[FloatArray]:
    """Return `make` of the p-values (P,) of each measure, or of those of all measures together."""
    if settings.over == "runs" or not found:
        return [make(values) for values in found]
    ends = np.cumsum([len(values) for values in found])[:-1]
    return np.split(make(np.concatenate(found)), ends)


def _comparisons(
    scores: PairedScores,
    pairs: Sequence[IntArray],
    said: Sequence[Joint],
    settings: CompareSettings,
    unseen: int,
) -> Iterator[Comparison]:
    """Yield the records of the pairs (P, 2) of all measures, with corrected p-values, also if p is 1."""
    found = [np.append(joint.p_values, np.ones(unseen)) for joint in said]
    shares = SHARES[settings.correction if settings.simultaneous else "none"]
    if settings.test in JOINT_TESTS:
        times = len(found) if settings.over == "measures" else 1
        corrected = [np.minimum(1.0, times * values) for values in found]
    else:
        corrected = _by_family(CORRECTIONS[settings.correction], found, settings)
    levels = _by_family(lambda values: settings.alpha * shares(values, settings.alpha), found, settings)
    for measure, (both, joint, values, missing) in enumerate(
        zip(pairs, said, corrected, levels, strict=True)
    ):
        size = len(both)
        yield from _of_measure(scores, measure, both, joint, values[:size], missing[:size], settings)


def _of_measure(
    scores: PairedScores,
    measure: int,
    pairs: IntArray,
    said: Joint,
    corrected: FloatArray,
    missing: FloatArray,
    settings: CompareSettings,
) -> list[Comparison]:
    """Return the records of one measure's pairs (P, 2), from their corrected p-values (P,).

    missing: (P,) the chances that intervals may miss with, which joint tests have their own for.
    """
    significant = corrected < settings.alpha
    # More is better of differences and means, whatever the measure.
    differences = _differences(scores.sign(measure) * scores.values[measure], pairs)
    shown = _differences(scores.sign(measure) * scores.means[measure], pairs)
    lower, upper = _intervals(differences, shown, said, missing, settings, scores.weights)
    shown_too = shown_by(lower, upper, settings.alternative, settings.margin)
    if settings.test in JOINT_TESTS:
        missing = np.full(len(pairs), settings.joint_alpha(len(scores.measures)))
    wins, ties, losses = wins_ties_losses(differences)
    columns = {
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "p_value": said.p_values,
        "corrected": corrected,
        "significant": significant,
        "direction": directions(favoured(differences, settings.test), settings.alternative),
        "level": 1 - missing,
        "agrees": (significant == shown_too) | np.isnan(said.p_values) | (np.isnan(lower) & np.isnan(upper)),
        **_seen(differences, shown, lower, upper, settings.alpha, scores.sign(measure), scores.weights),
    }
    return [
        Comparison(
            measure=scores.measures[measure],
            run=scores.runs[run],
            other=scores.runs[other],
            mean=float(scores.means[measure, run]),
            other_mean=float(scores.means[measure, other]),
            g_level=1 - settings.alpha,
            **dict(zip(columns, row, strict=True)),
        )
        for (run, other), *row in zip(
            pairs.tolist(), *(one.tolist() for one in columns.values()), strict=True
        )
    ]


def _seen(
    differences: FloatArray,
    means: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    alpha: float,
    sign: int,
    weights: FloatArray | None,
) -> dict[str, FloatArray]:
    """Return what people see run minus other of: differences (P, T), their means and intervals, effect sizes.

    sign: by which more was made better, as of the measure.
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
    # 0 stays 0, not -0.
    return columns if sign > 0 else {name: 0.0 - column for name, column in columns.items()}


def _intervals(
    differences: FloatArray,
    means: FloatArray,
    said: Joint,
    missing: FloatArray,
    settings: CompareSettings,
    weights: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends (P,) of intervals of (P, T) differences with means (P,); nan where there is
    no p-value, or no variance.
    """
    if settings.test in JOINT_TESTS:
        half_width = np.where(np.isnan(said.p_values), np.nan, said.half_width)
        return means - half_width, means + half_width
    outside = ends_outside(missing, settings.alternative)
    ends = weighted_intervals(
        differences, weights, outside, settings.interval, settings.samples, settings.seed
    )
    lower, upper = open_ends(*ends, settings.alternative)
    # The same change on all topics shows nothing of others: an interval without width would be certain of it.
    _, deviations = mean_and_deviation(differences if weights is None else linearised(differences, weights))
    without = np.isnan(said.p_values) | (deviations == 0)
    lower[without] = upper[without] = np.nan
    return lower, upper
