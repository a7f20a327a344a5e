r"""Ids and numbers as text: how the bytes of a file and the bits of a double are written in a report.

Ids are bytes and may be anything; reports are UTF-8.  One rule for all of them, which can be taken back:
an id that is UTF-8, without control characters and without a backslash-x-two-digits of its own is shown as it
is; in any other each byte that is not part of a printable character, and each backslash, becomes `\xNN`.  So
does the first byte of what would be a command in the log of a CI system.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from pres_eval.measures.base import Format

# Patterns are compiled where they are first used: most ids need none of them.
_ESCAPED = r"\\x([0-9a-f]{2})"
# Besides control characters those that turn the direction of text or end a line, and blanks that are none:
# a tag must not be able to show as another one; and what CI systems take for a command: `::error::` where a
# line begins, `##[error]`.
_UNSAFE = r"^\s*:(?=:)|#(?=#(?:vso)?\[)" + (
    "|[\x00-\x1f\x7f-\xa0\xad\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\udc80-\udcff]"
)


def text_of(identifier: bytes | str) -> str:
    r"""An id as printable text: the bytes of `EP1` are `EP1`; a byte that is no UTF-8 is `\xe9`."""
    text = identifier.decode("utf-8", "surrogateescape") if isinstance(identifier, bytes) else identifier
    if text.isascii() and text.isprintable() and not ("\\" in text or "::" in text or "##" in text):
        return text
    if re.search(_ESCAPED, text) is None and re.search(_UNSAFE, text) is None:
        return text
    return re.sub(_UNSAFE, lambda found: _hexadecimal(found[0]), text.replace("\\", r"\x5c"))


def _hexadecimal(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def bytes_of(text: str) -> bytes:
    """The id of which `text_of` made this text."""
    parts = re.split(_ESCAPED, text)
    return b"".join(bytes.fromhex(part) if i % 2 else part.encode("utf-8") for i, part in enumerate(parts))


UNKNOWN = "-"
"""Stands where there is no number: one topic has no deviation, equal differences no standardised size."""


def cut(text: str, most: int) -> str:
    """The text, or as many of its first letters as there is room for."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def exact(value: float, format: Format = Format.FLOAT) -> str:
    """A number with all its digits, from which the same double is read; `nan`, `-nan`, `inf`, `-inf`."""
    value = float(value)
    if format is Format.COUNT and value.is_integer():
        return str(int(value))
    return "-nan" if math.isnan(value) and math.copysign(1.0, value) < 0 else repr(value)


def shown(value: float, digits: int, format: Format = Format.FLOAT) -> str:
    """A number for people: so many digits after the point, counts whole, `nan` without a sign."""
    if math.isnan(value):
        return "nan"
    return f"{value:.{0 if format is Format.COUNT and value.is_integer() else digits}f}"


def percentage(fraction: float) -> str:
    """A fraction as people read it: 20 %."""
    return f"{100 * fraction:g} %"


def falling_notes(labels: Sequence[str], falling: Collection[str]) -> list[str]:
    """A note on those of the measures of which less is better; none where there are none."""
    found = [label for label in dict.fromkeys(labels) if label in falling]
    return [f"less is better: {', '.join(found)}"] if found else []


def moved(before: int, after: int) -> str:
    """A position, and where it is now if that is another."""
    return str(before) if before == after else f"{before} to {after}"


def p_text(p_value: float, digits: int = 4) -> str:
    """A p-value for people: four digits, and never 0; `-` where there is none."""
    if math.isnan(p_value):
        return UNKNOWN
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if p_value < least / 2 else f"{p_value:.{digits}f}"


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
