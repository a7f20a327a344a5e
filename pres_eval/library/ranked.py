"""Judgements that are read once, for many runs."""

from __future__ import annotations

import os
from copy import copy
from typing import Any

from pres_eval.errors import UsageError
from pres_eval.library.judgements import is_path, read_judgements
from pres_eval.library.lookup import Lookup
from pres_eval.library.matrices import rank_matrix
from pres_eval.library.rankings import rank_any
from pres_eval.library.run import Run
from pres_eval.library.texts import texts_of
from pres_eval.library.warned import warn
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading import qrels as engine
from pres_eval.reading.document_scores import with_document_scores
from pres_eval.reading.relevance import Relevance

GAINS = "qrels_float"
"""The format, as -R names it, of judgements that are gains with decimals."""


def _ranked_by(cluster: Any, path: str, relevance: Relevance, options: Options) -> Ranking:
    from pres_eval.cluster.connecting import engine_of
    from pres_eval.cluster.runs import rank_runs

    with engine_of(cluster) as engine:
        (found,) = rank_runs([path], relevance, options, engine)
    if found.unchecked:
        warn(f"{path}: topics are not together, so unjudged documents were not checked for coming twice")
    return found.checked()


class Qrels:
    """Judgements: which documents are relevant for which topic, and how much.

    `data` is a path or an open file; a dict of dicts (topic, document, grade); a table with the columns
    query_id, doc_id, relevance (or qid, docno, label): pandas, polars, Arrow or a dict of columns; or an
    iterable of (topic, document, grade).  Grades below 0 mean "in the pool, not judged".  Whole grades may be
    stored as floats (1.0); with decimals (0.73) they are gains, for the measures that take any.  `form` is
    the format of a file as -R names it.

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
        self.relevance = read_judgements(data, form, name, jobs)
        """The judgements as the engine has them."""
        self.lookup = Lookup(self.relevance.pool)
        """The judged documents, to be found by Python's own hashing."""
        self.form = GAINS if form == "qrels" and self.relevance.info is RelevanceInfo.QRELS_FLOAT else form
        self.is_file = is_path(data)

    @property
    def name(self) -> str:
        """What messages call the judgements: the path, or "qrels"."""
        return self.relevance.name

    @property
    def topics(self) -> list[str]:
        """The topics, in byte order."""
        return texts_of(self.relevance.pool.topics)

    def __len__(self) -> int:
        return len(self.relevance.pool.documents)

    def __repr__(self) -> str:
        return f"<Qrels {self.name}: {len(self)} documents of {len(self.relevance.pool.topics)} topics>"

    def __getstate__(self) -> dict[str, Any]:
        return {"relevance": self.relevance, "form": self.form, "is_file": self.is_file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.relevance, self.form, self.is_file = state["relevance"], state["form"], state["is_file"]
        self.lookup = Lookup(self.relevance.pool)

    def with_document_scores(self, scores: Any) -> Qrels:
        """The same judgements with scores that documents have of their own, for urbp and ubpref.

        `scores` is anything that judgements can be, with a score for each topic and document in the place of
        the grade; a document without one counts 0.

        >>> import pres_eval as pe
        >>> qrels = pe.Qrels({"1": {"a": 1, "b": 1}}).with_document_scores({"1": {"a": 0.25, "b": 1.0}})
        >>> qrels.rank({"1": {"a": 2.0, "b": 1.0}}).evaluate("urbp.p=0.5")["urbp_p=0.5"]
        0.375

        Raises InputError for what cannot be read, and UsageError for judgements that are no qrels.
        """
        own = read_judgements(scores, GAINS, None, None)
        assert isinstance(own, engine.Qrels), "gains are qrels"
        other = copy(self)
        other.relevance = with_document_scores(self.relevance, own)
        return other

    def rank(
        self,
        data: Any,
        *,
        compat: str = Options.compat,
        max_retrieved: int | None = None,
        duplicates: str = Options.duplicates,
        name: str | None = None,
        jobs: int | None = None,
        cluster: Any = None,
    ) -> Run:
        """Rank a run once, to evaluate it many times; of its documents only the judged ones are kept.

        `data` is a path or an open file; a dict of dicts (topic, document, score); a table with the columns
        query_id, doc_id, score (or qid, docno, score); or an iterable of (topic, document, score).  What
        `cluster` is, is told at `evaluate`.
        """
        if isinstance(data, Run):
            raise UsageError("run: it is ranked already, expected what Qrels.rank takes")
        options = Options(compat=compat, max_retrieved=max_retrieved, duplicates=duplicates)
        if cluster is not None:
            if not is_path(data):
                raise UsageError("cluster: its workers read files; expected a path or an address as the run")
            return Run(self, _ranked_by(cluster, os.fspath(data), self.relevance, options), options, True)
        ranking = rank_any(data, self.relevance, self.lookup, options, name, jobs)
        return Run(self, ranking, options, is_path(data))

    def rank_top_k(
        self,
        topics: Any,
        ids: Any,
        scores: Any,
        *,
        compat: str = Options.compat,
        max_retrieved: int | None = None,
        duplicates: str = Options.duplicates,
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
        name = name or "run"
        options = Options(compat=compat, max_retrieved=max_retrieved, duplicates=duplicates)
        ranking = rank_matrix(topics, ids, scores, self.relevance, self.lookup, options, name=name, tag=name)
        return Run(self, ranking, options)


def as_qrels(data: Any, form: str, jobs: int | None) -> Qrels:
    """Judgements that may have been read already."""
    return data if isinstance(data, Qrels) else Qrels(data, form=form, jobs=jobs)
