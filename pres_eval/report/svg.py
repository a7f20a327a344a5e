"""Line charts and bar charts as SVG, drawn here so that a page needs no library; colours come from its CSS.

Text is placed for a width of 480; series have the classes c0 ... c7 (colour) and d0 ... d3 (dashes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

COLOURS, DASHES = 8, 4

Point = tuple[float, float, str]
"""x, y, and what a pointer that rests there is told."""


@dataclass(frozen=True)
class Axis:
    """One axis: what it shows, from where to where, and its ticks with their labels."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def place(self, value: float, start: float, end: float) -> float:
        """Where a value stands between the ends of the axis."""
        low, high, value = (
            (math.log10(v) for v in (self.low, self.high, max(value, self.low)))
            if self.logarithmic
            else (self.low, self.high, value)
        )
        share = (value - low) / (high - low) if high > low else 0.5
        return start + share * (end - start)


@dataclass(frozen=True)
class Frame:
    """The size of a chart, and the room around its plot."""

    width: int = 480
    height: int = 340
    left: int = 50
    right: int = 24
    top: int = 10
    bottom: int = 44


def series_class(number: int) -> str:
    """The classes of a series: colour, and dashes where the colours come again."""
    return f"c{number % COLOURS} d{number // COLOURS % DASHES}"


def unit_axis(label: str) -> Axis:
    """An axis from 0 to 1."""
    return Axis(label, 0.0, 1.0, tuple((tenth / 10, f"{tenth / 10:.1f}") for tenth in range(0, 11, 2)))


def count_axis(label: str, high: float) -> Axis:
    """A logarithmic axis of ranks from 1."""
    ticks = [float(10**power) for power in range(int(math.log10(max(high, 1))) + 1)]
    return Axis(label, 1.0, max(high, 2.0), tuple((tick, f"{tick:.0f}") for tick in ticks), logarithmic=True)


def nice_axis(label: str, low: float, high: float) -> Axis:
    """An axis with round ticks that takes in the range and 0."""
    low, high = min(low, 0.0), max(high, 0.0)
    span = (high - low) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next((factor for factor in (1, 2, 5) if span / (factor * step) <= 6), 10)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = tuple((number * step, f"{number * step:.{digits}f}") for number in range(first, last + 1))
    return Axis(label, first * step, last * step, ticks)


def line_chart(
    name: str,
    title: str,
    description: str,
    axes: tuple[Axis, Axis],
    series: Sequence[tuple[str, Sequence[Point]]],
) -> str:
    """Lines over two axes; `name` makes ids unique in the page, each series is (its name, its points)."""
    frame, (x, y) = Frame(), axes
    to_x, to_y = _scales(frame, x, y)
    parts = []
    for number, (label, points) in enumerate(series):
        places = [(f"{to_x(px):.1f}", f"{to_y(py):.1f}", text) for px, py, text in points]
        path = " ".join(f"{'L' if i else 'M'}{px} {py}" for i, (px, py, _) in enumerate(places))
        dots = "".join(
            f'<circle cx="{px}" cy="{py}" r="3"><title>{escape(f"{label}: {text}")}</title></circle>'
            for px, py, text in places
        )
        parts.append(
            f'<g class="series {series_class(number)}" data-run="{number}"><path d="{path}"/>{dots}</g>'
        )
    return _svg(name, title, description, frame, _grid(frame, x, y) + "".join(parts))


def bar_chart(name: str, title: str, description: str, label: str, bars: Sequence[tuple[str, float]]) -> str:
    """Bars above and below 0, one for each (name, value); nan leaves a gap."""
    frame = Frame(width=960, height=300, bottom=40)
    known = [value for _, value in bars if not math.isnan(value)]
    y = nice_axis(label, min(known, default=0.0), max(known, default=0.0))
    x = Axis("Topic", 0.0, float(max(len(bars), 1)), _some_names([name for name, _ in bars]))
    to_x, to_y = _scales(frame, x, y)
    zero = to_y(0.0)
    gap = 0.15 if len(bars) <= 300 else 0.0
    rectangles = []
    for number, (topic, value) in enumerate(bars):
        if math.isnan(value) or value == 0.0:
            continue
        left, right = to_x(number + gap), to_x(number + 1 - gap)
        top, bottom = sorted((to_y(value), zero))
        rectangles.append(
            f'<rect class="{"above" if value > 0 else "below"}" x="{left:.2f}" y="{top:.1f}"'
            f' width="{right - left:.2f}" height="{max(bottom - top, 0.5):.1f}">'
            f"<title>{escape(topic)}: {value:+.4f}</title></rect>"
        )
    line = f'<path class="zero" d="M{frame.left} {zero:.1f}H{frame.width - frame.right}"/>'
    return _svg(
        name, title, description, frame, _grid(frame, x, y, vertical=False) + "".join(rectangles) + line
    )


def _some_names(names: Sequence[str], room: int = 900) -> tuple[tuple[float, str], ...]:
    """As many names under their bars as there is room for."""
    widest = max((len(name) for name in names), default=1)
    step = max(1, -(-len(names) * (min(widest, 12) * 7 + 10) // room))
    return tuple((number + 0.5, _short(names[number])) for number in range(0, len(names), step))


def _short(name: str) -> str:
    return name if len(name) <= 12 else f"{name[:11]}…"


Scale = Callable[[float], float]


def _scales(frame: Frame, x: Axis, y: Axis) -> tuple[Scale, Scale]:
    return (
        lambda value: x.place(value, frame.left, frame.width - frame.right),
        lambda value: y.place(value, frame.height - frame.bottom, frame.top),
    )


def _grid(frame: Frame, x: Axis, y: Axis, vertical: bool = True) -> str:
    to_x, to_y = _scales(frame, x, y)
    right, bottom = frame.width - frame.right, frame.height - frame.bottom
    lines = "".join(f"M{frame.left} {to_y(tick):.1f}H{right}" for tick, _ in y.ticks)
    if vertical:
        lines += "".join(f"M{to_x(tick):.1f} {frame.top}V{bottom}" for tick, _ in x.ticks)
    texts = [
        f'<text x="{frame.left - 6}" y="{to_y(tick) + 4:.1f}" text-anchor="end">{escape(label)}</text>'
        for tick, label in y.ticks
    ]
    texts += [
        f'<text x="{to_x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{escape(label)}</text>'
        for tick, label in x.ticks
    ]
    middle_x, middle_y = (frame.left + right) / 2, (frame.top + bottom) / 2
    texts.append(
        f'<text class="label" x="{middle_x:.0f}" y="{frame.height - 6}" text-anchor="middle">'
        f"{escape(x.label)}</text>"
    )
    texts.append(
        f'<text class="label" transform="translate(13 {middle_y:.0f}) rotate(-90)"'
        f' text-anchor="middle">{escape(y.label)}</text>'
    )
    return f'<path class="grid" d="{lines}"/>{"".join(texts)}'


def _svg(name: str, title: str, description: str, frame: Frame, content: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {frame.width} {frame.height}" role="img"'
        f' aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{content}</svg>'
    )


def swatch(number: int) -> str:
    """A short piece of a series' line, for legends."""
    return (
        f'<svg class="swatch series {series_class(number)}" viewBox="0 0 30 10" aria-hidden="true">'
        '<path d="M1 5H29"/></svg>'
    )
