"""The tables of pools, of holes in judgements, and of rankings under incomplete judgements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from pres_eval.analysis.pooling import FirstDocuments, Key, ToJudge
from pres_eval.analysis.pools import LeftOut
from pres_eval.analysis.robustness import Reduced, Robustness
from pres_eval.arrays import (
    AnyArray,
    BoolArray,
    IntArray,
)
from pres_eval.errors import plural
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import Selection
from pres_eval.report.layout import Score, Shown, Table, Value, records_table
from pres_eval.report.paper import Figure
from pres_eval.report.text import moved, percentage

MOST_SHOWN = 20
"""Topics with holes that people see; programs get all."""


def to_judge_table(chosen: ToJudge, runs: int, stratum: IntArray | None = None) -> Table:
    """Return the documents to judge, of a number of runs, with the strata (n,) that they were drawn from."""
    numbers: dict[str, AnyArray] = {
        **{"runs": chosen.runs, "best_rank": chosen.rank, "contribution": chosen.gain},
        **({} if stratum is None else {"stratum": stratum}),
    }
    return Table(
        name="documents",
        title=f"{plural(len(chosen), 'document')} to judge, from {plural(runs, 'run')}",
        headings=("topic", "docno", *numbers),
        rows=[
            (*key, *own)
            for key, *own in zip(chosen.pairs(), *(each.tolist() for each in numbers.values()), strict=True)
        ],
        notes=("runs: how many have it among their first; best_rank: in any of them",),
        left=2,
    )


def pools_table(pooled: ToJudge, judged: BoolArray, chosen: ToJudge) -> Table:
    """Return how large the pool of each topic is, how much of it is judged (n,), and how much to judge."""
    counts = (
        np.bincount(each, minlength=len(pooled.topics)).tolist()
        for each in (pooled.topic_of, pooled.topic_of[judged], chosen.topic_of)
    )
    return Table(
        name="topics",
        title="Pools of the topics",
        headings=("topic", "pooled", "judged", "to_judge"),
        rows=list(zip(pooled.topics, *counts, strict=True)),
    )


def holes_tables(
    names: Sequence[str], found: Sequence[Sequence[tuple[bytes, int, int]]], depth: int
) -> list[Table]:
    """Return the holes of each run among its first `depth` documents, in all and by topic."""
    runs, rows = [], []
    for name, holes in zip(names, found, strict=True):
        looked_at, unjudged = sum(of for _, of, _ in holes), sum(number for _, _, number in holes)
        runs.append((name, len(holes), looked_at, unjudged, unjudged / looked_at if looked_at else 0.0))
        rows += [(name, *own) for own in holes]
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
    firsts: Iterable[FirstDocuments],
    topics: Collection[bytes],
    judged: Collection[Key],
) -> Table:
    """Return the unjudged ones of each run's first documents, for these topics, with their ranks."""
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


COEFFICIENT_NAMES = {
    "tau_a": "Kendall τ-a",
    "tau_b": "Kendall τ-b",
    "spearman": "Spearman ρ",
    "tau_ap": "τ_AP",
    "tau_ap_b": "τ_AP,b",
}


FEW_RUNS = 5
"""With fewer runs a rank correlation has too few values to be compared with 0.8 or 0.9."""


def robustness_tables(result: Robustness, num_runs: int, topics: str) -> list[Table]:
    """Return averages and lowest correlations for people, each sample, and each fraction."""
    plan, labels = result.plan, result.labels
    coefficient = COEFFICIENT_NAMES[plan.coefficient]
    keys = [
        (fraction, s + 1, int(result.kept[f, s]), int(result.judged[f, s]))
        for f, fraction in enumerate(plan.fractions)
        for s in range(plan.samples)
    ]
    found = result.correlations.reshape(len(keys), len(labels)).tolist()
    lines: list[tuple[Value, ...]] = [
        (percentage(key[0]), key[1], key[2], *row) for key, row in zip(keys, found, strict=True)
    ]
    about = f"{num_runs} runs, {result.num_rel} relevant documents, seed {plan.seed}, over {topics}"
    averages, lowest = result.averages, result.lowest
    return [
        _by_fraction(
            "averages", f"{coefficient} with the full ranking, average of the samples", result, averages
        ),
        _by_fraction("lowest", f"{coefficient}, lowest of the samples", result, lowest, list(_notes(result))),
        Table(
            "samples",
            f"{coefficient} of each sample ({about})",
            ("fraction", "sample", "kept", "judged", "measure", plan.coefficient),
            long_rows(keys, labels, found),
            shown=Shown(("relevant", "sample", "kept", *labels), lines),
        ),
        Table(
            "fractions",
            "",
            ("fraction", "measure", "average", "lowest"),
            [
                (fraction, label, float(averages[f, m]), float(lowest[f, m]))
                for f, fraction in enumerate(plan.fractions)
                for m, label in enumerate(labels)
            ],
            people=False,
        ),
    ]


def long_rows(
    keys: Sequence[Sequence[Value]], labels: Sequence[str], values: Sequence[Sequence[Value]]
) -> list[tuple[Value, ...]]:
    """Return a row for each value, for programs: the key of its row, its label, and the value."""
    return [
        (*key, label, value)
        for key, row in zip(keys, values, strict=True)
        for label, value in zip(labels, row, strict=True)
    ]


def few_runs(result: Robustness) -> str:
    """Return the warning that coefficients of so few runs are uncertain; empty if there are enough."""
    runs = result.full.shape[1]
    if runs >= FEW_RUNS:
        return ""
    pairs = runs * (runs - 1) // 2
    return (
        f"{runs} runs have {plural(pairs, 'pair')}: each that swaps changes tau_a by {2 / pairs:.2f}, so the"
        f" coefficients say little; expected {FEW_RUNS} runs or more"
    )


def _notes(result: Robustness) -> Iterator[str]:
    """Yield the notes on the removed judgements, their new grade, and the coefficient's ceiling."""
    plan = result.plan
    which = {"relevant": "relevant judgements", "all": "judgements of all grades"}[plan.thin]
    becomes = {
        "pooled": "become -1, in the pool but not judged",
        "unjudged": "vanish",
        "nonrelevant": "become 0",
    }[plan.removed]
    yield f"100 %: nothing taken out; {which} that are taken out {becomes}"
    if few := few_runs(result):
        yield f"warning: {few}"
    low = [
        label for label, value in zip(result.labels, result.unchanged.tolist(), strict=True) if not value >= 1
    ]
    if low and plan.coefficient == "tau_a":
        yield f"{', '.join(low)}: runs tie, so that tau_a can't reach 1; --coefficient tau_b allows for ties"
    if plan.removed == "unjudged" and "infAP" in result.labels:
        yield "infAP counts documents in the pool that were not judged: it needs --removed pooled"


def _by_fraction(
    name: str, title: str, result: Robustness, values: AnyArray, notes: Sequence[str] = ()
) -> Table:
    """Return a table of coefficients with a row for each fraction of the judgements."""
    by_fraction = dict(zip(result.plan.fractions, values.tolist(), strict=True))
    every = {**by_fraction, 1.0: by_fraction.get(1.0, result.unchanged.tolist())}
    rows = [[percentage(fraction), *row] for fraction, row in every.items()]
    return Table(
        name=name, title=title, notes=notes, shown=Shown(("relevant", *result.labels), rows), programs=False
    )


def depths_table(result: Reduced, depths: Sequence[int], coefficient: str) -> Table:
    """Return the rankings under pools of several depths, compared by a name of COEFFICIENTS."""
    sizes = list(zip(depths, result.judged.tolist(), result.kept.tolist(), strict=True))
    found = result.correlations.tolist()
    return Table(
        name="depths",
        title=f"{COEFFICIENT_NAMES[coefficient]} with the full ranking, from pools of less depth",
        headings=("depth", "judged", "relevant", "measure", coefficient),
        rows=long_rows(sizes, result.labels, found),
        notes=("at depth d judgements stay whose document some of the runs has among its first d",),
        shown=Shown(
            ("depth", "judged", "relevant", *result.labels),
            [
                *((*size, *row) for size, row in zip(sizes, found, strict=True)),
                ("all", None, None, *result.unchanged.tolist()),
            ],
        ),
    )


def left_out_table(rows: list[LeftOut], depth: int) -> Table:
    """Return runs scored as if their group had not been pooled."""
    return records_table(
        "left_out",
        f"Runs without the judgements that only their group brought into a pool of depth {depth}",
        rows,
        LeftOut,
        ("unique: judged documents that no other group has so early; position: among all runs",),
        Shown(
            ("group", "run", "measure", "unique", "relevant", "score", "without", "change", "position"),
            [
                (
                    row.group,
                    row.run,
                    row.measure,
                    row.unique,
                    row.unique_relevant,
                    row.score,
                    row.without,
                    Score(row.without - row.score, signed=True),
                    moved(row.position, row.position_without),
                )
                for row in rows
            ],
            left=3,
        ),
    )


def robustness_figure(result: Robustness, selection: Selection) -> Figure:
    """Return the picture of the correlations at each fraction, a panel for each cutoff."""
    from pres_eval.report.judgement_plots import robustness

    plan = result.plan
    # Of each line of a panel (F + 1, S), the last row with nothing taken out.
    panels: dict[str, dict[str, AnyArray]] = {}
    for number, column in enumerate(selection):
        has_cutoff = isinstance(column.measure.parameters, Cutoffs) and len(column.arguments) > 0
        cutoff = column.arguments[0] if has_cutoff else None
        title = "no cutoff" if cutoff is None else f"cutoff {cutoff}"
        own = column.measure.name
        name = column.label if cutoff is None else own + column.label.removeprefix(f"{own}_{cutoff}")
        found = result.correlations[:, :, number]
        unchanged = np.full((1, found.shape[1]), result.unchanged[number])
        panels.setdefault(title, {})[name] = np.concatenate((found, unchanged))
    return robustness(plan.fractions, panels, COEFFICIENT_NAMES[plan.coefficient])
