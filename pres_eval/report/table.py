"""Evaluations as tables: for people (tabulate, LaTeX, Markdown) and for spreadsheets and pandas (CSV, TSV).

Tables for people round to `digits`; CSV and TSV give every number in full, and make text that a spreadsheet
would take for a formula harmless (see `guarded`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pres_eval.errors import UsageError, nearest
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.names import run_names
from pres_eval.report.text import exact, shown, text_of
from pres_eval.scoring import Evaluation

FORMATS = ("trec", "table", "csv", "tsv", "json", "jsonl", "latex", "markdown")
"""What --format takes; trec is the default."""

DEFAULT_STYLE = "simple"
DEFAULT_DIGITS = 4

Cell = Callable[[float, Format], str]


@dataclass(frozen=True)
class Layout:
    """What of the evaluations is shown, and how.

    per_topic  a row for each topic as well (-q)
    summary    the rows over all topics (not with -n)
    digits     digits after the point in tables for people (--digits)
    style      one of tabulate's table styles (--style)
    """

    per_topic: bool = False
    summary: bool = True
    digits: int = DEFAULT_DIGITS
    style: str = DEFAULT_STYLE


def styles() -> list[str]:
    """The table styles that --style takes: tabulate's, without the one that leaves `<script>` as it is."""
    from tabulate import tabulate_formats

    return [style for style in tabulate_formats if style != "unsafehtml"]


def as_table(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """A table for the terminal; one run without topics stands upright, a measure a line."""
    if layout.style not in styles():
        expected = ", ".join(nearest(layout.style, styles()) or styles())
        raise UsageError(f"--style {layout.style}: not a table style, expected one of {expected}")
    return _tabulated(evaluations, layout, layout.style, str)


def as_markdown(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """The table as GitHub reads it, with the characters that mean something in Markdown escaped."""
    return _tabulated(evaluations, layout, "pipe", _markdown)


def as_latex(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """The table for LaTeX (package booktabs), special characters escaped."""
    return _tabulated(evaluations, layout, "latex_booktabs", str)


def as_csv(evaluations: Sequence[Evaluation], layout: Layout = Layout(), delimiter: str = ",") -> str:
    """Comma-separated values: file, run, topic (`all` for the summary), then each measure with all digits."""
    output = io.StringIO()
    writer = csv.writer(output, delimiter=delimiter, lineterminator="\n")
    columns = _columns(evaluations, layout)
    writer.writerow(["file", "run", "topic", *(guarded(label) for label in columns)])
    for evaluation in evaluations:
        start = [guarded(text_of(evaluation.path)), guarded(text_of(evaluation.tag))]
        for topic, cells in _rows(evaluation, columns, layout, exact):
            writer.writerow([*start, guarded(topic), *cells])
    return output.getvalue()


def as_tsv(evaluations: Sequence[Evaluation], layout: Layout = Layout()) -> str:
    """The same as `as_csv`, separated by tabs."""
    return as_csv(evaluations, layout, "\t")


_STARTS_FORMULA = re.compile("[=+\\-@'\t\r＝＋－＠]")


def guarded(text: str) -> str:
    """Text for a spreadsheet: what would start a formula (`= + - @`) gets an apostrophe in front.

    Text that starts with an apostrophe gets another one, so that taking one away always gives the text back.
    Numbers of the evaluation never pass through here: -0.5 stays a number.
    """
    return f"'{text}" if _STARTS_FORMULA.match(text) else text


def _columns(evaluations: Sequence[Evaluation], layout: Layout) -> dict[str, SelectedColumn]:
    """The columns of a table: not the run's tag, which is the name of the row, and none that stays empty."""
    return {
        column.label: column
        for evaluation in evaluations
        for column, summary in zip(evaluation.columns, evaluation.summary, strict=True)
        if column.measure.format is not Format.TAG
        and ((layout.per_topic and column.measure.per_topic) or (layout.summary and summary is not None))
    }


def _rows(
    evaluation: Evaluation, columns: dict[str, SelectedColumn], layout: Layout, cell: Cell
) -> Iterator[tuple[str, list[str]]]:
    """The rows of one run: (topic, a cell for each column); the last is `all`."""
    if layout.per_topic:
        texts = dict(_column_texts(evaluation, cell))
        empty = [""] * len(evaluation.topics)
        by_column = [texts.get(label, empty) for label in columns]
        for number, topic in enumerate(evaluation.topics):
            yield text_of(topic), [column[number] for column in by_column]
    if layout.summary:
        values = {
            c.label: (v, c.measure.format)
            for c, v in zip(evaluation.columns, evaluation.summary, strict=True)
        }
        yield "all", [_summary_text(*values.get(label, (None, Format.FLOAT)), cell) for label in columns]


def _column_texts(evaluation: Evaluation, cell: Cell) -> Iterator[tuple[str, list[str]]]:
    for column, values in zip(evaluation.columns, evaluation.values, strict=True):
        kind = column.measure.format
        if not column.measure.per_topic or kind is Format.TAG:
            continue
        if isinstance(values, list):
            yield (
                column.label,
                [guarded(text_of(value)) if cell is exact else text_of(value) for value in values],
            )
        else:
            yield column.label, [cell(value, kind) for value in values.tolist()]


def _summary_text(value: float | str | None, kind: Format, cell: Cell) -> str:
    if value is None:
        return ""
    return text_of(value) if isinstance(value, str) else cell(value, kind)


def _tabulated(
    evaluations: Sequence[Evaluation], layout: Layout, style: str, escaped: Callable[[str], str]
) -> str:
    from tabulate import tabulate

    columns = _columns(evaluations, layout)
    names = run_names([(evaluation.tag, evaluation.path) for evaluation in evaluations])
    texts: list[list[str]] = []
    for name, evaluation in zip(names, evaluations, strict=True):
        rows = _rows(evaluation, columns, layout, lambda value, kind: shown(value, layout.digits, kind))
        texts += [[name, topic, *cells] for topic, cells in rows]
    header = ["run", "topic", *columns]
    if not layout.per_topic:
        header, texts = _without(1, header, texts)
        if len(evaluations) == 1 and texts:
            header, texts = (
                ["measure", *names],
                [list(pair) for pair in zip(header[1:], texts[0][1:], strict=True)],
            )
    elif len(evaluations) == 1:
        header, texts = _without(0, header, texts)
    left = sum(label in ("run", "topic", "measure") for label in header)
    text = tabulate(
        [[escaped(cell) for cell in row] for row in texts],
        headers=[escaped(label) for label in header],
        tablefmt=style,
        # It would turn topic 1e5 into 100000 and 0.5000 into 0.5.
        disable_numparse=True,
        colalign=["left"] * left + ["right"] * (len(header) - left) if texts else None,
    )
    return f"{text}\n"


def _without(place: int, header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    return header[:place] + header[place + 1 :], [row[:place] + row[place + 1 :] for row in rows]


_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(lambda found: "\\" + found[0], text).replace("&", "&amp;").replace("<", "&lt;")
