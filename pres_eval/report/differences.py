"""How differences and intervals are shown to people: with their sign, and a dash where there is no number."""

from __future__ import annotations

import math

UNKNOWN = "-"
"""Stands where there is no number: one topic has no deviation, equal differences no standardised size."""


def signed(value: float, digits: int = 4) -> str:
    """A difference with its sign; `-` where there is no number, `inf` without digits."""
    if math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "+inf" if value > 0 else "-inf"
    return f"{value:+.{digits}f}"


def effect_size(value: float) -> str:
    """A standardised size of an effect: two digits; `-` where there is none."""
    return UNKNOWN if math.isinf(value) else signed(value, 2)


def number(value: float, digits: int = 4) -> str:
    """A number; `-` where there is none."""
    return UNKNOWN if math.isnan(value) else f"{value:.{digits}f}"


def interval(low: float, high: float, digits: int = 4, sign: bool = False) -> str:
    """The ends of an interval, `-` where there is none; a bound alone where it has one end."""
    if math.isnan(low) or math.isnan(high):
        return UNKNOWN
    ends = [signed(end, digits) if sign else f"{end:.{digits}f}" for end in (low, high)]
    if math.isinf(high):
        return f">= {ends[0]}"
    if math.isinf(low):
        return f"<= {ends[1]}"
    return " .. ".join(ends)
