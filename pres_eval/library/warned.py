"""Warnings of the library, at the line of the caller; the command writes them to stderr."""

from __future__ import annotations

import sys
import warnings

from pres_eval.errors import PresEvalWarning
from pres_eval.library.wording import in_python
from pres_eval.measures.selection import Selection
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.relevance import Relevance


def warn(text: str | None) -> None:
    """Warn at the first line outside of this package, if there is something to warn of."""
    if not text:
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("pres_eval."):
        frame = frame.f_back
        level += 1
    warnings.warn(in_python(text), PresEvalWarning, stacklevel=level)


def weigh_ties(relevance: Relevance, ranking: Ranking, options: Options, selection: Selection) -> None:
    """Warn if the order of the equal scores of a run makes a difference."""
    # Imported here because most runs have no ties.
    from pres_eval.analysis.ties import warning_of_ties

    if text := warning_of_ties(relevance, ranking, options, selection):
        warn(text)
