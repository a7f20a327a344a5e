"""Slow twins of NTCIR's measures: a ranking walked from rank 1, beside the best ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from support.oracle import Topic, Twin, ratio


def gains_of(topic: Topic) -> list[float]:
    return [float(max(grade, 0)) for grade in topic.ranking]


def best_gains(topic: Topic) -> list[float]:
    return sorted((float(grade) for grade in topic.qrels if grade > 0), reverse=True)


def walk_blended(gains: Sequence[float], best: Sequence[float], beta: float) -> list[float | None]:
    """The blended ratio at each rank, None where the document has no gain."""
    ratios: list[float | None] = []
    relevant, collected, possible = 0, 0.0, 0.0
    for rank, gain in enumerate(gains, 1):
        possible += best[rank - 1] if rank <= len(best) else 0.0
        collected += gain
        relevant += gain > 0
        ratios.append((relevant + beta * collected) / (rank + beta * possible) if gain > 0 else None)
    return ratios


def mean_blended(gains: Sequence[float], best: Sequence[float], beta: float, cutoff: float) -> float:
    total = 0.0
    for rank, value in enumerate(walk_blended(gains, best, beta), 1):
        if value is not None and rank <= cutoff:
            total += value
    return ratio(total, min(len(best), cutoff))


def q_measure(topic: Topic, beta: float) -> float:
    return mean_blended(gains_of(topic), best_gains(topic), beta, math.inf)


def q_measure_cut(topic: Topic, cutoff: int, beta: float) -> float:
    return mean_blended(gains_of(topic), best_gains(topic), beta, cutoff)


def ncg(topic: Topic, cutoff: int) -> float:
    collected = possible = 0.0
    for gain in gains_of(topic)[:cutoff]:
        collected += gain
    for gain in best_gains(topic)[:cutoff]:
        possible += gain
    return ratio(collected, possible)


def o_measure(topic: Topic, beta: float) -> float:
    ratios = walk_blended(gains_of(topic), best_gains(topic), beta)
    return next((value for value in ratios if value is not None), 0.0)


def cascade(gains: Sequence[float], highest: float, worth: Callable[[float, int], float]) -> float:
    """What a reader gets who stops when satisfied: `worth` of the chance to stop at each rank, added up."""
    total, still_reading = 0.0, 1.0
    for rank, gain in enumerate(gains, 1):
        satisfied = ratio(min(gain, highest), highest + 1.0)
        total += worth(satisfied * still_reading, rank)
        still_reading *= 1.0 - satisfied
    return total


def scale(topic: Topic, max_rel: float | None) -> float:
    return float(max(0, *topic.qrels, 0)) if max_rel is None else max_rel


def nerr(topic: Topic, cutoff: int, max_rel: float | None) -> float:
    highest = scale(topic, max_rel)

    def err(gains: Sequence[float]) -> float:
        return cascade(gains[:cutoff], highest, lambda chance, rank: chance / rank)

    return ratio(err(gains_of(topic)), err(best_gains(topic)))


def irbu(topic: Topic, cutoff: int, phi: float, max_rel: float | None) -> float:
    powers = [1.0]
    for _ in topic.ranking:
        powers.append(powers[-1] * phi)
    gains = gains_of(topic)[:cutoff]
    return cascade(gains, scale(topic, max_rel), lambda chance, rank: chance * powers[rank])


NTCIR_TWINS: dict[str, Twin] = {
    "q_measure": q_measure,
    "q_measure_cut": q_measure_cut,
    "ncg": ncg,
    "nerr": nerr,
    "o_measure": o_measure,
    "irbu": irbu,
}
