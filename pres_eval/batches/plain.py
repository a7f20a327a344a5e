"""A single topic in plain Python: for rankings of few documents, for which arrays take longer than the work.

Measures' plain functions get this topic.  Ranks and sums have the order of `Batch`, so the bits are the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from math import log2


class JudgedTopic:
    """The judgements of a topic.

    grades       by document, whole numbers; below 0 those of documents in the pool that were not judged
    num_rel      relevant documents
    num_nonrel   documents that were judged and are not relevant
    ideal        discounted gain of the first 0, 1, 2 ... documents of the best ranking
    """

    __slots__ = ("grades", "ideal", "num_nonrel", "num_rel", "relevance_level")

    def __init__(self, grades: Mapping[str, int], relevance_level: int) -> None:
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
        for rank, gain in enumerate(gains, 2):
            total += gain / log2(rank)  # one after the other: `sum` of Python 3.12 has other last bits
            self.ideal.append(total)


class RankedTopic:
    """The judged documents of a ranking.

    num_ret        documents retrieved
    ranks, grades  of the judged documents, in rank order
    relevant       ranks of the relevant ones
    """

    __slots__ = ("grades", "judged", "num_ret", "ranks", "relevant")
    grades: list[int]
    ranks: list[int]
    relevant: list[int]

    def __init__(self, documents: Iterable[str], num_ret: int, judged: JudgedTopic) -> None:
        self.num_ret = num_ret
        self.judged = judged
        self.ranks, self.grades, self.relevant = ranks, grades, relevant = [], [], []  # names are faster
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
        """Return the discounted gain down to a rank."""
        total = 0.0
        for document_rank, grade in zip(self.ranks, self.grades, strict=True):
            if document_rank > rank:
                break
            if grade > 0:
                total += float(grade) / log2(document_rank + 1)
        return total
