"""How one column alone is computed, as the end of its name says: `map(rel=2)`, `P_5(judged_only=True)`."""

from __future__ import annotations

import re
from typing import NamedTuple

BOUNDS = ("least", "greatest")

_ENDING = rf"\((?:rel=([0-9]{{1,18}}))?,?(?:(judged_only)=True)?,?(?:bound=({'|'.join(BOUNDS)}))?\)\Z"


class View(NamedTuple):
    """How one column alone is computed.

    level        the relevance level it is seen at, None for that of -l
    judged_only  documents that nobody judged are taken out of the ranking first, as by -J
    bound        one of BOUNDS: what the value could be if they were judged
    """

    level: int | None = None
    judged_only: bool = False
    bound: str | None = None

    @property
    def ending(self) -> str:
        """What labels end in: `(rel=2)`, `(judged_only=True,bound=least)`."""
        settings = [] if self.level is None else [f"rel={self.level}"]
        settings += ["judged_only=True"] * self.judged_only
        settings += [] if self.bound is None else [f"bound={self.bound}"]
        return f"({','.join(settings)})" if settings else ""


def cut_view(text: str) -> tuple[str, View]:
    """A text without the settings at its end, and these."""
    match = re.search(_ENDING, text) if text.endswith(")") else None
    if match is None:
        return text, View()
    level = None if match[1] is None else int(match[1])
    return text[: match.start()], View(level, match[2] is not None, match[3])
