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

from pres_eval.errors import no_such_run, plural
from pres_eval.report.paper import (
    FIGURE_POINTS,
    HEEDS_HIGHLIGHT,
    LEAST_PANEL,
    LEAST_POINTS,
    PAPER,
    Axes,
    Figure,
    is_narrow,
    paper_inches,
    room_for,
    shared_style,
    shrink_factor,
)
from pres_eval.report.text import cut, fitted, printable

NAME_INCHES = 0.14
"""Inches that a name below a bar needs."""

AROUND_PLOT = 0.8
"""Inches that title and labels of an axis take from a plot."""

POINTS_PER_INCH = 72

NAME_DISTANCE = 1.4
"""Distance of the names of lines, in heights of a letter."""

BESIDE_LABEL, LETTER_WIDTH = 6.5, 0.58
"""Widths in a legend, in heights of a letter: line and gap beside a label, and one letter of it."""

LEAST_PANEL_SHARE = 0.6
"""Part of its width to which a panel may be narrowed so that more of them stand side by side."""

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

    with shared_style():
        yield Figure(figsize=(width, height), layout="constrained")


@contextmanager
def one_plot(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """Give a figure, of a size in inches, with one plot in it."""
    with new_figure(width, height) as figure:
        yield figure, figure.subplots()


@contextmanager
def panels(
    count: int,
    *,
    most_columns: int,
    plot_inches: tuple[float, float],
    margin_inches: tuple[float, float] = (0.0, 0.0),
    **shared: Any,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Give a figure with a number of plots in rows, `most_columns` of them in a row, fewer on narrow paper.

    plot_inches, margin_inches: width and height of a plot, and of the margins around all of them together
    shared: arguments of matplotlib's `subplots`, such as sharey
    """
    plot_width, plot_height = plot_inches
    margin_width, margin_height = margin_inches
    least_width = min(LEAST_PANEL, LEAST_PANEL_SHARE * plot_width)
    columns_with_room = int(min(paper_inches() / least_width, most_columns))
    columns = max(1, min(columns_with_room, count))
    rows = math.ceil(count / columns)
    with new_figure(margin_width + columns * plot_width, margin_height + rows * plot_height) as figure:
        grid = figure.subplots(rows, columns, squeeze=False, **shared)
        for axes in grid.flat[count:]:
            axes.remove()
        yield figure, list(grid.flat[:count])


def add_legend(
    figure: Figure, handles: Sequence[Any], labels: Sequence[str], columns: int | None = None
) -> None:
    """Draw a legend below the plots in up to `columns` columns, as many as the paper has room for.

    columns None: in one column beside the plots; on narrow paper below them in up to two
    """
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
    """Return the height in inches of the letters of a figure on its paper."""
    return max(LEAST_POINTS, FIGURE_POINTS * shrink_factor(figure)) / POINTS_PER_INCH


def name_ends(figure: Figure, axes: Axes, lines: Sequence[Any], names: Sequence[str]) -> None:
    """Write names beside the right ends of lines, moved up or down so that they do not touch each other.

    The grey lines of `run_styles` have one name, `5 other runs`, at the first of them.
    """
    lines_with_points = []
    for line, name in zip(*named_lines(lines, names), strict=True):
        if len(line.get_ydata()) > 0:
            lines_with_points.append((line, name))
    lines_with_points.sort(key=lambda named_line: _end_and_mean(named_line[0]))
    ends = [float(line.get_ydata()[-1]) for line, _ in lines_with_points]
    # The figure's height on its paper: it shrinks as its letters do, which stay LEAST_POINTS high.
    factor = max(shrink_factor(figure), LEAST_POINTS / FIGURE_POINTS)
    figure_inches = float(figure.get_size_inches()[1]) * factor
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
        end_of_line = line.get_xdata()[-1], line.get_ydata()[-1]
        # Shares of the plot's width and height: a little to the right of it.
        position: Any = (1.04, height)
        axes.annotate(name, end_of_line, position, textcoords="axes fraction", va="center", arrowprops=arrow)


def _end_and_mean(line: Any) -> tuple[float, float]:
    """Return the height at which a line ends, and its mean height, which orders lines with the same end."""
    heights = line.get_ydata()
    return float(heights[-1]), float(heights.mean())


def _apart(ends: Sequence[float], limits: tuple[float, float], gap: float) -> list[float]:
    """Return where names of lines stand, as shares of the plot's height, at least `gap` from each other.

    ends    values at which the lines end, ascending; names stand there where there is room
    limits  values at the bottom and at the top of the plot
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


def name_bars(axes: Axes, names: Sequence[str], width: float) -> str:
    """Name the first bar and each n-th one after it, so that the names fit a figure `width` inches wide.

    Returns a note on the step n for the label of the axis: ` (one in 3 named)`; empty if all are named.
    """
    inches_for_names = min(paper_inches(), width) - AROUND_PLOT
    step = max(1, math.ceil(len(names) * NAME_INCHES / inches_for_names))
    axes.set_xticks(range(0, len(names), step), list(names[::step]), rotation=90, fontsize=7)
    return f" (one in {step} named)" if step > 1 else ""


def tick_whole_numbers(axis: Any) -> None:
    """Put ticks at whole numbers alone, as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def shorten_numbers(axes: Axes) -> None:
    """Put the power of ten of small numbers at the end of the x axis, so that they do not touch."""
    axes.ticklabel_format(axis="x", scilimits=(-2, 5), useMathText=True)


def picture_text(text: str, longest: int = 28) -> str:
    """Return text, cut to `longest` letters, for matplotlib to show as it is: dollar signs are escaped.

    A legend would leave out a text with an underscore in front: a blank comes before that.
    """
    text = cut(printable(text), longest)
    if text.startswith("_"):
        text = f" {text}"
    return text.replace("$", r"\$")


def picture_names(names: Sequence[str], longest: int = 28) -> list[str]:
    """Return the names of runs as `picture_text`, cut so that names that differ still look different."""
    longest = room_for(longest)
    return [picture_text(name, longest) for name in fitted(names, longest)]


def line_styles(count: int) -> list[dict[str, Any]]:
    """Return colour, dashes and marker of each of `count` lines, as arguments of matplotlib's `plot`.

    7 colours, 9 markers and 5 dashes, each in turn, come together again after 315 lines (their least common
    multiple); in black and white, without the colours, after 45.
    """
    styles = zip(range(count), cycle(COLOURS), cycle(MARKERS), cycle(DASHES), strict=False)
    return [{"color": colour, "marker": marker, "linestyle": dash} for _, colour, marker, dash in styles]


MOST_COLOURED, MOST_BEST = 8, 5
"""If there are more runs than the first number, only the best have colours, as many as the second number."""

OTHERS: dict[str, Any] = {"color": "#c8c8c8", "marker": "", "linestyle": "-", "zorder": 1.5}
"""Style of all other lines: grey, behind those with colours."""


def run_styles(names: Sequence[str], best: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Return a style for each run: `line_styles` for those that --highlight names, grey for others.

    best: numbers of the runs, the best first

    Without --highlight all runs have colours; if they are more than MOST_COLOURED and `best` is known, the
    first MOST_BEST of it have.  Raises UsageError if --highlight names a run that is not among these.
    """
    HEEDS_HIGHLIGHT.set(True)
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
    """Return the lines of a legend and their labels, or if there are none their names.

    Lines in colours have an entry each; all grey lines together have one: `5 other runs`.
    """
    coloured_lines, coloured_labels, grey_lines = [], [], []
    for line, label in zip(lines, labels or picture_names(names), strict=True):
        if line.get_color() == OTHERS["color"]:
            grey_lines.append(line)
        else:
            coloured_lines.append(line)
            coloured_labels.append(label)
    if grey_lines:
        coloured_lines.append(grey_lines[0])
        coloured_labels.append(plural(len(grey_lines), "other run"))
    return coloured_lines, coloured_labels
