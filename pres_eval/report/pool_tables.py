"""The tables of pools: what is to be judged, how large the pools are, and the holes in judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from pres_eval.analysis.pooling import Key, ToJudge
from pres_eval.analysis.pools import Holes
from pres_eval.report.layout import Shown, Table

MOST_SHOWN = 20
"""Topics with holes that people see; programs get all."""


def to_judge_table(chosen: Sequence[ToJudge], runs: int, stratum: Mapping[Key, int] | None = None) -> Table:
    """The documents to judge, of so many runs, with the strata that they were drawn from."""
    drawn: dict[ToJudge, tuple[int, ...]] = {}
    headings: tuple[str, ...] = ("topic", "docno", "runs", "best_rank", "contribution")
    if stratum is not None:
        drawn = {one: (stratum[one.topic, one.document],) for one in chosen}
        headings += ("stratum",)
    return Table(
        name="documents",
        title=f"{len(chosen)} documents to judge, from {runs} runs",
        headings=headings,
        rows=[(one.topic, one.document, one.runs, one.best, one.gain, *drawn.get(one, ())) for one in chosen],
        notes=("runs: how many have it among their first; best_rank: in any of them",),
        left=2,
    )


def pools_table(pooled: Collection[Key], judged: Collection[Key], chosen: Sequence[ToJudge]) -> Table:
    """How large the pool of each topic is, how much of it is judged, and how much to judge."""
    sizes = Counter(topic for topic, _ in pooled)
    known = Counter(topic for topic, document in pooled if (topic, document) in judged)
    wanted = Counter(one.topic for one in chosen)
    return Table(
        name="topics",
        title="Pools of the topics",
        headings=("topic", "pooled", "judged", "to_judge"),
        rows=[(topic, sizes[topic], known[topic], wanted[topic]) for topic in sorted(sizes)],
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
    firsts: Sequence[Mapping[Key, int]],
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
            for (topic, document), rank in sorted(first.items(), key=lambda item: (item[0][0], item[1]))
            if topic in topics and (topic, document) not in judged
        ],
        left=3,
    )
