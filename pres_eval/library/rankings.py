"""Runs of any kind are ranked against judgements."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from pres_eval.errors import refuse
from pres_eval.library.finding import block_of_dict, rank_dict
from pres_eval.library.ids import Lookup
from pres_eval.library.judgements import check_dicts, is_path, plain_data
from pres_eval.library.streams import FileObject, name_of
from pres_eval.library.tables import block_of_table
from pres_eval.options import Options
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import Ranking, rank_block, with_nothing_for
from pres_eval.ranking.runs import Runs, read_run
from pres_eval.reading.blocks import Block
from pres_eval.reading.relevance import Relevance
from pres_eval.reading.run_files import run_at


def rank_any(
    data: Any,
    relevance: Relevance,
    lookup: Lookup,
    options: Options,
    name: str | None,
    jobs: int | None,
    empty: bool = False,
) -> Ranking:
    """Rank a run: a path, an open file, a dict of dicts, a table, or rows of topic, document and score.

    `empty`: topics of a dict that have no documents are kept, as topics for which nothing was retrieved.
    """
    if is_path(data):
        return read_run(run_at(os.fspath(data)), relevance, options, jobs)
    if hasattr(data, "read"):
        return read_run(FileObject(data, name or name_of(data, "run")), relevance, options, jobs)
    name = name or getattr(data, "name", None) or "run"
    name = name if isinstance(name, str) else "run"
    data, by_topic = plain_data(data, name)
    if by_topic and (relevance.rewriting is None or (empty and not any(data.values()))):
        check_dicts(data, name)
        return rank_dict(data, relevance, lookup, options, name=name, tag=name, empty=empty)
    block = block_of_data(data, by_topic, name)
    ranking = rank_block(name, block, Ranker.of(relevance, options), name, jobs or 1)
    nothing = [lookup.place(topic, name) for topic in data if not data[topic]] if empty and by_topic else []
    places = np.array([place for place in nothing if place is not None], np.int64)
    return with_nothing_for(ranking, places) if len(places) else ranking


def block_of_data(data: Any, by_topic: bool, name: str) -> Block:
    """Return a run that is no file as a block: a dict by topic, or a table."""
    if not by_topic:
        return block_of_table(data, False, name)
    check_dicts(data, name)
    return block_of_dict(data, name)


def rank_by_cluster(
    cluster: Any, data: Any, relevance: Relevance, options: Options, timeout: float | None = None
) -> Ranking:
    """Rank a run that is a file by the workers of a cluster, and wait at most `timeout` seconds for them.

    Raises UsageError for another run, and for a timeout that is no number above 0.
    """
    is_time = timeout is None or (isinstance(timeout, int | float) and 0 < timeout < math.inf)
    refuse(
        (not is_time, f"cluster_timeout={timeout!r}: expected seconds, above 0"),
        (not is_path(data), "cluster: its workers read files; expected a path or an address as the run"),
    )
    from pres_eval.engines.connecting import SECONDS, Patience, engine_of

    patience = Patience(SECONDS if timeout is None else timeout)
    with engine_of(cluster, patience) as engine, Runs(Ranker.of(relevance, options), engine) as runs:
        return runs.rank(run_at(os.fspath(data)))
