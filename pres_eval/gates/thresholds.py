"""--fail-under: is each run good enough?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.errors import UsageError, decimal_comma
from pres_eval.gates.findings import Finding, run_name, six_digits
from pres_eval.report.shown_runs import known_label
from pres_eval.scoring import Evaluation


@dataclass(frozen=True)
class Threshold:
    """`--fail-under label=value`: the summary of a column must be at least the value."""

    label: str
    value: float
    text: str


def read_threshold(text: str) -> Threshold:
    """A threshold from `PRES_100=0.40`.  Raises UsageError for anything else."""
    label, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not equals or not label.strip() or math.isnan(value):
        raise UsageError(
            f"--fail-under {text}: found {text!r}, expected NAME=VALUE, as PRES_100=0.40{decimal_comma(text)}"
        )
    return Threshold(label.strip(), value, number.strip())


def below(evaluations: Sequence[Evaluation], threshold: Threshold) -> Iterator[Finding]:
    """The runs whose value is below the threshold; a value that is nan never passes.

    Raises UsageError if the threshold names a column that was not computed.
    """
    for evaluation in evaluations:
        summary = {
            column.label: (value, column.measure.format)
            for column, value in zip(evaluation.columns, evaluation.summary, strict=True)
        }
        numbers = [name for name, (value, _) in summary.items() if isinstance(value, float)]
        label = known_label("--fail-under", threshold.label, numbers)
        got, kind = summary[label]
        assert isinstance(got, float), "only numbers were offered"
        if not got >= threshold.value:
            found = six_digits(got, kind, threshold.value)
            yield Finding(
                gate="--fail-under",
                message=f"{label}: wanted at least {threshold.text}, got {found}, run {run_name(evaluation)}",
                path=evaluation.path,
                measure=label,
            )
