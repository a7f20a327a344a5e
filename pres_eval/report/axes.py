"""The axes of charts: from where to where, their ticks, and the room around the plot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import cycle

from pres_eval.report.markup import Html, element


@dataclass(frozen=True)
class Axis:
    """One axis: the label of its quantity, the values at its ends, and its ticks: values and their labels."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def position(self, value: float, start: float, end: float) -> float:
        """Return the position of a value, if `low` is at the position `start` and `high` at `end`.

        An axis whose ends are the same has all values in its middle.
        """
        low, high = self.low, self.high
        if self.logarithmic:
            value = math.log10(max(value, low))
            low, high = math.log10(low), math.log10(high)
        share = 0.5
        if high > low:
            share = (value - low) / (high - low)
        return start + share * (end - start)


@dataclass(frozen=True)
class Frame:
    """A chart: its axes, its size, and the room around its plot, in the units of the SVG's viewBox.

    y  has neither label nor ticks where each row of the chart has a name
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
    """Return an axis from 0 to 1, with ticks at 0.0, 0.2 ... 1.0."""
    ticks = [tenths / 10 for tenths in range(0, 11, 2)]
    return Axis(label, 0.0, 1.0, tuple((tick, f"{tick:.1f}") for tick in ticks))


def rank_axis(label: str, high: float) -> Axis:
    """Return a logarithmic axis of ranks from 1, with ticks at 1, 10, 100 ..."""
    highest_power = int(math.log10(max(high, 1)))
    ticks = []
    for power in range(highest_power + 1):
        tick = 10**power
        ticks.append((float(tick), str(tick)))
    return Axis(label, 1.0, max(high, 2.0), tuple(ticks), logarithmic=True)


def nice_axis(label: str, low: float, high: float) -> Axis:
    """Return an axis from one round tick to another, some six steps apart, that takes in the range and 0.

    >>> [text for _, text in nice_axis("MAP", 0.0, 0.23).ticks]
    ['0.00', '0.05', '0.10', '0.15', '0.20', '0.25']
    """
    low, high = min(low, 0.0), max(high, 0.0)
    span = (high - low) or 1.0
    power_of_ten = 10.0 ** math.floor(math.log10(span / 4))
    # The least of 1, 2, 5 and 10 times the power of ten that makes six steps or fewer.
    step = 10 * power_of_ten
    for factor in (5, 2, 1):
        if span / (factor * power_of_ten) <= 6:
            step = power_of_ten * factor
    # 1e-9: a number of steps that is whole but for a rounding error counts as whole.
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = []
    for number in range(first, last + 1):
        tick = number * step
        ticks.append((tick, f"{tick:.{digits}f}"))
    return Axis(label, first * step, last * step, tuple(ticks))


def count_ticks(count: int) -> tuple[tuple[float, str], ...]:
    """Return the ticks of an axis from 0 to a count: ten steps at most, of 1, 2, 5, 10, 20, 50 ..."""
    step = 1
    for factor in cycle((2, 2.5, 2)):  # 1 to 2, 2 to 5, 5 to 10, and so on
        if count <= 10 * step:
            break
        step = int(step * factor)
    return tuple((float(number), str(number)) for number in range(0, count + 1, step))


def grid(frame: Frame, vertical: bool = True) -> Html:
    """Return the lines behind the plot at the ticks, and the labels of both axes and of their ticks.

    vertical: whether there are lines at the ticks of x, too
    """
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
    """Return a text at a place.

    anchor: what of it is at x: "middle", "end", None: its beginning; kind: its class, for page.css
    """
    return element("text", text, class_=kind, x=x, y=y, text_anchor=anchor)


def x_texts(frame: Frame) -> list[Html]:
    """Return the labels of the ticks below the plot, and that of the axis."""
    bottom = frame.height - frame.bottom
    middle = (frame.left + frame.width - frame.right) / 2
    texts = [text_at(label, f"{frame.across(tick):.1f}", bottom + 16) for tick, label in frame.x.ticks]
    return [*texts, text_at(frame.x.label, f"{middle:.0f}", frame.height - 6, kind="label")]
