"""Columns as --ties and --bounds have them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pres_eval.errors import MeasureError, UsageError
from pres_eval.measures.base import Format
from pres_eval.measures.names import BOUNDS
from pres_eval.measures.selection import SelectedColumn, Selection, check_ties, check_unjudged
from pres_eval.options import BEST, DOCNO, EXPECTED, WORST, Options

BOUNDS_NOTE = (
    "least, greatest: if unjudged documents retrieved down to a measure's cutoff were judged, with grades up"
    " to the topic's highest or the level; documents further down, or higher grades, can move a value out of"
    " these"
)
"""Note on the judgements that bounds cover."""

BOUNDS_OF_ALL = (
    "least, greatest: if all unjudged documents retrieved were judged, with grades up to {scale}; relevant"
    " documents that were not retrieved can still lower a value"
)
"""The same note where all retrieved documents count."""


def with_bounds(
    selection: Selection, options: Options, scale: int | None = None
) -> tuple[Selection, tuple[str, ...]]:
    """Return each column followed by its bounds, and the measures of nicknames that have none.

    `scale`: bounds if all that were retrieved were judged, with grades up to this; None: down to the cutoff.
    Raises MeasureError for a measure without bounds that was named itself, and for -J.
    """
    from pres_eval.measures.bounds import why_not

    check_unjudged(options.judged_only or any(column.view.judged_only for column in selection))

    found: list[SelectedColumn] = []
    without: list[str] = []
    for column in selection:
        found.append(column)
        if column.view.bound is not None or not column.measure.tells_quality:
            continue
        if why := why_not(column.measure, column.arguments, scale):
            if column.by_name:
                raise MeasureError(f"{column.measure.name}: {why}")
            without.append(column.measure.name)
            continue
        plain = column.label.removesuffix(column.view.ending)
        views = [column.view._replace(bound=bound, scale=scale) for bound in BOUNDS]
        found += [replace(column, label=plain + view.ending, view=view) for view in views]
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(without))


WITHOUT = {
    EXPECTED: "left out, as they have no expected value in closed form when scores tie",
    **dict.fromkeys((BEST, WORST), "left out, as their best order of a tie need not be that of the grades"),
}
"""Reasons why `as_ties_go` leaves measures out, by the value of --ties."""


def as_ties_go(selection: Selection, options: Options) -> tuple[Selection, tuple[str, ...]]:
    """Return the columns as --ties has them, and the measures of nicknames that are left out.

    With `expected` and -M, counts of retrieved documents are also expected values, and need not be whole.
    """
    from pres_eval.measures.expected import depends_on_order, has_expected_value

    expected = options.ties == EXPECTED
    found: list[SelectedColumn] = []
    without: list[str] = []
    for column in selection:
        measure = column.measure
        if column.by_name:
            check_ties(measure, options)
        elif not (has_expected_value(measure) if expected else measure.best_by_grade):
            without.append(measure.name)
            continue
        counts = expected and options.max_retrieved is not None and measure.format is Format.COUNT
        if counts and depends_on_order(measure):
            column = replace(column, measure=replace(measure, format=Format.FLOAT))  # noqa: PLW2901
        found.append(column)
    return tuple(found), tuple(dict.fromkeys(without))


def as_asked(
    selection: Selection, options: Options, bounds: bool | str, warn: Callable[[str], None]
) -> Selection:
    """Return the columns as --ties and --bounds have them, and warn of those that are left without.

    bounds  whether there are any; "all,max_rel=3": if all that were retrieved were judged, up to this grade
    Raises MeasureError for a measure named itself that has none, UsageError for a scale that is none.
    """
    if options.ties != DOCNO:
        selection, without = as_ties_go(selection, options)
        if without:
            warn(f"{WITHOUT[options.ties]}: {', '.join(without)}")
    if bounds:
        scale = read_scale(bounds) if isinstance(bounds, str) else None
        selection, without = with_bounds(selection, options, scale)
        if without:
            warn(f"{', '.join(without)}: no bounds, as they are not defined")
    return selection


def read_scale(text: str) -> int:
    """Return the highest grade of `all,max_rel=3`.  Raises UsageError for anything else."""
    match = re.fullmatch(r"all(?:,max_rel=([1-9][0-9]{0,8}))?", text)
    if match is None or match[1] is None:
        raise UsageError(
            f"bounds {text}: expected all,max_rel=GRADE with the scale's highest grade (1: relevant or not)"
        )
    return int(match[1])
