"""Numbers of the report: TREC's tables of each run; of topics medians, differences of runs, relevant ones.

`report.documents` are the relevant documents of all topics; its `offsets` are where each topic's begin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.reproducible import quantiles_of_known
from pres_eval.arrays import FloatArray
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.report.report_columns import RECALL_LEVEL_TEXTS
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import DIGITS, Report

Row = tuple[str, str]
"""A row of a table of TREC's: a label and a value, as text."""


def summary_statistics(report: Report, run: int) -> list[Row]:
    """Return the rows of TREC's first table: names and values; the description is the file."""
    return [
        ("Run tag", text_of(report.evaluations[run].tag)),
        ("Run description", report.shown_path(report.inputs.files[run].path)),
        ("Number of topics", report.text(run, "num_q")),
        ("Retrieved", report.text(run, "num_ret")),
        ("Relevant", report.text(run, "num_rel")),
        ("Rel_ret", report.text(run, "num_rel_ret")),
    ]


def recall_level_averages(report: Report, run: int) -> list[Row]:
    """Return the rows of TREC's second table: precision at eleven recall levels, and average precision."""
    rows = []
    for level in RECALL_LEVEL_TEXTS:
        rows.append((level, report.text(run, f"iprec_at_recall_{level}")))
    rows.append(("Average precision", report.text(run, "map")))
    return rows


def document_level_averages(report: Report, run: int) -> list[Row]:
    """Return the rows of TREC's third table: precision at nine ranks, and R-precision."""
    rows = []
    for cutoff in DOCUMENT_CUTOFFS:
        rows.append((f"At {cutoff} docs", report.text(run, f"P_{cutoff}")))
    rows.append(("R-precision", report.text(run, "Rprec")))
    return rows


def pres_and_recall(report: Report, run: int) -> list[tuple[str, str, str]]:
    """Return the rows of a table that TREC does not have: Nmax, PRES and recall at each of `curve_ranks`."""
    rows = []
    for cutoff in report.curve_ranks:
        pres, recall = report.text(run, f"PRES_{cutoff}"), report.text(run, f"recall_{cutoff}")
        rows.append((str(cutoff), pres, recall))
    return rows


def as_text(report: Report) -> str:
    """Return the tables of all runs, see `run_text`; at the end the runs that could not be evaluated."""
    parts = [run_text(report, run) for run in range(len(report.names))]
    if report.inputs.failures:
        failed = "".join(f"  {text_of(failure.message)}\n" for failure in report.inputs.failures)
        parts.append(f"Runs that could not be evaluated\n{failed}")
    return "\n\n".join(parts)


def run_text(report: Report, run: int) -> str:
    """Return the tables of one run as TREC prints them, and below them that of PRES and recall."""
    statistics = dict(summary_statistics(report, run))
    *levels, (_, average_precision) = recall_level_averages(report, run)
    *ranks, (_, r_precision) = document_level_averages(report, run)
    lines = ["Summary Statistics"]
    for name in ("Run tag", "Run description", "Number of topics"):
        lines.append(f"  {name:<20}{statistics[name]}")
    lines.append("  Total number of documents over all topics")
    for name in ("Retrieved", "Relevant", "Rel_ret"):
        lines.append(f"    {name:<16}{statistics[name]:>9}")
    lines += ["", "Recall Level Precision Averages", "  Recall     Precision"]
    for level, value in levels:
        lines.append(f"  {level:>6}{value:>14}")
    lines += [
        "  Average precision over all",
        "  relevant docs (non-interpolated)",
        f"  {average_precision:>20}",
    ]
    lines += ["", "Document Level Averages", "                 Precision"]
    for label, value in ranks:
        _, rank, _ = label.split()  # "At 5 docs"
        lines.append(f"  At {rank:>5} docs{value:>10}")
    lines += ["  R-Precision (precision after R docs", "  retrieved, R relevant documents)"]
    lines += [f"  Exact{r_precision:>19}", "", "PRES and recall", "    Nmax      PRES    Recall"]
    for cutoff, pres, recall in pres_and_recall(report, run):
        lines.append(f"  {cutoff:>6}{pres:>10}{recall:>10}")
    return "\n".join(lines) + "\n"


def topic_measures(report: Report) -> tuple[str, ...]:
    """Return the labels of the table of topics: of the leaderboard, those with medians, and counts.

    Measures without values for topics are left out.
    """
    labels = dict.fromkeys((*report.board, *median_labels(report), "num_rel_ret", "num_rel", "num_ret"))
    return tuple(label for label in labels if report.column(label).measure.per_topic)


def median(values: FloatArray) -> FloatArray:
    """Return the median (topics,) over runs of (runs, topics) values; nan, a missing topic, does not count.

    A topic that no run has is nan.

    >>> median(np.array([[0.1, 0.5], [0.3, np.nan], [0.4, 0.7]]))
    array([0.3, 0.6])
    """
    ordered = np.sort(values, axis=0)  # nan goes last
    num_values = np.count_nonzero(~np.isnan(values), axis=0)
    topics = np.arange(values.shape[1])
    # The rows of the two middle values, which are one for an odd number of values.  Without a value the first
    # row has nan.
    lower_row = np.maximum(num_values - 1, 0) // 2
    upper_row = num_values // 2
    lower_middle, upper_middle = ordered[lower_row, topics], ordered[upper_row, topics]
    return np.asarray((lower_middle + upper_middle) / 2.0, np.float64)


def medians_of(report: Report, label: str) -> FloatArray | None:
    """Return the medians (topics,) that the user gave, nan for other topics; or else those of the runs.

    None if the user gave none and there is one run.
    """
    medians = report.inputs.medians.get(label)
    if medians is not None:
        return np.array([medians.get(topic, np.nan) for topic in report.topics])
    if len(report.names) == 1:
        return None
    return median(report.matrix(label))


def median_words(report: Report, label: str) -> str:
    """Return whose median it is: "the medians given" or "the median of the 3 runs"."""
    if label in report.inputs.medians:
        return "the medians given"
    return f"the median of the {len(report.names)} runs"


def median_labels(report: Report) -> tuple[str, ...]:
    """Return the measures for which runs are shown against the median, by label.

    If there are several runs: those by which they are compared topic by topic; and those of --medians.
    """
    labels: list[str] = []
    if len(report.names) > 1:
        labels += report.compared.topic_measures
    labels += report.inputs.medians
    return tuple(dict.fromkeys(labels))


def against_median(report: Report, run: int, label: str = "map") -> FloatArray:
    """Return a run's values minus the median (topics,); nan for a topic that lacks either.

    If there are no medians at all, the run is its own median: 0.
    """
    medians = medians_of(report, label)
    values = report.per_topic(run, label)
    if medians is None:
        medians = values
    with np.errstate(invalid="ignore"):  # an infinite value less another is no number
        return np.asarray(values - medians, np.float64)


LISTED_TOPICS = 15
"""Topics in the list of those with the largest differences between runs."""


@dataclass(frozen=True)
class TopicDifference:
    """A topic with the runs that have its best and its worst value of a measure, and these values.

    difference  how far they are apart
    """

    topic: bytes
    best_run: str
    worst_run: str
    best: float
    worst: float
    difference: float


def largest_differences(report: Report, label: str, most: int = LISTED_TOPICS) -> list[TopicDifference]:
    """Return the topics with the largest differences between runs, largest first, equal ones by topic.

    Topics on which all runs are equal, or that one run alone has, are left out.
    """
    matrix = report.matrix(label)
    num_values = np.count_nonzero(~np.isnan(matrix), axis=0)
    topics = np.flatnonzero(num_values > 1)
    values = matrix[:, topics]
    more_is_better = report.sign(label) * values
    best, worst = np.nanargmax(more_is_better, axis=0), np.nanargmin(more_is_better, axis=0)
    columns = np.arange(len(topics))
    differences = more_is_better[best, columns] - more_is_better[worst, columns]
    largest = []
    for column in np.argsort(-differences, kind="stable")[:most].tolist():
        if differences[column] > 0:
            best_run, worst_run = best[column], worst[column]
            largest.append(
                TopicDifference(
                    topic=report.topics[topics[column]],
                    best_run=report.names[best_run],
                    worst_run=report.names[worst_run],
                    best=float(values[best_run, column]),
                    worst=float(values[worst_run, column]),
                    difference=float(differences[column]),
                )
            )
    return largest


def five_numbers(values: FloatArray) -> list[float]:
    """Return the least, the quartiles and the greatest of the finite (n,) values; five nan if none is."""
    finite = np.where(np.isfinite(values), values, np.nan)
    return quantiles_of_known(finite, (0, 0.25, 0.5, 0.75, 1))


def hardest_topics(report: Report, label: str) -> list[int]:
    """Return the numbers of the topics, that with the worst median of the runs first, equal ones by id."""
    medians = report.sign(label) * median(report.matrix(label))
    return [int(topic) for topic in np.argsort(medians, kind="stable")]


def hardest_rows(report: Report, label: str) -> list[list[str]]:
    """Return all topics, the hardest first, as text: topic, relevant documents, best, median, worst value."""
    matrix, num_rel = report.matrix(label), np.diff(report.documents.offsets).tolist()
    best, worst = np.fmax.reduce(matrix, axis=0), np.fmin.reduce(matrix, axis=0)
    if report.less_is_better(label):
        best, worst = worst, best
    columns = [values.tolist() for values in (best, median(matrix), worst)]
    rows = []
    for topic in hardest_topics(report, label):
        row = [text_of(report.topics[topic]), str(num_rel[topic])]
        row += [shown(values[topic], DIGITS) for values in columns]
        rows.append(row)
    return rows


RELEVANT_BINS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Least number of relevant documents of each bar in the picture of topics by relevant documents."""


def relevant_counts(report: Report) -> list[tuple[str, int]]:
    """Count the topics by ranges of relevant documents, without empty ranges at either end.

    Returns the range as text, such as `5–9`, and the number of topics.
    """
    num_rel = np.diff(report.documents.offsets)
    counts = []
    for low, end in zip(RELEVANT_BINS, (*RELEVANT_BINS[1:], None), strict=True):
        in_range = num_rel >= low
        if end is not None:
            in_range &= num_rel < end
        counts.append((_range(low, end), int(np.count_nonzero(in_range))))
    ranges_with_topics = [number for number, (_, count) in enumerate(counts) if count > 0]
    if not ranges_with_topics:
        return []
    return counts[ranges_with_topics[0] : ranges_with_topics[-1] + 1]


def _range(low: int, end: int | None) -> str:
    """Return the whole numbers low, …, end - 1 as text: `1`, `5–9`; end None: all from low on, `1000+`."""
    if end is None:
        return f"{low}+"
    return str(low) if end == low + 1 else f"{low}–{end - 1}"


def above_at_below(values: FloatArray) -> tuple[int, int, int]:
    """Count the values (topics,) above, at and below 0; nan is none of these."""
    above = int(np.count_nonzero(values > 0))
    at = int(np.count_nonzero(values == 0))
    below = int(np.count_nonzero(values < 0))
    return above, at, below
