"""Slow twins of the measures of samples: one topic, its ranking walked from rank 1, strata one by one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction

Judged = dict[str, tuple[str, int]]
"""For each document its stratum and grade, -1 if it was not drawn."""


class Sampled:
    """A topic: strata with their documents, and the ranking down to -M."""

    def __init__(self, judged: Judged, ranking: list[str], level: float = 1, most: int | None = None) -> None:
        self.judged, self.ranking, self.level, self.most = judged, ranking[:most], level, most
        self.size = Counter(stratum for stratum, _ in judged.values())
        self.drawn = Counter(stratum for stratum, grade in judged.values() if grade >= 0)
        self.relevant = Counter(stratum for stratum, grade in judged.values() if grade >= max(level, 0))

    def inferred(self, counted: Counter[str]) -> float:
        return float(self.exact(counted))

    def exact(self, counted: Counter[str]) -> Fraction:
        return sum((Fraction(counted[s] * self.size[s], self.drawn[s]) for s in self.size), Fraction(0))

    def down_to(self, rank: int) -> float:
        seen = [self.judged[docno] for docno in self.ranking[:rank] if docno in self.judged]
        documents = Counter(stratum for stratum, _ in seen)
        drawn = Counter(stratum for stratum, grade in seen if grade >= 0)
        relevant = Counter(stratum for stratum, grade in seen if grade >= max(self.level, 0))
        total = 0.0
        for stratum in self.size:
            total += documents[stratum] * (relevant[stratum] + 0.00001) / (drawn[stratum] + 0.00003)
        return total

    def precision_at(self, rank: int) -> float:
        """Of a relevant document at this rank: 1/k of its own, and what is expected of those above."""
        return (1 + Sampled(self.judged, self.ranking, self.level).down_to(rank - 1)) / rank

    def average_precision(self) -> float:
        everything = self.inferred(self.relevant)
        by_stratum: defaultdict[str, float] = defaultdict(float)
        for rank, docno in enumerate(self.ranking, 1):
            stratum, grade = self.judged.get(docno, ("", -1))
            if grade >= max(self.level, 0):
                by_stratum[stratum] += self.precision_at(rank)
        total = 0.0
        for stratum, precisions in by_stratum.items():
            total += self.size[stratum] / self.drawn[stratum] * precisions / everything
        return total * max(everything / self.most, 1) if self.most else total

    def ndcg(self, gains: dict[int, float]) -> float:
        def gain(grade: int) -> float:
            return max(gains.get(grade, grade), 0.0) if grade >= 0 else 0.0

        seen = [(rank, *self.judged[d]) for rank, d in enumerate(self.ranking, 1) if d in self.judged]
        dcg = 0.0
        for stratum in self.size:
            own = [(rank, grade) for rank, its, grade in seen if its == stratum]
            drawn = [(rank, grade) for rank, grade in own if grade >= 0]
            worth = sum(gain(grade) / math.log2(rank + 1) for rank, grade in drawn)
            dcg += len(own) * worth / len(drawn) if drawn else 0.0
        ideal, start = 0.0, Fraction(0)
        for value in sorted({gain(grade) for _, grade in self.judged.values()} - {0.0}, reverse=True):
            counted = Counter(stratum for stratum, grade in self.judged.values() if gain(grade) == value)
            number, rank = self.exact(counted), start + 1
            while rank <= start + number:
                ideal += value / (math.log(rank + 1) / math.log(2))
                if self.most and rank >= self.most:
                    break
                rank += 1
            start += number
        return dcg / ideal if ideal else 0.0

    def stat_ap(self, probability: dict[str, float]) -> float:
        relevant = {d for d, (_, grade) in self.judged.items() if grade >= max(self.level, 0)}
        total, above = 0.0, 0.0
        for rank, docno in enumerate(self.ranking, 1):
            if docno in relevant:
                total += (1 + above) / rank / probability[docno]
                above += 1 / probability[docno]
        everything = sum(1 / probability[docno] for docno in relevant)
        return total / everything if everything else 0.0

    def shares(self) -> dict[str, float]:
        return {d: self.drawn[stratum] / self.size[stratum] for d, (stratum, _) in self.judged.items()}


SAMPLED_TWINS: dict[str, Callable[..., float]] = {
    "xinfAP": lambda topic: topic.average_precision(),
    "infNDCG": lambda topic, pairs: topic.ndcg({int(key): gain for key, gain in pairs}),
    "iP": lambda topic, cutoff: topic.down_to(cutoff) / cutoff,
    "irecall": lambda topic, cutoff: (
        topic.down_to(cutoff) / topic.inferred(topic.relevant) if topic.relevant else 0.0
    ),
    "inum_rel_ret": lambda topic: topic.down_to(len(topic.ranking)),
    "inum_rel": lambda topic: topic.inferred(topic.relevant),
    "statAP": lambda topic: topic.stat_ap(topic.shares()),
    "stat_num_rel": lambda topic: topic.inferred(topic.relevant),
}
"""By the measure's name: a topic, *arguments -> the value."""
