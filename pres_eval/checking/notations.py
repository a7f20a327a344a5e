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
"""Returns an id without what notations differ in, such as its zeros."""

PUNCTUATION_BYTES = rb"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
"""Punctuation marks of ASCII."""

WHITESPACE_BYTES = b" \t\n\r\v\f"
"""Blanks and line ends of ASCII."""

_NO_PUNCTUATION_BYTES = bytes(set(range(256)) - set(PUNCTUATION_BYTES))
_INVISIBLE = "[\\s\u200b-\u200f\u2060\ufeff]"
"""Blanks, and characters without a width, of Unicode."""

ID_SEPARATORS = b"#:%|@_.-"
"""Characters between a document's id and the number of a chunk, each of which may be one: d1#0."""

NAMES_OF_CHUNKS = (b"chunk", b"passage", b"part", b"seg")
"""Words before the number of a chunk: d1_chunk_0."""

SHORT_NAME_OF_CHUNKS = b"p"
"""A name of chunks that counts only behind a separator: d1-p3, but not EP1."""

LONGEST_CHUNK = 24
"""Bytes at the end of an id in which the number of a chunk is looked for."""

# Patterns are compiled when they are first used: few runs have ids that are compared here.
# Before the digits comes a separator (d1#0), a name with or without separators (d1_chunk_0, d1chunk0), or the
# short name behind a separator (d1-p0).
_BEFORE_NUMBER = (
    rb"%(separator)b+|%(separator)b*(%(name)b)%(separator)b*|%(separator)b+%(short)b%(separator)b*"
    % {
        b"separator": b"[%b]" % ID_SEPARATORS,
        b"name": b"|".join(NAMES_OF_CHUNKS),
        b"short": SHORT_NAME_OF_CHUNKS,
    }
)
_NUMBER_OF_CHUNK = rb"(?i)(%b)[0-9]+\Z" % _BEFORE_NUMBER

# What ids differ in, as messages name it.
CASE = "case"
ZERO_DECIMALS = "'.0' at the end"
LEADING_ZEROS = "leading zeros"
PUNCTUATION = "punctuation"
UNICODE_LETTERS = "blanks, invisible characters and other forms of letters"
CHUNKS = "the number of a chunk at the end"
PATENTS = "the kind codes of patents"

ONE_FORM = (
    "python3 -c \"import sys, unicodedata; sys.stdout.write(unicodedata.normalize('NFC', sys.stdin.read()))\""
    " < FILE > NEW"
)
"""Shell command that copies a file with its letters in Unicode's composed form (NFC)."""


FROM_LATIN_1 = "iconv -f WINDOWS-1252 -t UTF-8 < FILE > NEW"
"""Shell command that copies a file of Windows in Western Europe, or in Latin-1, as UTF-8."""


def is_utf_8(text: bytes) -> bool:
    """Return whether a text is UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def as_utf_8(text: bytes) -> bytes:
    """Return a text in UTF-8; one in another encoding is read as that of Windows in Western Europe."""
    if is_utf_8(text):
        return text
    return text.decode("cp1252", "surrogateescape").encode("utf-8", "surrogateescape")


def without_invisible(text: bytes) -> bytes:
    """Return a text without blanks and invisible characters, its letters in Unicode's form NFKC.

    NFKC has plain letters in place of wide, raised and joined ones.
    """
    if text.isascii():
        return text.translate(None, WHITESPACE_BYTES)
    import unicodedata  # takes a while to import

    letters = unicodedata.normalize("NFKC", as_utf_8(text).decode("utf-8", "surrogateescape"))
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


def _without_zero_decimals(text: bytes) -> bytes:
    """Return 12 for 12.0 and 12.00."""
    return re.sub(rb"\.0+\Z", b"", text)


def _without_leading_zeros(text: bytes) -> bytes:
    """Return a text whose numbers have no zeros in front: d7-1 for d007-01."""
    return re.sub(rb"(?<![0-9.])0+(?=[0-9])", b"", text)


def _without_punctuation(text: bytes) -> bytes:
    """Return a text without punctuation marks of ASCII."""
    return text.translate(None, PUNCTUATION_BYTES)


REWRITING_RULES: dict[str, Rule] = {
    UNICODE_LETTERS: without_invisible,
    CASE: lower_case,
    ZERO_DECIMALS: _without_zero_decimals,
    LEADING_ZEROS: _without_leading_zeros,
    PUNCTUATION: _without_punctuation,
}
"""Differences between notations, in the order in which they are removed from the ids of both sides."""

_RULES_TO_TRY = (
    (UNICODE_LETTERS, CASE, ZERO_DECIMALS, LEADING_ZEROS),
    (UNICODE_LETTERS, CASE, ZERO_DECIMALS, PUNCTUATION),
    tuple(REWRITING_RULES),
)
"""Sets of rules, in the order in which they are tried.

Two come before all rules together, because zeros may not be leading ones once punctuation is gone.
"""


@dataclass(frozen=True)
class Respelling:
    """A change to ids of the run that match no judged id, with which they would match.

    names  what to leave out of the ids, as messages name it, such as CASE
    pairs  the ids of the run that would then match, each with its judged id
    rest   the change to further ids, which differ from judged ones in another way; None if there are none
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
        """Return the change in words, with an id of each side as an example, and the changes of the rest."""
        (_, id_of_run), judged = self.pairs[0]
        in_run, in_qrels = quoted_apart(id_of_run, judged)
        example = f"the run has {in_run}, the qrels have {in_qrels}"
        text = f"{self.without} ({example}{self.advice})"
        if self.rest is not None:
            text += f", {self.rest.count:,} more {self.rest.text}"
        return text

    @property
    def advice(self) -> str:
        """Return the option or command that helps, after a semicolon; empty if none is known."""
        (_, id_of_run), judged = self.pairs[0]
        if is_utf_8(id_of_run) != is_utf_8(judged):
            # One of both is UTF-8: the message names the other one.
            other_file = "the qrels are" if is_utf_8(id_of_run) else "the run is"
            return f"; {other_file} not UTF-8: {FROM_LATIN_1}"
        if UNICODE_LETTERS in self.names and _in_one_form(id_of_run) == _in_one_form(judged):
            return f"; write both files in one form: {ONE_FORM}"
        if PATENTS in self.names:
            return "; see --map-docs patent"
        if CHUNKS not in self.names:
            return ""
        pattern = ""
        if id_of_run.startswith(judged):
            # What follows the document's id, with any number: '#\d+' for '#0'.
            end = re.sub(rb"([][.|(){}+*?^$\\])", rb"\\\1", id_of_run[len(judged) :])
            end = re.sub(rb"[0-9]+", rb"\\d+", end)
            pattern = f" '^(.*){end.decode()}$'"
        return f"; see --map-docs{pattern}"

    @property
    def without(self) -> str:
        """Return the parts to leave out, in words: `without case and punctuation`."""
        return f"without {' and '.join(self.names)}"

    def all_changes(self) -> Iterator[Respelling]:
        """Yield this change, then those of the rest."""
        yield self
        if self.rest is not None:
            yield from self.rest.all_changes()


def find_respelling(ours: Sequence[Id], judged: Sequence[Id]) -> Respelling | None:
    """Return the respelling with which most ids of a run match judged ones, None if none match.

    ours    ids of the run that match no judged id as they are
    judged  ids of the judgements

    The ids that still match nothing are tried again: theirs is the `rest`.
    """
    best: _Attempt | None = None
    pairs: list[tuple[Id, bytes]] = []
    for cut, cut_judged in _CUTS:
        for rules in _RULES_TO_TRY:
            if len(pairs) == len(ours):
                break  # no other attempt can match more
            attempt = _Attempt(cut, cut_judged, rules)
            matched = attempt.pairs(ours, judged)
            if len(matched) > len(pairs):
                best, pairs = attempt, matched
    if best is None:
        return None
    # Only rules without which fewer ids match are named; of two that do the same, the first one.
    needed = best
    for rule in reversed(best.rules):
        fewer = needed.without_rule(rule)
        if len(fewer.pairs(ours, judged)) >= len(pairs):
            needed = fewer
    names = list(needed.rules)
    if best.cut is patent_number:
        names.append(PATENTS)
    elif best.cuts_chunks:
        names.append(CHUNKS)
    matched_ids = {our_id for our_id, _ in pairs}
    rest = [our_id for our_id in ours if our_id not in matched_ids]
    return Respelling(names=tuple(names), pairs=tuple(pairs), rest=find_respelling(rest, judged))


def without_chunk_number(chunk: bytes) -> bytes:
    """Return the id of a chunk's document: d1 for d1#0, d1_chunk_0, d1-p0; b"" for an id of another form."""
    if not chunk[-1:].isdigit():
        return b""
    match = re.compile(_NUMBER_OF_CHUNK).search(chunk, max(len(chunk) - LONGEST_CHUNK, 0))
    if match is None:
        return b""
    return chunk[: match.start()]


def without_two_numbers(chunk: bytes) -> bytes:
    """Return d1 for d1_0_512, where two numbers are a chunk's first and last word; b"" for other ids."""
    return without_chunk_number(without_chunk_number(chunk))


_CUTS: tuple[tuple[Rule, Rule], ...] = (
    (bytes, bytes),
    (without_chunk_number, bytes),
    (bytes, without_chunk_number),
    (without_two_numbers, bytes),
    (bytes, without_two_numbers),
    (patent_number, patent_number),
)
"""What cuts a part off the run's ids, and off judged ones, shortest part first; `bytes` cuts nothing."""


@dataclass(frozen=True)
class _Attempt:
    """A rewriting that may let ids match.

    cut, cut_judged  what cuts a part off the ids of the run, and off judged ids
    rules            names of the rules that then rewrite both
    """

    cut: Rule
    cut_judged: Rule
    rules: tuple[str, ...]

    @property
    def cuts_chunks(self) -> bool:
        """Whether the ids of one side lose numbers of chunks; kind codes of patents are cut off both."""
        return self.cut is not self.cut_judged

    def without_rule(self, rule: str) -> _Attempt:
        """Return the attempt without one of its rules."""
        rules = tuple(other for other in self.rules if other != rule)
        return _Attempt(self.cut, self.cut_judged, rules)

    def pairs(self, ours: Sequence[Id], judged: Sequence[Id]) -> list[tuple[Id, bytes]]:
        """Return each id of the run that equals a judged one after the rewriting, with that judged id."""
        by_key = {(topic, self._rewritten(self.cut_judged(text))): text for topic, text in judged}
        pairs = []
        for topic, text in ours:
            key = self._rewritten(self.cut(text))
            if not key:
                continue
            match = by_key.get((topic, key))
            if match is not None and (PUNCTUATION not in self.rules or _punctuation_differs(text, match)):
                pairs.append(((topic, text), match))
        return pairs

    def _rewritten(self, text: bytes) -> bytes:
        """Return a text after all rules of the attempt."""
        for rule in self.rules:
            text = REWRITING_RULES[rule](text)
        return text


def _punctuation_differs(ours: bytes, judged: bytes) -> bool:
    """Return whether two ids have other punctuation marks.

    31_1 and 3_11 have the same: they are two documents, and not one in two notations.
    """
    return ours.translate(None, _NO_PUNCTUATION_BYTES) != judged.translate(None, _NO_PUNCTUATION_BYTES)
