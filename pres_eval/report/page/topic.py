"""A topic: the hardest ones, and how many relevant documents topics have."""

from __future__ import annotations

from pres_eval.analysis.topics import plural
from pres_eval.report import svg
from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import controls, figure, scrolling, section, table
from pres_eval.report.report_topics import hardest_topics, relevant_counts
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import DIGITS, Report


def topic_view(report: Report) -> Html:
    """The hardest topics, and how many relevant documents topics have; the script lays one topic open."""
    label = report.board[0] if report.column(report.board[0]).measure.per_topic else "map"
    several = len(report.names) > 1
    count = 3 if several else 1
    rows = [
        [
            text_of(report.topics[topic.place]),
            str(topic.num_rel),
            *(shown(value, DIGITS) for value in (topic.best, topic.median, topic.worst)[:count]),
        ]
        for topic in hardest_topics(report, label)
    ]
    heads = ["topic", "num_rel", *(["best", "median", "worst"] if several else [label])]
    hardest = table(f"{label}, the hardest topics first", heads, rows, sortable=True, name="hardest")
    columns = relevant_counts(report)
    words = f"How many of the {plural(len(report.topics))} have how many relevant documents"
    chart = svg.column_chart(
        "relevant", "Relevant documents of the topics", words, ("relevant documents", "topics"), columns
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
    """A document, which the script shows: its grade, and its rank in each run."""
    count = plural(len(report.documents.docnos), "relevant document")
    hint = f"Choose one of the {count} in a topic, or among those that only one of two runs found."
    shown_there = element("div", element("p", hint), id="document-view")
    heading = "A document"
    return element(
        "section",
        element("h2", heading),
        shown_there,
        id="document",
        class_="script",
        hidden=True,
        aria_label=heading,
    )
