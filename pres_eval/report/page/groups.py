"""Groups of topics: the means of the runs in each, tests against the baseline, and interactions."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.by_group import GroupComparison, Interaction
from pres_eval.errors import plural
from pres_eval.reading.topic_files import MACRO_MEAN, Groups
from pres_eval.report.compared_topics import small_groups_note
from pres_eval.report.groups import over_groups, worst_group
from pres_eval.report.markup import Cell, Html, element, link, scrolling, section, table
from pres_eval.report.text import UNKNOWN, p_text, shown, signed_difference, text_of
from pres_eval.report.trec_report import DIGITS, Report

SIGNS = {1: " +", -1: " −", 0: ""}
"""The marks of values that are significantly better or worse than the baseline's."""


def groups_view(report: Report) -> Html:
    """Return the section on groups of topics: for each measure the means, and the tests in each group."""
    groups = report.inputs.groups
    assert groups is not None, "a page has this section where there are groups"
    named_groups = []
    for name, topics in groups.topics.items():
        num_topics = _count_topics(report, topics)
        if num_topics:
            named_groups.append(f"{name} ({plural(num_topics)})")
    names = ", ".join(named_groups)
    parts = []
    # The main measure comes first, and is open.
    for label in dict.fromkeys((report.main, *report.board)):
        tables = _tables_of_measure(report, groups, label)
        parts.append(element("details", element("summary", label), *tables, open=label == report.main))
    return section(
        "groups",
        "Groups of topics",
        element("p", f"Topics are grouped by {text_of(report.shown_path(groups.path))}: {names}."),
        element("p", _how_compared(report), class_="dim"),
        *parts,
    )


def _count_topics(report: Report, topics: frozenset[bytes]) -> int:
    """Count the topics of a group that the report has."""
    return len(topics.intersection(report.topics))


def _how_compared(report: Report) -> str:
    """Describe how the runs were compared in groups, and what the marks mean."""
    by_group, pairs = report.compared.by_group, report.compared.pairs
    if by_group is None or pairs is None or not by_group.comparisons:
        return "No differences were tested: that takes two runs with topics in common."
    settings = pairs.settings
    measures = " and measures" if settings.over == "measures" else " of a measure"
    words = (
        f"+ and − mark values that are significantly better and worse than those of"
        f" {report.names[report.baseline]} in the group ({settings.test}, correction"
        f" {settings.correction} over all groups and runs{measures}, p < {settings.alpha:g}), over the"
        " topics that all runs have. These tests are a family of their own, beside that of the leaderboard."
    )
    if by_group.overlap:
        words += (
            " As some topics are in several groups, no test shows whether differences depend on the group."
        )
    return words


def _tables_of_measure(report: Report, groups: Groups, label: str) -> list[Html]:
    """Return the tables of a measure: means, comparisons, interactions."""
    comparisons: list[GroupComparison] = []
    if report.compared.by_group is not None:
        comparisons = [pair for pair in report.compared.by_group.comparisons if pair.measure == label]
    tables = [scrolling(f"Means of {label} by group", _means(report, groups, label, comparisons))]
    if comparisons:
        tables.append(scrolling(f"Tests of {label} in each group", _tests(report, label, comparisons)))
    by_group = report.compared.by_group
    if comparisons and by_group is not None and by_group.interactions:
        interactions = [pair for pair in by_group.interactions if pair.measure == label]
        title = f"Whether differences of {label} depend on the group"
        tables.append(scrolling(title, _interactions(label, interactions)))
        assert report.compared.pairs is not None, "interactions come of the comparisons of pairs"
        small_groups = small_groups_note(by_group, interactions, report.compared.pairs.settings.alpha)
        if small_groups:
            tables.append(element("p", small_groups, class_="dim"))
    return tables


def _means(report: Report, groups: Groups, label: str, comparisons: Sequence[GroupComparison]) -> Html:
    """Return the table of runs and their means in each group, the mean of these, and the worst group.

    Means that differ significantly from the baseline's have a sign of SIGNS behind them.
    """
    names = [name for name, topics in groups.topics.items() if _count_topics(report, topics)]
    kind = report.column(label).measure.format
    marks = {(pair.run, pair.group): SIGNS[pair.direction] for pair in comparisons}
    rows: list[Sequence[Cell]] = []
    for run in report.best_first(label):
        name, evaluation = report.names[run], report.evaluations[run]
        column = evaluation.labels.index(label)
        texts = {}
        # Besides these groups: MACRO_MEAN, the mean of their means, and WORST_GROUP.
        for group, values in over_groups(evaluation, names).items():
            value = values[column]
            texts[group] = shown(value, DIGITS, kind) if isinstance(value, float) else UNKNOWN
        cells: list[Cell] = [link("runs", name, run=name)]
        for group in names:
            mark = marks.get((name, group), "")
            cells.append(texts[group] + mark + _count_if_lacking(report, run, groups, group))
        cells += [texts[MACRO_MEAN], worst_group(evaluation, names, column) or UNKNOWN]
        rows.append(cells)
    return table(
        f"Means of {label} by group of topics", ["run", *names, "mean of groups", "worst group"], rows
    )


def _count_if_lacking(report: Report, run: int, groups: Groups, name: str) -> str:
    """Return how many topics of a group a run has, ` (3 of 5)`, if it lacks some; empty if it lacks none."""
    topics = groups.topics[name].intersection(report.topics)
    count = len(topics.intersection(report.evaluations[run].topics))
    if count == len(topics) or report.options.complete:
        return ""
    return f" ({count} of {len(topics)})"


def _tests(report: Report, label: str, comparisons: Sequence[GroupComparison]) -> Html:
    """Return the table of runs against the baseline in each group; comparisons: those of one measure."""
    rows = []
    for pair in comparisons:
        row = [pair.run, pair.group, str(pair.topics)]
        row += [
            f"{pair.mean:.{DIGITS}f}",
            f"{pair.other_mean:.{DIGITS}f}",
            signed_difference(pair.difference),
        ]
        row += [p_text(pair.p_value), _starred(pair.corrected, pair.significant)]
        rows.append(row)
    assert report.compared.pairs is not None, "comparisons in groups come of those of pairs"
    settings = report.compared.pairs.settings
    headings = ["run", "group", "topics", "mean", "of the baseline", "difference", "p"]
    headings.append(f"p ({settings.correction})")
    caption = f"{label} in each group against {comparisons[0].other}; * marks p below {settings.alpha:g}"
    return table(caption, headings, rows, text_columns=2)


def _starred(p_value: float, significant: bool) -> str:
    """Return a p-value with a star if it is significant."""
    return f"{p_text(p_value)}*" if significant else p_text(p_value)


def _interactions(label: str, interactions: Sequence[Interaction]) -> Html:
    """Return the table of tests whether differences in a measure depend on the group."""
    rows = []
    for pair in interactions:
        row = [f"{pair.run} against {pair.other}", pair.least, pair.greatest]
        row += [p_text(pair.p_value), _starred(pair.corrected, pair.significant)]
        rows.append(row)
    caption = (
        f"Whether the difference in {label} is another one in another group (Welch's F, of few topics by"
        " random deals of them to groups, too); a difference that is significant in one group and not in"
        " another is no such evidence"
    )
    return table(caption, ["runs", "least in", "greatest in", "p", "p, corrected"], rows, text_columns=3)
