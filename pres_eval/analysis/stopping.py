"""Reviews that stopped: whether they reached their target recall, and what that cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from pres_eval.arrays import FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.batches.forming import form
from pres_eval.measures.counting import relevant_within
from pres_eval.measures.precision import rank_of_relevant
from pres_eval.measures.screening import documents_to_read
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.records import dataclass

Costs = tuple[float, float, float, float]
"""Costs of reading one document: a relevant one and a nonrelevant one before the stop, and after it."""

UNIFORM: Costs = (1.0, 1.0, 1.0, 1.0)
"""Costs if all documents cost the same."""


@dataclass(frozen=True)
class Stop:
    """A topic whose reading stopped.

    target       recall to reach, above 0 and at most 1
    relevant     number of relevant documents of the topic
    needed       number of them that reaches the target
    documents    number of documents that a reader without a ranking would have to read
    read, found  numbers of documents read before the stop, and of relevant ones among them
    earliest     rank at which the target is reached; 0: the run does not reach it
    cost         see `optimistic_costs`
    """

    run: str
    topic: bytes
    target: float
    relevant: int
    needed: int
    documents: int
    read: int
    found: int
    earliest: int
    cost: float

    @property
    def recall(self) -> float:
        """Share of the relevant documents that were found."""
        return self.found / self.relevant

    @property
    def reached(self) -> bool:
        """Whether the target was reached."""
        return self.found >= self.needed

    @property
    def relative_error(self) -> float:
        """|recall - T| / T, T the target."""
        return abs(self.recall - self.target) / self.target

    @property
    def share_read(self) -> float:
        """Documents read, as a share of those to read without a ranking."""
        return self.read / self.documents

    @property
    def excess(self) -> float:
        """Documents read beyond the earliest rank with the target recall; nan if there is no such rank.

        It is below 0 if the reading stopped before that rank.
        """
        if not self.earliest:
            return math.nan
        return float(self.read - self.earliest)


@dataclass(frozen=True)
class StopSummary:
    """Means over topics of the stops of a run with one target, of values of `Stop`.

    topics        number of topics
    reliability   share of the topics in which the reader reached the target
    excess        mean over the topics whose whole ranking reaches the target; stops before it count below 0
    share_excess  the same with each excess as a share of the topic's documents
    """

    run: str
    target: float
    topics: int
    reliability: float
    recall: float
    relative_error: float
    share_read: float
    excess: float
    share_excess: float
    cost: float


def stops_of_run(
    relevance: Relevance,
    ranking: Ranking,
    options: Options,
    name: str,
    targets: Sequence[float],
    stop_of: Mapping[bytes, float] | None = None,
    costs: Costs = UNIFORM,
) -> list[Stop]:
    """Return the stops of each topic that has relevant documents, target by target.

    name     of the run
    stop_of  the last rank that was read, for every topic of the run, as files of weights have it; None: all
             documents retrieved were read
    A stop beyond the end of a topic's ranking counts as its end.

    Formula, T the target recall, n the relevant documents of a topic, N the documents to read without a
    ranking (-N, or those judged), k the rank of the stop, rel(k) the relevant documents by rank k:
      recall = rel(k) / n      reached: rel(k) >= m, m = ⌈T n⌉      relative error = |recall - T| / T
      share read = k / N       excess = k - r_m, r_m the rank of the m-th relevant document
      cost: see `optimistic_costs`
    Source: Li & Kanoulas, "When to stop reviewing in technology-assisted reviews", ACM TOIS 38(4), 2020,
      doi:10.1145/3411755; Bin-Hezam & Stevenson, "A generalised and adaptable reinforcement learning stopping
      method", SIGIR 2025, doi:10.1145/3726302.3729879.
    """
    stops: list[Stop] = []
    # `form` yields functions that make the batches, so that workers can call them.
    for make_batch in form(relevance, ranking, options):
        batch = cast(Batch, make_batch())
        ends = batch.num_ret
        read = ends
        if stop_of is not None:
            last_read = np.array([int(stop_of[topic]) for topic in batch.topics], np.int64)
            read = np.minimum(last_read, ends)
        for target in targets:
            stops.extend(_stops_of_batch(batch, name, target, read, costs))
    return sorted(stops, key=lambda stop: (targets.index(stop.target), stop.topic))


def _stops_of_batch(batch: Batch, name: str, target: float, read: IntArray, costs: Costs) -> list[Stop]:
    """Return the stops of a batch's topics that have relevant documents.

    name  of the run
    read  (T,) number of documents read of each topic
    """
    found = np.asarray(relevant_within(batch, read), np.int64)
    # The small number: 0.55 * 100 is 55.00000000000001, and 55 documents reach that target.
    needed = np.asarray(np.ceil(batch.num_rel * target - 1e-9), np.int64)
    earliest = rank_of_relevant(batch, needed)
    documents = documents_to_read(batch)
    cost = optimistic_costs(batch, read, found, earliest, costs)
    stops = []
    for row in np.flatnonzero(batch.num_rel > 0).tolist():
        stops.append(
            Stop(
                run=name,
                topic=batch.topics[row],
                target=target,
                relevant=int(batch.num_rel[row]),
                needed=int(needed[row]),
                documents=int(documents[row]),
                read=int(read[row]),
                found=int(found[row]),
                earliest=int(earliest[row]),
                cost=float(cost[row]),
            )
        )
    return stops


def optimistic_costs(
    batch: Batch, read: IntArray, found: IntArray, earliest: IntArray, costs: Costs
) -> FloatArray:
    """Return the costs (T,) of the documents read before the stop, and of reading on until the target.

    read, found  (T,) documents read before the stop, and relevant ones among them
    earliest     (T,) earliest rank with the target recall, 0 if the run does not reach it

    Formula:  cost = a_p rel(k) + a_n (k - rel(k)) + b_p (rel(r) - rel(k)) + b_n (r - k - (rel(r) - rel(k)))
      k         rank of the stop
      r         earliest rank with the target recall; k if that is before the stop
      rel(k)    relevant documents by rank k
      a_p, a_n  cost of a relevant and of a nonrelevant document before the stop
      b_p, b_n  the same after the stop, where reading goes on in the order of the run
    Notes: if the run does not reach the target, all other documents are read: this is the highest cost.
      In all these are -N, but at least the documents known: those retrieved, and those judged that were not.
      TARexp's OptimisticCost reads on until recall is above T: one relevant document more if T n is whole.
    Source: Yang, Lewis & Frieder, "On minimizing cost in legal document review workflows", DocEng 2021,
      doi:10.1145/3469096.3469872.
    """
    first_relevant, first_other, second_relevant, second_other = costs
    is_out_of_reach = (earliest == 0) & (batch.num_rel > 0)
    until_target = np.maximum(earliest, read)
    num_judged = batch.num_rel + batch.num_nonrel
    num_judged_retrieved = batch.count_by_topic(batch.grade >= 0)  # unjudged documents have -2
    num_known = batch.num_ret + num_judged - num_judged_retrieved
    all_documents = np.maximum(documents_to_read(batch), num_known)
    read_in_all = np.where(is_out_of_reach, all_documents, until_target)
    found_until_target = np.asarray(relevant_within(batch, until_target), np.int64)
    found_in_all = np.where(is_out_of_reach, batch.num_rel, found_until_target)
    found_after = found_in_all - found
    read_after = read_in_all - read
    first = first_relevant * found + first_other * (read - found)
    second = second_relevant * found_after + second_other * (read_after - found_after)
    return np.asarray(first + second, np.float64)


def summaries_of_stops(stops: Sequence[Stop]) -> list[StopSummary]:
    """Return the means over topics for each run and target, in the order in which they first occur."""
    groups: dict[tuple[str, float], list[Stop]] = {}
    for stop in stops:
        groups.setdefault((stop.run, stop.target), []).append(stop)
    return [_summary(run, target, members) for (run, target), members in groups.items()]


def _summary(run: str, target: float, stops: Sequence[Stop]) -> StopSummary:
    """Return the means over topics of the stops of a run with one target."""
    within_reach = [stop for stop in stops if stop.earliest]
    return StopSummary(
        run=run,
        target=target,
        topics=len(stops),
        reliability=_mean([float(stop.reached) for stop in stops]),
        recall=_mean([stop.recall for stop in stops]),
        relative_error=_mean([stop.relative_error for stop in stops]),
        share_read=_mean([stop.share_read for stop in stops]),
        excess=_mean([stop.excess for stop in within_reach]),
        share_excess=_mean([stop.excess / stop.documents for stop in within_reach]),
        cost=_mean([stop.cost for stop in stops]),
    )


def _mean(values: Sequence[float]) -> float:
    """Return the mean; nan without values."""
    if not values:
        return math.nan
    return math.fsum(values) / len(values)
