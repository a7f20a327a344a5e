"""Changes of ranks between two runs; p-MRR, which measures whether a run follows an instruction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pres_eval.analysis.ranked_lists import RankedLists, paired_lists
from pres_eval.records import dataclass

BEFORE_SUFFIX, AFTER_SUFFIX = b"-og", b"-changed"
"""Endings of topics in FollowIR and MTEB: with the original instruction, and with the changed one."""


@dataclass(frozen=True)
class RankChange:
    """Ranks of a document in two runs.

    first_rank, second_rank  from 1; None if the run lacks the document
    change  positions that the document moved up; negative: down.  A document that a list lacks counts at the
            first position after its end.  None: that list ends above the document's rank in the other one, so
            that the direction of the change is unknown
    """

    topic: bytes
    docno: bytes
    first_rank: int | None
    second_rank: int | None
    change: int | None


@dataclass(frozen=True)
class ScoredChange(RankChange):
    """Ranks of a document in two runs, and its p-MRR."""

    p_mrr: float


def rank_changes(first: RankedLists, second: RankedLists, depth: int) -> Iterator[RankChange]:
    """Yield the changes of documents among the first `depth` of either run, by topic, the largest first."""
    for topic, before, after in paired_lists(first, second):
        documents = dict.fromkeys([*before[:depth], *after[:depth]])
        changes = list(_changes(topic, before, after, documents))
        yield from sorted(changes, key=lambda row: (-abs(row.change or 0), row.first_rank or math.inf))


def _changes(
    topic: bytes, before: Sequence[bytes], after: Sequence[bytes], documents: Iterable[bytes]
) -> Iterator[RankChange]:
    """Yield the changes of documents from one list of a topic to the other."""
    first_ranks = {document: rank for rank, document in enumerate(before, 1)}
    second_ranks = {document: rank for rank, document in enumerate(after, 1)}
    for document in documents:
        first_rank = first_ranks.get(document)
        second_rank = second_ranks.get(document)
        yield RankChange(
            topic=topic,
            docno=document,
            first_rank=first_rank,
            second_rank=second_rank,
            change=_positions_up(first_rank, second_rank, len(before), len(after)),
        )


def _positions_up(
    first_rank: int | None, second_rank: int | None, num_first: int, num_second: int
) -> int | None:
    """Return the positions that a document moved up; None if a list that lacks it ends above its other rank.

    num_first, num_second  numbers of documents of the two lists
    """
    if first_rank is None and second_rank is not None and second_rank > num_first:
        return None
    if second_rank is None and first_rank is not None and first_rank > num_second:
        return None
    return (first_rank or num_first + 1) - (second_rank or num_second + 1)


def changes_of_judgements(
    first: RankedLists, second: RankedLists, documents: Mapping[bytes, Sequence[bytes]]
) -> list[ScoredChange]:
    """Return the changes, with p-MRR, of documents that a changed instruction makes irrelevant.

    documents  these documents, by topic
    Topics that either run lacks are left out, as in MTEB.
    """
    pairs = {topic: (before, after) for topic, before, after in paired_lists(first, second)}
    in_both = {*first.topics} & {*second.topics}
    rows: list[ScoredChange] = []
    for topic in sorted(documents):
        if topic not in in_both:
            continue
        before, after = pairs[topic]
        for row in _changes(topic, before, after, documents[topic]):
            score = p_mrr_of_ranks(row.first_rank or len(before) + 1, row.second_rank or len(after) + 1)
            rows.append(ScoredChange(**vars(row), p_mrr=score))
    return rows


def p_mrr_of_ranks(before: int, after: int) -> float:
    """Return the p-MRR of a document by its ranks before and after an instruction made it irrelevant.

    Formula:  p-MRR = MRR / MRR' - 1 if r >= r', else 1 - MRR' / MRR; MRR = 1 / r, MRR' = 1 / r'
      r, r'  rank of the document with the original and with the changed instruction; the first position
             after the end of a list that lacks it
    Range: -1 to 1; 0 if the rank stays, above 0 if the document moves down, as it should.
    Source: Weller et al., "FollowIR: Evaluating and Teaching Information Retrieval Models to Follow
      Instructions", 2024, arXiv:2403.15246; MTEB's calculate_pmrr.
    """
    if before >= after:
        return (1 / before) / (1 / after) - 1
    return 1 - (1 / after) / (1 / before)


def mean_by_topic(rows: Sequence[ScoredChange]) -> dict[bytes, float]:
    """Return p-MRR of each topic, the mean of its documents; p-MRR of a run is the mean of its topics."""
    values: dict[bytes, list[float]] = {}
    for row in rows:
        values.setdefault(row.topic, []).append(row.p_mrr)
    return {topic: math.fsum(scores) / len(scores) for topic, scores in values.items()}


def without_suffixes(
    first: RankedLists, second: RankedLists, topics: Iterable[bytes]
) -> tuple[RankedLists, RankedLists]:
    """Return the runs with MTEB's topics `T-og` (in the first) and `T-changed` (in the second) renamed to T.

    topics  T, the topics to score; if a run has one of them under this name, the runs stay as they are
    """
    known = {*first.topics, *second.topics}
    topics_to_score = {*topics}
    have_plain_names = bool(topics_to_score & known)
    have_suffixes = any(topic + BEFORE_SUFFIX in known for topic in topics_to_score)
    if have_plain_names or not have_suffixes:
        return first, second
    return _renamed(first, BEFORE_SUFFIX), _renamed(second, AFTER_SUFFIX)


def _renamed(lists: RankedLists, suffix: bytes) -> RankedLists:
    """Return the lists of the topics with this ending, under their names without it."""
    by_topic = {}
    for number, topic in enumerate(lists.topics):
        if topic.endswith(suffix):
            by_topic[topic.removesuffix(suffix)] = lists.of_topic(number)
    return lists.with_lists(by_topic)
