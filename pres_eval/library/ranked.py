"""A run, ranked once against judgements: what is evaluated, as often as wanted."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pres_eval.errors import InputError, PresEvalWarning, UsageError
from pres_eval.library.evaluation import Evaluation, Origin
from pres_eval.library.finding import rank_dict
from pres_eval.library.judgements import Qrels, check_iterable, is_path, plain_mapping
from pres_eval.library.matrices import rank_matrix
from pres_eval.library.streams import OpenFile, name_of
from pres_eval.library.tables import SCORE, Table, as_scores, looks_like_columns, opened_table
from pres_eval.library.texts import encode, texts_of
from pres_eval.measures.base import Measure
from pres_eval.measures.own import own_measures
from pres_eval.measures.selection import Selection, select
from pres_eval.options import DEFAULT_NMAX, Options, RelevanceInfo
from pres_eval.ranking.any_format import read_any_run
from pres_eval.ranking.columns import RunColumns, rank_columns
from pres_eval.ranking.run_file import Ranking
from pres_eval.ranking.warnings import warnings_about
from pres_eval.reading.relevance import relevance_info
from pres_eval.reading.source import Source
from pres_eval.scoring import evaluate as score

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
        jobs: int = 1,
    ) -> Evaluation:
        """All numbers of the run; what the arguments mean is told at `evaluate`."""
        options = replace(
            Options(
                relevance_level=level,
                complete=bool(complete),
                judged_only=bool(judged_only),
                num_docs_in_coll=num_docs,
                only_topic=None if topic is None else encode(topic, "topic"),
            ),
            compat=self._options.compat,
            max_retrieved=self._options.max_retrieved,
        )
        return self.evaluate_columns(self._select(measures, nmax), options, jobs)

    def evaluate_columns(self, selection: Selection, options: Options, jobs: int = 1) -> Evaluation:
        """All numbers of the run for columns that were selected before."""
        relevance = self._qrels.relevance
        for text in warnings_about(self._ranking, relevance, options):
            warnings.warn(text, PresEvalWarning, stacklevel=_outside())
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


def _outside() -> int:
    """The stacklevel of the caller's own line: the first frame that is not of this package."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("pres_eval."):
        frame = frame.f_back
        level += 1
    return level


def rank(qrels: Qrels, data: Any, options: Options, name: str | None, jobs: int | None) -> Run:
    """Rank a run of any kind."""
    if isinstance(data, Run):
        raise UsageError("run: it is ranked already, expected what Qrels.rank takes")
    return Run(qrels, _ranking(qrels, data, options, name, jobs), options, is_path(data))


def rank_top_k(qrels: Qrels, topics: Any, ids: Any, scores: Any, options: Options, name: str | None) -> Run:
    """Rank a matrix of ids."""
    name = name or "run"
    ranking = rank_matrix(topics, ids, scores, qrels.relevance, qrels.lookup, options, name=name, tag=name)
    return Run(qrels, ranking, options)


def _ranking(qrels: Qrels, data: Any, options: Options, name: str | None, jobs: int | None) -> Ranking:
    if is_path(data):
        return _read(Source(os.fspath(data)), qrels, options, jobs)
    if hasattr(data, "read"):
        return _read(OpenFile(data, name or name_of(data, "run")), qrels, options, jobs)
    name = name or getattr(data, "name", None) or "run"
    name = name if isinstance(name, str) else "run"
    data = plain_mapping(data)
    if isinstance(data, Mapping) and not looks_like_columns(data):
        for topic, documents in data.items():
            if not isinstance(documents, Mapping):
                found = f"{type(documents).__name__} for topic {topic!r}"
                raise InputError(name, None, found, "a dict of documents and their values")
        return rank_dict(data, qrels.relevance, qrels.lookup, options, name=name, tag=name)
    check_iterable(data, name)
    with opened_table(data, SCORE, name) as table:
        return _rank_table(table, qrels, options, name, jobs)


def _read(source: Source, qrels: Qrels, options: Options, jobs: int | None) -> Ranking:
    return read_any_run(source, qrels.relevance, options, jobs)


def _rank_table(table: Table, qrels: Qrels, options: Options, name: str, jobs: int | None) -> Ranking:
    topics, lengths = table.topic.groups()
    columns = RunColumns(name, topics, lengths, table.document, as_scores(table.value), name)
    return rank_columns(columns, qrels.relevance, options, jobs or 1)
