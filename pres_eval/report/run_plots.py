"""Pictures that compare runs: mean scores, and which runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pres_eval.analysis.compare_settings import ComparedRuns
from pres_eval.arrays import AnyArray
from pres_eval.errors import plural
from pres_eval.report.drawing import add_legend, name_bars, panels, plain, plain_names
from pres_eval.report.paper import Axes, Figure, is_narrow, paper_inches
from pres_eval.report.text import percentage


def compared_figure(result: ComparedRuns) -> Figure:
    """Return the means as dots, or for all pairs the maps of their differences; needs matplotlib."""
    scores = result.scores
    if result.baselines is None and result.comparisons:
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
        less_is_better=scores.measures[-1] in scores.falling,
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
    less_is_better: bool = False,
    title: str = "Mean scores",
) -> Figure:
    """Draw mean scores of the runs, a panel for each measure, runs in the order of the last one.

    Figure 5 of Magdy & Jones, SIGIR 2010, shows MAP, recall and PRES so.
    means and each of intervals (lower, upper ends) are (M, R); intervals that are nan are left out.  The
    baseline, one for each measure, is a dark square with a dashed line; runs that differ from it
    significantly, (M, R) booleans, are full dots, others are rings.  less_is_better: under the last measure.
    """
    names = plain_names(runs, 20)
    order = np.argsort(means[-1] if less_is_better else -means[-1], kind="stable")
    width = max(5.0, 1.5 + 0.32 * len(runs))
    size = width, _height_of_panel(measures)
    with panels(len(measures), 1, size, (0.0, _height_around(names)), sharex=True) as (figure, rows):
        for row, axes in enumerate(rows):
            if intervals is not None:
                lower, upper = intervals
                _draw_intervals(axes, means[row][order], lower[row][order], upper[row][order])
            full, baseline = None, None
            if baselines is not None:
                baseline = int(np.flatnonzero(order == baselines[row])[0])
                full = np.zeros(len(runs), np.bool_)
                if significant is not None:
                    full = significant[row][order]
            axes.grid(visible=False, axis="x")
            _draw_dots(axes, means[row][order], full, baseline)
            axes.set(ylabel=plain(measures[row]))
            axes.margins(y=0.12)
            if intervals is None:  # nothing else shows how large the differences are
                axes.set_ylim(0, None)
        note_on_names = name_bars(rows[-1], [names[run] for run in order], width)
        rows[-1].set(xlim=(-0.7, len(runs) - 0.3), xlabel=f"run, by {plain(measures[-1])}{note_on_names}")
        if topics is not None:
            title += f" over {plural(topics)}"
        if intervals is not None and topics == 1:
            title += ": no intervals, which need two"
        rows[0].set_title(title)
        interval_name = None
        if intervals is not None and np.isfinite(intervals[0]).any():
            interval_name = f"{percentage(confidence)} interval"
        baseline_names = None if baselines is None else {names[run] for run in baselines}
        _add_legend_of_marks(figure, rows[0], interval_name, baseline_names)
    return figure


MANY_PANELS = 6
"""Panels of more measures than this are lower, so that they fit a page."""


def _height_of_panel(measures: Sequence[str]) -> float:
    """Return the inches of a panel, which is as high as the names of measures beside panels are long."""
    longest = max(len(plain(measure)) for measure in measures)
    least = 1.9 if len(measures) <= MANY_PANELS else 1.7
    return max(least, 0.4 + 0.08 * longest)


def _height_around(names: Sequence[str]) -> float:
    """Return the inches of title, upright names of runs and legend, which would be taken from the panels."""
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
    """Draw means (R,) as dots, rings where `full` (R,) is false, and the baseline with its line."""
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
    """Draw the legend, if there is anything to explain: names of intervals and of the baselines."""
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


def difference_maps(
    runs: Sequence[str], measures: Sequence[str], means: AnyArray, directions: AnyArray
) -> Figure:
    """Draw which runs differ, a panel for each measure, the best run at the top and to the left.

    means (M, R), so that more is better; directions (M, R, R): 1 where the row's run is significantly better
    than the column's, -1 worse.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    # In inches.  A map is as high as it is wide: on narrow paper it is no higher than that leaves it.
    if is_narrow():
        maps_in_row, names_and_title = 1, 1.0
    else:
        maps_in_row, names_and_title = min(2, len(measures)), 1.6
    size = min(max(2.4, 0.17 * len(runs)), max(1.5, paper_inches() / maps_in_row - 0.6))
    panel = min(size + 1.9, paper_inches()), size + names_and_title
    names = plain_names(runs, 20)
    colours = ListedColormap([WORSE, ALIKE, BETTER])
    with panels(len(measures), 2, panel, (0.0, 0.5)) as (figure, grid):
        figure.set_layout_engine("compressed")
        for row, axes in enumerate(grid):
            order = np.argsort(-means[row], kind="stable")
            ordered_directions = directions[row][np.ix_(order, order)]
            axes.imshow(ordered_directions, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
            name_bars(axes, [names[run] for run in order], size + 0.8)
            labels = [label.get_text() for label in axes.get_xticklabels()]
            axes.set_yticks(axes.get_xticks(), labels, fontsize=7)
            between, ends = np.arange(len(runs) - 1) + 0.5, (-0.5, len(runs) - 0.5)
            axes.vlines(between, *ends, color="white", linewidth=0.6)
            axes.hlines(between, *ends, color="white", linewidth=0.6)
            axes.grid(visible=False)
            axes.tick_params(length=0)
            axes.set_title(plain(measures[row]), loc="left")
        add_legend(
            figure,
            [Patch(facecolor=colour) for colour in (BETTER, ALIKE, WORSE)],
            ("row better than column", "no significant difference", "row worse"),
            3,
        )
    return figure
