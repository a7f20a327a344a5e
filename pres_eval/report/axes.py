"""The axes of charts: from where to where, their ticks, and the room around the plot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pres_eval.report.markup import Html, element


@dataclass(frozen=True)
class Axis:
    """One axis: its quantity, its ends, and its ticks with their labels."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def position(self, value: float, start: float, end: float) -> float:
        """Return the position of a value between the ends of the axis."""
        low, high = self.low, self.high
        if self.logarithmic:
            value = math.log10(max(value, low))
            low, high = math.log10(low), math.log10(high)
        share = (value - low) / (high - low) if high > low else 0.5
        return start + share * (end - start)


@dataclass(frozen=True)
class Frame:
    """A chart: its axes, its size, and the room around its plot.

    y  none where each row has a name
    """

    x: Axis
    y: Axis = Axis("", 0.0, 1.0, ())
    width: int = 480
    height: int = 340
    left: int = 50
    right: int = 24
    top: int = 10
    bottom: int = 44

    def across(self, value: float) -> float:
        """Return the position of a value of the x axis, from the left."""
        return self.x.position(value, self.left, self.width - self.right)

    def down(self, value: float) -> float:
        """Return the position of a value of the y axis, from the top."""
        return self.y.position(value, self.height - self.bottom, self.top)


def unit_axis(label: str) -> Axis:
    """Return an axis from 0 to 1."""
    return Axis(label, 0.0, 1.0, tuple((tenth / 10, f"{tenth / 10:.1f}") for tenth in range(0, 11, 2)))


def count_axis(label: str, high: float) -> Axis:
    """Return a logarithmic axis of ranks from 1."""
    ticks = [float(10**power) for power in range(int(math.log10(max(high, 1))) + 1)]
    return Axis(label, 1.0, max(high, 2.0), tuple((tick, f"{tick:.0f}") for tick in ticks), logarithmic=True)


def nice_axis(label: str, low: float, high: float) -> Axis:
    """Return an axis with round ticks that takes in the range and 0."""
    low, high = min(low, 0.0), max(high, 0.0)
    span = (high - low) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next((factor for factor in (1, 2, 5) if span / (factor * step) <= 6), 10)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = tuple((number * step, f"{number * step:.{digits}f}") for number in range(first, last + 1))
    return Axis(label, first * step, last * step, ticks)


def count_ticks(count: int) -> tuple[tuple[float, str], ...]:
    """Return ten ticks at most, at round numbers."""
    round_steps = (factor * 10**power for power in range(12) for factor in (1, 2, 5))
    step = next(step for step in round_steps if count <= 10 * step)
    return tuple((float(number), str(number)) for number in range(0, count + 1, step))


def grid(frame: Frame, vertical: bool = True) -> Html:
    """Return the lines behind the plot, and all that is written beside them."""
    right, bottom = frame.width - frame.right, frame.height - frame.bottom
    lines = ""
    tick_labels: list[Html] = []
    for tick, label in frame.y.ticks:
        height = frame.down(tick)
        lines += f"M{frame.left} {height:.1f}H{right}"
        tick_labels.append(text_at(label, frame.left - 6, f"{height + 4:.1f}", "end"))
    if vertical:
        lines += upright_lines(frame)
    axis_label = element(
        "text",
        frame.y.label,
        class_="label",
        transform=f"translate(13 {(frame.top + bottom) / 2:.0f}) rotate(-90)",
        text_anchor="middle",
    )
    return element("g", element("path", class_="grid", d=lines), *tick_labels, axis_label, *x_texts(frame))


def upright_lines(frame: Frame) -> str:
    """Return the path of lines from the ticks of the x axis upwards."""
    bottom = frame.height - frame.bottom
    return "".join(f"M{frame.across(tick):.1f} {frame.top}V{bottom}" for tick, _ in frame.x.ticks)


def text_at(
    text: str, x: float | str, y: float | str, anchor: str | None = "middle", kind: str | None = None
) -> Html:
    """Return a text of that class, which begins, is centred or ends (`anchor`) at a place."""
    return element("text", text, class_=kind, x=x, y=y, text_anchor=anchor)


def x_texts(frame: Frame) -> list[Html]:
    """Return the labels of the ticks below the plot, and that of the axis."""
    bottom = frame.height - frame.bottom
    middle = (frame.left + frame.width - frame.right) / 2
    texts = [text_at(label, f"{frame.across(tick):.1f}", bottom + 16) for tick, label in frame.x.ticks]
    return [*texts, text_at(frame.x.label, f"{middle:.0f}", frame.height - 6, kind="label")]
