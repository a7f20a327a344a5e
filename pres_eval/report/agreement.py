"""The tables of an agreement of measures, and its picture: positions of runs, verdicts on pairs."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from pres_eval.analysis.agreement import CORRELATIONS, correlations, dissents
from pres_eval.analysis.paired import PairedScores
from pres_eval.arrays import AnyArray, FloatArray, IntArray
from pres_eval.errors import plural
from pres_eval.report.cells import Value
from pres_eval.report.drawing import (
    new_figure,
    one_plot,
    picture_names,
    picture_text,
    run_styles,
    tick_whole_numbers,
)
from pres_eval.report.layout import Table
from pres_eval.report.paper import Axes, Figure, is_narrow, page_height, paper_inches
from pres_eval.report.text import UNKNOWN, falling_notes, left_out_notes


def correlations_table(measures: tuple[str, ...], means: FloatArray, scores: PairedScores | None) -> Table:
    """Return the table of correlations between the orders of the runs by each pair of measures.

    means: (M, R); scores: of the topics, None where the means alone are known
    """
    title = f"Correlations of the orders of {means.shape[1]} runs"
    notes = [
        "ceiling: the highest tau_a that the ties let be reached; tau_b takes them into account",
        "tau_ap: the first measure's order is the true one; tau_ap_back: the second's; tau_ap_b: neither",
        "rbo_floor: the rbo of opposite orders of these runs, its least value; the same order has 1",
    ]
    if scores is not None:
        title += f" over {plural(len(scores.topics))}"
        notes += left_out_notes(scores.left_out)
    return Table(
        name="correlations",
        title=title,
        headings=("first", "second", *CORRELATIONS),
        rows=[list(row.values()) for row in correlations(measures, means)],
        notes=notes,
    )


VERDICTS = {1: "first", 0: "-", -1: "second"}
"""Verdicts on a pair in words, by their signs."""

SHOWN_PAIRS = 20
"""Pairs of runs on which measures disagree that people see; programs get all."""


def disagreements_table(measures: tuple[str, ...], pairs: list[tuple[str, str, list[int], bool]]) -> Table:
    """Return the table of pairs of runs on which the verdicts of the measures differ.

    pairs: two runs, the sign of the verdict of each measure, and whether two measures contradict each other
    """
    headings = ("first", "second", *measures, "contradiction")
    rows: list[tuple[Value, ...]] = []
    for run, other, signs, is_contradiction in pairs:
        verdicts = [VERDICTS[sign] for sign in signs]
        rows.append((run, other, *verdicts, is_contradiction))
    notes = ["first, second: which run is significantly better, uncorrected; -: neither"]
    if len(pairs) > SHOWN_PAIRS:
        notes.append(f"{len(pairs) - SHOWN_PAIRS} more: --format csv --table disagreements")
    return Table(
        name="disagreements",
        title="Pairs of runs on which measures disagree, contradictions first",
        headings=headings,
        rows=rows,
        notes=notes,
        shown=Table(headings=headings, rows=rows[:SHOWN_PAIRS], left=2),
    )


def positions_table(
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    means: FloatArray,
    positions: IntArray,
    falling: Collection[str] = (),
) -> Table:
    """Return the table of the runs' positions under each measure: (M, R) means and positions.

    falling: labels of measures of which less is better.
    """
    rows = []
    cells = []
    for run in np.argsort(positions[0], kind="stable").tolist():
        cells.append((runs[run], *_moves(*positions[:, run].tolist())))
        for measure, label in enumerate(measures):
            mean, position = float(means[measure, run]), int(positions[measure, run])
            rows.append((runs[run], label, mean, position))
    return Table(
        name="positions",
        title=f"Positions of the runs, and how far each moves up (+) or down (-) from {measures[0]}",
        headings=("run", "measure", "score", "position"),
        rows=rows,
        notes=falling_notes(measures, falling),
        shown=Table(headings=("run", *measures), rows=cells),
    )


def _moves(first: int, *others: int) -> list[str]:
    """Return a run's position under the first measure, and those under others with the way from there.

    >>> _moves(3, 1, 3)
    ['3', '1 (+2)', '3     ']
    """
    cells = [str(first)]
    for position in others:
        change = f" ({first - position:+d})"
        if position == first:
            change = " " * len(change)
        cells.append(f"{position}{change}")
    return cells


def verdicts_table(patterns: Mapping[str, int], pairs: int, test: str, alpha: float) -> Table:
    """Return the table of pairs of runs by the measures that have the same verdict.

    patterns: how many of the `pairs` have a pattern, such as `map = P_10 ≠ PRES_100`
    """
    rows = []
    cells = []
    for pattern, count in patterns.items():
        share = count / max(1, pairs)
        rows.append((pattern, count, share))
        cells.append((pattern, count, f"{share:.1%}"))
    return Table(
        name="verdicts",
        title=f"Verdicts on {pairs} pairs of runs ({test}, p < {alpha:g}, uncorrected)",
        headings=("pattern", "pairs", "share"),
        rows=rows,
        notes=(
            "= same verdict, ≠ another: first better, second better, or no significant difference",
            f"uncorrected: if all runs were equal, about {alpha * pairs:.2g} of {plural(pairs, 'pair')} would"
            " have a better run under each measure by chance (compare corrects)",
        ),
        shown=Table(headings=("measures", "pairs", "share"), rows=cells),
    )


def dissents_table(measures: tuple[str, ...], verdicts: IntArray) -> Table:
    """Return the table of how often each measure contradicts the others: (M, P) verdicts."""
    rows = list(dissents(measures, verdicts))
    cells = []
    for measure, pairs, alone, share in rows:
        percent = f"{share:.1%}" if pairs else UNKNOWN
        cells.append((measure, pairs, alone, percent))
    return Table(
        name="dissents",
        title="Each measure alone against the others where these agree",
        headings=("measure", "pairs", "alone", "share"),
        rows=rows,
        shown=Table(
            headings=("measure", "pairs on which the others agree", "its verdict differs", "share"),
            rows=cells,
        ),
    )


_NAME_MARGIN = 0.06
"""Distance of the names of runs from the outer measures, as a share of the width of the plot."""


def rank_changes(runs: Sequence[str], measures: Sequence[str], positions: AnyArray) -> Figure:
    """Draw the position (M, R) of every run under each measure, a line for each run (figure 6)."""
    with one_plot(_width_of(measures), height_of(runs)) as (figure, axes):
        draw_rank_changes(axes, runs, measures, positions)
    return figure


def height_of(runs: Sequence[str]) -> float:
    """Return the inches in which lines of runs have names that do not touch; 50 of them fit a page."""
    inches_of_run = max(0.13, min(0.2, 7 / len(runs)))
    return max(2.6, 1.0 + inches_of_run * len(runs))


def _width_of(measures: Sequence[str]) -> float:
    """Return the inches in which the names of measures, one below each line of positions, do not touch."""
    letters = max(len(picture_text(measure)) for measure in measures)
    inches_of_measure = max(1.7, 0.2 + 0.08 * letters)
    return 2.4 + inches_of_measure * len(measures)


def draw_rank_changes(
    axes: Axes, runs: Sequence[str], measures: Sequence[str], positions: AnyArray, longest: int = 28
) -> None:
    """Draw `rank_changes` into axes of your own, with names of runs of at most `longest` letters."""
    if is_narrow():
        longest = min(longest, 20)
    names = picture_names(runs, longest)
    columns = range(len(measures))
    for run, look in enumerate(run_styles(runs)):
        axes.plot(columns, positions[:, run], linewidth=1.2, **look)
    margin = _NAME_MARGIN * max(1, columns[-1])
    _name_positions(axes, names, positions[0], 0, -margin)
    _name_positions(axes, names, positions[columns[-1]], columns[-1], margin)
    rotation = 90 if _are_turned(measures) else 0
    axes.set_xticks(columns, [picture_text(measure) for measure in measures], rotation=rotation)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
    axes.set(
        title="Position of each run (1: best)",
        xlabel="measure",
        yticks=[],
        xlim=(-margin, columns[-1] + margin),
        ylim=(len(runs) + 0.6, 0.4),
    )
    # The names are outside the axes: the layout, which looks at all texts, makes room for them.


def _name_positions(axes: Axes, names: Sequence[str], positions: AnyArray, x: float, margin: float) -> None:
    """Write the names of runs beside their positions (R,) at `x`: to the left if the margin is negative.

    Names do not cover each other: those of tied runs go below one another, held together by a bracket.
    """
    heights = 1 + np.argsort(np.argsort(positions, kind="stable"))
    align = "right" if margin < 0 else "left"
    for run, height in enumerate(heights.tolist()):
        position = int(positions[run])
        axes.annotate(f"{position}  {names[run]}", (x + margin, height), ha=align, va="center", fontsize=7.5)
        if height > position:  # tied with others above
            bracket = [x + margin * 0.75] * 2
            axes.plot(bracket, [position, height], color="#888888", linewidth=0.9, clip_on=False)


def _are_turned(measures: Sequence[str]) -> bool:
    """Return whether the names of the measures stand upright, as paper has no room for them side by side."""
    most_side_by_side = 2 if is_narrow() else 4
    is_paper = math.isfinite(paper_inches())
    return is_paper and len(measures) > most_side_by_side


def draw_verdict_bars(axes: Axes, patterns: Sequence[str], pairs: Sequence[int]) -> None:
    """Draw how many pairs of runs the measures agree on, a bar for each pattern of agreement (figure 7)."""
    total = sum(pairs) or 1
    bars = axes.barh(range(len(patterns)), list(pairs), color="#56B4E9", edgecolor="#222222", linewidth=0.6)
    axes.bar_label(bars, [f"{count} ({count / total:.1%})" for count in pairs], padding=3, fontsize=8)
    axes.set_yticks(range(len(patterns)), ["\n".join(_lines(pattern)) for pattern in patterns])
    axes.invert_yaxis()
    tick_whole_numbers(axes.xaxis)
    axes.grid(visible=False, axis="y")
    axes.set(
        title="Verdicts on pairs (= same, ≠ different)",
        xlabel=f"pairs of runs (of {sum(pairs)})",
        xlim=(0, max([*pairs, 1]) * 1.3),
    )


def _lines(pattern: str) -> list[str]:
    """Return a pattern of many measures in lines that leave room for the bars."""
    longest = 24 if is_narrow() else 60
    return [picture_text(line, 60) for line in textwrap.wrap(pattern, longest, break_long_words=False)]


def agreement(
    runs: Sequence[str],
    measures: Sequence[str],
    positions: AnyArray,
    patterns: Sequence[str] | None,
    pairs: Sequence[int] | None,
) -> Figure:
    """Draw figures 6 and 7 in one picture: positions (M, R) above, verdicts below (if there are any).

    patterns, pairs: the patterns of agreement and how many pairs of runs have each, as in `draw_verdict_bars`
    """
    if patterns is None or pairs is None:
        return rank_changes(runs, measures, positions)
    # In inches: patterns of more than two lines need more room, as do upright names of measures.
    lines_of_pattern = max((len(_lines(pattern)) for pattern in patterns), default=0)
    bar = max(0.35, 0.1 + 0.15 * lines_of_pattern)
    upright = 0.0
    if _are_turned(measures):
        upright = 0.08 * max(map(len, measures))
    width = max(6.4, _width_of(measures))
    upper = upright + height_of(runs)
    page = page_height(width)
    if math.isfinite(page):
        # The rarest patterns share a bar where a page has no room for them below names of 7 points.
        least_upper = upright + 1.2 + 0.0111 * page * len(runs)
        most_bars = max(2, int((page - least_upper - 0.9) / bar))
        num_rest = len(patterns[most_bars:])
        if num_rest:
            patterns = [*patterns[: most_bars - 1], f"{num_rest + 1} other patterns"]
            pairs = [*pairs[: most_bars - 1], sum(pairs[most_bars - 1 :])]
        upper = max(least_upper, min(upper, page - 1.2 - bar * len(patterns)))
    lower = 1.2 + bar * len(patterns)
    with new_figure(width, upper + lower) as figure:
        above, below = figure.subplots(2, 1, height_ratios=(upper - upright - 1.0, lower - 1.2))
        draw_rank_changes(above, runs, measures, positions)
        draw_verdict_bars(below, patterns, pairs)
    return figure
