"""Ids that look like another notation of each other: `01` and `1`, `EP1` and `ep1`, blanks, quotes, a BOM."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from pres_eval.arrays.ids import WORD, Ids
from pres_eval.arrays.types import Words

_LEADING_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_IGNORED = re.compile("[\\s\"'`\u200b-\u200f\u2060\ufeff]")
_ODD = np.array(0x9E3779B97F4A7C15, np.uint64)
_FACTOR = np.array(0xD6E8FEB86659FD93, np.uint64)


def loose(identifier: bytes) -> str:
    """An id without what tells notations apart: case, zeros before a number, blanks, quotes, marks."""
    if identifier.isdigit():
        return identifier.lstrip(b"0").decode() or "0"
    text = unicodedata.normalize("NFKC", identifier.decode("utf-8", "backslashreplace"))
    return _LEADING_ZEROS.sub("", _IGNORED.sub("", text).casefold())


def alike(some: Iterable[bytes], others: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """The pairs of ids that are alike and not the same, one for each of `some` that has any."""
    by_look: dict[str, bytes] = {}
    for other in others:
        by_look.setdefault(loose(other), other)
    pairs = ((one, by_look.get(loose(one))) for one in some)
    return [(one, other) for one, other in pairs if other is not None and other != one]


def loose_hashes(ids: Ids) -> Words:
    """Hashes that are the same for ids that differ in ASCII case and leading zeros alone."""
    starts, lengths = ids.starts, ids.lengths
    while (zero := (ids.buffer[starts] == ord("0")) & (lengths > 1)).any():
        starts, lengths = starts + zero, lengths - zero
    stripped = Ids(ids.buffer, starts, lengths)
    mixed = np.zeros(len(ids), np.uint64)
    multiplier = _ODD
    for number in range(stripped.width()):
        # What an id does not have adds nothing: the hash must not depend on the longest one beside it.
        rows = np.flatnonzero(lengths > WORD * number)
        mixed[rows] += _lower(stripped.take(rows).word(number)) * multiplier
        multiplier = np.multiply(multiplier, _FACTOR)
    mixed ^= mixed >> np.uint64(32)
    mixed *= _ODD
    return mixed ^ (mixed >> np.uint64(29))


def _lower(word: Words) -> Words:
    """The eight letters of each word in lower case, all at once."""
    seven_bits = word & np.uint64(0x7F7F7F7F7F7F7F7F)
    above_z = seven_bits + np.uint64(0x2525252525252525)
    from_a = seven_bits + np.uint64(0x3F3F3F3F3F3F3F3F)
    upper = (above_z ^ from_a) & ~word & np.uint64(0x8080808080808080)
    return word | (upper >> np.uint64(2))
