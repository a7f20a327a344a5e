"""Topics: the table of all, one in full, the hardest ones, and those on which runs differ most."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from pres_eval.analysis.paired import PairedScores, pair_columns, topic_winners, wins_of_runs
from pres_eval.errors import NoCommonTopicError, plural
from pres_eval.report import svg
from pres_eval.report.markup import Html, controls, element, figure, scrolling, section, table
from pres_eval.report.report_numbers import (
    LISTED_TOPICS,
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
    """Return the section with all measures of the first run on each topic, a table.

    The script shows other runs or measures instead, and filters the topics.
    """
    labels = topic_measures(report)
    columns = [_values_of_first_run(report, label) for label in labels]
    rows = [[text_of(topic), *cells] for topic, *cells in zip(report.topics, *columns, strict=True)]
    field = element(
        "input", id="filter", type="search", autocomplete="off", spellcheck="false", aria_describedby="shown"
    )
    words = "Filter: part of a topic's id, or conditions such as map < 0.05 P_10 >= 0.2"
    values = table(
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
        scrolling("Values of each topic", values, rows=len(rows)),
    )


def _values_of_first_run(report: Report, label: str) -> list[str]:
    """Return the values of a measure on the topics as people are shown them, for the first run."""
    kind = report.column(label).measure.format
    cells = []
    for value in report.per_topic(0, label).tolist():
        cells.append(MISSING if np.isnan(value) else shown(value, DIGITS, kind))
    return cells


def differences(report: Report) -> Html:
    """Return the section with topics on which runs differ most and those that one run wins, by measure."""
    parts = []
    num_rel = dict(zip(report.topics, np.diff(report.documents.offsets).tolist(), strict=True))
    for label in report.compared.topic_measures:
        rows = []
        for topic in largest_differences(report, label):
            row = [text_of(topic.topic), topic.best_run, topic.worst_run]
            row += [shown(value, DIGITS) for value in (topic.difference, topic.best, topic.worst)]
            row.append(str(num_rel[topic.topic]))
            rows.append(row)
        name = report.heading(label)
        largest = table(
            "Topics on which runs differ most",
            ["topic", "best run", "worst run", "difference", "best", "worst", "num_rel"],
            rows,
            text_columns=3,
            sortable=True,
        )
        parts.append(element("div", element("h3", name), scrolling(f"{name}: largest differences", largest)))
        with suppress(NoCommonTopicError):
            parts.append(_winners(name, pair_columns(report.evaluations, report.names, [label])))
    return section("differences", "Largest differences between runs", element("div", *parts, class_="charts"))


def _winners(name: str, scores: PairedScores) -> Html:
    """Return the topics that one run wins most clearly, and how many each run wins.

    scores: of one measure
    """
    rows = []
    for winner in list(topic_winners(scores))[:LISTED_TOPICS]:
        row = [winner.topic, winner.best, winner.second or MISSING]
        row += [shown(value, DIGITS) for value in (winner.difference, winner.value, winner.second_value)]
        rows.append(row)
    best = table(
        "Best and second runs",
        ["topic", "best run", "second", "difference", "best", "second value"],
        rows,
        text_columns=3,
        sortable=True,
    )
    rows_of_runs = []
    for run, wins_by_measure in zip(scores.runs, wins_of_runs(scores), strict=True):
        ((alone, shared),) = wins_by_measure  # one measure
        rows_of_runs.append((run, str(alone), str(shared)))
    caption = f"Wins over {plural(len(scores.topics))} that all runs have; none where all runs are equal"
    wins = table(caption, ["run", "alone", "shared"], rows_of_runs, sortable=True)
    return element(
        "div",
        scrolling(f"{name}: best and second runs", best),
        scrolling(f"{name}: wins of runs", wins),
    )


def topic_view(report: Report) -> Html:
    """Return the section on one topic: without the script the hardest topics, and their relevant documents.

    The script fills in the topic that the reader chooses.
    """
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
            element("div", element("h3", "Hardest topics"), _hardest(report)),
            figure("Relevant documents", words, chart),
            class_="charts",
        ),
        _document_section(report),
    )


def _hardest(report: Report) -> Html:
    """Return the table of the topics by the first measure of the leaderboard, the hardest first."""
    label = report.board[0]
    if not report.column(label).measure.per_topic:
        label = "map"
    headings = ["topic", "num_rel", "best", "median", "worst"]
    if len(report.names) == 1:
        headings = ["topic", "num_rel", label]
    # The value of a single run is the best, the median and the worst: the first of these is enough.
    rows = [row[: len(headings)] for row in hardest_rows(report, label)]
    hardest = table(
        f"{label}, the hardest topics first",
        headings,
        rows,
        sortable=True,
        name="hardest",
    )
    return scrolling("Hardest topics", hardest, rows=len(rows))


def _document_section(report: Report) -> Html:
    """Return the section that the script fills with a document: its grade, and its rank in each run."""
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
