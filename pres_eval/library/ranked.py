"""Judgements that are read once, and runs that are ranked once against them, to be evaluated at will."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

from pres_eval.errors import UsageError
from pres_eval.library.evaluation import Evaluation, Origin
from pres_eval.library.judgements import is_path, read_judgements
from pres_eval.library.lookup import Lookup
from pres_eval.library.matrices import rank_matrix
from pres_eval.library.rankings import rank_any
from pres_eval.library.texts import encode, texts_of
from pres_eval.library.warned import as_asked, warn, weigh_ties
from pres_eval.measures.base import Measure
from pres_eval.measures.own import own_measures
from pres_eval.measures.selection import Selection, select
from pres_eval.options import DEFAULT_NMAX, Options, RelevanceInfo
from pres_eval.ranking.run_file import Ranking
from pres_eval.ranking.warnings import warnings_about
from pres_eval.reading import qrels as engine
from pres_eval.reading.document_scores import with_document_scores
from pres_eval.reading.relevance import Relevance, relevance_info
from pres_eval.scoring import evaluate as score

GAINS = "qrels_float"
"""The format, as -R names it, of judgements that are gains with decimals."""

Measures = str | Iterable[str] | None


class Run:
    """A ranked run: the ranks of its judged documents, and what they are judged by.

    `Qrels.rank` and `Qrels.rank_top_k` make it.

    >>> import pres_eval as pe
    >>> run = pe.Qrels({"1": {"a": 1}}).rank({"1": {"b": 2.0, "a": 1.0}})
    >>> run.topics, run.evaluate(["recip_rank", "P@1"]).summary
    (['1'], {'recip_rank': 0.5, 'P_1': 0.0})
    """

    def __init__(self, qrels: Qrels, ranking: Ranking, options: Options, is_file: bool = False) -> None:
        self._qrels = qrels
        self._is_file = is_file
        self._ranking = ranking
        self._options = options

    @property
    def qrels(self) -> Qrels:
        """The judgements."""
        return self._qrels

    @property
    def ranking(self) -> Ranking:
        """The ranks as the engine has them."""
        return self._ranking

    @property
    def name(self) -> str:
        """What messages call the run: the path, or "run"."""
        return self._ranking.name

    @property
    def tag(self) -> str:
        """The tag in the last line of the file; otherwise the name."""
        return self._ranking.tag

    @property
    def topics(self) -> list[str]:
        """The topics that have judgements, in byte order."""
        return texts_of(self._qrels.relevance.pool.topics.take(self._ranking.topic))

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self._ranking.num_lines} documents, {len(self._ranking.topic)} topics>"

    def evaluate(
        self,
        measures: Measures = None,
        *,
        level: float = Options.relevance_level,
        complete: bool = False,
        judged_only: bool = False,
        num_docs: int = 0,
        topic: Any = None,
        nmax: int | Sequence[int] = DEFAULT_NMAX,
        ties: str = Options.ties,
        bounds: bool = False,
        jobs: int = 1,
    ) -> Evaluation:
        """All numbers of the run; what the arguments mean is told at `evaluate`."""
        options = Options(
            compat=self._options.compat,
            relevance_level=level,
            max_retrieved=self._options.max_retrieved,
            complete=bool(complete),
            judged_only=bool(judged_only),
            num_docs_in_coll=num_docs,
            only_topic=None if topic is None else encode(topic, "topic"),
            ties=ties,
            duplicates=self._options.duplicates,
        )
        selection = as_asked(self._select(measures, nmax), options, bounds)
        weigh_ties(self._qrels.relevance, self._ranking, options, selection)
        return self.evaluate_columns(selection, options, jobs)

    def evaluate_columns(self, selection: Selection, options: Options, jobs: int = 1) -> Evaluation:
        """All numbers of the run for columns that were selected before."""
        relevance = self._qrels.relevance
        for text in warnings_about(self._ranking, relevance, options):
            warn(text)
        found = score(relevance, self._ranking, selection, options, jobs=jobs)
        return Evaluation(found, options, self._origin())

    def _origin(self) -> Origin:
        return Origin(
            qrels=self._qrels.name,
            form=self._qrels.form,
            topics=self._qrels.relevance.pool.topics,
            ranked=self._ranking.topic,
            unjudged=self._ranking.unjudged_ids.take(slice(None)),
            qrels_is_file=self._qrels.is_file,
            run_is_file=self._is_file,
            dropped=self._ranking.num_dropped,
        )

    def _select(self, measures: Measures, nmax: int | Sequence[int]) -> Selection:
        texts = [measures] if isinstance(measures, str) else list(measures or ())
        for text in texts:
            if not isinstance(text, str):
                raise UsageError(f"measures: found {text!r}, expected names such as 'map' or 'PRES@100'")
        ranks = (nmax,) if isinstance(nmax, int) else tuple(nmax)
        info = relevance_info(self._qrels.form)
        if any(":" in text for text in texts):
            return select(texts, self._options, ranks, info)
        return _selected(tuple(texts), self._options, ranks, info, own_measures())


@lru_cache(maxsize=256)
def _selected(
    texts: tuple[str, ...],
    options: Options,
    ranks: tuple[int, ...],
    info: RelevanceInfo,
    own: tuple[Measure, ...],
) -> Selection:
    """The columns; they are asked for again and again, and reading them costs as much as a small batch."""
    return select(texts, options, ranks, info)


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
        self._relevance = read_judgements(data, form, name, jobs)
        self._lookup = Lookup(self._relevance.pool)
        self.form = GAINS if form == "qrels" and self._relevance.info is RelevanceInfo.QRELS_FLOAT else form
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
        other._relevance = with_document_scores(self._relevance, own)
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
            return Run(self, _ranked_by(cluster, os.fspath(data), self._relevance, options), options, True)
        ranking = rank_any(data, self._relevance, self._lookup, options, name, jobs)
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
        ranking = rank_matrix(
            topics, ids, scores, self._relevance, self._lookup, options, name=name, tag=name
        )
        return Run(self, ranking, options)


def as_qrels(data: Any, form: str, jobs: int | None) -> Qrels:
    """Judgements that may have been read already."""
    return data if isinstance(data, Qrels) else Qrels(data, form=form, jobs=jobs)
