"""Medians of other runs by topic, as TREC sends them to its participants."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pres_eval.errors import InputError, quoted
from pres_eval.reading.numbers import read_number
from pres_eval.reading.source import Source

LAYOUT = "`measure topic median`, or a heading `topic best median worst` with a line for each topic"
MEDIAN = b"median"
MEASURE = "map"
"""The measure of a table whose heading names none."""

Medians = dict[str, dict[bytes, float]]
"""For each label the median of each topic."""


def read_medians(source: Source) -> Medians:
    """Read a file of medians: columns between blanks, tabs or commas, `#` lines left out, in either layout.

    Lines of three columns, `measure topic median`, are what `-q` prints.  A table begins with a heading whose
    first column is `topic`; a column `median` is of average precision, `LABEL` or `LABEL_median` of that
    measure; columns named best, worst, min, max or mean, alone or after `LABEL_`, are passed over.
    Raises InputError for a line that is neither, for a number that is none, and for a topic given twice.
    """
    rows = [
        (number, line.replace(b",", b" ").split())
        for number, line in enumerate(
            b"".join(chunk.text() for chunk in source.chunks()).split(b"\n"),
            1,
        )
        if line.strip() and not line.lstrip().startswith(b"#")
    ]
    if not rows:
        raise InputError(source.name, None, "nothing in the file", LAYOUT)
    medians: Medians = {}
    if rows[0][1][0].lower() == b"topic":
        columns = _columns(source.name, *rows[0])
        for line, fields in rows[1:]:
            if len(fields) != len(rows[0][1]):
                raise InputError(
                    source.name, line, f"{len(fields)} columns", f"{len(rows[0][1])} as in the heading"
                )
            for place, label in columns:
                _add(medians, source.name, line, label, fields[0], fields[place])
        return medians
    for line, fields in rows:
        if len(fields) != 3:
            raise InputError(source.name, line, f"{len(fields)} columns", LAYOUT)
        if fields[1] != b"all":
            _add(medians, source.name, line, _text(fields[0]), fields[1], fields[2])
    return medians


PASSED_OVER = (b"best", b"worst", b"min", b"max", b"mean")


def _columns(name: str, line: int, heading: Sequence[bytes]) -> list[tuple[int, str]]:
    """The columns that hold medians, each with the label of its measure."""
    columns = []
    for place, field in enumerate(heading[1:], 1):
        label, _, what = field.rpartition(b"_")
        if field.lower() == MEDIAN:
            columns.append((place, MEASURE))
        elif what.lower() == MEDIAN:
            columns.append((place, _text(label)))
        elif field.lower() not in PASSED_OVER and what.lower() not in PASSED_OVER:
            columns.append((place, _text(field)))
    if not columns:
        raise InputError(name, line, "no column of medians", "one called median or after a measure")
    return columns


def _add(medians: Medians, name: str, line: int, label: str, topic: bytes, text: bytes) -> None:
    value = read_number(text)
    if value is None or not math.isfinite(value):
        raise InputError(name, line, quoted(text), f"a number, the median of {label}")
    by_topic = medians.setdefault(label, {})
    if topic in by_topic:
        raise InputError(name, line, f"topic {quoted(topic)} a second time", f"one median of {label} a topic")
    by_topic[topic] = value


def _text(label: bytes) -> str:
    return label.decode("utf-8", "surrogateescape")
