"""Pictures of judgements: the ranking of runs under fewer of them, and under those of another judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pres_eval.arrays import AnyArray
from pres_eval.report.agreement import draw_rank_changes
from pres_eval.report.drawing import add_legend, line_styles, new_figure, panels, picture_names, picture_text
from pres_eval.report.paper import FIGURE_POINTS, LEAST_POINTS, Axes, Figure, page_height, paper_inches
from pres_eval.report.text import fitted

SAMPLE = "each sample"
"""Name of the dots in the legend."""

TAU_LEVELS = {0.9: "about the same", 0.8: "noticeable\nchange below"}
"""Meaning of a Kendall τ between two rankings of runs (Voorhees 2000)."""


LEAST_SHOWN_TAU = 0.75
"""Lower end of the y axis if no correlation is below it, so that the levels of a Kendall τ are seen."""


def robustness_figure(
    fractions: Sequence[float], plots: Mapping[str, Mapping[str, AnyArray]], coefficient: str
) -> Figure:
    """Draw the lowest correlation at each of F fractions of the relevant documents, and dots for S samples.

    plots: title of a panel -> label of a line -> (F + 1, S) correlations with the full ranking, in the last
        row with nothing taken out
    coefficient: name of the correlation

    The legend says which lines are missing, as all runs tie (nan).  Figures 3 and 4 of Magdy & Jones, CLEF
    2010, are such panels.
    """
    percent = [100 * fraction for fraction in fractions]
    percent.append(100)
    lowest = math.inf
    has_correlation: dict[str, bool] = {}
    for lines in plots.values():
        for name, taus in lines.items():
            numbers = taus[~np.isnan(taus)]
            if len(numbers) > 0:
                has_correlation[name] = True
            else:
                has_correlation.setdefault(name, False)
            lowest = float(numbers.min(initial=lowest))
    if lowest == math.inf:  # all are nan
        lowest = LEAST_SHOWN_TAU
    names = list(has_correlation)
    looks = dict(zip(names, line_styles(len(names)), strict=True))
    with panels(
        len(plots),
        most_columns=len(plots),
        plot_inches=(3.4, 3.8),
        margin_inches=(1.0, 0.0),
        sharey=True,
    ) as (figure, grid):
        for axes, (title, lines) in zip(grid, plots.items(), strict=True):
            _draw_correlations(axes, percent, lines, looks)
            axes.set_title(picture_text(title), loc="left")
            axes.set_ylim(min(LEAST_SHOWN_TAU, lowest - 0.05), 1.02)
        left_edges = {axes.get_position().x0 for axes in grid}
        panels_in_row = len(left_edges)
        first_of_rows = grid[::panels_in_row]
        for axes in first_of_rows:
            axes.set_ylabel(f"{coefficient} with the full ranking")
        # One above its line, one below: they stay apart however near to each other the lines are.
        for (level, words), side in zip(TAU_LEVELS.items(), ("bottom", "top"), strict=True):
            grid[-1].annotate(
                f" {level}: {words}", (1, level), xycoords=("axes fraction", "data"), va=side, fontsize=7
            )
        lines_by_label: dict[Any, Any] = {}  # lines of the same label look the same in all panels
        for axes in grid:
            lines_by_label |= {line.get_label(): line for line in axes.get_lines()}
        handles = [lines_by_label[picture_text(name)] for name in names]
        labels = []
        for name in names:
            meaning = "lowest" if has_correlation[name] else "nan: all tie"
            labels.append(f"{picture_text(name)} ({meaning})")
        handles.append(lines_by_label[SAMPLE])
        labels.append(SAMPLE)
        add_legend(figure, handles, labels, min(4, len(names)))
    return figure


def _draw_correlations(
    axes: Axes,
    percent: Sequence[float],
    lines: Mapping[str, AnyArray],
    looks: Mapping[str, dict[str, Any]],
) -> None:
    """Draw for each label a line through the lowest correlation of each fraction, and dots for all samples.

    percent: the F fractions and 100; lines: label -> (F + 1, S) correlations; looks: by the same labels
    """
    for label, taus in lines.items():
        look = looks[label]
        axes.plot(percent, taus.min(axis=1), label=picture_text(label), linewidth=1.4, **look)
        dots = np.repeat(percent[:-1], taus.shape[1])
        axes.plot(dots, taus[:-1].ravel(), ".", markersize=3, color=look["color"], alpha=0.5, label=SAMPLE)
    for level in TAU_LEVELS:
        axes.axhline(level, color="#888888", linewidth=0.9, linestyle=":")
    axes.set(xticks=sorted(set(percent)), xlabel="relevant documents kept (% of each topic)")


WIDEST_INCHES = 14
"""Inches of a picture; wider ones continue in another row."""

MOST_ORDERS = 5
"""Measures whose orders of runs are drawn."""


@dataclass(frozen=True)
class Room:
    """Room that names take in a picture of judges.

    run_letters    letters of the name of a run
    judge_letters  letters of the name of a judge in a panel of positions
    least_width    inches between the names of the runs at both sides of a panel
    gap            inches between the names of the two judges below it
    """

    run_letters: int
    judge_letters: int
    least_width: float
    gap: float


ROOM_ON_PAPER = Room(run_letters=16, judge_letters=14, least_width=1.4, gap=0.4)
ROOM_ON_SCREEN = Room(run_letters=28, judge_letters=28, least_width=2.6, gap=1.0)

RUN_LETTER, JUDGE_LETTER = 0.075, 0.04
"""Inches of a letter in the names of runs, and of half a letter in those of judges, which are centred."""

GRADES_HEIGHT = 3.2
"""Inches of the map of grades."""


def judges_figure(
    judges: Sequence[str],
    grades: Sequence[int],
    counts: AnyArray,
    runs: Sequence[str],
    orders: Mapping[str, AnyArray],
    warn: Callable[[str], None],
) -> Figure:
    """Draw grades of the first judge against those of the second, and positions of the runs under both.

    counts: (G, G) documents by the number of the first and of the second judge's grade
    orders: measure -> (2, R) positions under the first and under the second judge; the first MOST_ORDERS of
        these are drawn, or as many as a page has room for
    warn: called with a line about those that are left out for lack of room
    """
    drawn_orders = list(orders.items())[:MOST_ORDERS]
    has_paper = math.isfinite(paper_inches())
    room = ROOM_ON_PAPER if has_paper else ROOM_ON_SCREEN
    judge_names = fitted(judges, room.judge_letters)
    # All sizes are inches.  The names of the judges stand below the lines, those of the runs at both sides.
    width_between_names = max(room.least_width, room.gap + JUDGE_LETTER * sum(map(len, judge_names)))
    longest = max(map(len, picture_names(runs, room.run_letters)), default=0)
    width_of_orders = width_between_names + 2 * RUN_LETTER * longest
    width_of_grades = max(3.4, 1.4 + 0.55 * len(grades))
    panel_width = width_of_grades
    if drawn_orders:
        panel_width = max(width_of_grades, width_of_orders)
    # The paper may shrink the picture until its letters are as small as letters may be.
    widest = min(WIDEST_INCHES, FIGURE_POINTS / LEAST_POINTS * paper_inches())
    columns_with_room = int(widest // panel_width)
    columns = max(1, min(1 + len(drawn_orders), columns_with_room))
    figure_width = columns * panel_width
    row_height = max(GRADES_HEIGHT, 1.0 + 0.2 * len(runs))
    most_drawn = _measures_on_page(figure_width, columns, len(runs))
    if len(drawn_orders) > most_drawn:
        drawn_orders = drawn_orders[:most_drawn]
        measures = ", ".join(measure for measure, _ in drawn_orders)
        warn(
            f"--plot: a page has room for {most_drawn} of {len(orders)} measures ({measures});"
            " -m chooses them"
        )
    rows = math.ceil((1 + len(drawn_orders)) / columns)
    heights = [row_height] * rows
    if columns == 1:
        heights[0] = GRADES_HEIGHT  # they are alone in their row
    # Names and titles need their own room, whatever the others take: each panel is a figure of its own.
    with new_figure(figure_width, sum(heights)) as figure:
        parts = figure.subfigures(rows, columns, squeeze=False, height_ratios=heights).ravel()
        draw_grades(parts[0].subplots(), fitted(judges, 28), grades, counts)
        for part, (measure, positions) in zip(parts[1:], drawn_orders, strict=False):
            axes = part.subplots()
            draw_rank_changes(axes, runs, judge_names, positions, room.run_letters)
            axes.set(title=f"Position of each run: {picture_text(measure)}", xlabel="judge")
    return figure


def _measures_on_page(width: float, columns: int, runs: int) -> int:
    """Return for how many measures a page has room beside and below the grades, 1 at least.

    width: inches of the picture; columns: panels side by side; runs: how many there are
    """
    page = min(page_height(width), 1e6)  # any finite height that holds all measures, if paper has no end
    row_height = max(1.9, 0.9 + 0.13 * runs)
    # Without a neighbour the grades are lower than the positions of many runs.
    first_row_height = 2.4 if columns == 1 else row_height
    rows = 1 + int((page - first_row_height) // row_height)
    return max(1, columns * rows - 1)  # one place has the grades


def draw_grades(axes: Axes, judges: Sequence[str], grades: Sequence[int], counts: AnyArray) -> None:
    """Draw the documents (G, G) by the grades of two judges as a map, darker for more, with the numbers."""
    shade = np.log1p(counts)
    if shade.size:  # of an empty map matplotlib warns
        axes.imshow(shade, cmap="Blues", vmin=0, vmax=max(1.0, float(shade.max())) * 1.6)
    for (row, column), count in np.ndenumerate(counts):
        axes.text(column, row, str(count), ha="center", va="center", fontsize=7.5)
    axes.grid(visible=False)
    axes.set(
        xticks=range(len(grades)),
        xticklabels=grades,
        yticks=range(len(grades)),
        yticklabels=grades,
        title=f"{int(counts.sum())} documents\nthat both judged",
        xlabel=f"grade of {picture_text(judges[1])}",
        ylabel=f"grade of {picture_text(judges[0])}",
    )
