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
from pres_eval.errors import NoCommonTopicError, quoted
from pres_eval.measures.base import Totals
from pres_eval.measures.selection import SelectedColumn, Selection
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
"""The highest power of two that is a double."""


@dataclass(frozen=True, eq=False)
class ScoredRun(ScoredBlock):
    """All numbers of one run.

    topics       T topics that were scored, in byte order
    values       for each column (T,) values, or T texts
    path, tag    the run file, and the tag of its last line
    columns      the selection
    summary      for each column its value over all topics, None where the measure has none
    totals       how many topics were scored and averaged over
    groups       the numbers of the run over each group of topics that has some, by its name
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
        return replace(
            self,
            columns=tuple(self.columns[number] for number in numbers),
            values=tuple(self.values[number] for number in numbers),
            summary=tuple(self.summary[number] for number in numbers),
            groups={name: group.with_columns(numbers) for name, group in self.groups.items()},
        )

    def under(self, columns: Selection) -> ScoredRun:
        """Return the scores with other records of their columns."""
        groups = {name: group.under(columns) for name, group in self.groups.items()}
        return replace(self, columns=columns, groups=groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scoring:
    """Judgements, columns and options that runs are scored with.

    groups, weights  of topics, None where there are none; every topic of the judgements has a weight
    """

    relevance: Relevance
    selection: Selection
    options: Options
    zscores: ZScores | None = None
    groups: Groups | None = None
    weights: Weights | None = None

    def blocks(self, ranking: Ranking, loop: Loop = in_turn) -> Iterator[ScoredBlock]:
        """Return the topics of a run, scored, some at a time.

        loop  carries out the loop over some topics
        Raises NoCommonTopicError if there is none, or none with a weight, so that the run has no means.
        """
        self._check_weights(ranking)
        few = self._few_topics(ranking)
        if few is not None:
            return iter([few])
        value_of_rule = {AS_ZERO: 0.0, ONE: 1.0}  # the other rules of --empty give no value
        return score_blocks(
            form(self.relevance, ranking, self.options),
            self.selection,
            self.zscores,
            loop,
            value_of_empty=value_of_rule.get(self.options.empty),
            expected_in_ties=self.options.ties == EXPECTED_VALUES,
        )

    def _few_topics(self, ranking: Ranking) -> ScoredBlock | None:
        """Return the topics of a small run, scored by plain functions: the same bits in less time.

        None for other runs, and where no column has a plain function.
        """
        if not isinstance(self.relevance, QrelsJudgements) or self.zscores is not None:
            return None
        functions = [column.plain for column in self.selection]
        if not any(functions) or not ranking.single_precision or ranking.ascending:
            return None
        topics = plain_topics(self.relevance, ranking, self.options)
        if topics is None:
            return None
        others: list[SelectedColumn] = []
        if not all(functions):
            others = [column for column in self.selection if column.plain is None]
        values_of_others = iter(values_of_topics(topics, tuple(others)))
        values: list[Values] = []
        for column, function in zip(self.selection, functions, strict=True):
            if function is None:
                values.append(next(values_of_others))
            else:
                values.append(np.array([function(topic, *column.arguments) for topic in topics], np.float64))
        return ScoredBlock(tuple([topic.judged.topic for topic in topics]), tuple(values))

    def _check_weights(self, ranking: Ranking) -> None:
        """Raise NoCommonTopicError if all topics of the run weigh 0 and -c adds no others."""
        if self.weights is None or self.options.complete:
            return
        topics = self.relevance.pool.topics.take(ranking.topic)
        if len(topics) and not any(self.weights.of[topic] for topic in topics):
            raise NoCommonTopicError(
                f"{self.weights.path}: found the weight 0 for all {len(topics)} topics of the run, so"
                " that it has no means; expected one above 0, or -c to count the judged topics that the"
                " run lacks"
            )

    def evaluation(self, ranking: Ranking, blocks: Iterable[ScoredBlock]) -> ScoredRun:
        """Return all numbers of one run whose topics were scored, which are at least one."""
        scored = joined(blocks)
        run = self._over(ranking, scored)
        if self.groups is None:
            return run
        groups = {}
        for name, topics in self.groups.topics.items():
            group = self._over(ranking, scored.over(topics), topics)
            # A group without topics, or whose topics all weigh 0, has no mean.
            if group.totals.num_topics and group.totals.weight != 0:
                groups[name] = group
        return replace(run, groups=groups)

    @cached_property
    def _judged_topics(self) -> CountedJudgements:
        """The topics of the judgements, counted once for all groups."""
        return CountedJudgements(self.relevance)

    def _over(
        self, ranking: Ranking, block: ScoredBlock, topics: frozenset[bytes] | None = None
    ) -> ScoredRun:
        """Return all numbers over scored topics; `topics`: those of the group that they are, None: all."""
        summing = Summing(self.selection, self.weights)
        summing.add(block)
        totals = summing.totals(self._judged_topics, self.options.complete, topics)
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
    """Return the warning about grades whose gain 2^grade - 1 is infinite; None where no column has it."""
    of_powers = any(column.measure.name == "dcg_exp_cut" for column in selection)
    if not of_powers or not isinstance(relevance, QrelsJudgements) or not len(relevance.grade):
        return None
    row = int(np.argmax(relevance.grade))
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
