"""Text for a terminal: everything that explains is as wide as click makes the help of a command."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable

import click

WIDEST_LETTERS = 80
NARROWEST = 50

TERM = 26
"""Letters of a term up to which its text begins beside it; that of a longer one begins on the next line."""

_DEFINITION = re.compile(r"(?P<term>[^.:]{0,20}?[^\s.] {2,})\S")

_LABEL = re.compile(r"\w+:")


_HYPHEN = "\N{NON-BREAKING HYPHEN}"


class WholeWords(click.HelpFormatter):
    """Formatter of a command's help that ends no line at a hyphen within a word."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms with their texts beside them."""
        super().write_dl([(term, text.replace("-", _HYPHEN)) for term, text in rows], col_max, col_spacing)

    def getvalue(self) -> str:
        """Return the written text, with ordinary hyphens."""
        return super().getvalue().replace(_HYPHEN, "-")


def text_width() -> int:
    """Return the characters that a line may have, as click counts them."""
    return max(min(shutil.get_terminal_size().columns, WIDEST_LETTERS) - 2, NARROWEST)


def prose(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return a paragraph, its lines broken anew; all but the first line are indented by `hang`."""
    return _filled(" ".join(text.split()), indent, indent if hang is None else hang)


def definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Return terms on the left, with their meaning beside them."""
    rows = list(rows)
    column = min(max((len(term) for term, _ in rows), default=0), TERM) + 4
    indented = [(term, prose(text, column, column)) for term, text in rows]
    return "\n".join(
        f"  {term}\n{text}" if len(term) + 4 > column else f"  {term:<{column - 2}}{text[column:]}"
        for term, text in indented
    )


def fitted(text: str, indent: int) -> str:
    """Return a text whose lines are broken already: paragraphs, formulas, letters with their meaning.

    A line of prose that is indented like the one before, or more, continues it.  A letter, a line with a
    label, and a part of a formula begin anew.
    """
    items: list[tuple[int, int, str]] = []
    verbatim = False
    for line in text.splitlines():
        start = len(line) - len(line.lstrip())
        words = line.strip()
        definition = _DEFINITION.match(words)
        labelled = _LABEL.match(words) or (items and start == items[-1][0] and _LABEL.match(items[-1][2]))
        goes_on = items and items[-1][2] and start + (not labelled) > items[-1][0]
        if words and goes_on and not definition and not verbatim:
            items[-1] = (*items[-1][:2], f"{items[-1][2]} {words}")
            continue
        verbatim = words.startswith("Formula:")
        further = len(definition["term"]) if definition else 2 if _LABEL.match(words) else 0
        items.append((start, start + further, words))
    return "\n".join(_filled(words, indent + start, indent + hang) for start, hang, words in items)


def _filled(words: str, indent: int, hang: int) -> str:
    """Return words in lines; all but the first are indented by `hang`."""
    return textwrap.fill(
        words,
        text_width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )
