"""Tables of a comparison by topics: in groups of them, and the runs that win each."""

from __future__ import annotations

from pres_eval.analysis.by_group import ByGroup, GroupComparison, Interaction
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.paired import (
    BEST,
    DIFFERENCE,
    TOPIC,
    PairedScores,
    TopicWinner,
    topic_winners,
    wins_of_runs,
)
from pres_eval.errors import plural
from pres_eval.report.layout import Note, PValue, Score, Shown, Table, records_table


def by_group_tables(found: ByGroup, settings: CompareSettings) -> list[Table]:
    """Return the comparisons in groups of topics, and whether differences depend on the group."""
    measures = len({comparison.measure for comparison in found.comparisons})
    within = settings.within_note(measures)
    level = f"{settings.alpha:g}{within}"
    star = Note(f"significant: p ({settings.correction}, over all groups) < {level}", mark="*")
    tables = [_comparisons(found, settings, star)]
    return [*tables, _interactions(found, settings, star)] if found.interactions else tables


def _comparisons(found: ByGroup, settings: CompareSettings, star: Note) -> Table:
    """Return the table of comparisons in each group of topics."""
    return records_table(
        "by_group",
        f"Comparisons by group of topics ({settings.test}, {settings.alternative})",
        found.comparisons,
        GroupComparison,
        (star,),
        Shown(
            (
                *("measure", "group", "topics", "run", "against", "mean", "of the other"),
                *("difference", "p", f"p ({settings.correction})"),
            ),
            [
                [
                    one.measure,
                    one.group,
                    one.topics,
                    one.run,
                    one.other,
                    one.mean,
                    one.other_mean,
                    Score(one.difference, signed=True),
                    PValue(one.p_value),
                    PValue(one.corrected, one.significant),
                ]
                for one in found.comparisons
            ],
            left=2,
        ),
    )


def _interactions(found: ByGroup, settings: CompareSettings, star: Note) -> Table:
    """Return the table of whether differences depend on the group."""
    return records_table(
        "interaction",
        "Difference by group",
        found.interactions,
        Interaction,
        (
            star,
            "whether the difference of two runs is another one in another group: Welch's F, by random deals"
            " of the topics to groups; a difference that is significant in one group and not in another is"
            " no such evidence",
        ),
        Shown(
            ("measure", "run", "against", "least in", "greatest in", "p", f"p ({settings.correction})"),
            [
                [
                    one.measure,
                    one.run,
                    one.other,
                    one.least,
                    one.greatest,
                    PValue(one.p_value),
                    PValue(one.corrected, one.significant),
                ]
                for one in found.interactions
            ],
            left=5,
        ),
    )


TITLES = {DIFFERENCE: "largest differences first", TOPIC: "by topic", BEST: "by the best run"}


def winner_tables(scores: PairedScores, order: str = DIFFERENCE) -> list[Table]:
    """Return the best run of each topic and the second, and how many topics each run wins."""
    topics = plural(len(scores.topics))
    winners = list(topic_winners(scores, order))
    wins = wins_of_runs(scores)
    return [
        records_table(
            "per_topic",
            f"Best runs of {topics}, {TITLES[order]}",
            winners,
            TopicWinner,
            ("values that agree to 12 digits are equal; one topic is no evidence that a run is better",),
            Shown(
                ("measure", "topic", "best", "value", "second", "value", "difference"),
                [
                    [
                        *(one.measure, one.topic, one.best, Score(one.value), one.second or "-"),
                        *(Score(one.second_value), Score(one.difference, signed=True)),
                    ]
                    for one in winners
                ],
                left=3,
            ),
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
            ("no run wins a topic on which all runs are equal",),
            left=2,
        ),
    ]
