"""Notations of ids: which rewriting lets ids of a run match judged ones, and for which ids.

Few ids are compared in this way; `checking.respelling` picks them out of many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pres_eval.errors import quoted_apart
from pres_eval.reading.patents import patent_number
from pres_eval.records import dataclass

Id = tuple[int, bytes]
"""A document with the number of its topic; topics themselves all have the same number."""

Rule = Callable[[bytes], bytes]

PUNCTUATION_BYTES = rb"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
WHITESPACE_BYTES = b" \t\n\r\v\f"
_MARKS = bytes(set(range(256)) - set(PUNCTUATION_BYTES))
_INVISIBLE = "[\\s\u200b-\u200f\u2060\ufeff]"
ID_SEPARATORS = b"#:%|@_.-"
NAMES_OF_CHUNKS = (b"chunk", b"passage", b"part", b"seg")
SHORT_NAME = b"p"
"""A name of a chunk behind a separator alone: d1-p3, but not EP1."""
# Patterns are compiled when they are first used: few runs have ids that are compared here.
_CHUNK = rb"(?i)([%b]+|[%b]*(%b)[%b]*|[%b]+%b[%b]*)[0-9]+\Z" % (
    *(ID_SEPARATORS, ID_SEPARATORS, b"|".join(NAMES_OF_CHUNKS)),
    *(ID_SEPARATORS, ID_SEPARATORS, SHORT_NAME, ID_SEPARATORS),
)

LETTER_CASE, DECIMAL_ZERO, LEADING_ZEROS, PUNCTUATION = (
    "case",
    "'.0' at the end",
    "leading zeros",
    "punctuation",
)
UNICODE_LETTERS = "blanks, invisible characters and other forms of letters"
CHUNKS = "the number of a chunk at the end"
PATENTS = "the kind codes of patents"

ONE_FORM = (
    "python3 -c \"import sys, unicodedata; sys.stdout.write(unicodedata.normalize('NFC', sys.stdin.read()))\""
    " < FILE > NEW"
)
"""Command that writes the letters of a text in Unicode's composed form."""


def without_invisible(text: bytes) -> bytes:
    """Return a text in the letters that everybody types, without blanks and invisible characters."""
    if text.isascii():
        return text.translate(None, WHITESPACE_BYTES)
    import unicodedata  # takes a while to import

    letters = unicodedata.normalize("NFKC", text.decode("utf-8", "surrogateescape"))
    return re.sub(_INVISIBLE, "", letters).encode("utf-8", "surrogateescape")


def _in_one_form(text: bytes) -> str:
    """Return an id in Unicode's composed form."""
    import unicodedata  # takes a while to import

    return unicodedata.normalize("NFC", text.decode("utf-8", "surrogateescape"))


def lower_case(text: bytes) -> bytes:
    """Return a text in lower case."""
    if text.isascii():
        return text.lower()
    return text.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")


def _without_zeros_at_end(text: bytes) -> bytes:
    return re.sub(rb"\.0+\Z", b"", text)


def _without_leading_zeros(text: bytes) -> bytes:
    return re.sub(rb"(?<![0-9.])0+(?=[0-9])", b"", text)


def _without_punctuation(text: bytes) -> bytes:
    return text.translate(None, PUNCTUATION_BYTES)


REWRITING_RULES: dict[str, Rule] = {
    UNICODE_LETTERS: without_invisible,
    LETTER_CASE: lower_case,
    DECIMAL_ZERO: _without_zeros_at_end,
    LEADING_ZEROS: _without_leading_zeros,
    PUNCTUATION: _without_punctuation,
}
"""Differences between notations, in the order in which they are removed from the ids of both sides."""

_TRIED = (
    (UNICODE_LETTERS, LETTER_CASE, DECIMAL_ZERO, LEADING_ZEROS),
    (UNICODE_LETTERS, LETTER_CASE, DECIMAL_ZERO, PUNCTUATION),
    tuple(REWRITING_RULES),
)
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
        first, second = quoted_apart(ours, judged)
        both = f"the run has {first}, the qrels have {second}"
        text = f"{self.without} ({both}{self.advice})"
        if self.rest is not None:
            text += f", {self.rest.count:,} more {self.rest.text}"
        return text

    @property
    def advice(self) -> str:
        """Return the option that helps, after a semicolon, with a pattern where there is one."""
        (_, ours), judged = self.pairs[0]
        if UNICODE_LETTERS in self.names and _in_one_form(ours) == _in_one_form(judged):
            return f"; write both files in one form: {ONE_FORM}"
        if PATENTS in self.names:
            return "; see --map-docs patent"
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

    def all_changes(self) -> Iterator[Respelling]:
        """Yield this one, and those of the rest."""
        yield self
        if self.rest is not None:
            yield from self.rest.all_changes()


def find_respelling(ours: Sequence[Id], judged: Sequence[Id]) -> Respelling | None:
    """Return the rewriting with which most ids of a run match judged ones, None if none match.

    All ids of the run are such that match nothing as they are.
    """
    best: _Attempt | None = None
    pairs: list[tuple[Id, bytes]] = []
    for cut, cut_judged in _CUTS:
        for rules in _TRIED:
            if len(pairs) == len(ours):
                break  # no other rewriting can match more
            attempt = _Attempt(cut, cut_judged, rules)
            matched = attempt.pairs(ours, judged)
            if len(matched) > len(pairs):
                best, pairs = attempt, matched
    if best is None:
        return None
    names = [rule for rule in best.rules if len(best.without(rule).pairs(ours, judged)) < len(pairs)]
    if best.cut is patent_number:
        names.append(PATENTS)
    elif best.cut is not best.cut_judged:
        names.append(CHUNKS)
    matched_ids = {our_id for our_id, _ in pairs}
    rest = [our_id for our_id in ours if our_id not in matched_ids]
    return Respelling(names=tuple(names), pairs=tuple(pairs), rest=find_respelling(rest, judged))


def whole(chunk: bytes) -> bytes:
    """Return the id without the number of a chunk at its end: d1#0, d1_chunk_0, d1-p0; else nothing."""
    if not chunk[-1:].isdigit():
        return b""
    match = re.compile(_CHUNK).search(chunk, max(len(chunk) - 24, 0))
    if match is None:
        return b""
    return chunk[: match.start()]


def whole_of_two(chunk: bytes) -> bytes:
    """Return the id without two numbers, such as the first and last word of a chunk: d1_0_512."""
    return whole(whole(chunk))


_CUTS: tuple[tuple[Rule, Rule], ...] = (
    (bytes, bytes),
    (whole, bytes),
    (bytes, whole),
    (whole_of_two, bytes),
    (bytes, whole_of_two),
    (patent_number, patent_number),
)
"""Parts that are cut off our ids and judged ones, the shortest first."""


@dataclass(frozen=True)
class _Attempt:
    """A rewriting that may let ids match: the parts cut off the ids of each side, then rules for both."""

    cut: Rule
    cut_judged: Rule
    rules: tuple[str, ...]

    def without(self, rule: str) -> _Attempt:
        """Return the attempt without one of its rules."""
        rules = tuple(other for other in self.rules if other != rule)
        return _Attempt(self.cut, self.cut_judged, rules)

    def pairs(self, ours: Sequence[Id], judged: Sequence[Id]) -> list[tuple[Id, bytes]]:
        """Return each of our ids that is a judged one after the rewriting, with that one."""
        by_key = {(topic, self._rewritten(self.cut_judged(text))): text for topic, text in judged}
        pairs = []
        for topic, text in ours:
            key = self._rewritten(self.cut(text))
            if not key:
                continue
            match = by_key.get((topic, key))
            if match is not None and self._may_be(text, match):
                pairs.append(((topic, text), match))
        return pairs

    def _rewritten(self, text: bytes) -> bytes:
        for rule in self.rules:
            text = REWRITING_RULES[rule](text)
        return text

    def _may_be(self, text: bytes, judged: bytes) -> bool:
        """Return whether the punctuation differs, if it is left out: 31_1 and 3_11 have the same notation."""
        return PUNCTUATION not in self.rules or text.translate(None, _MARKS) != judged.translate(None, _MARKS)
