"""The tables of rankings under incomplete judgements."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from pres_eval.analysis.robustness import Robustness
from pres_eval.report.layout import Score, Shown, ShownCell, Table, Value
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
            lines.append([percentage(fraction), str(s + 1), str(kept), *map(Score, found)])
            samples += [
                (fraction, s + 1, kept, label, value) for label, value in zip(labels, found, strict=True)
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
        _by_fraction("lowest", f"{coefficient}, lowest of the samples", result, result.lowest),
        Table(
            "samples",
            f"{coefficient} of each sample ({about})",
            ("fraction", "sample", "kept", "measure", plan.coefficient),
            samples,
            shown=Shown(("relevant", "sample", "kept", *labels), lines),
        ),
        Table("fractions", "", ("fraction", "measure", "average", "lowest"), fractions, people=False),
    ]


def _by_fraction(name: str, title: str, result: Robustness, values: NDArray[Any]) -> Table:
    rows: list[list[ShownCell]] = [
        [percentage(fraction), *map(Score, row)]
        for fraction, row in zip(result.plan.fractions, values.tolist(), strict=True)
    ]
    shown = Shown(("relevant", *result.labels), rows)
    return Table(name, title, (), (), shown=shown, programs=False)
