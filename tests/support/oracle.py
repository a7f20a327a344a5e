"""Slow twins of the measures: one topic, plain loops, from the definitions; same operations, same bits.

A topic is its ranking as grades from rank 1 (UNKNOWN where the document is not in the qrels, POOLED where it
is there without a judgement) and all grades of its qrels.  Nothing of the product code is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

UNKNOWN = -1
POOLED = -2


@dataclass(frozen=True)
class Topic:
    """What a twin needs to know."""

    ranking: tuple[int, ...]
    qrels: tuple[int, ...]
    level: int = 1
    compat: str = "9.0.8"
    collection: int = 0

    @property
    def num_ret(self) -> int:
        return len(self.ranking)

    @property
    def num_rel(self) -> int:
        return sum(grade >= self.level for grade in self.qrels if grade >= 0)

    @property
    def num_nonrel(self) -> int:
        return sum(0 <= grade < self.level for grade in self.qrels)

    def relevant(self, rank: int) -> bool:
        return self.ranking[rank - 1] >= max(self.level, 0)

    def relevant_ranks(self, cutoff: float = math.inf) -> list[int]:
        return [r for r in range(1, self.num_ret + 1) if self.relevant(r) and r <= cutoff]


def ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def c_ratio(numerator: float, denominator: float) -> float:
    """Division as C has it: no error, but inf or nan."""
    if denominator:
        return numerator / denominator
    if numerator == 0 or math.isnan(numerator):
        return math.nan
    return math.copysign(math.inf, numerator) * math.copysign(1.0, denominator)


DOCUMENT_SCORE = 1.5
"""The score of their own that all documents have in batches of topics."""


def urbp(topic: Topic, p: float, factor: float, graded: bool = False) -> float:
    total, weight = 0.0, 1.0
    for grade in topic.ranking:
        if grade >= max(topic.level, 0):
            gain = DOCUMENT_SCORE * factor
            total += (grade * gain if graded else gain) * weight
        weight *= p
    return (1.0 - p) * total


def urbp_graded(topic: Topic, p: float, factor: float) -> float:
    return urbp(topic, p, factor, graded=True)


def ubpref(topic: Topic, factor: float) -> float:
    total, before = 0.0, 0
    for grade in topic.ranking:
        if grade >= max(topic.level, 0):
            share = ratio(min(before, topic.num_rel), min(topic.num_nonrel, topic.num_rel))
            total += (1.0 - share) * (DOCUMENT_SCORE * factor)
        elif grade >= 0:
            before += 1
    return ratio(total, topic.num_rel)


def runid(topic: Topic) -> float:
    return 0.0


def num_q(topic: Topic) -> float:
    return 1.0


def num_ret(topic: Topic) -> int:
    return topic.num_ret


def num_rel(topic: Topic) -> int:
    return topic.num_rel


def num_rel_ret(topic: Topic) -> int:
    return len(topic.relevant_ranks())


def num_nonrel_judged_ret(topic: Topic) -> int:
    return sum(0 <= grade < topic.level for grade in topic.ranking)


def relstring(topic: Topic, lengths: tuple[float, ...]) -> str:
    text = ""
    for grade in topic.ranking[: max(int(lengths[0]), 0)]:
        text += {UNKNOWN: "-", POOLED: "."}.get(grade) or (">" if grade > 9 else str(grade))
    return text


def precision(topic: Topic, cutoff: int) -> float:
    return len(topic.relevant_ranks(cutoff)) / cutoff


def recall(topic: Topic, cutoff: int) -> float:
    return ratio(len(topic.relevant_ranks(cutoff)), topic.num_rel)


def r_precision(topic: Topic) -> float:
    return recall(topic, topic.num_rel)


def r_precision_at_multiples(topic: Topic, multiple: float) -> float:
    cutoff = int(multiple * topic.num_rel + 0.9)
    return precision(topic, cutoff) if cutoff > 0 else 0.0


def relative_precision(topic: Topic, cutoff: int) -> float:
    return ratio(len(topic.relevant_ranks(cutoff)), min(cutoff, topic.num_rel))


def success(topic: Topic, cutoff: int) -> float:
    return 1.0 if topic.relevant_ranks(cutoff) else 0.0


def reciprocal_rank(topic: Topic, cutoff: float = math.inf) -> float:
    ranks = topic.relevant_ranks(cutoff)
    return 1.0 / ranks[0] if ranks else 0.0


def f_measure(weight: float, p: float, r: float) -> float:
    return ratio((1.0 + weight) * p * r, weight * p + r)


def f_cut(topic: Topic, beta: float, cutoff: int) -> float:
    return f_measure(beta * beta, precision(topic, cutoff), recall(topic, cutoff))


def sum_of_precisions(topic: Topic, cutoff: float = math.inf) -> float:
    total = 0.0
    for found, rank in enumerate(topic.relevant_ranks(cutoff), 1):
        total += found / rank
    return total


def average_precision(topic: Topic, cutoff: float = math.inf) -> float:
    return ratio(sum_of_precisions(topic, cutoff), topic.num_rel)


def average_precision_of_retrieved(topic: Topic) -> float:
    ranks = topic.relevant_ranks()
    total = 0.0
    for number, rank in enumerate(ranks, 1):
        total += number / rank
    return ratio(total, len(ranks))


def gm_map(topic: Topic) -> float:
    return math.log(max(average_precision(topic), 0.00001))


def inferred_average_precision(topic: Topic) -> float:
    epsilon = 0.00001
    total, relevant, nonrelevant, pooled = 0.0, 0, 0, 0
    for before, grade in enumerate(topic.ranking):
        if grade == POOLED:
            pooled += 1
        elif 0 <= grade < topic.level:
            nonrelevant += 1
        elif grade >= 0:
            if before == 0:
                total += 1.0
            else:
                j = float(before)
                share = (relevant + epsilon) / (relevant + nonrelevant + 2 * epsilon)
                total += 1.0 / (j + 1.0) + (j / (j + 1.0)) * ((relevant + nonrelevant + pooled) / j) * share
            relevant += 1
    return ratio(total, topic.num_rel)


def yaap(topic: Topic) -> float:
    total = sum_of_precisions(topic)
    return math.log((1.0 + total) / (1.0 + float(topic.num_rel) - total))


def relevant_needed(topic: Topic, level: float) -> int:
    exact = level * topic.num_rel
    if topic.compat == "9.0.8":
        return int(exact + 0.9)
    whole = math.floor(abs(exact))
    return int(math.copysign(whole + (abs(exact) - whole >= 0.5), exact))


def interpolated_precision(topic: Topic, level: float) -> float:
    ranks = topic.relevant_ranks()
    needed = relevant_needed(topic, level)
    if needed > len(ranks):
        return 0.0
    highest = c_ratio(float(len(ranks)), float(topic.num_ret))
    for found in range(len(ranks), max(needed, 1) - 1, -1):
        highest = max(highest, found / ranks[found - 1])
    return highest


def eleven_point_average(topic: Topic, levels: tuple[float, ...]) -> float:
    """One pass from the end of the ranking, as trec_eval makes it, with the levels in the order given."""
    needed = [relevant_needed(topic, level) for level in levels]
    found = len(topic.relevant_ranks())
    total, left = 0.0, len(levels) - 1
    while left >= 0 and needed[left] > found:
        left -= 1
    highest = c_ratio(float(found), float(topic.num_ret))
    for rank in range(topic.num_ret, 0, -1):
        if found == 0:
            break
        highest = max(highest, found / rank)
        if topic.relevant(rank):
            while left >= 0 and needed[left] == found:
                total += highest
                left -= 1
            found -= 1
    while left >= 0:
        total += highest
        left -= 1
    return total / len(levels)


def bpref(topic: Topic) -> float:
    n, total, nonrelevant = topic.num_rel, 0.0, 0
    for grade in topic.ranking:
        if 0 <= grade < topic.level:
            nonrelevant += 1
        elif grade >= 0:
            total += 1.0 - ratio(min(nonrelevant, n), min(topic.num_nonrel, n))
    return ratio(total, n)


def gm_bpref(topic: Topic) -> float:
    return math.log(max(bpref(topic), 0.00001))


def set_precision(topic: Topic) -> float:
    return ratio(num_rel_ret(topic), topic.num_ret)


def set_recall(topic: Topic) -> float:
    return ratio(num_rel_ret(topic), topic.num_rel)


def set_relative_precision(topic: Topic) -> float:
    return ratio(num_rel_ret(topic), min(topic.num_ret, topic.num_rel))


def set_average_precision(topic: Topic) -> float:
    found = float(num_rel_ret(topic))
    return ratio(found * found, float(topic.num_ret) * float(topic.num_rel))


def set_f(topic: Topic, weights: tuple[float, ...]) -> float:
    p, r, x = set_precision(topic), set_recall(topic), weights[0]
    return c_ratio((x + 1.0) * p * r, x * p + r) if num_rel_ret(topic) else 0.0


def utility(topic: Topic, worth: tuple[float, ...]) -> float:
    found = num_rel_ret(topic)
    rest = topic.collection + found - topic.num_ret - topic.num_rel
    return (
        worth[0] * found
        + worth[1] * (topic.num_ret - found)
        + worth[2] * (topic.num_rel - found)
        + worth[3] * rest
    )


def unjudged(topic: Topic, cutoff: int) -> float:
    return sum(grade < 0 for grade in topic.ranking[:cutoff]) / cutoff


def judged(topic: Topic, cutoff: int) -> float:
    return ratio(sum(grade >= 0 for grade in topic.ranking[:cutoff]), min(cutoff, topic.num_ret))


def pres(topic: Topic, nmax: int) -> float:
    ranks, n = topic.relevant_ranks(nmax), topic.num_rel
    if not ranks:
        return 0.0
    ranks += [nmax + i for i in range(len(ranks) + 1, n + 1)]
    return 1.0 - (sum(ranks) / n - (n + 1) / 2.0) / nmax


def own_nmax(topic: Topic) -> int:
    """What batches of the tests have for an Nmax of each topic."""
    return 3 + len(topic.qrels)


def pres_estimated(topic: Topic, nmax: int) -> float:
    highest_recall = nmax / topic.num_rel if topic.num_rel >= nmax else 1.0
    return min(pres(topic, nmax) / highest_recall, 1.0)


def normalized_recall(topic: Topic, cutoff: int | None) -> float:
    n, size = topic.num_rel, topic.collection
    ranks = topic.relevant_ranks(cutoff or math.inf)
    ranks += [size - n + i for i in range(len(ranks) + 1, n + 1)]
    late = sum(ranks) - sum(range(1, n + 1))
    return 1.0 - ratio(late, n * (size - n)) if n else 0.0


def f_prime(topic: Topic, beta: float, cutoff: int) -> float:
    return f_measure(beta * beta, average_precision(topic, cutoff), recall(topic, cutoff))


Twin = Callable[..., Any]

TWINS: dict[str, Twin] = {
    "urbp": urbp,
    "urbp_graded": urbp_graded,
    "ubpref": ubpref,
    "runid": runid,
    "num_q": num_q,
    "num_ret": num_ret,
    "num_rel": num_rel,
    "num_rel_ret": num_rel_ret,
    "num_nonrel_judged_ret": num_nonrel_judged_ret,
    "relstring": relstring,
    "P": precision,
    "recall": recall,
    "Rprec": r_precision,
    "Rprec_mult": r_precision_at_multiples,
    "relative_P": relative_precision,
    "success": success,
    "recip_rank": reciprocal_rank,
    "recip_rank_cut": reciprocal_rank,
    "F_cut": f_cut,
    "map": average_precision,
    "map_cut": average_precision,
    "gm_map": gm_map,
    "infAP": inferred_average_precision,
    "yaap": yaap,
    "iprec_at_recall": interpolated_precision,
    "11pt_avg": eleven_point_average,
    "bpref": bpref,
    "gm_bpref": gm_bpref,
    "set_P": set_precision,
    "set_recall": set_recall,
    "set_relative_P": set_relative_precision,
    "set_map": set_average_precision,
    "map_ret": average_precision_of_retrieved,
    "set_F": set_f,
    "utility": utility,
    "unj": unjudged,
    "judged": judged,
    "PRES": pres,
    "PRES_est": pres_estimated,
    "PRES_budget": lambda topic: pres(topic, own_nmax(topic)),
    "Rnorm": normalized_recall,
    "Fprime": f_prime,
}
