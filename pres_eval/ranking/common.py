"""Topics in common: of several runs, and of a run with the judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from pres_eval.arrays.ordering import absent
from pres_eval.arrays.types import IntArray
from pres_eval.errors import quoted
from pres_eval.options import Options
from pres_eval.ranking.notations import MOST, Respelling, respelled_topics
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.pool import Pool
from pres_eval.reading.relevance import Relevance

OWN, COMMON, ALL = "own", "common", "all"
TOPIC_RULES = (OWN, COMMON, ALL)
"""What --topics takes: each run's own topics, those that all runs have, all of the judgements (-c)."""


def common_topics(rankings: Sequence[Ranking]) -> IntArray:
    """(S,) the topics that every run has, as indices of the pool's, ascending."""
    return reduce(np.intersect1d, [ranking.topic for ranking in rankings])


def with_topics(ranking: Ranking, topics: IntArray) -> Ranking:
    """The run without its topics that are not among these (S,)."""
    kept = np.isin(ranking.topic, topics)
    if kept.all():
        return ranking
    lengths = np.diff(ranking.offsets)
    rows = np.repeat(kept, lengths)
    return replace(
        ranking,
        topic=ranking.topic[kept],
        num_ret=ranking.num_ret[kept],
        offsets=np.concatenate(([0], np.cumsum(lengths[kept]))),
        rank=ranking.rank[rows],
        document=ranking.document[rows],
        ties=ranking.ties.of(np.flatnonzero(rows)),
    )


def with_nothing_for(ranking: Ranking, topics: IntArray) -> Ranking:
    """The run with these topics (n,) too, for which it retrieved nothing, where it lacks them."""
    new = np.setdiff1d(topics, ranking.topic)
    topic = np.concatenate((ranking.topic, new))
    order = np.argsort(topic, kind="stable")
    lengths = np.concatenate((np.diff(ranking.offsets), np.zeros(len(new), np.int64)))[order]
    # Documents stay where they are: topics ascend, and the new ones have none.
    return replace(
        ranking,
        topic=topic[order],
        num_ret=np.concatenate((ranking.num_ret, np.zeros(len(new), np.int64)))[order],
        offsets=np.concatenate(([0], np.cumsum(lengths))),
    )


def unmatched_topics(ranking: Ranking, pool: Pool) -> Respelling | None:
    """Return what would make topics match, of which a run has some that the judgements lack."""
    unjudged = ranking.unjudged_ids.take(slice(MOST))
    if not unjudged:
        return None
    return respelled_topics(unjudged, pool.topics.take(absent(ranking.topic, len(pool.topics))[:MOST]))


def no_common_topic(relevance: Relevance, ranking: Ranked, options: Options) -> str:
    """Return the warning about a run without a topic of the judgements."""
    run = ranking.name if isinstance(ranking, Ranking) else "run"
    if options.only_topic is not None:
        return f"{run}: topic {quoted(options.only_topic)} of -D is not in both files"
    unjudged = ranking.unjudged if isinstance(ranking, Ranking) else []
    found = unmatched_topics(ranking, relevance.pool) if isinstance(ranking, Ranking) else None
    match = "" if found is None else f"; {found.count:,} would match {found.text}"
    theirs = f" such as {quoted(unjudged[0])}" if len(unjudged) else ""
    ours = quoted(relevance.pool.topics[0])
    return (
        f"{run}: no topic in common with {relevance.name}:"
        f" expected topics such as {ours}, found others{theirs};"
        f" are both files of the same collection, and the ids written alike?{match}"
    )
