"""Pictures that compare runs: mean scores, and which runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pres_eval.analysis.compare_settings import ComparedRuns
from pres_eval.arrays import AnyArray
from pres_eval.errors import plural
from pres_eval.report.drawing import add_legend, name_bars, panels, picture_names, picture_text
from pres_eval.report.paper import Axes, Figure, is_narrow, paper_inches
from pres_eval.report.text import percentage


def compared_figure(result: ComparedRuns) -> Figure:
    """Return the means as dots, or if all pairs of runs were compared the maps of which runs differ.

    Needs matplotlib.
    """
    scores = result.scores
    is_all_pairs = result.baselines is None and bool(result.comparisons)
    if is_all_pairs:
        # Gains are the means, with the sign turned where less is better.
        return difference_maps(scores.runs, scores.measures, scores.gains(), _directions(result))
    significant = np.zeros(scores.means.shape, bool)
    for comparison in result.comparisons:
        measure, run = scores.measures.index(comparison.measure), scores.runs.index(comparison.run)
        significant[measure, run] = comparison.significant
    return score_dots(
        scores.runs,
        scores.measures,
        scores.means,
        (result.lower, result.upper),
        confidence=1 - result.settings.alpha,
        baselines=result.baselines if result.comparisons else None,
        significant=significant,
        topics=len(scores.topics),
        last_is_falling=scores.measures[-1] in scores.falling,
    )


def _directions(result: ComparedRuns) -> AnyArray:
    """Return (M, R, R) for all pairs: 1 where the first run is significantly better, -1 worse, 0 neither."""
    scores = result.scores
    run_numbers = {name: number for number, name in enumerate(scores.runs)}
    directions = np.zeros((len(scores.measures), len(scores.runs), len(scores.runs)), np.int64)
    for comparison in result.comparisons:
        if comparison.significant:
            measure = scores.measures.index(comparison.measure)
            run, other = run_numbers[comparison.run], run_numbers[comparison.other]
            directions[measure, run, other] = comparison.direction
            directions[measure, other, run] = -comparison.direction
    return directions


LONGEST_PRINTED_NAME = 20
"""Letters that the name of a run has at most in these pictures."""

INCHES_OF_RUN = 0.32
"""Width that a run has in a panel of dots."""

DOT_COLOUR, BASELINE_COLOUR = "#0072B2", "#444444"
"""Colours of the runs and of the baseline."""


def score_dots(
    runs: Sequence[str],
    measures: Sequence[str],
    means: AnyArray,
    intervals: tuple[AnyArray, AnyArray] | None = None,
    *,
    confidence: float = 0.95,
    baselines: Sequence[int] | None = None,
    significant: AnyArray | None = None,
    topics: int | None = None,
    last_is_falling: bool = False,
    title: str = "Mean scores",
) -> Figure:
    """Draw mean scores of the runs, a panel for each measure, the best run by the last measure at the left.

    means            (M, R)
    intervals        their lower and upper ends, each (M, R); those that are nan are left out
    baselines        the baseline's number for each measure: a dark square with a dashed line
    significant      (M, R) whether a run differs significantly from the baseline: a full dot, else a ring
    topics           how many the means are over, for the title
    last_is_falling  whether less is better by the last measure

    Figure 5 of Magdy & Jones, SIGIR 2010, shows MAP, recall and PRES in this way.
    """
    names = picture_names(runs, LONGEST_PRINTED_NAME)
    order = np.argsort(means[-1] if last_is_falling else -means[-1], kind="stable")
    width = max(5.0, 1.5 + INCHES_OF_RUN * len(runs))
    with panels(
        len(measures),
        most_columns=1,
        plot_inches=(width, _height_of_panel(measures)),
        margin_inches=(0.0, _height_of_margins(names)),
        sharex=True,
    ) as (figure, grid):
        for measure, axes in enumerate(grid):
            if intervals is not None:
                lower, upper = intervals
                _draw_intervals(axes, means[measure][order], lower[measure][order], upper[measure][order])
            full, baseline = None, None
            if baselines is not None:
                # Its place in the order.
                baseline = int(np.flatnonzero(order == baselines[measure])[0])
                full = np.zeros(len(runs), np.bool_)
                if significant is not None:
                    full = significant[measure][order]
            axes.grid(visible=False, axis="x")
            _draw_dots(axes, means[measure][order], full, baseline)
            axes.set(ylabel=picture_text(measures[measure]))
            axes.margins(y=0.12)
            if intervals is None:  # nothing else shows how large the differences are
                axes.set_ylim(0, None)
        note_on_names = name_bars(grid[-1], [names[run] for run in order], width)
        grid[-1].set(
            xlim=(-0.7, len(runs) - 0.3), xlabel=f"run, by {picture_text(measures[-1])}{note_on_names}"
        )
        if topics is not None:
            title += f" over {plural(topics)}"
        if intervals is not None and topics == 1:
            title += ": no intervals, which need two"
        grid[0].set_title(title)
        interval_name = None
        if intervals is not None and np.isfinite(intervals[0]).any():
            interval_name = f"{percentage(confidence)} interval"
        baseline_names = None if baselines is None else {names[run] for run in baselines}
        _add_legend_of_marks(figure, grid[0], interval_name, baseline_names)
    return figure


MANY_PANELS = 6
"""Panels of more measures than this are lower, so that they fit a page."""


PANEL_HEIGHT, LOW_PANEL_HEIGHT = 1.9, 1.7
"""Least inches of a panel, and of one of many."""


def _height_of_panel(measures: Sequence[str]) -> float:
    """Return the inches of a panel, beside which the name of its measure stands: 0.08 inches a letter."""
    longest = max(len(picture_text(measure)) for measure in measures)
    least = PANEL_HEIGHT if len(measures) <= MANY_PANELS else LOW_PANEL_HEIGHT
    return max(least, 0.4 + 0.08 * longest)


def _height_of_margins(names: Sequence[str]) -> float:
    """Return the inches that the figure needs besides its panels, or matplotlib would make these lower.

    Title and legend need 1.2, the upright names of runs below the last panel 0.07 for each letter.
    """
    longest = max(len(name) for name in names)
    return 1.2 + 0.07 * longest


def _draw_intervals(axes: Axes, means: AnyArray, lower: AnyArray, upper: AnyArray) -> None:
    """Draw lines between the ends of the intervals (R,) of means (R,), without those that are nan."""
    lengths = np.maximum(0.0, [means - lower, upper - means])
    axes.errorbar(
        range(len(means)),
        means,
        lengths,
        fmt="none",
        ecolor=DOT_COLOUR,
        elinewidth=1.2,
        capsize=2,
        zorder=2,
    )


FULL_MARK: dict[str, Any] = {"marker": "o", "linestyle": "none", "color": DOT_COLOUR, "markersize": 5}
RING_MARK: dict[str, Any] = {**FULL_MARK, "markerfacecolor": "white"}
BASELINE_MARK: dict[str, Any] = {**FULL_MARK, "marker": "s", "color": BASELINE_COLOUR}
"""Marks of a run's mean: full, as it differs from the baseline; a ring, as it does not; the baseline's."""


def _draw_dots(axes: Axes, means: AnyArray, full: AnyArray | None, baseline: int | None) -> None:
    """Draw means (R,) as dots, rings where `full` (R,) is false, and the baseline with its line.

    full: None: all are full; baseline: its place among the means, None: there is none
    """
    for column, mean in enumerate(means.tolist()):
        if column == baseline:
            axes.plot([column], [mean], **BASELINE_MARK)
        elif full is None or full[column]:
            axes.plot([column], [mean], **FULL_MARK)
        else:
            axes.plot([column], [mean], **RING_MARK)
    if baseline is not None:
        axes.axhline(means[baseline], color=BASELINE_COLOUR, linestyle="--", linewidth=0.9, zorder=1)


def _add_legend_of_marks(
    figure: Figure, axes: Axes, interval: str | None, baselines: set[str] | None
) -> None:
    """Draw the legend of the marks, if there is anything to explain.

    interval: name of the intervals; baselines: names of the runs that are the baseline of some measure
    """
    handles: dict[str, Any] = {}
    if interval is not None:
        handles[interval] = axes.errorbar([], [], [], fmt="none", ecolor=DOT_COLOUR, capsize=2)
    if baselines is not None:
        baseline = next(iter(baselines)) if len(baselines) == 1 else "(best of each)"
        handles[f"baseline {baseline}"] = axes.plot([], [], **BASELINE_MARK)[0]
        handles["differs significantly from it"] = axes.plot([], [], **FULL_MARK)[0]
        handles["no significant difference found"] = axes.plot([], [], **RING_MARK)[0]
    if handles:
        add_legend(figure, list(handles.values()), list(handles), 2)


WORSE, ALIKE, BETTER = "#E69F00", "#e8e8e8", "#0072B2"
"""Colours of the maps: the row's run is significantly worse than the column's, neither, better."""


LEAST_MAP, LEAST_MAP_ON_PAPER = 2.4, 1.5
"""Least inches of the side of a map, and of one on paper that is too narrow for that."""

INCHES_OF_MAP_ROW = 0.17
"""Height of a run in a map."""

GAP_OF_MAPS, WIDTH_OF_MAP_NAMES = 0.6, 1.9
"""Inches between maps on paper, and those that the names of runs take at the left of a map."""


def difference_maps(
    runs: Sequence[str], measures: Sequence[str], means: AnyArray, directions: AnyArray
) -> Figure:
    """Draw which runs differ, a map for each measure, the best run at the top and to the left.

    means: (M, R), with the sign turned where less is better
    directions: (M, R, R) 1 where the row's run is significantly better than the column's, -1 worse, 0 neither
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    if is_narrow():
        maps_in_row, height_of_names = 1, 1.0
    else:
        maps_in_row, height_of_names = min(2, len(measures)), 1.6
    # A map is a square: on narrow paper its height shrinks with the width that the paper leaves it.
    size_for_runs = max(LEAST_MAP, INCHES_OF_MAP_ROW * len(runs))
    size_on_paper = max(LEAST_MAP_ON_PAPER, paper_inches() / maps_in_row - GAP_OF_MAPS)
    size = min(size_for_runs, size_on_paper)
    width = min(size + WIDTH_OF_MAP_NAMES, paper_inches())
    names = picture_names(runs, LONGEST_PRINTED_NAME)
    colours = ListedColormap([WORSE, ALIKE, BETTER])
    with panels(
        len(measures),
        most_columns=2,
        plot_inches=(width, size + height_of_names),
        margin_inches=(0.0, 0.5),
    ) as (figure, grid):
        figure.set_layout_engine("compressed")
        for measure, axes in enumerate(grid):
            order = np.argsort(-means[measure], kind="stable")
            ordered_directions = directions[measure][np.ix_(order, order)]
            axes.imshow(ordered_directions, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
            name_bars(axes, [names[run] for run in order], size + 0.8)
            labels = [label.get_text() for label in axes.get_xticklabels()]
            axes.set_yticks(axes.get_xticks(), labels, fontsize=7)
            # White lines between the cells, whose middles are at whole numbers.
            between = np.arange(len(runs) - 1) + 0.5
            start, end = -0.5, len(runs) - 0.5
            axes.vlines(between, start, end, color="white", linewidth=0.6)
            axes.hlines(between, start, end, color="white", linewidth=0.6)
            axes.grid(visible=False)
            axes.tick_params(length=0)
            axes.set_title(picture_text(measures[measure]), loc="left")
        add_legend(
            figure,
            [Patch(facecolor=colour) for colour in (BETTER, ALIKE, WORSE)],
            ("row better than column", "no significant difference", "row worse"),
            3,
        )
    return figure
