"""Tables of a comparison by topics: in groups of them, and the runs that win each."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.by_group import ByGroup, GroupComparison, Interaction
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.paired import (
    BY_BEST,
    BY_DIFFERENCE,
    BY_TOPIC,
    PairedScores,
    TopicWinner,
    topic_winners,
    wins_of_runs,
)
from pres_eval.errors import plural
from pres_eval.report.cells import Note, PValue, Score, Value
from pres_eval.report.layout import Column, Table, columns_table, records_table
from pres_eval.report.text import UNKNOWN


def by_group_tables(by_group: ByGroup, settings: CompareSettings) -> list[Table]:
    """Return the comparisons in groups of topics, and whether differences depend on the group."""
    num_measures = len({comparison.measure for comparison in by_group.comparisons})
    level = f"{settings.alpha:g}{settings.within_note(num_measures)}"
    star = Note(f"significant: p ({settings.correction}, over all groups) < {level}", mark="*")
    tables = [_comparisons(by_group, settings, star)]
    if by_group.interactions:
        tables.append(_interactions(by_group, settings, star))
    return tables


def _comparisons(by_group: ByGroup, settings: CompareSettings, star: Note) -> Table:
    """Return the table of comparisons in each group of topics; star: the note on significant ones."""
    columns: list[Column[GroupComparison]] = [
        Column("measure", lambda pair: pair.measure),
        Column("group", lambda pair: pair.group),
        Column("topics", lambda pair: pair.topics),
        Column("run", lambda pair: pair.run),
        Column("against", lambda pair: pair.other),
        Column("mean", lambda pair: pair.mean),
        Column("of the other", lambda pair: pair.other_mean),
        Column("difference", lambda pair: Score(pair.difference, signed=True)),
        Column("p", lambda pair: PValue(pair.p_value)),
        Column(f"p ({settings.correction})", lambda pair: PValue(pair.corrected, pair.significant)),
    ]
    return records_table(
        "by_group",
        f"Comparisons by group of topics ({settings.test}, {settings.alternative})",
        by_group.comparisons,
        GroupComparison,
        (star,),
        columns_table(columns, by_group.comparisons, left=2),
    )


def _interactions(by_group: ByGroup, settings: CompareSettings, star: Note) -> Table:
    """Return the table of tests whether differences depend on the group; star: note on significant ones."""
    columns: list[Column[Interaction]] = [
        Column("measure", lambda pair: pair.measure),
        Column("run", lambda pair: pair.run),
        Column("against", lambda pair: pair.other),
        Column("least in", lambda pair: pair.least),
        Column("greatest in", lambda pair: pair.greatest),
        Column("p", lambda pair: PValue(pair.p_value)),
        Column(f"p ({settings.correction})", lambda pair: PValue(pair.corrected, pair.significant)),
    ]
    notes: list[str | Note] = [
        star,
        "whether the difference of two runs is another one in another group: Welch's F, of few topics by"
        " random deals of them to groups, too; a difference that is significant in one group and not in"
        " another is no such evidence",
    ]
    small_groups = small_groups_note(by_group, by_group.interactions, settings.alpha)
    if small_groups:
        notes.append(small_groups)
    return records_table(
        "interaction",
        "Difference by group",
        by_group.interactions,
        Interaction,
        notes,
        columns_table(columns, by_group.interactions, left=5),
    )


def small_groups_note(by_group: ByGroup, interactions: Sequence[Interaction], alpha: float) -> str:
    """Return the note on how far p-values of these interactions can be wrong.

    Empty if none is below alpha, or if all groups have SMALL_GROUP topics or more.
    """
    fewest_topics = min(comparison.topics for comparison in by_group.comparisons)
    has_low_p = any(interaction.p_value < alpha for interaction in interactions)
    if not has_low_p or fewest_topics >= SMALL_GROUP:
        return ""
    return (
        "p is too low if differences are skewed and vary more in a small group than in the others:"
        " without any interaction p < 0.05 in up to 19 % of cases for a group of 5 topics, 16 % for 10,"
        " 13 % for 20, 10 % for 50"
    )


SMALL_GROUP = 50
"""Topics of the smallest group below which the table says how far p can be wrong: see the note's numbers."""

ORDER_WORDS = {BY_DIFFERENCE: "largest differences first", BY_TOPIC: "by topic", BY_BEST: "by the best run"}
"""Orders of the best runs of topics, in words."""


def winner_tables(scores: PairedScores, order: str = BY_DIFFERENCE) -> list[Table]:
    """Return the best run of each topic and the second, and how many topics each run wins.

    order: of the topics, a key of ORDER_WORDS
    """
    return [_best_runs(scores, order), _wins(scores)]


def _best_runs(scores: PairedScores, order: str) -> Table:
    """Return the best run of each topic and the second, with their values; order: a key of ORDER_WORDS."""
    winners = list(topic_winners(scores, order))
    columns: list[Column[TopicWinner]] = [
        Column("measure", lambda winner: winner.measure),
        Column("topic", lambda winner: winner.topic),
        Column("best", lambda winner: winner.best),
        Column("value", lambda winner: Score(winner.value)),
        Column("second", lambda winner: winner.second or UNKNOWN),
        Column("value", lambda winner: Score(winner.second_value)),
        Column("difference", lambda winner: Score(winner.difference, signed=True)),
    ]
    return records_table(
        "per_topic",
        f"Best runs of {plural(len(scores.topics))}, {ORDER_WORDS[order]}",
        winners,
        TopicWinner,
        ("values that agree to 12 digits are equal; one topic is no evidence that a run is better",),
        columns_table(columns, winners, left=3),
    )


def _wins(scores: PairedScores) -> Table:
    """Return how many topics each run wins alone, and how many together with others, by measure."""
    rows: list[tuple[Value, ...]] = []
    for name, wins_by_measure in zip(scores.runs, wins_of_runs(scores), strict=True):
        for label, (alone, shared) in zip(scores.measures, wins_by_measure, strict=True):
            rows.append((name, label, alone, shared))
    return Table(
        name="wins",
        title=f"Wins over {plural(len(scores.topics))}",
        headings=("run", "measure", "alone", "shared"),
        rows=rows,
        notes=("no run wins a topic on which all runs are equal",),
        left=2,
    )
