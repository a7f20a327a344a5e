"""What the library says as a warning, at the line of the caller, where the command writes to stderr."""

from __future__ import annotations

import sys
import warnings

from pres_eval.errors import PresEvalWarning
from pres_eval.measures.selection import Selection, with_bounds, with_expected_values
from pres_eval.options import EXPECTED, Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance


def warn(text: str) -> None:
    """Warn at the first line outside of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("pres_eval."):
        frame = frame.f_back
        level += 1
    warnings.warn(text, PresEvalWarning, stacklevel=level)


def as_asked(selection: Selection, options: Options, bounds: bool) -> Selection:
    """The columns as `ties` and `bounds` have them; what only nicknames ask for may not be among them."""
    if options.ties == EXPECTED:
        selection, without = with_expected_values(selection, options)
        if without:
            warn(f"left out, as they have no expected value in closed form: {', '.join(without)}")
    if bounds:
        selection, without = with_bounds(selection)
        if without:
            warn(f"{', '.join(without)}: no bounds, as they are not defined")
    return selection


def weigh_ties(relevance: Relevance, ranking: Ranking, options: Options, selection: Selection) -> None:
    """Warn if the order of equal scores makes a difference."""
    if not len(ranking.ties.document):
        return
    # Imported here because most runs have no ties.
    from pres_eval.analysis.ties import warning_of_ties

    if text := warning_of_ties(relevance, ranking, options, selection):
        warn(text)
