"""The grouped batch: one row for each judgement group (user) of each topic, to be averaged by topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, divide, lengths_at, rows_of_stretches
from pres_eval.batches.batch import Batch, frozen
from pres_eval.batches.topics import UNJUDGED, count_levels, cut_to_depth, take_topics
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.judged_groups import GroupQrels, JudgedGroups


@dataclass(frozen=True, eq=False)
class GroupsOfTopics:
    """T topics with G groups, which are judgement groups, subtopics or strata, and keep different things.

    topics   T ids, in byte order
    missing  (T,) topics that the run does not have (only with -c under 10.0)
    offsets  (T+1,) where each topic's groups begin
    """

    topics: tuple[bytes, ...]
    missing: BoolArray
    offsets: IntArray
    ties: ClassVar[None] = None
    """Expected values in ties are those of qrels."""

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def topic_of_group(self) -> IntArray:
        """(G,) index of each group's topic."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def average(self, of_groups: FloatArray) -> FloatArray:
        """Return the mean over each topic's groups, added one after the other: (G,) in, (T,) out."""
        sums = np.bincount(self.topic_of_group, weights=of_groups, minlength=len(self))
        return divide(sums, np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class GroupedBatch(GroupsOfTopics):
    """T topics with G judgement groups.

    groups    the G groups, as if each were a topic
    """

    groups: Batch

    def with_grade(self, relevance_level: float) -> GroupedBatch:
        """Return the same batch seen at another relevance level."""
        return replace(self, groups=self.groups.with_grade(relevance_level))


@dataclass(frozen=True, eq=False)
class JudgementsOfTopics(GroupsOfTopics):
    """T topics with the R judgements of G groups.

    row_offsets  (G+1,) where each group's judgements begin
    """

    row_offsets: IntArray

    @cached_property
    def group_of(self) -> IntArray:
        """(R,) index of each judgement's group."""
        return np.repeat(np.arange(len(self.row_offsets) - 1), np.diff(self.row_offsets))


@dataclass(frozen=True, eq=False)
class ScoredGroups(JudgementsOfTopics):
    """The topics to score, and their judgements as they are in the relevance file.

    topic       (T,) indices of the topics in the pool
    num_ret     (T,) documents retrieved, after -M
    group, row  (G,), (R,) indices of the groups and the judgements among those of the file
    rank        (P,) rank of each document of the pool, 0 if it was not retrieved
    """

    topic: IntArray
    num_ret: IntArray
    group: IntArray
    row: IntArray
    rank: IntArray


def scored_groups(
    judged: JudgedGroups, ranking: Ranked, options: Options, topic: IntArray, run_rows: IntArray
) -> ScoredGroups:
    """Return some topics with their judgements, and the ranks of documents after -M.

    topic     (T,) indices of the topics in the pool
    run_rows  (T,) where each topic is in the ranking, -1 for topics that it lacks
    """
    counted = take_topics(ranking, run_rows)
    if options.max_retrieved is not None:
        counted = cut_to_depth(counted, options.max_retrieved)
    rank = np.zeros(len(judged.pool.documents), np.int64)
    rank[counted.document] = counted.rank
    group, offsets = rows_of_stretches(judged.group_offsets[topic], lengths_at(judged.group_offsets, topic))
    row, row_offsets = rows_of_stretches(judged.row_offsets[group], lengths_at(judged.row_offsets, group))
    return ScoredGroups(
        topics=tuple(judged.pool.topics.take(topic)),
        topic=topic,
        missing=run_rows < 0,
        num_ret=counted.num_ret,
        offsets=offsets,
        group=group,
        row_offsets=row_offsets,
        row=row,
        rank=rank,
    )


def form_grouped_batch(
    qrels: GroupQrels, ranking: Ranked, options: Options, topics: IntArray, run_rows: IntArray
) -> GroupedBatch:
    """Join judgement groups with a ranking: -M first, then -J, which each group applies by itself.

    topics, run_rows  (T,) as for scored_groups
    """
    scored = scored_groups(qrels, ranking, options, topics, run_rows)
    num_groups = len(scored.group)
    topic_of = scored.topic_of_group
    group_of = scored.group_of
    grade = qrels.grade[scored.row]
    grade = np.where(grade < 0, UNJUDGED, grade)
    rank = scored.rank[qrels.document[scored.row]]
    # The judgements of retrieved documents, by group and rank.
    retrieved = np.flatnonzero(rank > 0)
    by_rank = np.lexsort((rank[retrieved], group_of[retrieved]))
    retrieved = retrieved[by_rank]
    offsets = np.searchsorted(group_of[retrieved], np.arange(num_groups + 1))
    levels, level_counts, level_offsets = count_levels(group_of, grade, num_groups)
    groups = Batch(
        topics=tuple(scored.topics[index] for index in topic_of.tolist()),
        num_ret=scored.num_ret[topic_of],
        offsets=offsets,
        rank=rank[retrieved],
        grade=grade[retrieved],
        levels=levels,
        level_counts=level_counts,
        level_offsets=level_offsets,
        missing=scored.missing[topic_of],
        relevance_level=options.relevance_level,
        num_docs_in_coll=options.num_docs_in_coll,
        version=options.version,
    )
    if options.judged_only:
        groups = groups.judged_alone()
    return GroupedBatch(
        topics=scored.topics, missing=scored.missing, offsets=scored.offsets, groups=frozen(groups)
    )
