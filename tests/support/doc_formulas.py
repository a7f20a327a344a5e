"""Formulas of measures as HTML: variables in italics, indices below, powers above; their letters as a list.

What is set is the docstring's own text, token by token: a formula cannot say something else on the site
than in the help.  Only elements that GitHub leaves in pages are used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from pres_eval.measures import HOME

GAP = re.compile(r" {2,}")
WIDE = re.compile(r" {3,}")

TOKEN = re.compile(
    r"(?P<log>log2)|(?P<power>\^(\([^()]*\)|\w+\([^()]*\)|\w+))|(?P<sum>[ΣΠ](_(\([^()]*\)|\w))?)"
    r"|(?P<article>a (?!ret)(?=[a-z]{3}))|(?P<word>[^\W\d²](?:[^\W²]|-(?=[^\W\d]{2}))*)"
    r"|(?P<minus> - |(?<=[\w)])-(?=\d))|(?P<other>.)",
    re.DOTALL,
)
QUANTITIES = frozenset({"rel_ret"})
"""Names with an underscore that is no index."""


Letter = tuple[str, str]
"""A letter of a formula and what it means."""


def typeset(name: str, text: str, known: Sequence[Letter] = ()) -> str:
    """Return the formula of the measure `name` and what its letters mean, but for those that are known.

    text is as the docstring has it.
    """
    formula, letters = _parts(text)
    lines = "<br>".join(_formula(name, line) for line in formula)
    return f'<p class="formula">{lines}</p>\n{listed([letter for letter in letters if letter not in known])}'


def letters_of(text: str) -> list[Letter]:
    """Return the letters of a formula, as the docstring has it, with what they mean."""
    return _parts(text)[1]


def listed(letters: Sequence[Letter]) -> str:
    """Return letters and what they mean as a list; "" if there are none."""
    items = "".join(f"<dt>{_set(term)}</dt><dd>{_set(words)}</dd>" for term, words in letters)
    return f'<dl class="letters">{items}</dl>\n' if items else ""


def _parts(text: str) -> tuple[list[str], list[Letter]]:
    """The lines of the formula, and (letter, meaning)."""
    lines = text.splitlines()
    indent = _indent(lines[0])
    formula = [lines[0].strip()]
    letters: list[Letter] = []
    for line in lines[1:]:
        if _indent(line) == indent > 0 and not letters:
            formula.append(line.strip())
        elif _indent(line) and letters:
            term, words = letters[-1]
            letters[-1] = (term, f"{words} {line.strip()}")
        else:
            term, rest = GAP.split(line.strip(), maxsplit=1)
            first, *others = re.split(r" {4,}", rest)
            letters.append((term, first))
            letters += [(found[0], found[1]) for other in others if (found := GAP.split(other, maxsplit=1))]
    return formula, letters


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _formula(name: str, line: str) -> str:
    """A line: what comes behind a wide gap is words about it, or a formula of its own."""
    first, _, rest = line.partition(" = ")
    if first.startswith(name):
        indices = [_set(index) for index in first.removeprefix(name).split("_")[1:]]
        below = f"<sub>{', '.join(indices)}</sub>" if indices else ""
        return f"{name}{below} = {' &emsp; '.join(map(_set, WIDE.split(rest)))}"
    return " &emsp; ".join(map(_set, WIDE.split(line)))


def _set(text: str) -> str:
    return "".join(map(_token, TOKEN.finditer(text)))


def _token(match: re.Match[str]) -> str:
    text = match[0]
    match match.lastgroup:
        case "log":
            return "log<sub>2</sub>"
        case "power":
            inner = text[1:]
            if text.startswith("^("):
                inner = text[2:-1]
            return f"<sup>{_set(inner)}</sup>"
        case "sum":
            inner = text[2:].removeprefix("(").removesuffix(")")
            return f"{text[0]}<sub>{_set(inner)}</sub>" if inner else text
        case "word":
            return _word(text)
        case "minus":
            return text.replace("-", "−")
        case _:
            return escape(text, quote=False)


def _word(text: str) -> str:
    """A name of a measure or a quantity, a quantity with its index, a variable, or a word."""
    if len(text) == 1:
        return f"<var>{text}</var>"
    base, _, index = text.rpartition("_")
    if text in HOME or text in QUANTITIES or not base:
        return text
    if base in HOME or (len(base) <= 3 and len(index) <= 3):
        return f"{_word(base)}<sub>{index if index.isdigit() else _word(index)}</sub>"
    return text
