"""Scores from CSV instead of qrels and runs: means of runs, or scores of runs on topics."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.errors import InputError, MeasureError, NoCommonTopicError, number_of, plural, quoted
from pres_eval.measures.names import bounded_labels, falling_labels
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.reading.formats.csv_rows import separated_rows

LARGEST_SCORE = 1e15
"""Largest score that is accepted: no measure has such values, and squares of larger ones would overflow."""


def read_score_table(
    path: str, text: str, complete: bool = False, warn: Callable[[str], None] = lambda text: None
) -> PairedScores:
    """Return the scores of CSV or TSV text.

    complete  whether a topic that a run lacks counts as 0; else it is left out for all runs
    warn      takes a warning if a row of topic `all` is not the mean of its run's topics

    With a column `topic`, a row has a run, a topic and its scores, in any order of columns, as --format csv
    -q writes them.  A column `file`, and each run's last row of topic `all` (the summary), are left out.
    Without a column `topic`, a row has a run and its means; the result then has no topics.

    A column that has the name of a measure of which less is better counts as that measure.  Raises InputError
    with file and line for malformed text, NoCommonTopicError if no topic has scores of all runs.
    """
    rows = _rows(path, text)
    heading = [cell.strip() for cell in rows[0][1]]
    if "topic" not in heading:
        return _means_alone(path, rows)
    no_measures = ("topic", "run", "file")
    columns = [column for column, name in enumerate(heading) if name not in no_measures]
    if "run" not in heading or not columns:
        raise InputError(path, rows[0][0], f"columns {', '.join(heading)}", "run,topic,MEASURE,...")
    run_column, topic_column = heading.index("run"), heading.index("topic")
    table: dict[str, dict[bytes, list[float]]] = {}
    summaries: dict[str, list[float]] = {}
    for line, row in rows[1:]:
        run, topic = _name(row[run_column]), _name(row[topic_column])
        scores_of_topics = table.setdefault(run, {})
        scores = [_score(path, line, row[column]) for column in columns]
        if topic == "all":
            # The last row `all` of a run is its summary; an earlier one is a topic of that name.
            earlier_row = summaries.get(run)
            summaries[run] = scores
            if earlier_row is None:
                continue
            scores = earlier_row
        if topic.encode() in scores_of_topics:
            raise InputError(
                path, line, f"run {quoted(run)} has topic {quoted(topic)} twice", "each topic once per run"
            )
        scores_of_topics[topic.encode()] = scores
    _check_summaries(path, table, summaries, warn)
    return _paired(path, table, [heading[column] for column in columns], complete)


def _means_alone(path: str, rows: list[tuple[int, list[str]]]) -> PairedScores:
    """Return the means of runs of a table without topics: a run and its means in each row."""
    _, header = rows[0]
    measures = [cell.strip() for cell in header[1:]]
    runs, values = [], []
    for line, row in rows[1:]:
        runs.append(_name(row[0]))
        values.append([_score(path, line, cell) for cell in row[1:]])
    means = np.array(values, np.float64).reshape(-1, len(measures)).T
    return PairedScores(
        runs=tuple(runs),
        measures=tuple(measures),
        topics=(),
        values=np.zeros((*means.shape, 0)),
        means=means,
        num_all_topics=0,
        falling=falling_labels(measures),
    )


def choose_columns(scores: PairedScores, texts: Sequence[str], options: Options) -> PairedScores:
    """Return the columns that -m texts name, by headings of the file or by labels, in the order of the texts.

    Raises MeasureError for a text that names none.
    """
    chosen: dict[str, int] = {}
    for text in texts:
        labels = [text]
        if text not in scores.measures:
            with suppress(MeasureError):
                labels = [column.label for column in select([text], options)]
        rows = {label: scores.measures.index(label) for label in labels if label in scores.measures}
        if not rows:
            known = ", ".join(scores.measures)
            raise MeasureError(f"-m {text}: no such column in the file of scores, expected {known}")
        chosen |= rows
    return scores.of_measures(list(chosen.values()), list(chosen))


def _check_summaries(
    path: str,
    table: dict[str, dict[bytes, list[float]]],
    summaries: dict[str, list[float]],
    warn: Callable[[str], None],
) -> None:
    """Warn if rows `all` are not the means of their run's topics: then they may be topics.

    Raises NoCommonTopicError for a run that has no other row.
    """
    runs_without_mean = []
    for run, summary in summaries.items():
        if not table[run]:
            expected = "rows of its topics, as --format csv -q writes them"
            raise NoCommonTopicError(
                f"{path}: run {quoted(run)} has only the row 'all', its summary, expected {expected}"
            )
        # One column with the mean is enough: others may have a sum or a geometric mean.
        means = np.mean([*table[run].values()], axis=0)
        if not np.isclose(summary, means, atol=1e-4).any():
            runs_without_mean.append(run)
    if runs_without_mean:
        more = ""
        if len(runs_without_mean) > 1:
            more = f" (and those of {plural(len(runs_without_mean) - 1, 'more run')})"
        warn(
            f"{path}: the row 'all' of run {quoted(runs_without_mean[0])}{more} is taken for its summary and"
            " left out, but it is not the mean of its topics: if it is a topic, give it another name"
        )


def _paired(
    path: str, table: dict[str, dict[bytes, list[float]]], measures: list[str], complete: bool
) -> PairedScores:
    """Return the scores of all runs over the same topics; raise NoCommonTopicError if there are none.

    table     for each run the scores of its topics, in the order of the measures
    complete  whether a topic that a run lacks counts as 0; else it is left out for all runs
    """
    union = set().union(*table.values())
    topics = sorted(union if complete else union.intersection(*table.values()))
    if not topics:
        raise NoCommonTopicError(f"{path}: no topic with scores of all runs, expected one at least")
    zeros = [0.0] * len(measures)
    rows = [[scores.get(topic, zeros) for topic in topics] for scores in table.values()]
    values = np.array(rows).transpose(2, 0, 1)
    return PairedScores(
        runs=tuple(table),
        measures=tuple(measures),
        topics=tuple(topics),
        values=np.ascontiguousarray(values),
        means=means_of(values),
        num_all_topics=len(union),
        falling=falling_labels(measures),
        bounded=bounded_labels(measures),
        lacking=tuple(
            (run, len(union) - len(scores)) for run, scores in table.items() if len(scores) < len(union)
        ),
    )


def first_line(text: str) -> str:
    """Return the first line that is not empty, without a byte order mark."""
    return text.lstrip("\ufeff \r\n").partition("\n")[0]


def _rows(path: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty with their line numbers, the heading first.

    Raises InputError for a row with another number of columns than the heading.
    """
    separator = "\t" if "\t" in first_line(text) else ","
    content = io.StringIO(text.removeprefix("\ufeff"))
    lines = separated_rows(path, content, expected="CSV as --format csv writes it", separator=separator)
    rows = [(line, row) for line, row in lines if any(cell.strip() for cell in row)]
    if not rows or len(rows[0][1]) < 2:
        raise InputError(path, rows[0][0] if rows else None, "no heading", "run,MEASURE,MEASURE,...")
    for line, row in rows[1:]:
        if len(row) != len(rows[0][1]):
            raise InputError(path, line, f"{len(row)} columns", f"{len(rows[0][1])} as in the heading")
    return rows


def _name(cell: str) -> str:
    """Return the name in a cell without the apostrophe that keeps spreadsheets from reading a formula."""
    return cell.strip().removeprefix("'")


def _score(path: str, line: int, cell: str) -> float:
    """Return the score in a cell; raise InputError for other text and for numbers beyond LARGEST_SCORE."""
    score = number_of(cell)
    if math.isnan(score) or abs(score) > LARGEST_SCORE:
        raise InputError(path, line, quoted(cell), f"a number from -{LARGEST_SCORE:g} to {LARGEST_SCORE:g}")
    return score
