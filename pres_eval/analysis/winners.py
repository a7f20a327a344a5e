"""Topics and the runs that win them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.digits import rounded
from pres_eval.analysis.paired import PairedScores
from pres_eval.arrays.types import BoolArray, FloatArray


@dataclass(frozen=True)
class TopicWinner:
    """The best run of a topic under one measure, and the next one.

    best, second  names of runs; of several that are equal the best are joined by commas
    value, second_value  what they score; the second is the best run with another value
    difference    value minus second_value, 0 if all runs are equal
    """

    measure: str
    topic: str
    best: str
    value: float
    second: str
    second_value: float
    difference: float


DIFFERENCE, TOPIC, BEST = "difference", "topic", "best"
ORDERS = (DIFFERENCE, TOPIC, BEST)
"""Ways to sort winners: largest differences first, by topic, or by the best run."""


def topic_winners(scores: PairedScores, order: str = DIFFERENCE) -> list[TopicWinner]:
    """Return the winners of each topic (M · T), sorted within each measure by one of ORDERS.

    Values that agree to 12 digits are equal.
    """
    winners: list[TopicWinner] = []
    for measure, label in enumerate(scores.measures):
        gains = rounded(scores.gain_values()[measure])
        own = [_winner(scores, label, measure, topic, gains[:, topic]) for topic in range(len(scores.topics))]
        if order != TOPIC:
            own.sort(key=lambda one: (one.best if order == BEST else "", -abs(one.difference)))
        winners += own
    return winners


def wins_of_runs(scores: PairedScores) -> list[list[tuple[int, int]]]:
    """Return for each run and measure (R, M) the topics that it wins alone, and those that it shares."""
    found = []
    for gains in map(rounded, scores.gain_values()):
        best = gains == gains.max(axis=0)
        alone = best & (best.sum(axis=0) == 1)
        found.append(list(zip(alone.sum(axis=1).tolist(), (best & ~alone).sum(axis=1).tolist(), strict=True)))
    return [list(each) for each in zip(*found, strict=True)]


def _winner(scores: PairedScores, label: str, measure: int, topic: int, gains: FloatArray) -> TopicWinner:
    """Return the winner of a topic from its gains (R,)."""
    values = scores.values[measure, :, topic]
    best = gains == gains.max()
    rest = np.flatnonzero(~best)
    first = int(np.argmax(best))
    second = int(rest[np.argmax(gains[rest])]) if len(rest) else first
    alike = (gains == gains[second]) & ~best
    value, other = float(values[first]), float(values[second])
    return TopicWinner(
        measure=label,
        topic=scores.topics[topic].decode("utf-8", "replace"),
        best=_names(scores, best),
        value=value,
        second=_names(scores, alike),
        second_value=other,
        difference=value - other,
    )


def _names(scores: PairedScores, chosen: BoolArray) -> str:
    """Return the names of the runs that are chosen (R,)."""
    return ", ".join(name for name, is_one in zip(scores.runs, chosen.tolist(), strict=True) if is_one)
