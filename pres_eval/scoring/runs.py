"""A ranked run to all of its numbers: for each topic, over all of them, and over groups of topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.batches.forming import form
from pres_eval.batches.plain import plain_topics
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import NoCommonTopicError, plural, quoted
from pres_eval.measures.base import Totals
from pres_eval.measures.selection import Selection
from pres_eval.options import AS_ZERO, EXPECTED_VALUES, ONE, Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance
from pres_eval.records import dataclass
from pres_eval.scoring.columns import score_blocks, values_of_topics
from pres_eval.scoring.summing import CountedJudgements, ScoredBlock, Summing, Values, joined

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Groups, Weights
    from pres_eval.reading.zscores import ZScores

HIGHEST_FINITE_EXPONENT = 1023
"""The highest e for which the double 2.0**e is finite."""


@dataclass(frozen=True, eq=False)
class ScoredRun(ScoredBlock):
    """All numbers of one run.

    topics       T topics that were scored, in byte order
    values       for each column (T,) values, or T texts
    path, tag    the run file, and the tag of its last line
    columns      the records of the columns: measure, arguments, label
    summary      for each column its value over all topics, None where the measure has none
    totals       how many topics were scored and averaged over
    groups       by name of a group of topics (--groups) the numbers of the run over its topics; a group
                 without scored topics has none
    """

    path: str
    tag: str
    columns: Selection
    summary: tuple[float | str | None, ...]
    totals: Totals
    groups: dict[str, ScoredRun] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The labels of the columns."""
        return [column.label for column in self.columns]

    def by_label(self, label: str) -> FloatArray:
        """Return (T,) the per-topic values of a numeric column."""
        for column, values in zip(self.columns, self.values, strict=True):
            if column.label == label and not isinstance(values, list):
                return values
        raise KeyError(label)

    def with_columns(self, numbers: Sequence[int]) -> ScoredRun:
        """Return the scores with only the columns of these numbers, counted from 0, in this order."""
        groups = {name: group.with_columns(numbers) for name, group in self.groups.items()}
        return replace(
            self,
            columns=tuple(self.columns[number] for number in numbers),
            values=tuple(self.values[number] for number in numbers),
            summary=tuple(self.summary[number] for number in numbers),
            groups=groups,
        )

    def with_column_records(self, columns: Selection) -> ScoredRun:
        """Return the same numbers with `columns` in place of the records that describe their columns.

        Another process sends the numbers without records: functions of measures cannot always be sent.
        """
        groups = {name: group.with_column_records(columns) for name, group in self.groups.items()}
        return replace(self, columns=columns, groups=groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scoring:
    """Judgements, columns and options that runs are scored with.

    zscores  means and standard deviations that turn values into Z-scores; None: values stay as they are
    groups   groups of topics that a run also has means over; None: no groups
    weights  a weight for every topic of the judgements; None: all weigh the same
    is_part  whether runs are parts of a longer one, which need no topic with a weight
    """

    relevance: Relevance
    selection: Selection
    options: Options
    zscores: ZScores | None = None
    groups: Groups | None = None
    weights: Weights | None = None
    is_part: bool = False

    def blocks(self, ranking: Ranking, loop: Loop = in_turn) -> Iterator[ScoredBlock]:
        """Return the topics of a run with their values, some topics at a time.

        loop  scores one batch of topics after the other (`in_turn`), or several at once in threads
        Raises NoCommonTopicError if there is none, or none with a weight, so that the run has no means.
        """
        if self.weights is not None and not self.options.complete and not self.is_part:
            self._check_weights(ranking, self.weights)
        block_of_small_run = self._scored_plainly(ranking)
        if block_of_small_run is not None:
            return iter([block_of_small_run])
        # Values of topics without relevant documents; the other rules of --empty give none.
        value_of_rule = {AS_ZERO: 0.0, ONE: 1.0}
        return score_blocks(
            form(self.relevance, ranking, self.options),
            self.selection,
            self.zscores,
            loop,
            value_of_empty=value_of_rule.get(self.options.empty),
            expected_in_ties=self.options.ties == EXPECTED_VALUES,
        )

    def _scored_plainly(self, ranking: Ranking) -> ScoredBlock | None:
        """Return the values of a small run, computed topic by topic without numpy: same bits, less time.

        None for other runs, and where no column has a plain function (`Measure.plain`).
        """
        if not isinstance(self.relevance, QrelsJudgements) or self.zscores is not None:
            return None
        plain_functions = [column.plain for column in self.selection]
        if not any(plain_functions):
            return None
        # A run that was ranked for another version or format of judgements: `form` reports the options.
        if not ranking.single_precision or ranking.ascending:
            return None
        topics = plain_topics(self.relevance, ranking, self.options)
        if topics is None:
            return None
        columns = list(zip(self.selection, plain_functions, strict=True))
        others = tuple([column for column, function in columns if function is None])
        values_of_others: Iterator[Values] = iter(())
        if others:
            values_of_others = iter(values_of_topics(topics, others))
        values: list[Values] = []
        for column, function in columns:
            if function is None:
                values.append(next(values_of_others))
            else:
                values.append(np.array([function(topic, *column.arguments) for topic in topics], np.float64))
        return ScoredBlock(tuple([topic.judged.topic for topic in topics]), tuple(values))

    def _check_weights(self, ranking: Ranking, weights: Weights) -> None:
        """Raise NoCommonTopicError if all topics of the run weigh 0."""
        topics = self.relevance.pool.topics.take(ranking.topic)
        if len(topics) and not any(weights.of[topic] for topic in topics):
            raise NoCommonTopicError(
                f"{weights.path}: found the weight 0 for all topics of the run ({plural(len(topics))}),"
                " so that it has no means; expected one above 0, or -c to count the judged topics that"
                " the run lacks"
            )

    def evaluation(self, ranking: Ranking, blocks: Iterable[ScoredBlock]) -> ScoredRun:
        """Return all numbers of one run from its scored topics: one block of them or more."""
        scored = joined(blocks)
        run = self._over_topics(ranking, scored)
        if self.groups is None:
            return run
        groups = {}
        for name, topics in self.groups.topics.items():
            group = self._over_topics(ranking, scored.over(topics), topics)
            # A group without topics, or whose topics all weigh 0, has no mean.
            if group.totals.num_topics and group.totals.weight != 0:
                groups[name] = group
        return replace(run, groups=groups)

    @cached_property
    def _judged_topics(self) -> CountedJudgements:
        """The topics of the judgements, counted once for all groups."""
        return CountedJudgements(self.relevance)

    def _over_topics(
        self, ranking: Ranking, block: ScoredBlock, group: frozenset[bytes] | None = None
    ) -> ScoredRun:
        """Return all numbers of a run over the scored topics of the block.

        group  all topics of the group whose scored topics the block has; None: the block has the whole run
        """
        summing = Summing(self.selection, self.weights)
        summing.add(block)
        totals = summing.totals(self._judged_topics, self.options.complete, group)
        return ScoredRun(
            path=ranking.name,
            tag=ranking.tag,
            topics=block.topics,
            columns=self.selection,
            values=block.values,
            summary=summing.summary(totals, ranking.tag),
            totals=totals,
        )


def warning_of_infinite_gains(selection: Selection, relevance: Relevance) -> str | None:
    """Return the warning about a grade whose gain 2^grade - 1 is infinite, None if dcg_exp_cut meets none."""
    has_exponential_gains = any(column.measure.name == "dcg_exp_cut" for column in selection)
    if not has_exponential_gains or not isinstance(relevance, QrelsJudgements) or not len(relevance.grade):
        return None
    row = int(np.argmax(relevance.grade))  # the highest grade
    grade = int(relevance.grade[row])
    if grade <= HIGHEST_FINITE_EXPONENT:
        return None
    pool = relevance.pool
    topic = pool.topics[int(np.searchsorted(pool.offsets, row, "right")) - 1]
    return (
        f"{relevance.name}: found grade {grade} of topic {quoted(topic)}: dcg_exp_cut, whose gains are"
        " 2^grade - 1, is inf where it is retrieved; ndcg_exp_cut is defined for all grades"
    )


def evaluate(
    relevance: Relevance,
    ranking: Ranking,
    selection: Selection,
    options: Options,
    zscores: ZScores | None = None,
) -> ScoredRun:
    """Return all numbers of one run.

    Raises NoCommonTopicError if no topic is in both files, MeasureError if a measure lacks what it needs.
    """
    scoring = Scoring(relevance=relevance, selection=selection, options=options, zscores=zscores)
    return scoring.evaluation(ranking, scoring.blocks(ranking))
