"""The axes of charts: from where to where, their ticks, and the room around the plot."""

from __future__ import annotations

import math
from collections.abc import Callable
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

    def place(self, value: float, start: float, end: float) -> float:
        """Return the place of a value between the ends of the axis."""
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
    step = next(
        step for power in range(12) for factor in (1, 2, 5) if count <= 10 * (step := factor * 10**power)
    )
    return tuple((float(number), str(number)) for number in range(0, count + 1, step))


Scale = Callable[[float], float]


def scales(frame: Frame, x: Axis, y: Axis) -> tuple[Scale, Scale]:
    """Return the scales that values of either axis are drawn on."""
    return (
        lambda value: x.place(value, frame.left, frame.width - frame.right),
        lambda value: y.place(value, frame.height - frame.bottom, frame.top),
    )


def grid(frame: Frame, x: Axis, y: Axis, vertical: bool = True) -> Html:
    """Return the lines behind the plot, and all that is written beside them."""
    to_x, to_y = scales(frame, x, y)
    right, bottom = frame.width - frame.right, frame.height - frame.bottom
    lines = "".join(f"M{frame.left} {to_y(tick):.1f}H{right}" for tick, _ in y.ticks)
    return element(
        "g",
        element("path", class_="grid", d=lines + upright_lines(frame, x) * vertical),
        *(text_at(label, frame.left - 6, f"{to_y(tick) + 4:.1f}", "end") for tick, label in y.ticks),
        element(
            "text",
            y.label,
            class_="label",
            transform=f"translate(13 {(frame.top + bottom) / 2:.0f}) rotate(-90)",
            text_anchor="middle",
        ),
        *x_texts(frame, x, to_x),
    )


def upright_lines(frame: Frame, x: Axis) -> str:
    """Return the path of lines from the ticks of the x axis upwards."""
    to_x, _ = scales(frame, x, x)
    return "".join(f"M{to_x(tick):.1f} {frame.top}V{frame.height - frame.bottom}" for tick, _ in x.ticks)


def text_at(
    text: str, x: float | str, y: float | str, anchor: str | None = "middle", kind: str | None = None
) -> Html:
    """Return a text of that class, which begins, is centred or ends (`anchor`) at a place."""
    return element("text", text, class_=kind, x=x, y=y, text_anchor=anchor)


def x_texts(frame: Frame, x: Axis, to_x: Scale) -> list[Html]:
    """Return the labels of the ticks below the plot, and that of the axis."""
    bottom = frame.height - frame.bottom
    middle = (frame.left + frame.width - frame.right) / 2
    texts = [text_at(label, f"{to_x(tick):.1f}", bottom + 16) for tick, label in x.ticks]
    return [*texts, text_at(x.label, f"{middle:.0f}", frame.height - 6, kind="label")]
