"""Style of pictures: panels, colours, lines, names, legends.

Colours are Okabe and Ito's, which colour-blind readers can distinguish; every line also has its own dashes
and marker, so that it can be recognised in black and white.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any

from pres_eval.errors import no_such_run
from pres_eval.report.paper import (
    FIGURE_LETTERS,
    HIGHLIGHTED,
    LEAST_LETTERS,
    LEAST_PANEL,
    PAPER,
    Axes,
    Figure,
    is_narrow,
    paper_inches,
    room_for,
    shrunk,
    style,
)
from pres_eval.report.text import cut, fitted, printable

EACH_NAME = 0.14
"""Inches that a name below a bar needs."""

AROUND_PLOT = 0.8
"""Inches that title and labels of an axis take from a plot."""

NAME_DISTANCE = 1.4
"""Distance of the names of lines, in heights of a letter."""

BESIDE_LABEL, LETTER_WIDTH = 6.5, 0.58
"""Widths in a legend, in heights of a letter: line and gap beside a label, and one letter of it."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe & Ito (2008) without the yellow, which is too pale for a line on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
"""Markers of lines, as matplotlib names them."""

DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
"""Dashes of lines: solid, or lengths of strokes and gaps in points."""


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """Give a figure, of a size in inches, to draw inside the block."""
    from matplotlib.figure import Figure

    with style():
        yield Figure(figsize=(width, height), layout="constrained")


@contextmanager
def one_plot(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """Give a figure, of a size in inches, with one plot in it."""
    with new_figure(width, height) as figure:
        yield figure, figure.subplots()


@contextmanager
def panels(
    count: int,
    most: int,
    size: tuple[float, float],
    around: tuple[float, float] = (0.0, 0.0),
    **shared: Any,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Give a figure with plots in rows, `most` of them side by side, fewer on narrow paper.

    size, around: width and height in inches of a plot, and of the margins around all of them
    shared: arguments of subplots, such as sharey
    """
    least_width = min(LEAST_PANEL, 0.6 * size[0])
    with_room = int(min(paper_inches() / least_width, most))
    columns = max(1, min(with_room, count))
    rows = math.ceil(count / columns)
    with new_figure(around[0] + columns * size[0], around[1] + rows * size[1]) as figure:
        grid = figure.subplots(rows, columns, squeeze=False, **shared)
        for axes in grid.flat[count:]:
            axes.remove()
        yield figure, list(grid.flat[:count])


def add_legend(
    figure: Figure, handles: Sequence[Any], labels: Sequence[str], columns: int | None = None
) -> None:
    """Draw a legend below the plots in up to `columns` columns; None: beside them, on narrow paper below."""
    if columns is None and not is_narrow():
        figure.legend(handles, labels, loc="outside right upper", ncols=1, handlelength=3.5)
        return
    width = min(paper_inches(), float(figure.get_size_inches()[0]))
    longest_label = max(map(len, labels), default=0)
    entry_width = _letter_inches(figure) * (BESIDE_LABEL + LETTER_WIDTH * longest_label)
    columns_with_room = int(width / entry_width)
    ncols = max(1, min(columns or 2, columns_with_room))
    figure.legend(handles, labels, loc="outside lower center", ncols=ncols, handlelength=3.5)


def _letter_inches(figure: Figure) -> float:
    """Return the height of the letters of a figure on its paper in inches."""
    return max(LEAST_LETTERS, FIGURE_LETTERS * shrunk(figure)) / 72


def name_ends(figure: Figure, axes: Axes, lines: Sequence[Any], names: Sequence[str]) -> None:
    """Write names beside the right ends of lines, in the order of these ends, and apart from each other."""
    lines_with_points = []
    for line, name in zip(*named_lines(lines, names), strict=True):
        if len(line.get_ydata()) > 0:
            lines_with_points.append((line, name))
    lines_with_points.sort(key=lambda named: (named[0].get_ydata()[-1], float(named[0].get_ydata().mean())))
    ends = [float(line.get_ydata()[-1]) for line, _ in lines_with_points]
    # Of the figure on its paper, without title and labels of the axis.
    figure_inches = float(figure.get_size_inches()[1]) * max(shrunk(figure), LEAST_LETTERS / FIGURE_LETTERS)
    plot_inches = figure_inches - AROUND_PLOT
    gap = NAME_DISTANCE * _letter_inches(figure) / plot_inches
    heights = _apart(ends, axes.get_ylim(), gap)
    for (line, name), height in zip(lines_with_points, heights, strict=True):
        arrow = {
            "arrowstyle": "-",
            "color": line.get_color(),
            "linewidth": 0.7,
            "shrinkA": 0,
            "shrinkB": 0,
            "relpos": (0, 0.5),  # from before the name, so that it crosses no other
        }
        end = line.get_xdata()[-1], line.get_ydata()[-1]
        beside: Any = (1.04, height)
        axes.annotate(name, end, beside, textcoords="axes fraction", va="center", arrowprops=arrow)


def _apart(ends: Sequence[float], limits: tuple[float, float], gap: float) -> list[float]:
    """Return where names of lines stand, as shares of the plot's height, at least `gap` from each other.

    ends  where the lines end, ascending; names stand there where there is room
    """
    low, high = limits
    heights: list[float] = []
    lowest_free = 0.0
    for end in ends:
        height = max(lowest_free, (end - low) / (high - low))
        heights.append(height)
        lowest_free = height + gap
    # From the top, so that only those move down for which it is needed.
    highest_free = 1.0
    for number in reversed(range(len(heights))):
        heights[number] = min(heights[number], highest_free)
        highest_free = heights[number] - gap
    return heights


def name_bars(axes: Axes, names: Sequence[str], wide: float) -> str:
    """Name as many bars as there is room for in the width (inches) of a figure, from the left.

    Returns a note on that, to add to the label of the axis.
    """
    step = max(1, math.ceil(len(names) * EACH_NAME / (min(paper_inches(), wide) - AROUND_PLOT)))
    axes.set_xticks(range(0, len(names), step), list(names[::step]), rotation=90, fontsize=7)
    return f" (one in {step} named)" if step > 1 else ""


def tick_whole_numbers(axis: Any) -> None:
    """Put ticks at whole numbers alone, as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def shorten_numbers(axes: Axes) -> None:
    """Put the power of ten of small numbers at the end of the x axis, so that they do not touch."""
    axes.ticklabel_format(axis="x", scilimits=(-2, 5), useMathText=True)


def plain(text: str, longest: int = 28) -> str:
    """Return text that matplotlib shows as it is: dollar signs escaped, cut to `longest`.

    A legend would leave out a text with an underscore in front: a blank comes before that.
    """
    text = cut(printable(text), longest)
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def plain_names(names: Sequence[str], longest: int = 28) -> list[str]:
    """Return the names of runs in pictures: as `plain` makes them, but names that differ look different."""
    longest = room_for(longest)
    return [plain(name, longest) for name in fitted(names, longest)]


def line_styles(count: int) -> list[dict[str, Any]]:
    """Return colour, dashes and marker of each line: all different up to 315, without the colour up to 45."""
    styles = zip(range(count), cycle(COLOURS), cycle(MARKERS), cycle(DASHES), strict=False)
    return [{"color": colour, "marker": marker, "linestyle": dash} for _, colour, marker, dash in styles]


MOST_COLOURED, MOST_BEST = 8, 5
"""If there are more lines than the first number, only the second number of them have colours."""

OTHERS: dict[str, Any] = {"color": "#c8c8c8", "marker": "", "linestyle": "-", "zorder": 1.5}
"""Style of all other lines: grey, behind those with colours."""


def run_styles(names: Sequence[str], best: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Return a style for each run: `line_styles` for those that the paper highlights, grey for others.

    If it highlights none, all have colours, or if they are many, the best.  Notes in HIGHLIGHTED that the
    picture heeds --highlight.

    best: the runs, the best first; None: all have colours, however many they are.  Raises UsageError for a
    run to be highlighted that is not there.
    """
    HIGHLIGHTED.set(True)
    highlighted = PAPER.get().highlight
    for name in highlighted:
        if name not in names:
            raise no_such_run("--highlight", name, names)
    if highlighted:
        coloured = [run for run, name in enumerate(names) if name in highlighted]
    elif best is None or len(names) <= MOST_COLOURED:
        coloured = list(range(len(names)))
    else:
        coloured = sorted(best[:MOST_BEST])
    looks = dict(zip(coloured, line_styles(len(coloured)), strict=True))
    return [looks.get(run, OTHERS) for run in range(len(names))]


def named_lines(
    lines: Sequence[Any], names: Sequence[str], labels: Sequence[str] | None = None
) -> tuple[list[Any], list[str]]:
    """Return the lines of a legend with their labels or names: each with a colour, the others as one."""
    coloured_lines, coloured_labels, grey_lines = [], [], []
    for line, label in zip(lines, labels or plain_names(names), strict=True):
        if line.get_color() == OTHERS["color"]:
            grey_lines.append(line)
        else:
            coloured_lines.append(line)
            coloured_labels.append(label)
    if grey_lines:
        coloured_lines.append(grey_lines[0])
        coloured_labels.append(f"{len(grey_lines)} other runs")
    return coloured_lines, coloured_labels
