"""Numbers of the report: TREC's tables of each run; of topics medians, differences, relevant documents."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.reproducible import quantiles_of_known
from pres_eval.arrays import FloatArray
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import DIGITS, RECALL_LEVEL_TEXTS, Report

Row = tuple[str, str]


def summary_statistics(report: Report, run: int) -> list[Row]:
    """Return the rows of the first table."""
    return [
        ("Run tag", text_of(report.evaluations[run].tag)),
        ("Run description", report.shown_path(report.files[run].path)),
        ("Number of topics", report.text(run, "num_q")),
        ("Retrieved", report.text(run, "num_ret")),
        ("Relevant", report.text(run, "num_rel")),
        ("Rel_ret", report.text(run, "num_rel_ret")),
    ]


def recall_level_averages(report: Report, run: int) -> list[Row]:
    """Return the rows of the second table: precision at eleven recall levels, and average precision."""
    rows = [(level, report.text(run, f"iprec_at_recall_{level}")) for level in RECALL_LEVEL_TEXTS]
    rows.append(("Average precision", report.text(run, "map")))
    return rows


def document_level_averages(report: Report, run: int) -> list[Row]:
    """Return the rows of the third table: precision at nine ranks, and R-precision."""
    rows = [(f"At {cutoff} docs", report.text(run, f"P_{cutoff}")) for cutoff in DOCUMENT_CUTOFFS]
    rows.append(("R-precision", report.text(run, "Rprec")))
    return rows


def pres_and_recall(report: Report, run: int) -> list[tuple[str, str, str]]:
    """Return the rows of the table that TREC does not have: PRES and recall at each Nmax of the grid."""
    return [
        (str(cutoff), report.text(run, f"PRES_{cutoff}"), report.text(run, f"recall_{cutoff}"))
        for cutoff in report.grid
    ]


def as_text(report: Report) -> str:
    """Return the tables of all runs as TREC prints them, for a terminal; runs without tables at the end."""
    parts = [run_text(report, run) for run in range(len(report.names))]
    if report.failures:
        failed = "".join(f"  {text_of(failure.message)}\n" for failure in report.failures)
        parts.append(f"Runs that could not be evaluated\n{failed}")
    return "\n\n".join(parts)


def run_text(report: Report, run: int) -> str:
    """Return the tables of one run."""
    statistics = dict(summary_statistics(report, run))
    *levels, average = recall_level_averages(report, run)
    *ranks, exact = document_level_averages(report, run)
    lines = ["Summary Statistics"]
    for name in ("Run tag", "Run description", "Number of topics"):
        lines.append(f"  {name:<20}{statistics[name]}")
    lines.append("  Total number of documents over all topics")
    for name in ("Retrieved", "Relevant", "Rel_ret"):
        lines.append(f"    {name:<16}{statistics[name]:>9}")
    lines += ["", "Recall Level Precision Averages", "  Recall     Precision"]
    for level, value in levels:
        lines.append(f"  {level:>6}{value:>14}")
    lines += ["  Average precision over all", "  relevant docs (non-interpolated)", f"  {average[1]:>20}"]
    lines += ["", "Document Level Averages", "                 Precision"]
    for label, value in ranks:
        lines.append(f"  At {label.split()[1]:>5} docs{value:>10}")
    lines += ["  R-Precision (precision after R docs", "  retrieved, R relevant documents)"]
    lines += [f"  Exact{exact[1]:>19}", "", "PRES and recall", "    Nmax      PRES    Recall"]
    for cutoff, pres, recall in pres_and_recall(report, run):
        lines.append(f"  {cutoff:>6}{pres:>10}{recall:>10}")
    return "\n".join(lines) + "\n"


def topic_measures(report: Report) -> tuple[str, ...]:
    """Return the columns of the table of topics: those of the leaderboard that -q prints, and the counts."""
    labels = dict.fromkeys((*report.board, *median_labels(report), "num_rel_ret", "num_rel", "num_ret"))
    return tuple(label for label in labels if report.column(label).measure.per_topic)


def median(values: FloatArray) -> FloatArray:
    """Return the median (topics,) over runs of (runs, topics) values, without nan (a missing topic)."""
    ordered = np.sort(values, axis=0)  # nan goes last
    num_values = np.count_nonzero(~np.isnan(values), axis=0)
    columns = np.arange(values.shape[1])
    # Of an odd number of values the two middle ones are the same; of none the first row has nan.
    lower_middle = ordered[np.maximum(num_values - 1, 0) // 2, columns]
    upper_middle = ordered[np.minimum(num_values // 2, len(values) - 1), columns]
    middle = (lower_middle + upper_middle) / 2.0
    return np.asarray(np.where(lower_middle == upper_middle, lower_middle, middle), np.float64)


def medians_of(report: Report, label: str) -> FloatArray | None:
    """Return the medians (topics,) that the user gave, or else of the runs; None if there is one run."""
    if label in report.medians:
        return np.array([report.medians[label].get(topic, np.nan) for topic in report.topics])
    return median(report.matrix(label)) if len(report.names) > 1 else None


def median_words(report: Report, label: str) -> str:
    """Return whose median it is."""
    return "the medians given" if label in report.medians else f"the median of the {len(report.names)} runs"


def median_labels(report: Report) -> tuple[str, ...]:
    """Return the measures that are shown against the median: average precision, PRES, and those given."""
    labels = list(report.compared_by) if len(report.names) > 1 else []
    labels += report.medians
    return tuple(dict.fromkeys(labels))


def against_median(report: Report, run: int, label: str = "map") -> FloatArray:
    """Return a run's values minus the median (topics,); nan for a topic that lacks either.

    If there are no medians at all, the run is its own median: 0.
    """
    medians = medians_of(report, label)
    values = report.per_topic(run, label)
    if medians is None:
        return np.asarray(values * 0.0, np.float64)  # nan stays nan
    return np.asarray(values - medians, np.float64)


LISTED_TOPICS = 15
"""Topics in the list of those with the largest differences between runs."""


def largest_differences(
    report: Report, label: str, most: int = LISTED_TOPICS
) -> list[tuple[bytes, str, str, float, float, float]]:
    """Return the topics with the largest differences between runs, largest first, equal ones by topic.

    Each is a topic, its best and its worst run, their values, and the difference.
    """
    matrix = report.matrix(label)
    with_two = np.flatnonzero(np.count_nonzero(~np.isnan(matrix), axis=0) > 1)
    values = matrix[:, with_two]
    best, worst = np.nanargmax(values, axis=0), np.nanargmin(values, axis=0)
    columns = np.arange(len(with_two))
    spread = values[best, columns] - values[worst, columns]
    rows = []
    for column in np.argsort(-spread, kind="stable")[:most].tolist():
        if spread[column] > 0:
            topic = report.topics[with_two[column]]
            best_run, worst_run = best[column], worst[column]
            best_value, worst_value = float(values[best_run, column]), float(values[worst_run, column])
            names = report.names[best_run], report.names[worst_run]
            rows.append((topic, *names, best_value, worst_value, float(spread[column])))
    return rows


def quartiles(values: FloatArray) -> list[float]:
    """Return the least, the quartiles and the most of (n,) values; nan where none is known."""
    return quantiles_of_known(np.where(np.isfinite(values), values, np.nan), (0, 0.25, 0.5, 0.75, 1))


def hardest_topics(report: Report, label: str) -> list[int]:
    """Return the topics by the median of the runs' values, the worst first; equal ones in topic order."""
    middle = report.sign(label) * median(report.matrix(label))
    return [int(topic) for topic in np.argsort(middle, kind="stable")]


def hardest_rows(report: Report, label: str) -> list[list[str]]:
    """Return the hardest topics as text: topic, relevant documents, best, median and worst value."""
    matrix, num_rel = report.matrix(label), np.diff(report.documents.offsets).tolist()
    best, worst = np.fmax.reduce(matrix, axis=0), np.fmin.reduce(matrix, axis=0)
    if report.sign(label) < 0:  # less is better
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
    """Count the topics by ranges of relevant documents, without empty ranges at either end."""
    num_rel = np.diff(report.documents.offsets)
    counts = []
    for low, end in zip(RELEVANT_BINS, (*RELEVANT_BINS[1:], None), strict=True):
        in_range = num_rel >= low
        if end is not None:
            in_range &= num_rel < end
        counts.append((_range(low, end), int(np.count_nonzero(in_range))))
    filled = [number for number, (_, count) in enumerate(counts) if count]
    if not filled:
        return []
    return counts[filled[0] : filled[-1] + 1]


def _range(low: int, end: int | None) -> str:
    if end is None:
        return f"{low}+"
    return str(low) if end == low + 1 else f"{low}–{end - 1}"


def above_at_below(values: FloatArray) -> tuple[int, int, int]:
    """Count the topics above, at and below 0 (nan: none of these)."""
    above, at, below = (int(np.count_nonzero(chosen)) for chosen in (values > 0, values == 0, values < 0))
    return above, at, below
