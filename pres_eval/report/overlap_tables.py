"""The tables and the picture of two runs' overlap, and of the changes of documents' ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pres_eval.analysis.rank_changes import RankChange, ScoredChange, mean_by_topic
from pres_eval.errors import plural
from pres_eval.records import dataclass
from pres_eval.report.drawing import panels, plain, whole_numbers
from pres_eval.report.layout import Shown, Table
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
    """Return the means over all topics, with the topic that overlaps least, and the topics."""
    lowest = []
    for label, values in result.values.items():
        least = min(range(len(values)), key=values.__getitem__)
        mean = math.fsum(values) / len(values)
        lowest.append((label, mean, values[least], result.topics[least]))
    first, second = result.names
    lacking = []
    for run, name in enumerate(result.names):
        empty_topics = sum(not lengths[run] for lengths in result.lengths)
        if empty_topics:
            lacking.append(f"{plural(empty_topics, 'topic')} without a document in {name}")
    notes = ["lowest: the topic that overlaps least"]
    if lacking:
        notes.append(f"{'; '.join(lacking)}: nothing is shared there")
    shown_rows = [(label, mean, least, topic) for label, mean, least, topic in lowest]
    return [
        Table(
            "overlap",
            f"Overlap of {first} and {second}, over {plural(len(result.topics))}",
            ("measure", "mean", "lowest", "topic"),
            lowest,
            notes,
            shown=Shown(("measure", "mean", "lowest", "topic"), shown_rows),
        ),
        Table(
            "topics",
            "Overlap by topic",
            ("topic", "first", "second", *result.values),
            [
                (topic, *pair, *row)
                for topic, pair, row in zip(
                    result.topics, result.lengths, zip(*result.values.values(), strict=True), strict=True
                )
            ],
            ("first, second: documents in each run",),
            people=per_topic,
        ),
    ]


CHANGE_HEADINGS = ("topic", "docno", "first_rank", "second_rank", "change")


def changes_table(rows: Sequence[RankChange], names: Sequence[str], depth: int) -> Table:
    """Return the documents whose ranks changed, of the first `depth` of either run."""
    return Table(
        "changes",
        f"Changes of ranks among the first {depth}: places up (+) or down (-) from {names[0]} to {names[1]}",
        CHANGE_HEADINGS,
        [_cells(row) for row in rows],
        (
            "no rank: the run lacks the document, which counts as the one behind its end; no change: that run"
            " ends before the other rank, so that up or down is not known",
        ),
        shown=Shown(CHANGE_HEADINGS, [_shown_cells(row) for row in rows[:MOST_CHANGES]], left=2),
        rest=_rest(rows),
    )


def instruction_tables(rows: Sequence[ScoredChange], num_lacking: int) -> list[Table]:
    """Return p-MRR, of all topics and of each, and the changes of the documents that it is made of."""
    by_topic = mean_by_topic(rows)
    notes = ["above 0: the documents move down, as the instruction wants; mean over topics, range -1 to 1"]
    if num_lacking:
        notes.append(f"{plural(num_lacking)} left out: not in both runs")
    mean = math.fsum(by_topic.values()) / len(by_topic)
    headings = (*CHANGE_HEADINGS, "p_mrr")
    return [
        Table(
            "p_mrr",
            "p-MRR: whether the second run follows the changed instruction",
            ("topics", "documents", "p_mrr"),
            [(len(by_topic), len(rows), mean)],
            notes,
            left=0,
        ),
        Table("p_mrr_topics", "p-MRR by topic", ("topic", "p_mrr"), list(by_topic.items())),
        Table(
            "p_mrr_changes",
            "Changes of ranks of the documents that became irrelevant",
            headings,
            [(*_cells(row), row.p_mrr) for row in rows],
            ("p_mrr: a document that a run lacks counts as the one behind its end, as in MTEB",),
            shown=Shown(headings, [(*_shown_cells(row), row.p_mrr) for row in rows[:MOST_CHANGES]], left=2),
            rest=_rest(rows),
        ),
    ]


def _cells(row: RankChange) -> tuple[bytes, bytes, int | None, int | None, int | None]:
    return row.topic, row.docno, row.first_rank, row.second_rank, row.change


def _shown_cells(row: RankChange) -> tuple[bytes, bytes, int | None, int | None, str]:
    change = ""
    if row.change is not None:
        change = f"{row.change:+d}" if row.change else "0"
    return row.topic, row.docno, row.first_rank, row.second_rank, change


def _rest(rows: Sequence[RankChange]) -> str:
    """Return the line about rows that people do not see; nothing if they see all."""
    left = len(rows) - MOST_CHANGES
    return f"{left:,} more with --format csv --table NAME, or json" if left > 0 else ""


def overlap_figure(result: OverlapByTopic) -> Figure:
    """Draw the topics of each measure by their overlap, a panel for each, the lowest first."""
    # Bounds are within a hundredth of rbo where lists have some dozens of documents.
    drawn = {
        label: values
        for label, values in result.values.items()
        if not label.startswith(("rbo_min", "rbo_res"))
    }
    with panels(len(drawn), 3, (2.4, 2.0), sharey=True) as (figure, grid):
        for (label, values), axes in zip(drawn.items(), grid, strict=True):
            whole_numbers(axes.xaxis)
            axes.plot(range(1, len(values) + 1), sorted(values), marker="o", markersize=3, linewidth=1.2)
            axes.set(title=plain(label), xlabel="topics, least overlap first", ylim=(0, 1.02))
        grid[0].set_ylabel("overlap")
    return figure
