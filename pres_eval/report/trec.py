"""trec_eval's lines: label, topic, value, with a tab between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.options import SUMMARY_TOPIC
from pres_eval.report.text import exact
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import ScoredBlock


def topic_lines(block: ScoredBlock, selection: Selection, zscores: bool = False) -> bytes:
    """Return trec_eval's lines of some topics (-q), one for each column that has values of topics.

    zscores: whether the values are Z-scores (-Z), which have another format
    """
    shown: list[tuple[SelectedColumn, Sequence[Any]]] = []
    for column, values in zip(selection, block.values, strict=True):
        if column.measure.per_topic:
            shown.append((column, values if isinstance(values, list) else values.tolist()))
    return _lines(block.topics, shown, zscores)


def summary_lines(
    summary: Sequence[float | str | None], selection: Selection, zscores: bool = False
) -> bytes:
    """Return trec_eval's lines over all topics, one for each column that has a value over them."""
    shown = []
    for column, value in zip(selection, summary, strict=True):
        if value is not None:
            shown.append((column, [value]))
    return _lines([SUMMARY_TOPIC.encode()], shown, zscores)


def evaluation_lines(evaluation: ScoredRun, per_topic: bool, summary: bool, zscores: bool = False) -> bytes:
    """Return the lines of a whole evaluation."""
    lines = b""
    if per_topic:
        lines += topic_lines(evaluation, evaluation.columns, zscores)
    if summary:
        lines += summary_lines(evaluation.summary, evaluation.columns, zscores)
    return lines


def _lines(
    topics: Sequence[bytes], shown: Sequence[tuple[SelectedColumn, Sequence[Any]]], zscores: bool
) -> bytes:
    """Return the lines of topics, one for each column.

    shown: the columns, each with its values of the topics
    trec_eval: C prints the nan of 0/0 as -nan; a Z-score keeps the sign of its nan.
    """
    if not shown:
        return b""
    # The lines of one topic, with places for its name and its values.
    template = "".join(_line(column, zscores) for column, _ in shown)
    rows = zip(*(_printable(values, column, zscores) for column, values in shown), strict=True)
    names = (topic.decode("utf-8", "surrogateescape").replace("%", "%%") for topic in topics)
    text = "".join([template.replace("\0", name) % row for name, row in zip(names, rows, strict=True)])
    if not zscores:
        text = text.replace("\t   nan\n", "\t  -nan\n")
    return text.encode("utf-8", "surrogateescape")


def _line(column: SelectedColumn, zscores: bool) -> str:
    """Return a line of a column as a template for %: a NUL stands for the topic, %… for the value."""
    kind = column.measure.format
    prefix, template = "", kind.value
    if zscores and kind in (Format.FLOAT, Format.COUNT):
        prefix, template = "Z", "%s"
    elif kind is Format.COUNT:
        template = "%d"
    # trec_eval: printf pads to 22 bytes, not characters.
    label = column.label + " " * (22 - len(column.label.encode("utf-8", "surrogateescape")))
    return f"{prefix}{label.replace('%', '%%')}\t\0\t{template}\n"


def _printable(values: Sequence[Any], column: SelectedColumn, zscores: bool) -> Sequence[Any]:
    """Return values as the template of their line takes them.

    Z-scores are text already, as Python's % prints no sign of nan.
    """
    if column.measure.format in (Format.TEXT, Format.TAG):
        return values
    if zscores:
        return [f"{exact(value):>6}" if math.isnan(value) else f"{value:6.4f}" for value in values]
    if column.measure.format is Format.COUNT:
        # Counts are whole numbers; nan, which %d does not take, is printed as 0.
        return [0 if math.isnan(value) else value for value in values]
    return values
