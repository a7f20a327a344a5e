"""The report as pictures, each by its name, and as a PDF with all of them and the tables (extra: plot)."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.analysis.explain import cumulated, explain_topic
from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import FloatArray
from pres_eval.errors import UsageError
from pres_eval.report.graphs import Graph, graphs_of
from pres_eval.report.plots import (
    COLOURS,
    check_matplotlib,
    check_picture_ending,
    draw_cumulated,
    line_styles,
    picture,
    plain,
    plain_names,
    style,
)
from pres_eval.report.text import shown, text_of
from pres_eval.report.trec_report import (
    DIGITS,
    Report,
    above_at_below,
    against_median,
    hardest_topics,
    median_labels,
    relevant_counts,
    run_text,
    title_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE = (9.5, 12.3)
"""Inches of a page of tables."""

LINES = 88
"""Lines of a table on a page."""


@dataclass(frozen=True)
class Subject:
    """What a picture is of, where it is not of everything: indices of runs and of a topic, a measure."""

    runs: tuple[int, ...]
    topic: int
    label: str


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


def default_subject(report: Report) -> Subject:
    """The first two runs, the hardest topic, the first measure of the leaderboard that topics have."""
    label = next(label for label in (*report.board, "map") if report.column(label).measure.per_topic)
    hardest = hardest_topics(report, label)[0].place
    return Subject(runs=tuple(range(min(2, len(report.names)))), topic=hardest, label=label)


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
    count = len(report.names)
    title = report.title or (
        f"Evaluation of {count} runs" if count > 1 else f"Evaluation of {report.names[0]}"
    )
    lines = [title, "", *textwrap.wrap(report.description, 100)]
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


def draw_curves(report: Report, histogram: bool = False) -> Figure:
    """Recall-precision, PRES and recall against Nmax, ROC with -N; the first run's histogram if wanted."""
    from matplotlib.figure import Figure

    graphs = graphs_of(report)
    with style():
        figure = Figure(figsize=(9.5, 10.8 if histogram else 7.2), layout="constrained")
        panels = figure.subplot_mosaic("ab;cd;ee" if histogram else "ab;cd")
        for place, graph in zip("abcd", graphs, strict=False):
            _draw_graph(panels[place], graph, len(report.names))
        for place in "abcd"[len(graphs) :]:
            panels[place].remove()
        figure.legend(
            panels["a"].get_lines(),
            plain_names(report.names),
            loc="outside right upper",
            handlelength=3.5,
        )
        if histogram:
            _draw_bars(panels["e"], report, 0, median_labels(report)[0])
    return figure


def _draw_graph(axes: Axes, graph: Graph, count: int) -> None:
    for points, look in zip(graph.curves, line_styles(count), strict=True):
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], linewidth=1.2, **look)
    if graph.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set_title(graph.title)
    axes.set_xlabel(graph.x)
    axes.set_ylabel(graph.y)
    axes.set_ylim(0, 1)


def _draw_one_graph(name: str) -> Callable[[Report, Subject], Figure]:
    def draw(report: Report, subject: Subject) -> Figure:
        from matplotlib.figure import Figure

        graph = next((graph for graph in graphs_of(report) if graph.name == name), None)
        if graph is None:
            raise UsageError(f"--picture {name}: needs -N, the number of documents in the collection")
        with style():
            figure = Figure(figsize=(7.5, 4.6), layout="constrained")
            axes = figure.subplots()
            _draw_graph(axes, graph, len(report.names))
            names = plain_names(report.names)
            figure.legend(axes.get_lines(), names, loc="outside right upper", handlelength=3.5)
        return figure

    return draw


def _rows_figure(count: int) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 1.2 + 0.24 * count), layout="constrained")
    return figure, figure.subplots()


def draw_intervals(report: Report, subject: Subject) -> Figure:
    """The means of a measure with their intervals, the best run on top."""
    pairs = report.pairs
    if pairs is None or subject.label not in pairs.measures:
        raise UsageError(f"--picture leaderboard: {subject.label} is no average that can be compared")
    row = pairs.measures.index(subject.label)
    order = np.argsort(pairs.gains(row), kind="stable")
    means, places = pairs.means[row][order], np.arange(len(order))
    spread = np.maximum(0.0, [means - pairs.lower[row][order], pairs.upper[row][order] - means])
    with style():
        figure, axes = _rows_figure(len(order))
        axes.errorbar(means, places, xerr=spread, fmt="o", color=COLOURS[0], elinewidth=1.4, capsize=2)
        _label_rows(axes, report, order.tolist(), f"mean {subject.label}")
        confidence = f"{100 * (1 - pairs.settings.alpha):g} %"
        share = ""
        if len(order) > 1:
            letters = axes.secondary_yaxis("right")
            letters.set_yticks(places, [pairs.letters[row][run] for run in order.tolist()])
            letters.tick_params(length=0)
            letters.spines["right"].set_visible(False)
            share = "\nruns that share a letter do not differ significantly, all pairs compared"
        title = f"{plain(subject.label)}: means over {plural(pairs.topics)}, {confidence} intervals{share}"
        axes.set_title(title)
    return figure


def draw_distributions(report: Report, subject: Subject) -> Figure:
    """A measure over topics, a box for each run, the best mean on top."""
    matrix = report.matrix(subject.label)
    order = report.best_first(
        subject.label, [report.summary(run, subject.label) for run in range(len(matrix))]
    )[::-1]
    with style():
        figure, axes = _rows_figure(len(order))
        for place, run in enumerate(order):
            known = matrix[run][np.isfinite(matrix[run])]
            if not len(known):
                continue
            low, first, middle, third, high = np.quantile(known, (0, 0.25, 0.5, 0.75, 1)).tolist()
            axes.hlines(place, low, high, colors="black", linewidth=0.9)
            axes.barh(place, third - first, left=first, height=0.6, color="#56B4E9", edgecolor="black")
            axes.vlines(middle, place - 0.3, place + 0.3, colors=COLOURS[1], linewidth=2)
        _label_rows(axes, report, order, subject.label)
        axes.set_title(f"{plain(subject.label)} over topics: least, quartiles, most")
    return figure


def _label_rows(axes: Axes, report: Report, order: Sequence[int], label: str) -> None:
    names = plain_names(report.names)
    axes.set_yticks(range(len(order)), [names[run] for run in order])
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.set_xlabel(plain(label))
    axes.grid(visible=False, axis="y")


def draw_relevant(report: Report, subject: Subject) -> Figure:
    """How many topics have how many relevant documents."""
    columns = relevant_counts(report)
    with style():
        figure, axes = _rows_figure(10)
        bars = axes.bar([name for name, _ in columns], [count for _, count in columns], color=COLOURS[0])
        axes.bar_label(bars)
        axes.set_xlabel("relevant documents")
        axes.set_ylabel("topics")
        axes.set_title("Relevant documents of the topics")
    return figure


def draw_histogram(report: Report, run: int, label: str = "map") -> Figure:
    """A run's values minus the median of all runs, from the largest difference to the smallest."""
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(9.5, 4.2), layout="constrained")
        _draw_bars(figure.subplots(), report, run, label)
    return figure


def _draw_median(report: Report, subject: Subject) -> Figure:
    if not median_labels(report):
        raise UsageError("--picture median: needs several runs, or --medians")
    label = subject.label if subject.label in median_labels(report) else median_labels(report)[0]
    return draw_histogram(report, subject.runs[0], label)


def _draw_bars(axes: Axes, report: Report, run: int, label: str) -> None:
    values = against_median(report, run, label)
    order = np.argsort(-values, kind="stable")[: int(np.count_nonzero(~np.isnan(values)))]
    _draw_differences(axes, values[order], [text_of(report.topics[topic]) for topic in order])
    name = "AP" if label == "map" else plain(label)
    axes.set_ylabel(f"{name} minus median")
    above, at, below = above_at_below(values)
    whose = "the medians given" if label in report.medians else f"the median of {len(report.names)} runs"
    name = plain_names(report.names)[run]
    axes.set_title(f"{name}: above {whose} on {above}, at it on {at}, below it on {below} topics")


def _draw_differences(axes: Axes, values: FloatArray, topics: Sequence[str]) -> None:
    places = np.arange(len(values))
    axes.bar(places, values, width=0.8 if len(values) < 300 else 1.0, color=bar_colours(values))
    axes.axhline(0, color="black", linewidth=0.8)
    step = max(1, math.ceil(len(values) / 25))
    axes.set_xticks(places[::step], [plain(topic, 14) for topic in topics[::step]], rotation=90)
    axes.set_xlim(-1, len(values))
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("Topic")


def bar_colours(values: FloatArray) -> list[str]:
    """Blue above 0, orange below: as on the page."""
    return [COLOURS[0] if value > 0 else COLOURS[1] for value in values.tolist()]


def draw_pair(report: Report, subject: Subject) -> Figure:
    """Two runs topic against topic, and their differences sorted."""
    from matplotlib.figure import Figure

    first, second = subject.runs[:2]
    one, other = report.per_topic(first, subject.label), report.per_topic(second, subject.label)
    known = np.flatnonzero(np.isfinite(one) & np.isfinite(other))
    differences = one[known] - other[known]
    order = np.argsort(-differences, kind="stable")
    every = plain_names(report.names)
    names = every[first], every[second]
    with style():
        figure = Figure(figsize=(10.5, 4.6), layout="constrained")
        scatter, bars = figure.subplots(1, 2)
        scatter.scatter(other[known], one[known], s=14, color=bar_colours(differences))
        scatter.axline((0, 0), slope=1, color="black", linewidth=0.8)
        scatter.set_xlabel(names[1])
        scatter.set_ylabel(names[0])
        scatter.set_title(f"{plain(subject.label)} of each topic")
        _draw_differences(bars, differences[order], [text_of(report.topics[t]) for t in known[order]])
        bars.set_title(f"{names[0]} minus {names[1]}")
    return figure


def draw_topic(report: Report, subject: Subject) -> Figure:
    """The ranks of a topic's relevant documents in every run, the best run on top."""
    documents = report.documents
    start, stop = (int(end) for end in documents.offsets[subject.topic : subject.topic + 2])
    values = np.nan_to_num(report.matrix(subject.label)[:, subject.topic])
    order = np.argsort(values, kind="stable")
    with style():
        figure, axes = _rows_figure(len(order))
        ranks = [documents.ranks[run, start:stop] for run in order]
        axes.eventplot([each[each > 0] for each in ranks], linelengths=0.6, colors=COLOURS[0])
        _label_rows(axes, report, order.tolist(), "rank")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        topic = plain(text_of(report.topics[subject.topic]))
        axes.set_title(f"{topic}: ranks of its {stop - start} relevant documents")
    return figure


def draw_explained(report: Report, subject: Subject) -> Figure:
    """PRES of a run on a topic as areas."""
    documents, run, nmax = report.documents, subject.runs[0], report.nmax[0]
    chosen = slice(*(int(end) for end in documents.offsets[subject.topic : subject.topic + 2]))
    one = explain_topic(
        report.topics[subject.topic],
        nmax,
        0,
        docnos=documents.docnos[chosen],
        grades=documents.grades[chosen],
        ranks=documents.ranks[run, chosen],
    )
    count = len(one.documents)
    last = nmax + max(count, 1)
    curves: dict[str, Any] = {
        "title": f"{report.names[run]}, {text_of(one.topic)}: PRES_{nmax} = {one.score:.4f}",
        "nmax": nmax,
        "best": cumulated(range(1, count + 1), last),
        "run": cumulated([document.counted for document in one.documents], last),
        "worst": cumulated(range(nmax + 1, nmax + count + 1), last),
    }
    with style():
        figure, axes = _rows_figure(14)
        draw_cumulated(axes, curves)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


PICTURES: dict[str, tuple[Callable[[Report, Subject], Figure], int]] = {
    "recall-precision": (_draw_one_graph("recall-precision"), 1),
    "PRES": (_draw_one_graph("PRES"), 1),
    "recall": (_draw_one_graph("recall"), 1),
    "ROC": (_draw_one_graph("ROC"), 1),
    "leaderboard": (draw_intervals, 1),
    "distributions": (draw_distributions, 1),
    "relevant": (draw_relevant, 1),
    "median": (_draw_median, 1),
    "pair": (draw_pair, 2),
    "topic": (draw_topic, 1),
    "explain": (draw_explained, 1),
}
"""The pictures by the names of --picture: how each is drawn, and of how many runs it is."""
