"""trec_eval's lines: label, topic, value, with a tab between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.report.text import exact
from pres_eval.scoring import ScoredRun
from pres_eval.summing import ScoredBlock

ALL = "all"
"""Text in the topic's place in summary lines."""


def topic_lines(block: ScoredBlock, selection: Selection, zscores: bool = False) -> bytes:
    """Return the lines of some topics, one for each column that is printed per topic."""
    shown = [
        (column, values)
        for column, values in zip(selection, block.values, strict=True)
        if column.measure.per_topic
    ]
    if not shown:
        return b""
    line = "".join(_line(column, "\0", zscores) for column, _ in shown)
    columns = [
        values if isinstance(values, list) else _printable(values.tolist(), column, zscores)
        for column, values in shown
    ]
    lines = []
    for topic, row in zip(block.topics, zip(*columns, strict=True), strict=True):
        name = topic.decode("utf-8", "surrogateescape").replace("%", "%%")
        lines.append(line.replace("\0", name) % row)
    return _bytes_of(lines, zscores)


def summary_lines(
    summary: Sequence[float | str | None], selection: Selection, zscores: bool = False
) -> bytes:
    """Return the lines over all topics."""
    lines = []
    for column, value in zip(selection, summary, strict=True):
        if value is not None:
            shown = value if isinstance(value, str) else _printable([value], column, zscores)[0]
            lines.append(_line(column, ALL, zscores) % shown)
    return _bytes_of(lines, zscores)


def evaluation_lines(evaluation: ScoredRun, per_topic: bool, summary: bool, zscores: bool = False) -> bytes:
    """Return the lines of a whole evaluation."""
    lines = topic_lines(evaluation, evaluation.columns, zscores) if per_topic else b""
    return lines + (summary_lines(evaluation.summary, evaluation.columns, zscores) if summary else b"")


def _line(column: SelectedColumn, topic: str, zscores: bool) -> str:
    """Return a line with a place for the value."""
    kind = column.measure.format
    counted = zscores and kind in (Format.FLOAT, Format.COUNT)
    template = "%d" if kind is Format.COUNT else kind.value
    label = column.label
    # trec_eval: printf pads to 22 bytes, not characters.
    label += " " * (22 - len(label.encode("utf-8", "surrogateescape")))
    label = label.replace("%", "%%")
    return f"{'Z' * counted}{label}\t{topic}\t{'%s' if counted else template}\n"


def _printable(values: list[float], column: SelectedColumn, zscores: bool) -> Sequence[float | str]:
    """Return values as their lines take them; a Z-score is text, as its nan has the sign of the file's."""
    if zscores:
        return [f"{exact(value):>6}" if math.isnan(value) else f"{value:6.4f}" for value in values]
    if column.measure.format is Format.COUNT:
        # trec_eval: (long) of a double that is no whole number or none at all never happens in counts.
        return [0 if math.isnan(value) else value for value in values]
    return values


def _bytes_of(lines: Sequence[str], zscores: bool) -> bytes:
    """Return lines with C's nan: 0.0/0.0 has its sign bit set on x86, a Z-score its own sign."""
    text = "".join(lines)
    text = text if zscores else text.replace("\t   nan\n", "\t  -nan\n")
    return text.encode("utf-8", "surrogateescape")
