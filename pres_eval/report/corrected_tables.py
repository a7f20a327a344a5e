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
from pres_eval.report.judges_tables import MOST_SHOWN, more_rows
from pres_eval.report.layout import Interval, PValue, Score, Shown, Table, records_table
from pres_eval.report.text import cut_note, falling_notes, percentage


def corrected_tables(judges: TwoJudges, alpha: float, seed: int) -> list[Table]:
    """Return the means, the differences, the gain from more topics, and the topics to judge."""
    topics = [(topic,) for topic in topics_to_judge(judges, seed)]
    return [
        _means(judges, list(corrected_means(judges, alpha)), alpha),
        _differences(corrected_differences(judges, alpha)),
        Table(
            "more_topics",
            "Half the width of intervals, if people judged more topics",
            ("measure", "topics", "mean", "difference"),
            list(more_topics(judges, alpha)),
            ("averages over runs, and over pairs of runs, that have an interval; the first line is now",),
        ),
        Table(
            name="to_judge",
            title="Topics to judge next, in this order",
            headings=("topic",),
            rows=topics,
            notes=(
                f"drawn by chance (seed {seed}): topics that somebody picks make the intervals wrong",
                *more_rows(len(topics), "to_judge"),
            ),
            shown=Shown(("topic",), topics[:MOST_SHOWN], left=1),
        ),
    ]


def _without(ends: list[float], what: str) -> list[str]:
    """Return the note on intervals that are missing, where one is."""
    return [f"-: none, as all topics have the same {what}"] if any(map(math.isnan, ends)) else []


def _means(judges: TwoJudges, found: list[CorrectedMean], alpha: float) -> Table:
    """Return the table of corrected means."""
    people, others = len(judges.people.topics), len(judges.topics)
    measures = judges.people.measures
    cut = cut_note(measures, judges.people.bounded)
    return records_table(
        "corrected",
        f"Means over {people + others} topics, of which people judged {people}",
        found,
        CorrectedMean,
        (
            f"corrected: the machine's mean less its error on the {people} topics of people, with weight λ;"
            " right if these were drawn by chance",
            f"intervals: {percentage(1 - alpha)}, t, each for one mean{cut}",
            *_without([one.lower + one.people_lower for one in found], "value"),
            *falling_notes(measures, judges.people.falling),
        ),
        Shown(
            ("measure", "run", "people", "machine", "corrected", "interval", "people alone", "λ"),
            [
                (
                    *(one.measure, one.run, one.people, one.machine, one.corrected),
                    *(
                        Interval(one.lower, one.upper),
                        Interval(one.people_lower, one.people_upper),
                        one.weight,
                    ),
                )
                for one in found
            ],
            left=2,
        ),
    )


def _differences(found: list[CorrectedDifference]) -> Table:
    """Return the table of corrected differences."""
    return records_table(
        "corrected_differences",
        "Differences of runs, corrected, the surest first",
        found,
        CorrectedDifference,
        (
            "p (holm): t-test of the corrected difference, corrected for all pairs and measures; an interval"
            " is for one pair",
            *_without([one.lower for one in found], "difference"),
            *more_rows(len(found), "corrected_differences"),
        ),
        Shown(
            ("measure", "run", "against", "machine", "corrected", "interval", "p", "p (holm)"),
            [
                (
                    *(one.measure, one.run, one.against, Score(one.machine, signed=True)),
                    *(Score(one.corrected, signed=True), Interval(one.lower, one.upper, signed=True)),
                    *(PValue(one.p_value), PValue(one.p_holm)),
                )
                for one in found[:MOST_SHOWN]
            ],
            left=3,
        ),
    )
