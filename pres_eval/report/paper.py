"""Paper of pictures: their width and style, and files that are the same byte for byte.

Figures are made without pyplot: no window, no state.
"""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from pres_eval.errors import UsageError, extra_module

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 (others import it from here)
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414
else:  # only checked: matplotlib takes long to import, and need not be there
    Axes = Figure = object

MILLIMETRES_PER_INCH = 25.4
"""Millimetres of an inch."""

FIGURE_POINTS = 9
"""Points, the size of the letters of a picture before the paper shrinks it."""

LEAST_POINTS = 7.0
"""Points, the size of the smallest letters on paper of a width."""

PAGE_WIDTH, PAGE_HEIGHT = 174.0, 240.0
"""Millimetres of a page, which has room for whole names."""

COLUMN_MILLIMETRES = 84.0
"""Width of a column of a page in two columns."""

EDGE_INCHES = 0.04
"""Inches left above and below what is drawn."""

LEAST_PANEL = 2.2
"""Inches that a panel of a picture needs."""

MOST_SQUEEZED = 0.6
"""Part of its height to which a picture may be squeezed so that it fits a page."""

PICTURE_FORMATS = (".pdf", ".png", ".svg")
"""Endings of the names of pictures."""

_STYLE: dict[Any, Any] = {
    "font.size": FIGURE_POINTS,
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


@dataclass(frozen=True)
class Paper:
    """Paper of a picture: everything but its content.

    width      in millimetres; None: as wide as the picture comes
    untitled   whether its titles are left out
    style      a file of matplotlib's settings, or the name of one of its styles, which comes on top of ours
    highlight  the runs whose curves have colours, by name; those of all others are grey
    """

    width: float | None = None
    untitled: bool = False
    style: str | None = None
    highlight: tuple[str, ...] = ()


AS_IT_COMES = Paper()
"""Paper as wide as the picture comes, with titles and colours."""

PAPER = ContextVar("PAPER", default=AS_IT_COMES)
"""Paper of the picture that is being drawn."""

HEEDS_HIGHLIGHT = ContextVar("HEEDS_HIGHLIGHT", default=False)
"""Whether the picture that is being drawn has curves of runs, and colours those that --highlight names."""


def paper_inches() -> float:
    """Return the inches that a picture may be wide; infinity on paper without a width."""
    width = PAPER.get().width
    return math.inf if width is None else width / MILLIMETRES_PER_INCH


def is_narrow() -> bool:
    """Return whether two panels have no room side by side."""
    return paper_inches() < 2 * LEAST_PANEL


def shrink_factor(figure: Figure) -> float:
    """Return the factor by which the paper shrinks the letters of a figure, 1 at most."""
    return min(1.0, paper_inches() / float(figure.get_size_inches()[0]))


def page_height(width: float) -> float:
    """Return the inches that a figure `width` inches wide may be high, so that it fits a page.

    The paper shrinks the height as it does the width, but to LEAST_POINTS / FIGURE_POINTS of it at least, as
    letters get no smaller.
    """
    if PAPER.get().width is None:
        return math.inf
    factor = max(paper_inches() / width, LEAST_POINTS / FIGURE_POINTS)
    return PAGE_HEIGHT / MILLIMETRES_PER_INCH / factor


LEAST_NAME_LETTERS = 12
"""Letters that a name may have on paper however narrow."""


def room_for(letters: int) -> int:
    """Return how many letters a name may have on the paper, if it may have `letters` on a whole page."""
    share_of_page = min(1.0, paper_inches() * MILLIMETRES_PER_INCH / PAGE_WIDTH)
    return min(letters, max(LEAST_NAME_LETTERS, round(letters * share_of_page)))


def check_picture_path(
    path: str,
    style: str | None = None,
    option: str = "--plot",
    feature: str = "--plot",
    others: tuple[str, ...] = (),
) -> None:
    """Make sure, before long work, that the picture can be made.

    style    the settings or the name of a style that --plot-style names
    option   the option that has the path
    feature  what needs matplotlib, for the message without it
    others   endings of other files that the option takes, which the caller has dealt with, for the message

    Raises UsageError if the name does not end with one of PICTURE_FORMATS, or for a style that cannot be
    read, MissingExtraError if matplotlib is not there.
    """
    check_picture_ending(path, f"{option} {path}", others)
    check_matplotlib(feature)
    if style is not None:
        style_settings(style)


@lru_cache
def style_settings(name: str) -> dict[str, Any]:
    """Return the settings of a file of matplotlib's, or of one of its styles, by name.

    Raises UsageError for a file that cannot be read or has no setting.
    """
    from matplotlib import rc_params_from_file
    from matplotlib.style import library

    expected = "a file of matplotlib's settings (axes.titlesize: 9) or one of its styles (grayscale)"
    settings: dict[Any, Any] = {}
    try:
        if name in library:
            settings = dict(library[name])
        elif "://" not in name:  # matplotlib would fetch an address
            settings = dict(rc_params_from_file(name, use_default_template=False))
    except (OSError, ValueError) as problem:
        raise UsageError(f"--plot-style {name}: {problem}; expected {expected}") from problem
    if not settings:
        raise UsageError(f"--plot-style {name}: found no setting, expected {expected}")
    return settings


def check_picture_ending(path: str, where: str, others: tuple[str, ...] = ()) -> str:
    """Return the ending of a picture's name; raise UsageError if it is not one of PICTURE_FORMATS.

    where   the beginning of the message
    others  further endings that it names
    """
    ending = PurePath(path).suffix.lower()
    if ending not in PICTURE_FORMATS:
        raise UsageError(f"{where}: expected a name that ends with {', '.join((*others, *PICTURE_FORMATS))}")
    return ending


def check_matplotlib(feature: str) -> None:
    """Import matplotlib; raises MissingExtraError if it is not there."""
    with _no_settings_of_this_folder():
        extra_module("matplotlib", feature, "plot")


@contextmanager
def _no_settings_of_this_folder() -> Iterator[None]:
    """Keep matplotlib from reading `matplotlibrc` in the current folder, where the files of a run may lie.

    Nor does it take a window system's name from MPLBACKEND: our figures are never shown.  Both change for the
    whole process, its other threads too, while matplotlib is imported.  Systems without fchdir (Windows), and
    a folder that cannot be opened, have the file read.
    """
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        here: int | None = os.open(".", os.O_RDONLY) if hasattr(os, "fchdir") else None
    except OSError:  # the folder is gone, or cannot be opened to return to it
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
    """Set the width of a figure in millimetres, no higher than a page, with letters of 7 points at least.

    width     None: it keeps its size
    untitled  whether titles are left out; the text at the left above a panel is its name, and stays

    Raises UsageError for a picture that MOST_SQUEEZED would not bring to the height of a page.
    """
    title = figure.get_suptitle()
    if title:
        figure.suptitle("" if untitled else title, fontsize=10, wrap=width is not None)
    for axes in figure.axes:
        axes.set_title("" if untitled else axes.get_title(), wrap=width is not None)
        axes.xaxis.label.set_wrap(width is not None)
    if width is not None:
        figure_width, figure_height = figure.get_size_inches().tolist()
        ratio = width / MILLIMETRES_PER_INCH / figure_width  # above 1 on paper wider than the figure
        height = figure_height * max(ratio, LEAST_POINTS / FIGURE_POINTS)
        height_of_page = PAGE_HEIGHT / MILLIMETRES_PER_INCH
        if MOST_SQUEEZED * height > height_of_page:
            millimetres = height * MILLIMETRES_PER_INCH
            raise UsageError(
                f"--width {width:g}: the picture would be {millimetres:.0f} mm high, and a page has"
                f" {PAGE_HEIGHT:g}; draw fewer measures or topics, or try a greater width"
            )
        figure.set_size_inches(width / MILLIMETRES_PER_INCH, min(height, height_of_page))
        texts: list[Any] = figure.findobj(lambda artist: hasattr(artist, "set_fontsize"))
        for text in texts:
            text.set_fontsize(max(LEAST_POINTS, min(1, ratio) * text.get_fontsize()))


def picture(make: Callable[[], Figure], path: str, paper: Paper = AS_IT_COMES) -> bytes:
    """Return the bytes of the figure, made for a paper, as PNG, SVG or PDF by the ending of the path.

    They are the same each time.  Raises UsageError if the paper highlights runs and the figure has no curves
    of runs.
    """

    def draw() -> bytes:
        """Return the file; called in a context of its own, so that the paper is this picture's alone."""
        PAPER.set(paper)
        HEEDS_HIGHLIGHT.set(False)
        figure = make()
        if paper.highlight and not HEEDS_HIGHLIGHT.get():
            raise UsageError(f"--highlight {paper.highlight[0]}: this picture has no curves of runs")
        return _saved(figure, PurePath(path).suffix.lower()[1:], paper.width, paper.untitled)

    return copy_context().run(draw)


def plotted(make: Callable[[], Figure], path: str | os.PathLike[str] | None) -> Figure:
    """Return the matplotlib figure that is made, and write it if there is a path.

    Raises MissingExtraError without matplotlib, UsageError for an ending that is not .png, .svg or .pdf.
    """
    check_matplotlib("plot")
    if path is not None:
        check_picture_ending(os.fspath(path), f"plot({os.fspath(path)!r})")
        Path(path).write_bytes(picture(make, os.fspath(path)))
    return make()  # a figure that nothing has changed: to be saved, the other one was fitted to a paper


def _saved(figure: Figure, kind: str, width: float | None, untitled: bool) -> bytes:
    """Return the figure as a file of a kind (png, svg, pdf), `width` millimetres wide, None: as it comes.

    Raises UsageError for a width into which its parts do not fit.
    """
    from matplotlib.transforms import Bbox

    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    output = io.BytesIO()
    saved_part: Any = "tight"  # all that is drawn
    with shared_style(), warnings.catch_warnings():
        fit(figure, width, untitled)
        # A run may be named in a script that the font lacks: boxes in the picture, no noise on stderr.
        warnings.filterwarnings("ignore", "Glyph")
        warnings.filterwarnings("default" if width is None else "error", "constrained_layout not applied")
        try:
            if width is not None:
                # As wide as the paper, but no higher than what is drawn: maps leave room above them.
                figure.draw_without_rendering()
                drawn = figure.get_tightbbox()
                saved_part = Bbox.from_extents(
                    0, drawn.y0 - EDGE_INCHES, width / MILLIMETRES_PER_INCH, drawn.y1 + EDGE_INCHES
                )
            figure.savefig(output, format=kind, dpi=150, metadata=metadata, bbox_inches=saved_part)
        except UserWarning as problem:
            assert width is not None, "only a width makes an error of the warning"
            advice = "draw fewer runs, measures or topics"
            for wider in (PAGE_WIDTH, COLUMN_MILLIMETRES):
                if width < wider:
                    advice = f"try {wider:.0f}mm"
            raise UsageError(f"--width {width:g}: too narrow for this picture, {advice}") from problem
    return output.getvalue()


@contextmanager
def shared_style() -> Iterator[None]:
    """Use the settings that all figures share inside the block, and on top of them the paper's style."""
    import matplotlib as mpl

    settings = _STYLE
    style_of_paper = PAPER.get().style
    if style_of_paper is not None:
        settings = _STYLE | style_settings(style_of_paper)
    with mpl.rc_context(settings):
        yield
