"""Charts as SVG, drawn here so that a page needs no library and no script; colours come from its CSS.

Two drawers are kept on purpose, over the same numbers (`graphs`, `report_numbers`).  The page's charts follow
the reader's colour scheme, have a text for each mark, grow with the window, and are there without the extra
"plot".  Files for papers (PDF, PNG, `--plot`) are matplotlib's, which embeds fonts, wraps names and keeps to
the width of a column; nothing here could do that.

Each chart has a name, from which its ids in the page are made, a title, a description, and labels of axes.
Text is placed for a width of 480.  Series have the classes c0 ... c7 (colour) and d0 ... d3 (dashes) and one
of seven markers, each in turn: in black and white 28 differ, then dashes and marker come together again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.report.axes import (
    Axis,
    Frame,
    count_ticks,
    grid,
    nice_axis,
    text_at,
    upright_lines,
    x_texts,
)
from pres_eval.report.graphs import Graph
from pres_eval.report.markup import Content, Html, element
from pres_eval.report.text import cut, fitted

COLOUR_CLASSES, DASH_CLASSES = 8, 4
"""Classes of colours and of dashes that page.css has."""

MARKER_PATHS = (
    "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
    "m-2.7-2.7h5.4v5.4h-5.4z",
    "m0-3.8l3.5 6.2h-7z",
    "m0-4.1l3.4 4.1l-3.4 4.1l-3.4-4.1z",
    "m0 3.8l3.5-6.2h-7z",
    "m-3.3-2.1l1.2-1.2l2.1 2.1l2.1-2.1l1.2 1.2l-2.1 2.1l2.1 2.1l-1.2 1.2l-2.1-2.1l-2.1 2.1l-1.2-1.2l2.1-2.1z",
    "m-.9-3.5h1.8v2.6h2.6v1.8h-2.6v2.6h-1.8v-2.6h-2.6v-1.8h2.6z",
)
"""Circle, square, triangle, diamond, triangle on its head, cross, plus: paths from their middle."""


def series_class(number: int) -> str:
    """Return the classes of a series, by its number from 0: its colour and its dashes."""
    return f"c{number % COLOUR_CLASSES} d{number % DASH_CLASSES}"


def marker(number: int) -> str:
    """Return the path of the marker of a series, by its number from 0; it begins at the marker's middle."""
    return MARKER_PATHS[number % len(MARKER_PATHS)]


def line_chart(graph: Graph, names: Sequence[str]) -> Html:
    """Return the chart of a graph, a curve for each of the runs with these names."""
    frame = Frame(graph.x, graph.y)
    parts: list[Html] = []
    for number, (name, points) in enumerate(zip(names, graph.curves, strict=True)):
        corners: list[str] = []
        dots: list[Html] = []
        for x, y, tip_text in points:
            corner = f"{frame.across(x):.1f} {frame.down(y):.1f}"
            corners.append(corner)
            tip = element("title", f"{name}: {tip_text}")
            dots.append(element("path", tip, class_="mark", d=f"M{corner}{marker(number)}"))
        path = ""
        if corners:
            path = f"M{' L'.join(corners)}"
        line = element("path", class_="line", d=path)
        parts.append(element("g", line, *dots, class_=f"series {series_class(number)}", data_run=number))
    return _svg(graph.name, graph.title, graph.description, frame, [grid(frame), *parts])


@dataclass(frozen=True)
class Row:
    """A run in a chart of rows: a thin line, and on it a dot, or a box with a line at its middle.

    name    of the run
    series  its number, for its colour and marker
    middle  where the dot is, or the line of the box; nan: nothing is drawn
    line    ends of the thin line; nan: none is drawn
    box     ends of the box; None: a dot
    text    the text that a pointer over the row shows
    end     a few letters at the right end
    """

    name: str
    series: int
    middle: float
    line: tuple[float, float]
    box: tuple[float, float] | None
    text: str
    end: str = ""


ROW_HEIGHT = 20
"""Height of a row of a chart, in units of the viewBox."""

NAME_LETTERS, END_LETTERS = 24, 16
"""Letters that the name of a row and the text at its end may have."""

NAME_LETTER_WIDTH, END_LETTER_WIDTH = 7.7, 7.2
"""Widths of a letter of a name, and of the text at the end, in units of the viewBox."""


def row_chart(name: str, title: str, description: str, label: str, rows: Sequence[Row]) -> Html:
    """Return a chart with a row for each run, one below the other, over one axis of values.

    name: begins the ids of the chart; label: of the axis
    """
    names = fitted([row.name for row in rows], NAME_LETTERS)
    longest_name = max(map(len, names), default=1)
    longest_end = max((len(row.end) for row in rows), default=0)
    values: list[float] = []
    for row in rows:
        values += [value for value in (*row.line, row.middle) if np.isfinite(value)]
    frame = Frame(
        nice_axis(label, min(values, default=0.0), max(values, default=1.0)),
        height=54 + ROW_HEIGHT * len(rows),
        left=16 + round(NAME_LETTER_WIDTH * longest_name),
        right=16 + round(END_LETTER_WIDTH * min(longest_end, END_LETTERS)),
        top=6,
    )
    parts = [element("path", class_="grid", d=upright_lines(frame)), *x_texts(frame)]
    for number, (row, short_name) in enumerate(zip(rows, names, strict=True)):
        middle_y = frame.top + ROW_HEIGHT * (number + 0.5)
        parts.append(element("g", *_row(row, short_name, middle_y, frame), class_="row"))
    return _svg(name, title, description, frame, parts, kind="rows")


def _row(row: Row, short_name: str, middle_y: float, frame: Frame) -> list[Html]:
    """Return a row around this y: the text for a pointer, its name, its marks, the letters at its end."""
    baseline = f"{middle_y + 4:.0f}"
    tip = row.text
    if row.end:
        tip += f"; {row.end}"
    name = text_at(short_name, frame.left - 8, baseline, "end", "label")
    content = [element("title", tip), name, *_marks(row, middle_y, frame)]
    if row.end:
        letters = cut(row.end, END_LETTERS)
        content.append(text_at(letters, frame.width - frame.right + 10, baseline, None, "label"))
    return content


def _marks(row: Row, middle_y: float, frame: Frame) -> list[Html]:
    """Return the marks of a row around this y: interval, and box or dot; none for nan."""
    if not np.isfinite(row.middle):
        return []
    marks = []
    low, high = row.line
    if np.isfinite(low) and np.isfinite(high):  # one topic has no interval
        whisker = f"M{frame.across(low):.1f} {middle_y:.1f}H{frame.across(high):.1f}"
        marks.append(element("path", class_="whisker", d=whisker))
    middle = f"{frame.across(row.middle):.1f}"
    if row.box is None:
        marks.append(element("path", class_="mark", d=f"M{middle} {middle_y:.1f}{marker(row.series)}"))
    else:
        left, right = frame.across(row.box[0]), frame.across(row.box[1])
        box = element(
            "rect",
            class_="box",
            x=f"{left:.1f}",
            y=f"{middle_y - 5:.1f}",
            width=f"{max(right - left, 0.5):.1f}",
            height=10,
        )
        marks.append(box)
        marks.append(element("path", class_="middle", d=f"M{middle} {middle_y - 6:.1f}v12"))
    return [element("g", *marks, class_=f"series {series_class(row.series)}")]


MOST_BARS_APART = 300
"""With more bars than this there is no room for gaps between them."""

BAR_GAP = 0.15
"""Gap at each side of a bar, as a part of the room that it has."""


def _starts_of_equal(numbers: Sequence[float]) -> list[int]:
    """Return where each stretch of equal numbers begins.

    >>> _starts_of_equal([0.5, 0.5, 0.2, 0.1, 0.1])
    [0, 2, 3]
    """
    starts = []
    for index, number in enumerate(numbers):
        if index == 0 or number != numbers[index - 1]:
            starts.append(index)
    return starts


def difference_chart(name: str, title: str, description: str, label: str, values: FloatArray) -> Html:
    """Return a chart of differences (topics,), largest first: a narrow bar for each, without nan.

    name: begins the ids of the chart; label: of the axis of values
    """
    ordered = np.sort(values[~np.isnan(values)])[::-1]
    y = nice_axis(label, float(ordered.min(initial=0.0)), float(ordered.max(initial=0.0)))
    x = Axis("Topics, by difference", 0.0, float(max(len(ordered), 1)), count_ticks(len(ordered)))
    frame = Frame(x, y, width=960, height=260, bottom=40)
    zero = frame.down(0.0)
    # Ends of the bars, to half a unit.
    ends = [round(2 * frame.down(value)) / 2 for value in ordered.tolist()]
    if len(ordered) <= MOST_BARS_APART:
        gap, starts = BAR_GAP, list(range(len(ends)))
    else:
        # Bars of the same height that stand side by side are drawn as one.
        gap, starts = 0.0, _starts_of_equal(ends)
    paths = {"above": "", "below": ""}
    for start, stop in pairwise([*starts, len(ends)]):
        has_height = ends[start] != zero and ordered[start] != 0
        if has_height:
            left, right = frame.across(start + gap), frame.across(stop - gap)
            kind = "above" if ordered[start] > 0 else "below"
            paths[kind] += f"M{left:.1f} {zero:.1f}V{ends[start]:g}H{right:.1f}V{zero:.1f}z"
    bars = [element("path", class_=kind, d=path) for kind, path in paths.items()]
    line = element("path", class_="zero", d=f"M{frame.left} {zero:.1f}H{frame.width - frame.right}")
    return _svg(name, title, description, frame, [grid(frame, vertical=False), *bars, line])


COLUMN_GAP = 0.12
"""Gap at each side of a column, as a part of the room that it has."""


def column_chart(
    name: str, title: str, description: str, axes: tuple[str, str], columns: Sequence[tuple[str, int]]
) -> Html:
    """Return a chart with a column for each (label, count), the count written above it.

    name: begins the ids of the chart; axes: labels of x and y
    """
    x_label, y_label = axes
    y = nice_axis(y_label, 0.0, float(max((count for _, count in columns), default=1)))
    x = Axis(x_label, 0.0, float(max(len(columns), 1)), ())
    frame = Frame(x, y, width=560, height=240, bottom=54, top=18)
    parts = [grid(frame, vertical=False)]
    zero = frame.down(0)
    for number, (label, count) in enumerate(columns):
        left, right = frame.across(number + COLUMN_GAP), frame.across(number + 1 - COLUMN_GAP)
        top = frame.down(count)
        middle = f"{(left + right) / 2:.1f}"
        column = element(
            "rect",
            element("title", f"{label}: {count}"),
            class_="above",
            x=f"{left:.1f}",
            y=f"{top:.1f}",
            width=f"{right - left:.1f}",
            height=f"{zero - top:.1f}",
        )
        # Every second label is a line lower: side by side they would touch on a phone.
        below = 16 if number % 2 == 0 else 30
        parts.append(column)
        parts.append(text_at(str(count), middle, f"{top - 4:.1f}"))
        parts.append(text_at(label, middle, f"{zero + below:.0f}"))
    return _svg(name, title, description, frame, parts, kind="columns")


def _svg(
    name: str, title: str, description: str, frame: Frame, content: Sequence[Content], kind: str = ""
) -> Html:
    """Return a chart with its title and description for readers of screens; `name` begins the ids of both."""
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        *content,
        class_=f"chart {kind}".rstrip(),
        viewBox=f"0 0 {frame.width} {frame.height}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def swatch(number: int) -> Html:
    """Return a short piece of the line of a series with its marker, as legends show it."""
    return element(
        "svg",
        element("path", class_="line", d="M1 6H35"),
        element("path", class_="mark", d=f"M18 6{marker(number)}"),
        class_=f"swatch series {series_class(number)}",
        viewBox="0 0 36 12",
        aria_hidden="true",
    )
