"""Tables of the topics that each run wins."""

from __future__ import annotations

from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.topics import plural
from pres_eval.analysis.winners import BEST, DIFFERENCE, TOPIC, TopicWinner, topic_winners, wins_of_runs
from pres_eval.report.layout import Score, Shown, ShownCell, Table, records_table

TITLES = {DIFFERENCE: "largest differences first", TOPIC: "by topic", BEST: "by the best run"}


def winner_tables(scores: PairedScores, order: str = DIFFERENCE) -> list[Table]:
    """The best run of each topic and the second, and how many topics each run wins."""
    topics = plural(len(scores.topics))
    winners = topic_winners(scores, order)
    lines: list[list[ShownCell]] = [
        [
            one.measure,
            one.topic,
            one.best,
            Score(one.value),
            one.second or "-",
            Score(one.second_value),
            Score(one.difference, signed=True),
        ]
        for one in winners
    ]
    headings = ("measure", "topic", "best", "value", "second", "value", "difference")
    wins = wins_of_runs(scores)
    return [
        records_table(
            "per_topic",
            f"Best runs of {topics}, {TITLES[order]}",
            winners,
            TopicWinner,
            ("values that agree to 12 digits are equal; one topic is no evidence that a run is better",),
            Shown(headings, lines, left=3),
        ),
        Table(
            "wins",
            f"Wins over {topics}",
            ("run", "measure", "alone", "shared"),
            [
                (name, label, *wins[run][measure])
                for run, name in enumerate(scores.runs)
                for measure, label in enumerate(scores.measures)
            ],
            left=2,
        ),
    ]
