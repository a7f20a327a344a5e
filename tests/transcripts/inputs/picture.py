"""What a picture shows, as lines of text, for transcripts: `shown`, `drawn` and `texts`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from matplotlib.figure import Figure

from pres_eval.cli import main


def texts(path: str) -> str:
    """Return the texts of an SVG, in their order, without the numbers along its axes."""
    svg = Path(path).read_text(encoding="utf-8")
    shown_texts = []
    for element in re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL):
        text = re.sub(r"<[^>]*>", "", element).strip()
        if not re.fullmatch(r"[\d.,−]*", text):
            shown_texts.append(text)
    return " | ".join(shown_texts)


def drawn(*words: str) -> None:
    """Call pres-eval with these words and --plot, and print what the picture shows, which is not saved."""
    with patch.object(Figure, "savefig", lambda figure, *arguments, **named: shown(figure)):
        main([*words, "--plot", "drawn.svg", "--quiet", "-o", "drawn.txt"])


def shown(figure: Any) -> None:
    """Print what a figure of matplotlib shows: titles, axes, lines, bars, maps, texts, legends."""
    width, height = figure.get_size_inches()
    print(f"figure {figure.get_suptitle()!r}, {width:.2f} by {height:.2f} inches")
    for axes in figure.axes:
        _show_axes(axes)
        _show_lines(axes)
        _show_areas(axes)
        for text in axes.texts:
            print(f"  text at {_numbers(text.get_position())}: {text.get_text()}")
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    for legend in filter(None, legends):
        print("legend:", ", ".join(text.get_text() for text in legend.get_texts()))


def _numbers(values: Iterable[Any]) -> str:
    """Return numbers with four digits."""
    return " ".join(f"{float(value):.4g}" for value in values)


def _show_axes(axes: Any) -> None:
    title = axes.get_title() or axes.get_title("left")
    print(f"plot {title!r}, x {axes.get_xlabel()!r}, y {axes.get_ylabel()!r}, {axes.get_xscale()}")
    print("  from", _numbers(axes.get_xlim()), "and", _numbers(axes.get_ylim()))
    for name, labels in ("x", axes.get_xticklabels()), ("y", axes.get_yticklabels()):
        ticks = [tick.get_text().replace("\n", " / ") for tick in labels]
        if any(re.search(r"[^\d.,−]", tick) for tick in ticks):
            print(f"  along {name}:", ", ".join(ticks))


def _show_lines(axes: Any) -> None:
    for line in axes.lines:
        # The colour of a line that is not drawn depends on matplotlib's version; its markers have an edge.
        has_line = line.get_linestyle() != "None"
        colour = line.get_color() if has_line else line.get_markeredgecolor()
        marker_colour = "_" if line.get_marker() == "_" else line.get_markerfacecolor()  # a dash has no face
        look = [colour, line.get_linestyle(), line.get_marker(), marker_colour]
        print("  line", *look, f"x {_numbers(line.get_xdata())}; y {_numbers(line.get_ydata())}")
    for collection in axes.collections:
        if hasattr(collection, "get_segments"):
            segments = []
            for segment in collection.get_segments():
                segments.append(" to ".join(_numbers(point) for point in segment))
            print("  segments:", "; ".join(segments))


def _show_areas(axes: Any) -> None:
    for bar in axes.patches:
        if hasattr(bar, "get_width"):
            print("  bar:", _numbers([bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()]))
    for image in axes.images:
        for row in image.get_array().tolist():
            print("  row:", *row)
