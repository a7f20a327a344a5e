"""Groups of topics: the means of the runs in each, tests against the baseline, and interactions."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.by_group import ByGroup, GroupComparison
from pres_eval.errors import plural
from pres_eval.reading.topic_files import MACRO, Groups
from pres_eval.report.groups import over_groups, worst_group
from pres_eval.report.markup import Cell, Html, element, link, scrolling, section, table
from pres_eval.report.text import UNKNOWN, p_text, shown, signed, text_of
from pres_eval.report.trec_report import DIGITS, Report

SIGNS = {1: " +", -1: " −", 0: ""}
"""The marks of values that are significantly better or worse than the baseline's."""


def groups_view(report: Report) -> Html:
    """Return the section: for each measure the means by group, and the comparisons in groups."""
    groups = report.groups
    assert groups is not None, "a page has this section where there are groups"
    measures = [report.main, *(label for label in report.board if label != report.main)]
    names = ", ".join(
        f"{name} ({plural(_size(report, own))})" for name, own in groups.topics.items() if _size(report, own)
    )
    return section(
        "groups",
        "Groups of topics",
        element("p", f"Topics are grouped by {text_of(report.shown_path(groups.path))}: {names}."),
        element("p", _words(report), class_="dim"),
        *(
            element("details", element("summary", label), *_of_measure(report, groups, label), open=not place)
            for place, label in enumerate(measures)
        ),
    )


def _size(report: Report, topics: frozenset[bytes]) -> int:
    return len(topics.intersection(report.topics))


def _words(report: Report) -> str:
    """Describe how the runs were compared in groups, and what the marks mean."""
    found, pairs = report.by_group, report.pairs
    if found is None or pairs is None or not found.comparisons:
        return "No differences were tested: that takes two runs with topics in common."
    settings = pairs.settings
    measures = " and measures" if settings.over == "measures" else " of a measure"
    return (
        f"+ and − mark values that are significantly better and worse than those of"
        f" {report.names[report.baseline]} in the group ({settings.test}, correction"
        f" {settings.correction} over all groups and runs{measures}, p < {settings.alpha:g}), over the"
        " topics that all runs have. These tests are a family of their own, beside that of the leaderboard."
        + " As some topics are in several groups, no test shows whether differences depend on the group."
        * found.overlap
    )


def _of_measure(report: Report, groups: Groups, label: str) -> list[Html]:
    """Return the tables of a measure: means, comparisons, interactions."""
    found = report.by_group
    own = [] if found is None else [one for one in found.comparisons if one.measure == label]
    title = f"Whether differences of {label} depend on the group"
    return [
        scrolling(f"Means of {label} by group", _means(report, groups, label, own)),
        *([scrolling(f"Tests of {label} in each group", _tests(report, label, own))] if own else []),
        *([scrolling(title, _between(label, found))] if found and own and found.interactions else []),
    ]


def _means(report: Report, groups: Groups, label: str, own: Sequence[GroupComparison]) -> Html:
    """Return the table of runs and their means in each group."""
    names = [name for name, topics in groups.topics.items() if _size(report, topics)]
    kind = report.column(label).measure.format
    marks = {(one.run, one.group): SIGNS[one.direction] for one in own}
    rows: list[Sequence[Cell]] = []
    for run in report.best_first(label):
        name, evaluation = report.names[run], report.evaluations[run]
        place = evaluation.labels.index(label)
        of_groups = {group: values[place] for group, values in over_groups(evaluation, names).items()}
        texts = {
            group: shown(value, DIGITS, kind) if isinstance(value, float) else UNKNOWN
            for group, value in of_groups.items()
        }
        cells = [
            f"{texts[group]}{marks.get((name, group), '')}{_lacking(report, run, groups, group)}"
            for group in names
        ]
        worst = worst_group(evaluation, place) or UNKNOWN
        rows.append([link("runs", name, run=name), *cells, texts[MACRO], worst])
    return table(
        f"Means of {label} by group of topics", ["run", *names, "mean of groups", "worst group"], rows
    )


def _lacking(report: Report, run: int, groups: Groups, name: str) -> str:
    """Return how many topics of a group a run has, if it lacks some; empty if it has all."""
    wanted = groups.topics[name].intersection(report.topics)
    there = len(wanted.intersection(report.evaluations[run].topics))
    return "" if there == len(wanted) or report.options.complete else f" ({there} of {len(wanted)})"


def _tests(report: Report, label: str, own: Sequence[GroupComparison]) -> Html:
    """Return the table of runs against the baseline in each group."""
    rows = [
        [
            one.run,
            one.group,
            str(one.topics),
            f"{one.mean:.{DIGITS}f}",
            f"{one.other_mean:.{DIGITS}f}",
            signed(one.difference),
            p_text(one.p_value),
            p_text(one.corrected) + "*" * one.significant,
        ]
        for one in own
    ]
    assert report.pairs is not None, "comparisons in groups come of those of pairs"
    settings = report.pairs.settings
    heads = ["run", "group", "topics", "mean", "of the baseline", "difference", "p"]
    caption = f"{label} in each group against {own[0].other}; * marks p below {settings.alpha:g}"
    return table(caption, [*heads, f"p ({settings.correction})"], rows, text_columns=2)


def _between(label: str, found: ByGroup) -> Html:
    """Return the table of whether differences depend on the group."""
    rows = [
        [
            f"{one.run} against {one.other}",
            one.least,
            one.greatest,
            p_text(one.p_value),
            p_text(one.corrected) + "*" * one.significant,
        ]
        for one in found.interactions
        if one.measure == label
    ]
    caption = (
        f"Whether the difference in {label} is another one in another group (Welch's F, by random deals of"
        " the topics to groups); a difference that is significant in one group and not in another is no"
        " such evidence"
    )
    return table(caption, ["runs", "least in", "greatest in", "p", "p, corrected"], rows, text_columns=3)
