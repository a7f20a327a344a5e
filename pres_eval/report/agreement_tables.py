"""The tables of an agreement of measures: correlations, positions, verdicts, disagreements, dissents."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from pres_eval.analysis.agreement import (
    CoefficientInterval,
    Correlation,
    Disagreement,
    Dissent,
    Pattern,
    correlations,
    dissents,
)
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.report.cells import Interval, Value
from pres_eval.report.layout import Shown, Table, records_table
from pres_eval.report.text import UNKNOWN, falling_notes, percentage


def correlations_table(measures: tuple[str, ...], means: FloatArray, scores: PairedScores | None) -> Table:
    """Return the table of correlations between the orders of each pair of measures."""
    over = "" if scores is None else f" over {plural(len(scores.topics))}"
    left_out = () if scores is None else scores.left_out
    gone = (f"left out, no averages over topics: {', '.join(left_out)}",) if left_out else ()
    return records_table(
        "correlations",
        f"Correlations of the orders of {means.shape[1]} runs{over}",
        correlations(measures, means),
        Correlation,
        (
            "ceiling: the highest tau_a that the ties let be reached; tau_b takes them into account",
            "tau_ap: the first measure's order is the true one; tau_ap_back: the second's; tau_ap_b: neither",
            "rbo_floor: the rbo of opposite orders of so many runs, its least value; the same order has 1",
            *gone,
        ),
    )


def coefficient_intervals_table(found: list[CoefficientInterval], confidence: float, samples: int) -> Table:
    """Return the table of intervals of the coefficients over topics."""
    return records_table(
        "intervals",
        f"{percentage(confidence)} intervals over topics (percentiles of {samples} bootstrap draws)",
        found,
        CoefficientInterval,
        ("a draw has fewer different topics, so the intervals lie a little low",),
        Shown(
            ("first", "second", "coefficient", "value", "interval"),
            [
                (one.first, one.second, one.coefficient, one.value, Interval(one.lower, one.upper))
                for one in found
            ],
            left=3,
        ),
    )


SAID = {1: "first", 0: "-", -1: "second"}
"""How a verdict on a pair is shown."""

MOST_SHOWN = 20
"""Pairs of runs on which measures disagree that people see; programs get all."""


def disagreements_table(measures: tuple[str, ...], found: list[Disagreement]) -> Table:
    """The pairs of runs on which the measures say different things."""
    headings = ("first", "second", *measures, "contradiction")
    rows: list[tuple[Value, ...]] = [
        (one.run, one.other, *(SAID[value] for value in one.said), one.opposite) for one in found
    ]
    notes = ["first, second: which run is significantly better; -: can't tell"]
    if len(found) > MOST_SHOWN:
        notes.append(f"{len(found) - MOST_SHOWN} more: --format csv --table disagreements")
    return Table(
        name="disagreements",
        title="Pairs of runs on which measures disagree, contradictions first",
        headings=headings,
        rows=rows,
        notes=notes,
        shown=Shown(headings, rows[:MOST_SHOWN], left=2),
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
    order = np.lexsort((np.arange(len(runs)), positions[0]))
    rows, lines = [], []
    for run in order.tolist():
        line = [runs[run]]
        for measure, label in enumerate(measures):
            place = int(positions[measure, run])
            rows.append((runs[run], label, float(means[measure, run]), place))
            change = int(positions[0, run]) - place
            moved = f" ({change:+d})" if measure else ""
            line.append(f"{place}{moved if change else ' ' * len(moved)}")
        lines.append(line)
    return Table(
        "positions",
        f"Positions of the runs, and how far each moves up (+) or down (-) from {measures[0]}",
        ("run", "measure", "score", "position"),
        rows,
        falling_notes(measures, falling),
        Shown(("run", *measures), lines),
    )


def verdicts_table(patterns: list[Pattern], pairs: int, test: str, alpha: float) -> Table:
    """On how many pairs of runs which measures say the same."""
    return Table(
        name="verdicts",
        title=f"Verdicts on {pairs} pairs of runs ({test}, p < {alpha:g})",
        headings=("pattern", "pairs", "share"),
        rows=[(pattern.text, pattern.pairs, pattern.share) for pattern in patterns],
        notes=("= says the same, ≠ something else: first better, second better, or can't tell",),
        shown=Shown(
            ("measures", "pairs", "share"),
            [(pattern.text, pattern.pairs, f"{pattern.share:.1%}") for pattern in patterns],
        ),
    )


def dissents_table(measures: tuple[str, ...], said: IntArray) -> Table:
    """Return the table of how often each measure contradicts the others: (M, P) verdicts."""
    rows = dissents(measures, said)
    return records_table(
        "dissents",
        "Each measure alone against the others where these agree",
        rows,
        Dissent,
        (),
        Shown(
            ("measure", "pairs on which the others agree", "it says something else", "share"),
            [
                (row.measure, row.pairs, row.alone, f"{row.share:.1%}" if row.pairs else UNKNOWN)
                for row in rows
            ],
        ),
    )
