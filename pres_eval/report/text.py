r"""Ids, names of runs and numbers as text: how bytes of a file and bits of a double are written in a report.

Ids are bytes and may be anything; reports are UTF-8.  One rule for all of them, which can be taken back:
an id that is UTF-8, without control characters and without a backslash-x-two-digits of its own is shown as it
is; in any other each byte that is not part of a printable character, and each backslash, becomes `\xNN`.  So
does the first byte of what would be a command in the log of a CI system.  Names of runs, from tags and files,
have one rule for tables, pictures and pages.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import count

from pres_eval.measures.base import Format

# Patterns are compiled where they are first used: most ids need none of them.
_ESCAPED = r"\\x([0-9a-f]{2})"
# A tag must not be able to look like another one, or to command a terminal or a CI system.  So these are
# unsafe: `::error::` where a line begins and `##[error]` or `##vso[`, commands of CI systems; and characters
# that control a terminal, cannot be seen, end a line, or turn the direction of text.
_UNSAFE = r"^\s*:(?=:)|#(?=#(?:vso)?\[)" + (
    "|[\x00-\x1f\x7f-\xa0\xad\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\udc80-\udcff]"
)


def text_of(identifier: bytes | str) -> str:
    r"""Return an id as printable text: the bytes of `EP1` are `EP1`; a byte that is no UTF-8 is `\xe9`."""
    text = identifier.decode("utf-8", "surrogateescape") if isinstance(identifier, bytes) else identifier
    if text.isascii() and text.isprintable() and not ("\\" in text or "::" in text or "##" in text):
        return text
    if re.search(_ESCAPED, text) is None and re.search(_UNSAFE, text) is None:
        return text
    return re.sub(_UNSAFE, _as_bytes, text.replace("\\", r"\x5c"))


def printable(text: str) -> str:
    r"""Return one line of text for people, without what commands a terminal or a CI log: `\x1b` for ESC.

    Every table, heading, note and title passes through here, whatever is in it.  A text of `text_of` stays as
    it is, and so does every other text without such characters, backslashes included.
    """
    if text.isascii() and text.isprintable() and not ("::" in text or "##" in text):
        return text
    return re.sub(_UNSAFE, _as_bytes, text)


def printable_lines(text: str) -> str:
    """Return lines of text for people, each without what commands a terminal or a CI log."""
    return "\n".join(map(printable, text.split("\n")))


_UNSAFE_IN_PAGES = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\udc80-\udcff]"
)
"""HTML and SVG take the end of a line for a blank, and commands of CI logs for text."""


def printable_in_pages(text: str) -> str:
    """Return text for HTML and SVG without characters that XML lacks or that turn the direction of text."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSAFE_IN_PAGES, _as_bytes, text)


def printable_json(text: str) -> str:
    r"""Return JSON with the same values in which no character is unsafe to print: `\u202e` in a string."""
    unsafe = r"#(?=#(?:vso)?\[)|" + _UNSAFE_IN_PAGES
    return re.sub(unsafe, lambda match: f"\\u{ord(match[0]):04x}", text)


def _as_bytes(match: re.Match[str]) -> str:
    r"""Return the bytes of characters as `\xNN`."""
    return "".join(f"\\x{byte:02x}" for byte in match[0].encode("utf-8", "surrogateescape"))


def bytes_of(text: str) -> bytes:
    r"""Return the id that `text_of` wrote as this text: `\xe9` becomes the byte again."""
    data = b""
    for number, part in enumerate(re.split(_ESCAPED, text)):
        # Every second part is what the parentheses of the pattern hold: the digits of a byte.
        data += bytes.fromhex(part) if number % 2 else part.encode("utf-8")
    return data


def plain_text(value: str | bytes | float | None, yes: str, no: str) -> str:
    """Return a value as text: a number in full, an id (bytes) as people read it; empty for None.

    yes, no: texts for True and False
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return yes if value else no
    return text_of(value) if isinstance(value, bytes) else str(value)


UNKNOWN = "-"
"""Text where there is no number: one topic has no deviation, equal differences no standardised size."""


def cut(text: str, longest: int) -> str:
    """Return the text, of at most `longest` letters: a longer one loses its end, and … stands for it."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def exact(value: float, format: Format = Format.FLOAT) -> str:
    """Return a number with all its digits, so that reading it gives the same double.

    A count is whole; other texts are `nan`, `-nan` (its sign bit is set), `inf` and `-inf`.
    """
    number = whole(float(value), format)
    if math.isnan(number) and math.copysign(1.0, number) < 0:
        return "-nan"
    return repr(number)


def whole(value: float, format: Format) -> float | int:
    """Return a count as a whole number, any other value as it is."""
    return int(value) if format is Format.COUNT and value.is_integer() else value


def shown(value: float, digits: int, format: Format = Format.FLOAT) -> str:
    """Return a number for people: with these digits after the point, counts whole, `nan` without a sign."""
    if format is Format.COUNT and value.is_integer():
        digits = 0
    return f"{value:.{digits}f}"


def percentage(fraction: float) -> str:
    """Return a fraction as people read it: 20 %."""
    return f"{100 * fraction:.12g} %"


def falling_notes(labels: Sequence[str], falling: Collection[str]) -> list[str]:
    """Return a note that names the measures of which less is better; none if there are no such measures.

    labels: of the measures in a table; falling: labels of all measures of which less is better
    """
    concerned = [label for label in dict.fromkeys(labels) if label in falling]
    if not concerned:
        return []
    return [f"less is better: {', '.join(concerned)}"]


def cut_note(labels: Sequence[str], bounded: Collection[str]) -> str:
    """Return the end of a note: which measures' intervals are cut to their range; empty if none is.

    labels: of the measures in a table; bounded: labels of all measures from 0 to 1
    """
    concerned = [label for label in labels if label in bounded]
    if not concerned:
        return ""
    of_which = "the measure" if len(concerned) == len(labels) else ", ".join(concerned)
    return f"; cut to 0 to 1, the range of {of_which}"


def left_out_notes(labels: Sequence[str]) -> list[str]:
    """Return a note that names the columns left out of a comparison, as they are no averages, if any."""
    if not labels:
        return []
    return [f"left out, no averages over topics: {', '.join(labels)}"]


def moved(before: int, after: int) -> str:
    """Return two positions of a run: `3 to 1`, or `3` if they are the same."""
    return str(before) if before == after else f"{before} to {after}"


def p_text(p_value: float) -> str:
    """Return a p-value for people: four digits, and never 0; `-` where there is none."""
    if math.isnan(p_value):
        return UNKNOWN
    return "<0.0001" if p_value < 0.00005 else f"{p_value:.4f}"


def equal_or_less(p_value: float) -> str:
    """Return a p-value behind the sign that it needs: `= 0.0312`, `< 0.0001`."""
    text = p_text(p_value)
    if text.startswith("<"):
        return text.replace("<", "< ")
    return f"= {text}"


def signed(value: float, digits: int = 4) -> str:
    """Return a difference with its sign; `-` where there is no number, `inf` without digits."""
    if math.isnan(value):
        return UNKNOWN
    return f"{value + 0.0:+.{digits}f}"  # a negative zero becomes 0


LEAST_DIFFERENCE = 5e-13
"""Differences of means below this are rounding errors: means that agree to 12 digits are equal."""


def signed_difference(value: float, digits: int = 4) -> str:
    """Return a difference of means as `signed` does; that of equal means is `+0.0000`, never `-0.0000`."""
    return signed(0.0 if abs(value) < LEAST_DIFFERENCE else value, digits)


def effect_size(value: float) -> str:
    """Return a standardised size of an effect with its sign, two digits; `-` for nan and infinity."""
    return UNKNOWN if math.isinf(value) else signed(value, 2)


def number(value: float, digits: int = 4) -> str:
    """Return a number; `-` where there is none."""
    return UNKNOWN if math.isnan(value) else f"{value:.{digits}f}"


def interval(low: float, high: float, digits: int = 4, sign: bool = False) -> str:
    """Return the ends of an interval, `0.1000 .. 0.2000`; `-` where one is nan.

    If one end is infinite: the other as a bound, `>= 0.1000`.  sign: whether + comes before ends above 0
    """
    if math.isnan(low) or math.isnan(high):
        return UNKNOWN
    form = "+" if sign else ""
    low_text, high_text = f"{low:{form}.{digits}f}", f"{high:{form}.{digits}f}"
    if math.isinf(high):
        return f">= {low_text}"
    if math.isinf(low):
        return f"<= {high_text}"
    return f"{low_text} .. {high_text}"


NAMINGS = ("auto", "tag", "file", "path")
"""Values of --names; `auto` is the default."""

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""Endings of the names of compressed files."""

_TOKENS = r"[^\W_]+|[\W_]+"
"""Pattern of the words of a name, and of the separators between them."""


def run_names(runs: Sequence[tuple[str, str]], naming: str = "auto") -> list[str]:
    """Return a name for each run, given its tag and its path; no two are the same.

    naming  one of NAMINGS: tag, file and path use these; auto the tags if all of them differ, else the names
            of the files if these differ, else the paths

    File names and paths lose their common parts, front and back, in whole words: `input.BM25.gz` and
    `input.LM.gz` are BM25 and LM.  Names that are still the same are numbered.
    """
    tags = [text_of(tag) for tag, _ in runs]
    files = [text_of(file_name(path)) for _, path in runs]
    paths = [text_of(path) for _, path in runs]
    if naming == "tag" or (naming == "auto" and all(tags) and len(set(tags)) == len(tags)):
        return _numbered([tag or file for tag, file in zip(tags, files, strict=True)])
    if naming == "file" or (naming == "auto" and len(set(files)) == len(files)):
        return _numbered(without_shared(files))
    return _numbered(paths if naming == "path" else without_shared(paths))


def file_name(path: str) -> str:
    """Return the name of a path's file, without the ending of its compression."""
    # Not pathlib, which takes a while to import.
    name = re.split(r"[/\\]" if os.name == "nt" else "/", path.rstrip("/"))[-1] or path
    stem, dot, ending = name.rpartition(".")
    return stem if dot + ending in COMPRESSED and stem else name


def without_shared(names: Sequence[str]) -> list[str]:
    """Return the names without the words that all of them begin and end with; a word is left of each."""
    if len(set(names)) < 2:
        return list(names)
    words_of_names = [re.findall(_TOKENS, name) for name in names]
    num_front = _count_shared(words_of_names)
    without_front = [words[num_front:] for words in words_of_names]
    num_back = _count_shared([words[::-1] for words in without_front])
    return ["".join(words[: len(words) - num_back]) for words in without_front]


def _count_shared(words_of_names: Sequence[Sequence[str]]) -> int:
    """Count the words and separators that begin all lists, up to a separator, with a word left in each.

    >>> _count_shared([["run", "_", "bm25"], ["run", "_", "dense"]])
    2
    """
    shared = 0
    for num_words, words_at_place in enumerate(zip(*words_of_names, strict=False), 1):
        if len(set(words_at_place)) > 1:
            break
        word = words_at_place[0]  # the same in all lists
        is_separator = not word[0].isalnum()
        if is_separator and all(_has_word(words[num_words:]) for words in words_of_names):
            shared = num_words
    return shared


def _has_word(words: Sequence[str]) -> bool:
    """Return whether one of these is more than a separator."""
    return any(word[0].isalnum() for word in words)


def fitted(names: Sequence[str], longest: int) -> list[str]:
    """Return names of runs of at most `longest` letters each; names that differ still differ.

    If one is too long, all lose the words that they share, front and back; a name still too long loses its
    middle.  If that makes different names the same, only the long ones lose the words that these share; if
    that does as well, the first shortened names are numbered.
    """
    if all(len(name) <= longest for name in names):
        return list(names)
    num_different = len(set(names))
    short_names = [_without_middle(name, longest) for name in without_shared(names)]
    if len(set(short_names)) < num_different:
        long_names = [name for name in names if len(name) > longest]
        shortened = {}
        for name, ending in zip(long_names, without_shared(long_names), strict=True):
            shortened[name] = f"…{ending}"
        partly_shortened = [_without_middle(shortened.get(name, name), longest) for name in names]
        if len(set(partly_shortened)) == num_different:
            return partly_shortened
    # The same name has the same short name wherever it stands: each is numbered once.
    short_name_of = dict(zip(names, short_names, strict=True))
    numbered = _numbered(list(short_name_of.values()), longest)
    unique_name_of = dict(zip(short_name_of, numbered, strict=True))
    return [unique_name_of[name] for name in names]


def _without_middle(name: str, longest: int) -> str:
    """Return a name of at most that many letters: its beginning and its end, with … between them.

    >>> _without_middle("lambdamart_v2", 8)
    'lamb…_v2'
    """
    if len(name) <= longest:
        return name
    if longest <= 1:
        return "…"
    front = longest // 2
    back = longest - 1 - front
    return f"{name[:front]}…{name[len(name) - back :]}"


def _numbered(names: Sequence[str], longest: int = sys.maxsize) -> list[str]:
    """Return the names, with a number behind each of those that are the same: `a (1)`, `a (2)`.

    Where that would be more than `longest` letters, the name loses its middle.
    """
    occurrences = Counter(names)
    used = {name for name in names if occurrences[name] == 1}
    unique_names = []
    for name in names:
        unique_name = name
        if occurrences[name] > 1:
            unique_name = _with_number(name, used, longest)
        unique_names.append(unique_name)
        used.add(unique_name)
    return unique_names


def _with_number(name: str, used: Collection[str], longest: int) -> str:
    """Return the name with the first number behind it that makes it differ from all that are used."""
    for number in count(1):
        end = f" ({number})"
        unique = _without_middle(name, max(longest - len(end), 1)) + end
        if unique != name and unique not in used:
            return unique
    raise AssertionError("numbers do not end")
