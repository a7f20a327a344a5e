"""What reading a run gives, as plain values that can be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pres_eval.errors import PresEvalError
from pres_eval.ranking.run_file import Ranking

ARRAYS = ("topic", "num_ret", "offsets", "rank", "document")
PLAIN = ("name", "tag", "num_lines", "longer_line", "single", "ascending")
WHOLE = ("more_unjudged", "opening", "tag_before", "form")


def outcome(read: Callable[[], Ranking]) -> dict[str, Any]:
    """Everything that a ranking has, or the error instead of it."""
    try:
        ranking = read()
    except PresEvalError as error:
        return {"error": type(error), "message": str(error)}
    arrays = {name: getattr(ranking, name).tolist() for name in ARRAYS}
    ties = [getattr(ranking.ties, name).tolist() for name in ("document", "first", "size")]
    others = {name: getattr(ranking, name) for name in PLAIN + WHOLE}
    return (
        arrays
        | others
        | {"ties": ties, "known": ranking.ties.known}
        | {"unjudged": list(dict.fromkeys(ranking.unjudged_ids))}
    )
