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
from pres_eval.report.drawing import new_figure, one_plot, plain, plain_names, run_styles, whole_numbers
from pres_eval.report.layout import Shown, Table, Value
from pres_eval.report.paper import Axes, Figure, is_narrow, page_height, room
from pres_eval.report.text import UNKNOWN, falling_notes, left_out_notes


def correlations_table(measures: tuple[str, ...], means: FloatArray, scores: PairedScores | None) -> Table:
    """Return the table of correlations between the orders of each pair of measures."""
    over = "" if scores is None else f" over {plural(len(scores.topics))}"
    return Table(
        "correlations",
        f"Correlations of the orders of {means.shape[1]} runs{over}",
        ("first", "second", *CORRELATIONS),
        [list(row.values()) for row in correlations(measures, means)],
        (
            "ceiling: the highest tau_a that the ties let be reached; tau_b takes them into account",
            "tau_ap: the first measure's order is the true one; tau_ap_back: the second's; tau_ap_b: neither",
            "rbo_floor: the rbo of opposite orders of these runs, its least value; the same order has 1",
            *left_out_notes(() if scores is None else scores.left_out),
        ),
    )


VERDICTS = {1: "first", 0: "-", -1: "second"}
"""Verdicts on a pair in words, by their signs."""

SHOWN_PAIRS = 20
"""Pairs of runs on which measures disagree that people see; programs get all."""


def disagreements_table(measures: tuple[str, ...], pairs: list[tuple[str, str, list[int], bool]]) -> Table:
    """Return the table of pairs of runs on which the verdicts of the measures differ."""
    headings = ("first", "second", *measures, "contradiction")
    rows: list[tuple[Value, ...]] = []
    for run, other, signs, is_contradiction in pairs:
        rows.append((run, other, *(VERDICTS[sign] for sign in signs), is_contradiction))
    notes = ["first, second: which run is significantly better, uncorrected; -: neither"]
    if len(pairs) > SHOWN_PAIRS:
        notes.append(f"{len(pairs) - SHOWN_PAIRS} more: --format csv --table disagreements")
    return Table(
        name="disagreements",
        title="Pairs of runs on which measures disagree, contradictions first",
        headings=headings,
        rows=rows,
        notes=notes,
        shown=Shown(headings, rows[:SHOWN_PAIRS], left=2),
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
    order = np.lexsort((np.arange(len(runs)), positions[0])).tolist()
    rows = []
    cells = []
    for run in order:
        cells.append((runs[run], *_moves(*positions[:, run].tolist())))
        for measure, label in enumerate(measures):
            rows.append((runs[run], label, float(means[measure, run]), int(positions[measure, run])))
    return Table(
        "positions",
        f"Positions of the runs, and how far each moves up (+) or down (-) from {measures[0]}",
        ("run", "measure", "score", "position"),
        rows,
        falling_notes(measures, falling),
        Shown(("run", *measures), cells),
    )


def _moves(first: int, *others: int) -> list[str]:
    """Return a run's position under the first measure, and those under others with the way from there."""
    cells = [str(first)]
    for position in others:
        change = f" ({first - position:+d})"
        if position == first:
            change = " " * len(change)
        cells.append(f"{position}{change}")
    return cells


def verdicts_table(patterns: Mapping[str, int], pairs: int, test: str, alpha: float) -> Table:
    """Return the table of pairs of runs by the measures that have the same verdict."""
    return Table(
        name="verdicts",
        title=f"Verdicts on {pairs} pairs of runs ({test}, p < {alpha:g}, uncorrected)",
        headings=("pattern", "pairs", "share"),
        rows=[(text, count, count / max(1, pairs)) for text, count in patterns.items()],
        notes=(
            "= same verdict, ≠ another: first better, second better, or no significant difference",
            f"uncorrected: if all runs were equal, about {alpha * pairs:.2g} of {plural(pairs, 'pair')} would"
            " have a better run under each measure by chance (compare corrects)",
        ),
        shown=Shown(
            ("measures", "pairs", "share"),
            [(text, count, f"{count / max(1, pairs):.1%}") for text, count in patterns.items()],
        ),
    )


def dissents_table(measures: tuple[str, ...], verdicts: IntArray) -> Table:
    """Return the table of how often each measure contradicts the others: (M, P) verdicts."""
    rows = list(dissents(measures, verdicts))
    cells = []
    for measure, pairs, alone, share in rows:
        cells.append((measure, pairs, alone, f"{share:.1%}" if pairs else UNKNOWN))
    return Table(
        name="dissents",
        title="Each measure alone against the others where these agree",
        headings=("measure", "pairs", "alone", "share"),
        rows=rows,
        shown=Shown(
            ("measure", "pairs on which the others agree", "its verdict differs", "share"),
            cells,
        ),
    )


_NAME_MARGIN = 0.06
"""Distance of the names from the outer measures, as a part of the width."""


def rank_changes(runs: Sequence[str], measures: Sequence[str], positions: AnyArray) -> Figure:
    """Draw the position (M, R) of every run under each measure, a line for each run (figure 6)."""
    with one_plot(_width_of(measures), height_of(runs)) as (figure, axes):
        draw_rank_changes(axes, runs, measures, positions)
    return figure


def height_of(runs: Sequence[str]) -> float:
    """Return the inches in which lines of runs have names that do not touch; 50 of them fit a page."""
    return max(2.6, 1.0 + max(0.13, min(0.2, 7 / len(runs))) * len(runs))


def _width_of(measures: Sequence[str]) -> float:
    """Return the inches in which the names of measures, one below each line of positions, do not touch."""
    return 2.4 + max(1.7, 0.2 + 0.08 * max(len(plain(measure)) for measure in measures)) * len(measures)


def draw_rank_changes(
    axes: Axes, runs: Sequence[str], measures: Sequence[str], positions: AnyArray, longest: int = 28
) -> None:
    """Draw `rank_changes` into axes of your own, with names of runs of at most `longest` letters."""
    if is_narrow():
        longest = min(longest, 20)
    names = plain_names(runs, longest)
    columns = range(len(measures))
    for run, look in enumerate(run_styles(runs)):
        axes.plot(columns, positions[:, run], linewidth=1.2, **look)
    margin = _NAME_MARGIN * max(1, columns[-1])
    for end, side, align in ((0, -margin, "right"), (columns[-1], margin, "left")):
        # Names do not cover each other: tied runs go below one another.
        heights = 1 + np.argsort(np.argsort(positions[end], kind="stable"))
        for run, height in enumerate(heights.tolist()):
            position = int(positions[end, run])
            text = f"{position}  {names[run]}"
            axes.annotate(text, (end + side, height), ha=align, va="center", fontsize=7.5)
            if height > position:  # tied with others above: a bracket holds their names together
                bracket = [end + side * 0.75] * 2
                axes.plot(bracket, [position, height], color="#888888", linewidth=0.9, clip_on=False)
    axes.set_xticks(columns, [plain(measure) for measure in measures], rotation=90 * _are_turned(measures))
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


def _are_turned(measures: Sequence[str]) -> bool:
    """Return whether so many names have no room side by side."""
    return len(measures) > (2 if is_narrow() else 4) and math.isfinite(room())


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
    """Return a pattern of many measures in lines that leave room for the bars."""
    longest = 24 if is_narrow() else 60
    return [plain(line, 60) for line in textwrap.wrap(pattern, longest, break_long_words=False)]


def agreement(
    runs: Sequence[str],
    measures: Sequence[str],
    positions: AnyArray,
    patterns: Sequence[str] | None,
    pairs: Sequence[int] | None,
) -> Figure:
    """Draw figures 6 and 7 in one picture: positions above, verdicts below (if there are any)."""
    if patterns is None or pairs is None:
        return rank_changes(runs, measures, positions)
    # Patterns of more than two lines need more room, and names of measures that are turned.
    row = max(0.35, 0.1 + 0.15 * max((len(_lines(pattern)) for pattern in patterns), default=0))
    turned = 0.08 * max(map(len, measures)) if _are_turned(measures) else 0.0
    wide, upper = max(6.4, _width_of(measures)), turned + height_of(runs)
    if math.isfinite(page := page_height(wide)):
        # The rarest patterns share a bar where a page has no room for them below names of 7 points.
        least = turned + 1.2 + 0.0111 * page * len(runs)
        most = max(2, int((page - least - 0.9) / row))
        if rest := len(patterns[most:]):
            patterns = [*patterns[: most - 1], f"{rest + 1} other patterns"]
            pairs = [*pairs[: most - 1], sum(pairs[most - 1 :])]
        upper = max(least, min(upper, page - 1.2 - row * len(patterns)))
    lower = 1.2 + row * len(patterns)
    with new_figure(wide, upper + lower) as figure:
        above, below = figure.subplots(2, 1, height_ratios=(upper - turned - 1.0, lower - 1.2))
        draw_rank_changes(above, runs, measures, positions)
        draw_verdict_bars(below, patterns, pairs)
    return figure
