"""The tables and the picture of power: topics needed, pairs that differ, stability, swaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pres_eval.analysis.power import (
    FUZZINESS,
    PLANNED_CONFIDENCE,
    Discrimination,
    SizePlan,
    Sizes,
    Swaps,
    needed_difference,
)
from pres_eval.arrays import AnyArray
from pres_eval.errors import plural
from pres_eval.report.cells import Cell
from pres_eval.report.drawing import add_legend, line_styles, panels, picture_text, tick_whole_numbers
from pres_eval.report.layout import Column, Readers, Table, columns_table, records_table
from pres_eval.report.paper import Axes, Figure
from pres_eval.report.text import UNKNOWN, number, percentage


def sizes_table(sizes: Sequence[Sizes], plan: SizePlan, topics: int) -> Table:
    """Return the table of how many topics a difference needs.

    topics: how many topics the variance was estimated from
    """
    level = f"alpha {plan.alpha:g}"
    if plan.comparisons > 1:
        level += f" over {plan.comparisons} comparisons"
    columns: list[Column[Sizes]] = [
        Column("measure", lambda size: size.measure),
        Column("deviation", lambda size: size.deviation),
        Column("pairs", lambda size: f"{size.pairs:.0%}"),
        Column("t-test", lambda size: _topics_text(size.t)),
        Column("from .. to", _interval_of_t),
        Column(f"ANOVA, {plan.runs} runs", lambda size: _topics_text(size.anova)),
        Column("interval", lambda size: _topics_text(size.interval)),
        Column("detectable", lambda size: size.detectable),
    ]
    return records_table(
        "sizes",
        f"Topics that a difference of {plan.delta:g} needs ({level}, power {plan.power:g})",
        sizes,
        Sizes,
        _size_notes(plan, topics),
        columns_table(columns, sizes),
    )


def _interval_of_t(size: Sizes) -> Cell:
    """Return the interval of the number of topics that the t-test needs; `-` where neither end is known."""
    if size.t_low is None and size.t_high is None:
        return UNKNOWN
    return f"{_topics_text(size.t_low)} .. {_topics_text(size.t_high)}"


def _topics_text(topics: int | None) -> str:
    """Return a number of topics as text; `-` where none is known."""
    return UNKNOWN if topics is None else str(topics)


def _size_notes(plan: SizePlan, topics: int) -> list[str]:
    """Return the notes on the topics that a difference needs: what each number is planned for."""
    if plan.share is None:
        pair = "an average pair; --share 0.9 plans for nine pairs of ten"
    else:
        pair = f"{percentage(plan.share)} of the pairs"
    if plan.comparisons > 1:
        correction = (
            f"at {plan.alpha:g} / {plan.comparisons}, so that Holm's and Bonferroni's corrections over"
            f" {plan.comparisons} comparisons leave the power"
        )
    else:
        correction = "uncorrected; --comparisons plans for the correction of several"
    return [
        f"t-test: of two runs, {correction}; for {pair}",
        "pairs: the share of the pairs of these runs that vary no more than the t-test is planned for; with"
        " these topics the others have less power",
        f"from .. to: {percentage(PLANNED_CONFIDENCE)} interval of the number, as the variance is an estimate"
        f" from {plural(topics)}; of pairs of real runs 90 to 94 % of such intervals held it, of the average"
        " pair of three runs or more nearly all (it is wider than it need be)",
        f"ANOVA: for a one-way analysis of variance to find that some of {plan.runs} runs differ, if the best"
        f" and the worst are {plan.delta:g} apart; interval: for one of the difference of two runs no wider"
        f" than {plan.delta:g}",
        "deviation: of a score, what neither run nor topic explains; -: the scores do not vary, or more than"
        " a million topics are needed; detectable: the least difference that the t-test finds with these"
        " topics",
    ]


def discrimination_tables(discriminations: Sequence[Discrimination], test: str, alpha: float) -> list[Table]:
    """Return how many pairs of runs differ significantly by each measure; for programs each pair's level.

    The column "pair" of the levels numbers the pairs from the lowest level on: it names no runs.
    """
    rows, levels = [], []
    for discrimination in discriminations:
        measure, num_pairs = discrimination.measure, len(discrimination.levels)
        counts = (num_pairs, discrimination.significant, discrimination.share, discrimination.needed)
        rows.append((measure, *counts))
        for rank, level in enumerate(discrimination.levels.tolist(), 1):
            levels.append((measure, rank, level))
    return [
        Table(
            name="discrimination",
            title=f"Discriminative power: pairs of runs told apart ({test}, p < {alpha:g})",
            headings=("measure", "pairs", "significant", "share", "needed"),
            rows=rows,
            notes=("needed: a difference of means that would have been significant for any pair",),
        ),
        Table(
            name="levels",
            headings=("measure", "pair", "level"),
            rows=levels,
            readers=Readers.PROGRAMS,
        ),
    ]


RARE_SWAPS = 0.05
"""Swap rate up to which swaps count as rare, as Voorhees & Buckley (2002) have it."""


def stability_tables(
    rows: Sequence[tuple[str, int, float, float, float]],
    swaps: Sequence[Swaps],
    trials: int,
    rate: float = RARE_SWAPS,
) -> list[Table]:
    """Return error rates and swap rates, with the difference of means from which on swaps are rare.

    rows: measure, number of topics, error rate, share of ties, swap rate
    rate: swaps are rare among pairs of which at most this share swaps
    """
    headings = ("measure", "topics", "error_rate", "ties", "swap_rate")
    shown_rows: list[tuple[Cell, ...]] = []
    for row in rows:
        measure, topics = row[:2]
        swaps_of_row = [bins for bins in swaps if (bins.measure, bins.topics) == (measure, topics)]
        shown_rows.append((*row, number(needed_difference(swaps_of_row, rate), 2)))
    return [
        Table(
            name="stability",
            title=f"Stability on {trials} random sets of topics",
            headings=headings,
            rows=rows,
            notes=(
                f"error_rate: share of rarer verdicts; ties: means within {FUZZINESS:.0%} of each other;"
                " swap_rate: another set of topics turns the order round",
                f"needed: differences from which on at most {rate:.0%} of the pairs swap; -: no difference",
            ),
            shown=Table(headings=(*headings, "needed"), rows=shown_rows),
        ),
        records_table("swaps", "", swaps, Swaps, readers=Readers.PROGRAMS),
    ]


MOST_LEVEL = 0.2
"""Significance levels above this are not drawn, nor pairs of runs that no measure brings below it."""

FEWEST_IN_BIN = 20
"""Comparisons that a bin of differences needs for a point in the picture: one swap is 5 % of these."""


def power_figure(
    levels: Mapping[str, AnyArray],
    swaps: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    alpha: float,
    topics: int,
) -> Figure:
    """Draw the levels of pairs of runs, descending, for each measure (Sakai's ASL curves), and swap rates.

    levels: measure -> (pairs,) achieved significance levels, ascending
    swaps: measure -> lower ends of the bins of differences that have FEWEST_IN_BIN comparisons, and the swap
        rates in them
    topics: size of the sets of topics that the swap rates are of
    """
    looks = dict(zip(levels, line_styles(len(levels)), strict=True))
    with panels(2, most_columns=2, plot_inches=(4.5, 4.2), margin_inches=(0.0, 0.1 * len(levels))) as (
        figure,
        (left, right),
    ):
        lines = _draw_levels(left, levels, looks, alpha)
        for name, (lower, rates) in swaps.items():
            right.plot(lower, rates, linewidth=1.2, **looks[name])
        all_lower = [end for lower, _ in swaps.values() for end in lower]
        all_rates = [rate for _, rates in swaps.values() for rate in rates]
        if not all_lower:
            right.annotate(
                f"no bin of {FEWEST_IN_BIN} comparisons", (0.5, 0.5), xycoords="axes fraction", ha="center"
            )
        right.axhline(RARE_SWAPS, color="#888888", linewidth=0.9, linestyle=":")
        highest = max([RARE_SWAPS, *all_rates])
        last = max([0.05, *all_lower])  # the x axis ends at a difference of 0.05 at least
        right.set(
            title=f"Swaps between two sets of {topics} topics",
            xlabel=f"difference of means on the first set, at least (bins of {FEWEST_IN_BIN} or more)",
            ylabel="swap rate",
            xlim=(-0.02 * last, 1.02 * last),
            ylim=(-0.02 * highest, 1.05 * highest),  # so that marks at 0 are whole
        )
        add_legend(figure, lines, [picture_text(name) for name in levels], min(4, len(levels)))
    return figure


MARKS_OF_LINE = 12
"""Least marks of a line with as many pairs; it never has twice as many."""


def _draw_levels(
    axes: Axes, levels: Mapping[str, AnyArray], looks: Mapping[str, dict[str, Any]], alpha: float
) -> list[Any]:
    """Draw the levels of the pairs up to MOST_LEVEL, and return a line for each measure."""
    lines = []
    for name, values in levels.items():
        ranks = range(1, len(values) + 1)
        pairs_per_mark = max(1, len(values) // MARKS_OF_LINE)
        lines += axes.plot(ranks, values[::-1], linewidth=1.2, markevery=pairs_per_mark, **looks[name])
    axes.axhline(alpha, color="#888888", linewidth=0.9, linestyle=":")
    axes.annotate(
        f"{alpha:g}", (1, alpha), xycoords=("axes fraction", "data"), fontsize=7, va="bottom", ha="right"
    )
    # Levels descend: the x axis begins behind the pairs whose level is above MOST_LEVEL by every measure.
    num_hidden = min((int((values > MOST_LEVEL).sum()) for values in levels.values()), default=0)
    pairs = max((len(values) for values in levels.values()), default=1)
    first = min(num_hidden, pairs - 1)
    if num_hidden == pairs:
        text = f"no pair of runs below {MOST_LEVEL:g}"
        axes.annotate(text, (0.5, 0.5), xycoords="axes fraction", ha="center")
    tick_whole_numbers(axes.xaxis)
    axes.set(
        title="Discriminative power (nearer to the left: more)",
        xlabel="pairs of runs, by level",
        ylabel="achieved significance level",
        xlim=(first, pairs + 0.02 * (pairs - first) + 0.5),
        ylim=(-0.02 * MOST_LEVEL, MOST_LEVEL),
    )
    return lines
