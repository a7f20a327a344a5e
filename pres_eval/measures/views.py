"""Settings of one column alone, at the end of its name: `map(rel=2)`, `P_5(judged_only=True)`."""

from __future__ import annotations

import re
from typing import NamedTuple

from pres_eval.errors import UsageError

BOUNDS = ("least", "greatest")

_BOUND = rf"bound=({'|'.join(BOUNDS)})(?:,(?:max_rel|scale)=([0-9]{{1,9}}))?"
_ENDING = rf"\((?:rel=([0-9]{{1,18}}))?,?(?:(judged_only)=True)?,?(?:{_BOUND})?\)\Z"


class View(NamedTuple):
    """Settings with which one column alone is computed.

    level        the relevance level it is seen at, None for that of -l
    judged_only  documents that nobody judged are taken out of the ranking first, as by -J
    bound        one of BOUNDS: limit of the value if they were judged, down to the measure's cutoff; or
                 "lower" or "upper": end of the interval of a value that is inferred from a sample
    scale        with `bound`: if all that were retrieved were judged, with grades up to this
    """

    level: int | None = None
    judged_only: bool = False
    bound: str | None = None
    scale: int | None = None

    @property
    def ending(self) -> str:
        """Return the end of labels: `(rel=2)`, `(judged_only=True,bound=least)`."""
        settings = [] if self.level is None else [f"rel={self.level}"]
        settings += ["judged_only=True"] * self.judged_only
        settings += [] if self.bound is None else [f"bound={self.bound}"]
        settings += [] if self.scale is None else [f"max_rel={self.scale}"]
        return f"({','.join(settings)})" if settings else ""


def cut_view(text: str) -> tuple[str, View]:
    """Return a text without the settings at its end, and these."""
    match = re.search(_ENDING, text)
    if match is None:
        return text, View()
    level = None if match[1] is None else int(match[1])
    scale = None if match[4] is None else int(match[4])
    return text[: match.start()], View(level, match[2] is not None, match[3], scale)


def read_scale(text: str) -> int:
    """Return the highest grade of `all,max_rel=3`.  Raises UsageError for anything else."""
    match = re.fullmatch(r"all(?:,max_rel=([1-9][0-9]{0,8}))?", text)
    if match is None or match[1] is None:
        raise UsageError(
            f"bounds {text}: expected all,max_rel=GRADE with the scale's highest grade (1: relevant or not)"
        )
    return int(match[1])
