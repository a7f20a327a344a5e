"""What a picture of --plot shows, as lines of text: panels, lines with their points, words, legends."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator
from typing import Any
from unittest import mock

from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from pres_eval.cli import main

MOST_POINTS = 12
"""Points of a line that are listed; of longer lines the first ones and the last."""


def print_picture(*words: str) -> None:
    """Call the command with `--plot x.svg`, without writing a file, and print what it draws."""
    figures: list[Figure] = []
    messages = io.StringIO()
    with (
        mock.patch.object(Figure, "savefig", lambda figure, *arguments, **options: figures.append(figure)),
        contextlib.redirect_stderr(messages),
    ):
        code = main([*words, "--plot", "x.svg", "--output", "/dev/null"])
    for figure in figures:
        print_figure(figure)
    for line in messages.getvalue().splitlines():
        print(f"! {line}")
    if code:
        print(f"[exit {code}]")


def print_figure(figure: Figure) -> None:
    """Print what a figure shows."""
    width, height = figure.get_size_inches()
    print(f"picture of {width:.4g} by {height:.4g} inches: {figure.get_suptitle()}".rstrip(": "))
    for axes in figure.axes:
        for line in _panel(axes):
            print(line)
    for legend in figure.legends:
        print("legend: " + "; ".join(_legend(legend)))


def _panel(axes: Any) -> Iterator[str]:
    titles = [axes.get_title(loc=place) for place in ("left", "center", "right")]
    yield f"panel: {' / '.join(filter(None, titles))!r}"
    for name, axis, ends in (("x", axes.xaxis, axes.get_xlim()), ("y", axes.yaxis, axes.get_ylim())):
        words = [label.get_text() for label in axis.get_ticklabels()]
        has_names = any(word.strip("\u2212.0123456789") and not word.startswith("$") for word in words)
        ticks = f" ticks {_joined(words)}" if has_names else ""
        scale = "" if axis.get_scale() == "linear" else f" {axis.get_scale()}"
        yield f"  {name}: {axis.get_label_text()!r} {_number(ends[0])} to {_number(ends[1])}{scale}{ticks}"
    for line in axes.get_lines():
        look = f"{to_hex(line.get_color())} {line.get_linestyle()} {line.get_marker()}"
        if line.get_drawstyle() != "default":
            look += f" {line.get_drawstyle()}"
        if line.get_markevery() is not None:
            look += f" every {line.get_markevery()}"
        yield f"  line {_name(line)}({look}): {_points(zip(*line.get_data(), strict=True))}"
    yield from _areas(axes)
    for text in axes.texts:
        yield f"  text {text.get_text()!r} at {_points([getattr(text, 'xy', text.get_position())])}"
    legend = axes.get_legend()
    if legend is not None:
        yield "  legend: " + "; ".join(_legend(legend))


def _areas(axes: Any) -> Iterator[str]:
    bars = [patch for patch in axes.patches if hasattr(patch, "get_height")]
    if bars:
        heights = _points((bar.get_x(), bar.get_height()) for bar in bars)
        yield f"  bars of width {_number(bars[0].get_width())}: {heights}"
    for area in axes.patches:
        if area not in bars:
            yield f"  area {_name(area)}: {_points(area.get_xy())}"
    for collection in axes.collections:
        if isinstance(collection, LineCollection):
            for segment in collection.get_segments():
                yield f"  stroke: {_points(segment)}"
        elif isinstance(collection, PathCollection):
            shades = collection.get_array()
            yield f"  dots: {_points(collection.get_offsets())}"
            if shades is not None:
                yield f"  shades of dots: {_joined(map(_number, shades))}"


def _legend(legend: Any) -> list[str]:
    texts = []
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        look = ""
        if hasattr(handle, "get_marker"):
            look = f" ({to_hex(handle.get_color())} {handle.get_linestyle()} {handle.get_marker()})"
        texts.append(text.get_text() + look)
    return texts


def _name(artist: Any) -> str:
    label = artist.get_label()
    return "" if label.startswith("_") else f"{label!r} "


def _points(points: Any) -> str:
    texts = [f"{_number(x)},{_number(y)}" for x, y in points]
    return _joined(texts)


def _joined(texts: Iterable[str]) -> str:
    listed = list(texts)
    if len(listed) > MOST_POINTS:
        hidden = len(listed) - MOST_POINTS
        listed = [*listed[: MOST_POINTS - 1], f"({hidden} more)", listed[-1]]
    return " ".join(listed)


def _number(value: Any) -> str:
    try:
        return f"{float(value):.4g}"
    except ValueError:
        return str(value)
