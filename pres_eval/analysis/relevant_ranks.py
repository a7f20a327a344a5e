"""Ranks of the relevant documents in several runs, for the page's view of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays.ragged import consecutive, lengths_at
from pres_eval.arrays.types import IntArray
from pres_eval.batches.from_qrels import kept_documents
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.qrels import QrelsJudgements


@dataclass(frozen=True, eq=False)
class RelevantRanks:
    """The D relevant documents of T topics, and the ranks at which R runs have them.

    offsets  (T+1,) where each topic's documents begin
    docnos   D ids, in byte order within a topic
    grades   (D,) relevance in the qrels
    ranks    (R, D) ranks after -M and -J, 0 where a run does not have the document
    """

    offsets: IntArray
    docnos: tuple[bytes, ...]
    grades: IntArray
    ranks: IntArray


def relevant_ranks(
    qrels: QrelsJudgements, rankings: Sequence[Ranked], options: Options, topics: Sequence[bytes]
) -> RelevantRanks:
    """The relevant documents of the topics (all in the qrels), with their ranks in every run."""
    pool = qrels.pool
    place = {topic: number for number, topic in enumerate(pool.topics)}
    order = pool.byte_order()
    relevant = qrels.grade[order] >= options.relevance_level
    if qrels.kept is not None:
        relevant &= qrels.kept[order]
    by_topic = np.concatenate(([0], np.cumsum(relevant)))[pool.offsets]
    wanted = np.array([place[topic] for topic in topics], np.int64)
    rows, offsets = consecutive(by_topic[wanted], lengths_at(by_topic, wanted))
    documents = order[np.flatnonzero(relevant)[rows]]
    kept = (kept_documents(qrels, ranking, options) for ranking in rankings)
    ranks = np.stack([ranks_of_documents(qrels, found)[documents] for found in kept])
    docnos = tuple(pool.documents.take(documents))
    return RelevantRanks(np.asarray(offsets), docnos, qrels.grade[documents].astype(np.int64), ranks)


def ranks_of_documents(qrels: QrelsJudgements, found: Ranked) -> IntArray:
    """(D,) the rank of each document of the pool, 0 where the run does not have it."""
    ranks = np.zeros(len(qrels.pool.documents), np.int64)
    ranks[found.document] = found.rank
    return ranks
