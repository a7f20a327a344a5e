"""The table of topics, and those on which runs differ most."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.measures.base import Format
from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import controls, scrolling, section, table
from pres_eval.report.report_topics import largest_differences, topic_measures
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import DIGITS, Report

MISSING = "–"
"""What is shown where a run does not have a topic."""


def topics(report: Report) -> Html:
    """All measures of the first run on each topic; the script shows other runs, and filters."""
    labels = topic_measures(report)
    columns = [(report.per_topic(0, label).tolist(), report.column(label).measure.format) for label in labels]
    rows = [
        [text_of(topic), *(_cell(values[place], kind) for values, kind in columns)]
        for place, topic in enumerate(report.topics)
    ]
    field = element(
        "input", id="filter", type="search", autocomplete="off", spellcheck="false", aria_describedby="shown"
    )
    words = "Filter: part of a topic's id, or conditions such as map < 0.05 P_10 >= 0.2"
    caption = f"All measures of a run: {report.names[0]}"
    made = table(caption, ["topic", *labels], rows, sortable=True, name="topics-table")
    return section(
        "topics",
        "Topics",
        controls(("view", "Show"), field=element("label", words, " ", field, class_="grow")),
        element("p", id="shown", role="status"),
        scrolling("Values of each topic", made, rows=len(rows)),
    )


def _cell(value: float, kind: Format) -> str:
    return MISSING if math.isnan(value) else shown(value, DIGITS, kind)


def differences(report: Report) -> Html:
    """The topics on which runs differ most."""
    parts = []
    num_rel = {topic: int(np.diff(report.documents.offsets)[n]) for n, topic in enumerate(report.topics)}
    for label in report.told_by_topic:
        rows = [
            [
                text_of(found.topic),
                report.names[found.best],
                report.names[found.worst],
                shown(found.size, DIGITS),
                shown(found.best_value, DIGITS),
                shown(found.worst_value, DIGITS),
                str(num_rel[found.topic]),
            ]
            for found in largest_differences(report, label)
        ]
        heads = ["topic", "best run", "worst run", "difference", "best", "worst", "num_rel"]
        name = report.heading(label)
        made = table("Topics on which runs differ most", heads, rows, text_columns=3, sortable=True)
        parts.append(element("div", element("h3", name), scrolling(f"{name}: largest differences", made)))
    return section("differences", "Largest differences between runs", element("div", *parts, class_="charts"))
