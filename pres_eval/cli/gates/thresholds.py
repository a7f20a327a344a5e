"""--fail-under and --fail-over: is each run good enough?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.cli.gates.findings import GateFinding, Verdict, run_name, six_digits
from pres_eval.errors import UsageError, decimal_comma, number_of
from pres_eval.measures.base import Format, Measure, Trait
from pres_eval.reading.topic_files import Groups
from pres_eval.report.groups import known_label, split_label
from pres_eval.report.records import RunRecord
from pres_eval.scoring import ScoredRun

UNDER, OVER = "--fail-under", "--fail-over"

NUMBER_OF_TOPICS = "num_q"
"""Measure that is itself a guard against missing topics."""


@dataclass(frozen=True)
class Threshold:
    """`--fail-under label=value`: the value over all topics must be at least this; `--fail-over`: at most.

    text  the limit as it was typed
    """

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


def threshold_findings(
    runs: Sequence[RunRecord],
    threshold: Threshold,
    groups: Groups | None = None,
    topics_chosen: bool = False,
) -> Iterator[GateFinding]:
    """Yield for each run whether its value is on the right side of the threshold; nan never is.

    runs           with the columns of their groups
    topics_chosen  whether the user has decided what becomes of judged topics that a run lacks; otherwise a
                   run that lacks some of those that a value is over does not pass
    Raises UsageError if the threshold names a column that was not computed, is a lower limit where less is
    better or an upper one where more is, or lies outside the range of the measure.
    """
    for run in runs:
        evaluation = run.evaluation
        label = known_label(threshold.option, threshold.label, _labels_of_numbers(evaluation))
        index = evaluation.labels.index(label)
        measure, value = evaluation.columns[index].measure, evaluation.summary[index]
        _check_limit(threshold, label, measure)
        if not isinstance(value, float):
            message = f"{label}: no value, as the run has no topic of a group, run {run_name(evaluation)}"
            yield GateFinding(gate=threshold.option, message=message, path=evaluation.path, measure=label)
            continue
        missing = ""
        if not topics_chosen and measure.name != NUMBER_OF_TOPICS:
            missing = _missing_topics(run, label, groups)
        yield _finding(evaluation, threshold, label, value, measure.format, missing)


def _labels_of_numbers(evaluation: ScoredRun) -> list[str]:
    """Return the columns with a number over all topics, and those of groups, which may have no topic."""
    labels = []
    for column, value in zip(evaluation.columns, evaluation.summary, strict=True):
        is_of_group = bool(split_label(column.label)[1])
        if isinstance(value, float) or (value is None and is_of_group):
            labels.append(column.label)
    return labels


def _check_limit(threshold: Threshold, label: str, measure: Measure) -> None:
    """Raise UsageError for a limit that no value or every value keeps, or that is in the wrong direction."""
    is_upper = threshold.option == OVER
    is_bounded = Trait.BOUNDED in measure.traits and measure.format is Format.FLOAT
    if is_bounded and not 0 <= threshold.value <= 1:
        is_below_range = threshold.value < 0
        # Every value fails an upper limit below 0 and a lower one above 1, and none the other two.
        fails_always = is_upper if is_below_range else not is_upper
        values = "every value is" if fails_always else "no value is"
        side = "above" if is_upper else "below"
        raise UsageError(
            f"{threshold.option} {label}={threshold.text}: {label} lies between 0 and 1, so {values} {side}"
            " this; expected a limit from 0 to 1"
        )
    if measure.tells_quality and is_upper != measure.less_is_better:
        better, other = ("less", OVER) if measure.less_is_better else ("more", UNDER)
        raise UsageError(
            f"{threshold.option} {label}={threshold.text}: {label}: {better} is better,"
            f" expected {other} {label}={threshold.text}"
        )


def _missing_topics(run: RunRecord, label: str, groups: Groups | None) -> str:
    """Return over how many of the judged topics a column is, in words; empty if over all of them."""
    missing, answered = set(run.missing), set(run.evaluation.topics)
    group = split_label(label)[1]
    if groups is not None and group:
        in_groups = groups.topics.get(group)
        if in_groups is None:  # the mean or the worst of the groups, over the topics of all groups
            in_groups = frozenset[bytes]().union(*groups.topics.values())
        missing &= in_groups
        answered &= in_groups
    if not missing:
        return ""
    return f" over {len(answered)} of {len(answered) + len(missing)} judged topics"


def _finding(
    evaluation: ScoredRun, threshold: Threshold, label: str, value: float, kind: Format, missing: str
) -> GateFinding:
    """Return whether a value is on the right side of the threshold, and over all topics."""
    if threshold.option == OVER:
        is_reached, side, direction = value <= threshold.value, "at most", "high"
    else:
        is_reached, side, direction = value >= threshold.value, "at least", "low"
    limit = f"{label}: wanted {side} {threshold.text}"
    message = f"{limit}, got {six_digits(value, kind, threshold.value)}{missing}"
    if not is_reached:
        message += f", {six_digits(abs(value - threshold.value), kind, 0.0)} too {direction}"
    if missing:
        message += "; add -c, so that the others count as 0, or --topics own, to leave them out as now"
    return GateFinding(
        gate=threshold.option,
        message=f"{message}, run {run_name(evaluation)}",
        path=evaluation.path,
        measure=label,
        verdict=Verdict.from_check(is_reached and not missing),
        checked=f"{limit}, run {run_name(evaluation)}",
    )
