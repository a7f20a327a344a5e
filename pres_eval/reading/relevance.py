"""The formats of relevance information that -R names."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, TypeAlias, cast

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

# By name, because only one of them is needed and they take a while to import.
_READERS = {
    "qrels": ("pres_eval.reading.qrels", "read_qrels"),
    "qrels_jg": ("pres_eval.reading.preferences", "read_group_qrels"),
    "prefs": ("pres_eval.reading.preferences", "read_preferences"),
    "qrels_prefs": ("pres_eval.reading.preferences", "read_qrels_as_preferences"),
}


def relevance_info(form: str) -> RelevanceInfo:
    """What can be computed from a format; raises UsageError for one that does not exist."""
    if form not in FORMATS:
        raise UsageError(f"-R {form}: no such format, expected one of {', '.join(FORMATS)}")
    return FORMATS[form]


def read_relevance(path: str, form: str = "qrels") -> Relevance:
    """Read judgements or preferences.

    Raises UsageError for a format that does not exist, InputError for a file that is not in it.
    """
    relevance_info(form)
    module, function = _READERS[form]
    return cast("Relevance", getattr(importlib.import_module(module), function)(Source(path)))
