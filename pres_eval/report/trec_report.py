"""The TREC evaluation report: its three tables, and the numbers behind its graphs.

After "Common Evaluation Measures", the appendix of the TREC proceedings: Summary Statistics, Recall Level
Precision Averages, Document Level Averages; the recall-precision graph; the histogram of a run's average
precision on each topic against the median of all runs.  PRES and recall against Nmax are added to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pres_eval.analysis.every_pair import PairTable
from pres_eval.arrays.exact import add_in_order, divide
from pres_eval.arrays.types import FloatArray
from pres_eval.errors import RunFailure
from pres_eval.measures import interpolation
from pres_eval.measures.base import Format
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.measures.selection import SelectedColumn, Selection, select
from pres_eval.options import DEFAULT_NMAX, Options, RelevanceInfo
from pres_eval.report.names import run_names
from pres_eval.report.records import File
from pres_eval.report.relevant_ranks import RelevantRanks
from pres_eval.report.text import shown, text_of
from pres_eval.scoring import Evaluation

RECALL_LEVELS = tuple(f"{level:.2f}" for level in interpolation.RECALL_LEVELS)
NMAX_GRID = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where PRES, recall and the ROC curve are computed; the wanted Nmax come on top."""

DIGITS = 4


@dataclass(frozen=True, eq=False)
class Report:
    """Runs over the same judgements, and what the report says of them.

    names         of the runs, each once
    evaluations   of the runs, with the columns of `report_selection`
    topics        those of any run, in byte order
    grid          the Nmax at which PRES and recall were computed
    nmax          those that were asked for
    board         the measures of the leaderboard: labels of columns
    documents     the relevant documents of the topics with their ranks
    pairs         the runs against each other; None for a single run or without a topic that all have
    medians       by label (topics,) medians given from outside, nan where none was
    title, description  what people are told of the report
    failures      runs that could not be evaluated, and why
    made_with     what else of the command line the numbers depend on: names and texts
    """

    names: tuple[str, ...]
    evaluations: tuple[Evaluation, ...]
    topics: tuple[bytes, ...]
    grid: tuple[int, ...]
    nmax: tuple[int, ...]
    options: Options
    qrels: File
    files: tuple[File, ...]
    board: tuple[str, ...]
    documents: RelevantRanks
    pairs: PairTable | None = None
    medians: Mapping[str, FloatArray] = field(default_factory=dict)
    title: str = ""
    description: str = ""
    failures: tuple[RunFailure, ...] = ()
    made_with: tuple[tuple[str, str], ...] = ()
    _matrices: dict[str, FloatArray] = field(default_factory=dict, repr=False)

    def column(self, label: str) -> SelectedColumn:
        """The column with that label."""
        return next(column for column in self.evaluations[0].columns if column.label == label)

    def sign(self, label: str) -> int:
        """-1 where a lower value of the measure is better, else 1: times this, more is better."""
        return -1 if self.column(label).measure.less_is_better else 1

    def best_first(self, label: str, values: Sequence[float]) -> list[int]:
        """The runs by a value each of a measure, the best first; those without one last."""
        sign = self.sign(label)
        return sorted(range(len(values)), key=lambda run: (math.isnan(values[run]), -sign * values[run]))

    def topic_counts(self) -> list[int]:
        """How many topics each run was averaged over."""
        return [evaluation.totals.num_topics for evaluation in self.evaluations]

    def topics_differ(self) -> bool:
        """Whether some run lacks a topic that another has."""
        return any(len(evaluation.topics) != len(self.topics) for evaluation in self.evaluations)

    def summary(self, run: int, label: str) -> float:
        """A value over all topics."""
        evaluation = self.evaluations[run]
        for column, value in zip(evaluation.columns, evaluation.summary, strict=True):
            if column.label == label and isinstance(value, float):
                return value
        raise KeyError(label)

    def per_topic(self, run: int, label: str) -> FloatArray:
        """The values of a run on the topics of the report; nan where the run does not have the topic."""
        values: FloatArray = self.matrix(label)[run]
        return values

    def matrix(self, label: str) -> FloatArray:
        """(runs, topics) the values of all runs, made once."""
        if label not in self._matrices:
            rows = [self._row(run, label) for run in range(len(self.names))]
            self._matrices[label] = np.stack(rows)
            self._matrices[label].flags.writeable = False
        return self._matrices[label]

    def _row(self, run: int, label: str) -> FloatArray:
        values = np.full(len(self.topics), np.nan)
        evaluation = self.evaluations[run]
        values[[self._places[topic] for topic in evaluation.topics]] = evaluation.by_label(label)
        return values

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {topic: place for place, topic in enumerate(self.topics)}


def grid_of(nmax: Sequence[int]) -> tuple[int, ...]:
    """The cutoffs at which PRES and recall are computed when these are wanted."""
    return tuple(sorted({*NMAX_GRID, *nmax}))


def report_selection(
    options: Options, nmax: Sequence[int] = DEFAULT_NMAX, measures: Sequence[str] = ()
) -> Selection:
    """The columns that a report needs, those of the measures asked for included."""
    grid = ",".join(map(str, grid_of(nmax)))
    levels = ",".join(map(str, DOCUMENT_CUTOFFS))
    texts = (
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
        *(f"iprec_at_recall.{','.join(RECALL_LEVELS)}", f"P.{levels}", f"recall.{grid}", f"PRES.{grid}"),
        *measures,
    )
    return select(texts, options, nmax, relevance=RelevanceInfo.QRELS)


def board_of(
    selection: Selection, options: Options, nmax: Sequence[int], measures: Sequence[str] = ()
) -> tuple[str, ...]:
    """The labels of the leaderboard: the measures asked for that are numbers over topics, in print order.

    Without any: PRES and recall at Nmax, average precision, and what is usually shown beside them.
    """
    if not measures:
        pres = [f"PRES_{cutoff}" for cutoff in nmax]
        return (*pres, "map", f"recall_{max(nmax)}", "gm_map", "Rprec", "bpref", "P_10")
    wanted = {
        (column.measure.name, column.arguments, column.relevance_level)
        for column in select(measures, options, nmax, relevance=RelevanceInfo.QRELS)
    }
    return tuple(
        column.label
        for column in selection
        if (column.measure.name, column.arguments, column.relevance_level) in wanted
        and column.measure.summary is not None
        and column.measure.format in (Format.FLOAT, Format.COUNT)
    )


def make_report(
    evaluations: Sequence[Evaluation],
    options: Options,
    nmax: Sequence[int],
    qrels: File,
    files: Sequence[File],
    *,
    documents: RelevantRanks,
    names: Sequence[str] | None = None,
    measures: Sequence[str] = (),
    pairs: PairTable | None = None,
    medians: Mapping[str, Mapping[bytes, float]] | None = None,
    title: str = "",
    description: str = "",
    failures: Sequence[RunFailure] = (),
    made_with: Sequence[tuple[str, str]] = (),
) -> Report:
    """A report of runs that were evaluated with `report_selection`; `documents` are those of `topics_of`."""
    topics = topics_of(evaluations)
    return Report(
        names=tuple(
            run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations])
            if names is None
            else names
        ),
        evaluations=tuple(evaluations),
        topics=topics,
        grid=grid_of(nmax),
        nmax=tuple(nmax),
        options=options,
        qrels=qrels,
        files=tuple(files),
        board=board_of(evaluations[0].columns, options, nmax, measures),
        documents=documents,
        pairs=pairs,
        medians={
            label: np.array([by_topic.get(topic, np.nan) for topic in topics])
            for label, by_topic in (medians or {}).items()
        },
        title=title,
        description=description,
        failures=tuple(failures),
        made_with=tuple(made_with),
    )


def title_of(report: Report) -> str:
    """The title asked for, or what was evaluated."""
    if report.title:
        return report.title
    if len(report.names) == 1:
        return f"Evaluation of {report.names[0]}"
    return f"Evaluation of {len(report.names)} runs"


def topics_of(evaluations: Sequence[Evaluation]) -> tuple[bytes, ...]:
    """The topics of any run, in byte order."""
    return tuple(sorted({topic for evaluation in evaluations for topic in evaluation.topics}))


def topic_measures(report: Report) -> tuple[str, ...]:
    """The columns of the table of topics: those of the leaderboard that -q prints, and the counts."""
    labels = dict.fromkeys((*report.board, *median_labels(report), "num_rel_ret", "num_rel", "num_ret"))
    return tuple(label for label in labels if report.column(label).measure.per_topic)


def median(values: FloatArray) -> FloatArray:
    """(topics,) the median over runs of (runs, topics) values; nan (a run lacks the topic) is left out."""
    ordered = np.sort(values, axis=0)  # nan goes last
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    columns = np.arange(values.shape[1])
    low = ordered[np.maximum(counts - 1, 0) // 2, columns]
    high = ordered[np.minimum(counts // 2, len(values) - 1), columns]
    middle: FloatArray = np.where(low == high, low, (low + high) / 2.0)
    return middle


def medians_of(report: Report, label: str) -> FloatArray | None:
    """(topics,) the medians given from outside, or else those of the runs; None where there is neither."""
    if label in report.medians:
        return report.medians[label]
    return median(report.matrix(label)) if len(report.names) > 1 else None


def median_words(report: Report, label: str) -> str:
    """Whose median it is."""
    return "the medians given" if label in report.medians else f"the median of the {len(report.names)} runs"


def median_labels(report: Report) -> tuple[str, ...]:
    """The measures that are shown against the median: average precision, PRES, and those given."""
    usual = ("map", f"PRES_{max(report.nmax)}") if len(report.names) > 1 else ()
    return tuple(dict.fromkeys((*usual, *report.medians)))


def against_median(report: Report, run: int, label: str = "map") -> FloatArray:
    """(topics,) a run's values minus the median; nan where it lacks the topic or there is no median."""
    medians = medians_of(report, label)
    values = report.per_topic(run, label)
    difference: FloatArray = values * 0.0 if medians is None else values - medians
    return difference


@dataclass(frozen=True)
class Difference:
    """A topic on which runs differ: the best and the worst run with their values."""

    topic: bytes
    best: int
    worst: int
    best_value: float
    worst_value: float

    @property
    def size(self) -> float:
        """How far they are apart."""
        return self.best_value - self.worst_value


def largest_differences(report: Report, label: str, most: int = 15) -> list[Difference]:
    """The topics with the largest differences between runs, largest first; equal ones in topic order."""
    matrix = report.matrix(label)
    with_two = np.flatnonzero(np.count_nonzero(~np.isnan(matrix), axis=0) > 1)
    values = matrix[:, with_two]
    best, worst = np.nanargmax(values, axis=0), np.nanargmin(values, axis=0)
    columns = np.arange(len(with_two))
    spread = values[best, columns] - values[worst, columns]
    return [
        Difference(
            topic=report.topics[with_two[place]],
            best=int(best[place]),
            worst=int(worst[place]),
            best_value=float(values[best[place], place]),
            worst_value=float(values[worst[place], place]),
        )
        for place in np.argsort(-spread, kind="stable")[:most].tolist()
        if spread[place] > 0
    ]


@dataclass(frozen=True)
class TopicSpread:
    """A topic with the best, the middle and the worst value of the runs."""

    place: int
    num_rel: int
    best: float
    median: float
    worst: float


def hardest_topics(report: Report, label: str) -> list[TopicSpread]:
    """The topics by the median of the runs' values, the worst first; equal ones in topic order."""
    matrix, sign = report.matrix(label), report.sign(label)
    middle, num_rel = median(matrix), np.diff(report.documents.offsets)
    best, worst = np.fmax.reduce(matrix, axis=0), np.fmin.reduce(matrix, axis=0)
    if sign < 0:
        best, worst = worst, best
    return [
        TopicSpread(
            place=place,
            num_rel=int(num_rel[place]),
            best=float(best[place]),
            median=float(middle[place]),
            worst=float(worst[place]),
        )
        for place in np.argsort(sign * middle, kind="stable").tolist()
    ]


RELEVANT_BINS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where the columns of the picture of relevant documents begin."""


def relevant_counts(report: Report) -> list[tuple[str, int]]:
    """How many topics have so many relevant documents, by ranges, without empty ones at either end."""
    num_rel = np.diff(report.documents.offsets)
    ends = (*RELEVANT_BINS[1:], None)
    counts = [
        (_range(low, end), int(np.count_nonzero((num_rel >= low) & (num_rel < (end or np.inf)))))
        for low, end in zip(RELEVANT_BINS, ends, strict=True)
    ]
    filled = [place for place, (_, count) in enumerate(counts) if count]
    return counts[filled[0] : filled[-1] + 1] if filled else []


def _range(low: int, end: int | None) -> str:
    if end is None:
        return f"{low}+"
    return str(low) if end == low + 1 else f"{low}–{end - 1}"


@dataclass(frozen=True)
class RocPoint:
    """A point of the ROC curve: averages over topics at a rank (None: all that was retrieved)."""

    rank: int | None
    fallout: float
    recall: float


def roc_curve(report: Report, run: int) -> list[RocPoint]:
    """The ROC curve of a run: recall against fallout, each averaged over its topics; needs -N.

    Fallout is the share of the collection's documents that are not relevant which were retrieved by the rank:
    (retrieved - relevant retrieved) / (N - relevant).  Documents that nobody judged count as not relevant.
    """
    evaluation = report.evaluations[run]
    num_ret, num_rel, found = (evaluation.by_label(label) for label in ("num_ret", "num_rel", "num_rel_ret"))
    points = [RocPoint(0, 0.0, 0.0)]
    for rank in report.grid:
        by_rank = np.rint(evaluation.by_label(f"recall_{rank}") * num_rel)
        points.append(_roc_point(report, run, rank, np.minimum(num_ret, rank), by_rank))
    points.append(_roc_point(report, run, None, num_ret, found))
    return points


def _roc_point(
    report: Report, run: int, rank: int | None, retrieved: FloatArray, found: FloatArray
) -> RocPoint:
    evaluation = report.evaluations[run]
    num_rel = evaluation.by_label("num_rel")
    others = np.maximum(report.options.num_docs_in_coll - num_rel, 0)
    fallout = np.minimum(divide(retrieved - found, others), 1.0)
    count = max(evaluation.totals.num_topics, 1)
    return RocPoint(rank, add_in_order(fallout) / count, add_in_order(divide(found, num_rel)) / count)


def above_at_below(values: FloatArray) -> tuple[int, int, int]:
    """How many topics are above, at and below 0 (nan: none of these)."""
    above, at, below = (int(np.count_nonzero(chosen)) for chosen in (values > 0, values == 0, values < 0))
    return above, at, below


Row = tuple[str, str]


def summary_statistics(report: Report, run: int) -> list[Row]:
    """The rows of the first table."""
    count = {
        label: shown(report.summary(run, label), 0, Format.COUNT)
        for label in ("num_q", "num_ret", "num_rel", "num_rel_ret")
    }
    return [
        ("Run tag", text_of(report.evaluations[run].tag)),
        ("Run description", text_of(report.files[run].path)),
        ("Number of topics", count["num_q"]),
        ("Retrieved", count["num_ret"]),
        ("Relevant", count["num_rel"]),
        ("Rel_ret", count["num_rel_ret"]),
    ]


def recall_level_averages(report: Report, run: int) -> list[Row]:
    """The rows of the second table: interpolated precision at eleven recall levels, and average precision."""
    rows = [
        (level, shown(report.summary(run, f"iprec_at_recall_{level}"), DIGITS)) for level in RECALL_LEVELS
    ]
    return [*rows, ("Average precision", shown(report.summary(run, "map"), DIGITS))]


def document_level_averages(report: Report, run: int) -> list[Row]:
    """The rows of the third table: precision at nine ranks, and R-precision."""
    rows = [
        (f"At {level} docs", shown(report.summary(run, f"P_{level}"), DIGITS)) for level in DOCUMENT_CUTOFFS
    ]
    return [*rows, ("R-precision", shown(report.summary(run, "Rprec"), DIGITS))]


def pres_and_recall(report: Report, run: int) -> list[tuple[str, str, str]]:
    """The rows of the table that TREC does not have: PRES and recall at each Nmax of the grid."""
    return [
        (
            str(cutoff),
            shown(report.summary(run, f"PRES_{cutoff}"), DIGITS),
            shown(report.summary(run, f"recall_{cutoff}"), DIGITS),
        )
        for cutoff in report.grid
    ]


def as_text(report: Report) -> str:
    """The tables of all runs as TREC prints them, for a terminal; runs without tables at the end."""
    texts = [run_text(report, run) for run in range(len(report.names))]
    if report.failures:
        lines = (f"  {text_of(each.message)}\n" for each in report.failures)
        texts.append("Runs that could not be evaluated\n" + "".join(lines))
    return "\n\n".join(texts)


def run_text(report: Report, run: int) -> str:
    """The tables of one run."""
    statistics = dict(summary_statistics(report, run))
    lines = [
        "Summary Statistics",
        *(f"  {name:<20}{statistics[name]}" for name in ("Run tag", "Run description", "Number of topics")),
        "  Total number of documents over all topics",
        *(f"    {name:<16}{statistics[name]:>9}" for name in ("Retrieved", "Relevant", "Rel_ret")),
        "",
        "Recall Level Precision Averages",
        "  Recall     Precision",
    ]
    *levels, average = recall_level_averages(report, run)
    lines += [f"  {level:>6}{value:>14}" for level, value in levels]
    lines += ["  Average precision over all", "  relevant docs (non-interpolated)", f"  {average[1]:>20}", ""]
    lines += ["Document Level Averages", "                 Precision"]
    *ranks, exact = document_level_averages(report, run)
    lines += [f"  At {label.split()[1]:>5} docs{value:>10}" for label, value in ranks]
    lines += [
        "  R-Precision (precision after R docs",
        "  retrieved, R relevant documents)",
        f"  Exact{exact[1]:>19}",
        "",
    ]
    lines += ["PRES and recall", "    Nmax      PRES    Recall"]
    lines += [f"  {cutoff:>6}{pres:>10}{recall:>10}" for cutoff, pres, recall in pres_and_recall(report, run)]
    return "\n".join(lines) + "\n"
