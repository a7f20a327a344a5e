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
# Besides control characters those that turn the direction of text or end a line, and blanks that are none:
# a tag must not be able to show as another one; and what CI systems take for a command: `::error::` where a
# line begins, `##[error]`.
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
    """Return the id of which `text_of` made this text."""
    data = b""
    for number, part in enumerate(re.split(_ESCAPED, text)):
        # Every second part is what the parentheses of the pattern hold: the digits of a byte.
        data += bytes.fromhex(part) if number % 2 else part.encode("utf-8")
    return data


def plain_text(value: str | bytes | float | None, yes: str, no: str) -> str:
    """Return a value as text, all of a number, an id as people read it; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return yes if value else no
    return text_of(value) if isinstance(value, bytes) else str(value)


UNKNOWN = "-"
"""Stands where there is no number: one topic has no deviation, equal differences no standardised size."""


def cut(text: str, most: int) -> str:
    """Return the text, or as many of its first letters as there is room for."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def exact(value: float, format: Format = Format.FLOAT) -> str:
    """Return a number with all its digits, so that the same double is read; `nan`, `-nan`, `inf`, `-inf`."""
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
    """Return a note on those of the measures of which less is better; none where there are none."""
    concerned = [label for label in dict.fromkeys(labels) if label in falling]
    if not concerned:
        return []
    return [f"less is better: {', '.join(concerned)}"]


def cut_note(labels: Sequence[str], bounded: Collection[str]) -> str:
    """Return the end of a note: which measures' intervals are cut to their range; empty if none's."""
    concerned = [label for label in labels if label in bounded]
    if not concerned:
        return ""
    of_which = "the measure" if len(concerned) == len(labels) else ", ".join(concerned)
    return f"; cut to 0 to 1, the range of {of_which}"


def left_out_notes(labels: Sequence[str]) -> list[str]:
    """Return a note on columns that are not compared, as they are no averages; none where there are none."""
    if not labels:
        return []
    return [f"left out, no averages over topics: {', '.join(labels)}"]


def moved(before: int, after: int) -> str:
    """Return a position, and where it is now if that is another."""
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
    return UNKNOWN if math.isnan(value) else f"{value:+.{digits}f}"


def effect_size(value: float) -> str:
    """Return a standardised size of an effect with its sign: two digits; `-` where there is none."""
    return UNKNOWN if math.isinf(value) else signed(value, 2)


def number(value: float, digits: int = 4) -> str:
    """Return a number; `-` where there is none."""
    return UNKNOWN if math.isnan(value) else f"{value:.{digits}f}"


def interval(low: float, high: float, digits: int = 4, sign: bool = False) -> str:
    """Return the ends of an interval, `-` where there is none; a bound alone where it has one end."""
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

    auto  the tags where all of them differ, else the names of the files, else their paths
    tag, file, path  these

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
    """Return a file's name, without the ending of its compression."""
    # Not pathlib, which takes a while to import.
    name = re.split(r"[/\\]" if os.name == "nt" else "/", path.rstrip("/"))[-1] or path
    stem, dot, ending = name.rpartition(".")
    return stem if dot + ending in COMPRESSED and stem else name


def without_shared(names: Sequence[str]) -> list[str]:
    """Return the names without the words that all of them begin and end with; something is left of each."""
    if len(set(names)) < 2:
        return list(names)
    words_of_names = [re.findall(_TOKENS, name) for name in names]
    front = _shared(words_of_names)
    without_front = [words[front:] for words in words_of_names]
    back = _shared([words[::-1] for words in without_front])
    return ["".join(words[: len(words) - back]) for words in without_front]


def _shared(words_of_names: Sequence[Sequence[str]]) -> int:
    """Count the words that begin all lists: up to a separator, with a word left in each.

    >>> _shared([["run", "_", "bm25"], ["run", "_", "dense"]])
    2
    """
    shared = 0
    for count_of_words, words_at_place in enumerate(zip(*words_of_names, strict=False), 1):
        if len(set(words_at_place)) > 1:
            break
        is_separator = not words_at_place[0][0].isalnum()
        if is_separator and all(_has_word(words[count_of_words:]) for words in words_of_names):
            shared = count_of_words
    return shared


def _has_word(words: Sequence[str]) -> bool:
    """Return whether one of these is more than a separator."""
    return any(word[0].isalnum() for word in words)


def fitted(names: Sequence[str], longest: int) -> list[str]:
    """Return names of runs of at most a number of letters each; names that differ still differ.

    If one is too long, all lose the words that they share, front and back; a name still too long loses its
    middle.  If names are the same without it, only those too long lose their common words; else they are
    numbered.
    """
    if all(len(name) <= longest for name in names):
        return list(names)
    short = [_without_middle(name, longest) for name in without_shared(names)]
    if len(set(short)) < len(set(names)):
        long_names = [name for name in names if len(name) > longest]
        shorter = {name: f"…{end}" for name, end in zip(long_names, without_shared(long_names), strict=True)}
        shortened = [_without_middle(shorter.get(name, name), longest) for name in names]
        if len(set(shortened)) == len(set(names)):
            return shortened
    pairs = list(zip(names, short, strict=True))
    different_pairs = list(dict.fromkeys(pairs))
    numbered = _numbered([short_name for _, short_name in different_pairs], longest)
    unique = dict(zip(different_pairs, numbered, strict=True))
    return [unique[pair] for pair in pairs]


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
    """Return the names, with a number behind those that come again; longer ones lose their middle for it."""
    times = Counter(names)
    used = {name for name in names if times[name] == 1}
    unique_names = []
    for name in names:
        unique = name if times[name] == 1 else _with_number(name, used, longest)
        unique_names.append(unique)
        used.add(unique)
    return unique_names


def _with_number(name: str, used: Collection[str], longest: int) -> str:
    """Return the name with the first number behind it that makes it differ from all that are used."""
    for number in count(1):
        end = f" ({number})"
        unique = _without_middle(name, max(longest - len(end), 1)) + end
        if unique != name and unique not in used:
            return unique
    raise AssertionError("numbers do not end")
