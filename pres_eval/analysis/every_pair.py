"""Every run against every other at once, for the report page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.corrections import CORRECTIONS, letters_of_pairs
from pres_eval.analysis.estimates import favoured
from pres_eval.analysis.incomplete_runs import all_topics
from pres_eval.analysis.paired import PairedScores, gains_of, is_average, means_of, pair_columns
from pres_eval.analysis.reproducible import wins_ties_losses
from pres_eval.analysis.weighting import with_weights
from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import plural
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import ScoredRun

SameTopics = tuple[IntArray, BoolArray]
"""Runs or pairs of runs that have the same topics: their indices (K,), and (T,) whether they have a topic."""


@dataclass(frozen=True)
class Against:
    """One run against another under one measure, over the topics that both have.

    topics      number of these topics
    difference  the run's mean minus the other's
    p_value     after the correction if `corrected`, else before it; nan if nothing could be tested
    corrected   whether the pair belongs to the family of comparisons that are corrected together
    direction   1 where the test speaks for the run, -1 for the other, 0 for neither
    wins, losses  topics on which the run is better, worse than the other
    """

    topics: int
    difference: float
    p_value: float
    corrected: bool
    direction: int
    wins: int
    losses: int


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every run against every other under M measures, each pair over the topics that both have.

    The R (R - 1) / 2 pairs of a measure are one family of comparisons, corrected together, so that letters
    and signs against any baseline never disagree.  With a named baseline the R - 1 pairs with it are the
    family, as in `compare`; then other pairs have no corrected p-values, and runs no letters.
    The page shows all fields side by side, by run, by pair or by both, so that they are one record.

    measures         M labels
    counts           (R,) topics of each run
    means            (M, R) over a run's own topics
    lower, upper     (M, R) intervals of these, each by itself
    first, second    (P,) the runs of each pair, the first before the second
    topics           (P,) topics that both runs have
    pair_means       (2, M, P) means of the first and of the second run over these
    p_values         (M, P) before the correction; nan without a topic in common
    corrected        (M, P) after it; nan outside the family
    direction        (M, P) 1 where the test speaks for the first run, -1 for the second, 0 for neither
    wins, losses     (M, P) topics on which the first run is better, worse than the second
    letters          (M, R) no significant difference was found between runs that share a letter; empty texts:
                     nothing was tested
    gains            (M, R) the means as gains: more is better
    settings         the test and the correction
    baseline         index of the run that the family compares with the others; None: all pairs are the family
    """

    measures: tuple[str, ...]
    counts: IntArray
    means: FloatArray
    lower: FloatArray
    upper: FloatArray
    first: IntArray
    second: IntArray
    topics: IntArray
    pair_means: FloatArray
    p_values: FloatArray
    corrected: FloatArray
    direction: IntArray
    wins: IntArray
    losses: IntArray
    letters: tuple[tuple[str, ...], ...]
    gains: FloatArray
    settings: CompareSettings
    baseline: int | None = None

    def against(self, measure: int, run: int, other: int) -> Against:
        """Return the comparison of a run with another; measure, run and other are indices."""
        is_pair = (self.first == min(run, other)) & (self.second == max(run, other))
        pair = int(np.flatnonzero(is_pair)[0])
        corrected = bool(self.in_family[pair])
        p_values = self.corrected if corrected else self.p_values
        difference = float(self.pair_means[0, measure, pair] - self.pair_means[1, measure, pair])
        direction = int(self.direction[measure, pair])
        wins, losses = int(self.wins[measure, pair]), int(self.losses[measure, pair])
        if run > other:
            difference, direction, wins, losses = -difference, -direction, losses, wins
        return Against(
            topics=int(self.topics[pair]),
            difference=difference,
            p_value=float(p_values[measure, pair]),
            corrected=corrected,
            direction=direction,
            wins=wins,
            losses=losses,
        )

    @property
    def over(self) -> str:
        """The topics of the means in words: `20 topics`, or `each run's own topics (18 to 20)`."""
        fewest, most = int(self.counts.min()), int(self.counts.max())
        if fewest == most:
            return plural(most)
        return f"each run's own topics ({fewest} to {most})"

    @property
    def in_family(self) -> BoolArray:
        """(P,) whether p-values are corrected for the pair."""
        return in_family(self.first, self.second, self.baseline)

    @property
    def comparisons(self) -> int:
        """The number of comparisons that p-values are corrected for."""
        count = int(np.count_nonzero(self.in_family))
        if self.settings.over == "measures":
            count *= len(self.measures)
        return count

    @property
    def family(self) -> str:
        """Describe in words how the comparisons were made and what they were corrected for."""
        settings = self.settings
        count = int(np.count_nonzero(self.in_family))
        if self.baseline is None:
            words = f"{settings.test}, correction {settings.correction} over {plural(count, 'pair')} of runs"
        else:
            over = plural(count, "comparison")
            words = f"{settings.test}, correction {settings.correction} over {over} with the baseline"
        if settings.corrects_within(len(self.measures)):
            return f"{words}, within each measure"
        if settings.over == "measures" and settings.correction != "none":
            words += f" and {plural(len(self.measures), 'measure')}"
        return words


def pairs_of(
    evaluations: Sequence[ScoredRun],
    names: Sequence[str],
    labels: Sequence[str],
    settings: CompareSettings,
    every_topic: Sequence[bytes] | None = None,
    loop: Loop = in_turn,
    weights: Weights | None = None,
    baseline: int | None = None,
) -> PairTable | None:
    """Return the comparisons of all runs under those of the labels that are means of numbers.

    every_topic  topics over which all runs are compared, with 0 where a run lacks one; None: each pair of
                 runs is compared over the topics that both have
    weights      of the topics; None: all weigh the same
    baseline     as for `every_pair`

    None if a run has no topic, or no label is a mean of numbers.
    """
    averages = {column.label for column in evaluations[0].columns if is_average(column)}
    usable = [label for label in labels if label in averages and _all_numbers(evaluations, label)]
    if not usable:
        return None
    runs_have_topics = all(evaluation.topics for evaluation in evaluations)
    if not every_topic and not runs_have_topics:
        return None
    topics = every_topic or all_topics(evaluations)
    scores = pair_columns(evaluations, names, usable, topics, weights)
    present = np.ones((len(evaluations), len(scores.topics)), np.bool_)
    if not every_topic:
        for run, evaluation in enumerate(evaluations):
            topics_of_run = set(evaluation.topics)
            present[run] = [topic in topics_of_run for topic in scores.topics]
    if not present.any(axis=1).all():
        return None
    return every_pair(scores, settings, loop, present, baseline)


def _all_numbers(evaluations: Sequence[ScoredRun], label: str) -> bool:
    """Return whether the scores of a measure are finite numbers on all topics of all runs."""
    return all(np.isfinite(evaluation.by_label(label)).all() for evaluation in evaluations)


def every_pair(
    scores: PairedScores,
    settings: CompareSettings,
    loop: Loop = in_turn,
    present: BoolArray | None = None,
    baseline: int | None = None,
) -> PairTable:
    """Return the numbers of `compare --all-pairs` as arrays.

    loop      carries out the loop over the measures
    present   (R, T) whether the run has the topic; None: every run has all
    baseline  index of the run of `compare --baseline`: p-values are corrected for the comparisons with it;
              None: for those of all pairs
    """
    first, second = np.triu_indices(len(scores.runs), 1)
    if present is None:
        present = np.ones(scores.values.shape[1:], np.bool_)
    in_both = present[first] & present[second]
    runs_by_topics, pairs_by_topics = _same_topics(present), _same_topics(in_both)
    num_measures = len(scores.measures)
    ends = loop(lambda measure: _means_and_ends(scores, measure, runs_by_topics, settings), num_measures)
    means, lower, upper = np.stack(list(ends), axis=1)
    tests = list(
        loop(
            lambda measure: _test_pairs(scores, measure, first, second, pairs_by_topics, settings),
            num_measures,
        )
    )
    p_values = np.stack([test.p_values for test in tests])
    corrected = _corrected(p_values, in_family(first, second, baseline), settings)
    gains = gains_of(scores.measures, means, scores.falling)
    letters = [("",) * len(scores.runs)] * num_measures
    if baseline is None:
        for measure, gains_of_runs in enumerate(gains):
            letters[measure] = _letters(gains_of_runs, first, second, corrected[measure], settings.alpha)
    return PairTable(
        measures=scores.measures,
        counts=present.sum(axis=1),
        means=means,
        lower=lower,
        upper=upper,
        first=first,
        second=second,
        topics=in_both.sum(axis=1),
        pair_means=np.stack([test.pair_means for test in tests], axis=1),
        p_values=p_values,
        corrected=corrected,
        direction=np.stack([test.direction for test in tests]),
        wins=np.stack([test.wins for test in tests]),
        losses=np.stack([test.losses for test in tests]),
        letters=tuple(letters),
        gains=gains,
        settings=settings,
        baseline=baseline,
    )


def _means_and_ends(
    scores: PairedScores,
    measure: int,
    runs_by_topics: Sequence[SameTopics],
    settings: CompareSettings,
) -> FloatArray:
    """Return (3, R): the means of runs under a measure, the lower and the upper ends of their intervals."""
    means_and_ends = np.empty((3, len(scores.runs)))
    for runs, topics in runs_by_topics:
        scores_of_runs = replace(scores, values=scores.values[:, runs]).on_topics(np.flatnonzero(topics))
        lower, upper = settings.intervals_of_means(scores_of_runs, measure)
        means_and_ends[:, runs] = scores_of_runs.means[measure], lower, upper
    return means_and_ends


def in_family(first: IntArray, second: IntArray, baseline: int | None) -> BoolArray:
    """Return (P,) whether each pair is in the family: those with the baseline, or all pairs if it is None."""
    if baseline is None:
        return np.ones(len(first), np.bool_)
    return np.asarray((first == baseline) | (second == baseline), np.bool_)


def _corrected(p_values: FloatArray, family: BoolArray, settings: CompareSettings) -> FloatArray:
    """Return p-values (M, P) corrected for the pairs of the family (P,), nan for the others."""
    correction = CORRECTIONS[settings.correction]
    uncorrected = p_values[:, family]
    corrected = np.full(p_values.shape, np.nan)
    if settings.over == "measures":
        corrected[:, family] = correction(uncorrected.ravel()).reshape(uncorrected.shape)
    else:
        for measure, p_of_pairs in enumerate(uncorrected):
            corrected[measure, family] = correction(p_of_pairs)
    return corrected


def _letters(
    gains: FloatArray, first: IntArray, second: IntArray, p_values: FloatArray, alpha: float
) -> tuple[str, ...]:
    """Return the letters of runs with gains (R,), by the p-values (P,) of pairs (P,) of them.

    Empty texts where no pair could be tested.
    """
    nothing_tested = len(gains) > 1 and not np.isfinite(p_values).any()
    if nothing_tested:
        return ("",) * len(gains)
    return tuple(letters_of_pairs(gains, first, second, p_values < alpha))


def _same_topics(present: BoolArray) -> list[SameTopics]:
    """Return the rows of (K, T) booleans grouped by equality; rows without a topic are left out.

    Worked example: three rows for two topics, [1, 0], [1, 1] and [1, 0], make rows 0 and 2 with [1, 0], and
    row 1 with [1, 1].
    """
    groups: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(present.any(axis=1)).tolist():
        groups.setdefault(present[row].tobytes(), []).append(row)
    return [(np.array(rows), present[rows[0]]) for rows in groups.values()]


@dataclass(frozen=True, eq=False)
class _PairTests:
    """Tests of P pairs of runs under one measure.

    pair_means    (2, P) means of the first and of the second run over the topics that both have
    p_values      (P,) before the correction; nan without a topic in common
    direction     (P,) 1 where the test speaks for the first run, -1 for the second, 0 for neither
    wins, losses  (P,) topics on which the first run is better, worse than the second
    """

    pair_means: FloatArray
    p_values: FloatArray
    direction: IntArray
    wins: IntArray
    losses: IntArray


def _test_pairs(
    scores: PairedScores,
    measure: int,
    first: IntArray,
    second: IntArray,
    pairs_by_topics: Sequence[SameTopics],
    settings: CompareSettings,
) -> _PairTests:
    """Return the tests of the first (P,) against the second runs (P,) of pairs, over their common topics."""
    values, sign = scores.values[measure], scores.sign(measure)
    num_pairs = len(first)
    tests = _PairTests(
        pair_means=np.full((2, num_pairs), np.nan),
        p_values=np.full(num_pairs, np.nan),
        direction=np.zeros(num_pairs, np.int64),
        wins=np.zeros(num_pairs, np.int64),
        losses=np.zeros(num_pairs, np.int64),
    )
    for pairs, topics in pairs_by_topics:
        factor = scores.factor(topics)
        values_of_first = np.ascontiguousarray(values[first[pairs]][:, topics]) * factor
        values_of_second = np.ascontiguousarray(values[second[pairs]][:, topics]) * factor
        tests.pair_means[0, pairs] = means_of(values_of_first)
        tests.pair_means[1, pairs] = means_of(values_of_second)
        gains = sign * (values_of_first - values_of_second)
        weights = None if scores.weights is None else scores.weights[topics] * factor
        test = with_weights(settings.test, weights)
        tests.p_values[pairs] = test.run(gains, settings.samples, settings.seed)
        tests.direction[pairs] = favoured(gains, settings.test)
        tests.wins[pairs], _, tests.losses[pairs] = wins_ties_losses(gains)
    return tests
