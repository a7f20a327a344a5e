"""The formats of relevance information that -R names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pres_eval.errors import UsageError
from pres_eval.options import RelevanceInfo
from pres_eval.reading.source import Source

if TYPE_CHECKING:
    from pres_eval.reading.preferences import GroupQrels, Preferences
    from pres_eval.reading.qrels import Qrels

Relevance: TypeAlias = "Qrels | GroupQrels | Preferences"

FORMATS = {
    "qrels": RelevanceInfo.QRELS,
    "qrels_jg": RelevanceInfo.QRELS_JG,
    "prefs": RelevanceInfo.PREFS,
    "qrels_prefs": RelevanceInfo.PREFS,
}
"""What can be computed from each format."""


def relevance_info(form: str) -> RelevanceInfo:
    """What can be computed from a format; raises UsageError for one that does not exist."""
    if form not in FORMATS:
        raise UsageError(f"-R {form}: no such format, expected one of {', '.join(FORMATS)}")
    return FORMATS[form]


def read_relevance(path: str, form: str = "qrels", jobs: int | None = None) -> Relevance:
    """Read judgements or preferences; `jobs` threads parse qrels (None: as many as there are processors).

    Raises UsageError for a format that does not exist, InputError for a file that is not in it.
    """
    relevance_info(form)
    # Imported here because only one of them is needed, and they take a while.
    if form == "qrels":
        from pres_eval.reading.qrels import read_qrels

        return read_qrels(Source(path), jobs)
    from pres_eval.reading import preferences

    if form == "qrels_jg":
        return preferences.read_group_qrels(Source(path))
    if form == "prefs":
        return preferences.read_preferences(Source(path))
    return preferences.read_qrels_as_preferences(Source(path))
