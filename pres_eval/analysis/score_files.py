"""Scores of runs on topics in files of other programs: trec_eval's output, JSON Lines, CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from pres_eval.analysis.score_tables import first_line
from pres_eval.errors import InputError, number_of, quoted
from pres_eval.options import SUMMARY_TOPIC
from pres_eval.reading.formats.csv_rows import separated_rows
from pres_eval.reading.headings import TOPIC, Naming, pick

RUN_HEADINGS = ("run", "run_id", "runid", "system", "tag")
"""Headings of a column of runs' names, as other programs write them; the first that a file has counts."""
NO_NAMING = Naming({}, {})
"""Only the known headings: no option --columns names others."""

FILE_HEADING = "file"
"""A column that pres-eval's own CSV has beside the run: the run's path, no measure."""

OUTPUT_LINE = re.compile(r"(\S+)\s+(\S+)\s+(\S+)\s*")
"""A line of trec_eval's output: measure, topic, value."""

ENDS_IN_NUMBER = re.compile(r"\s[\d.e+-]+\s*$")
"""End of a line whose last field is a number."""

Score = tuple[str, str, str, str]
"""Run, topic, measure and value."""


def is_table(text: str) -> bool:
    """Return whether a text is CSV or TSV with a heading, and no output of trec_eval."""
    first = first_line(text)
    return not first.startswith("{") and not _is_output_line(first)


def is_scores(text: str) -> bool:
    """Return whether a text begins as scores do: output of trec_eval, JSON Lines with topics, CSV."""
    first = first_line(text)
    if first.startswith("{"):
        return re.search(r'"(?:qid|query_id|topic)"\s*:', first) is not None
    if _is_output_line(first):
        return True
    headings = [heading.strip('" \r') for heading in re.split(r"[\t,]", first)]
    if len(headings) < 2:
        return False
    names_run = pick(headings, RUN_HEADINGS) is not None
    return names_run or NO_NAMING.column(TOPIC, headings) is not None


def _is_output_line(line: str) -> bool:
    """Return whether a line is one of trec_eval's output: `map  301  0.25` or `runid  all  bm25`."""
    fields = OUTPUT_LINE.fullmatch(line)
    if fields is None:
        return False
    return fields[2] == SUMMARY_TOPIC or ENDS_IN_NUMBER.search(line) is not None


def as_table(files: Sequence[tuple[str, str]]) -> str:
    """Return the scores of files, as CSV: run, topic and the measures that all rows have.

    files  path and text of each

    A run has the name that its file gives it, else that of the file.  Raises InputError for text that has no
    scores, for a value that comes twice or is no number, and if no measure has a value of each run and topic.
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    path_of_row: dict[tuple[str, str], str] = {}
    for path, text in files:
        has_scores = False
        for run, topic, measure, value in _scores(path, text):
            has_scores = True
            values = rows.setdefault((run, topic), {})
            path_of_row[run, topic] = path
            if measure in values:
                what = f"{measure} of topic {quoted(topic)} and run {quoted(run)} twice"
                raise InputError(path, None, what, "each value once")
            values[measure] = value
        if not has_scores:
            raise InputError(
                path, None, "no scores of topics", "lines of trec_eval -q, JSON Lines with qid, or CSV"
            )
    measures = list(next(iter(rows.values())))
    for values in rows.values():
        measures = [measure for measure in measures if measure in values]
    if not measures:
        path = ", ".join(path for path, _ in files)
        raise InputError(path, None, "no measure of all runs and topics", "one that all files have")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["run", "topic", *measures])
    for (run, topic), values in rows.items():
        row = [run, topic]
        for measure in measures:
            if math.isnan(number_of(values[measure])):
                what = f"{measure} {quoted(values[measure])} of topic {quoted(topic)} and run {quoted(run)}"
                raise InputError(path_of_row[run, topic], None, what, "a number")
            row.append(values[measure])
        writer.writerow(row)
    return stream.getvalue()


def _scores(path: str, text: str) -> Iterator[Score]:
    """Return the scores of a file: trec_eval's output, JSON Lines or a table."""
    name = PurePosixPath(path).name.partition(".")[0] or path
    if text.lstrip("\ufeff \n").startswith("{"):
        return _of_records(path, text, name)
    if is_table(text):
        return _of_table(path, text, name)
    return _of_output(path, text, name)


def _of_output(path: str, text: str, name: str) -> Iterator[Score]:
    """Yield the scores of topics in trec_eval's output.

    name  of the run, where no line `runid` names it
    """
    tag = re.search(r"^runid\s+all\s+(\S+)\s*$", text, re.MULTILINE)
    run = name if tag is None else tag[1]
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = OUTPUT_LINE.fullmatch(line)
        if match is None:
            raise InputError(
                path, number, quoted(line), "measure, topic and value, as trec_eval -q prints them"
            )
        measure, topic, value = match.groups()
        is_number = not math.isnan(number_of(value))
        if topic != SUMMARY_TOPIC and is_number:
            yield run, topic, measure, value


def _of_records(path: str, text: str, name: str) -> Iterator[Score]:
    """Yield the numbers of each record of JSON Lines, which has the topic as `qid` or the like.

    name  of the run, where a record has none
    """
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            raise InputError(path, number, quoted(line), "an object of JSON") from None
        topic = NO_NAMING.column(TOPIC, list(record)) if isinstance(record, dict) else None
        if topic is None:
            raise InputError(path, number, quoted(line), "an object with qid, query_id or topic")
        run = pick(record, RUN_HEADINGS)
        run_name = name if run is None else str(record[run])
        for measure, value in record.items():
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if is_number and measure not in (topic, run):
                yield run_name, str(record[topic]), measure, repr(value)


def _of_table(path: str, text: str, name: str) -> Iterator[Score]:
    """Yield the scores of CSV or TSV with a column of topics, and perhaps one of runs.

    name  of the run, where the table has no column of runs
    """
    separator = "\t" if "\t" in first_line(text) else ","
    stream = io.StringIO(text.removeprefix("\ufeff"))
    rows = separated_rows(path, stream, expected="CSV with a topic", separator=separator)
    lines = ((line, cells) for line, cells in rows if any(cell.strip() for cell in cells))
    first, header = next(lines, (1, []))
    topic, run = NO_NAMING.column(TOPIC, header), pick(header, RUN_HEADINGS)
    if topic is None:
        raise InputError(path, first, f"columns {', '.join(header)}", "topic,MEASURE,...")
    for line, cells in lines:
        if len(cells) != len(header):
            raise InputError(path, line, f"{len(cells)} columns", f"{len(header)} as in the heading")
        row = dict(zip(header, cells, strict=True))
        if row[topic] == SUMMARY_TOPIC:
            continue
        run_name = name if run is None else row[run]
        for measure, value in row.items():
            if measure not in (topic, run, FILE_HEADING):
                yield run_name, row[topic], measure, value
