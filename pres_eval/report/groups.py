"""Values over groups of topics as columns: `map[head]`, their mean `map[macro]`, the worst `map[worst]`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pres_eval.errors import MeasureError, UsageError, did_you_mean, quoted
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn, labels_of
from pres_eval.report.text import printable
from pres_eval.scoring import ScoredRun

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Groups, Weights


def group_label(label: str, group: str) -> str:
    """Return the name of a column over a group: `map[head]`."""
    return f"{label}[{printable(group)}]"


def split_label(label: str) -> tuple[str, str]:
    """Return the label of a column over all topics, and the group, empty if there is none."""
    if not label.endswith("]") or "[" not in label:
        return label, ""
    whole, _, group = label[:-1].rpartition("[")
    return whole, group


def known_label(option: str, name: str, labels: Sequence[str]) -> str:
    """Return the column that an option means: by its label, or in any way that -m takes it (PRES.100, P@10).

    Raises UsageError for one that is not there, with the nearest.
    """
    if name in labels:
        return name
    matches = _labels_meant(name, labels)
    if len(matches) == 1:
        return matches[0]
    hint = did_you_mean(name, labels, f"there are {', '.join(labels)}")
    raise UsageError(f"{option} {name}: not among the measures (-m), {hint}")


def _labels_meant(name: str, labels: Sequence[str]) -> list[str]:
    """Return those of the labels that -m would give for a name, which may end with a group."""
    measure, group = split_label(name)
    try:
        meant = list(labels_of(measure))
    except MeasureError:
        return []
    if group:
        meant = [group_label(label, group) for label in meant]
    return [label for label in meant if label in labels]


def over_groups(evaluation: ScoredRun, names: Sequence[str]) -> dict[str, tuple[float | str | None, ...]]:
    """Return for each of the groups, and for their mean and the worst of them, the value of each column.

    None where there is none: a group without topics, and then the mean and the worst; and these two also of
    columns that are no averages or do not tell quality.
    """
    from pres_eval.reading.topic_files import MACRO_MEAN, WORST_GROUP  # what runs without groups do without

    no_values = (None,) * len(evaluation.columns)
    by_group: dict[str, tuple[float | str | None, ...]] = {}
    for name in names:
        group = evaluation.groups.get(name)
        by_group[name] = no_values if group is None else group.summary
    means, worst_values = [], []
    for number, column in enumerate(evaluation.columns):
        mean, worst = _mean_and_worst(column, [summary[number] for summary in by_group.values()])
        means.append(mean)
        worst_values.append(worst)
    return {**by_group, MACRO_MEAN: tuple(means), WORST_GROUP: tuple(worst_values)}


def worst_group(evaluation: ScoredRun, number: int) -> str | None:
    """Return the group in which a column has its worst value, the first of several; None if there is none."""
    column = evaluation.columns[number]
    values = {name: group.summary[number] for name, group in evaluation.groups.items()}
    worst = _mean_and_worst(column, list(values.values()))[1]
    if worst is None:
        return None
    return next(name for name, value in values.items() if value == worst)


def _mean_and_worst(
    column: SelectedColumn, values: Sequence[float | str | None]
) -> tuple[float | None, float | None]:
    """Return the mean of the values of groups, and the worst of them; None where these mean nothing."""
    measure = column.measure
    numbers = [value for value in values if isinstance(value, float) and not math.isnan(value)]
    if len(numbers) < len(values) or not numbers or measure.format is not Format.FLOAT:
        return None, None
    worst = None
    if measure.tells_quality:
        worst = max(numbers) if measure.less_is_better else min(numbers)
    return sum(numbers) / len(numbers), worst


def warning_of_groups(evaluation: ScoredRun, groups: Groups | None, weights: Weights | None) -> str | None:
    """Return a warning of the groups without values; None if all have some."""
    if groups is None:
        return None
    without_values = ", ".join(quoted(name) for name in groups.topics if name not in evaluation.groups)
    if not without_values:
        return None
    weighs = "" if weights is None else " weighs more than 0"
    return (
        f"{evaluation.path}: no topic of the groups {without_values}{weighs}: they have no values, and"
        " all groups together no mean"
    )


def with_group_columns(evaluation: ScoredRun, groups: Groups | None) -> ScoredRun:
    """Return the evaluation with a column over each group behind those over all topics."""
    if groups is None:
        return evaluation
    from pres_eval.reading.topic_files import MACRO_MEAN, WORST_GROUP

    summaries = over_groups(evaluation, list(groups.topics))
    columns, summary, values = list(evaluation.columns), list(evaluation.summary), list(evaluation.values)
    for number, column in enumerate(evaluation.columns):
        measure = replace(column.measure, per_topic=False)
        if measure.format is Format.TAG:
            continue
        left_out = set()
        if measure.format is not Format.FLOAT:
            left_out = {MACRO_MEAN, WORST_GROUP}
        elif not measure.tells_quality:
            left_out = {WORST_GROUP}
        for name, summary_of_group in summaries.items():
            if name not in left_out:
                columns.append(replace(column, label=group_label(column.label, name), measure=measure))
                summary.append(summary_of_group[number])
                values.append(evaluation.values[number])
    return replace(
        evaluation, columns=tuple(columns), summary=tuple(summary), values=tuple(values), groups={}
    )
