"""Means that many judgements of a machine give, corrected by the few topics that people judged too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.corrections import holm
from pres_eval.analysis.distributions import t_quantile
from pres_eval.analysis.estimates import Ends
from pres_eval.analysis.group_favour import Favour, favour_of, with_corrected
from pres_eval.analysis.paired import PairedScores, gains_of
from pres_eval.analysis.reproducible import DECIMALS, RandomStream
from pres_eval.analysis.significance import paired_t, t_of_means
from pres_eval.arrays import FloatArray, IntArray, absent, divide
from pres_eval.errors import NoCommonTopicError, plural

MORE_TOPICS = (10, 20, 50, 100)
"""Numbers of further topics for which the gain from judging them is reported."""

FEWEST_OTHERS = 2
"""Topics of the machine alone from which on they are used: the variance of fewer is not known."""


@dataclass(frozen=True, eq=False)
class Powered:
    """Corrected means of K runs, or differences of K pairs of runs: people judged n topics, the machine all.

    mean, error  (K,) the mean and its standard error; an error of 0: the topics have equal values
    weight       (K,) λ, how much of the machine's values is used
    """

    mean: FloatArray
    error: FloatArray
    weight: FloatArray

    def ends(self, alpha: float, topics: int) -> Ends:
        """Return the ends (K,) of t intervals with topics - 1 degrees of freedom; nan if the error is 0."""
        half_widths = t_quantile(alpha, topics - 1) * np.where(self.error > 0, self.error, np.nan)
        return self.mean - half_widths, self.mean + half_widths


def best_weights(
    people: FloatArray, machine: FloatArray, rest: FloatArray, n: int, others: int
) -> FloatArray:
    """Return the λ (K,) with the smallest error, 0 to 1, see `powered_means`.

    people, machine, rest  as there: the values from which variances are estimated
    n, others              n and N: topics that people judged too, and topics that only the machine judged;
                           with fewer than FEWEST_OTHERS of these λ is 0
    """
    if others < FEWEST_OTHERS:
        return np.zeros(len(people))
    people_deviations = people - people.mean(axis=1, keepdims=True)
    machine_deviations = machine - machine.mean(axis=1, keepdims=True)
    covariance = (people_deviations * machine_deviations).mean(axis=1)
    machine_variance = np.concatenate((machine, rest), axis=1).var(axis=1, ddof=1)
    return np.clip(divide(covariance, (1 + n / others) * machine_variance), 0.0, 1.0)


def standard_errors(
    people: FloatArray, machine: FloatArray, rest: FloatArray, n: int, others: int
) -> FloatArray:
    """Return the standard errors (K,) of `powered_means` for numbers of topics, with the λ that suit these.

    people, machine, rest  as there: the values from which variances are estimated
    n, others              n and N: topics that people would judge too, and those that only the machine would
    """
    weight = best_weights(people, machine, rest, n, others)
    squared_error = (people - weight[:, np.newaxis] * machine).var(axis=1, ddof=1) / n
    if others >= FEWEST_OTHERS:
        squared_error = squared_error + weight**2 * rest.var(axis=1, ddof=1) / others
    # Equal values can leave a small rounding error instead of 0.
    has_error = np.round(squared_error, 2 * DECIMALS) != 0
    return np.where(has_error, np.sqrt(squared_error), 0.0)


def powered_means(people: FloatArray, machine: FloatArray, rest: FloatArray) -> Powered:
    """Estimate means over topics by prediction-powered inference, K rows at once.

    people   (K, n) values by people's judgements; n must be at least 2
    machine  (K, n) values by the machine's judgements of the same topics
    rest     (K, N) values by the machine's judgements of all other topics
    Formula:
      θ = λ mean(rest) + mean(people - λ machine)
      λ = cov(people, machine) / ((1 + n/N) var(machine on all topics)), cut to 0 … 1
      error² = var(people - λ machine) / n + λ² var(rest) / N
      var of m values divides by m - 1, cov by n, as in the authors' program ppi_py
    With fewer than FEWEST_OTHERS other topics θ is the mean of people's values.
    Source: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, Science 382, 2023, doi:10.1126/science.adi6000;
      Angelopoulos, Duchi & Zrnic, "PPI++", 2023, arXiv:2311.01453; for measures of retrieval Oosterhuis,
      Jagerman, Qin, Wang & Bendersky, SIGIR 2024, arXiv:2407.02464.
    """
    n, others = people.shape[1], rest.shape[1]
    weight = best_weights(people, machine, rest, n, others)
    mean = (people - weight[:, np.newaxis] * machine).mean(axis=1)
    if others >= FEWEST_OTHERS:
        mean = mean + weight * rest.mean(axis=1)
    return Powered(mean=mean, error=standard_errors(people, machine, rest, n, others), weight=weight)


@dataclass(frozen=True, eq=False)
class TwoJudges:
    """Scores of the same runs: by people on n topics, by a machine on these and on N others.

    people, machine  scores on the n topics, of M measures and R runs
    other_topics     ids of the N other topics
    others           (M, R, N) scores on the other topics, by the machine
    """

    people: PairedScores
    machine: PairedScores
    other_topics: tuple[bytes, ...]
    others: FloatArray

    @classmethod
    def from_scores(cls, people: PairedScores, machine: PairedScores) -> TwoJudges:
        """Return the scores by people, and the machine's on people's topics and on its other topics.

        Raises NoCommonTopicError if fewer than two topics have judgements of both.
        """
        _, people_rows, machine_rows = np.intersect1d(people.topics, machine.topics, return_indices=True)
        if len(machine_rows) < 2:
            raise NoCommonTopicError(
                f"--correct: judgements of both for {plural(len(machine_rows))}, expected at least 2"
                " (and 20 are few)"
            )
        rest = absent(machine_rows, len(machine.topics))
        return cls(
            people=people.on_topics(people_rows),
            machine=machine.on_topics(machine_rows),
            other_topics=tuple(machine.topics[row] for row in rest.tolist()),
            others=machine.values[:, :, rest],
        )

    def values(self, measure: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return people's values (R, n), the machine's on the same topics (R, n) and on the others (R, N)."""
        return self.people.values[measure], self.machine.values[measure], self.others[measure]

    def differences(
        self, measure: int, first: IntArray, second: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the same of P pairs of runs: values of the first run minus those of the second.

        first, second  (P,) indices of the runs of each pair
        """
        people, machine, others = self.values(measure)
        return (
            people[first] - people[second],
            machine[first] - machine[second],
            others[first] - others[second],
        )


@dataclass(frozen=True)
class CorrectedMean:
    """A run's mean by people's judgements, by the machine's on all topics, and corrected.

    lower, upper  the interval of the corrected mean
    weight        λ, how much of the machine's judgements is used
    people_lower, people_upper  the interval from people's judgements alone
    """

    measure: str
    run: str
    people: float
    machine: float
    corrected: float
    lower: float
    upper: float
    weight: float
    people_lower: float
    people_upper: float


def corrected_means(judges: TwoJudges, alpha: float = 0.05) -> Iterator[CorrectedMean]:
    """Yield one row for each measure and run.

    Each interval, of the t distribution, misses with probability `alpha`.  If a measure lies between 0 and 1,
    so do its means and intervals.
    """
    for number, measure in enumerate(judges.people.measures):
        people, machine, others = judges.values(number)
        topics = people.shape[1]
        powered = powered_means(people, machine, others)
        alone = powered_means(people, machine, others[:, :0])
        columns = np.array([powered.mean, *powered.ends(alpha, topics), *alone.ends(alpha, topics)])
        if measure in judges.people.bounded:
            columns = columns.clip(0.0, 1.0)
        corrected, lower, upper, people_lower, people_upper = columns.tolist()
        machine_mean = np.concatenate((machine, others), axis=1).mean(axis=1)
        for row, run in enumerate(judges.people.runs):
            yield CorrectedMean(
                measure=measure,
                run=run,
                people=float(alone.mean[row]),
                machine=float(machine_mean[row]),
                corrected=corrected[row],
                lower=lower[row],
                upper=upper[row],
                weight=float(powered.weight[row]),
                people_lower=people_lower[row],
                people_upper=people_upper[row],
            )


@dataclass(frozen=True)
class CorrectedDifference:
    """The corrected difference of two runs' means, run minus against.

    machine       the difference by the machine on all topics
    lower, upper  the interval of the corrected difference
    p_value       of a t-test that there is no difference
    p_holm        p_value after Holm's correction
    """

    measure: str
    run: str
    against: str
    machine: float
    corrected: float
    lower: float
    upper: float
    p_value: float
    p_holm: float = np.nan


def corrected_differences(judges: TwoJudges, alpha: float = 0.05) -> list[CorrectedDifference]:
    """Return every pair of runs under every measure, within a measure by p-value.

    alpha  probability with which each interval misses
    Holm's correction is for all pairs and measures together.
    """
    first, second = np.triu_indices(len(judges.people.runs), 1)
    rows: list[CorrectedDifference] = []
    for number, measure in enumerate(judges.people.measures):
        people, machine, others = judges.differences(number, first, second)
        powered = powered_means(people, machine, others)
        machine_means = np.concatenate((machine, others), axis=1).mean(axis=1)
        topics = len(judges.people.topics)
        p_values = t_of_means(powered.mean, powered.error, topics)
        lower, upper = powered.ends(alpha, topics)
        differences = []
        for pair in range(len(first)):
            differences.append(
                CorrectedDifference(
                    measure=measure,
                    run=judges.people.runs[first[pair]],
                    against=judges.people.runs[second[pair]],
                    machine=float(machine_means[pair]),
                    corrected=float(powered.mean[pair]),
                    lower=float(lower[pair]),
                    upper=float(upper[pair]),
                    p_value=float(p_values[pair]),
                )
            )
        rows += sorted(differences, key=lambda pair: (math.isnan(pair.p_value), pair.p_value))
    corrected = holm(np.array([row.p_value for row in rows], np.float64)).tolist()
    return [replace(row, p_holm=p) for row, p in zip(rows, corrected, strict=True)]


def more_topics(judges: TwoJudges, alpha: float = 0.05) -> Iterator[tuple[str, int, float, float]]:
    """Yield for each measure the expected gain from more topics, averaged over runs and pairs of runs.

    For each number of judged topics (today's; with each of MORE_TOPICS that is fewer than all others; with
    all others) it yields the measure, that number, half the width of intervals of means, and of differences.
    Runs and pairs without an interval today are left out; nan if none has one.
    """
    judged, rest = len(judges.people.topics), len(judges.other_topics)
    first, second = np.triu_indices(len(judges.people.runs), 1)
    steps = [0]
    steps += [more for more in MORE_TOPICS if more < rest]
    if rest:
        steps.append(rest)
    for number, measure in enumerate(judges.people.measures):
        values, differences = judges.values(number), judges.differences(number, first, second)
        for more in steps:
            n, others = judged + more, rest - more
            quantile = t_quantile(alpha, n - 1)
            mean_width = quantile * _mean_error(*values, n, others)
            difference_width = quantile * _mean_error(*differences, n, others)
            yield measure, n, mean_width, difference_width


def _mean_error(people: FloatArray, machine: FloatArray, rest: FloatArray, n: int, others: int) -> float:
    """Return the mean of `standard_errors` (K,) over rows with an interval today; nan if none has one."""
    todays_errors = standard_errors(people, machine, rest, people.shape[1], rest.shape[1])
    errors = standard_errors(people, machine, rest, n, others)[todays_errors > 0]
    if not len(errors):
        return math.nan
    return float(errors.mean())


def topics_to_judge(judges: TwoJudges, seed: int = 0) -> list[bytes]:
    """Return the topics that people have not judged, in random order: intervals need random topics."""
    topics = judges.other_topics
    if not topics:
        return []
    [order] = RandomStream(seed).orders(1, len(topics)).tolist()
    return [topics[row] for row in order]


def favoured_groups(
    judges: TwoJudges, groups: Mapping[str, Sequence[int]], alpha: float = 0.05
) -> list[Favour]:
    """Return the groups of runs that gain significantly more by the machine's judgements than worse runs do.

    groups  indices of each group's runs, by its name
    alpha   level of significance of the tests, after Holm's correction for all groups and measures

    A strict judge takes more from good runs than from poor ones, and a lenient one can give them less, so
    that the worst run seems to gain from every fair judge.  A group is therefore compared with the other runs
    that are worse by people's judgements; one that is the worst of all is not tested.  Changes of measures of
    which less is better have the opposite sign here, so that a gain is always above 0.
    """
    favours = []
    for number, measure in enumerate(judges.people.measures):
        people, machine, _ = judges.values(number)
        sign = judges.people.sign(number)
        quality = sign * people.mean(axis=1)
        gains = sign * (machine - people)
        for group, members in groups.items():
            inside = np.isin(np.arange(len(people)), members)
            worse = ~inside & (quality < quality[inside].mean())
            if worse.any():
                favours.append(favour_of(measure, group, gains, inside, worse))
    corrected = with_corrected(favours)
    return [favour for favour in corrected if favour.corrected < alpha and favour.difference > 0]


def turned_round(judges: TwoJudges, alpha: float = 0.05) -> Iterator[tuple[str, str, str, float, float]]:
    """Yield the pairs of runs whose order is significant by both judges, and opposite.

    For each: the measure, the run that is better by people's judgements, the other run, by how much the first
    is better by people's judgements, and by how much the other is better by the machine's.

    The tests are paired t-tests, over people's topics and over all of the machine's, with Holm's correction
    for all pairs and measures.
    """
    first, second = np.triu_indices(len(judges.people.runs), 1)
    machine_values = np.concatenate((judges.machine.values, judges.others), axis=2)
    means, significant = [], []
    for values in (judges.people.values, machine_values):
        differences = values[:, first] - values[:, second]
        gains = gains_of(judges.people.measures, differences, judges.people.falling)
        corrected = holm(paired_t(gains.reshape(-1, gains.shape[2])))
        means.append(gains.mean(axis=2))
        significant.append(np.nan_to_num(corrected, nan=1.0).reshape(means[-1].shape) < alpha)
    opposite = means[0] * means[1] < 0
    for measure, pair in np.argwhere(significant[0] & significant[1] & opposite):
        by_people, by_machine = float(means[0][measure, pair]), float(means[1][measure, pair])
        names = judges.people.runs[first[pair]], judges.people.runs[second[pair]]
        better, worse = names if by_people > 0 else names[::-1]
        yield judges.people.measures[measure], better, worse, abs(by_people), abs(by_machine)
