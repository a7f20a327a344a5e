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

    means: (M, R); scores: by topic, None where the means alone are known
    """
    title = f"Correlations of the orders of {plural(means.shape[1], 'run')}"
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
"""Verdicts on a pair of runs: which one is significantly better, if any, by the sign of the verdict."""

SHOWN_PAIRS = 20
"""Pairs of runs on which measures disagree that people see; programs get all."""


def disagreements_table(measures: tuple[str, ...], pairs: list[tuple[str, str, list[int], bool]]) -> Table:
    """Return the table of pairs of runs on which the verdicts of the measures differ.

    pairs: two runs, the sign of each measure's verdict as in VERDICTS, and whether two measures contradict
        each other: one has the first run significantly better, the other the second
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
    """Return the table of the runs' positions under each measure, for people in the order of the first one.

    means, positions: (M, R); falling: labels of measures of which less is better
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
    """Return a run's position under the first measure, and under each other one with the places moved.

    Positions without a move end in blanks, so that all stand below each other.

    >>> _moves(3, 1, 3)
    ['3', '1 (+2)', '3     ']
    """
    cells = [str(first)]
    for position in others:
        change = f" ({first - position:+d})"
        if position == first:
            change = " " * len(change)  # as wide as " (+0)"
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
        title=f"Verdicts on {plural(pairs, 'pair')} of runs ({test}, p < {alpha:g}, uncorrected)",
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
    """Return the table of how often each measure differs from all others where these agree.

    verdicts: (M, P) signs of the verdicts on pairs of runs, as in VERDICTS
    """
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


TITLE_AND_AXIS = 1.0
"""Inches of height that the title and the x axis of the picture of positions take."""

_NAME_MARGIN = 0.06
"""Distance of the names of runs from the outer measures, as a share of the width of the plot."""


def rank_changes(runs: Sequence[str], measures: Sequence[str], positions: AnyArray) -> Figure:
    """Draw the position (M, R) of each run under each measure, a line for each run.

    Figure 6 of Magdy & Jones, SIGIR 2010, is such a picture.
    """
    with one_plot(_width_of(measures), height_of(runs)) as (figure, axes):
        draw_rank_changes(axes, runs, measures, positions)
    return figure


def height_of(runs: Sequence[str]) -> float:
    """Return the inches of height in which the names of runs, one below the other, do not touch.

    A run has 0.2 inches; of many runs it has less, 0.13 at least, so that 50 fit a page.
    """
    inches_of_run = max(0.13, min(0.2, 7 / len(runs)))
    return max(2.6, TITLE_AND_AXIS + inches_of_run * len(runs))


def _width_of(measures: Sequence[str]) -> float:
    """Return the inches of width in which names of measures, side by side below the plot, do not touch."""
    letters = max(len(picture_text(measure)) for measure in measures)
    inches_of_measure = max(1.7, 0.2 + 0.08 * letters)
    return 2.4 + inches_of_measure * len(measures)


LONGEST_NAME_IF_NARROW = 20
"""Letters that the name of a run has at most on narrow paper."""


def draw_rank_changes(
    axes: Axes, runs: Sequence[str], measures: Sequence[str], positions: AnyArray, longest: int = 28
) -> None:
    """Draw the picture of `rank_changes` into axes, with names of runs of at most `longest` letters."""
    if is_narrow():
        longest = min(longest, LONGEST_NAME_IF_NARROW)
    names = picture_names(runs, longest)
    columns = range(len(measures))
    last = columns[-1]
    for run, look in enumerate(run_styles(runs)):
        axes.plot(columns, positions[:, run], linewidth=1.2, **look)
    margin = _NAME_MARGIN * max(1, last)
    _name_positions(axes, names, positions[0], x=0, margin=-margin)
    _name_positions(axes, names, positions[last], x=last, margin=margin)
    rotation = 90 if _are_upright(measures) else 0
    axes.set_xticks(columns, [picture_text(measure) for measure in measures], rotation=rotation)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
    axes.set(
        title="Position of each run (1: best)",
        xlabel="measure",
        yticks=[],
        xlim=(-margin, last + margin),
        ylim=(len(runs) + 0.6, 0.4),
    )
    # The names are outside the axes: the layout, which looks at all texts, makes room for them.


def _name_positions(axes: Axes, names: Sequence[str], positions: AnyArray, x: float, margin: float) -> None:
    """Write the names of runs beside their positions (R,) at `x`: to the left if the margin is negative.

    Names do not cover each other: those of tied runs go below one another, held together by a bracket.
    """
    # Of each run, its place in the order of positions, from 1: argsort of a permutation is its inverse.
    heights = 1 + np.argsort(np.argsort(positions, kind="stable"))
    align = "right" if margin < 0 else "left"
    for run, height in enumerate(heights.tolist()):
        position = int(positions[run])
        axes.annotate(f"{position}  {names[run]}", (x + margin, height), ha=align, va="center", fontsize=7.5)
        if height > position:  # tied with others above
            bracket = [x + margin * 0.75] * 2
            axes.plot(bracket, [position, height], color="#888888", linewidth=0.9, clip_on=False)


def _are_upright(measures: Sequence[str]) -> bool:
    """Return whether the names of the measures stand upright, as paper has no room for them side by side."""
    most_side_by_side = 2 if is_narrow() else 4
    is_paper = math.isfinite(paper_inches())
    return is_paper and len(measures) > most_side_by_side


def draw_verdict_bars(axes: Axes, patterns: Sequence[str], pairs: Sequence[int]) -> None:
    """Draw a bar for each pattern of agreement, such as `map = P_10 ≠ PRES_100`: how many pairs have it.

    Figure 7 of Magdy & Jones, SIGIR 2010, is such a picture.
    """
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


PATTERN_LETTERS, PATTERN_LETTERS_IF_NARROW = 60, 24
"""Letters that a line of a pattern has at most, and on narrow paper."""


def _lines(pattern: str) -> list[str]:
    """Return a pattern of many measures in lines that leave room for the bars."""
    longest = PATTERN_LETTERS_IF_NARROW if is_narrow() else PATTERN_LETTERS
    lines = textwrap.wrap(pattern, longest, break_long_words=False)
    return [picture_text(line, PATTERN_LETTERS) for line in lines]


AROUND_POSITIONS, AROUND_BARS, LEAST_AROUND_BARS = 1.2, 1.2, 0.9
"""Inches of height that titles and axes take: of positions on a page, of bars, and of bars at least."""

LEAST_RUN_HEIGHT = 0.0111
"""Part of a page that a name of 7 points needs with the gap below it."""


def _with_rest(
    patterns: Sequence[str], pairs: Sequence[int], most: int
) -> tuple[Sequence[str], Sequence[int]]:
    """Return at most `most` patterns and their numbers of pairs: the rarest are one, `3 other patterns`."""
    if len(patterns) <= most:
        return patterns, pairs
    num_rest = len(patterns) - (most - 1)
    with_rest = [*patterns[: most - 1], f"{num_rest} other patterns"]
    return with_rest, [*pairs[: most - 1], sum(pairs[most - 1 :])]


def agreement_figure(
    runs: Sequence[str],
    measures: Sequence[str],
    positions: AnyArray,
    patterns: Sequence[str] | None,
    pairs: Sequence[int] | None,
) -> Figure:
    """Draw in one picture the positions (M, R) of runs above, and below the bars of `draw_verdict_bars`.

    patterns, pairs: the patterns of agreement, the most frequent first, and how many pairs of runs have each;
        None: there are no bars
    """
    if patterns is None or pairs is None:
        return rank_changes(runs, measures, positions)
    # Heights are inches.  Patterns of more than two lines need more room, as do upright names of measures.
    lines_of_pattern = max((len(_lines(pattern)) for pattern in patterns), default=0)
    bar_height = max(0.35, 0.1 + 0.15 * lines_of_pattern)
    height_of_names = 0.0
    if _are_upright(measures):
        height_of_names = 0.08 * max(map(len, measures))
    width = max(6.4, _width_of(measures))
    upper = height_of_names + height_of(runs)
    page = page_height(width)
    if math.isfinite(page):
        # The rarest patterns share a bar where a page has no room for them below names of 7 points.
        least_upper = height_of_names + AROUND_POSITIONS + LEAST_RUN_HEIGHT * page * len(runs)
        most_bars = max(2, int((page - least_upper - LEAST_AROUND_BARS) / bar_height))
        patterns, pairs = _with_rest(patterns, pairs, most_bars)
        upper = max(least_upper, min(upper, page - AROUND_BARS - bar_height * len(patterns)))
    lower = AROUND_BARS + bar_height * len(patterns)
    with new_figure(width, upper + lower) as figure:
        height_ratios = (upper - height_of_names - TITLE_AND_AXIS, lower - AROUND_BARS)
        above, below = figure.subplots(2, 1, height_ratios=height_ratios)
        draw_rank_changes(above, runs, measures, positions)
        draw_verdict_bars(below, patterns, pairs)
    return figure
