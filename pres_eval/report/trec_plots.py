"""The report as pictures, each by its name, and as a PDF: leaderboard, pictures, tables of topics and runs.

It needs matplotlib (extra: plot).
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pres_eval.errors import plural
from pres_eval.report.drawing import add_legend, named_lines, new_figure
from pres_eval.report.graphs import graphs_of
from pres_eval.report.grid import Grid, written
from pres_eval.report.paper import (
    AS_IT_COMES,
    Figure,
    Paper,
    check_matplotlib,
    check_picture_ending,
    is_narrow,
    picture,
    shared_style,
)
from pres_eval.report.report_numbers import hardest_rows, median_labels, run_text
from pres_eval.report.text import cut
from pres_eval.report.trec_pictures import (
    Subject,
    default_subject,
    draw_bars,
    draw_distributions,
    draw_explained,
    draw_graph,
    draw_intervals,
    draw_median,
    draw_one_graph,
    draw_pair,
    draw_relevant,
    draw_topic,
)
from pres_eval.report.trec_report import Report, title_of

PAGE_INCHES = (11.6, 16.4)
"""Inches of a page of the PDF: as wide as the widest picture needs, with the proportions of A4."""

MARGIN = 0.55
"""Margins of a page in inches."""

LINES_OF_PAGE = 88
"""Lines of a table on a page."""

LETTERS_OF_NAMES = 28
"""Letters of a name for which a table on paper has room."""


def as_picture(
    report: Report,
    path: str,
    name: str | None = None,
    subject: Subject | None = None,
    paper: Paper = AS_IT_COMES,
) -> bytes:
    """Return the picture of that name, in the format of the path's ending.

    Without a name: a PDF with everything; PNG and SVG with the curves and the histogram of the first run.
    Raises UsageError for another ending, or a picture that the report does not have.
    """
    kind = check_picture_ending(path, path)
    check_matplotlib("drawing the report")
    if name is not None:
        return picture(partial(PICTURES[name], report, subject or default_subject(report)), path, paper)
    if kind != ".pdf":
        return picture(partial(draw_curves, report, bool(median_labels(report))), path, paper)
    from matplotlib.backends.backend_pdf import PdfPages

    output = io.BytesIO()
    metadata = {"CreationDate": None, "Title": title_of(report)}
    with shared_style(), PdfPages(output, metadata=metadata) as pages:
        for figure in document(report):
            pages.savefig(figure, bbox_inches=page_around(figure))
    return output.getvalue()


PICTURES: dict[str, Callable[[Report, Subject], Figure]] = {
    "recall-precision": partial(draw_one_graph, "recall-precision"),
    "PRES": partial(draw_one_graph, "PRES"),
    "recall": partial(draw_one_graph, "recall"),
    "ROC": partial(draw_one_graph, "ROC"),
    "leaderboard": draw_intervals,
    "distributions": draw_distributions,
    "relevant": draw_relevant,
    "median": draw_median,
    "pair": draw_pair,
    "topic": draw_topic,
    "explain": draw_explained,
}
"""The functions that draw the pictures, by the names of --picture."""


def page_around(figure: Figure) -> Any:
    """Return the part of the figure's plane that is a page of PAGE_INCHES, the picture at its top.

    It is a box of matplotlib's in inches of the figure; a larger picture has a larger page.
    """
    from matplotlib.transforms import Bbox

    width, height = figure.get_size_inches().tolist()
    if (width, height) == PAGE_INCHES:
        return Bbox.from_extents(0, 0, *PAGE_INCHES)
    # Leave everything where it is in the picture: a legend would go to the edge of the page.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for legend in figure.legends:
        area = legend.get_window_extent().transformed(figure.transFigure.inverted())
        legend.set_loc("center")
        legend.set_bbox_to_anchor(area, transform=figure.transFigure)
    page_width = max(PAGE_INCHES[0], width + 2 * MARGIN)
    page_height = max(PAGE_INCHES[1], height + 2 * MARGIN)
    left, top = (width - page_width) / 2, height + MARGIN
    return Bbox.from_extents(left, top - page_height, left + page_width, top)


def document(report: Report) -> Iterator[Figure]:
    """Yield the pages of the PDF: leaderboard, pictures, topics, and a page for each run."""
    subject = default_subject(report)
    yield from _text_pages(_first_page(report))
    if report.compared.pairs is not None:
        # The first measure of the leaderboard may be a count, which has no intervals.
        yield draw_intervals(report, replace(subject, label=report.main))
    yield draw_curves(report)
    yield draw_distributions(report, subject)
    if len(report.names) > 1:
        yield draw_pair(report, subject)
    yield draw_topic(report, subject)
    yield draw_explained(report, subject)
    yield draw_relevant(report, subject)
    rows = []
    for topic, *numbers in hardest_rows(report, subject.label):
        rows.append([cut(topic, LETTERS_OF_NAMES), *numbers])
    hardest = _lined_up(["topic", "num_rel", "best", "median", "worst"], rows)
    yield from _text_pages([f"{subject.label} on each topic, the hardest first", "", *hardest])
    for run in range(len(report.names)):
        yield _run_page(report, run)


def _first_page(report: Report) -> list[str]:
    """Return the lines of the first page: title, topics, leaderboard."""
    lines = [title_of(report), "", *textwrap.wrap(report.texts.description, 100)]
    lines.append(f"{plural(len(report.topics))}, judged in {report.shown_path(report.inputs.qrels.path)}")
    if report.topics_differ() and not report.options.complete:
        lines.append("The runs have different topics: averages are over each run's own.")
    lines.append("")
    num_topics = report.topic_counts()
    rows = []
    for run in report.best_first(report.board[0]):
        values = [report.text(run, label) for label in report.board]
        rows.append([cut(report.names[run], LETTERS_OF_NAMES), str(num_topics[run]), *values])
    return lines + _lined_up(["run", "topics", *report.board], rows)


def draw_curves(report: Report, histogram: bool = False) -> Figure:
    """Draw recall-precision, PRES and recall against Nmax, and with -N ROC.

    histogram: whether the first run's topics against the median are drawn below
    """
    graphs = graphs_of(report)
    # Panels a to d have the graphs, e the histogram; a semicolon begins a row.
    if is_narrow():
        width, height = 4.8, 18.0
        layout = "a;b;c;d"
        if histogram:
            layout = "a;b;c;d;e"
    else:
        width, height = 9.5, 7.2
        layout = "ab;cd"
        if histogram:
            height = 10.8
            layout = "ab;cd;ee"
    with new_figure(width, height) as figure:
        panels = figure.subplot_mosaic(layout)
        for panel, graph in zip("abcd", graphs, strict=False):
            draw_graph(panels[panel], graph, report)
        for panel in "abcd"[len(graphs) :]:
            panels[panel].remove()
        add_legend(figure, *named_lines(panels["a"].get_lines(), report.names))
        if histogram:
            draw_bars(panels["e"], report, run=0, label=median_labels(report)[0])
    return figure


def _run_page(report: Report, run: int) -> Figure:
    """Draw TREC's tables of a run, and beside them the run against the median."""
    (figure,) = _text_pages([report.names[run], "", *run_text(report, run).splitlines()])
    for number, label in enumerate(median_labels(report)):
        axes = figure.add_axes((0.53, 0.72 - 0.33 * number, 0.42, 0.2))
        draw_bars(axes, report, run, label)
        axes.set_title("\n".join(textwrap.wrap(axes.get_title(), 48)))
    return figure


def _lined_up(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table without rules, its columns below each other."""
    grid = Grid(tuple(headings), tuple(tuple(row) for row in rows))
    return written(grid, "plain").splitlines()


LARGEST_FONT = 9.8
"""Points of the letters of a page of text whose lines are short."""

POINTS_OF_LINE = 1320
"""Letters that a line has room for, times the points of these letters."""


def _text_pages(lines: Sequence[str]) -> Iterator[Figure]:
    """Yield pages with lines of text, in letters as large as the longest line allows."""
    from matplotlib.figure import Figure

    for start in range(0, len(lines), LINES_OF_PAGE):
        part = lines[start : start + LINES_OF_PAGE]
        figure = Figure(figsize=PAGE_INCHES)
        longest = max(map(len, part))
        size = min(LARGEST_FONT, POINTS_OF_LINE / max(longest, 1))
        font: dict[str, Any] = {"family": "monospace", "size": size}
        figure.text(0.06, 0.965, "\n".join(part), va="top", linespacing=1.25, parse_math=False, **font)
        yield figure
