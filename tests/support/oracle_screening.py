"""Slow twins of the measures of technology-assisted review: a reader who walks down the ranking."""

from __future__ import annotations

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
    "loss_r": loss_r,
    "loss_e": loss_e,
    "loss_er": loss_er,
}
