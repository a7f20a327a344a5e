"""Runs compared with a baseline or with each other: tests, corrections, effect sizes, intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis import Loop
from pres_eval.analysis.compare_settings import ComparedRuns, CompareSettings, Comparison, check_settings
from pres_eval.analysis.corrections import CORRECTIONS, SHARES
from pres_eval.analysis.digits import mean_and_deviation, rounded, wins_ties_losses
from pres_eval.analysis.effects import favoured, hedges_g, rank_biserial, standardised
from pres_eval.analysis.joint import JOINT_TESTS, Draws, Joint
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.significance import (
    PAIRED_TESTS,
    directions,
    ends_outside,
    open_ends,
    p_values,
    shown_by,
)
from pres_eval.arrays.types import BoolArray, FloatArray, IntArray

BEST = "best"
"""What a baseline may be called besides a run: the best run of each measure."""


def best_runs(means: FloatArray) -> BoolArray:
    """(M, R) which runs are the best of each measure, equal at 12 digits: (M, R) means in, more is better."""
    means = np.array([rounded(row) for row in means]).reshape(means.shape)
    return np.asarray(means == means.max(axis=1, keepdims=True), np.bool_)


def best_places(means: FloatArray) -> tuple[int, ...]:
    """The place of the best run of each measure, the first of equal ones: (M, R) means in, more is better."""
    return tuple(int(row.argmax()) for row in best_runs(means))


def compare(
    scores: PairedScores,
    baseline: int | Sequence[int] | None = 0,
    settings: CompareSettings = CompareSettings(),
    each: Loop = iter,
) -> ComparedRuns:
    """Compare every run with the baseline, or all pairs of runs if that is None, under every measure.

    baseline: the index of a run, or one for each measure that these scores chose (best_places):
    p-values are then corrected for all pairs, which the choice looked at.  `each` wraps the loop over the
    measures (a progress bar).  Raises MissingExtraError for a joint test that needs scipy, if that is not
    there, UsageError for settings that do not go together.
    """
    check_settings(settings, all_pairs=not isinstance(baseline, int))
    num_measures = len(scores.measures)
    unseen = _num_unseen(scores, baseline, settings)
    baselines = None
    if baseline is not None:
        baselines = (baseline,) * num_measures if isinstance(baseline, int) else tuple(baseline)
    lower, upper = np.empty_like(scores.means), np.empty_like(scores.means)
    pairs = [_pairs(len(scores.runs), own) for own in baselines or (None,) * num_measures]
    said: list[Joint] = []
    families: list[_Family] = []
    values, means = scores.gain_values(), scores.gains()
    for measure in each(range(num_measures)):
        lower[measure], upper[measure] = settings.of_means(scores, measure)
        if len(pairs[measure]):
            if settings.test in JOINT_TESTS:
                # All measures at the first of them: within the loop, as its bar is shown only there.
                apart = [own[both[:, 0]] - own[both[:, 1]] for own, both in zip(means, pairs, strict=True)]
                draws = Draws(settings.samples, settings.seed, settings.joint_alpha(num_measures))
                said = said or JOINT_TESTS[settings.test].run(values, apart, draws)
            joint = said[measure] if said else None
            families.append(_tested(values[measure], means[measure], pairs[measure], settings, joint))
    return ComparedRuns(
        scores=scores,
        settings=settings,
        lower=lower,
        upper=upper,
        best=best_runs(means),
        baselines=baselines,
        comparisons=tuple(_comparisons(scores, families, settings, unseen)),
        unseen=unseen,
    )


@dataclass(frozen=True, eq=False)
class _Family:
    """The comparisons of one measure: P pairs of runs, their p-values, half the width of a joint interval.

    Differences and means are so that more is better, whatever the measure.
    """

    pairs: IntArray
    differences: FloatArray
    means: FloatArray
    p_values: FloatArray
    half_width: float | None


def _num_unseen(scores: PairedScores, baseline: int | Sequence[int] | None, settings: CompareSettings) -> int:
    """Return how many pairs of runs the choice of a measure's best run looked at besides those with it."""
    if baseline is None or isinstance(baseline, int):
        return 0
    count = len(scores.runs)
    sides = 2 if settings.alternative in ("greater", "less") else 1
    return sides * count * (count - 1) // 2 - (count - 1)


def _pairs(count: int, baseline: int | None) -> IntArray:
    """(P, 2) every run with the baseline, or with every other run."""
    if baseline is None:
        return np.column_stack(np.triu_indices(count, 1))
    others = np.delete(np.arange(count), baseline)
    return np.column_stack((others, np.full(len(others), baseline)))


def _tested(
    values: FloatArray, means: FloatArray, pairs: IntArray, settings: CompareSettings, joint: Joint | None
) -> _Family:
    """The comparisons of one measure: (R, T) values and (R,) means, what a joint test says of them."""
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    if joint is None:
        found = p_values(
            PAIRED_TESTS[settings.test],
            differences,
            settings.alternative,
            settings.margin,
            settings.samples,
            settings.seed,
        )
    return _Family(
        pairs=pairs,
        differences=differences,
        means=means[pairs[:, 0]] - means[pairs[:, 1]],
        p_values=found if joint is None else joint.p_values,
        half_width=None if joint is None else joint.half_width,
    )


def _by_family(
    make: Callable[[FloatArray], FloatArray], found: Sequence[FloatArray], settings: CompareSettings
) -> list[FloatArray]:
    """Return `make` of the p-values (P,) of each measure, or of those of all measures together."""
    if settings.over == "runs" or not found:
        return [make(values) for values in found]
    ends = np.cumsum([len(values) for values in found])[:-1]
    return np.split(make(np.concatenate(found)), ends)


def _comparisons(
    scores: PairedScores, families: Sequence[_Family], settings: CompareSettings, unseen: int
) -> Iterator[Comparison]:
    """The records of the pairs of all measures, their p-values corrected, also for other pairs of p = 1."""
    found = [np.append(family.p_values, np.ones(unseen)) for family in families]
    shares = SHARES[settings.correction if settings.simultaneous else "none"]
    if settings.test in JOINT_TESTS:
        times = len(found) if settings.over == "measures" else 1
        corrected = [np.minimum(1.0, times * values) for values in found]
    else:
        corrected = _by_family(CORRECTIONS[settings.correction], found, settings)
    levels = _by_family(lambda values: settings.alpha * shares(values, settings.alpha), found, settings)
    for measure, (family, values, missing) in enumerate(zip(families, corrected, levels, strict=True)):
        size = len(family.p_values)
        yield from _of_measure(scores, measure, family, values[:size], missing[:size], settings)


def _of_measure(
    scores: PairedScores,
    measure: int,
    family: _Family,
    corrected: FloatArray,
    missing: FloatArray,
    settings: CompareSettings,
) -> list[Comparison]:
    """The records of one measure's pairs, from their corrected p-values (P,).

    missing: (P,) the chances that intervals may miss with, which joint tests have their own for.
    """
    significant = corrected < settings.alpha
    lower, upper = _intervals(family, missing, settings)
    shown_too = shown_by(lower, upper, settings.alternative, settings.margin)
    agrees = (significant == shown_too) | np.isnan(family.p_values) | (np.isnan(lower) & np.isnan(upper))
    differences = family.differences
    wins, ties, losses = wins_ties_losses(differences)
    biserial = rank_biserial(differences)
    pointing = directions(favoured(differences, settings.test), settings.alternative)
    sizes, (g, g_lower, g_upper) = standardised(differences), hedges_g(differences, 1 - settings.alpha)
    means, shown = scores.means[measure], family.means
    if scores.sign(measure) < 0:  # what people see is run minus other again; 0 stays 0, not -0
        lower, upper, g_lower, g_upper = (0.0 - end for end in (upper, lower, g_upper, g_lower))
        shown, sizes, g, biserial = (0.0 - found for found in (shown, sizes, g, biserial))
    return [
        Comparison(
            measure=scores.measures[measure],
            run=scores.runs[run],
            other=scores.runs[other],
            mean=float(means[run]),
            other_mean=float(means[other]),
            difference=float(shown[row]),
            lower=float(lower[row]),
            upper=float(upper[row]),
            wins=int(wins[row]),
            ties=int(ties[row]),
            losses=int(losses[row]),
            p_value=float(family.p_values[row]),
            corrected=float(corrected[row]),
            significant=bool(significant[row]),
            direction=int(pointing[row]),
            d_z=float(sizes[row]),
            hedges_g=float(g[row]),
            g_lower=float(g_lower[row]),
            g_upper=float(g_upper[row]),
            rank_biserial=float(biserial[row]),
            level=1
            - (
                float(missing[row])
                if family.half_width is None
                else settings.joint_alpha(len(scores.measures))
            ),
            g_level=1 - settings.alpha,
            agrees=bool(agrees[row]),
        )
        for row, (run, other) in enumerate(family.pairs.tolist())
    ]


def _intervals(
    family: _Family, missing: FloatArray, settings: CompareSettings
) -> tuple[FloatArray, FloatArray]:
    """(P,) lower and (P,) upper ends of intervals; nan where there is no p-value, or no variance."""
    if family.half_width is not None:
        half_width = np.where(np.isnan(family.p_values), math.nan, family.half_width)
        return family.means - half_width, family.means + half_width
    lower, upper = settings.intervals(family.differences, ends_outside(missing, settings.alternative))
    lower, upper = open_ends(lower, upper, settings.alternative)
    # The same change on all topics shows nothing of others: an interval without width would be certain of it.
    _, deviations = mean_and_deviation(family.differences)
    without = np.isnan(family.p_values) | (deviations == 0)
    lower[without] = upper[without] = math.nan
    return lower, upper
