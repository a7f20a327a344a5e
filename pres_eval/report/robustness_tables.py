"""The tables of rankings under incomplete judgements, pools of less depth, pools without a group."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from pres_eval.analysis.pools import Depths, LeftOut
from pres_eval.analysis.robustness import Plan, Robustness
from pres_eval.report.layout import Score, Shown, ShownCell, Table, Value, records_table
from pres_eval.report.text import percentage

COEFFICIENT_NAMES = {
    "tau_a": "Kendall τ-a",
    "tau_b": "Kendall τ-b",
    "spearman": "Spearman ρ",
    "tau_ap": "τ_AP",
    "tau_ap_b": "τ_AP,b",
}


def robustness_tables(result: Robustness, num_runs: int, topics: str) -> list[Table]:
    """Averages and lowest correlations for people, each sample, and each fraction."""
    plan, labels = result.plan, result.labels
    coefficient = COEFFICIENT_NAMES[plan.coefficient]
    samples: list[tuple[Value, ...]] = []
    lines: list[list[ShownCell]] = []
    for f, fraction in enumerate(plan.fractions):
        for s in range(plan.samples):
            kept, found = int(result.kept[f, s]), result.correlations[f, s].tolist()
            judged = int(result.judged[f, s])
            lines.append([percentage(fraction), str(s + 1), str(kept), *map(Score, found)])
            samples += [
                (fraction, s + 1, kept, judged, label, value)
                for label, value in zip(labels, found, strict=True)
            ]
    about = f"{num_runs} runs, {result.num_rel} relevant documents, seed {plan.seed}, over {topics}"
    fractions = [
        (fraction, label, float(result.averages[f, m]), float(result.lowest[f, m]))
        for f, fraction in enumerate(plan.fractions)
        for m, label in enumerate(labels)
    ]
    return [
        _by_fraction(
            "averages",
            f"{coefficient} with the full ranking, average of the samples",
            result,
            result.averages,
        ),
        _by_fraction(
            "lowest", f"{coefficient}, lowest of the samples", result, result.lowest, _notes(result)
        ),
        Table(
            "samples",
            f"{coefficient} of each sample ({about})",
            ("fraction", "sample", "kept", "judged", "measure", plan.coefficient),
            samples,
            shown=Shown(("relevant", "sample", "kept", *labels), lines),
        ),
        Table("fractions", "", ("fraction", "measure", "average", "lowest"), fractions, people=False),
    ]


def _notes(result: Robustness) -> list[str]:
    """What was taken out, what becomes of it, and how high the coefficient can be."""
    plan = result.plan
    notes = [f"100 %: nothing taken out; {_taken_out(plan)}"]
    low = [
        label for label, value in zip(result.labels, result.unchanged.tolist(), strict=True) if not value >= 1
    ]
    if low and plan.coefficient == "tau_a":
        notes.append(
            f"{', '.join(low)}: runs tie, so that tau_a can't reach 1; --coefficient tau_b allows for ties"
        )
    if plan.removed == "unjudged" and "infAP" in result.labels:
        notes.append("infAP counts documents in the pool that were not judged: it needs --removed pooled")
    return notes


def _taken_out(plan: Plan) -> str:
    which = {"relevant": "relevant judgements", "all": "judgements of all grades"}[plan.thin]
    becomes = {
        "pooled": "become -1, in the pool but not judged",
        "unjudged": "vanish",
        "nonrelevant": "become 0",
    }[plan.removed]
    return f"{which} that are taken out {becomes}"


def _by_fraction(
    name: str, title: str, result: Robustness, values: NDArray[Any], notes: list[str] | None = None
) -> Table:
    rows: list[list[ShownCell]] = [
        [percentage(fraction), *map(Score, row)]
        for fraction, row in zip(result.plan.fractions, values.tolist(), strict=True)
    ]
    if 1.0 not in result.plan.fractions:
        rows.append([percentage(1.0), *map(Score, result.unchanged.tolist())])
    shown = Shown(("relevant", *result.labels), rows)
    return Table(name=name, title=title, headings=(), rows=(), notes=notes or (), shown=shown, programs=False)


def depths_table(result: Depths) -> Table:
    """Rankings under pools of several depths."""
    coefficient = COEFFICIENT_NAMES[result.coefficient]
    rows = [
        (depth, int(result.judged[d]), int(result.relevant[d]), label, float(result.correlations[d, m]))
        for d, depth in enumerate(result.depths)
        for m, label in enumerate(result.labels)
    ]
    lines: list[list[ShownCell]] = [
        [str(depth), str(int(result.judged[d])), str(int(result.relevant[d])), *map(Score, found)]
        for d, (depth, found) in enumerate(zip(result.depths, result.correlations.tolist(), strict=True))
    ]
    lines.append(["all", "", "", *map(Score, result.unchanged.tolist())])
    return Table(
        name="depths",
        title=f"{coefficient} with the full ranking, from pools of less depth",
        headings=("depth", "judged", "relevant", "measure", result.coefficient),
        rows=rows,
        notes=("at depth d judgements stay whose document some of the runs has among its first d",),
        shown=Shown(("depth", "judged", "relevant", *result.labels), lines),
    )


def left_out_table(rows: list[LeftOut], depth: int) -> Table:
    """Runs scored as if their group had not been pooled."""
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
                    str(row.unique),
                    str(row.unique_relevant),
                    Score(row.score),
                    Score(row.without),
                    Score(row.without - row.score, signed=True),
                    str(row.position)
                    + (f" to {row.position_without}" if row.position_without != row.position else ""),
                )
                for row in rows
            ],
            left=3,
        ),
    )
