"""Ids that match nothing, and would if they were written alike: which rewriting would do, for which ids.

Few ids are compared in this way; `ranking.rough` leaves them out of many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pres_eval.errors import quoted_apart
from pres_eval.records import dataclass

MOST = 1 << 14
"""Topics of each side that are compared."""

Id = tuple[int, bytes]
"""A document with the number of its topic; topics themselves all have the same number."""

Rule = Callable[[bytes], bytes]

PUNCTUATION_BYTES = rb"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
WHITESPACE_BYTES = b" \t\n\r\v\f"
_MARKS = bytes(set(range(256)) - set(PUNCTUATION_BYTES))
_INVISIBLE = "[\\s\u200b-\u200f\u2060\ufeff]"
SEPARATORS = b"#:%|@_.-"
NAMES_OF_CHUNKS = (b"chunk", b"passage", b"part", b"seg")
SHORT_NAME = b"p"
"""A name of a chunk behind a separator alone: d1-p3, but not EP1."""
# Patterns are compiled when they are first used: few runs have ids that are compared here.
_CHUNK = rb"(?i)([%b]+|[%b]*(%b)[%b]*|[%b]+%b[%b]*)[0-9]+\Z" % (
    *(SEPARATORS, SEPARATORS, b"|".join(NAMES_OF_CHUNKS)),
    *(SEPARATORS, SEPARATORS, SHORT_NAME, SEPARATORS),
)

CASE, ZERO, LEADING, PUNCTUATION = "case", "'.0' at the end", "leading zeros", "punctuation"
LETTERS = "blanks, invisible characters and other forms of letters"
CHUNKS = "the number of a chunk at the end"

ONE_FORM = (
    "python3 -c \"import sys, unicodedata; sys.stdout.write(unicodedata.normalize('NFC', sys.stdin.read()))\""
    " < FILE > NEW"
)
"""Command that writes the letters of a text in Unicode's composed form."""


def _plain(one: bytes) -> bytes:
    """Return an id in the letters that everybody types, without invisible ones."""
    if one.isascii():
        return one.translate(None, WHITESPACE_BYTES)
    import unicodedata  # takes a while to import

    text = unicodedata.normalize("NFKC", one.decode("utf-8", "surrogateescape"))
    return re.sub(_INVISIBLE, "", text).encode("utf-8", "surrogateescape")


def _in_one_form(one: bytes) -> str:
    """Return an id in Unicode's composed form."""
    import unicodedata  # takes a while to import

    return unicodedata.normalize("NFC", one.decode("utf-8", "surrogateescape"))


def _lower(one: bytes) -> bytes:
    if one.isascii():
        return one.lower()
    return one.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")


RULES: dict[str, Rule] = {
    LETTERS: _plain,
    CASE: _lower,
    ZERO: lambda one: re.sub(rb"\.0+\Z", b"", one),
    LEADING: lambda one: re.sub(rb"(?<![0-9.])0+(?=[0-9])", b"", one),
    PUNCTUATION: lambda one: one.translate(None, PUNCTUATION_BYTES),
}
"""Differences between notations, in the order in which they are removed from the ids of both sides."""

_TRIED = ((LETTERS, CASE, ZERO, LEADING), (LETTERS, CASE, ZERO, PUNCTUATION), tuple(RULES))
"""The rules together: without punctuation zeros may no longer lead."""


@dataclass(frozen=True)
class Respelling:
    """Respelling of ids that match nothing, with which they would match.

    names  the parts to leave out of the ids
    pairs  the ids of the run that would match then, each with the id of the judgements
    rest   the change that would make others match, which are written in another way
    """

    names: tuple[str, ...]
    pairs: tuple[tuple[Id, bytes], ...]
    rest: Respelling | None = None

    @property
    def count(self) -> int:
        """Count the ids that would match."""
        return len(self.pairs)

    @property
    def text(self) -> str:
        """Return the parts to leave out, and an id of each side."""
        (_, ours), judged = self.pairs[0]
        rest = "" if self.rest is None else f", {self.rest.count:,} more {self.rest.text}"
        first, second = quoted_apart(ours, judged)
        both = f"the run has {first}, the qrels have {second}"
        return f"{self.without} ({both}{self.advice})" + rest

    @property
    def advice(self) -> str:
        """Return the option that helps, after a semicolon, with a pattern where there is one."""
        (_, ours), judged = self.pairs[0]
        if LETTERS in self.names and _in_one_form(ours) == _in_one_form(judged):
            return f"; write both files in one form: {ONE_FORM}"
        if CHUNKS not in self.names:
            return ""
        if not ours.startswith(judged):
            return "; see --map-docs"
        end = re.sub(rb"([][.|(){}+*?^$\\])", rb"\\\1", ours[len(judged) :])
        end = re.sub(rb"[0-9]+", rb"\\d+", end)
        return f"; see --map-docs '^(.*){end.decode()}$'"

    @property
    def without(self) -> str:
        """Return the parts to leave out."""
        return f"without {' and '.join(self.names)}"

    def every(self) -> Iterator[Respelling]:
        """Yield this one, and those of the rest."""
        yield self
        if self.rest is not None:
            yield from self.rest.every()


def find_respelling(ours: Sequence[Id], judged: Sequence[Id]) -> Respelling | None:
    """Return the rewriting with which most ids of a run match judged ones, None if none match.

    All ids of the run are such that match nothing as they are.
    """
    best: tuple[bool, list[tuple[bytes, Id]], dict[Id, bytes], tuple[str, ...]] | None = None
    found: list[tuple[Id, bytes]] = []
    for cut, cut_judged in _CUTS:
        some = [(cut(one[1]), one) for one in ours]
        wanted = {(topic, cut_judged(one)): one for topic, one in judged}
        for rules in _TRIED:
            if len(found) < len(ours) and len(pairs := _pairs(some, wanted, rules)) > len(found):
                best, found = (cut is not cut_judged, some, wanted, rules), pairs
    if best is None:
        return None
    of_chunks, some, wanted, rules = best
    less = {rule: tuple(other for other in rules if other != rule) for rule in rules}
    needed = [rule for rule in rules if len(_pairs(some, wanted, less[rule])) < len(found)]
    matched = {one for one, _ in found}
    return Respelling(
        names=(*needed, *[CHUNKS] * of_chunks),
        pairs=tuple(found),
        rest=find_respelling([one for one in ours if one not in matched], judged),
    )


def whole(chunk: bytes) -> bytes:
    """Return the id without the number of a chunk at its end: d1#0, d1_chunk_0, d1-p0; else nothing."""
    found = re.compile(_CHUNK).search(chunk, max(len(chunk) - 24, 0)) if chunk[-1:].isdigit() else None
    return chunk[: found.start()] if found else b""


def _whole_of_two(chunk: bytes) -> bytes:
    """Return the id without two numbers, such as the first and last word of a chunk: d1_0_512."""
    return whole(whole(chunk))


_CUTS: tuple[tuple[Rule, Rule], ...] = (
    (bytes, bytes),
    (whole, bytes),
    (bytes, whole),
    (_whole_of_two, bytes),
    (bytes, _whole_of_two),
)
"""Parts that are cut off our ids and judged ones, the shortest first."""


def _pairs(
    ours: Sequence[tuple[bytes, Id]], judged: dict[Id, bytes], rules: tuple[str, ...]
) -> list[tuple[Id, bytes]]:
    """Return each of our ids that is a judged one after these rules, with that one."""

    def written(one: bytes) -> bytes:
        for rule in rules:
            one = RULES[rule](one)
        return one

    by_key: dict[tuple[int, bytes | None], bytes] = {
        (topic, written(seen)): one for (topic, seen), one in judged.items()
    }
    pairs = ((one, by_key.get((one[0], written(seen) or None))) for seen, one in ours)
    return [(one, other) for one, other in pairs if other is not None and _may_be(one[1], other, rules)]


def _may_be(one: bytes, other: bytes, rules: tuple[str, ...]) -> bool:
    """Return whether the punctuation differs, if it is left out: 31_1 and 3_11 have the same notation."""
    return PUNCTUATION not in rules or one.translate(None, _MARKS) != other.translate(None, _MARKS)
