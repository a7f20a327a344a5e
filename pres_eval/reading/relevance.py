"""The formats of relevance information that -R names."""

from __future__ import annotations

from collections.abc import Callable

from pres_eval.errors import UsageError
from pres_eval.measures.base import RelevanceInfo
from pres_eval.reading.preferences import (
    GroupQrels,
    Preferences,
    read_group_qrels,
    read_preferences,
    read_qrels_as_preferences,
)
from pres_eval.reading.qrels import Qrels, read_qrels
from pres_eval.reading.source import Source

Relevance = Qrels | GroupQrels | Preferences

FORMATS: dict[str, tuple[Callable[[Source], Relevance], RelevanceInfo]] = {
    "qrels": (read_qrels, RelevanceInfo.QRELS),
    "qrels_jg": (read_group_qrels, RelevanceInfo.QRELS_JG),
    "prefs": (read_preferences, RelevanceInfo.PREFS),
    "qrels_prefs": (read_qrels_as_preferences, RelevanceInfo.PREFS),
}


def read_relevance(path: str, form: str = "qrels") -> Relevance:
    """Read judgements or preferences.

    Raises UsageError for a format that does not exist, InputError for a file that is not in it.
    """
    if form not in FORMATS:
        raise UsageError(f"-R {form}: no such format, expected one of {', '.join(FORMATS)}")
    return FORMATS[form][0](Source(path))
