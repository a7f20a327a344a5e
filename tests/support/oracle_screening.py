"""Slow twins of the measures of technology-assisted review: a reader who walks down the ranking."""

from __future__ import annotations

from fractions import Fraction

from support.oracle import Topic, Twin, ratio


def to_read(topic: Topic) -> int:
    judged = sum(grade >= 0 for grade in topic.qrels)
    return max(judged, topic.num_ret, topic.collection)


def wss(topic: Topic, percent: float) -> float:
    if topic.num_rel == 0:
        return 0.0
    wanted = round(topic.num_rel * (percent / 100.0))
    found, read = 0, 0
    while found < wanted:
        if read == topic.num_ret:
            return 0.0
        read += 1
        found += topic.relevant(read)
    return (to_read(topic) - read) / to_read(topic) - (100.0 - percent) / 100.0


def last_rel(topic: Topic) -> float:
    return float(max(topic.relevant_ranks(), default=0))


def norm_last_rel(topic: Topic) -> float:
    return ratio(last_rel(topic), to_read(topic))


def recall_at_percent(topic: Topic, percent: float) -> float:
    return ratio(len(topic.relevant_ranks(round(to_read(topic) * percent / 100.0))), topic.num_rel)


def norm_area(topic: Topic) -> float:
    if topic.num_rel == 0:
        return 0.0
    area, found = 0.0, 0
    for rank in range(1, to_read(topic) + 1):
        here = rank <= topic.num_ret and topic.relevant(rank)
        area += found + 0.5 * here
        found += here
    return area / (topic.num_rel * to_read(topic) - topic.num_rel * topic.num_rel / 2.0)


def read_for_recall(topic: Topic, percent: float) -> float:
    found = 0
    for rank in range(1, topic.num_ret + 1):
        found += topic.relevant(rank)
        if 100 * found >= percent * topic.num_rel and found:
            return float(rank)
    return float(to_read(topic)) if topic.num_rel else 0.0


def share_for_recall(topic: Topic, percent: float) -> float:
    return ratio(read_for_recall(topic, percent), to_read(topic))


def tnr(topic: Topic, percent: float) -> float:
    wanted = -(-topic.num_rel * Fraction(str(percent)) // 100)
    if topic.num_rel == 0 or len(topic.relevant_ranks()) < wanted:
        return 0.0
    read = sum(not topic.relevant(rank) for rank in range(1, int(read_for_recall(topic, percent)) + 1))
    nonrelevant = to_read(topic) - topic.num_rel
    return ratio(max(nonrelevant - read, 0), nonrelevant)


def erf(topic: Topic, percent: float) -> float:
    if topic.num_rel == 0:
        return 0.0
    return recall_at_percent(topic, percent) - ratio(round(to_read(topic) * percent / 100.0), to_read(topic))


def recall_at(topic: Topic, a: int, b: int) -> float:
    return ratio(len(topic.relevant_ranks(a * topic.num_rel + b)), topic.num_rel)


def loss(topic: Topic) -> float:
    ranks = topic.relevant_ranks()
    missing = topic.num_rel - len(ranks)
    ranks = [*ranks, *range(to_read(topic) - missing + 1, to_read(topic) + 1)]
    late = sum(rank - place for place, rank in enumerate(ranks, 1))
    return min(ratio(float(late), topic.num_rel * (to_read(topic) - topic.num_rel)), 1.0)


def total_cost(topic: Topic, costs: tuple[float, ...]) -> float:
    found = len(topic.relevant_ranks())
    missed = topic.num_rel - found
    return costs[0] * topic.num_ret + costs[1] * (missed - found)


def total_cost_uniform(topic: Topic, costs: tuple[float, ...]) -> float:
    missed = topic.num_rel - len(topic.relevant_ranks())
    rest = costs[1] * (to_read(topic) - topic.num_ret)
    return costs[0] * topic.num_ret + ratio(rest * missed, topic.num_rel)


def total_cost_weighted(topic: Topic, costs: tuple[float, ...]) -> float:
    share = 0.0
    for number in range(1, topic.num_rel - len(topic.relevant_ranks())):
        share += 0.5**number
    return costs[0] * topic.num_ret + costs[1] * (to_read(topic) - topic.num_ret) * share


def atd(topic: Topic) -> float:
    ranks = topic.relevant_ranks()
    return ratio(float(sum(ranks)), len(ranks))


def loss_r(topic: Topic) -> float:
    missed = 1.0 - ratio(len(topic.relevant_ranks()), topic.num_rel)
    return missed * missed


def loss_e(topic: Topic) -> float:
    share = ratio(100.0, to_read(topic))
    effort = topic.num_ret / (topic.num_rel + 100.0)
    return share * share * (effort * effort)


def loss_er(topic: Topic) -> float:
    return loss_r(topic) + loss_e(topic)


def labels_of(topic: Topic) -> list[int]:
    """All records in the order of the review, as ASReview has them: what was not retrieved comes last."""
    return [int(topic.relevant(rank)) for rank in range(1, topic.num_ret + 1)] + [0] * (
        to_read(topic) - topic.num_ret
    )


def largest_step(number: int, percent: float) -> int:
    """The last of 1/n, 2/n, ... that is not above x %; 0 if there is none."""
    return sum(step / number <= percent / 100.0 for step in range(1, number + 1))


def random_order(topic: Topic) -> list[int]:
    """How many documents a random order finds: whole ones, along a straight line from 0 to all."""
    size = to_read(topic)
    step = ratio(topic.num_rel, size - 1)
    return [round(place * step) for place in range(size - 1)] + [topic.num_rel if size > 1 else 0]


def wss_asreview(topic: Topic, percent: float) -> float:
    wanted = largest_step(topic.num_rel, percent) or topic.num_rel
    labels = labels_of(topic)
    if not wanted or sum(labels) < wanted:
        return 0.0
    found = next(place for place in range(len(labels)) if sum(labels[: place + 1]) >= wanted)
    expected = random_order(topic)
    by_chance = next((place for place, number in enumerate(expected) if number >= wanted), len(expected))
    return (by_chance - found) / to_read(topic)


def erf_asreview(topic: Topic, percent: float) -> float:
    if not topic.num_rel:
        return 0.0
    depth = largest_step(to_read(topic), percent) or to_read(topic)
    by_chance = topic.num_rel if depth == to_read(topic) else random_order(topic)[depth - 1]
    return (sum(labels_of(topic)[:depth]) - by_chance) / topic.num_rel


def tnr_asreview(topic: Topic, percent: float) -> float:
    wanted = largest_step(topic.num_rel, percent)
    ranks = topic.relevant_ranks()
    if not wanted or len(ranks) < wanted:
        return 0.0
    nonrelevant = to_read(topic) - topic.num_rel
    return round(ratio(max(nonrelevant - (ranks[wanted - 1] - wanted), 0), nonrelevant), 6)


def recall_asreview(topic: Topic, percent: float) -> float:
    depth = largest_step(to_read(topic), percent)
    return ratio(len(topic.relevant_ranks(depth)), topic.num_rel)


SCREENING_TWINS: dict[str, Twin] = {
    "wss": wss,
    "last_rel": last_rel,
    "norm_last_rel": norm_last_rel,
    "recall_at_percent": recall_at_percent,
    "norm_area": norm_area,
    "total_cost": total_cost,
    "total_cost_uniform": total_cost_uniform,
    "total_cost_weighted": total_cost_weighted,
    "atd": atd,
    "read_for_recall": read_for_recall,
    "share_for_recall": share_for_recall,
    "tnr": tnr,
    "erf": erf,
    "recall_at": recall_at,
    "loss": loss,
    "wss_asreview": wss_asreview,
    "erf_asreview": erf_asreview,
    "tnr_asreview": tnr_asreview,
    "recall_asreview": recall_asreview,
    "loss_r": loss_r,
    "loss_e": loss_e,
    "loss_er": loss_er,
}
