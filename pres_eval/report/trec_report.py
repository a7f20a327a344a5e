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
from pres_eval.errors import NoCommonTopicError, RunFailure, UsageError
from pres_eval.measures import interpolation
from pres_eval.measures.base import Format
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.measures.selection import SelectedColumn, Selection, select
from pres_eval.options import DEFAULT_NMAX, Options, RelevanceInfo
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.relevance import QrelsJudgements
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.report.headline import Headline, cutoff_of, headline_label, headline_of
from pres_eval.report.records import FileRecord
from pres_eval.report.text import shown, text_of
from pres_eval.scoring import ScoredRun

RECALL_LEVEL_TEXTS = tuple(f"{level:.2f}" for level in interpolation.RECALL_LEVELS)
NMAX_GRID = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Ranks at which PRES, recall and the ROC curve are computed, besides the wanted Nmax."""

DIGITS = 4


@dataclass(frozen=True, eq=False)
class Report:
    """Runs over the same judgements, and the content of their report.

    names         of the runs, each once
    evaluations   of the runs, with the columns of `report_selection`
    nmax          those that were asked for
    board         the measures of the leaderboard: labels of columns
    documents     the relevant documents of the topics with their ranks
    pairs         the runs against each other; None where nothing can be averaged over topics
    trust         the uncertainty from missing judgements; None where it was not computed
    medians       by label and topic, medians given from outside
    title, description  texts at the head of the report
    failures      runs that could not be evaluated, and why
    made_with     other options that the numbers depend on: names and texts
    compared_with the run that was asked for as the baseline
    document_url  where documents can be read, with {docno} in it
    titles, queries  texts of documents and of topics by their ids
    paths         whether files are shown with their folders
    groups        of topics; None where there are none
    weights       of topics, which means are with; None: all weigh the same
    documents_beyond  relevant documents of judged topics that no run has, if these topics count in the means
    by_group      the runs compared with the baseline in each group; None where nothing was compared
    compared_by   the measures by which runs are compared topic by topic
    headline      the means of the first sentence; None where there is none
    """

    names: tuple[str, ...]
    evaluations: tuple[ScoredRun, ...]
    nmax: tuple[int, ...]
    options: Options
    qrels: FileRecord
    files: tuple[FileRecord, ...]
    board: tuple[str, ...]
    documents: RelevantRanks
    pairs: PairTable | None = None
    trust: Trust | None = None
    medians: Mapping[str, Mapping[bytes, float]] = field(default_factory=dict)
    title: str = ""
    description: str = ""
    failures: tuple[RunFailure, ...] = ()
    made_with: tuple[tuple[str, str], ...] = ()
    compared_with: int | None = None
    document_url: str | None = None
    titles: Mapping[bytes, str] = field(default_factory=dict)
    queries: Mapping[bytes, str] = field(default_factory=dict)
    paths: bool = False
    groups: Groups | None = None
    weights: Weights | None = None
    documents_beyond: int = 0
    by_group: ByGroup | None = None
    compared_by: tuple[str, ...] = ()
    headline: Headline | None = None
    _matrices: dict[str, FloatArray] = field(default_factory=dict, repr=False)
    _leaders: dict[str, list[int]] = field(default_factory=dict, repr=False)

    @cached_property
    def topics(self) -> tuple[bytes, ...]:
        """The topics of any run, in byte order."""
        return all_topics(self.evaluations)

    @property
    def grid(self) -> tuple[int, ...]:
        """The Nmax at which PRES and recall were computed."""
        return grid_of(self.nmax)

    def column(self, label: str) -> SelectedColumn:
        """Return the column with that label."""
        return next(column for column in self.evaluations[0].columns if column.label == label)

    def heading(self, label: str) -> str:
        """Return the heading of a column above a picture of topics."""
        return self.column(label).measure.title or label

    @property
    def depth(self) -> int:
        """The rank down to which documents are counted: the main measure's cutoff, or the largest Nmax."""
        return cutoff_of(self.column(self.main)) or max(self.nmax)

    @property
    def board_and_counts(self) -> list[str]:
        """The measures of the leaderboard, with the headline's, and those that count relevant documents."""
        labels = [*self.board, headline_label(self.column(self.main)), "num_rel_ret", "num_rel"]
        return list(dict.fromkeys(labels))

    def sign(self, label: str) -> int:
        """-1 where a lower value of the measure is better, else 1: times this, more is better."""
        return -1 if self.column(label).measure.less_is_better else 1

    def best_first(self, label: str) -> list[int]:
        """Return the runs by a measure, the best first; then those that lack topics or values."""
        sign, values = self.sign(label), [self.summary(run, label) for run in range(len(self.names))]
        order = sorted(range(len(values)), key=lambda run: (np.isnan(values[run]), -sign * values[run]))
        return self.all_topics_first(order)

    @property
    def main(self) -> str:
        """The measure by which the page begins: the first that can be tested, or the first at all."""
        return self.board[0] if self.pairs is None else self.pairs.measures[0]

    @property
    def baseline(self) -> int:
        """The run that others are compared with: the one asked for, or the best."""
        return self.best_first(self.main)[0] if self.compared_with is None else self.compared_with

    @cached_property
    def unique_relevant(self) -> list[int]:
        """Count the relevant documents that each run alone retrieved."""
        retrieved = self.documents.ranks > 0
        by_one_run = retrieved & (retrieved.sum(axis=0) == 1)
        return [int(count) for count in by_one_run.sum(axis=1)]

    def leaders(self, label: str) -> list[int]:
        """Return the runs that are called best by a measure, several if they tie.

        They have all topics; none if a run that lacks some is better than they are on those that it has.
        """
        if label not in self._leaders:
            leading = leading_runs(self.evaluations, label, self.weights)
            self._leaders[label] = [run for run in self.best_first(label) if run in leading]
        return self._leaders[label]

    def overtaking(self, label: str) -> list[Overtaking]:
        """Return the runs that lack topics and are better than the best run that has all of them."""
        return overtaking_runs(self.evaluations, label, self.weights)

    def why_none_is_best(self, label: str) -> str | None:
        """Return in words why no run is called best by a measure; None where one is."""
        return why_none_is_best(self.evaluations, self.names, label, self.weights, DIGITS)

    def shown_path(self, path: str) -> str:
        """Return a file as people are shown it: its name alone, which nobody's folders are in."""
        return text_of(path if self.paths or "://" in path else PurePath(path).name)

    def has_all_topics(self, run: int) -> bool:
        """Return whether a run has every topic of the report: means of others cannot be ranked."""
        return self.options.complete or len(self.evaluations[run].topics) == len(self.topics)

    def counted_as_0(self, run: int) -> int:
        """Count the topics that a run lacks and that count as 0 in its means."""
        evaluation = self.evaluations[run]
        return evaluation.totals.num_topics - len(evaluation.topics) if self.options.complete else 0

    def all_topics_first(self, runs: Sequence[int]) -> list[int]:
        """Return the runs in their order, but those that lack topics last."""
        return sorted(runs, key=lambda run: not self.has_all_topics(run))

    def topic_counts(self) -> list[int]:
        """Count the topics that each run was averaged over."""
        return [evaluation.totals.num_topics for evaluation in self.evaluations]

    def topics_differ(self) -> bool:
        """Return whether some run lacks a topic that another has."""
        return any(len(evaluation.topics) != len(self.topics) for evaluation in self.evaluations)

    def summary(self, run: int, label: str) -> float:
        """Return a value over all topics."""
        value = self.evaluations[run].summary[self.evaluations[run].labels.index(label)]
        assert isinstance(value, float), "the report has measures alone that have a number over all topics"
        return value

    def text(self, run: int, label: str) -> str:
        """Return a value over all topics as people are shown it."""
        return shown(self.summary(run, label), DIGITS, self.column(label).measure.format)

    def per_topic(self, run: int, label: str) -> FloatArray:
        """Return the values of a run on the report's topics; nan where the run lacks the topic."""
        return np.asarray(self.matrix(label)[run], np.float64)

    def matrix(self, label: str) -> FloatArray:
        """Return (runs, topics) the values of all runs, made once."""
        if label not in self._matrices:
            matrix = np.full((len(self.names), len(self.topics)), np.nan)
            for row, evaluation in zip(matrix, self.evaluations, strict=True):
                row[[self._numbers[topic] for topic in evaluation.topics]] = evaluation.by_label(label)
            matrix.flags.writeable = False
            self._matrices[label] = matrix
        return self._matrices[label]

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {topic: number for number, topic in enumerate(self.topics)}


def grid_of(nmax: Sequence[int]) -> tuple[int, ...]:
    """Return the cutoffs at which PRES and recall are computed when these are wanted."""
    return tuple(sorted({*NMAX_GRID, *nmax}))


def depths_of(options: Options, nmax: Sequence[int], measures: Sequence[str]) -> tuple[int, ...]:
    """Return the Nmax of a report: those asked for, or else the cutoffs of the first measure asked for."""
    if not measures or tuple(nmax) != DEFAULT_NMAX:
        return tuple(nmax)
    columns = select(measures[:1], options, nmax, relevance=RelevanceInfo.QRELS)
    cutoffs = set()
    for column in columns:
        if column.measure.name == columns[0].measure.name:
            cutoffs.add(cutoff_of(column))
    depths = sorted(cutoff for cutoff in cutoffs if cutoff is not None)
    return tuple(depths or nmax)


def report_selection(
    options: Options, nmax: Sequence[int] = DEFAULT_NMAX, measures: Sequence[str] = ()
) -> Selection:
    """Return the columns that a report needs, those of the measures asked for included."""
    cutoffs = set(grid_of(depths_of(options, nmax, measures)))
    for column in asked_columns(options, nmax, measures):
        cutoff = cutoff_of(column)
        if column.measure.name == "PRES" and cutoff is not None:
            cutoffs.add(cutoff)
    grid = ",".join(map(str, sorted(cutoffs)))
    texts = ["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"]
    texts.append(f"iprec_at_recall.{','.join(RECALL_LEVEL_TEXTS)}")
    texts.append(f"P.{','.join(map(str, DOCUMENT_CUTOFFS))}")
    texts += [f"recall.{grid}", f"PRES.{grid}", *measures]
    return select(texts, options, nmax, relevance=RelevanceInfo.QRELS)


def asked_columns(options: Options, nmax: Sequence[int], measures: Sequence[str]) -> list[SelectedColumn]:
    """Return the columns of the measures asked for, in the order in which they were asked for."""
    columns: list[SelectedColumn] = []
    for text in measures:
        columns += select([text], options, nmax, relevance=RelevanceInfo.QRELS)
    return columns


def board_of(
    selection: Selection, options: Options, nmax: Sequence[int], measures: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the labels of the leaderboard: the measures asked for that are numbers over topics, in order.

    Without any: PRES at each Nmax, average precision, recall at the first Nmax, and what is usually shown
    beside them.
    """
    if not measures:
        pres = [f"PRES_{cutoff}" for cutoff in nmax]
        return (*pres, "map", f"recall_{nmax[0]}", "gm_map", "Rprec", "bpref", "P_10")
    labels = {
        (column.measure.name, column.arguments, column.view.level): column.label
        for column in selection
        if column.measure.summary is not None and column.measure.format in (Format.FLOAT, Format.COUNT)
    }
    board: dict[str, None] = {}
    for column in asked_columns(options, nmax, measures):
        label = labels.get((column.measure.name, column.arguments, column.view.level))
        if label is not None:
            board[label] = None
    if not board:
        raise UsageError(
            "none of the measures asked for (-m) is an average over topics, expected at least one"
        )
    return tuple(board)


MOST_COMPARED_BY = 2
"""Measures by which runs are compared topic by topic: each has a picture for each run."""


def _compared_by(
    selection: Selection, board: Sequence[str], nmax: Sequence[int], measures: Sequence[str]
) -> tuple[str, ...]:
    """Return the measures by which runs are compared topic by topic: the first of those asked for.

    Without any of which topics have values: average precision, and PRES at the largest Nmax.
    """
    columns = {column.label: column for column in selection}
    labels = []
    for label in board if measures else ():
        measure = columns[label].measure
        if measure.per_topic and measure.format is Format.FLOAT:
            labels.append(label)
    return tuple(labels[:MOST_COMPARED_BY]) or ("map", f"PRES_{max(nmax)}")


def make_report(
    names: Sequence[str],
    evaluations: Sequence[ScoredRun],
    rankings: Sequence[Ranked],
    relevance: QrelsJudgements,
    options: Options,
    nmax: Sequence[int],
    measures: Sequence[str],
    settings: CompareSettings,
    *,
    qrels: FileRecord,
    files: Sequence[FileRecord],
    compared_with: int | None = None,
    loop: Loop = in_turn,
    medians: Mapping[str, Mapping[bytes, float]] | None = None,
    groups: Groups | None = None,
    weights: Weights | None = None,
) -> Report:
    """Return the report of runs evaluated with `report_selection`, each compared with each.

    measures       those of the leaderboard; without any the usual ones
    settings       of the comparisons
    compared_with  the baseline; None: the best run
    loop           carries out the loop over the measures that are compared
    """
    selection, nmax = evaluations[0].columns, depths_of(options, nmax, measures)
    board = board_of(selection, options, nmax, measures)
    every_topic = tuple(relevance.pool.topics) if options.complete else None
    documents = relevant_ranks(relevance, rankings, options, all_topics(evaluations))
    beyond = 0
    if options.complete:
        num_relevant = int(np.count_nonzero(relevance.grade >= options.relevance_level))
        beyond = num_relevant - len(documents.docnos)
    report = Report(
        names=tuple(names),
        evaluations=tuple(evaluations),
        nmax=tuple(nmax),
        options=options,
        qrels=qrels,
        files=tuple(files),
        board=board,
        documents=documents,
        pairs=pairs_of(evaluations, names, board, settings, every_topic, loop, weights, compared_with),
        compared_with=compared_with,
        medians=medians or {},
        groups=groups,
        weights=weights,
        documents_beyond=beyond,
        compared_by=_compared_by(selection, board, nmax, measures),
    )
    headline = None
    if report.pairs is not None:
        column = report.column(headline_label(report.column(report.main)))
        headline = headline_of(evaluations, names, column, settings, every_topic, weights)
    return replace(report, by_group=_by_group(report, every_topic), headline=headline)


def _by_group(report: Report, every_topic: Sequence[bytes] | None) -> ByGroup | None:
    """Return the runs compared with the baseline in each group of topics; None where nothing is compared.

    every_topic  the topics of the judgements, if those that a run lacks count as 0; None: common topics
    """
    if report.groups is None or report.pairs is None or len(report.names) == 1:
        return None
    labels, settings = report.pairs.measures, report.pairs.settings
    with suppress(NoCommonTopicError):
        scores = pair_columns(report.evaluations, report.names, labels, every_topic, report.weights)
        return compare_by_group(scores, report.groups.topics, report.baseline, settings)
    return None


def title_of(report: Report) -> str:
    """Return the title asked for, or one made of the inputs."""
    runs = report.names[0] if len(report.names) == 1 else f"{len(report.names)} runs"
    return report.title or f"Evaluation of {runs}"
