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
"""The options of lower and of upper limits, which are also the names of their gates."""

NUMBER_OF_TOPICS = "num_q"
"""Measure that counts the topics: a limit of it is itself a guard against missing ones."""


@dataclass(frozen=True)
class Threshold:
    """Limit of a column's value over all topics, from `--fail-under label=value` or `--fail-over`.

    option  UNDER: the value must be at least this; OVER: at most
    label   the column, by its label or as -m takes it
    text    the limit as it was typed
    """

    option: str
    label: str
    value: float
    text: str


def read_threshold(text: str, option: str = UNDER) -> Threshold:
    """Return the threshold that `text` means, such as `PRES_100=0.40`.

    option  UNDER or OVER, which has this value
    Raises UsageError for a text that is not NAME=VALUE.
    """
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

    runs           with columns for each group of topics
    groups         of topics, which labels of columns name; None without --groups
    topics_chosen  whether the user has chosen what becomes of judged topics that a run lacks (-c, --topics,
                   -D); otherwise a run that lacks some of a column's topics fails, whatever its value is
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
            yield GateFinding(
                gate=threshold.option,
                message=message,
                path=evaluation.path,
                measure=label,
                verdict=Verdict.FAILED,
            )
            continue
        missing = ""
        if not topics_chosen and measure.name != NUMBER_OF_TOPICS:
            missing = _missing_topics(run, label, groups)
        yield _finding(evaluation, threshold, label, value, measure.format, missing)


def _labels_of_numbers(evaluation: ScoredRun) -> list[str]:
    """Return the labels of columns whose value over all topics is a number.

    A column over a group counts as well if the run has no topic of the group, and so no value.
    """
    labels = []
    for column, value in zip(evaluation.columns, evaluation.summary, strict=True):
        _, group = split_label(column.label)
        is_group_without_topics = bool(group) and value is None
        if isinstance(value, float) or is_group_without_topics:
            labels.append(column.label)
    return labels


def _check_limit(threshold: Threshold, label: str, measure: Measure) -> None:
    """Raise UsageError for a limit that no value or every value keeps, or that is in the wrong direction."""
    is_upper = threshold.option == OVER
    is_bounded = Trait.BOUNDED in measure.traits and measure.format is Format.FLOAT
    if is_bounded and not 0 <= threshold.value <= 1:
        if is_upper:
            all_fail, side = threshold.value < 0, "above"
        else:
            all_fail, side = threshold.value > 1, "below"
        values = "every value is" if all_fail else "no value is"
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
    """Return over how many of the judged topics a column's value is, in words; empty if over all of them.

    A column over a group needs the topics of this group alone.
    """
    missing, answered = set(run.missing), set(run.evaluation.topics)
    _, group = split_label(label)
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
    """Return the finding about a value: it passes on the right side of the threshold, over all topics.

    kind     format of the measure, for the numbers of the message
    missing  over how many topics the value is, in words; empty if over all
    """
    if threshold.option == OVER:
        is_reached, side, direction = value <= threshold.value, "at most", "high"
    else:
        is_reached, side, direction = value >= threshold.value, "at least", "low"
    limit = f"{label}: wanted {side} {threshold.text}"
    message = f"{limit}, got {six_digits(value, kind, other=threshold.value)}{missing}"
    if not is_reached and not math.isnan(value):
        message += f", {six_digits(abs(value - threshold.value), kind, other=0.0)} too {direction}"
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
