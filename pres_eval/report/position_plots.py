"""Pictures of measures that agree or do not: positions of runs under several measures, verdicts on pairs.

Each function takes data and returns a matplotlib Figure, in the style of `plots`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.report.drawing import new_figure, one_plot, plain, plain_names, run_styles, whole_numbers
from pres_eval.report.paper import Axes, Figure, is_narrow

_NAME_MARGIN = 0.06
"""How far the names stand from the outer measures, as a part of the width."""


def rank_changes(runs: Sequence[str], measures: Sequence[str], positions: NDArray[Any]) -> Figure:
    """The position of every run under each measure, a line for each run (figure 6): (M, R) positions."""
    with one_plot(_width_of(measures), max(2.6, 1.0 + 0.2 * len(runs))) as (figure, axes):
        draw_rank_changes(axes, runs, measures, positions)
    return figure


def _width_of(measures: Sequence[str]) -> float:
    """Inches in which the names of measures, one below each line of positions, do not touch."""
    return 2.4 + max(1.7, 0.2 + 0.08 * max(len(plain(measure)) for measure in measures)) * len(measures)


def draw_rank_changes(
    axes: Axes, runs: Sequence[str], measures: Sequence[str], positions: NDArray[Any]
) -> None:
    """`rank_changes` into axes of your own."""
    places, names = range(len(measures)), plain_names(runs, 20 if is_narrow() else 28)
    for run, look in enumerate(run_styles(runs)):
        axes.plot(places, positions[:, run], linewidth=1.2, **look)
    margin = _NAME_MARGIN * max(1, places[-1])
    for end, side, align in ((0, -margin, "right"), (places[-1], margin, "left")):
        heights = _spread(positions[end])
        for run, height in enumerate(heights.tolist()):
            place = int(positions[end, run])
            axes.annotate(f"{place}  {names[run]}", (end + side, height), ha=align, va="center", fontsize=7.5)
            if height > place:  # tied with others above: a bracket holds their names together
                bracket = [end + side * 0.75] * 2
                axes.plot(bracket, [place, height], color="#888888", linewidth=0.9, clip_on=False)
    axes.set_xticks(places, [plain(measure) for measure in measures], rotation=90 * is_narrow())
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
    axes.set(
        title="Position of each run (1: best)",
        xlabel="measure",
        xlim=(-margin, places[-1] + margin),
        ylim=(len(runs) + 0.6, 0.4),
    )
    # The names are outside the axes: the layout, which looks at all texts, makes room for them.


def _spread(positions: NDArray[Any]) -> NDArray[Any]:
    """Heights at which names do not cover each other: tied runs go below one another."""
    order = np.argsort(positions, kind="stable")
    heights = np.empty(len(positions))
    heights[order] = np.arange(1, len(positions) + 1)
    return heights


def draw_verdict_bars(axes: Axes, patterns: Sequence[str], pairs: Sequence[int]) -> None:
    """Draw how many pairs of runs the measures agree on, a bar for each pattern of agreement (figure 7)."""
    total = sum(pairs) or 1
    bars = axes.barh(range(len(patterns)), list(pairs), color="#56B4E9", edgecolor="#222222", linewidth=0.6)
    axes.bar_label(bars, [f"{count} ({count / total:.1%})" for count in pairs], padding=3, fontsize=8)
    axes.set_yticks(range(len(patterns)), ["\n".join(_lines(pattern)) for pattern in patterns])
    axes.invert_yaxis()
    whole_numbers(axes.xaxis)
    axes.grid(visible=False, axis="y")
    axes.set(
        title="Verdicts on pairs (= same, ≠ different)",
        xlabel=f"pairs of runs (of {sum(pairs)})",
        xlim=(0, max([*pairs, 1]) * 1.3),
    )


def _lines(pattern: str) -> list[str]:
    """A pattern of many measures in lines that leave room for the bars."""
    longest = 18 if is_narrow() else 60
    return [plain(line, 60) for line in textwrap.wrap(pattern, longest, break_long_words=False)]


def _more_lines(patterns: Sequence[str]) -> float:
    """Inches that patterns of more than a line need."""
    return 0.15 * sum(max(len(_lines(pattern)) - 2, 0) for pattern in patterns)


def agreement(
    runs: Sequence[str],
    measures: Sequence[str],
    positions: NDArray[Any],
    patterns: Sequence[str] | None,
    pairs: Sequence[int] | None,
) -> Figure:
    """Figures 6 and 7 in one picture: positions above, verdicts below (left out where there are none)."""
    if patterns is None or pairs is None:
        return rank_changes(runs, measures, positions)
    upper, lower = max(2.6, 1.0 + 0.2 * len(runs)), 1.2 + 0.35 * len(patterns) + _more_lines(patterns)
    with new_figure(max(6.4, _width_of(measures)), upper + lower) as figure:
        above, below = figure.subplots(2, 1, height_ratios=(upper, lower))
        draw_rank_changes(above, runs, measures, positions)
        draw_verdict_bars(below, patterns, pairs)
    return figure
