"""The TREC evaluation report: runs over the same judgements, with every number that it shows.

After "Common Evaluation Measures", the appendix of the TREC proceedings: Summary Statistics, Recall Level
Precision Averages, Document Level Averages (`report_numbers`); the recall-precision graph (`graphs`); the
histogram of a run's average precision on each topic against the median of all runs (`report_numbers`).  PRES
and recall against Nmax are added to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath

import numpy as np

from pres_eval.analysis.by_group import ByGroup, compare_by_group
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.every_pair import PairTable, pairs_of
from pres_eval.analysis.explain import RelevantRanks, relevant_ranks
from pres_eval.analysis.incomplete_runs import (
    Overtaking,
    all_topics,
    leading_runs,
    overtaking_runs,
    why_none_is_best,
)
from pres_eval.analysis.paired import pair_columns
from pres_eval.analysis.pools import Trust
from pres_eval.arrays import FloatArray
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import NoCommonTopicError, RunFailure
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.report.headline import Headline, cutoff_of, headline_label, headline_of
from pres_eval.report.records import FileRecord
from pres_eval.report.report_columns import compared_labels, depths_of, leaderboard_labels, ranks_of_curves
from pres_eval.report.text import shown, text_of
from pres_eval.scoring import ScoredRun

DIGITS = 4
"""Digits after the point of the report's numbers."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """Files of a report as they were read.

    qrels     the judgements
    files     of the runs
    groups    of topics; None where there are none
    weights   of topics, which means are with; None: all weigh the same
    medians   by label and topic, those that the user gave (--medians); others are computed from the runs
    failures  runs that could not be evaluated, and why
    """

    qrels: FileRecord
    files: tuple[FileRecord, ...]
    groups: Groups | None = None
    weights: Weights | None = None
    medians: Mapping[str, Mapping[bytes, float]] = field(default_factory=dict)
    failures: tuple[RunFailure, ...] = ()


@dataclass(frozen=True, eq=False)
class ReportComparisons:
    """Runs against each other.

    pairs           each run against each, with means and intervals; None where nothing can be averaged
    asked_baseline  the run that was asked for as the baseline, also that of `pairs`; None: none was
    topic_measures  labels of the measures by which runs are compared topic by topic
    by_group        the runs compared with the baseline in each group; None where nothing was compared
    headline        the means of the first sentence; None where there is none
    """

    pairs: PairTable | None
    asked_baseline: int | None
    topic_measures: tuple[str, ...]
    by_group: ByGroup | None = None
    headline: Headline | None = None


@dataclass(frozen=True, eq=False)
class PageTexts:
    """Texts of a report that change none of its numbers.

    title, description  at its head; without a title it has one made of the inputs
    made_with           options that the numbers depend on, besides those of the evaluation: names and texts
    document_url        where documents can be read, with {docno} in it
    titles, queries     texts of documents and of topics by their ids
    paths               whether files are shown with their folders
    """

    title: str = ""
    description: str = ""
    made_with: tuple[tuple[str, str], ...] = ()
    document_url: str | None = None
    titles: Mapping[bytes, str] = field(default_factory=dict)
    queries: Mapping[bytes, str] = field(default_factory=dict)
    paths: bool = False


@dataclass(frozen=True, eq=False)
class Report:
    """Runs over the same judgements, and the content of their report.

    Methods take and return runs as numbers from 0, in the order of `names`.

    names         of the runs, all different
    evaluations   of the runs, with the columns of `report_selection`
    options       of the evaluations
    nmax          those that were asked for
    board         the measures of the leaderboard: labels of columns
    documents     the relevant documents of the topics with their ranks in each run
    documents_beyond  relevant documents of judged topics that no run has, if these topics count in the means
    inputs        the files that were read
    compared      the runs against each other
    trust         the uncertainty from missing judgements; None where it was not computed
    texts         titles and other texts
    """

    names: tuple[str, ...]
    evaluations: tuple[ScoredRun, ...]
    options: Options
    nmax: tuple[int, ...]
    board: tuple[str, ...]
    documents: RelevantRanks
    documents_beyond: int
    inputs: Inputs
    compared: ReportComparisons
    trust: Trust | None = None
    texts: PageTexts = PageTexts()

    @cached_property
    def topics(self) -> tuple[bytes, ...]:
        """The topics of any run, in byte order."""
        return all_topics(self.evaluations)

    @property
    def curve_ranks(self) -> tuple[int, ...]:
        """The Nmax at which PRES and recall were computed, ascending."""
        return ranks_of_curves(self.nmax)

    def column(self, label: str) -> SelectedColumn:
        """Return the column with that label."""
        return next(column for column in self.evaluations[0].columns if column.label == label)

    def heading(self, label: str) -> str:
        """Return the name of a column above a picture of topics: the title of its measure, else its label."""
        return self.column(label).measure.title or label

    @property
    def depth(self) -> int:
        """The rank down to which documents count as found: the main measure's cutoff, or the largest Nmax."""
        cutoff = cutoff_of(self.column(self.main))
        return max(self.nmax) if cutoff is None else cutoff

    @property
    def board_and_counts(self) -> list[str]:
        """The labels of the leaderboard's columns: `board`, the headline's measure, relevant documents."""
        labels = [*self.board, headline_label(self.column(self.main)), "num_rel_ret", "num_rel"]
        return list(dict.fromkeys(labels))

    def less_is_better(self, label: str) -> bool:
        """Return whether a lower value of the measure is better."""
        return self.column(label).measure.less_is_better

    def sign(self, label: str) -> int:
        """Return -1 where a lower value of the measure is better, else 1: times this, more is better."""
        return -1 if self.less_is_better(label) else 1

    def best_first(self, label: str) -> list[int]:
        """Return the runs by a measure: the best first, those without a value last.

        Runs that lack topics are behind all others, in the same order.
        """
        gains = [self.sign(label) * self.summary(run, label) for run in range(len(self.names))]
        order = sorted(range(len(gains)), key=lambda run: (np.isnan(gains[run]), -gains[run]))
        return self.all_topics_first(order)

    @property
    def main(self) -> str:
        """The label of the main measure: the first of `board` that can be tested, or the first at all."""
        pairs = self.compared.pairs
        return self.board[0] if pairs is None else pairs.measures[0]

    @property
    def baseline(self) -> int:
        """The number of the run that others are compared with: the one asked for, or the best."""
        if self.compared.asked_baseline is not None:
            return self.compared.asked_baseline
        return self.best_first(self.main)[0]

    @cached_property
    def unique_relevant(self) -> list[int]:
        """Count the relevant documents that each run alone retrieved."""
        retrieved = self.documents.ranks > 0
        by_one_run = retrieved & (retrieved.sum(axis=0) == 1)
        return [int(count) for count in by_one_run.sum(axis=1)]

    def leaders(self, label: str) -> list[int]:
        """Return the runs that are called best by a measure, several if they tie.

        They have all topics.  No run is called best if one that lacks topics is better on those that it has.
        """
        if label not in self._leaders:
            leading = leading_runs(self.evaluations, label, self.inputs.weights)
            self._leaders[label] = [run for run in self.best_first(label) if run in leading]
        return self._leaders[label]

    @cached_property
    def _leaders(self) -> dict[str, list[int]]:
        """Results of `leaders`, by label."""
        return {}

    def overtaking(self, label: str) -> list[Overtaking]:
        """Return the runs that lack topics and are better than the best run that has all of them."""
        return overtaking_runs(self.evaluations, label, self.inputs.weights)

    def why_none_is_best(self, label: str) -> str | None:
        """Return in words why no run is called best by a measure; None where one is."""
        return why_none_is_best(self.evaluations, self.names, label, self.inputs.weights, DIGITS)

    def shown_path(self, path: str) -> str:
        """Return a file as people are shown it: its name without its folders, unless they were asked for."""
        is_address = "://" in path
        if self.texts.paths or is_address:
            return text_of(path)
        return text_of(PurePath(path).name)

    def has_all_topics(self, run: int) -> bool:
        """Return whether a run has every topic of the report, with -c always: its mean can be ranked then."""
        return self.options.complete or len(self.evaluations[run].topics) == len(self.topics)

    def counted_as_0(self, run: int) -> int:
        """Count the topics that a run lacks and that count as 0 in its means."""
        if not self.options.complete:
            return 0
        evaluation = self.evaluations[run]
        return evaluation.totals.num_topics - len(evaluation.topics)

    def all_topics_first(self, runs: Sequence[int]) -> list[int]:
        """Return the runs, those that have all topics first, otherwise in their order."""
        return sorted(runs, key=lambda run: not self.has_all_topics(run))

    def topic_counts(self) -> list[int]:
        """Count the topics that each run was averaged over."""
        return [evaluation.totals.num_topics for evaluation in self.evaluations]

    def topics_differ(self) -> bool:
        """Return whether some run lacks a topic that another has."""
        return any(len(evaluation.topics) != len(self.topics) for evaluation in self.evaluations)

    def summary(self, run: int, label: str) -> float:
        """Return a run's value over all topics."""
        value = self.evaluations[run].summary[self.evaluations[run].labels.index(label)]
        assert isinstance(value, float), "the report has measures alone that have a number over all topics"
        return value

    def text(self, run: int, label: str) -> str:
        """Return a run's value over all topics as people are shown it."""
        return shown(self.summary(run, label), DIGITS, self.column(label).measure.format)

    def per_topic(self, run: int, label: str) -> FloatArray:
        """Return the values of a run on the report's topics; nan where the run lacks the topic."""
        return np.asarray(self.matrix(label)[run], np.float64)

    def matrix(self, label: str) -> FloatArray:
        """Return the values (runs, topics) of all runs, nan where a run lacks the topic; made once."""
        if label not in self._matrices:
            matrix = np.full((len(self.names), len(self.topics)), np.nan)
            for row, evaluation in zip(matrix, self.evaluations, strict=True):
                columns = [self._topic_numbers[topic] for topic in evaluation.topics]
                row[columns] = evaluation.by_label(label)
            matrix.flags.writeable = False
            self._matrices[label] = matrix
        return self._matrices[label]

    @cached_property
    def _matrices(self) -> dict[str, FloatArray]:
        """Results of `matrix`, by label."""
        return {}

    @cached_property
    def _topic_numbers(self) -> dict[bytes, int]:
        """Numbers of the report's topics, by id."""
        return {topic: number for number, topic in enumerate(self.topics)}


def make_report(
    names: Sequence[str],
    evaluations: Sequence[ScoredRun],
    rankings: Sequence[Ranked],
    relevance: QrelsJudgements,
    options: Options,
    nmax: Sequence[int],
    measures: Sequence[str],
    settings: CompareSettings,
    inputs: Inputs,
    *,
    baseline: int | None = None,
    loop: Loop = in_turn,
) -> Report:
    """Return the report of runs evaluated with `report_selection`, each compared with each.

    rankings  of the runs, for the ranks of relevant documents; relevance: the judgements
    measures  those of the leaderboard, as -m has them; without any the default ones of `leaderboard_labels`
    settings  of the comparisons
    baseline  the run that others are compared with; None: the best run
    loop      maps a function over the measures that are compared, one after the other or by threads
    """
    selection, nmax = evaluations[0].columns, depths_of(options, nmax, measures)
    board = leaderboard_labels(selection, options, nmax, measures)
    # Where topics that a run lacks count as 0, every topic of the judgements is in the means.
    every_topic = tuple(relevance.pool.topics) if options.complete else None
    documents = relevant_ranks(relevance, rankings, options, all_topics(evaluations))
    documents_beyond = 0
    if options.complete:
        num_relevant = int(np.count_nonzero(relevance.grade >= options.relevance_level))
        documents_beyond = num_relevant - len(documents.docnos)
    compared = ReportComparisons(
        pairs=pairs_of(evaluations, names, board, settings, every_topic, loop, inputs.weights, baseline),
        asked_baseline=baseline,
        topic_measures=compared_labels(selection, board, nmax, measures),
    )
    report = Report(
        names=tuple(names),
        evaluations=tuple(evaluations),
        options=options,
        nmax=tuple(nmax),
        board=board,
        documents=documents,
        documents_beyond=documents_beyond,
        inputs=inputs,
        compared=compared,
    )
    headline = None
    if compared.pairs is not None:
        column = report.column(headline_label(report.column(report.main)))
        headline = headline_of(evaluations, names, column, settings, every_topic, inputs.weights)
    by_group = _by_group(report, every_topic)
    return replace(report, compared=replace(compared, by_group=by_group, headline=headline))


def _by_group(report: Report, every_topic: Sequence[bytes] | None) -> ByGroup | None:
    """Return the runs compared with the baseline in each group of topics; None where nothing is compared.

    every_topic  the topics of the judgements, if those that a run lacks count as 0; None: common topics
    """
    groups, pairs = report.inputs.groups, report.compared.pairs
    if groups is None or pairs is None or len(report.names) == 1:
        return None
    with suppress(NoCommonTopicError):
        scores = pair_columns(
            report.evaluations, report.names, pairs.measures, every_topic, report.inputs.weights
        )
        return compare_by_group(scores, groups.topics, report.baseline, pairs.settings)
    return None


def title_of(report: Report) -> str:
    """Return the title asked for, or one made of the inputs."""
    if report.texts.title:
        return report.texts.title
    if len(report.names) == 1:
        return f"Evaluation of {report.names[0]}"
    return f"Evaluation of {len(report.names)} runs"
