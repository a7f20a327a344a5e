"""The formats of relevance information that -R names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pres_eval.errors import InputError, UsageError
from pres_eval.options import RelevanceInfo
from pres_eval.reading.source import Source

if TYPE_CHECKING:
    from pres_eval.reading.blocks import FileFormat
    from pres_eval.reading.preferences import GroupQrels, Preferences, SubtopicQrels
    from pres_eval.reading.qrels import QrelsJudgements
    from pres_eval.reading.strata import Sample

Relevance: TypeAlias = "QrelsJudgements | GroupQrels | SubtopicQrels | Sample | Preferences"

FORMATS = {
    "qrels": RelevanceInfo.QRELS,
    "qrels_jg": RelevanceInfo.QRELS_JG,
    "prefs": RelevanceInfo.PREFS,
    "qrels_prefs": RelevanceInfo.PREFS,
    "qrels_float": RelevanceInfo.QRELS_FLOAT,
    "subtopics": RelevanceInfo.SUBTOPICS,
    "strata": RelevanceInfo.STRATA,
    "prels": RelevanceInfo.PRELS,
    "beir": RelevanceInfo.QRELS,
    "json": RelevanceInfo.QRELS,
    "jsonl": RelevanceInfo.QRELS,
    "csv": RelevanceInfo.QRELS,
    "parquet": RelevanceInfo.QRELS,
}
"""Formats, each with the kind of relevance information that it has."""


def relevance_info(form: str) -> RelevanceInfo:
    """Return the facts of a format of judgements; raise UsageError for one that does not exist."""
    if form not in FORMATS:
        raise UsageError(f"-R {form}: no such format, expected one of {', '.join(FORMATS)}")
    return FORMATS[form]


def read_relevance(path: str | Source, form: str = "qrels", jobs: int | None = None) -> Relevance:
    """Read judgements or preferences; `jobs` threads parse qrels (None: as many as there are processors).

    Judgements of the form qrels that have not four columns are recognised by their beginning.  Raises
    UsageError for a format that does not exist, InputError for a file that is not in it.
    """
    relevance_info(form)
    source = path if isinstance(path, Source) else Source(path)
    # Imported here because only one of them is needed, and they take a while.
    if form == "qrels":
        from pres_eval.reading.qrels import read_qrels

        try:
            return read_qrels(source, jobs)
        except InputError:
            from pres_eval.reading.formats.recognising import recognised

            found = recognised(source, grades=True)
            if found is None:
                raise
            return qrels_in(source, found)
    if FORMATS[form] is RelevanceInfo.QRELS:
        from pres_eval.reading.formats.recognising import FORMATS as OTHERS

        return qrels_in(source, OTHERS[form])
    if form == "qrels_float":
        from pres_eval.reading.qrels import QRELS_FLOAT, read_qrels

        return read_qrels(source, jobs, layout=QRELS_FLOAT)
    from pres_eval.reading import preferences, strata

    readers: dict[str, Callable[[Source], Relevance]] = {
        "qrels_jg": partial(preferences.read_group_qrels, kind=preferences.GroupQrels),
        "subtopics": partial(preferences.read_group_qrels, kind=preferences.SubtopicQrels),
        "strata": strata.read_strata,
        "prels": strata.read_prels,
        "prefs": preferences.read_preferences,
        "qrels_prefs": partial(preferences.read_preferences, layout=preferences.QRELS_PREFS),
    }
    return readers[form](source)


def qrels_in(source: Source, form: FileFormat) -> QrelsJudgements:
    """Read judgements in a format that is not trec_eval's."""
    from pres_eval.reading.blocks import joined
    from pres_eval.reading.qrels import qrels_of_block

    block = joined(source.name, form.read(source, True))
    return replace(qrels_of_block(source.name, block), form=form.meaning)
