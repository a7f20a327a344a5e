"""Text for a terminal: everything that explains is as wide as click makes the help of a command."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable
from typing import NamedTuple

import click

WIDEST_LINE = 80
"""Characters of the widest line, as in click's help."""

NARROWEST_LINE = 50
"""Characters of a line on a narrower terminal, which wraps it."""

LONGEST_TERM = 26
"""Characters of a term up to which its text is beside it; that of a longer one begins on the next line."""

_DEFINITION = re.compile(r"(?P<term>[^.:]{0,20}?[^\s.] {2,})\S")
"""Beginning of a line that explains a letter: `r  ranks of the relevant documents`."""

_LABEL = re.compile(r"\w+:")
"""Beginning of a line with a label: `Source: ...`."""

LABEL_HANG = 2
"""Spaces by which the further lines of a labelled one are indented."""

_HYPHEN = "\N{NON-BREAKING HYPHEN}"
"""Stands for hyphens while click breaks lines, so that none ends at a hyphen."""


class WholeWords(click.HelpFormatter):
    """Formatter of a command's help that ends no line at a hyphen within a word."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms with their texts beside them."""
        whole = [(term, text.replace("-", _HYPHEN)) for term, text in rows]
        super().write_dl(whole, col_max, col_spacing)

    def getvalue(self) -> str:
        """Return the written text, with ordinary hyphens."""
        return super().getvalue().replace(_HYPHEN, "-")


def text_width() -> int:
    """Return the characters that a line may have, as click counts them."""
    return max(min(shutil.get_terminal_size().columns, WIDEST_LINE) - 2, NARROWEST_LINE)


def prose(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return a paragraph, its lines broken anew.

    indent  spaces before the first line
    hang    spaces before the further lines, as before the first by default
    """
    if hang is None:
        hang = indent
    return _filled(" ".join(text.split()), indent, hang)


def definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Return lines with terms on the left, and their meaning beside them."""
    rows = list(rows)
    longest = max((len(term) for term, _ in rows), default=0)
    column = min(longest, LONGEST_TERM) + 4  # where the meanings begin
    lines = []
    for term, text in rows:
        meaning = prose(text, column)
        if len(term) + 4 > column:
            lines.append(f"  {term}\n{meaning}")
        else:
            lines.append(f"  {term:<{column - 2}}{meaning[column:]}")
    return "\n".join(lines)


class _Item(NamedTuple):
    """Lines of a text that are broken together.

    start  spaces before the first line
    hang   spaces before the further lines
    words  the text without line breaks, empty for a blank line
    """

    start: int
    hang: int
    words: str


def fitted(text: str, indent: int) -> str:
    """Return a text whose lines are broken already, with new line breaks and indented by `indent` spaces.

    A line of prose that is indented like the one before, or more, continues it.  The explanation of a letter,
    a line with a label, and a line of a formula begin anew.
    """
    items: list[_Item] = []
    in_formula = False
    for line in text.splitlines():
        words = line.strip()
        start = len(line) - len(line.lstrip())
        definition = _DEFINITION.match(words)
        has_label = _LABEL.match(words) is not None
        if items and words and not definition and not in_formula and _continues(start, has_label, items[-1]):
            before = items[-1]
            items[-1] = before._replace(words=f"{before.words} {words}")
            continue
        in_formula = words.startswith("Formula:")
        hang = start
        if definition:
            hang += len(definition["term"])
        elif has_label:
            hang += LABEL_HANG
        items.append(_Item(start, hang, words))
    return "\n".join(_filled(item.words, indent + item.start, indent + item.hang) for item in items)


def _continues(start: int, has_label: bool, before: _Item) -> bool:
    """Return whether a line that begins behind `start` spaces goes on with the lines before."""
    if not before.words:
        return False
    follows_label = start == before.start and _LABEL.match(before.words) is not None
    if has_label or follows_label:
        return start > before.start
    return start >= before.start


def _filled(words: str, indent: int, hang: int) -> str:
    """Return words in lines: the first behind `indent` spaces, the others behind `hang`."""
    return textwrap.fill(
        words,
        text_width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )
