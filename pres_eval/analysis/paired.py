"""Scores of several runs on the same topics, side by side, and the runs that win topics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.reproducible import rounded
from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import MeasureError, NoCommonTopicError, UsageError, quoted
from pres_eval.measures.base import Format, Trait, mean
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import ScoredRun, Scoring


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Values of R runs under M measures on the same T topics.

    All fields are one record because every analysis takes it whole: the notes below a table (what was left
    out, weighed or lacking) come from the same object as its numbers.

    runs            R names
    measures        M labels
    topics          T ids, in byte order
    values          (M, R, T), 0 for a topic that a run lacks; multiplied by the topics' weights, if any
    means           (M, R), added up topic by topic as the evaluator does
    num_all_topics  how many topics the runs have in all, of which `topics` are used
    left_out        labels of columns that are not averages over topics
    falling         labels of measures of which a lower value is better
    bounded         labels of measures from 0 to 1
    lacking         runs of a file of scores that lack topics which others have: their names, and how many
                    topics they lack
    weights         (T,) of the topics, 1 on average; None: all weigh the same
    weightless      topics of weight 0, which are not among the topics
    relevance_level  the least grade of a relevant document; 1 for a file of scores, which does not name it
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[bytes, ...]
    values: FloatArray
    means: FloatArray
    num_all_topics: int
    left_out: tuple[str, ...] = ()
    falling: frozenset[str] = frozenset()
    bounded: frozenset[str] = frozenset()
    lacking: tuple[tuple[str, int], ...] = ()
    weights: FloatArray | None = None
    weightless: frozenset[bytes] = frozenset()
    relevance_level: float = 1

    def on_topics(self, rows: IntArray) -> PairedScores:
        """Return the scores on some of the topics, by their indices (n,); n is at least 1."""
        values = np.ascontiguousarray(self.values[:, :, rows])
        weights = None
        if self.weights is not None:
            factor = self.factor(rows)
            values, weights = values * factor, self.weights[rows] * factor
        topics = tuple(self.topics[row] for row in rows.tolist())
        return replace(self, topics=topics, values=values, means=means_of(values), weights=weights)

    def factor(self, rows: IntArray | BoolArray) -> float:
        """Return the factor that makes the weights of some topics 1 on average; nan if there is no topic.

        rows  (n,) indices of the topics, or (T,) whether the topic is one of them
        """
        if self.weights is None:
            return 1.0
        weights = self.weights[rows]
        if not len(weights):
            return np.nan
        return len(weights) / float(weights.sum())

    def of_measures(self, rows: Sequence[int], labels: Sequence[str]) -> PairedScores:
        """Return the scores under the measures of these rows, in this order, with these labels."""
        values, means = self.values[list(rows)], self.means[list(rows)]
        return replace(self, measures=tuple(labels), values=values, means=means)

    def sign(self, measure: int) -> int:
        """Return -1 if a lower value of the measure is better, else 1: values times this are gains."""
        return -1 if self.measures[measure] in self.falling else 1

    def gains(self) -> FloatArray:
        """Return the means (M, R) as gains: more is better."""
        return gains_of(self.measures, self.means, self.falling)

    def gain_values(self) -> FloatArray:
        """Return the values (M, R, T) as gains: more is better."""
        return gains_of(self.measures, self.values, self.falling)


def gains_of(measures: Sequence[str], values: FloatArray, falling: Collection[str]) -> FloatArray:
    """Return values (M, R) or (M, R, T) as gains: those of falling measures with the opposite sign."""
    gains = np.array(values, np.float64)
    for number, measure in enumerate(measures):
        if measure in falling:
            gains[number] *= -1
    return gains


def pair_topics(
    evaluations: Sequence[ScoredRun], runs: Sequence[str], judged_topics: Sequence[bytes] | None = None
) -> PairedScores:
    """Return the scores of evaluations of the same selection side by side, topic by topic.

    runs           names of the runs
    judged_topics  topics of the qrels, with -c: all of these count, with 0 where a run lacks one; None: the
                   topics are those that every run has
    Columns that are no means over topics are left out.  Raises NoCommonTopicError if no topic is left,
    MeasureError if no column is, or a value is not a number.
    """
    topics_of_runs = [set(evaluation.topics) for evaluation in evaluations]
    if judged_topics is not None:
        topics_of_runs = [set(judged_topics)]
    topics = tuple(sorted(set.intersection(*topics_of_runs)))
    if not topics:
        raise NoCommonTopicError("no topic that all the runs have: try -c, which counts missing topics as 0")
    columns = evaluations[0].columns
    averages = [column for column in columns if is_average(column)]
    if not averages:
        raise MeasureError(
            "none of the measures asked for (-m) is an average over topics, expected at least one"
        )
    labels = tuple(column.label for column in averages)
    values = _values_on(topics, evaluations, labels)
    _check_numbers(values, labels, runs, topics)
    return PairedScores(
        runs=tuple(runs),
        measures=labels,
        topics=topics,
        values=values,
        means=means_of(values),
        num_all_topics=len(set.union(*topics_of_runs)),
        left_out=tuple(column.label for column in columns if column.label not in labels),
        falling=frozenset(column.label for column in averages if column.measure.less_is_better),
        bounded=frozenset(column.label for column in averages if Trait.BOUNDED in column.measure.traits),
    )


def _values_on(
    topics: Sequence[bytes], evaluations: Sequence[ScoredRun], labels: Sequence[str]
) -> FloatArray:
    """Return values (M, R, T) by label, run and topic; 0 where a run lacks the topic."""
    values = np.zeros((len(labels), len(evaluations), len(topics)))
    for run, evaluation in enumerate(evaluations):
        _, source, target = np.intersect1d(evaluation.topics, topics, return_indices=True)
        for measure, label in enumerate(labels):
            values[measure, run, target] = evaluation.by_label(label)[source]
    return values


def pair_runs(
    relevance: Relevance,
    rankings: Sequence[Ranking],
    runs: Sequence[str],
    selection: Selection,
    options: Options,
    loop: Loop = in_turn,
) -> PairedScores:
    """Evaluate runs, and return their scores side by side: on common topics, with -c on all judged topics.

    runs  names of the runs
    loop  carries out the loop over the runs
    """
    scoring = Scoring(relevance=relevance, selection=selection, options=options)
    evaluations = evaluations_of(scoring, rankings, loop)
    return pair_topics(evaluations, runs, tuple(relevance.pool.topics) if options.complete else None)


def evaluations_of(scoring: Scoring, rankings: Sequence[Ranking], loop: Loop = in_turn) -> list[ScoredRun]:
    """Return the scores of each run; `loop` carries out the loop over the runs."""

    def scored(run: int) -> ScoredRun:
        """Return the scores of one run, without its columns.

        The loop may run in another process, and functions of measures cannot always be sent from there: the
        columns are put back below.
        """
        return scoring.evaluation(rankings[run], scoring.blocks(rankings[run])).with_column_records(())

    return [evaluation.with_column_records(scoring.selection) for evaluation in loop(scored, len(rankings))]


def pair_columns(
    evaluations: Sequence[ScoredRun],
    runs: Sequence[str],
    labels: Sequence[str],
    judged_topics: Sequence[bytes] | None = None,
    weights: Weights | None = None,
) -> PairedScores:
    """Return `pair_topics` of the columns with these labels, times the weights of topics."""
    chosen = []
    for evaluation in evaluations:
        columns = [evaluation.labels.index(label) for label in labels]
        chosen.append(evaluation.with_columns(columns))
    scores = pair_topics(chosen, runs, judged_topics)
    if weights is None:
        return scores
    return weighted(scores, weights)


def weighted(scores: PairedScores, weights: Weights) -> PairedScores:
    """Return the scores times weights of topics, scaled so that their means are the weighted means.

    Topics of weight 0 are left out: they count neither in means nor in tests.  Raises UsageError if all are.
    """
    weight_of_topic = np.array([weights.of[topic] for topic in scores.topics], np.float64)
    rows = np.flatnonzero(weight_of_topic)
    if not len(rows):
        raise UsageError("--weights: all topics that are compared weigh 0, expected one above 0")
    weightless = frozenset(scores.topics[row] for row in np.flatnonzero(weight_of_topic == 0).tolist())
    used = scores.on_topics(rows)
    factors = weight_of_topic[rows]
    factors = factors * len(factors) / factors.sum()
    values = used.values * factors
    return replace(used, values=values, means=means_of(values), weights=factors, weightless=weightless)


def topics_with_weights(topics_text: str, scores: PairedScores) -> str:
    """Return a text such as `50 topics`, with a note that they have weights, if so."""
    if scores.weights is None:
        return topics_text
    text = f"{topics_text}, with weights"
    if scores.weightless:
        count = len(scores.weightless)
        verbs = "weighs 0 and does" if count == 1 else "weigh 0 and do"
        text += f", {count} of which {verbs} not count"
    return text


SAME_DEPTH_RATIO = 1.1
"""Largest ratio of the documents that two runs retrieved for which their depths count as the same."""


def depth_warning(selection: Sequence[SelectedColumn], retrieved: Sequence[int]) -> str | None:
    """Return a warning of measures that reward retrieving less, if the runs differ in depth; else None.

    retrieved  number of documents that each run retrieved
    """
    labels = [column.label for column in selection if column.measure.rewards_giving_up]
    least, most = min(retrieved), max(retrieved)
    if not labels or most <= SAME_DEPTH_RATIO * least:
        return None
    return (
        f"{', '.join(labels)}: better for a run that retrieves less, and the runs retrieved {least} to {most}"
        " documents; compare runs of one depth (-M), or by another measure"
    )


def is_average(column: SelectedColumn) -> bool:
    """Return whether a column is a mean over topics of numbers with decimals."""
    return column.measure.summary is mean and column.measure.format is Format.FLOAT


def means_of(values: FloatArray) -> FloatArray:
    """Return (M, R) means of values (M, R, T), or (R,) of (R, T), added one after the other."""
    sums = np.add.accumulate(values, axis=-1)[..., -1]
    # Adding 0 makes 0 of -0, as in a loop that begins with 0.
    return np.asarray(sums / values.shape[-1] + 0.0, np.float64)


def with_measure_order(scores: PairedScores, labels: Sequence[str]) -> PairedScores:
    """Return the scores with measures in the order of the labels; measures without one of these come last.

    Labels that are no measure of the scores are ignored.
    """
    row_of_label = {label: row for row, label in enumerate(scores.measures)}
    named = [row_of_label[label] for label in labels if label in row_of_label]
    order = list(dict.fromkeys([*named, *row_of_label.values()]))
    return scores.of_measures(order, [scores.measures[number] for number in order])


def _check_numbers(
    values: FloatArray, labels: Sequence[str], runs: Sequence[str], topics: Sequence[bytes]
) -> None:
    """Raise MeasureError if one of the values (M, R, T) is no number."""
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        measure, run, topic = wrong[0]
        raise MeasureError(
            f"{labels[measure]} of run {runs[run]} is {values[measure, run, topic]} on topic "
            f"{quoted(topics[topic])}, expected a number: leave this measure out"
        )


@dataclass(frozen=True)
class TopicWinner:
    """The best run of a topic under one measure, and the next one.

    best, second  names of runs, of equal ones joined by commas; second is the best of the runs that are worse
                  than the best, empty if all runs are equal
    value, second_value  their scores; the same if all runs are equal
    difference    value minus second_value, 0 if all runs are equal
    """

    measure: str
    topic: str
    best: str
    value: float
    second: str
    second_value: float
    difference: float


BY_DIFFERENCE, BY_TOPIC, BY_BEST = "difference", "topic", "best"
ORDERS = (BY_DIFFERENCE, BY_TOPIC, BY_BEST)
"""Ways to sort winners: largest differences first, by topic, or by the best run."""


def topic_winners(scores: PairedScores, order: str = BY_DIFFERENCE) -> Iterator[TopicWinner]:
    """Yield the winners of each topic (M · T), sorted within each measure by one of ORDERS.

    Values that agree to 12 digits are equal.
    """
    for measure, label in enumerate(scores.measures):
        gains = rounded(scores.gain_values()[measure])
        winners = []
        for topic in range(len(scores.topics)):
            winners.append(_winner(scores, label, measure, topic, gains[:, topic]))
        if order == BY_BEST:
            winners.sort(key=lambda winner: (winner.best, -abs(winner.difference)))
        elif order == BY_DIFFERENCE:
            winners.sort(key=lambda winner: -abs(winner.difference))
        yield from winners


def wins_of_runs(scores: PairedScores) -> list[list[tuple[int, int]]]:
    """Return for each run and measure (R, M) how many topics it wins alone, and how many with other runs.

    No run wins a topic on which all runs are equal.
    """
    wins_of_measures = []
    for gains_of_measure in scores.gain_values():
        gains = rounded(gains_of_measure)
        is_best = gains == gains.max(axis=0)
        all_equal = is_best.all(axis=0)
        is_winner = is_best & ~all_equal
        alone = is_winner & (is_best.sum(axis=0) == 1)
        shared = is_winner & ~alone
        wins = zip(alone.sum(axis=1).tolist(), shared.sum(axis=1).tolist(), strict=True)
        wins_of_measures.append(list(wins))
    return [list(wins_of_run) for wins_of_run in zip(*wins_of_measures, strict=True)]


def _winner(scores: PairedScores, label: str, measure: int, topic: int, gains: FloatArray) -> TopicWinner:
    """Return the winner of a topic from the runs' rounded gains (R,) on it; measure and topic are indices."""
    values = scores.values[measure, :, topic]
    is_best = gains == gains.max()
    is_second = np.zeros(len(gains), np.bool_)
    if not is_best.all():
        is_second = gains == gains[~is_best].max()
    value = second_value = float(values[np.argmax(is_best)])
    if is_second.any():
        second_value = float(values[np.argmax(is_second)])
    return TopicWinner(
        measure=label,
        topic=scores.topics[topic].decode("utf-8", "replace"),
        best=_names(scores, is_best),
        value=value,
        second=_names(scores, is_second),
        second_value=second_value,
        difference=value - second_value,
    )


def _names(scores: PairedScores, chosen: BoolArray) -> str:
    """Return the names of the runs that are chosen (R,), as `first, second`."""
    return ", ".join(scores.runs[run] for run in np.flatnonzero(chosen).tolist())
