"""The picture of power: achieved significance levels, and swap rates against differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pres_eval.report.drawing import add_legend, line_styles, panels, plain, whole_numbers
from pres_eval.report.paper import Axes, Figure

if TYPE_CHECKING:
    from matplotlib.lines import Line2D


MOST_LEVEL = 0.2
"""Levels above this are not drawn, nor the pairs of runs that no measure brings below it."""


FEWEST_IN_BIN = 20
"""Comparisons that a bin of differences needs, so that its swap rate is worth a point."""


def power_figure(
    levels: Mapping[str, NDArray[Any]],
    swaps: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    alpha: float,
    topics: int,
) -> Figure:
    """Left the levels of the pairs of runs, ascending, for each measure (Sakai's ASL curves), right swap
    rates.

    swaps: measure -> (lower ends of the bins, rates) for the largest sets of topics, of so many topics.
    """
    looks = dict(zip(levels, line_styles(len(levels)), strict=True))
    with panels(2, 2, (4.5, 4.2), (0.0, 0.1 * len(levels))) as (figure, (left, right)):
        lines = _draw_levels(left, levels, looks, alpha)
        for name, (lower, rates) in swaps.items():
            right.plot(lower, rates, linewidth=1.2, **looks[name])
        if not any(len(lower) for lower, _ in swaps.values()):
            right.annotate(
                f"no bin of {FEWEST_IN_BIN} comparisons", (0.5, 0.5), xycoords="axes fraction", ha="center"
            )
        right.axhline(0.05, color="#888888", linewidth=0.9, linestyle=":")
        last = max((max(lower, default=0.0) for lower, _ in swaps.values()), default=0.0)
        right.set(
            title=f"Swaps between two sets of {topics} topics",
            xlabel=f"difference of means on the first set, at least (bins of {FEWEST_IN_BIN} or more)",
            ylabel="swap rate",
            xlim=(-0.02 * max(last, 0.05), 1.02 * max(last, 0.05)),
            ylim=(0, None),
        )
        add_legend(figure, lines, [plain(name) for name in levels], min(4, len(levels)))
    return figure


def _draw_levels(
    axes: Axes, levels: Mapping[str, NDArray[Any]], looks: Mapping[str, dict[str, Any]], alpha: float
) -> list[Line2D]:
    """The levels of the pairs, as far as they are of interest."""
    lines = []
    for name, values in levels.items():
        look = looks[name] | {"markevery": max(1, len(values) // 12)}
        lines += axes.plot(range(1, len(values) + 1), values[::-1], linewidth=1.2, **look)
    axes.axhline(alpha, color="#888888", linewidth=0.9, linestyle=":")
    axes.annotate(
        f"{alpha:g}", (1, alpha), xycoords=("axes fraction", "data"), fontsize=7, va="bottom", ha="right"
    )
    above = min((int((values > MOST_LEVEL).sum()) for values in levels.values()), default=0)
    pairs = max((len(values) for values in levels.values()), default=1)
    first = min(above, pairs - 1)
    if above == pairs:
        text = f"no pair of runs below {MOST_LEVEL:g}"
        axes.annotate(text, (0.5, 0.5), xycoords="axes fraction", ha="center")
    whole_numbers(axes.xaxis)
    axes.set(
        title="Discriminative power (nearer to the left: more)",
        xlabel="pairs of runs, by level",
        ylabel="achieved significance level",
        xlim=(first, pairs + 0.02 * (pairs - first) + 0.5),
        ylim=(0, MOST_LEVEL),
    )
    return lines
