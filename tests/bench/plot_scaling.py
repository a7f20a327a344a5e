"""Draw wall time and memory against the number of lines, on logarithmic axes, as an SVG file.

    python tests/bench/plot_scaling.py scaling.svg 1e5:0.175:44 1e6:0.265:57 ...

Each point is lines:seconds:megabytes, as run_bench.py measured them (rows size5, size6, size7).
"""

from __future__ import annotations

import sys

from matplotlib.figure import Figure


def draw(points: list[tuple[float, float, float]]) -> Figure:
    """The two curves, one above the other."""
    figure = Figure(figsize=(6, 5), layout="constrained")
    lines, seconds, megabytes = zip(*points, strict=True)
    above, below = figure.subplots(2, 1, sharex=True)
    above.loglog(lines, seconds, "o-", color="#0072B2")
    above.set_ylim(0.05, 10)
    above.set_ylabel("wall time, s")
    below.loglog(lines, megabytes, "s--", color="#D55E00")
    below.set_ylim(10, 1000)
    below.set_ylabel("peak memory, MB")
    below.set_xlabel("lines of the run")
    for axes in (above, below):
        axes.grid(visible=True, alpha=0.3)
        axes.yaxis.set_major_formatter("{x:g}")
    return figure


def main(path: str, *texts: str) -> None:
    """Draw the points given as text."""
    points = []
    for text in texts:
        lines, seconds, megabytes = map(float, text.split(":"))
        points.append((lines, seconds, megabytes))
    draw(points).savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
