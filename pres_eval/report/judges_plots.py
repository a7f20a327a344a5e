"""The picture of two judges: grades against grades, and the order of the runs under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.report.drawing import new_figure, plain, plain_names
from pres_eval.report.names import fitted
from pres_eval.report.paper import Axes, Figure, room
from pres_eval.report.position_plots import draw_rank_changes

WIDEST = 14
"""Inches of a picture; what is wider goes on in another row."""

MOST_ORDERS = 5
"""Measures whose orders of runs are drawn."""


def judges_figure(
    judges: Sequence[str],
    grades: Sequence[int],
    counts: NDArray[Any],
    runs: Sequence[str],
    orders: Mapping[str, NDArray[Any]],
) -> Figure:
    """Grades of the first judge against those of the second, (G, G) counts, and positions of the runs.

    orders: measure -> (2, R) positions under the first and under the second judge; the first five are drawn.
    """
    chosen = list(orders.items())[:MOST_ORDERS]
    judges = fitted(judges, 28)
    between = max(2.6, 1.0 + 0.04 * sum(map(len, judges)))
    # Names and titles need their own room, whatever the others take: each panel is a figure of its own.
    widths = [max(3.4, 1.4 + 0.55 * len(grades))]
    widths += [between + 2 * 0.075 * max(map(len, plain_names(runs)), default=0)] * len(chosen)
    columns = max(1, min(len(widths), int(min(WIDEST, 1.5 * room()) // max(widths))))
    rows = -(-len(widths) // columns)
    with new_figure(columns * max(widths), rows * max(3.2, 1.0 + 0.2 * len(runs))) as figure:
        parts = figure.subfigures(rows, columns, squeeze=False).ravel()
        draw_grades(parts[0].subplots(), judges, grades, counts)
        for part, (measure, positions) in zip(parts[1:], chosen, strict=False):
            axes = part.subplots()
            draw_rank_changes(axes, runs, judges, positions)
            axes.set(title=f"Position of each run: {plain(measure)}", xlabel="judge")
    return figure


def draw_grades(axes: Axes, judges: Sequence[str], grades: Sequence[int], counts: NDArray[Any]) -> None:
    """The table of grades against grades as a map, the numbers written into it."""
    shade = np.log1p(counts)
    axes.imshow(shade, cmap="Blues", vmin=0, vmax=max(1.0, float(shade.max(initial=0.0))) * 1.6)
    for row, line in enumerate(counts.tolist()):
        for column, count in enumerate(line):
            axes.text(column, row, str(count), ha="center", va="center", fontsize=7.5)
    axes.set_xticks(range(len(grades)), [str(grade) for grade in grades])
    axes.set_yticks(range(len(grades)), [str(grade) for grade in grades])
    axes.grid(visible=False)
    axes.set(
        title=f"{int(counts.sum())} documents\nthat both judged",
        xlabel=f"grade of {plain(judges[1])}",
        ylabel=f"grade of {plain(judges[0])}",
    )
