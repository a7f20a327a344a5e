"""The tables of judgements side by side: agreement, grades, topics, and the runs under each judge."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pres_eval.analysis.correlation import opposite_rbo
from pres_eval.analysis.group_favour import Favour
from pres_eval.analysis.judged_runs import RunChange, SwappedPair
from pres_eval.analysis.judging import (
    LEVELS,
    Assessments,
    GradeTable,
    TopicAgreement,
    cohens_kappa,
    krippendorffs_alpha,
)
from pres_eval.report.layout import PValue, Score, Shown, Table, records_table
from pres_eval.report.text import falling_notes, moved, text_of

MOST_SHOWN = 12
"""Lines of a long table about judges that people see; programs get all."""


def more_rows(count: int, table: str) -> list[str]:
    """Describe where to find the rows of such a table that are not printed."""
    return [f"{count - MOST_SHOWN} more: --table {table}"] if count > MOST_SHOWN else []


def agreement_table(judged: Assessments, every: TopicAgreement, table: GradeTable, level: float) -> Table:
    """Return the table of agreement on the documents that both judges judged, with counts for each alone."""
    first, second = (text_of(name) for name in judged.names[:2])
    rows: list[tuple[str, float]] = [
        ("topics that all judges have", len(judged.pool.topics)),
        ("topics that only some have, left out", judged.left_out),
        ("documents that both judged", every.both),
        (f"documents that only {first} judged", every.only_first),
        (f"documents that only {second} judged", every.only_second),
        (f"relevant to {first}, of both", every.relevant_first),
        (f"relevant to {second}, of both", every.relevant_second),
        ("relevant to both", every.relevant_both),
        ("overlap: relevant to both, of those relevant to either", every.overlap),
        ("agreement: the same grade", every.agreement),
        ("Cohen's kappa", every.kappa),
        ("Cohen's kappa, linear weights", cohens_kappa(table, 1)),
        ("Cohen's kappa, quadratic weights", cohens_kappa(table, 2)),
        *_alphas(judged, "both judges"),
    ]
    return Table(
        name="agreement",
        title=f"Agreement of {first} and {second}",
        headings=("statistic", "value"),
        rows=rows,
        notes=(
            f"relevant: grade {level} or higher",
            "-: no number, as nobody ever gave another grade, or they judged no document both",
        ),
    )


def _alphas(judged: Assessments, who: str) -> list[tuple[str, float]]:
    return [
        (f"Krippendorff's alpha, {kind}, {who}", krippendorffs_alpha(judged.grades, judged.judged, kind))
        for kind in LEVELS
    ]


def beside_first(tables: Sequence[Sequence[Table]], judged: Assessments) -> list[Table]:
    """Return each table of the first judge and another as one, with a column that names the other judge.

    The table of agreement ends with all judges together.
    """
    names = [text_of(name) for name in judged.names[1:]]
    if len(names) == 1:
        return [*tables[0]]
    agreement, *others = zip(*tables, strict=True)
    together = replace(agreement[0], rows=_alphas(judged, f"all {len(judged.names)} judges"))
    return [
        _joined([*agreement, together], [*names, "all"]),
        *(_joined(same, names) for same in others),
    ]


def _joined(same: Sequence[Table], names: Sequence[str]) -> Table:
    """Return one table under each judge as one."""
    shown = [table.shown for table in same if table.shown is not None]
    alike = len(shown) == len(same) and len({tuple(each.headings) for each in shown}) == 1
    return replace(
        same[0],
        title=same[0].title.replace("the second judge", "each judge").replace(names[0], "each other judge"),
        headings=("judge", *same[0].headings),
        rows=[(name, *row) for name, table in zip(names, same, strict=True) for row in table.rows],
        shown=Shown(
            ("judge", *shown[0].headings),
            [(name, *row) for name, each in zip(names, shown, strict=True) for row in each.rows],
            shown[0].left + 1,
        )
        if alike
        else None,
        left=same[0].left + 1,
        notes=(
            *same[0].notes,
            "second judge: the one in the first column, of whom p-values are corrected alone",
        ),
    )


def grades_table(judged: Assessments, table: GradeTable) -> Table:
    """Return the grades of the first judge against those of the second."""
    first, second = (text_of(name) for name in judged.names[:2])
    by_grade = list(zip(table.grades, table.counts.tolist(), strict=True))
    return Table(
        name="grades",
        title="Documents that both judged, by their grades",
        headings=("first", "second", "documents"),
        rows=[
            (grade, other, count)
            for grade, row in by_grade
            for other, count in zip(table.grades, row, strict=True)
        ],
        shown=Shown(
            (f"{first} \\ {second}", *map(str, table.grades)), [(grade, *row) for grade, row in by_grade]
        ),
    )


def topics_table(found: Sequence[TopicAgreement]) -> Table:
    """Return the agreement on each topic; people see those on which it is lowest."""
    lowest = sorted(found, key=lambda one: (math.isnan(one.kappa), one.kappa))
    return records_table(
        "topics",
        "Topics with the lowest agreement",
        found,
        TopicAgreement,
        (
            "relevant: to the first, to both, to the second judge, of those that both judged",
            *more_rows(len(found), "topics"),
        ),
        Shown(
            ("topic", "both", "only first", "only second", "relevant", "agreement", "kappa", "overlap"),
            [
                (
                    one.topic,
                    one.both,
                    one.only_first,
                    one.only_second,
                    f"{one.relevant_first}/{one.relevant_both}/{one.relevant_second}",
                    one.agreement,
                    one.kappa,
                    one.overlap,
                )
                for one in lowest[:MOST_SHOWN]
            ],
        ),
    )


def orders_table(found: Sequence[Mapping[str, str | float]], alpha: float, test: str, runs: int) -> Table:
    """Return the order of the runs under both judges."""
    return Table(
        "orders",
        "The order of the runs under the second judge, compared with that under the first",
        list(found[0]),
        [list(row.values()) for row in found],
        (
            "swapped: pairs of runs that the second judge puts the other way round; contradicted: of these"
            f" significant under the first ({test}, p < {alpha:g}, each pair alone)",
            "lost, gained: pairs significant under the first judge alone, under the second alone;"
            " reversed: under both, but the other way round",
            f"rbo: {opposite_rbo(runs):.4f} for opposite orders of {runs} runs, 1 for the same",
        ),
    )


def swaps_table(found: Sequence[SwappedPair]) -> Table:
    """Return the pairs of runs in opposite orders."""
    return records_table(
        "swaps",
        "Pairs of runs in opposite orders, the surest first",
        found,
        SwappedPair,
        ("differences: run less other", *more_rows(len(found), "swaps")),
        Shown(
            ("measure", "run", "other", "first", "p", "second", "p "),
            [
                (
                    one.measure,
                    one.run,
                    one.other,
                    Score(one.first, signed=True),
                    PValue(one.p_first),
                    Score(one.second, signed=True),
                    PValue(one.p_second),
                )
                for one in found[:MOST_SHOWN]
            ],
            left=3,
        ),
    )


def runs_table(found: Sequence[RunChange], falling: Collection[str] = ()) -> Table:
    """Return the table of each run's gains and losses; falling: labels where less is better."""
    return records_table(
        "runs",
        "Runs, those first that gain most under the second judge, compared with the others",
        found,
        RunChange,
        (
            "beyond_others: the change less the mean change of all other runs",
            *falling_notes([one.measure for one in found], falling),
        ),
        Shown(
            ("measure", "run", "first", "second", "change", "beyond others", "position"),
            [
                (
                    one.measure,
                    one.run,
                    one.first,
                    one.second,
                    Score(one.change, signed=True),
                    Score(one.beyond_others, signed=True),
                    moved(one.position_first, one.position_second),
                )
                for one in found
            ],
            left=2,
        ),
    )


def topic_changes_table(found: Sequence[Sequence[Any]], measures: int) -> Table:
    """Return the topics that gain and lose most: the ends of each measure's list for people."""
    per_measure = len(found) // max(measures, 1)
    ends = MOST_SHOWN // 2
    shown = [
        one
        for number, one in enumerate(found)
        if number % per_measure < ends or number % per_measure >= per_measure - ends
    ]
    headings = ("measure", "topic", "first", "second", "change")
    return Table(
        name="topic_changes",
        title="Topics that gain and lose most under the second judge, averaged over the runs",
        headings=headings,
        rows=found,
        shown=Shown(headings, [(*row, Score(change, signed=True)) for *row, change in shown], left=2),
    )


def groups_table(found: Sequence[Favour], falling: Collection[str] = ()) -> Table:
    """Return the table of the second judge's favour for groups; falling: labels where less is better."""
    return records_table(
        "groups",
        "What groups of runs gain under the second judge, compared with all other runs",
        found,
        Favour,
        (
            "expected: the difference by a fair judge who errs as often, but in random documents of a topic",
            "p: t-test over topics that the difference is the expected one; p (holm): corrected for all"
            " groups and measures",
            *falling_notes([one.measure for one in found], falling),
        ),
        Shown(
            ("measure", "group", "runs", "change", "others", "difference", "expected", "p", "p (holm)"),
            [
                (
                    one.measure,
                    one.group,
                    one.runs,
                    Score(one.change, signed=True),
                    Score(one.others, signed=True),
                    Score(one.difference, signed=True),
                    Score(one.expected, signed=True),
                    PValue(one.p_value),
                    PValue(one.corrected),
                )
                for one in found
            ],
            left=2,
        ),
    )
