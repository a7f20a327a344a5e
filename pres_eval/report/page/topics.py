"""Topics: the table of all, one in full, the hardest ones, and those on which runs differ most."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from pres_eval.analysis.paired import PairedScores, pair_columns, topic_winners, wins_of_runs
from pres_eval.errors import NoCommonTopicError, plural
from pres_eval.report import svg
from pres_eval.report.markup import Html, controls, element, figure, scrolling, section, table
from pres_eval.report.report_numbers import (
    MOST,
    hardest_rows,
    largest_differences,
    relevant_counts,
    topic_measures,
)
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import DIGITS, Report

MISSING = "–"
"""Text where a run does not have a topic."""


def topics(report: Report) -> Html:
    """Return all measures of the first run on each topic; the script shows other runs, and filters."""
    labels = topic_measures(report)
    columns = [(report.per_topic(0, label).tolist(), report.column(label).measure.format) for label in labels]
    rows = [
        [
            text_of(topic),
            *(
                MISSING if np.isnan(values[place]) else shown(values[place], DIGITS, kind)
                for values, kind in columns
            ),
        ]
        for place, topic in enumerate(report.topics)
    ]
    field = element(
        "input", id="filter", type="search", autocomplete="off", spellcheck="false", aria_describedby="shown"
    )
    words = "Filter: part of a topic's id, or conditions such as map < 0.05 P_10 >= 0.2"
    made = table(
        f"All measures of a run: {report.names[0]}",
        ["topic", *labels],
        rows,
        sortable=True,
        name="topics-table",
    )
    return section(
        "topics",
        "Topics",
        controls(("view", "Show"), field=element("label", words, " ", field, class_="grow")),
        element("p", id="shown", role="status"),
        scrolling("Values of each topic", made, rows=len(rows)),
    )


def differences(report: Report) -> Html:
    """Return the topics on which runs differ most."""
    parts = []
    num_rel = {topic: int(np.diff(report.documents.offsets)[n]) for n, topic in enumerate(report.topics)}
    for label in report.compared_by:
        rows = [
            [
                *(text_of(topic), best, worst),
                *(shown(value, DIGITS) for value in (size, best_value, worst_value)),
                str(num_rel[topic]),
            ]
            for topic, best, worst, best_value, worst_value, size in largest_differences(report, label)
        ]
        name = report.heading(label)
        made = table(
            "Topics on which runs differ most",
            ["topic", "best run", "worst run", "difference", "best", "worst", "num_rel"],
            rows,
            text_columns=3,
            sortable=True,
        )
        parts.append(element("div", element("h3", name), scrolling(f"{name}: largest differences", made)))
        with suppress(NoCommonTopicError):
            parts.append(_winners(name, pair_columns(report.evaluations, report.names, [label])))
    return section("differences", "Largest differences between runs", element("div", *parts, class_="charts"))


def _winners(name: str, scores: PairedScores) -> Html:
    """Return the topics that one run wins most clearly, and how many each run wins."""
    rows = [
        [
            one.topic,
            one.best,
            one.second or MISSING,
            *(shown(value, DIGITS) for value in (one.difference, one.value, one.second_value)),
        ]
        for one in list(topic_winners(scores))[:MOST]
    ]
    best = table(
        "Best and second runs",
        ["topic", "best run", "second", "difference", "best", "second value"],
        rows,
        text_columns=3,
        sortable=True,
    )
    won = [(run, *map(str, each[0])) for run, each in zip(scores.runs, wins_of_runs(scores), strict=True)]
    caption = f"Wins over {plural(len(scores.topics))} that all runs have; none where all runs are equal"
    wins = table(caption, ["run", "alone", "shared"], won, sortable=True)
    labels = f"{name}: best and second runs", f"{name}: wins of runs"
    return element("div", *map(scrolling, labels, (best, wins)))


def topic_view(report: Report) -> Html:
    """Return the hardest topics and their numbers of relevant documents; the script opens one topic."""
    label = report.board[0] if report.column(report.board[0]).measure.per_topic else "map"
    several = len(report.names) > 1
    rows = [row[: 5 if several else 3] for row in hardest_rows(report, label)]
    hardest = table(
        f"{label}, the hardest topics first",
        ["topic", "num_rel", *(["best", "median", "worst"] if several else [label])],
        rows,
        sortable=True,
        name="hardest",
    )
    words = f"How many of the {plural(len(report.topics))} have how many relevant documents"
    chart = svg.column_chart(
        "relevant",
        "Relevant documents of the topics",
        words,
        ("relevant documents", "topics"),
        relevant_counts(report),
    )
    return section(
        "topic",
        "A topic",
        controls(("topic-choice", "Topic"), ("topic-run", "Run"), ("topic-nmax", "Nmax")),
        element("div", id="topic-view", hidden=True),
        element(
            "div",
            element(
                "div", element("h3", "Hardest topics"), scrolling("Hardest topics", hardest, rows=len(rows))
            ),
            figure("Relevant documents", words, chart),
            class_="charts",
        ),
        _document(report),
    )


def _document(report: Report) -> Html:
    """Return a document, which the script shows: its grade, and its rank in each run."""
    count = plural(len(report.documents.docnos), "relevant document")
    hint = f"Choose one of the {count} in a topic, or among those that only one of two runs found."
    heading = "A document"
    return element(
        "section",
        element("h2", heading),
        element("div", element("p", hint), id="document-view"),
        id="document",
        class_="script",
        hidden=True,
        aria_label=heading,
    )
