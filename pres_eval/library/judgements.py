"""Judgements of any kind, read once, to rank and evaluate any number of runs with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays.ids import WordIds
from pres_eval.errors import InputError
from pres_eval.library.lookup import Lookup
from pres_eval.library.streams import OpenFile, name_of
from pres_eval.library.tables import RELEVANCE, Table, as_grades, looks_like_columns, opened_table
from pres_eval.library.texts import ids_of, texts_of
from pres_eval.options import Options
from pres_eval.reading import qrels as engine
from pres_eval.reading.columns import QrelsColumns, qrels_of_columns
from pres_eval.reading.relevance import Relevance, read_any_qrels, read_relevance

if TYPE_CHECKING:
    from pres_eval.library.ranked import Run


class Qrels:
    """Judgements: which documents are relevant for which topic, and how much.

    `data` is a path or an open file; a dict of dicts (topic, document, grade); a table with the columns
    query_id, doc_id, relevance (or qid, docno, label): pandas, polars, Arrow or a dict of columns; or an
    iterable of (topic, document, grade).  Grades below 0 mean "in the pool, not judged".  `form` is the
    format of a file as -R names it.

    >>> import pres_eval as pe
    >>> qrels = pe.Qrels({"1": {"a": 2, "b": 0}, "2": {"a": 1}})
    >>> qrels.topics, len(qrels)
    (['1', '2'], 3)
    >>> run = qrels.rank({"1": {"a": 0.9, "x": 0.8}, "2": {"x": 0.7, "a": 0.6}})
    >>> run.evaluate("map")["map"], run.evaluate("map", level=2, complete=True)["map"]
    (0.75, 0.5)

    Raises InputError for what cannot be read: file, line, what was found and what was expected.
    """

    def __init__(
        self, data: Any, *, form: str = "qrels", name: str | None = None, jobs: int | None = None
    ) -> None:
        self._relevance = _relevance(data, form, name, jobs)
        self._lookup = Lookup(self._relevance.pool)
        self.form = form
        self.is_file = is_path(data)

    @property
    def relevance(self) -> Relevance:
        """The judgements as the engine has them."""
        return self._relevance

    @property
    def lookup(self) -> Lookup:
        """The judged documents, to be found by Python's own hashing."""
        return self._lookup

    @property
    def name(self) -> str:
        """What messages call the judgements: the path, or "qrels"."""
        return self._relevance.name

    @property
    def topics(self) -> list[str]:
        """The topics, in byte order."""
        return texts_of(self._relevance.pool.topics)

    def __len__(self) -> int:
        return len(self._relevance.pool.documents)

    def __repr__(self) -> str:
        return f"<Qrels {self.name}: {len(self)} documents of {len(self._relevance.pool.topics)} topics>"

    def __getstate__(self) -> dict[str, Any]:
        return {"relevance": self._relevance, "form": self.form, "is_file": self.is_file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._relevance, self.form, self.is_file = state["relevance"], state["form"], state["is_file"]
        self._lookup = Lookup(self._relevance.pool)

    def rank(
        self,
        data: Any,
        *,
        compat: str = Options.compat,
        max_retrieved: int | None = None,
        name: str | None = None,
        jobs: int | None = None,
    ) -> Run:
        """Rank a run once, to evaluate it many times; of its documents only the judged ones are kept.

        `data` is a path or an open file; a dict of dicts (topic, document, score); a table with the columns
        query_id, doc_id, score (or qid, docno, score); or an iterable of (topic, document, score).
        """
        from pres_eval.library.ranked import rank

        return rank(self, data, _options(compat, max_retrieved), name, jobs)

    def rank_top_k(
        self,
        topics: Any,
        ids: Any,
        scores: Any,
        *,
        compat: str = Options.compat,
        max_retrieved: int | None = None,
        name: str | None = None,
    ) -> Run:
        """Rank the k best documents of T topics, as a vector search gives them.

        topics  T ids
        ids     (T, k) whole numbers or texts: numpy, or anything with `__array__` or `__dlpack__`; -1 where a
                topic has fewer documents
        scores  (T, k) numbers, higher is better; for distances give -distances

        >>> import numpy as np
        >>> import pres_eval as pe
        >>> qrels = pe.Qrels([("1", "17", 1), ("2", "4", 1)])
        >>> ids, scores = np.array([[17, 4], [9, -1]]), np.array([[0.9, 0.5], [0.3, 0.0]])
        >>> qrels.rank_top_k(["1", "2"], ids, scores).evaluate("recip_rank")["recip_rank"]
        0.5
        """
        from pres_eval.library.ranked import rank_top_k

        return rank_top_k(self, topics, ids, scores, _options(compat, max_retrieved), name)


def _options(compat: str, max_retrieved: int | None) -> Options:

    return Options(compat=compat, max_retrieved=max_retrieved)


def as_qrels(data: Any, form: str, jobs: int | None) -> Qrels:
    """Judgements that may have been read already."""
    return data if isinstance(data, Qrels) else Qrels(data, form=form, jobs=jobs)


def _relevance(data: Any, form: str, name: str | None, jobs: int | None) -> Relevance:
    if is_path(data):
        return read_relevance(os.fspath(data), form, jobs)
    if hasattr(data, "read"):
        return read_any_qrels(OpenFile(data, name or name_of(data, "qrels")), jobs)
    name = name or "qrels"
    data = plain_mapping(data)
    if isinstance(data, Mapping) and not looks_like_columns(data):
        return _of_dict(data, name)
    check_iterable(data, name)
    with opened_table(data, RELEVANCE, name) as table:
        return _of_table(table, name)


def is_path(data: Any) -> bool:
    """Whether an object names a file."""
    return isinstance(data, (str, os.PathLike))


def plain_mapping(data: Any) -> Any:
    """What a ranx Qrels or Run holds, as dicts; anything else as it is."""
    if type(data).__module__.split(".")[0] == "ranx" and hasattr(data, "to_dict"):
        return data.to_dict()
    return data


def check_iterable(data: Any, name: str) -> None:
    """Raise InputError for an object that is none of those that are read."""
    if not (hasattr(data, "__iter__") or hasattr(data, "__arrow_c_stream__")):
        raise InputError(
            name,
            None,
            f"an object of type {type(data).__name__}",
            "a path, an open file, a dict of dicts, a table, or rows of topic, document and value",
        )


def _of_dict(data: Mapping[Any, Any], name: str) -> engine.Qrels:
    judged = {topic: documents for topic, documents in data.items() if documents}
    for topic, documents in judged.items():
        if not isinstance(documents, Mapping):
            found = f"{type(documents).__name__} for topic {topic!r}"
            raise InputError(name, None, found, "a dict of documents and their values")
    ids = list(chain.from_iterable(judged.values()))
    grades = np.array(list(chain.from_iterable([documents.values() for documents in judged.values()])))
    return qrels_of_columns(
        QrelsColumns(
            name=name,
            topics=ids_of(list(judged), name),
            lengths=np.array(list(map(len, judged.values())), np.int64),
            documents=WordIds.of(ids_of(ids, name)),
            grades=as_grades(grades, name) if ids else np.zeros(0, np.int64),
        )
    )


def _of_table(table: Table, name: str) -> engine.Qrels:
    topics, lengths = table.topic.groups()
    return qrels_of_columns(
        QrelsColumns(
            name=name,
            topics=topics,
            lengths=lengths,
            documents=table.document.pick(slice(0, len(table.document))),
            grades=as_grades(table.value, name),
        )
    )
