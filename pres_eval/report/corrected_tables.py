"""The tables of a machine's judgements that people's judgements correct."""

from __future__ import annotations

import math

from pres_eval.analysis.prediction_powered import (
    CorrectedDifference,
    CorrectedMean,
    TwoJudges,
    corrected_differences,
    corrected_means,
    more_topics,
    topics_to_judge,
)
from pres_eval.report.cells import Interval, PValue, Score
from pres_eval.report.judges_tables import SHOWN_ROWS, more_rows
from pres_eval.report.layout import Column, Table, columns_table, records_table
from pres_eval.report.text import cut_note, falling_notes, percentage


def corrected_tables(judges: TwoJudges, alpha: float, seed: int) -> list[Table]:
    """Return the means, the differences, the gain from more topics, and the topics to judge.

    seed: of the order in which topics are drawn to be judged
    """
    more = Table(
        name="more_topics",
        title="Half the width of intervals, if people judged more topics",
        headings=("measure", "topics", "mean", "difference"),
        rows=list(more_topics(judges, alpha)),
        notes=("averages over runs, and over pairs of runs, that have an interval; the first line is now",),
    )
    return [
        _means(judges, list(corrected_means(judges, alpha)), alpha),
        _differences(corrected_differences(judges, alpha)),
        more,
        _topics_to_judge(judges, seed),
    ]


def _topics_to_judge(judges: TwoJudges, seed: int) -> Table:
    """Return the table of the topics that people should judge next."""
    topics = [(topic,) for topic in topics_to_judge(judges, seed)]
    notes = [f"drawn by chance (seed {seed}): topics that somebody picks make the intervals wrong"]
    notes.extend(more_rows(len(topics), "to_judge"))
    return Table(
        name="to_judge",
        title="Topics to judge next, in this order",
        headings=("topic",),
        rows=topics,
        notes=notes,
        shown=Table(headings=("topic",), rows=topics[:SHOWN_ROWS]),
    )


def _means(judges: TwoJudges, means: list[CorrectedMean], alpha: float) -> Table:
    """Return the table of corrected means, with intervals of level 1 - alpha."""
    num_judged = len(judges.people.topics)
    num_topics = num_judged + len(judges.other_topics)
    measures = judges.people.measures
    range_note = cut_note(measures, judges.people.bounded)
    notes = [
        f"corrected: the machine's mean less its error on the {num_judged} topics of people, with weight λ;"
        " right if these were drawn by chance",
        f"intervals: {percentage(1 - alpha)}, t, each for one mean{range_note}",
    ]
    if any(math.isnan(mean.lower) or math.isnan(mean.people_lower) for mean in means):
        notes.append("-: none, as all topics have the same value")
    notes.extend(falling_notes(measures, judges.people.falling))
    columns: list[Column[CorrectedMean]] = [
        Column("measure", lambda mean: mean.measure),
        Column("run", lambda mean: mean.run),
        Column("people", lambda mean: mean.people),
        Column("machine", lambda mean: mean.machine),
        Column("corrected", lambda mean: mean.corrected),
        Column("interval", lambda mean: Interval(mean.lower, mean.upper)),
        Column("people alone", lambda mean: Interval(mean.people_lower, mean.people_upper)),
        Column("λ", lambda mean: mean.weight),
    ]
    return records_table(
        "corrected",
        f"Means over {num_topics} topics, of which people judged {num_judged}",
        means,
        CorrectedMean,
        notes,
        columns_table(columns, means, left=2),
    )


def _differences(differences: list[CorrectedDifference]) -> Table:
    """Return the table of corrected differences."""
    notes = [
        "p (holm): t-test of the corrected difference, corrected for all pairs and measures; an interval"
        " is for one pair"
    ]
    if any(math.isnan(pair.lower) for pair in differences):
        notes.append("-: none, as all topics have the same difference")
    notes.extend(more_rows(len(differences), "corrected_differences"))
    columns: list[Column[CorrectedDifference]] = [
        Column("measure", lambda pair: pair.measure),
        Column("run", lambda pair: pair.run),
        Column("against", lambda pair: pair.against),
        Column("machine", lambda pair: Score(pair.machine, signed=True)),
        Column("corrected", lambda pair: Score(pair.corrected, signed=True)),
        Column("interval", lambda pair: Interval(pair.lower, pair.upper, signed=True)),
        Column("p", lambda pair: PValue(pair.p_value)),
        Column("p (holm)", lambda pair: PValue(pair.p_holm)),
    ]
    return records_table(
        "corrected_differences",
        "Differences of runs, corrected, the surest first",
        differences,
        CorrectedDifference,
        notes,
        columns_table(columns, differences[:SHOWN_ROWS], left=3),
    )
