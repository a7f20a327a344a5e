"""The tables of judgements side by side: agreement, grades, topics, and the runs under each judge."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pres_eval.analysis.correlation import opposite_rbo
from pres_eval.analysis.group_favour import Favour
from pres_eval.analysis.judged_runs import RunChange, SwappedPair, TopicChange
from pres_eval.analysis.judging import (
    LEVELS_OF_MEASUREMENT,
    Assessments,
    GradeTable,
    TopicAgreement,
    cohens_kappa,
    krippendorffs_alpha,
)
from pres_eval.report.cells import Cell, PValue, Score
from pres_eval.report.layout import Column, Table, columns_table, records_table
from pres_eval.report.text import falling_notes, moved, text_of

SHOWN_ROWS = 12
"""Lines of a long table about judges that people see; programs get all."""


def more_rows(count: int, table: str) -> list[str]:
    """Return a line on the rows beyond SHOWN_ROWS and the options that print them; none if all are shown.

    count: rows of the table; table: its name
    """
    if count <= SHOWN_ROWS:
        return []
    return [f"{count - SHOWN_ROWS} more: --table {table} --format csv"]


def agreement_table(
    judged: Assessments, total: TopicAgreement, pairs_of_grades: GradeTable, level: float
) -> Table:
    """Return the table of agreement on the documents that both judges judged, with counts for each alone.

    total: the agreement over all topics
    pairs_of_grades: how many documents that both judged have each pair of grades
    level: the lowest grade of a relevant document
    """
    first, second = (text_of(name) for name in judged.names[:2])
    rows: list[tuple[str, float]] = [
        ("topics that all judges have", len(judged.pool.topics)),
        ("topics that only some have, left out", judged.left_out),
        ("documents that both judged", total.both),
        (f"documents that only {first} judged", total.only_first),
        (f"documents that only {second} judged", total.only_second),
        (f"relevant to {first}, of both", total.relevant_first),
        (f"relevant to {second}, of both", total.relevant_second),
        ("relevant to both", total.relevant_both),
        ("overlap: relevant to both, of those relevant to either", total.overlap),
        ("agreement: the same grade", total.agreement),
        ("Cohen's kappa", total.kappa),
        ("Cohen's kappa, linear weights", cohens_kappa(pairs_of_grades, 1)),
        ("Cohen's kappa, quadratic weights", cohens_kappa(pairs_of_grades, 2)),
    ]
    rows += _alphas(judged, "both judges")
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


def _alphas(judged: Assessments, judges: str) -> list[tuple[str, float]]:
    """Return Krippendorff's alpha of the grades at each level of measurement; `judges`: whose, in words."""
    rows = []
    for kind in LEVELS_OF_MEASUREMENT:
        alpha = krippendorffs_alpha(judged.grades, judged.judged, kind)
        rows.append((f"Krippendorff's alpha, {kind}, {judges}", alpha))
    return rows


def joined_over_judges(tables: Sequence[Sequence[Table]], judged: Assessments) -> list[Table]:
    """Return the tables of the first judge and each other one, joined: the first column names the other.

    tables: for each other judge the same tables in the same order, that of agreement first

    The joined table of agreement ends with rows for all judges together.  With one other judge its tables are
    returned as they are.
    """
    names = [text_of(name) for name in judged.names[1:]]
    if len(names) == 1:
        return list(tables[0])
    agreement, *further = zip(*tables, strict=True)
    of_all = replace(agreement[0], rows=_alphas(judged, f"all {len(judged.names)} judges"))
    joined = [_joined([*agreement, of_all], [*names, "all"])]
    for tables_of_judges in further:
        joined.append(_joined(tables_of_judges, names))
    joined[0] = replace(joined[0], title=f"Agreement of {text_of(judged.names[0])} and each other judge")
    return joined


def _joined(tables: Sequence[Table], names: Sequence[str]) -> Table:
    """Return tables with the same columns as one, its first column a name for the rows of each table."""
    first = tables[0]
    rows: list[tuple[Any, ...]] = []
    for name, table in zip(names, tables, strict=True):
        for row in table.rows:
            rows.append((name, *row))
    notes = list(first.notes)
    notes.append("second judge: the one in the first column, of whom p-values are corrected alone")
    return replace(
        first,
        title=first.title.replace("the second judge", "each judge"),
        headings=("judge", *first.headings),
        rows=rows,
        shown=_joined_for_people(tables, names),
        left=first.left + 1,
        notes=notes,
    )


def _joined_for_people(tables: Sequence[Table], names: Sequence[str]) -> Table | None:
    """Return what people see of `_joined` tables as one table.

    None if people see what programs get (no `shown`), or if the tables that they see have different headings.
    """
    shown_tables = [table.shown for table in tables if table.shown is not None]
    if len(shown_tables) < len(tables):
        return None
    first = shown_tables[0]
    if any(list(table.headings) != list(first.headings) for table in shown_tables):
        return None
    rows: list[Sequence[Cell]] = []
    for name, table in zip(names, shown_tables, strict=True):
        for row in table.rows:
            rows.append((name, *row))
    return Table(headings=("judge", *first.headings), rows=rows, left=first.left + 1)


def grades_table(judged: Assessments, pairs_of_grades: GradeTable) -> Table:
    """Return how many documents that both judged have each pair of grades.

    Programs get a row for each pair; people see a row for each grade of the first judge, a column for each
    grade of the second.
    """
    first, second = (text_of(name) for name in judged.names[:2])
    rows: list[tuple[Any, ...]] = []
    cells: list[Sequence[Cell]] = []
    grades = pairs_of_grades.grades
    for grade, counts in zip(grades, pairs_of_grades.counts.tolist(), strict=True):
        cells.append((grade, *counts))
        for other_grade, count in zip(grades, counts, strict=True):
            rows.append((grade, other_grade, count))
    return Table(
        name="grades",
        title="Documents that both judged, by their grades",
        headings=("first", "second", "documents"),
        rows=rows,
        shown=Table(headings=(f"{first} \\ {second}", *map(str, grades)), rows=cells),
    )


def topics_table(topics: Sequence[TopicAgreement]) -> Table:
    """Return the agreement on each topic; people see those with the lowest kappa."""
    lowest = sorted(topics, key=lambda topic: (math.isnan(topic.kappa), topic.kappa))
    columns: list[Column[TopicAgreement]] = [
        Column("topic", lambda topic: topic.topic),
        Column("both", lambda topic: topic.both),
        Column("only first", lambda topic: topic.only_first),
        Column("only second", lambda topic: topic.only_second),
        Column("relevant", _relevant_counts),
        Column("agreement", lambda topic: topic.agreement),
        Column("kappa", lambda topic: topic.kappa),
        Column("overlap", lambda topic: topic.overlap),
    ]
    notes = ["relevant: to the first, to both, to the second judge, of those that both judged"]
    notes += more_rows(len(topics), "topics")
    return records_table(
        "topics",
        "Topics with the lowest kappa",
        topics,
        TopicAgreement,
        notes,
        columns_table(columns, lowest[:SHOWN_ROWS]),
    )


def _relevant_counts(topic: TopicAgreement) -> Cell:
    """Return how many documents are relevant to the first judge, to both, to the second: `12/9/15`."""
    return f"{topic.relevant_first}/{topic.relevant_both}/{topic.relevant_second}"


def orders_table(
    orders: Sequence[Mapping[str, str | float]], alpha: float, test: str, num_runs: int
) -> Table:
    """Return how the order of the runs under both judges agrees, a row for each measure.

    orders: rows of the table, as values by the names of their columns
    """
    return Table(
        name="orders",
        title="The order of the runs under the second judge, compared with that under the first",
        headings=list(orders[0]),
        rows=[list(order.values()) for order in orders],
        notes=(
            "swapped: pairs of runs that the second judge puts the other way round; contradicted: of these"
            f" significant under the first ({test}, p < {alpha:g}, each pair alone)",
            "lost, gained: pairs significant under the first judge alone, under the second alone;"
            " reversed: under both, but the other way round",
            f"rbo: {opposite_rbo(num_runs):.4f} for opposite orders of {num_runs} runs, 1 for the same",
        ),
    )


def swaps_table(pairs: Sequence[SwappedPair]) -> Table:
    """Return the pairs of runs that the two judges put in opposite orders; people see the first ones."""
    columns: list[Column[SwappedPair]] = [
        Column("measure", lambda pair: pair.measure),
        Column("run", lambda pair: pair.run),
        Column("other", lambda pair: pair.other),
        Column("first", lambda pair: Score(pair.first, signed=True)),
        Column("p", lambda pair: PValue(pair.p_first)),
        Column("second", lambda pair: Score(pair.second, signed=True)),
        # The blank keeps the heading different from the first "p".
        Column("p ", lambda pair: PValue(pair.p_second)),
    ]
    notes = ["differences: run less other"]
    notes += more_rows(len(pairs), "swaps")
    return records_table(
        "swaps",
        "Pairs of runs in opposite orders, the surest first",
        pairs,
        SwappedPair,
        notes,
        columns_table(columns, pairs[:SHOWN_ROWS], left=3),
    )


def runs_table(changes: Sequence[RunChange], falling: Collection[str] = ()) -> Table:
    """Return the table of each run's gain or loss under the second judge, compared with the other runs'.

    falling: labels of measures of which less is better
    """
    columns: list[Column[RunChange]] = [
        Column("measure", lambda change: change.measure),
        Column("run", lambda change: change.run),
        Column("first", lambda change: change.first),
        Column("second", lambda change: change.second),
        Column("change", lambda change: Score(change.change, signed=True)),
        Column("beyond others", lambda change: Score(change.beyond_others, signed=True)),
        Column("position", lambda change: moved(change.position_first, change.position_second)),
    ]
    notes = ["beyond_others: the change less the mean change of all other runs"]
    notes += falling_notes([change.measure for change in changes], falling)
    return records_table(
        "runs",
        "Runs, those first that gain most under the second judge, compared with the others",
        changes,
        RunChange,
        notes,
        columns_table(columns, changes, left=2),
    )


def topic_changes_table(changes: Sequence[TopicChange], num_measures: int) -> Table:
    """Return the topics by their gain under the second judge; people see both ends of each measure's list.

    changes: measure after measure, each with all topics, sorted by their change
    """
    num_topics = len(changes) // max(num_measures, 1)
    rows_of_end = SHOWN_ROWS // 2
    cells: list[Sequence[Cell]] = []
    for number, (measure, topic, first, second, change) in enumerate(changes):
        rank = number % num_topics
        is_at_an_end = rank < rows_of_end or rank >= num_topics - rows_of_end
        if is_at_an_end:
            cells.append((measure, topic, first, second, Score(change, signed=True)))
    headings = ("measure", "topic", "first", "second", "change")
    return Table(
        name="topic_changes",
        title="Topics that gain and lose most under the second judge, averaged over the runs",
        headings=headings,
        rows=changes,
        shown=Table(headings=headings, rows=cells, left=2),
    )


def groups_table(favours: Sequence[Favour], falling: Collection[str] = ()) -> Table:
    """Return the table of what each group of runs gains under the second judge, compared with all other runs.

    falling: labels of measures of which less is better
    """
    columns: list[Column[Favour]] = [
        Column("measure", lambda favour: favour.measure),
        Column("group", lambda favour: favour.group),
        Column("runs", lambda favour: favour.runs),
        Column("change", lambda favour: Score(favour.change, signed=True)),
        Column("others", lambda favour: Score(favour.others, signed=True)),
        Column("difference", lambda favour: Score(favour.difference, signed=True)),
        Column("expected", lambda favour: Score(favour.expected, signed=True)),
        Column("p", lambda favour: PValue(favour.p_value)),
        Column("p (holm)", lambda favour: PValue(favour.corrected)),
    ]
    notes = [
        "expected: the difference by a fair judge who errs as often, but in random documents of a topic",
        "p: t-test over topics that the difference is the expected one; p (holm): corrected for all"
        " groups and measures",
    ]
    notes += falling_notes([favour.measure for favour in favours], falling)
    return records_table(
        "groups",
        "What groups of runs gain under the second judge, compared with all other runs",
        favours,
        Favour,
        notes,
        columns_table(columns, favours, left=2),
    )
