"""Integers written in decimal, however many digits they have."""

from __future__ import annotations

LARGEST = 2**63 - 1
"""What 64 bits hold."""


def nearest_integer(text: str | bytes, largest: int = LARGEST) -> int:
    """The integer that a sign and digits make, or the nearest within -largest - 1 ... largest, as in C.

    Python's int() refuses more than 4,300 digits.
    """
    digits = (text.decode() if isinstance(text, bytes) else text).strip()
    negative = digits.startswith("-")
    digits = digits[digits.startswith(("-", "+")) :].lstrip("0") or "0"
    number = int(digits) if len(digits) < 100 else largest + 1
    return max(-largest - 1, -number) if negative else min(number, largest)
