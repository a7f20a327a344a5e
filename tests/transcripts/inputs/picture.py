"""What a picture shows, as lines of text, for transcripts: `shown`, `drawn` and `texts`."""

import re
from pathlib import Path
from unittest.mock import patch

from matplotlib.figure import Figure

from pres_eval.cli import main


def texts(path):
    """Return the texts of an SVG, in their order, without the numbers along its axes."""
    svg = Path(path).read_text(encoding="utf-8")
    found = [
        re.sub(r"<[^>]*>", "", text).strip()
        for text in re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    ]
    return " | ".join(text for text in found if not re.fullmatch(r"[\d.,−]*", text))


def drawn(*words):
    """Call pres-eval with these words and a --plot, and print what its picture shows in place of saving it."""
    saved = patch.object(Figure, "savefig", lambda figure, *args, **named: shown(figure))
    with saved:
        main([*words, "--plot", "drawn.svg", "--quiet", "-o", "drawn.txt"])


def numbers(values):
    """Return numbers with four digits."""
    return " ".join(f"{float(value):.4g}" for value in values)


def shown(figure):
    """Print what a figure of matplotlib shows: titles, axes, lines, bars, maps, texts, legends."""
    print(
        f"figure: {figure.get_size_inches()[0]:.1f} inches wide, {len(figure.axes)} plots",
        figure.get_suptitle(),
    )
    for axes in figure.axes:
        title = axes.get_title() or axes.get_title("left")
        print(f"plot {title!r}, x {axes.get_xlabel()!r}, y {axes.get_ylabel()!r}, {axes.get_xscale()}")
        print("  from", numbers(axes.get_xlim()), "and", numbers(axes.get_ylim()))
        for name, labels in ("x", axes.get_xticklabels()), ("y", axes.get_yticklabels()):
            ticks = [tick.get_text().replace("\n", " / ") for tick in labels]
            if any(re.search(r"[^\d.,−]", tick) for tick in ticks):
                print(f"  along {name}:", ", ".join(ticks))
        for line in axes.lines:
            look = (
                f"{line.get_color()} {line.get_linestyle()} {line.get_marker()} {line.get_markerfacecolor()}"
            )
            print(f"  line {look}: x {numbers(line.get_xdata())}; y {numbers(line.get_ydata())}")
        for collection in axes.collections:
            if hasattr(collection, "get_segments"):
                ends = [
                    " to ".join(numbers(point) for point in segment) for segment in collection.get_segments()
                ]
                print("  segments:", "; ".join(ends))
        for bar in axes.patches:
            if hasattr(bar, "get_width"):
                print("  bar:", numbers([bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()]))
        for image in axes.images:
            for row in image.get_array().tolist():
                print("  row:", *row)
        for text in axes.texts:
            print(f"  text at {numbers(text.get_position())}: {text.get_text()}")
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    for legend in legends:
        if legend is not None:
            print("legend:", ", ".join(text.get_text() for text in legend.get_texts()))
