"""The tables of a machine's judgements that people's judgements correct."""

from __future__ import annotations

import math
from collections.abc import Callable

from pres_eval.analysis.prediction_powered import (
    CorrectedDifference,
    CorrectedMean,
    TwoJudges,
    corrected_differences,
    corrected_means,
    more_topics,
    topics_to_judge,
)
from pres_eval.report.columns import shown_by
from pres_eval.report.judges_tables import SHOWN_ROWS, more_rows
from pres_eval.report.layout import Interval, PValue, Score, Shown, ShownCell, Table, records_table
from pres_eval.report.text import cut_note, falling_notes, percentage


def corrected_tables(judges: TwoJudges, alpha: float, seed: int) -> list[Table]:
    """Return the means, the differences, the gain from more topics, and the topics to judge."""
    more = Table(
        "more_topics",
        "Half the width of intervals, if people judged more topics",
        ("measure", "topics", "mean", "difference"),
        list(more_topics(judges, alpha)),
        ("averages over runs, and over pairs of runs, that have an interval; the first line is now",),
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
        shown=Shown(("topic",), topics[:SHOWN_ROWS], left=1),
    )


def _means(judges: TwoJudges, means: list[CorrectedMean], alpha: float) -> Table:
    """Return the table of corrected means."""
    people, others = len(judges.people.topics), len(judges.topics)
    measures = judges.people.measures
    notes = [
        f"corrected: the machine's mean less its error on the {people} topics of people, with weight λ;"
        " right if these were drawn by chance",
        f"intervals: {percentage(1 - alpha)}, t, each for one mean"
        + cut_note(measures, judges.people.bounded),
    ]
    if any(math.isnan(mean.lower) or math.isnan(mean.people_lower) for mean in means):
        notes.append("-: none, as all topics have the same value")
    notes.extend(falling_notes(measures, judges.people.falling))
    columns: list[tuple[str, Callable[[CorrectedMean], ShownCell]]] = [
        ("measure", lambda mean: mean.measure),
        ("run", lambda mean: mean.run),
        ("people", lambda mean: mean.people),
        ("machine", lambda mean: mean.machine),
        ("corrected", lambda mean: mean.corrected),
        ("interval", lambda mean: Interval(mean.lower, mean.upper)),
        ("people alone", lambda mean: Interval(mean.people_lower, mean.people_upper)),
        ("λ", lambda mean: mean.weight),
    ]
    return records_table(
        "corrected",
        f"Means over {people + others} topics, of which people judged {people}",
        means,
        CorrectedMean,
        notes,
        shown_by(columns, means, left=2),
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
    columns: list[tuple[str, Callable[[CorrectedDifference], ShownCell]]] = [
        ("measure", lambda pair: pair.measure),
        ("run", lambda pair: pair.run),
        ("against", lambda pair: pair.against),
        ("machine", lambda pair: Score(pair.machine, signed=True)),
        ("corrected", lambda pair: Score(pair.corrected, signed=True)),
        ("interval", lambda pair: Interval(pair.lower, pair.upper, signed=True)),
        ("p", lambda pair: PValue(pair.p_value)),
        ("p (holm)", lambda pair: PValue(pair.p_holm)),
    ]
    return records_table(
        "corrected_differences",
        "Differences of runs, corrected, the surest first",
        differences,
        CorrectedDifference,
        notes,
        shown_by(columns, differences[:SHOWN_ROWS], left=3),
    )
