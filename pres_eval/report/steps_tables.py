"""Tables of measures that are explained step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pres_eval.analysis.steps import MeasureSteps
from pres_eval.errors import plural
from pres_eval.report.cells import Value
from pres_eval.report.layout import Readers, Table
from pres_eval.report.text import text_of

LINES_AROUND_STEPS = 8
"""Lines of a table besides its steps: title, headings, formula, blank lines."""

STEP_HEADINGS = ("topic", "measure", "rank", "docno", "grade", "step", "adds", "sum")
"""Columns of the table of all steps, for programs."""


def steps_tables(
    topics: Sequence[Sequence[MeasureSteps]], most: int | None, lines: int | None
) -> list[Table]:
    """Return a table for each measure of each topic, and all steps in one table for programs.

    topics  the measures of each topic, topics in the order in which people see them
    most    topics that people see; None or 0: all
    lines   lines of the screen that they have room for, at least one topic; None: any number
    """
    rows: list[tuple[Value, ...]] = []
    values: list[tuple[Value, ...]] = []
    for measures in topics:
        for explained in measures:
            values.append((explained.topic, explained.label, explained.value))
            for step in explained.steps:
                document = step.document
                cells = (document.rank, document.docno, document.grade, step.work, step.adds, step.total)
                rows.append((explained.topic, explained.label, *cells))
    shown: list[Table] = []
    num_lines = num_topics = 0
    for measures in topics:
        num_lines += sum(LINES_AROUND_STEPS + len(explained.steps) for explained in measures)
        screen_is_full = lines is not None and num_topics > 0 and num_lines > lines
        has_most = bool(most) and num_topics == most
        if screen_is_full or has_most:
            break
        shown += [_table(explained) for explained in measures]
        num_topics += 1
    if num_topics < len(topics):
        rest = plural(len(topics) - num_topics, "more topic")
        note = f"{rest}: name those to show, or --max 0 for all"
        shown[-1] = replace(shown[-1], rest=note)
    return [
        Table(name="steps", headings=STEP_HEADINGS, rows=rows, readers=Readers.PROGRAMS),
        Table(name="values", headings=("topic", "measure", "value"), rows=values, readers=Readers.PROGRAMS),
        *shown,
    ]


def _table(explained: MeasureSteps) -> Table:
    """Return the steps of a measure of one topic, for people, with the formula below."""
    rows = []
    for step in explained.steps:
        document = step.document
        rank = "-" if document.rank is None else str(document.rank)
        rows.append((rank, document.docno, document.grade, step.work, step.adds, step.total))
    topic = text_of(explained.topic)
    return Table(
        name=f"{explained.label} of {topic}",
        title=f"Topic {topic}   {explained.label} {explained.value:.4f}",
        headed=True,
        notes=explained.lines,
        headings=("rank", "document", "grade", "step", "adds", "sum"),
        rows=rows,
        left=4,
        readers=Readers.PEOPLE,
    )
