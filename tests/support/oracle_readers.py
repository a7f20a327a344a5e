"""Slow twins of models of readers and of likeness to an ideal ranking, one rank after the other."""

from __future__ import annotations

import math
from collections.abc import Callable

from support.oracle import Topic, Twin, ratio


def scaled(topic: Topic, low: float, high: float | None) -> list[float]:
    """Gains of the first 1000 ranks, 0 behind the ranking."""
    if high is None:
        high = float(max(0, *topic.qrels, 0))
    gains = []
    for rank in range(1, 1001):
        grade = max(topic.ranking[rank - 1], 0) if rank <= topic.num_ret else 0
        gain = min(max(float(grade), low), high) - low
        gains.append(gain / (high - low) if high > low else 0.0)
    return gains


def walk(gains: list[float], goes_on: Callable[[int, float, float], float]) -> float:
    """Gain for each document looked at; `goes_on` is told the rank, its gain and the gain so far."""
    weight, weights, gained, so_far = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gains, 1):
        weights += weight
        gained += weight * gain
        so_far += gain
        weight *= goes_on(rank, gain, so_far)
    return gained / weights


def squared(number: float) -> float:
    return number * number


def sdcg(topic: Topic, cutoff: int, low: float, high: float | None) -> float:
    gained, most = 0.0, 0.0
    for rank, gain in enumerate(scaled(topic, low, high)[:cutoff], 1):
        gained += gain / math.log2(rank + 1)
        most += 1.0 / math.log2(rank + 1)
    return gained / most


def bpm(topic: Topic, cutoff: int, wanted: float, low: float, high: float | None) -> float:
    gained, looked_at = 0.0, 0
    for gain in scaled(topic, low, high)[:cutoff]:
        looked_at += 1
        gained += gain
        if gained >= wanted - 1e-9 * max(1.0, wanted):
            break
    return gained / looked_at


def insq_step(rank: int, wanted: float) -> float:
    return squared((rank + 2.0 * wanted - 1.0) / (rank + 2.0 * wanted))


def insq(topic: Topic, wanted: float, low: float, high: float | None) -> float:
    return walk(scaled(topic, low, high), lambda rank, gain, so_far: insq_step(rank, wanted))


def inst(topic: Topic, wanted: float, low: float, high: float | None) -> float:
    def goes_on(rank: int, gain: float, so_far: float) -> float:
        missing = wanted - so_far
        return squared((rank + wanted + missing - 1.0) / (rank + wanted + missing))

    return walk(scaled(topic, low, high), goes_on)


def nerr8(topic: Topic, cutoff: int, low: float, high: float | None) -> float:
    return walk(scaled(topic, low, high)[:cutoff], lambda rank, gain, so_far: 1.0 - gain)


def nerr9(topic: Topic, cutoff: int, low: float, high: float | None) -> float:
    return walk(
        scaled(topic, low, high)[:cutoff], lambda rank, gain, so_far: rank / (rank + 1.0) * (1.0 - gain)
    )


def nerr10(topic: Topic, p: float, low: float, high: float | None) -> float:
    return walk(scaled(topic, low, high), lambda rank, gain, so_far: p * (1.0 - gain))


def nerr11(topic: Topic, wanted: float, low: float, high: float | None) -> float:
    return walk(scaled(topic, low, high), lambda rank, gain, so_far: insq_step(rank, wanted) * (1.0 - gain))


def compat(topic: Topic, p: float, normalize: float, deepest: float | None) -> float:
    # Documents by name: those retrieved are called by their rank, the others by numbers below 0.
    grades = {rank: grade for rank, grade in enumerate(topic.ranking, 1) if grade > 0}
    missed = [grade for grade in topic.qrels if grade > 0]
    for grade in grades.values():
        missed.remove(grade)
    grades |= {-number: grade for number, grade in enumerate(missed, 1)}
    ideal = sorted(grades, key=lambda name: (-grades[name], name < 0, name))
    ranking = list(range(1, topic.num_ret + 1))
    depth = int(deepest or max(len(ideal), len(ranking))) if ideal else 0
    score = overlap(ranking, ideal, p, depth)
    return ratio(score, overlap(ideal, ideal, p, depth)) if normalize else score


def overlap(one: list[int], other: list[int], p: float, depth: int) -> float:
    score, weights, weight = 0.0, 0.0, 1.0
    seen: tuple[set[int], set[int]] = (set(), set())
    for length in range(1, depth + 1):
        seen[0].update(one[length - 1 : length])
        seen[1].update(other[length - 1 : length])
        score += weight * len(seen[0] & seen[1]) / length
        weights += weight
        weight *= p
    return ratio(score, weights)


def accuracy(topic: Topic, cutoff: int | None) -> float:
    last = topic.num_ret if cutoff is None else min(cutoff, topic.num_ret)
    relevant = topic.relevant_ranks(last)
    others = [rank for rank in range(1, last + 1) if rank not in relevant]
    if not relevant:
        return 0.0
    wrong = sum(float(other < rank) for rank in relevant for other in others)
    return 1.0 - ratio(wrong, float(len(others) * len(relevant)))


def dcg_cut(topic: Topic, cutoff: int) -> float:
    gained = 0.0
    for rank, grade in enumerate(topic.ranking[:cutoff], 1):
        gained += max(grade, 0) / math.log2(rank + 1)
    return gained


def dcg_exp_cut(topic: Topic, cutoff: int) -> float:
    gained = 0.0
    for rank, grade in enumerate(topic.ranking[:cutoff], 1):
        gained += (2.0**grade - 1.0 if 0 < grade < 1024 else math.inf if grade > 0 else 0.0) / math.log2(
            rank + 1
        )
    return gained


def ndcg_gain_cut(topic: Topic, cutoff: int, gains: tuple[tuple[int, float], ...]) -> float:
    worth = dict(gains)

    def discounted(grades: list[float]) -> float:
        gained = 0.0
        for rank, grade in enumerate(grades[:cutoff], 1):
            gained += grade / math.log2(rank + 1)
        return gained

    ranking = [max(worth.get(grade, float(grade)), 0.0) if grade >= 0 else 0.0 for grade in topic.ranking]
    best = sorted((worth.get(grade, float(grade)) for grade in topic.qrels if grade >= 0), reverse=True)
    return ratio(discounted(ranking), discounted([gain for gain in best if gain > 0]))


def rbp_cut(topic: Topic, cutoff: int, p: float) -> float:
    total = 0.0
    for rank in topic.relevant_ranks(cutoff):
        total += p ** (rank - 1.0)
    return (1.0 - p) * total


def rbp_graded_cut(topic: Topic, cutoff: int, p: float) -> float:
    high = max(0, *topic.qrels, 0)
    total = 0.0
    for rank, grade in enumerate(topic.ranking[:cutoff], 1):
        gain = max(grade, 0) / high if high > 0 else 0.0
        total += p ** (rank - 1.0) * gain
    return (1.0 - p) * total


def hits(topic: Topic, cutoff: int) -> int:
    return len(topic.relevant_ranks(cutoff))


READER_TWINS: dict[str, Twin] = {
    "rbp_graded_cut": rbp_graded_cut,
    "sdcg": sdcg,
    "bpm": bpm,
    "insq": insq,
    "inst": inst,
    "nerr8": nerr8,
    "nerr9": nerr9,
    "nerr10": nerr10,
    "nerr11": nerr11,
    "compat": compat,
    "accuracy": accuracy,
    "dcg_cut": dcg_cut,
    "dcg_exp_cut": dcg_exp_cut,
    "ndcg_gain_cut": ndcg_gain_cut,
    "rbp_cut": rbp_cut,
    "hits": hits,
}
