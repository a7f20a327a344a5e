"""The graphs of the TREC evaluation report as pictures (extra: plot)."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.report.plots import (
    COLOURS,
    check_matplotlib,
    check_picture_ending,
    line_styles,
    picture,
    plain,
    style,
)
from pres_eval.report.text import text_of
from pres_eval.report.trec_report import RECALL_LEVELS, Report, above_at_below, against_median, roc_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = ("rp", "pres", "recall", "roc", "histogram")


def as_picture(report: Report, path: str) -> bytes:
    """The graphs as the ending of the path says.

    PDF: a page with the curves, and one for each run with its histogram.  PNG and SVG: one picture with the
    curves and the histogram of the first run.  Raises UsageError for another ending.
    """
    kind = check_picture_ending(path, path)
    check_matplotlib("drawing the report")
    several = len(report.names) > 1
    if kind != ".pdf":
        return picture(draw_curves(report, histogram=several), path)
    from matplotlib.backends.backend_pdf import PdfPages

    output = io.BytesIO()
    with style(), PdfPages(output, metadata={"CreationDate": None}) as pages:
        pages.savefig(draw_curves(report))
        for run in range(len(report.names) if several else 0):
            pages.savefig(draw_histogram(report, run))
    return output.getvalue()


def draw_curves(report: Report, histogram: bool = False) -> Figure:
    """Recall-precision, PRES and recall against Nmax, ROC with -N; the first run's histogram if wanted."""
    from matplotlib.figure import Figure

    with style():
        layout = "ab;cd;ee" if histogram else "ab;cd"
        figure = Figure(figsize=(9.5, 10.8 if histogram else 7.2), layout="constrained")
        panels = dict(zip(PANELS, figure.subplot_mosaic(layout).values(), strict=False))
        looks = line_styles(len(report.names))
        for run, look in enumerate(looks):
            precision = [report.summary(run, f"iprec_at_recall_{level}") for level in RECALL_LEVELS]
            panels["rp"].plot([float(level) for level in RECALL_LEVELS], precision, linewidth=1.2, **look)
            for name, measure in (("pres", "PRES"), ("recall", "recall")):
                values = [report.summary(run, f"{measure}_{cutoff}") for cutoff in report.grid]
                panels[name].plot(report.grid, values, linewidth=1.2, **look)
            if report.options.num_docs_in_coll:
                curve = roc_curve(report, run)
                fallout, recall = [point.fallout for point in curve], [point.recall for point in curve]
                panels["roc"].plot(fallout, recall, linewidth=1.2, **look)
        _label(panels["rp"], "Recall-precision", "Recall", "Interpolated precision")
        _label(panels["pres"], "PRES against Nmax", "Nmax (documents)", "PRES")
        _label(panels["recall"], "Recall against Nmax", "Nmax (documents)", "Recall")
        for name in ("pres", "recall"):
            panels[name].set_xscale("log")
            panels[name].xaxis.set_major_formatter("{x:g}")
        if report.options.num_docs_in_coll:
            _label(panels["roc"], "ROC", "Fallout", "Recall")
        else:
            panels["roc"].remove()
        lines = panels["rp"].get_lines()
        figure.legend(
            lines, [plain(name) for name in report.names], loc="outside right upper", handlelength=3.5
        )
        if histogram:
            _draw_bars(panels["histogram"], report, 0)
    return figure


def draw_histogram(report: Report, run: int) -> Figure:
    """A run's average precision on each topic, minus the median of all runs."""
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(9.5, 4.2), layout="constrained")
        _draw_bars(figure.subplots(), report, run)
    return figure


def _draw_bars(axes: Axes, report: Report, run: int) -> None:
    values = against_median(report, run)
    places = np.arange(len(values))
    axes.bar(
        places, np.nan_to_num(values), color=[COLOURS[0] if value > 0 else COLOURS[1] for value in values]
    )
    axes.axhline(0, color="black", linewidth=0.8)
    step = max(1, math.ceil(len(values) / 25))
    names = [plain(text_of(topic), 14) for topic in report.topics[::step]]
    axes.set_xticks(places[::step], names, rotation=90)
    axes.set_xlim(-1, len(values))
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("Topic")
    axes.set_ylabel("AP minus median AP")
    above, at, below = above_at_below(values)
    count = (
        f"above the median of {len(report.names)} runs on {above}, at it on {at}, below it on {below} topics"
    )
    axes.set_title(f"{plain(report.names[run])}: {count}")


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(0, 1)
