"""Reviews that stopped: whether they reached the recall that they were to reach, and what that cost."""

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
"""Costs of reading a relevant document and another before the stop, and of one of each after it."""

UNIFORM: Costs = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Stop:
    """A topic whose reading stopped.

    target       recall that was to be reached, above 0 and at most 1
    relevant     relevant documents of the topic
    wanted       how many of them make the target recall
    documents    that would have to be read without a ranking
    read, found  documents read before the stop, and relevant ones among them
    earliest     rank at which the target is reached; 0: the run does not get there
    cost         of `optimistic_costs`
    """

    run: str
    topic: bytes
    target: float
    relevant: int
    wanted: int
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
        return self.found >= self.wanted

    @property
    def relative_error(self) -> float:
        """|recall - T| / T."""
        return abs(self.recall - self.target) / self.target

    @property
    def share_read(self) -> float:
        """Documents read, as a share of those to read without a ranking."""
        return self.read / self.documents

    @property
    def excess(self) -> float:
        """Documents read beyond the earliest rank with the target recall; nan if there is no such rank."""
        return float(self.read - self.earliest) if self.earliest else math.nan


@dataclass(frozen=True)
class Stops:
    """The means over topics of the stops of a run under a target; fields are those of `Stop`.

    reliability  share of the topics in which the target was reached
    excess       over the topics whose run gets to the target; share_excess: as a share of the documents
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

    stop_of  the last rank that was read of each topic; None: all that was retrieved
    A stop behind the end of a run is its end.

    Formula, T the target recall, n the relevant documents of a topic, N the documents to read without a
    ranking (-N, or those judged), k the rank of the stop:
      recall = rel(k) / n      reached: rel(k) >= ⌈T n⌉      relative error = |recall - T| / T
      excess = k - r_m, r_m the rank of the m-th relevant document, m = ⌈T n⌉
      cost: see `optimistic_costs`
    Source: Li & Kanoulas, "When to stop reviewing in technology-assisted reviews", ACM TOIS 38(4), 2020,
      doi:10.1145/3411755; Bin-Hezam & Stevenson, "A generalised and adaptable reinforcement learning stopping
      method", SIGIR 2025, doi:10.1145/3726302.3729879.
    """
    stops: list[Stop] = []
    for make in form(relevance, ranking, options):
        batch = cast(Batch, make())
        ends = batch.num_ret
        read = ends
        if stop_of is not None:
            last_read = np.array([int(stop_of[topic]) for topic in batch.topics], np.int64)
            read = np.minimum(last_read, ends)
        for target in targets:
            stops.extend(_stops_of_batch(batch, name, target, read, costs))
    return sorted(stops, key=lambda stop: (targets.index(stop.target), stop.topic))


def _stops_of_batch(batch: Batch, name: str, target: float, read: IntArray, costs: Costs) -> list[Stop]:
    """Return the stops, by the documents read (T,), of a batch's topics that have relevant documents."""
    found = np.asarray(relevant_within(batch, read), np.int64)
    # 0.95 * 20 is a little above 19 as a double.
    wanted = np.asarray(np.ceil(batch.num_rel * target - 1e-9), np.int64)
    earliest = rank_of_relevant(batch, wanted)
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
                wanted=int(wanted[row]),
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
    """Return (T,) costs of the documents read (T,), and of those that are then read until the target.

    Formula:  cost = a_p rel(k) + a_n (k - rel(k)) + b_p (rel(r) - rel(k)) + b_n (r - k - (rel(r) - rel(k)))
      k    rank of the stop      r  earliest rank with the target recall; k if that is not behind the stop
      a_p, a_n  cost of a relevant document and of another before the stop; b_p, b_n: after it
    Notes: where the run does not get to the target, all the other documents are read, so that it is the
      highest cost.  A second phase reads on in the order of the run.  TARexp's OptimisticCost reads on until
      recall is above T, which is one relevant document more where T n is whole.
    Source: Yang, Lewis & Frieder, "On minimizing cost in legal document review workflows", DocEng 2021,
      doi:10.1145/3469096.3469872.
    """
    first_relevant, first_other, second_relevant, second_other = costs
    until = np.maximum(earliest, read)
    found_until = np.asarray(relevant_within(batch, until), np.int64)
    is_out_of_reach = (earliest == 0) & (batch.num_rel > 0)
    until = np.where(is_out_of_reach, documents_to_read(batch), until)
    found_until = np.where(is_out_of_reach, batch.num_rel, found_until)
    more = found_until - found
    first = first_relevant * found + first_other * (read - found)
    second = second_relevant * more + second_other * (until - read - more)
    return np.asarray(first + second, np.float64)


def summaries_of_stops(stops: Sequence[Stop]) -> list[Stops]:
    """Return the means over the topics of each run and target, in the order of their first stops."""
    groups: dict[tuple[str, float], list[Stop]] = {}
    for stop in stops:
        groups.setdefault((stop.run, stop.target), []).append(stop)
    return [_summary(run, target, members) for (run, target), members in groups.items()]


def _summary(run: str, target: float, stops: Sequence[Stop]) -> Stops:
    """Return the means over the topics of a run."""
    within_reach = [stop for stop in stops if stop.earliest]
    return Stops(
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
    return math.fsum(values) / len(values) if values else math.nan
