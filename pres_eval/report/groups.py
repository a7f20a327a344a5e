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
    """Return label and group of a column's name: `map` and `head` of `map[head]`; of `map` no group, ""."""
    if not label.endswith("]") or "[" not in label:
        return label, ""
    whole, _, group = label[:-1].rpartition("[")
    return whole, group


def known_label(option: str, name: str, labels: Sequence[str]) -> str:
    """Return the label of the column that an option names, by its label or as -m takes it (PRES.100, P@10).

    labels: of the columns that exist.  Raises UsageError, with the nearest ones, for any other name.
    """
    if name in labels:
        return name
    matches = _labels_meant(name, labels)
    if len(matches) == 1:
        return matches[0]
    hint = did_you_mean(name, labels, f"there are {', '.join(labels)}")
    raise UsageError(f"{option} {name}: not among the measures (-m), {hint}")


def _labels_meant(name: str, labels: Sequence[str]) -> list[str]:
    """Return those of the labels that -m would give for a name such as `P@10`, or for `P@10[head]`."""
    measure, group = split_label(name)
    try:
        meant = list(labels_of(measure))
    except MeasureError:
        return []
    if group:
        meant = [group_label(label, group) for label in meant]
    return [label for label in meant if label in labels]


def over_groups(evaluation: ScoredRun, names: Sequence[str]) -> dict[str, tuple[float | str | None, ...]]:
    """Return for each of the groups the value of each column, and two more rows: MACRO_MEAN, WORST_GROUP.

    These are the mean of the groups and the worst of them.  A value is None for a group without topics, and
    then for the mean and the worst, too; these are None also of columns that are no averages, and the worst
    of measures that do not tell quality.
    """
    from pres_eval.reading.topic_files import MACRO_MEAN, WORST_GROUP  # only runs with groups import it

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


def worst_group(evaluation: ScoredRun, names: Sequence[str], number: int) -> str | None:
    """Return which of the groups has the worst value of a column, by its number: the first of several.

    None if there is no worst value: see `over_groups`.
    """
    values: dict[str, float | str | None] = {}
    for name in names:
        group = evaluation.groups.get(name)
        values[name] = None if group is None else group.summary[number]
    _, worst = _mean_and_worst(evaluation.columns[number], list(values.values()))
    if worst is None:
        return None
    return next(name for name, value in values.items() if value == worst)


def _mean_and_worst(
    column: SelectedColumn, values: Sequence[float | str | None]
) -> tuple[float | None, float | None]:
    """Return the mean of the values of groups, and the worst of them.

    Both are None if a group has no value, or the column is no average; the worst is None also of a measure
    that does not tell quality.
    """
    measure = column.measure
    numbers = [value for value in values if isinstance(value, float) and not math.isnan(value)]
    all_have_values = len(numbers) == len(values) and len(values) > 0
    if not all_have_values or measure.format is not Format.FLOAT:
        return None, None
    worst = None
    if measure.tells_quality:
        worst = max(numbers) if measure.less_is_better else min(numbers)
    return sum(numbers) / len(numbers), worst


def warning_of_groups(evaluation: ScoredRun, groups: Groups | None, weights: Weights | None) -> str | None:
    """Return a warning that names the groups of which the run has no topic; None if there are none."""
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
    """Return the evaluation with further columns: each one over each group, the mean of these and the worst.

    They have values over topics alone, none by topic.
    """
    if groups is None:
        return evaluation
    from pres_eval.reading.topic_files import MACRO_MEAN, WORST_GROUP

    summaries = over_groups(evaluation, list(groups.topics))
    columns, summary, values = list(evaluation.columns), list(evaluation.summary), list(evaluation.values)
    for number, column in enumerate(evaluation.columns):
        measure = replace(column.measure, per_topic=False)
        if measure.format is Format.TAG:
            continue
        left_out = set()  # rows of `summaries` that this column has no values in
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
