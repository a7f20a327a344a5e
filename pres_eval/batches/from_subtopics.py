"""The subtopic batch: which subtopics of its topic each retrieved document is relevant to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pres_eval.arrays import IntArray
from pres_eval.batches.from_groups import GroupsOfTopics, ScoredGroups, scored_groups
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.judged_groups import SubtopicQrels


@dataclass(frozen=True, eq=False)
class Hits:
    """Pairs of a document and a subtopic that it was judged for, sorted by topic, position and subtopic.

    offsets   (T+1,) where each topic's pairs begin
    position  (P,) of the document, from 1: its rank in a run; among the judgements, its place by docno
    subtopic  (P,) number of the subtopic in its topic, from 0
    grade     (P,) grade of the judgement, at least 0
    """

    offsets: IntArray
    position: IntArray
    subtopic: IntArray
    grade: IntArray

    def relevant(self, level: float) -> Hits:
        """Return the pairs whose grade is at least this."""
        rows = np.flatnonzero(self.grade >= level)
        offsets = np.searchsorted(rows, self.offsets)
        return Hits(offsets, self.position[rows], self.subtopic[rows], self.grade[rows])

    @cached_property
    def topic_of(self) -> IntArray:
        """(P,) index of each pair's topic."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class SubtopicBatch(GroupsOfTopics):
    """T topics with their S subtopics in all, topic after topic, which are the groups of `GroupsOfTopics`.

    A subtopic without a relevant document does not count.

    offsets          (T+1,) where each topic's subtopics begin; those of `Hits` count pairs
    all_hits         the documents retrieved that were judged for a subtopic
    all_judged       all documents that were judged for a subtopic, with their positions by docno
    relevance_level  least grade of a relevant document (-l)
    """

    all_hits: Hits
    all_judged: Hits
    relevance_level: float = 1

    @cached_property
    def hits(self) -> Hits:
        """The documents retrieved that are relevant to a subtopic."""
        return self.all_hits.relevant(self.relevance_level)

    @cached_property
    def judged(self) -> Hits:
        """All documents that are relevant to a subtopic."""
        return self.all_judged.relevant(self.relevance_level)

    @cached_property
    def num_rel(self) -> IntArray:
        """(S,) relevant documents of each subtopic, topic after topic."""
        judged = self.judged
        subtopic_of = self.offsets[judged.topic_of] + judged.subtopic
        return np.bincount(subtopic_of, minlength=int(self.offsets[-1]))

    @cached_property
    def num_subtopics(self) -> IntArray:
        """(T,) subtopics that have a relevant document."""
        return np.bincount(self.topic_of_group[self.num_rel > 0], minlength=len(self))

    def with_grade(self, relevance_level: float) -> SubtopicBatch:
        """Return the same batch seen at another relevance level."""
        return replace(self, relevance_level=relevance_level)


def form_subtopic_batch(
    qrels: SubtopicQrels, ranking: Ranked, options: Options, topics: IntArray, run_rows: IntArray
) -> SubtopicBatch:
    """Join subtopic judgements with a ranking.

    The ranking is cut first (-M); then documents without a judgement for any subtopic are left out (-J).

    topics    (T,) indices of the topics in the pool
    run_rows  (T,) where each topic stands in the ranking, -1 for one that the run lacks
    """
    scored = scored_groups(qrels, ranking, options, topics, run_rows)
    num_topics = len(scored.topics)
    # (N,) each: the judgements that count, which are pairs of a document and a subtopic.
    counted = np.flatnonzero(qrels.grade[scored.row] >= 0)
    row = scored.row[counted]
    group_of = scored.group_of[counted]
    document = qrels.document[row]
    grade = qrels.grade[row]
    topic_of = scored.topic_of_group[group_of]
    subtopic = group_of - scored.offsets[topic_of]
    rank = scored.rank[document]
    if options.judged_only:
        rank = _ranks_of_judged(scored, topic_of, document)
    place_by_docno = np.empty(len(qrels.pool.documents), np.int64)
    place_by_docno[qrels.pool.byte_order()] = np.arange(1, len(place_by_docno) + 1)
    retrieved = np.flatnonzero(rank > 0)
    return SubtopicBatch(
        topics=scored.topics,
        missing=scored.missing,
        offsets=scored.offsets,
        all_hits=_hits(
            num_topics, topic_of[retrieved], rank[retrieved], subtopic[retrieved], grade[retrieved]
        ),
        all_judged=_hits(num_topics, topic_of, place_by_docno[document], subtopic, grade),
        relevance_level=options.relevance_level,
    )


def _ranks_of_judged(scored: ScoredGroups, topic_of: IntArray, document: IntArray) -> IntArray:
    """Return (N,) the ranks that documents have once those without judgement are out of the rankings (-J).

    topic_of, document  (N,) of judgements, several of which may be of one document
    Documents that were not retrieved have rank 0.
    """
    retrieved = np.flatnonzero(scored.rank[document] > 0)
    # Each document once, by topic and rank.
    documents, first_judgement = np.unique(document[retrieved], return_index=True)
    topic_of_document = topic_of[retrieved][first_judgement]
    order = np.lexsort((scored.rank[documents], topic_of_document))
    documents = documents[order]
    topic_of_document = topic_of_document[order]
    begins = np.searchsorted(topic_of_document, np.arange(len(scored.topics)))
    ranks = np.zeros(len(scored.rank), np.int64)
    ranks[documents] = np.arange(1, len(order) + 1) - begins[topic_of_document]
    return ranks[document]


def _hits(
    num_topics: int, topic_of: IntArray, position: IntArray, subtopic: IntArray, grade: IntArray
) -> Hits:
    """Return hits sorted by topic, position and subtopic, from those (H,) and grades (H,) in any order."""
    order = np.lexsort((subtopic, position, topic_of))
    offsets = np.searchsorted(topic_of[order], np.arange(num_topics + 1))
    return Hits(offsets, position[order], subtopic[order], grade[order])
