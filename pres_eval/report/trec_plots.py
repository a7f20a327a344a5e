"""The report as pictures, each by its name, and as a PDF with all of them and the tables (extra: plot)."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.errors import UsageError
from pres_eval.report.drawing import check_matplotlib, check_picture_ending, picture, plain_names, style
from pres_eval.report.graphs import graphs_of
from pres_eval.report.report_topics import hardest_topics, median_labels
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import DIGITS, Report, title_of
from pres_eval.report.trec_run_plots import (
    Subject,
    default_subject,
    draw_distributions,
    draw_graph,
    draw_intervals,
    draw_one_graph,
    draw_relevant,
)
from pres_eval.report.trec_tables import run_text
from pres_eval.report.trec_topic_plots import (
    draw_bars,
    draw_explained,
    draw_histogram,
    draw_median,
    draw_pair,
    draw_topic,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = (9.5, 12.3)
"""Inches of a page of tables."""

LINES = 88
"""Lines of a table on a page."""


def as_picture(report: Report, path: str, name: str | None = None, subject: Subject | None = None) -> bytes:
    """The picture of that name, as the ending of the path says.

    Without a name: a PDF with everything; PNG and SVG with the curves and the histogram of the first run.
    Raises UsageError for another ending, or a picture that the report does not have.
    """
    kind = check_picture_ending(path, path)
    check_matplotlib("drawing the report")
    if name is not None:
        draw, need = PICTURES[name]
        subject = subject or default_subject(report)
        if len(subject.runs) < need:
            raise UsageError(f"--picture {name}: a picture of {need} runs, and the report has one")
        return picture(draw(report, subject), path)
    if kind != ".pdf":
        return picture(draw_curves(report, histogram=bool(median_labels(report))), path)
    from matplotlib.backends.backend_pdf import PdfPages

    output = io.BytesIO()
    metadata = {"CreationDate": None, "Title": title_of(report)}
    with style(), PdfPages(output, metadata=metadata) as pages:
        for figure in document(report):
            pages.savefig(figure)
    return output.getvalue()


def draw_curves(report: Report, histogram: bool = False) -> Figure:
    """Recall-precision, PRES and recall against Nmax, ROC with -N; the first run's histogram if wanted."""
    from matplotlib.figure import Figure

    graphs = graphs_of(report)
    with style():
        figure = Figure(figsize=(9.5, 10.8 if histogram else 7.2), layout="constrained")
        panels = figure.subplot_mosaic("ab;cd;ee" if histogram else "ab;cd")
        for place, graph in zip("abcd", graphs, strict=False):
            draw_graph(panels[place], graph, len(report.names))
        for place in "abcd"[len(graphs) :]:
            panels[place].remove()
        figure.legend(
            panels["a"].get_lines(),
            plain_names(report.names),
            loc="outside right upper",
            handlelength=3.5,
        )
        if histogram:
            draw_bars(panels["e"], report, 0, median_labels(report)[0])
    return figure


def document(report: Report) -> Iterator[Figure]:
    """The pages of the PDF: title and leaderboard, pictures, tables of topics, TREC's tables of each run."""
    subject = default_subject(report)
    yield from _text_pages([*_title_lines(report), *_leaderboard_lines(report)])
    yield draw_curves(report)
    if report.pairs is not None:
        yield draw_intervals(report, subject)
    yield draw_distributions(report, subject)
    yield draw_relevant(report, subject)
    yield from _text_pages(_topic_lines(report, subject.label))
    for run, name in enumerate(report.names):
        yield from _text_pages([name, "", *run_text(report, run).splitlines()])
        for label in median_labels(report):
            yield draw_histogram(report, run, label)


def _title_lines(report: Report) -> list[str]:
    lines = [title_of(report), "", *textwrap.wrap(report.description, 100)]
    lines.append(f"{len(report.topics)} topics, judged in {text_of(report.qrels.path)}")
    if report.topics_differ() and not report.options.complete:
        lines.append("The runs have different topics: averages are over each run's own.")
    return [*lines, ""]


def _leaderboard_lines(report: Report) -> list[str]:
    rows = [
        [
            plain_name(name),
            str(report.topic_counts()[run]),
            *(
                shown(report.summary(run, label), DIGITS, report.column(label).measure.format)
                for label in report.board
            ),
        ]
        for run, name in enumerate(report.names)
    ]
    order = np.argsort([-report.summary(run, report.board[0]) for run in range(len(rows))], kind="stable")
    return _lined_up(["run", "topics", *report.board], [rows[run] for run in order])


def _topic_lines(report: Report, label: str) -> list[str]:
    """The topics by the median of the runs."""
    rows = [
        [
            plain_name(text_of(report.topics[topic.place])),
            str(topic.num_rel),
            *(shown(value, DIGITS) for value in (topic.best, topic.median, topic.worst)),
        ]
        for topic in hardest_topics(report, label)
    ]
    title = f"{label} on each topic, the hardest first"
    return [title, "", *_lined_up(["topic", "num_rel", "best", "median", "worst"], rows)]


def plain_name(name: str, most: int = 28) -> str:
    """A name as a table on paper has room for."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _lined_up(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heads, *rows)
    ]


def _text_pages(lines: Sequence[str]) -> Iterator[Figure]:
    from matplotlib.figure import Figure

    for start in range(0, len(lines), LINES):
        part = lines[start : start + LINES]
        figure = Figure(figsize=PAGE)
        widest = max(map(len, part))
        size = min(8.0, 1080 / max(widest, 1))
        figure.text(
            0.06,
            0.965,
            "\n".join(part),
            family="monospace",
            size=size,
            va="top",
            linespacing=1.25,
            parse_math=False,
        )
        yield figure


PICTURES: dict[str, tuple[Callable[[Report, Subject], Figure], int]] = {
    "recall-precision": (draw_one_graph("recall-precision"), 1),
    "PRES": (draw_one_graph("PRES"), 1),
    "recall": (draw_one_graph("recall"), 1),
    "ROC": (draw_one_graph("ROC"), 1),
    "leaderboard": (draw_intervals, 1),
    "distributions": (draw_distributions, 1),
    "relevant": (draw_relevant, 1),
    "median": (draw_median, 1),
    "pair": (draw_pair, 2),
    "topic": (draw_topic, 1),
    "explain": (draw_explained, 1),
}
"""The pictures by the names of --picture: how each is drawn, and of how many runs it is."""
