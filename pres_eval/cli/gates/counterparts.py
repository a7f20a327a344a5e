"""Counterparts: a run now and the same run earlier, and their values over the topics of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.measures.base import mean
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.report.groups import group_label
from pres_eval.report.records import RunRecord
from pres_eval.scoring import ScoredRun

AGAINST = "--against"
"""The gate of differences between earlier and present numbers."""


@dataclass(frozen=True, eq=False)
class Counterparts:
    """A run now and the same run earlier, which are compared over the topics of both.

    Arrays (T,) below have a value for each of `topics`.

    weights   weights of topics, None if all weigh the same
    of_group  whether the runs have the topics of a group alone, over which they have no averages yet
    """

    now: RunRecord
    before: RunRecord
    weights: Weights | None = None
    of_group: bool = False

    @cached_property
    def topics(self) -> tuple[bytes, ...]:
        """The T topics that are compared, in byte order: those of both averages, without `new_topics`."""
        in_both = _averaged_topics(self.now) & _averaged_topics(self.before)
        return tuple(sorted(in_both.difference(self.new_topics)))

    @property
    def lost_topics(self) -> list[bytes]:
        """The topics that were evaluated earlier and are not now."""
        evaluated_now = set(self.now.evaluation.topics)
        return sorted(set(self.before.evaluation.topics) - evaluated_now)

    @cached_property
    def new_topics(self) -> list[bytes]:
        """The topics that are new in the present run, in byte order.

        Either the earlier average is not over them, or it counts them as 0 (-c): the earlier run lacked them.
        """
        no_longer_missing = set(self.before.missing).intersection(self.now.evaluation.topics)
        newly_averaged = _averaged_topics(self.now) - _averaged_topics(self.before)
        return sorted(newly_averaged | no_longer_missing)

    @cached_property
    def same_topics(self) -> bool:
        """Whether both averages are over the same topics."""
        if self.new_topics:
            return False
        return _averaged_topics(self.now) == _averaged_topics(self.before)

    def values(self, evaluation: ScoredRun, column_index: int) -> FloatArray:
        """Return the values (T,) of a column on `topics`; 0 for a topic that the evaluation lacks."""
        values = np.asarray(evaluation.values[column_index], np.float64)
        if evaluation.topics == self.topics:
            return values
        value_of_topic = dict(zip(evaluation.topics, values.tolist(), strict=True))
        return np.array([value_of_topic.get(topic, 0.0) for topic in self.topics], np.float64)

    def summary(self, evaluation: ScoredRun, column_index: int) -> float:
        """Return the value of a column over `topics` (weighted, if a mean); nan if it has no such number.

        If the evaluation is averaged over `topics`, this is the evaluation's own value.
        """
        summarise = evaluation.columns[column_index].measure.summary
        value = evaluation.summary[column_index]
        if value is None or isinstance(value, str) or summarise is None:
            return float("nan")
        if self.same_topics and not self.of_group:
            return value
        values = self.values(evaluation, column_index)
        total_weight = None
        if self.weights is not None:
            topic_weights = self._topic_weights(self.weights)
            total_weight = float(topic_weights.sum())
            if summarise is mean:  # sums, counts and geometric means are without weights
                values = np.where(topic_weights == 0, 0.0, values) * topic_weights
        totals = replace(
            evaluation.totals,
            num_scored=len(set(self.topics) & set(evaluation.topics)),
            num_topics=len(self.topics),
            weight=total_weight,
        )
        total = float(np.add.accumulate(values)[-1])  # one after the other, as all sums of values are
        return summarise(total, totals)

    def weighted(self, values: FloatArray) -> FloatArray:
        """Return values (T,) times the weights of their topics, so that their mean is the weighted mean.

        Topics of weight 0 are left out: they count neither in means nor in tests.  Without weights the
        values are returned as they are.
        """
        if self.weights is None:
            return values
        has_weight = self._topic_weights(self.weights) > 0
        return np.asarray(values[has_weight] * self._scaled_weights(self.weights), np.float64)

    def weights_for_tests(self) -> FloatArray | None:
        """Return the weights (n,) of the topics that `weighted` keeps, 1 on average; None without weights."""
        if self.weights is None:
            return None
        return self._scaled_weights(self.weights)

    def _scaled_weights(self, weights: Weights) -> FloatArray:
        """Return the weights (n,) above 0 of `topics`, scaled so that their mean is 1."""
        topic_weights = self._topic_weights(weights)
        positive = topic_weights[topic_weights > 0]
        return np.asarray(positive * len(positive) / positive.sum(), np.float64)

    def _topic_weights(self, weights: Weights) -> FloatArray:
        """Return the weights (T,) of `topics`, 0 for a topic without one."""
        return np.array([weights.of.get(topic, 0.0) for topic in self.topics], np.float64)


def over_groups(counterparts: Counterparts, groups: Groups | None) -> Iterator[Counterparts]:
    """Yield the two runs over the topics of each group, with the group in the labels of their columns.

    A group whose topics all weigh 0 has no mean, and is left out, as in tables.
    """
    if groups is None:
        return
    weights = counterparts.weights
    for name, topics in groups.topics.items():
        if weights is not None and not any(weights.of.get(topic, 0.0) for topic in topics):
            continue
        yield replace(
            counterparts,
            now=_over_group(counterparts.now, name, topics),
            before=_over_group(counterparts.before, name, topics),
            of_group=True,
        )


def _over_group(run: RunRecord, name: str, topics: frozenset[bytes]) -> RunRecord:
    """Return a run with the topics of a group alone.

    Its averages stay those over all topics: `Counterparts.summary` computes those over the group.
    """
    whole = run.evaluation
    block = whole.over(topics)
    columns = [replace(column, label=group_label(column.label, name)) for column in whole.columns]
    evaluation = replace(whole, topics=block.topics, values=block.values, columns=tuple(columns), groups={})
    missing = tuple(topic for topic in run.missing if topic in topics)
    return replace(run, evaluation=evaluation, missing=missing)


def _averaged_topics(run: RunRecord) -> set[bytes]:
    """Return the topics that the run's averages are over: with -c also those that it lacks."""
    topics = set(run.evaluation.topics)
    if run.evaluation.totals.complete:
        topics.update(run.missing)
    return topics
