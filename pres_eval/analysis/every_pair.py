"""Every run against every other at once: what the report page knows of any two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis import Loop
from pres_eval.analysis.compare_settings import Settings
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.digits import rounded, wins_ties_losses
from pres_eval.analysis.effects import favoured
from pres_eval.analysis.letters import letters
from pres_eval.analysis.paired import PairedScores, is_average, pair_topics
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.scoring import Evaluation


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every run against every other under M measures, over the topics that all R runs have.

    measures         M labels
    topics           how many topics were compared
    all_topics       how many some run has
    means            (M, R)
    lower, upper     (M, R) intervals of the means
    first, second    (P,) the runs of each pair, the first before the second
    p_values         (M, P) before any correction
    corrected        (M, R, R) of each run against each baseline, corrected over the runs; nan against itself
    direction        (M, P) 1 where the test speaks for the first run, -1 for the second, 0 for neither
    wins, losses     (M, P) topics on which the first run is better, worse than the second
    letters          (M, R) runs that share one could not be told apart; empty for a single run
    falling          labels of the measures of which a lower value is better
    """

    measures: tuple[str, ...]
    topics: int
    all_topics: int
    means: FloatArray
    lower: FloatArray
    upper: FloatArray
    first: IntArray
    second: IntArray
    p_values: FloatArray
    corrected: FloatArray
    direction: IntArray
    wins: IntArray
    losses: IntArray
    letters: tuple[tuple[str, ...], ...]
    falling: frozenset[str]
    settings: Settings

    def gains(self, measure: int) -> FloatArray:
        """(R,) the means of a measure, so that more is better."""
        gains: FloatArray = self.means[measure] * (-1 if self.measures[measure] in self.falling else 1)
        return gains


def pairs_of(
    evaluations: Sequence[Evaluation],
    names: Sequence[str],
    labels: Sequence[str],
    settings: Settings,
    every_topic: Sequence[bytes] | None = None,
    each: Loop = iter,
) -> PairTable | None:
    """The runs against each other under those measures that are means over topics, and numbers on each.

    The topics are those of all the runs, or `every_topic`; None where there is no topic, or no such measure.
    """
    usable = [label for label in labels if all(_is_mean(evaluation, label) for evaluation in evaluations)]
    common = set(evaluations[0].topics).intersection(*(evaluation.topics for evaluation in evaluations))
    if not usable or not (common or every_topic):
        return None
    chosen = [each.with_columns([each.labels.index(label) for label in usable]) for each in evaluations]
    scores = pair_topics(chosen, names, every_topic)
    return every_pair(scores, settings, each)


def _is_mean(evaluation: Evaluation, label: str) -> bool:
    """Whether a column is a mean over topics, and a number on every topic."""
    column = next(column for column in evaluation.columns if column.label == label)
    return is_average(column) and bool(np.isfinite(evaluation.by_label(label)).all())


def every_pair(scores: PairedScores, settings: Settings, each: Loop = iter) -> PairTable:
    """The numbers of `compare --all-pairs` of pairs as arrays; `each` wraps the loop over the measures."""
    first, second = np.triu_indices(len(scores.runs), 1)
    lower, upper = np.empty_like(scores.means), np.empty_like(scores.means)
    tests = []
    for measure in each(range(len(scores.measures))):
        values = scores.values[measure]
        lower[measure], upper[measure] = settings.of_means(scores, measure)
        tests.append(_tested(scores.sign(measure) * (values[first] - values[second]), settings))
    p_values, direction, wins, losses = (np.stack(parts) for parts in zip(*tests, strict=True))
    return PairTable(
        measures=scores.measures,
        topics=len(scores.topics),
        all_topics=scores.all_topics,
        means=scores.means,
        lower=lower,
        upper=upper,
        first=first,
        second=second,
        p_values=p_values,
        corrected=np.stack([_corrected(row, first, second, len(scores.runs), settings) for row in p_values]),
        direction=direction,
        wins=wins,
        losses=losses,
        letters=tuple(
            _letters(row, gains, first, second, settings)
            for row, gains in zip(p_values, scores.gains(), strict=True)
        ),
        falling=scores.falling,
        settings=settings,
    )


def _letters(
    p_values: FloatArray, gains: FloatArray, first: IntArray, second: IntArray, settings: Settings
) -> tuple[str, ...]:
    """The letters of `compare --all-pairs` for gains (R,): one correction over all the p-values (P,)."""
    differ = np.zeros((len(gains), len(gains)), np.bool_)
    if len(gains) > 1:
        significant = CORRECTIONS[settings.correction](p_values) < settings.alpha
        differ[first, second] = differ[second, first] = significant
    return tuple(letters(rounded(gains), differ))


def _corrected(
    p_values: FloatArray, first: IntArray, second: IntArray, count: int, settings: Settings
) -> FloatArray:
    """(baseline, run) the p-values of the runs against each baseline, corrected as `compare` does."""
    against = np.full((count, count), np.nan)
    against[first, second] = against[second, first] = p_values
    corrected = np.full((count, count), np.nan)
    others = ~np.eye(count, dtype=bool)
    for baseline in range(count if count > 1 else 0):
        chosen = others[baseline]
        corrected[baseline, chosen] = CORRECTIONS[settings.correction](against[baseline, chosen])
    return corrected


def _tested(differences: FloatArray, settings: Settings) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """(P, T) differences of one measure: p-values, directions, wins and losses of the pairs."""
    wins, _, losses = wins_ties_losses(differences)
    p_values = PAIRED_TESTS[settings.test].two_sided(differences, settings.samples, settings.seed)
    return p_values, favoured(differences, settings.test), wins, losses
