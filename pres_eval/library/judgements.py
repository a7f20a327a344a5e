"""Conversion of judgements of any kind for the engine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from itertools import chain, takewhile
from typing import Any

import numpy as np

from pres_eval.arrays import WordIds
from pres_eval.errors import InputError
from pres_eval.library.ids import ids_of
from pres_eval.library.streams import FileObject, name_of
from pres_eval.library.tables import as_grades, block_of_table, looks_like_columns
from pres_eval.reading.blocks import Block
from pres_eval.reading.qrels import qrels_of_block
from pres_eval.reading.relevance import Relevance, read_relevance
from pres_eval.reading.run_files import source_at


def read_judgements(data: Any, form: str, name: str | None, jobs: int | None) -> Relevance:
    """Return judgements of any kind; `form` is a file's format.  Raises InputError for unreadable ones."""
    if is_path(data):
        return read_relevance(source_at(os.fspath(data)), form, jobs)
    if hasattr(data, "read"):
        return read_relevance(FileObject(data, name or name_of(data, "qrels")), form, jobs)
    name = name or "qrels"
    data, by_topic = plain_data(data, name)
    return qrels_of_block(name, _block_of_dict(data, name) if by_topic else block_of_table(data, True, name))


def is_path(data: Any) -> bool:
    """Return whether an object names a file."""
    return isinstance(data, (str, os.PathLike))


MANY_GRADES = 6
"""Different grades in a topic that look like scores, when no grade comes twice."""

GRADES = range(-2, 5)
"""Grades of the tracks of TREC, and of most others."""


def values_are(data: Any, kind: type | tuple[type, ...]) -> bool:
    """Return whether the first topic of a dict of dicts has values of this kind alone."""
    first = next(iter(data.values()), None) if isinstance(data, Mapping) else None
    return isinstance(first, Mapping) and bool(first) and all(isinstance(one, kind) for one in first.values())


def first_topic(data: Any) -> dict[Any, Any] | None:
    """Return a dict of dicts with its first topic alone, also of a list of rows; None for other data."""
    if isinstance(data, list):
        of_row = (tuple, list)
        rows = takewhile(lambda row: isinstance(row, of_row) and len(row) == 3 and row[0] == data[0][0], data)
        return {None: {str(document): value for _, document, value in rows}}
    first = next(iter(data.items()), None) if isinstance(data, Mapping) else None
    return None if first is None or not isinstance(first[1], Mapping) else {first[0]: first[1]}


def look_swapped(judged: Any, run: Any) -> str:
    """Return why judgements look like scores and a run like grades, by the first topic of dicts of dicts.

    Empty if nothing does: whole numbers from -2 to 4 can be both.
    """
    if values_are(judged, float) and values_are(run, (int, np.integer)):
        return "the judgements are numbers with decimals, the scores of the run are whole"
    if values_are(run, (bool, np.bool_)) and not values_are(judged, (bool, np.bool_)):
        return "the scores of the run are True and False"
    if values_are(judged, (int, np.integer)) and values_are(run, (int, np.integer)):
        grades, scores = (list(next(iter(data.values())).values()) for data in (judged, run))
        if MANY_GRADES <= len(grades) == len(set(grades)) and 2 * len(set(scores)) <= len(scores):
            return "the judgements are all different, the scores of the run are few different whole numbers"
        beyond = [grade for grade in grades if grade not in GRADES]
        if beyond and all(score in GRADES for score in scores):
            found = f"the judgements have grades such as {beyond[0]}"
            return f"{found}, the scores of the run are whole and at most {GRADES[-1]}"
    return ""


def plain_data(data: Any, name: str) -> tuple[Any, bool]:
    """Return data of ranx and ir_datasets as plain ones, and whether they are a dict by topic.

    Raises InputError for an object that is none of those that are read, and for tables not computed yet.
    """
    if hasattr(data, "qrels_iter"):
        data = data.qrels_iter()
    elif type(data).__module__.split(".")[0] == "ranx" and hasattr(data, "to_dict"):
        data = data.to_dict()
    if isinstance(data, Mapping) and not looks_like_columns(data):
        return data, True
    for method in ("collect", "compute"):  # of lazy frames of Polars, and of Dask
        if callable(getattr(data, method, None)) and hasattr(type(data), "columns"):
            found = (
                f"a {type(data).__name__} of {type(data).__module__.split('.')[0]}, which is not computed yet"
            )
            raise InputError(name, None, found, "a table", f"give its .{method}()")
    if not (hasattr(data, "__iter__") or hasattr(data, "__arrow_c_stream__")):
        raise InputError(
            name,
            None,
            f"an object of type {type(data).__name__}",
            "a path, an open file, a dict of dicts, a table, or rows of topic, document and value",
        )
    return data, False


def check_dicts(data: Mapping[Any, Any], name: str) -> None:
    """Raise InputError for a topic that has no dict of documents."""
    for topic, documents in data.items():
        if not isinstance(documents, Mapping):
            raise InputError(
                name,
                None,
                f"{type(documents).__name__} for topic {topic!r}",
                "a dict of documents and their values",
            )


def _block_of_dict(data: Mapping[Any, Any], name: str) -> Block:
    """Return judgements from a dict of dicts, or of sets whose documents are relevant."""
    judged = {
        topic: dict.fromkeys(documents, 1) if isinstance(documents, Set) else documents
        for topic, documents in data.items()
        if documents
    }
    check_dicts(judged, name)
    ids = list(chain.from_iterable(judged.values()))
    grades = np.array(list(chain.from_iterable([documents.values() for documents in judged.values()])))
    if grades.dtype.kind not in "biuf":
        _check_grades(judged, name)
    return Block(
        topics=ids_of(list(judged), name),
        lengths=np.array(list(map(len, judged.values())), np.int64),
        documents=WordIds.of(ids_of(ids, name)),
        numbers=as_grades(grades, name) if ids else np.zeros(0, np.int64),
    )


def _check_grades(judged: Mapping[Any, Mapping[Any, Any]], name: str) -> None:
    """Raise InputError for a grade that is no number."""
    for topic, documents in judged.items():
        for document, grade in documents.items():
            if isinstance(grade, str) or not hasattr(grade, "__float__"):
                raise InputError(
                    name, None, f"relevance {grade!r} of document {document!r} of topic {topic!r}", "a number"
                )
