"""The tables and the picture of an experiment and its replication."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

from pres_eval.analysis.replication import ListSimilarity, Replication
from pres_eval.report.cells import Score
from pres_eval.report.drawing import panels, picture_text
from pres_eval.report.layout import Column, Readers, Table, columns_table, records_table
from pres_eval.report.paper import Figure

EFFECT_COLUMNS: tuple[Column[Replication], ...] = (
    Column("measure", lambda row: row.measure),
    Column("improvement", lambda row: Score(row.improvement, signed=True)),
    Column("new", lambda row: Score(row.new_improvement, signed=True)),
    Column("effect ratio", lambda row: row.effect_ratio),
    Column("ΔRI", lambda row: row.delta_relative_improvement),
    Column("RMSE base", lambda row: row.rmse_baseline),
    Column("RMSE advanced", lambda row: row.rmse_advanced),
)
"""Columns of the effects for people."""

EFFECT_NOTES = (
    "effect ratio: new improvement / original one; 1: the same effect, 0: none, below 0: the opposite one",
    "ΔRI: original minus new improvement, each as a share of its baseline; 0: the same",
)
NO_RATIO_NOTE = "-: no ratio, as the original improvement, or a baseline, is 0"
NO_ERROR_NOTE = "RMSE: the topics of the two experiments are not the same, so it cannot be computed"
UNION_NOTE = (
    "tau union: Kendall's τ of places in the union of both lists, in the order of ranks; by docno: in the"
    " order of ids, as repro_eval has it"
)


def replication_tables(
    rows: Sequence[Replication],
    topics: str,
    documents: Sequence[ListSimilarity],
    persistence: float,
    per_topic: bool,
) -> list[Table]:
    """Return the effects, and how similar the documents of the runs are, by run and by topic.

    topics: the topics that count, in words; persistence: that of rbo, for its heading
    per_topic: whether people see the topics, too
    """
    notes = list(EFFECT_NOTES)
    for row in rows:
        has_no_ratio = math.isnan(row.effect_ratio) or math.isnan(row.delta_relative_improvement)
        if has_no_ratio:
            notes.append(NO_RATIO_NOTE)
            break
    if any(math.isnan(row.rmse_baseline) for row in rows):
        notes.append(NO_ERROR_NOTE)
    tables = [
        records_table(
            "effects",
            f"Improvement of the advanced run over the baseline, original and new, over {topics}",
            rows,
            Replication,
            notes,
            columns_table(EFFECT_COLUMNS, rows),
        )
    ]
    if documents:
        tables += _document_tables(documents, persistence, per_topic)
    return tables


def _document_tables(rows: Sequence[ListSimilarity], persistence: float, per_topic: bool) -> list[Table]:
    """Return how similar the documents of runs are: means over topics for each run, and each topic."""
    means: list[tuple[str, int, float, float, float]] = []
    for run in dict.fromkeys(row.run for row in rows):
        topics = [row for row in rows if row.run == run]
        tau_union = _mean([topic.tau_union for topic in topics])
        tau_union_by_docno = _mean([topic.tau_union_by_docno for topic in topics])
        rbo = _mean([topic.rbo for topic in topics])
        means.append((run, len(topics), tau_union, tau_union_by_docno, rbo))
    return [
        Table(
            name="documents",
            title="Documents of the original and the new run, means over topics",
            headings=("run", "topics", "tau_union", "tau_union_by_docno", "rbo"),
            rows=means,
            notes=(UNION_NOTE,),
            shown=Table(
                headings=("run", "topics", "tau union", "by docno", f"rbo({persistence:g})"), rows=means
            ),
        ),
        Table(
            name="topics",
            title="Documents by topic",
            headings=[column.name for column in fields(ListSimilarity)],
            rows=[tuple(vars(row).values()) for row in rows],
            left=2,
            readers=Readers.ALL if per_topic else Readers.PROGRAMS,
        ),
    ]


def _mean(values: Sequence[float]) -> float:
    """Return the mean of the values that exist, nan if there are none."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def replication_figure(rows: Sequence[Replication]) -> Figure:
    """Draw the measures as points, ΔRI against effect ratio: a perfect replication is at (1, 0).

    Breuer et al., SIGIR 2020, draw such pictures.
    """
    with panels(1, most_columns=1, plot_inches=(3.6, 3.0)) as (figure, (axes,)):
        for row in rows:
            axes.plot(row.effect_ratio, row.delta_relative_improvement, "o", markersize=5)
            point = (row.effect_ratio, row.delta_relative_improvement)
            axes.annotate(picture_text(row.measure), point, (4, 4), textcoords="offset points", fontsize=7)
        axes.axvline(1.0, color="#888888", linewidth=0.8)
        axes.axhline(0.0, color="#888888", linewidth=0.8)
        axes.margins(0.25)
        axes.set(xlabel="effect ratio", ylabel="ΔRI", title="Replicated effects")
    return figure
