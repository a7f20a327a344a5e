"""The tables of pools: what is to be judged, how large the pools are, and the holes in judgements."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pres_eval.analysis.pooling import FirstDocuments, Key, ToJudge
from pres_eval.analysis.pools import Holes
from pres_eval.arrays.types import BoolArray, IntArray
from pres_eval.report.layout import Shown, Table

MOST_SHOWN = 20
"""Topics with holes that people see; programs get all."""


def to_judge_table(chosen: ToJudge, runs: int, stratum: IntArray | None = None) -> Table:
    """Return the documents to judge, of so many runs, with the strata (n,) that they were drawn from."""
    headings = ["topic", "docno", "runs", "best_rank", "contribution"]
    numbers = [chosen.runs.tolist(), chosen.best.tolist(), chosen.gain.tolist()]
    if stratum is not None:
        headings.append("stratum")
        numbers.append(stratum.tolist())
    return Table(
        name="documents",
        title=f"{len(chosen)} documents to judge, from {runs} runs",
        headings=headings,
        rows=list(zip(chosen.topic, chosen.document, *numbers, strict=True)),
        notes=("runs: how many have it among their first; best_rank: in any of them",),
        left=2,
    )


def pools_table(pooled: ToJudge, judged: BoolArray, chosen: ToJudge) -> Table:
    """Return how large the pool of each topic is, how much of it is judged (n,), and how much to judge."""
    topics = list(dict.fromkeys(pooled.topic))
    counts = (
        np.bincount(each, minlength=len(topics)).tolist()
        for each in (pooled.topic_of, pooled.topic_of[judged], chosen.topic_of)
    )
    return Table(
        name="topics",
        title="Pools of the topics",
        headings=("topic", "pooled", "judged", "to_judge"),
        rows=list(zip(topics, *counts, strict=True)),
    )


def holes_tables(
    names: Sequence[str], found: Sequence[Holes], topics: Sequence[bytes], depth: int
) -> list[Table]:
    """The holes of each run among its first `depth` documents, in all and by topic of the pool."""
    runs, rows = [], []
    for name, holes in zip(names, found, strict=True):
        looked_at, unjudged = int(holes.looked_at.sum()), int(holes.unjudged.sum())
        runs.append((name, len(holes.topic), looked_at, unjudged, unjudged / looked_at if looked_at else 0.0))
        columns = (holes.topic.tolist(), holes.looked_at.tolist(), holes.unjudged.tolist())
        rows += [(name, topics[topic], of, number) for topic, of, number in zip(*columns, strict=True)]
    worst = sorted(rows, key=lambda row: -row[3])[:MOST_SHOWN]
    more = len(rows) - len(worst)
    return [
        Table(
            name="runs",
            title=f"Unjudged documents among the first {depth}",
            headings=("run", "topics", "looked_at", "unjudged", "share"),
            rows=runs,
        ),
        Table(
            name="topics",
            title="Topics with the most of them",
            headings=("run", "topic", "looked_at", "unjudged"),
            rows=rows,
            notes=(f"{more} more: --table topics --format csv",) if more else (),
            shown=Shown(("run", "topic", "looked_at", "unjudged"), worst, left=2),
        ),
    ]


def unjudged_table(
    names: Sequence[str],
    firsts: Sequence[FirstDocuments],
    topics: Collection[bytes],
    judged: Collection[Key],
) -> Table:
    """The unjudged ones among the first documents of each run, for topics of the pool, with their ranks."""
    return Table(
        name="documents",
        title="The unjudged documents",
        headings=("run", "topic", "docno", "rank"),
        rows=[
            (name, topic, document, rank)
            for name, first in zip(names, firsts, strict=True)
            for topic, rank, document in sorted(
                (topic, rank, document)
                for (topic, document), rank in zip(first.pairs(), first.rank.tolist(), strict=True)
            )
            if topic in topics and (topic, document) not in judged
        ],
        left=3,
    )
