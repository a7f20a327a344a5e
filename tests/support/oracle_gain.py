"""Slow twins of the measures of gain: a ranking and the best ranking walked side by side, rank by rank."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from support.oracle import Topic, Twin, c_ratio, ratio

Pairs = tuple[tuple[str, float], ...]


class Level:
    """A grade with its gain, and how many documents of the qrels have it."""

    def __init__(self, grade: int, gain: float) -> None:
        self.grade, self.gain, self.count = grade, gain, 0


def stable_sort(levels: list[Level]) -> list[Level]:
    """Merge sort by gain whose comparison looks at the whole part of the difference, as a 32-bit number."""
    if len(levels) < 2:
        return levels
    left = stable_sort(levels[: len(levels) // 2])
    right = stable_sort(levels[len(levels) // 2 :])
    merged: list[Level] = []
    while left and right:
        difference = left[0].gain - right[0].gain
        whole = math.trunc(difference) if abs(difference) < 1e300 else 1 << 40
        if not -(1 << 31) <= whole < 1 << 31:
            whole = -(1 << 31)
        merged.append(left.pop(0) if whole <= 0 else right.pop(0))
    return merged + left + right


class Gains:
    """The levels of a topic, sorted by gain."""

    def __init__(self, topic: Topic, pairs: Pairs, compat: str) -> None:
        levels: list[Level] = []
        for key, gain in pairs:
            digits = re.match(r"\s*[+-]?\d+", key)
            if compat == "9.0.8":
                levels.append(Level(int(digits[0]) if digits else 0, gain))
            elif re.fullmatch(r"[+-]?\d+", key):
                levels.append(Level(int(key), gain))
        grades = [grade for grade in topic.qrels if grade >= 0]
        for grade in range(max(grades, default=-1) + 1):
            level = next((level for level in levels if level.grade == grade), None)
            if level is None:
                level = Level(grade, float(grade))
                levels.append(level)
            level.count = grades.count(grade)
        self.levels = stable_sort(levels)

    def of(self, grade: int) -> float:
        return next((level.gain for level in self.levels if level.grade == grade), 0.0)

    def best(self) -> Iterator[float]:
        """Gains of the best ranking from rank 1, until one is not positive; then 0 for ever."""
        levels = list(self.levels)
        if levels and levels[-1].gain > 0:
            while levels:
                level = levels.pop()
                if level.count and level.gain <= 0:
                    break
                for _ in range(level.count):
                    yield level.gain
        while True:
            yield 0.0


def walk(topic: Topic, pairs: Pairs, compat: str | None = None) -> tuple[list[float], list[float]]:
    """Gains of the ranking, and of the best ranking for as long as it has any and as the ranking is long."""
    gains = Gains(topic, pairs, compat or topic.compat)
    ranking = [gains.of(grade) for grade in topic.ranking]
    best: list[float] = []
    for gain in gains.best():
        if gain <= 0 and len(best) >= len(ranking):
            break
        best.append(gain)
    return ranking, best


def discounted(gains: list[float]) -> float:
    total = 0.0
    for rank, gain in enumerate(gains, 1):
        if gain != 0:
            total += gain / math.log2(rank + 1)
    return total


def ndcg(topic: Topic, pairs: Pairs) -> float:
    ranking, best = walk(topic, pairs)
    return ratio(discounted(ranking), discounted(best))


def dcg(topic: Topic, pairs: Pairs) -> float:
    return discounted(walk(topic, pairs, "10.0")[0])


def ideal_dcg(topic: Topic, pairs: Pairs) -> float:
    return discounted(walk(topic, pairs, "10.0")[1])


def ndcg_cut(topic: Topic, cutoff: int) -> float:
    ranking, best = walk(topic, ())
    return ratio(discounted(ranking[:cutoff]), discounted(best[:cutoff]))


def ndcg_exp_cut(topic: Topic, cutoff: int) -> float:
    scale = 2 ** max(*topic.qrels, 0, 0)
    best = sorted(topic.qrels, reverse=True)
    # Whole-number arithmetic until the one division, so no grade is too high.
    gains, best_gains = (
        [(2 ** max(grade, 0) - 1) / scale for grade in grades[:cutoff]] for grades in (topic.ranking, best)
    )
    return ratio(discounted(gains), discounted(best_gains))


def binary_g(topic: Topic) -> float:
    total = 0.0
    for found, rank in enumerate(topic.relevant_ranks(), 1):
        total += 1.0 / math.log2(2 + rank - found)
    return ratio(total, topic.num_rel)


def c_log2(value: float) -> float:
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan


def g(topic: Topic, pairs: Pairs) -> float:
    ranking, best = walk(topic, pairs)
    total, own, cost, most = 0.0, 0.0, 0.0, 0.0
    for rank, best_gain in enumerate(best):
        most += best_gain
        if rank < len(ranking):
            own += ranking[rank]
            cost += max(best_gain, 1.0)
            if ranking[rank] != 0:
                total += c_ratio(ranking[rank], c_log2(2 + cost - own))
    return ratio(total, most)


def ndcg_rel(topic: Topic, pairs: Pairs) -> float:
    ranking, best = walk(topic, pairs)
    own, ideal, total = 0.0, 0.0, 0.0
    for rank, best_gain in enumerate(best, 1):
        gain = ranking[rank - 1] if rank <= len(ranking) else 0.0
        own += gain / math.log2(rank + 1)
        ideal += best_gain / math.log2(rank + 1)
        if gain > 0:
            total += c_ratio(own, ideal)
    wanted, found = sum(gain > 0 for gain in best), sum(gain > 0 for gain in ranking)
    total += c_ratio((wanted - found) * own, ideal)
    return c_ratio(total, wanted) if total > 0 else 0.0


def r_ndcg(topic: Topic, pairs: Pairs) -> float:
    if topic.num_rel == 0:
        return 0.0
    ranking, best = walk(topic, pairs)
    own, ideal, total, parts = 0.0, 0.0, 0.0, 0
    for rank, best_gain in enumerate([*best, 0.0], 1):
        if rank > 1 and best[rank - 2] > 0 and best_gain != best[rank - 2]:
            total += own / ideal
            parts += 1
        own += (ranking[rank - 1] if rank <= len(ranking) else 0.0) / math.log2(rank + 1)
        ideal += best_gain / math.log2(rank + 1)
    wanted = sum(gain > 0 for gain in best)
    if wanted and len(ranking) > wanted + 1:
        total += own / ideal
        parts += 1
    return c_ratio(total, parts)


def persistence(pairs: Pairs) -> float:
    given = [value for key, value in pairs if key == "p"]
    return given[-1] if given else 0.9


def rbp(topic: Topic, pairs: Pairs) -> float:
    gains, p = Gains(topic, pairs, "10.0"), persistence(pairs)
    low = min([0.0, *(level.gain for level in gains.levels)])
    high = max([0.0, *(level.gain for level in gains.levels)])
    if low < 0 or high > 1:
        for level in gains.levels:
            level.gain = (level.gain - low) / (high - low)
    total, power = 0.0, 1.0
    for grade in topic.ranking:
        total += gains.of(grade) * power if gains.of(grade) != 0 else 0.0
        power = power * p
    return (1.0 - p) * total


def rbp_binary(topic: Topic, pairs: Pairs) -> float:
    p = persistence(pairs)
    total, power = 0.0, 1.0
    for grade in topic.ranking:
        total += power if grade >= topic.level else 0.0
        power = power * p
    return (1.0 - p) * total


def rbp_residual(topic: Topic, pairs: Pairs) -> float:
    p = persistence(pairs)
    total, power, seen = 0.0, 1.0, False
    for grade in topic.ranking:
        if grade < 0:
            total += power
            seen = True
        power = power * p
    return power + (1 - p) * total if seen else 0.0


def expected_reciprocal_rank(topic: Topic, cutoff: int, max_rel: float) -> float:
    total, still_reading = 0.0, 1.0
    for rank, grade in enumerate(topic.ranking[:cutoff], 1):
        satisfied = (2.0 ** max(grade, 0) - 1) / 2.0**max_rel
        total += satisfied * still_reading / rank
        still_reading *= 1 - satisfied
    return total


GAIN_TWINS: dict[str, Twin] = {
    "ndcg": ndcg,
    "dcg": dcg,
    "ideal_dcg": ideal_dcg,
    "ndcg_cut": ndcg_cut,
    "ndcg_exp_cut": ndcg_exp_cut,
    "binG": binary_g,
    "G": g,
    "ndcg_rel": ndcg_rel,
    "Rndcg": r_ndcg,
    "rbp": rbp,
    "rbp_binary": rbp_binary,
    "rbp_resid": rbp_residual,
    "err": expected_reciprocal_rank,
}
