"""The picture of power: achieved significance levels, and swap rates against differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pres_eval.report.plots import line_styles, plain, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    looks = dict(zip(levels, line_styles(len(levels)), strict=True))
    with style():
        figure = Figure(figsize=(9.0, 4.2 + 0.1 * len(levels)), layout="constrained")
        left, right = figure.subplots(1, 2)
        lines = []
        for name, values in levels.items():
            places = range(1, len(values) + 1)
            every = max(1, len(values) // 12)
            look = looks[name] | {"markevery": every}
            lines += left.plot(places, values[::-1], linewidth=1.2, **look)
        left.axhline(alpha, color="#888888", linewidth=0.9, linestyle=":")
        left.annotate(
            f"{alpha:g}", (1, alpha), xycoords=("axes fraction", "data"), fontsize=7, va="bottom", ha="right"
        )
        left.set_ylim(0, MOST_LEVEL)
        above = [int((values > MOST_LEVEL).sum()) for values in levels.values()]
        pairs = max((len(values) for values in levels.values()), default=1)
        first = min(min(above, default=0), pairs - 1)
        left.set_xlim(first, pairs + 0.02 * (pairs - first) + 0.5)
        if min(above, default=0) == pairs:
            left.annotate(
                f"no pair of runs below {MOST_LEVEL:g}", (0.5, 0.5), xycoords="axes fraction", ha="center"
            )
        left.xaxis.set_major_locator(MaxNLocator(integer=True))
        left.set_xlabel("pairs of runs, by level")
        left.set_ylabel("achieved significance level")
        left.set_title("Discriminative power (nearer to the left: more)")
        for name, (lower, rates) in swaps.items():
            right.plot(lower, rates, linewidth=1.2, **looks[name])
        right.axhline(0.05, color="#888888", linewidth=0.9, linestyle=":")
        right.set_xlabel(f"difference of means on the first set, at least (bins of {FEWEST_IN_BIN} or more)")
        right.set_ylabel("swap rate")
        right.set_ylim(bottom=0)
        last = max((max(lower, default=0.0) for lower, _ in swaps.values()), default=0.0)
        right.set_xlim(-0.02 * max(last, 0.05), 1.02 * max(last, 0.05))
        right.set_title(f"Swaps between two sets of {topics} topics")
        figure.legend(
            lines,
            [plain(name) for name in levels],
            loc="outside lower center",
            ncols=min(4, len(levels)),
            handlelength=3.5,
        )
    return figure
