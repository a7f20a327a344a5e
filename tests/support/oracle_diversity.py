"""Slow twins of the measures of diversity: one topic, its documents walked from rank 1."""

from __future__ import annotations

import math
from collections.abc import Callable

from support.oracle import ratio
from support.oracle_ntcir import mean_blended

Judged = dict[str, dict[str, int]]
"""For each subtopic its documents with their grades."""


class Covering:
    """A topic: which subtopics each document is relevant to, and the ranking."""

    def __init__(self, judged: Judged, ranking: list[str], level: float, judged_only: bool) -> None:
        known = {docno for grades in judged.values() for docno, grade in grades.items() if grade >= 0}
        self.ranking = [docno for docno in ranking if docno in known or not judged_only]
        relevant = {
            name: {docno for docno, grade in grades.items() if grade >= max(level, 0)}
            for name, grades in judged.items()
        }
        self.grades = [
            {docno: grade for docno, grade in judged[name].items() if grade >= max(level, 0)}
            for name in sorted(relevant, key=str.encode)
            if relevant[name]
        ]
        self.subtopics = [relevant[name] for name in sorted(relevant, key=str.encode) if relevant[name]]
        self.documents = sorted(set().union(*self.subtopics), key=str.encode)

    def global_gain(self, docno: str) -> float:
        return sum(grades.get(docno, 0) for grades in self.grades) / len(self.grades)

    def gains(self) -> list[float]:
        return [self.global_gain(docno) if self.grades else 0.0 for docno in self.ranking]

    def best_gains(self) -> list[float]:
        gains = [self.global_gain(docno) for docno in self.documents]
        return sorted((gain for gain in gains if gain > 0), reverse=True)

    def walk(self, ranking: list[str], alpha: float, discount: Callable[[int], float], cutoff: int) -> float:
        worth = [1.0] * len(self.subtopics)
        total = 0.0
        for rank, docno in enumerate(ranking[:cutoff], 1):
            gain = 0.0
            for number, documents in enumerate(self.subtopics):
                if docno in documents:
                    gain += worth[number]
                    worth[number] *= 1.0 - alpha
            if gain:
                total += gain * discount(rank)
        return total

    def best(self, alpha: float, most: int) -> list[str]:
        worth = [1.0] * len(self.subtopics)
        left = list(self.documents)
        best: list[str] = []
        while left and len(best) < most:
            gains = []
            for docno in left:
                gain = 0.0
                for number, documents in enumerate(self.subtopics):
                    gain += worth[number] if docno in documents else 0.0
                gains.append(gain)
            chosen = max(range(len(left)), key=lambda place: (gains[place], place))
            best.append(left.pop(chosen))
            for number, documents in enumerate(self.subtopics):
                if best[-1] in documents:
                    worth[number] *= 1.0 - alpha
        return best

    def share_of_most(self, alpha: float, discount: Callable[[int], float], cutoff: int) -> float:
        most, novelty = 0.0, 1.0
        for rank in range(1, cutoff + 1):
            most += novelty * discount(rank)
            novelty *= 1.0 - alpha
        return ratio(self.walk(self.ranking, alpha, discount, cutoff), most * len(self.subtopics))

    def share_of_best(self, alpha: float, discount: Callable[[int], float], cutoff: int) -> float:
        gained = self.walk(self.ranking, alpha, discount, cutoff)
        return ratio(gained, self.walk(self.best(alpha, cutoff), alpha, discount, cutoff))


def logarithmic(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


def reciprocal(rank: int) -> float:
    return 1.0 / rank


def geometric(beta: float) -> Callable[[int], float]:
    def discount(rank: int) -> float:
        power = 1.0
        for _ in range(rank - 1):
            power *= beta
        return power

    return discount


EVERYTHING = 10**9


def alpha_dcg(topic: Covering, cutoff: int, alpha: float) -> float:
    return topic.share_of_most(alpha, logarithmic, cutoff)


def alpha_ndcg(topic: Covering, cutoff: int, alpha: float) -> float:
    return topic.share_of_best(alpha, logarithmic, cutoff)


def err_ia(topic: Covering, cutoff: int, alpha: float) -> float:
    return topic.share_of_most(alpha, reciprocal, cutoff)


def nerr_ia(topic: Covering, cutoff: int, alpha: float) -> float:
    return topic.share_of_best(alpha, reciprocal, cutoff)


def nrbp(topic: Covering, alpha: float, beta: float) -> float:
    gained = topic.walk(topic.ranking, alpha, geometric(beta), EVERYTHING)
    return gained * ratio(1.0 - (1.0 - alpha) * beta, len(topic.subtopics))


def nnrbp(topic: Covering, alpha: float, beta: float) -> float:
    return topic.share_of_best(alpha, geometric(beta), EVERYTHING)


def ap_ia(topic: Covering) -> float:
    total = 0.0
    for documents in topic.subtopics:
        found, precision = 0, 0.0
        for rank, docno in enumerate(topic.ranking, 1):
            if docno in documents:
                found += 1
                precision += found / rank
        total += precision / len(documents)
    return ratio(total, len(topic.subtopics))


def p_ia(topic: Covering, cutoff: int) -> float:
    hits = sum(len(documents & {*topic.ranking[:cutoff]}) for documents in topic.subtopics)
    return ratio(hits, len(topic.subtopics) * float(cutoff))


def st_recall(topic: Covering, cutoff: int) -> float:
    covered = sum(bool(documents & {*topic.ranking[:cutoff]}) for documents in topic.subtopics)
    return ratio(covered, len(topic.subtopics))


def facet_recall(topic: Covering, a: int, b: int) -> float:
    read = {*topic.ranking[: a * len(topic.documents) + b]}
    total = 0.0
    for documents in topic.subtopics:
        total += len(documents & read) / len(documents)
    return ratio(total, len(topic.subtopics))


def d_ndcg(topic: Covering, cutoff: int) -> float:
    def dcg(gains: list[float]) -> float:
        total = 0.0
        for rank, gain in enumerate(gains[:cutoff], 1):
            total += gain / math.log2(rank + 1)
        return total

    return ratio(dcg(topic.gains()), dcg(topic.best_gains()))


def d_q(topic: Covering, cutoff: int, beta: float) -> float:
    return mean_blended(topic.gains(), topic.best_gains(), beta, cutoff)


def d_sharp_ndcg(topic: Covering, cutoff: int, gamma: float) -> float:
    return gamma * st_recall(topic, cutoff) + (1.0 - gamma) * d_ndcg(topic, cutoff)


def d_sharp_q(topic: Covering, cutoff: int, gamma: float, beta: float) -> float:
    return gamma * st_recall(topic, cutoff) + (1.0 - gamma) * d_q(topic, cutoff, beta)


DIVERSITY_TWINS: dict[str, Callable[..., float]] = {
    "alpha_DCG": alpha_dcg,
    "alpha_nDCG": alpha_ndcg,
    "ERR_IA": err_ia,
    "nERR_IA": nerr_ia,
    "NRBP": nrbp,
    "nNRBP": nnrbp,
    "AP_IA": ap_ia,
    "P_IA": p_ia,
    "StRecall": st_recall,
    "facet_recall": facet_recall,
    "D_nDCG": d_ndcg,
    "D_Q": d_q,
    "Dsharp_nDCG": d_sharp_ndcg,
    "Dsharp_Q": d_sharp_q,
}
