"""The tables of pools, of holes in judgements, and of rankings under incomplete judgements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from pres_eval.analysis.pooling import FirstDocuments, Key, ToJudge
from pres_eval.analysis.pools import LeftOut
from pres_eval.analysis.robustness import Reduced, Robustness
from pres_eval.arrays import AnyArray, BoolArray, IntArray
from pres_eval.errors import plural
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import Selection
from pres_eval.measures.settings import UnitedCutoffs
from pres_eval.report.layout import Score, Shown, Table, Value, records_table
from pres_eval.report.paper import Figure
from pres_eval.report.text import moved, percentage

SHOWN_TOPICS = 20
"""Topics with holes that people see; programs get all."""


def to_judge_table(chosen: ToJudge, runs: int, stratum: IntArray | None = None) -> Table:
    """Return the documents to judge, of a number of runs, with the strata (n,) that they were drawn from."""
    columns: dict[str, AnyArray] = {
        "runs": chosen.runs,
        "best_rank": chosen.rank,
        "contribution": chosen.gain,
    }
    if stratum is not None:
        columns["stratum"] = stratum
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    return Table(
        name="documents",
        title=f"{plural(len(chosen), 'document')} to judge, from {plural(runs, 'run')}",
        headings=("topic", "docno", *columns),
        rows=[(*pair, *numbers) for pair, numbers in zip(chosen.pairs(), values, strict=True)],
        notes=("runs: how many have it among their first; best_rank: in any of them",),
        left=2,
    )


def pools_table(pooled: ToJudge, judged: BoolArray, chosen: ToJudge) -> Table:
    """Return how large the pool of each topic is, how much of it is judged (n,), and how much to judge."""
    num_topics = len(pooled.topics)
    num_pooled = np.bincount(pooled.topic_of, minlength=num_topics).tolist()
    num_judged = np.bincount(pooled.topic_of[judged], minlength=num_topics).tolist()
    num_to_judge = np.bincount(chosen.topic_of, minlength=num_topics).tolist()
    return Table(
        name="topics",
        title="Pools of the topics",
        headings=("topic", "pooled", "judged", "to_judge"),
        rows=list(zip(pooled.topics, num_pooled, num_judged, num_to_judge, strict=True)),
    )


def holes_tables(
    names: Sequence[str], holes_of_runs: Sequence[Sequence[tuple[bytes, int, int]]], depth: int
) -> list[Table]:
    """Return the holes of each run among its first `depth` documents, in all and by topic.

    holes_of_runs  for each topic of each run: the topic, how many documents were looked at, how many of
                   these nobody judged
    """
    runs: list[tuple[Value, ...]] = []
    topics: list[tuple[str, bytes, int, int]] = []
    for name, holes in zip(names, holes_of_runs, strict=True):
        looked_at = sum(num_documents for _, num_documents, _ in holes)
        unjudged = sum(num_unjudged for _, _, num_unjudged in holes)
        share = unjudged / looked_at if looked_at else 0.0
        runs.append((name, len(holes), looked_at, unjudged, share))
        topics += [(name, *hole) for hole in holes]
    worst = sorted(topics, key=lambda row: -row[3])[:SHOWN_TOPICS]
    notes = []
    if len(topics) > len(worst):
        notes.append(f"{len(topics) - len(worst)} more: --table topics --format csv")
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
            rows=topics,
            notes=notes,
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
    rows: list[tuple[Value, ...]] = []
    for name, first in zip(names, firsts, strict=True):
        ranked = zip(first.pairs(), first.rank.tolist(), strict=True)
        for topic, rank, document in sorted((topic, rank, document) for (topic, document), rank in ranked):
            if topic in topics and (topic, document) not in judged:
                rows.append((name, topic, document, rank))
    return Table(
        name="documents",
        title="The unjudged documents",
        headings=("run", "topic", "docno", "rank"),
        rows=rows,
        left=3,
    )


COEFFICIENT_NAMES = {
    "tau_a": "Kendall τ-a",
    "tau_b": "Kendall τ-b",
    "spearman": "Spearman ρ",
    "tau_ap": "τ_AP",
    "tau_ap_b": "τ_AP,b",
}


RUNS_FOR_COEFFICIENTS = 5
"""With fewer runs a rank correlation has too few values to be compared with 0.8 or 0.9."""


def robustness_tables(result: Robustness, num_runs: int, topics: str) -> list[Table]:
    """Return averages and lowest correlations for people, each sample, and each fraction."""
    plan, labels = result.plan, result.labels
    coefficient = COEFFICIENT_NAMES[plan.coefficient]
    keys: list[tuple[float, int, int, int]] = []
    for row, fraction in enumerate(plan.fractions):
        for sample in range(plan.samples):
            num_relevant, num_judged = result.kept[row, sample], result.judged[row, sample]
            keys.append((fraction, sample + 1, int(num_relevant), int(num_judged)))
    correlations = result.correlations.reshape(len(keys), len(labels)).tolist()
    shown_rows: list[tuple[Value, ...]] = []
    for (fraction, sample, num_relevant, _), values in zip(keys, correlations, strict=True):
        shown_rows.append((percentage(fraction), sample, num_relevant, *values))
    averages, lowest = result.averages, result.lowest
    fractions: list[tuple[Value, ...]] = []
    for row, fraction in enumerate(plan.fractions):
        for column, label in enumerate(labels):
            fractions.append((fraction, label, float(averages[row, column]), float(lowest[row, column])))
    about = f"{num_runs} runs, {result.num_rel} relevant documents, seed {plan.seed}, over {topics}"
    return [
        _by_fraction(
            "averages", f"{coefficient} with the full ranking, average of the samples", result, averages
        ),
        _by_fraction("lowest", f"{coefficient}, lowest of the samples", result, lowest, list(_notes(result))),
        Table(
            name="samples",
            title=f"{coefficient} of each sample ({about})",
            headings=("fraction", "sample", "kept", "judged", "measure", plan.coefficient),
            rows=long_rows(keys, labels, correlations),
            shown=Shown(("relevant", "sample", "kept", *labels), shown_rows),
        ),
        Table(
            name="fractions",
            headings=("fraction", "measure", "average", "lowest"),
            rows=fractions,
            people=False,
        ),
    ]


def long_rows(
    keys: Sequence[Sequence[Value]], labels: Sequence[str], values: Sequence[Sequence[Value]]
) -> list[tuple[Value, ...]]:
    """Return a row for each value, for programs: the key of its row, its label, and the value."""
    rows: list[tuple[Value, ...]] = []
    for key, values_of_key in zip(keys, values, strict=True):
        rows += [(*key, label, value) for label, value in zip(labels, values_of_key, strict=True)]
    return rows


def few_runs(result: Robustness) -> str:
    """Return the warning that coefficients of so few runs are uncertain; empty if there are enough."""
    runs = result.full.shape[1]
    if runs >= RUNS_FOR_COEFFICIENTS:
        return ""
    pairs = runs * (runs - 1) // 2
    return (
        f"{runs} runs have {plural(pairs, 'pair')}: each that swaps changes tau_a by {2 / pairs:.2f}, so the"
        f" coefficients say little; expected {RUNS_FOR_COEFFICIENTS} runs or more"
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
    warning = few_runs(result)
    if warning:
        yield f"warning: {warning}"
    coefficients = zip(result.labels, result.unchanged.tolist(), strict=True)
    below_one = [label for label, coefficient in coefficients if not coefficient >= 1]
    if below_one and plan.coefficient == "tau_a":
        yield (
            f"{', '.join(below_one)}: runs tie, so that tau_a can't reach 1; --coefficient tau_b allows for"
            " ties"
        )
    if plan.removed == "unjudged" and "infAP" in result.labels:
        yield "infAP counts documents in the pool that were not judged: it needs --removed pooled"


def _by_fraction(
    name: str, title: str, result: Robustness, values: AnyArray, notes: Sequence[str] = ()
) -> Table:
    """Return a table of coefficients with a row for each fraction of the judgements."""
    by_fraction = dict(zip(result.plan.fractions, values.tolist(), strict=True))
    by_fraction.setdefault(1.0, result.unchanged.tolist())
    rows = [[percentage(fraction), *coefficients] for fraction, coefficients in by_fraction.items()]
    return Table(
        name=name, title=title, notes=notes, shown=Shown(("relevant", *result.labels), rows), programs=False
    )


def depths_table(result: Reduced, depths: Sequence[int], coefficient: str) -> Table:
    """Return the rankings under pools of several depths, compared by a name of COEFFICIENTS."""
    sizes = list(zip(depths, result.judged.tolist(), result.kept.tolist(), strict=True))
    correlations = result.correlations.tolist()
    shown_rows: list[tuple[Value, ...]] = []
    for size, values in zip(sizes, correlations, strict=True):
        shown_rows.append((*size, *values))
    shown_rows.append(("all", None, None, *result.unchanged.tolist()))
    return Table(
        name="depths",
        title=f"{COEFFICIENT_NAMES[coefficient]} with the full ranking, from pools of less depth",
        headings=("depth", "judged", "relevant", "measure", coefficient),
        rows=long_rows(sizes, result.labels, correlations),
        notes=("at depth d judgements stay whose document some of the runs has among its first d",),
        shown=Shown(("depth", "judged", "relevant", *result.labels), shown_rows),
    )


def left_out_table(rows: list[LeftOut], depth: int) -> Table:
    """Return runs scored as if their group had not been pooled."""
    headings = ("group", "run", "measure", "unique", "relevant", "score", "without", "change", "position")
    shown_rows = [
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
    ]
    return records_table(
        "left_out",
        f"Runs without the judgements that only their group brought into a pool of depth {depth}",
        rows,
        LeftOut,
        ("unique: judged documents that no other group has so early; position: among all runs",),
        Shown(headings, shown_rows, left=3),
    )


def robustness_figure(result: Robustness, selection: Selection) -> Figure:
    """Return the picture of the correlations at each fraction, a panel for each cutoff."""
    from pres_eval.report.judgement_plots import robustness

    plan = result.plan
    # Of each line of a panel (F + 1, S), the last row with nothing taken out.
    panels: dict[str, dict[str, AnyArray]] = {}
    for number, column in enumerate(selection):
        has_parameters = isinstance(column.measure.parameters, Cutoffs | UnitedCutoffs)
        if has_parameters and len(column.arguments) > 0:
            cutoff = column.arguments[0]
            measure = column.measure.name
            title = f"cutoff {cutoff}"
            name = measure + column.label.removeprefix(f"{measure}_{cutoff}")
        else:
            title = "no cutoff"
            name = column.label
        correlations = result.correlations[:, :, number]
        unchanged = np.full((1, correlations.shape[1]), result.unchanged[number])
        panels.setdefault(title, {})[name] = np.concatenate((correlations, unchanged))
    return robustness(plan.fractions, panels, COEFFICIENT_NAMES[plan.coefficient])
