"""Pictures of analyses: each function takes data and returns a matplotlib Figure.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; every line also has its own dashes and
marker, so that it can be told in black and white.  Figures are made without pyplot: no window, no state.
"""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.errors import MissingExtraError, UsageError
from pres_eval.report.names import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe & Ito (2008) without the yellow, which is too pale for a line on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))

PICTURE_FORMATS = (".pdf", ".png", ".svg")

LEVELS = {0.9: "about the same", 0.8: "noticeable change below"}
"""What a Kendall τ between two rankings of runs means (Voorhees 2000)."""

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.markersize": 4,
    "svg.hashsalt": "pres-eval",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def check_picture_path(path: str) -> None:
    """Make sure, before long work, that the picture can be made.

    Raises UsageError if the name does not end with one of PICTURE_FORMATS, MissingExtraError if matplotlib is
    not there.
    """
    check_picture_ending(path, f"--plot {path}")
    check_matplotlib("--plot")


def check_picture_ending(path: str, where: str) -> str:
    """The ending of a picture's name; raises UsageError if it is not one of PICTURE_FORMATS."""
    ending = PurePath(path).suffix.lower()
    if ending not in PICTURE_FORMATS:
        raise UsageError(f"{where}: expected a name that ends with {', '.join(PICTURE_FORMATS)}")
    return ending


def check_matplotlib(feature: str) -> None:
    """Import matplotlib; raises MissingExtraError if it is not there."""
    try:
        with _no_settings_of_this_folder():
            import matplotlib  # noqa: F401
    except ImportError as problem:
        raise MissingExtraError(feature, "matplotlib", "plot") from problem


@contextmanager
def _no_settings_of_this_folder() -> Iterator[None]:
    """Keep matplotlib from reading `matplotlibrc` in the current folder, where the files of a run may lie.

    Nor does it take a window system's name from MPLBACKEND: our figures are never shown.
    """
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        here: int | None = os.open(".", os.O_RDONLY) if hasattr(os, "fchdir") else None
    except OSError:  # the folder is gone or can't be come back to
        here = None
    try:
        if here is not None:
            os.chdir(os.sep)
        yield
    finally:
        if here is not None:
            os.fchdir(here)
            os.close(here)
        if backend is not None:
            os.environ["MPLBACKEND"] = backend


def picture(figure: Figure, path: str) -> bytes:
    """The figure as PNG, SVG or PDF, as the ending of the path says; the same bytes each time."""
    kind = PurePath(path).suffix.lower()[1:]
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    output = io.BytesIO()
    with style(), warnings.catch_warnings():
        # A run may be named in a script that the font lacks: boxes in the picture, no noise on stderr.
        warnings.filterwarnings("ignore", "Glyph")
        figure.savefig(output, format=kind, dpi=150, metadata=metadata, bbox_inches="tight")
    return output.getvalue()


@contextmanager
def style() -> Iterator[None]:
    """The settings that all figures share, for as long as the block goes."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        yield


def plain(text: str, longest: int = 28) -> str:
    """Text as it is: no formula between dollar signs, no name that a legend leaves out, not too long."""
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def plain_names(names: Sequence[str], longest: int = 28) -> list[str]:
    """The names of runs as they stand in pictures: as `plain` says, but no two that differ look alike."""
    return [plain(name, longest) for name in fitted(names, longest)]


def line_styles(count: int) -> list[dict[str, Any]]:
    """Colour, dashes and marker of so many lines: all different up to 315, without the colour up to 45."""
    colours, markers = islice(cycle(COLOURS), count), islice(cycle(MARKERS), count)
    dashes = islice(cycle(DASHES), count)
    return [
        {"color": colour, "marker": marker, "linestyle": dash}
        for colour, marker, dash in zip(colours, markers, dashes, strict=True)
    ]


def curves(
    labels: Sequence[str],
    panels: Sequence[str],
    x: Sequence[int],
    values: NDArray[Any],
    *,
    xlabel: str,
) -> Figure:
    """Lines over a common x, a panel for each measure, a line for each label: (M, X, R) values (figure 8)."""
    from matplotlib.figure import Figure

    rows = math.ceil(len(panels) / 3)
    columns = min(3, len(panels))
    with style():
        height = max(2.9 * rows, 0.9 + 0.16 * len(labels))
        figure = Figure(figsize=(1.8 + 2.9 * columns, height), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.remove()
        lines = []
        for panel, axes in enumerate(grid.flat[: len(panels)]):
            lines = [
                axes.plot(x, values[panel, :, run], linewidth=1.2, **look)[0]
                for run, look in enumerate(line_styles(len(labels)))
            ]
            axes.set_title(plain(panels[panel]))
            axes.set_xlabel(xlabel)
            axes.set_ylabel(f"mean {plain(panels[panel])}")
            axes.set_ylim(bottom=0)
            axes.set_xlim(left=0)
        figure.legend(lines, plain_names(labels), loc="outside right center", handlelength=3.5)
    return figure


def robustness(
    fractions: Sequence[float], panels: Mapping[str, Mapping[str, NDArray[Any]]], coefficient: str
) -> Figure:
    """The lowest correlation at each fraction of the relevant documents, dots for the samples.

    panels: title -> label of a line -> (F + 1, S) correlations of each sample with the full ranking, the last
    with nothing taken out (figures 3 and 4 of Magdy & Jones, CLEF 2010).  Lines without a number are named as
    such in the legend.
    """
    from matplotlib.figure import Figure

    percent = [*(100 * fraction for fraction in fractions), 100]
    known = [taus[~np.isnan(taus)] for lines in panels.values() for taus in lines.values()]
    lowest = min((float(taus.min()) for taus in known if len(taus)), default=0.75)
    with style():
        figure = Figure(figsize=(1.0 + 3.4 * len(panels), 3.8), layout="constrained")
        grid = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for axes, (title, lines) in zip(grid, panels.items(), strict=True):
            for (label, taus), look in zip(lines.items(), line_styles(len(lines)), strict=True):
                axes.plot(percent, taus.min(axis=1), label=plain(label), linewidth=1.4, **look)
                dots = np.repeat(percent[:-1], taus.shape[1])
                axes.plot(
                    dots,
                    taus[:-1].ravel(),
                    linestyle="none",
                    marker=".",
                    markersize=3,
                    color=look["color"],
                    alpha=0.5,
                )
            for level in LEVELS:
                axes.axhline(level, color="#888888", linewidth=0.9, linestyle=":")
            axes.set_xticks(sorted(set(percent)))
            axes.set_title(plain(title))
            axes.set_xlabel("relevant documents kept (% of each topic)")
            axes.set_ylim(min(0.75, lowest - 0.05), 1.02)
        grid[0].set_ylabel(f"{coefficient} with the full ranking")
        # One above its line, one below: they stay apart however near to each other the lines are.
        for (level, words), side in zip(LEVELS.items(), ("bottom", "top"), strict=True):
            grid[-1].annotate(
                f" {level}: {words}", (1, level), xycoords=("axes fraction", "data"), va=side, fontsize=7
            )
        names = list(dict.fromkeys(label for lines in panels.values() for label in lines))
        handles = {line.get_label(): line for axes in grid for line in axes.get_lines()}
        figure.legend(
            [handles[plain(name)] for name in names],
            [
                f"{plain(name)} ({'lowest' if _has_numbers(panels, name) else 'nan: all tie'})"
                for name in names
            ],
            loc="outside lower center",
            ncols=min(4, len(names)),
            handlelength=3.5,
        )
    return figure


def _has_numbers(panels: Mapping[str, Mapping[str, NDArray[Any]]], name: str) -> bool:
    return any(not np.isnan(lines[name]).all() for lines in panels.values() if name in lines)


def cumulated_curves(topics: Sequence[Mapping[str, Any]]) -> Figure:
    """PRES of topics as areas (figures 1 and 3): cumulated relevant documents by rank, and the two extremes.

    Each topic has `title`, `nmax`, and `best`, `run`, `worst`: (ranks, counts) of the steps of each curve.
    """
    from matplotlib.figure import Figure

    columns = min(3, len(topics))
    rows = math.ceil(len(topics) / columns)
    with style():
        figure = Figure(figsize=(max(4.8, 3.6 * columns), 0.6 + 2.9 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat[len(topics) :]:
            axes.remove()
        for topic, axes in zip(topics, grid.flat[: len(topics)], strict=True):
            draw_cumulated(axes, topic)
        handles, labels = grid.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3 if columns > 1 else 2)
    return figure


def draw_cumulated(axes: Axes, topic: Mapping[str, Any]) -> None:
    """One topic of `cumulated_curves` into axes of your own."""
    from matplotlib.ticker import MaxNLocator

    (best_x, best_y), (run_x, run_y), (worst_x, worst_y) = topic["best"], topic["run"], topic["worst"]
    axes.fill(
        [*best_x, *reversed(run_x)],
        [*best_y, *reversed(run_y)],
        facecolor="#f0f0f0",
        edgecolor="#888888",
        linewidth=0,
        hatch="..",
        label="A1: lost",
    )
    axes.fill(
        [*run_x, *reversed(worst_x)],
        [*run_y, *reversed(worst_y)],
        facecolor="#56B4E9",
        alpha=0.55,
        label="A2: kept",
    )
    axes.plot(best_x, best_y, color="#009E73", linestyle=(0, (5, 2)), linewidth=1.4, label="best case")
    axes.plot(run_x, run_y, color="#000000", linewidth=1.8, label="run")
    axes.plot(worst_x, worst_y, color="#D55E00", linestyle=(0, (1, 1.2)), linewidth=1.6, label="worst case")
    axes.axvline(topic["nmax"], color="#444444", linestyle=(0, (5, 1.5, 1, 1.5)), linewidth=0.9, label="Nmax")
    axes.set_title(plain(topic["title"], 48))
    axes.set_xlabel("rank")
    axes.set_ylabel("relevant documents so far")
    axes.set_xlim(0, run_x[-1] * 1.02)
    axes.set_ylim(0, max(1, run_y[-1]) * 1.04)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
