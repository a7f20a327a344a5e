"""A single topic in plain Python: for rankings of few documents, for which arrays take longer than the work.

Measures' plain functions get this topic.  Ranks and sums have the order of `Batch`, so the bits are the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from math import log2
from typing import TYPE_CHECKING, Any

from pres_eval.options import AS_TREC_EVAL, BY_DOCNO, EXPECTED_VALUES, V9, WORST_ORDER, Options

if TYPE_CHECKING:
    from pres_eval.ranking.ranked import Ranked, Ties
    from pres_eval.reading.judgements.relevance import QrelsJudgements


MOST_PLAIN_TOPICS = 32
"""Topics up to which plain functions take less time than arrays."""

MOST_JUDGED_RETRIEVED = 1_000
"""Judged documents retrieved, of all topics together, up to which plain functions take less time."""

LARGEST_GRADE_BYTES = 4
"""Bytes of a grade that plain functions take: wider whole numbers may not be exact as doubles."""


class JudgedTopic:
    """The judgements of a topic.

    topic            its id; empty where nobody asks for it
    grades           by document, whole numbers; below 0 those of documents in the pool that were not judged
    relevance_level  least grade of a relevant document (-l)
    num_rel          relevant documents
    num_nonrel       documents that were judged and are not relevant
    ideal            ideal DCG at ranks 0, 1, 2 ...: that of the first documents of the best ranking
    """

    __slots__ = ("grades", "ideal", "num_nonrel", "num_rel", "relevance_level", "topic")

    def __init__(self, grades: Mapping[Any, int], relevance_level: int, topic: bytes = b"") -> None:
        self.topic = topic
        self.grades = grades
        self.relevance_level = relevance_level
        self.num_rel = self.num_nonrel = 0
        gains = []
        for grade in grades.values():
            if grade >= relevance_level:
                self.num_rel += 1
            elif grade >= 0:
                self.num_nonrel += 1
            if grade > 0:
                gains.append(float(grade))
        gains.sort(reverse=True)
        total = 0.0
        self.ideal = [total]
        for next_rank, gain in enumerate(gains, 2):
            total += gain / log2(next_rank)  # one after the other: `sum` of Python 3.12 has other last bits
            self.ideal.append(total)


class RankedTopic:
    """A topic with the judged documents that a run retrieved for it.

    num_ret        documents retrieved
    judged         the judgements
    ranks, grades  of the judged documents retrieved, in rank order
    relevant       ranks of the relevant ones
    """

    __slots__ = ("grades", "judged", "num_ret", "ranks", "relevant")
    grades: list[int]
    ranks: list[int]
    relevant: list[int]

    @classmethod
    def from_ranks(
        cls, ranks: list[int], grades: list[int], num_ret: int, judged: JudgedTopic
    ) -> RankedTopic:
        """Return the topic whose judged documents have these ranks, in order, and these grades."""
        topic = cls.__new__(cls)
        topic.num_ret = num_ret
        topic.judged = judged
        topic.ranks = ranks
        topic.grades = grades
        level = judged.relevance_level
        topic.relevant = [rank for rank, grade in zip(ranks, grades, strict=True) if grade >= level]
        return topic

    def __init__(self, documents: Iterable[str], num_ret: int, judged: JudgedTopic) -> None:
        """Join the ids of the retrieved documents, in rank order, with the judgements."""
        self.num_ret = num_ret
        self.judged = judged
        self.ranks, self.grades, self.relevant = ranks, grades, relevant = (
            [],
            [],
            [],
        )  # local names are faster
        level = judged.relevance_level
        for rank, grade in enumerate(map(judged.grades.get, documents), 1):
            if grade is not None:
                ranks.append(rank)
                grades.append(grade)
                if grade >= level:
                    relevant.append(rank)

    def relevant_within(self, rank: int) -> int:
        """Return how many relevant documents there are down to a rank."""
        return bisect_right(self.relevant, rank)

    def dcg(self, rank: int) -> float:
        """Return DCG: Σ grade / log2(1 + r) over the judged documents at ranks r down to a rank."""
        total = 0.0
        for document_rank, grade in zip(self.ranks, self.grades, strict=True):
            if document_rank > rank:
                break
            if grade > 0:
                total += float(grade) / log2(document_rank + 1)
        return total


def plain_topics(qrels: QrelsJudgements, ranked: Ranked, options: Options) -> list[RankedTopic] | None:
    """Return the topics of a ranking for plain functions; None if there are many, or options they lack."""
    if not 0 < len(ranked.topic) <= MOST_PLAIN_TOPICS or len(ranked.rank) > MOST_JUDGED_RETRIEVED:
        return None
    num_ret = ranked.num_ret.tolist()
    if 0 in num_ret or options.max_retrieved == 0:  # plain functions divide by it
        return None
    if not _are_usual_judgements(qrels) or not _are_usual_options(options):
        return None
    offsets = ranked.offsets.tolist()
    ranks = ranked.rank.tolist()
    grades = qrels.grade[ranked.document].tolist()
    if options.ties != BY_DOCNO:
        _order_ties_by_grade(ranks, grades, offsets, ranked.ties, worst=options.ties == WORST_ORDER)
    topics: list[RankedTopic] = []
    for number, topic in enumerate(ranked.topic.tolist()):
        begin, end = offsets[number], offsets[number + 1]
        num_counted = num_ret[number]
        if options.max_retrieved is not None:
            num_counted = min(num_counted, options.max_retrieved)
            end = bisect_right(ranks, num_counted, begin, end)
        judged = _judged_topic(qrels, topic, int(options.relevance_level))
        topics.append(RankedTopic.from_ranks(ranks[begin:end], grades[begin:end], num_counted, judged))
    return topics


def _order_ties_by_grade(
    ranks: list[int], grades: list[int], offsets: list[int], ties: Ties, *, worst: bool
) -> None:
    """Order the documents of each tie by grade, descending and first in it; with `worst` ascending and last.

    ranks, grades  of the D judged documents; both are changed
    offsets        where the documents of each topic begin among them
    """
    rows_of_tie: dict[tuple[int, int, int], list[int]] = {}
    for row, first, size in zip(ties.document.tolist(), ties.first.tolist(), ties.size.tolist(), strict=True):
        topic = bisect_right(offsets, row)
        rows_of_tie.setdefault((topic, first, size), []).append(row)
    for (_, first, size), rows in rows_of_tie.items():
        in_order = sorted([grades[row] for row in rows], reverse=not worst)
        rank = first
        if worst:  # documents that are not in the pool come first in their tie
            rank += size - len(rows)
        for row, grade in zip(rows, in_order, strict=True):
            ranks[row] = rank
            grades[row] = grade
            rank += 1


def _are_usual_judgements(qrels: QrelsJudgements) -> bool:
    """Return whether plain functions know the judgements: all count, and grades are whole numbers."""
    if qrels.kept is not None or len(qrels.duplicates.topic):
        return False
    if qrels.document_scores is not None or qrels.nmax is not None or qrels.sizes is not None:
        return False
    return qrels.grade.dtype.kind == "i" and qrels.grade.itemsize <= LARGEST_GRADE_BYTES


def _are_usual_options(options: Options) -> bool:
    """Return whether plain functions know the options."""
    if options.compat != V9.name or options.relevance_level % 1:
        return False
    if options.ties == EXPECTED_VALUES or options.empty != AS_TREC_EVAL or options.judged_only:
        return False
    return options.only_topic is None and not options.num_docs_in_coll


def _judged_topic(qrels: QrelsJudgements, topic: int, relevance_level: int) -> JudgedTopic:
    """Return the judgements of a topic of the pool, kept for the next run."""
    begin, end = qrels.pool.offsets[topic : topic + 2].tolist()

    def judge() -> JudgedTopic:
        """Return them from the arrays."""
        grades = dict(zip(range(begin, end), qrels.grade[begin:end].tolist(), strict=True))
        return JudgedTopic(grades, relevance_level, qrels.pool.topics[topic])

    return qrels.remembered.get((JudgedTopic, topic, relevance_level), size=1 + end - begin, make=judge)
