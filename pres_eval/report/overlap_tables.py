"""The tables and the picture of two runs' overlap, and of the changes of documents' ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pres_eval.analysis.rank_changes import RankChange, ScoredChange, mean_by_topic
from pres_eval.errors import plural
from pres_eval.records import dataclass
from pres_eval.report.cells import Cell
from pres_eval.report.drawing import panels, picture_text, tick_whole_numbers
from pres_eval.report.layout import Column, Readers, Table, columns_table
from pres_eval.report.paper import Figure

MOST_CHANGES = 20
"""Rows of documents that people see; programs have all."""


@dataclass(frozen=True)
class OverlapByTopic:
    """Overlap of two runs for T topics.

    names    of the runs
    topics   T ids
    lengths  documents of each topic in both runs: T pairs
    values   of each measure, by its label, T numbers
    """

    names: tuple[str, str]
    topics: Sequence[bytes]
    lengths: Sequence[tuple[int, int]]
    values: Mapping[str, Sequence[float]]


def overlap_tables(result: OverlapByTopic, per_topic: bool) -> list[Table]:
    """Return the means over all topics, with the topic that overlaps least, and the values of the topics.

    per_topic: whether people see the topics, too
    """
    rows = []
    for label, values in result.values.items():
        lowest = min(values)
        mean = math.fsum(values) / len(values)
        rows.append((label, mean, lowest, result.topics[values.index(lowest)]))
    first, second = result.names
    lacking = []
    for run, name in enumerate(result.names):
        num_empty_topics = sum(1 for lengths in result.lengths if lengths[run] == 0)
        if num_empty_topics:
            lacking.append(f"{plural(num_empty_topics, 'topic')} without a document in {name}")
    notes = ["lowest: the topic that overlaps least"]
    if lacking:
        notes.append(f"{'; '.join(lacking)}: nothing is shared there")
    topics = []
    for topic, lengths, *overlaps in zip(result.topics, result.lengths, *result.values.values(), strict=True):
        topics.append((topic, *lengths, *overlaps))
    return [
        Table(
            name="overlap",
            title=f"Overlap of {first} and {second}, over {plural(len(result.topics))}",
            headings=("measure", "mean", "lowest", "topic"),
            rows=rows,
            notes=notes,
        ),
        Table(
            name="topics",
            title="Overlap by topic",
            headings=("topic", "first", "second", *result.values),
            rows=topics,
            notes=("first, second: documents in each run",),
            readers=Readers.ALL if per_topic else Readers.PROGRAMS,
        ),
    ]


CHANGE_HEADINGS = ("topic", "docno", "first_rank", "second_rank", "change")
"""Columns of the changes of ranks, for programs."""


def _signed_change(row: RankChange) -> Cell:
    """Return by how many places a document moved up (+) or down (-); empty where that is not known."""
    if row.change is None:
        return ""
    return f"{row.change:+d}" if row.change else "0"


CHANGE_COLUMNS: list[Column[RankChange]] = [
    Column("topic", lambda row: row.topic),
    Column("docno", lambda row: row.docno),
    Column("first_rank", lambda row: row.first_rank),
    Column("second_rank", lambda row: row.second_rank),
    Column("change", _signed_change),
]
"""Columns of the changes of ranks, for people."""


def changes_table(rows: Sequence[RankChange], names: Sequence[str], depth: int) -> Table:
    """Return the table of documents whose ranks changed, among the first `depth` of either run.

    names: of the two runs
    """
    return Table(
        name="changes",
        title=f"Changes of ranks among the first {depth}: places up (+) or down (-)"
        f" from {names[0]} to {names[1]}",
        headings=CHANGE_HEADINGS,
        rows=[_values(row) for row in rows],
        notes=(
            "no rank: the run lacks the document, which counts as the one behind its end; no change: that run"
            " ends before the other rank, so that up or down is not known",
        ),
        shown=columns_table(CHANGE_COLUMNS, rows[:MOST_CHANGES], left=2),
        rest=_rest(rows),
    )


def instruction_tables(rows: Sequence[ScoredChange], num_lacking: int) -> list[Table]:
    """Return p-MRR, of all topics and of each, and the changes of ranks that it is computed from.

    num_lacking: topics that were left out, as one of the runs lacks them
    """
    by_topic = mean_by_topic(rows)
    notes = ["above 0: the documents move down, as the instruction wants; mean over topics, range -1 to 1"]
    if num_lacking:
        notes.append(f"{plural(num_lacking)} left out: not in both runs")
    mean = math.fsum(by_topic.values()) / len(by_topic)
    columns: list[Column[ScoredChange]] = [*CHANGE_COLUMNS, Column("p_mrr", lambda row: row.p_mrr)]
    return [
        Table(
            name="p_mrr",
            title="p-MRR: whether the second run follows the changed instruction",
            headings=("topics", "documents", "p_mrr"),
            rows=[(len(by_topic), len(rows), mean)],
            notes=notes,
            left=0,
        ),
        Table(
            name="p_mrr_topics",
            title="p-MRR by topic",
            headings=("topic", "p_mrr"),
            rows=list(by_topic.items()),
        ),
        Table(
            name="p_mrr_changes",
            title="Changes of ranks of the documents that became irrelevant",
            headings=(*CHANGE_HEADINGS, "p_mrr"),
            rows=[(*_values(row), row.p_mrr) for row in rows],
            notes=("p_mrr: a document that a run lacks counts as the one behind its end, as in MTEB",),
            shown=columns_table(columns, rows[:MOST_CHANGES], left=2),
            rest=_rest(rows),
        ),
    ]


def _values(row: RankChange) -> tuple[bytes, bytes, int | None, int | None, int | None]:
    """Return the values of the columns CHANGE_HEADINGS."""
    return row.topic, row.docno, row.first_rank, row.second_rank, row.change


def _rest(rows: Sequence[RankChange]) -> str:
    """Return the line about rows beyond MOST_CHANGES, which people do not see; empty if they see all."""
    num_hidden = len(rows) - MOST_CHANGES
    if num_hidden <= 0:
        return ""
    return f"{num_hidden:,} more with --format csv --table NAME, or json"


def overlap_figure(result: OverlapByTopic) -> Figure:
    """Draw the topics of each measure by their overlap, a panel for each, the lowest first."""
    drawn = {}
    for label, values in result.values.items():
        # The bounds of rbo are within a hundredth of it where lists have some dozens of documents.
        if not label.startswith(("rbo_min", "rbo_res")):
            drawn[label] = values
    with panels(len(drawn), most_columns=3, plot_inches=(2.4, 2.0), sharey=True) as (figure, grid):
        for (label, values), axes in zip(drawn.items(), grid, strict=True):
            tick_whole_numbers(axes.xaxis)
            axes.plot(range(1, len(values) + 1), sorted(values), marker="o", markersize=3, linewidth=1.2)
            axes.set(title=picture_text(label), xlabel="topics, least overlap first", ylim=(0, 1.02))
        grid[0].set_ylabel("overlap")
    return figure
