"""Text for a terminal: lines of prose, definitions and texts of measures, as wide as click's help."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable
from typing import NamedTuple

import click

WIDEST_TERMINAL = 80
"""Columns of the widest terminal that lines are made for, as in click's help."""

NARROWEST_LINE = 50
"""Characters of the narrowest line; a narrower terminal wraps it."""

LONGEST_TERM = 26
"""Characters of the longest term whose text is beside it; that of a longer one is on the next lines."""

TERM_INDENT = 2
"""Spaces before a term."""

TERM_GAP = 2
"""Least number of spaces between a term and the text beside it."""

_DEFINITION = re.compile(r"(?P<term>[^.:]{0,20}?[^\s.] {2,})\S")
"""Beginning of a line that explains a letter: `r  ranks of the relevant documents`.

Terms have 21 characters at most: what is longer before two blanks is prose.
"""

_LABEL = re.compile(r"\w+:")
"""Beginning of a line with a label: `Source: ...`."""

LABEL_HANG = 2
"""Spaces by which the further lines of a labelled one are indented."""

_HYPHEN = "\N{NON-BREAKING HYPHEN}"
"""Character that replaces hyphens while click breaks lines, so that no line ends at a hyphen."""


class WholeWords(click.HelpFormatter):
    """Formatter of a command's help that ends no line at a hyphen within a word."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms with their texts beside them, as click's formatter does."""
        whole = [(term, text.replace("-", _HYPHEN)) for term, text in rows]
        super().write_dl(whole, col_max, col_spacing)

    def getvalue(self) -> str:
        """Return the written text, with ordinary hyphens."""
        return super().getvalue().replace(_HYPHEN, "-")


def text_width() -> int:
    """Return the number of characters that a line may have.

    It is two fewer than the terminal has, as in click, but from NARROWEST_LINE to WIDEST_TERMINAL - 2.
    """
    return max(min(shutil.get_terminal_size().columns, WIDEST_TERMINAL) - 2, NARROWEST_LINE)


def prose(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return a text as one paragraph, with new line breaks.

    indent  spaces before the first line
    hang    spaces before the further lines; None: as before the first
    """
    if hang is None:
        hang = indent
    return _filled(" ".join(text.split()), indent, hang)


def definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Return lines with the terms of (term, text) on the left, and their texts beside them."""
    rows = list(rows)
    longest = max((len(term) for term, _ in rows), default=0)
    term_width = min(longest, LONGEST_TERM)
    text_start = TERM_INDENT + term_width + TERM_GAP
    lines = []
    for term, text in rows:
        indented_text = prose(text, text_start)
        indented_term = " " * TERM_INDENT + term
        if len(term) > term_width:
            lines.append(f"{indented_term}\n{indented_text}")
        else:
            lines.append(f"{indented_term:<{text_start}}{indented_text[text_start:]}")
    return "\n".join(lines)


class _Paragraph(NamedTuple):
    """Paragraph of a text, whose lines are broken anew.

    start  spaces before its first line
    hang   spaces before the further lines
    words  the text without line breaks, empty for a blank line
    """

    start: int
    hang: int
    words: str


def fitted(text: str, indent: int) -> str:
    """Return the text of a measure with new line breaks, indented by `indent` spaces.

    Its lines are broken already: a line of prose that is indented like the one before, or more, continues it.
    The explanation of a letter, the line below `Formula:`, and a line with a label that is not indented more
    than the one before begin a paragraph.
    """
    paragraphs: list[_Paragraph] = []
    is_below_formula = False
    for line in text.splitlines():
        words = line.strip()
        start = len(line) - len(line.lstrip())
        definition = _DEFINITION.match(words)
        has_label = _LABEL.match(words) is not None
        begins_anew = not paragraphs or not words or definition is not None or is_below_formula
        if not begins_anew and _continues(start, has_label, paragraphs[-1]):
            before = paragraphs[-1]
            paragraphs[-1] = before._replace(words=f"{before.words} {words}")
            continue
        is_below_formula = words.startswith("Formula:")  # of the next line
        hang = start
        if definition:
            hang += len(definition["term"])
        elif has_label:
            hang += LABEL_HANG
        paragraphs.append(_Paragraph(start, hang, words))
    return "\n".join(
        _filled(paragraph.words, indent + paragraph.start, indent + paragraph.hang)
        for paragraph in paragraphs
    )


def _continues(start: int, has_label: bool, before: _Paragraph) -> bool:
    """Return whether a line of prose continues the paragraph before it.

    start      spaces before the line
    has_label  whether the line begins with a label
    before     the paragraph

    Blank lines are never continued.  If the line or the paragraph has a label, only a line that is indented
    more continues; otherwise one that is indented as much, too.
    """
    if not before.words:
        return False
    if has_label or _LABEL.match(before.words) is not None:
        return start > before.start
    return start >= before.start


def _filled(words: str, indent: int, hang: int) -> str:
    """Return words in lines of the terminal: the first behind `indent` spaces, the others behind `hang`."""
    return textwrap.fill(
        words,
        text_width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )
