"""Runs of any kind are ranked against judgements."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from pres_eval.errors import UsageError
from pres_eval.library.finding import block_of_dict, rank_dict
from pres_eval.library.judgements import check_dicts, check_iterable, is_path, plain_mapping
from pres_eval.library.lookup import Lookup
from pres_eval.library.streams import FileObject, name_of
from pres_eval.library.tables import SCORE, ThreeColumns, as_scores, looks_like_columns, opened_table
from pres_eval.options import Options
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import Ranking, rank_block
from pres_eval.ranking.runs import Runs, read_run
from pres_eval.reading.blocks import Block
from pres_eval.reading.relevance import Relevance
from pres_eval.reading.run_files import run_at


def rank_any(
    data: Any, relevance: Relevance, lookup: Lookup, options: Options, name: str | None, jobs: int | None
) -> Ranking:
    """Rank a run: a path, an open file, a dict of dicts, a table, or rows of topic, document and score."""
    if is_path(data):
        return read_run(run_at(os.fspath(data)), relevance, options, jobs)
    if hasattr(data, "read"):
        return read_run(FileObject(data, name or name_of(data, "run")), relevance, options, jobs)
    name = name or getattr(data, "name", None) or "run"
    name = name if isinstance(name, str) else "run"
    data = plain_mapping(data)
    if isinstance(data, Mapping) and not looks_like_columns(data):
        check_dicts(data, name)
        if relevance.rewriting is not None:
            return rank_block(name, block_of_dict(data, name), Ranker.of(relevance, options), name, jobs or 1)
        return rank_dict(data, relevance, lookup, options, name=name, tag=name)
    check_iterable(data, name)
    with opened_table(data, SCORE, name) as table:
        return _rank_table(table, relevance, options, name, jobs)


def rank_by_cluster(
    cluster: Any, data: Any, relevance: Relevance, options: Options, timeout: float | None = None
) -> Ranking:
    """Rank a run that is a file by the workers of a cluster, which are waited for so many seconds.

    Raises UsageError for another run, and for a timeout that is no number above 0.
    """
    if timeout is not None and not (isinstance(timeout, int | float) and 0 < timeout < math.inf):
        raise UsageError(f"cluster_timeout={timeout!r}: expected seconds, above 0")
    if not is_path(data):
        raise UsageError("cluster: its workers read files; expected a path or an address as the run")
    from pres_eval.engines.connecting import SECONDS, Patience, engine_of

    patience = Patience(SECONDS if timeout is None else timeout)
    with engine_of(cluster, patience) as engine, Runs(Ranker.of(relevance, options), engine) as runs:
        return runs.rank(run_at(os.fspath(data)))


def _rank_table(
    table: ThreeColumns, relevance: Relevance, options: Options, name: str, jobs: int | None
) -> Ranking:
    """Return the ranking of the rows of a table."""
    topics, lengths = table.topic.groups()
    block = Block(
        topics=topics, lengths=lengths, documents=table.document, numbers=as_scores(table.value, name)
    )
    return rank_block(name, block, Ranker.of(relevance, options), name, jobs or 1)
