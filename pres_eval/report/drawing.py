"""How pictures look: colours, lines, names, and files that are the same byte for byte.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; every line also has its own dashes and
marker, so that it can be told in black and white.  Figures are made without pyplot: no window, no state.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pres_eval.errors import MissingExtraError, UsageError
from pres_eval.report.names import fitted
from pres_eval.report.text import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 (others import it from here)
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414
else:  # only checked: matplotlib takes long to import, and need not be there
    Axes = Figure = object

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe & Ito (2008) without the yellow, which is too pale for a line on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")

DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))

MILLIMETRES, LEAST_LETTERS = 25.4, 7.0
"""Of an inch; points of the smallest letters in a paper."""

PICTURE_FORMATS = (".pdf", ".png", ".svg")

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


def fit(figure: Figure, width: float | None, untitled: bool) -> None:
    """Make a figure so many millimetres wide, with letters of 7 points at least, and without titles."""
    for axes in figure.axes:
        axes.set_title("" if untitled else axes.get_title(), wrap=width is not None)
        axes.xaxis.label.set_wrap(width is not None)
    if width is not None:
        wide, high = figure.get_size_inches().tolist()
        ratio = width / MILLIMETRES / wide
        figure.set_size_inches(width / MILLIMETRES, high * max(ratio, LEAST_LETTERS / 9))
        texts: list[Any] = figure.findobj(lambda each: hasattr(each, "set_fontsize"))
        for text in texts:
            text.set_fontsize(max(LEAST_LETTERS, min(1, ratio) * text.get_fontsize()))


def picture(figure: Figure, path: str, width: float | None = None, untitled: bool = False) -> bytes:
    """The figure as PNG, SVG or PDF, as the ending of the path says; the same bytes each time.

    width: in millimetres, None: as it was made.
    """
    kind = PurePath(path).suffix.lower()[1:]
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    output = io.BytesIO()
    around = "tight" if width is None else None
    with style(), warnings.catch_warnings():
        fit(figure, width, untitled)
        # A run may be named in a script that the font lacks: boxes in the picture, no noise on stderr.
        warnings.filterwarnings("ignore", "Glyph")
        warnings.filterwarnings("default" if width is None else "error", "constrained_layout not applied")
        try:
            figure.savefig(output, format=kind, dpi=150, metadata=metadata, bbox_inches=around)
        except UserWarning as problem:
            raise UsageError(f"--width {width:g}: too narrow for this picture, try 174mm") from problem
    return output.getvalue()


@contextmanager
def style() -> Iterator[None]:
    """The settings that all figures share, for as long as the block goes."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        yield


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches, to be drawn inside the block."""
    from matplotlib.figure import Figure

    with style():
        yield Figure(figsize=(width, height), layout="constrained")


@contextmanager
def one_plot(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """A figure of so many inches with one plot in it."""
    with new_figure(width, height) as figure:
        yield figure, figure.subplots()


def axes_in_rows(figure: Figure, count: int, columns: int) -> list[Axes]:
    """So many plots in rows of so many columns; the last row may have fewer."""
    grid = figure.subplots(-(-count // columns), columns, squeeze=False)
    for axes in grid.flat[count:]:
        axes.remove()
    return list(grid.flat[:count])


def plain(text: str, longest: int = 28) -> str:
    """Text as it is: no formula between dollar signs, no name that a legend leaves out, not too long."""
    text = cut(text, longest)
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


MOST_COLOURED, HIGHLIGHTED = 8, 5
"""Of more lines than the first, only so many as the second have colours."""

OTHERS: dict[str, Any] = {"color": "#c8c8c8", "marker": "", "linestyle": "-", "zorder": 1.5}


def run_styles(count: int, best: Sequence[int]) -> list[dict[str, Any]]:
    """`line_styles` of runs, of many the best alone, the others grey; `best` are the runs, the best first."""
    coloured = range(count) if count <= MOST_COLOURED else best[:HIGHLIGHTED]
    return [look if run in coloured else OTHERS for run, look in enumerate(line_styles(count))]


def named_lines(lines: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], list[str]]:
    """The lines of a legend with their names: those that have colours, and the others as one."""
    named = list(zip(lines, plain_names(names), strict=True))
    coloured = [each for each in named if each[0].get_color() != OTHERS["color"]]
    others = [each for each in named if each not in coloured]
    shown = [*coloured, *((line, f"{len(others)} other runs") for line, _ in others[:1])]
    return [line for line, _ in shown], [name for _, name in shown]
