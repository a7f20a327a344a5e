"""--fail-under and --fail-over: is each run good enough?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.errors import UsageError, decimal_comma, number_of
from pres_eval.gates.findings import GateFinding, Verdict, run_name, six_digits
from pres_eval.report.groups import known_label, split_label
from pres_eval.scoring import ScoredRun

UNDER, OVER = "--fail-under", "--fail-over"


@dataclass(frozen=True)
class Threshold:
    """`--fail-under label=value`: the value over all topics must be at least this; `--fail-over`: at most."""

    option: str
    label: str
    value: float
    text: str


def read_threshold(text: str, option: str = UNDER) -> Threshold:
    """Return the threshold of `PRES_100=0.40`.  Raises UsageError for anything else."""
    label, equals, number = text.rpartition("=")
    value = number_of(number)
    if not equals or not label.strip() or math.isnan(value):
        raise UsageError(
            f"{option} {text}: found {text!r}, expected NAME=VALUE, as PRES_100=0.40{decimal_comma(text)}"
        )
    return Threshold(option, label.strip(), value, number.strip())


def reached(evaluations: Sequence[ScoredRun], threshold: Threshold) -> Iterator[GateFinding]:
    """Yield for each run whether its value is on the right side of the threshold; nan never is.

    Raises UsageError if the threshold names a column that was not computed, or is a lower limit where less is
    better, or an upper one where more is.
    """
    for evaluation in evaluations:
        numbers = [
            column.label
            for column, value in zip(evaluation.columns, evaluation.summary, strict=True)
            if isinstance(value, float) or (value is None and split_label(column.label)[1])
        ]
        label = known_label(threshold.option, threshold.label, numbers)
        place = evaluation.labels.index(label)
        measure, got = evaluation.columns[place].measure, evaluation.summary[place]
        if not isinstance(got, float):
            message = f"{label}: no value, as the run has no topic of a group, run {run_name(evaluation)}"
            yield GateFinding(gate=threshold.option, message=message, path=evaluation.path, measure=label)
            continue
        upper = threshold.option == OVER
        if measure.tells_quality and upper != measure.less_is_better:
            better, other = ("less", OVER) if measure.less_is_better else ("more", UNDER)
            raise UsageError(
                f"{threshold.option} {label}={threshold.text}: {label}: {better} is better,"
                f" expected {other} {label}={threshold.text}"
            )
        passed = got <= threshold.value if upper else got >= threshold.value
        wanted = f"{label}: wanted at {'most' if upper else 'least'} {threshold.text}"
        by = six_digits(abs(got - threshold.value), measure.format, 0.0)
        missed = "" if passed else f", {by} too {'high' if upper else 'low'}"
        yield GateFinding(
            gate=threshold.option,
            message=f"{wanted}, got {six_digits(got, measure.format, threshold.value)}{missed}"
            f", run {run_name(evaluation)}",
            path=evaluation.path,
            measure=label,
            verdict=Verdict.PASSED if passed else Verdict.FAILED,
            checked=f"{wanted}, run {run_name(evaluation)}",
        )
