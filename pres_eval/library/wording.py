"""Messages in Python's words: arguments where the command's messages have options."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from pres_eval.errors import PresEvalError

P = ParamSpec("P")
T = TypeVar("T")

_NUMBER = r"\d[\d.]*"
_OPTIONS = {
    "-c": ("complete=True", ""),
    "-J": ("judged_only=True", ""),
    "-l": ("level", _NUMBER),
    "-M": ("max_retrieved", _NUMBER),
    "-N": ("num_docs", _NUMBER),
    "-R": ("form", r"qrels\w*|subtopics|prefs"),
    "--map-docs": ("map_docs", ""),
    "--map-ranks": ("map_ranks", "dense|kept"),
    "--exclude": ("exclude", ""),
    "--exclude-from": ("exclude_from", "run|both"),
    "--empty": ("empty", "zero|skip|error|one"),
    "--groups": ("groups", ""),
    "--weights": ("weights", ""),
    "--intervals": ("intervals=True", ""),
    "--ties": ("ties", "docno|expected|best|worst"),
    "--duplicates": ("duplicates", "first|best"),
    "--compat": ("compat", _NUMBER),
    "--bounds": ("bounds=True", ""),
    "--document-scores": ("document_scores", ""),
    "--test": ("test", r"[a-z][a-z-]*"),
    "--samples": ("samples", _NUMBER),
}
"""Options of the command: the argument, and the values that may follow in a message."""

_OPTION = re.compile(
    "|".join(
        rf"(?<![\w-]){option}(?![\w-])(?: ({values})\b)?" if values else rf"(?<![\w-]){option}(?![\w-])()"
        for option, (_, values) in _OPTIONS.items()
    )
)

_PHRASES = (
    ("`pres-eval measures` lists them all", "`pres_eval.list_measures()` lists them all"),
    (" of -D is not in", " is not in"),
    (" (document_scores=… from Python)", ""),
    (" (pres-eval check shows more)", " (for files, the command pres-eval check shows more)"),
    ("relevance_level=", "level="),
    ("num_docs_in_coll=", "num_docs="),
    ("--baseline ", "baseline="),
    ("--tag ", "tag="),
    ("--table ", "table="),
    ("--columns names them: docno=DocID", "columns={'docno': 'DocID'} names them"),
    ("--sizes FILE (", "sizes=FILE ("),
    ("--collection NUM", "collection=NUM"),
    ("--depth goes", "depth goes"),
    ("--control goes with --method ", "control goes with method="),
)

_QUOTED = re.compile(r"((?<!\w)'[^']*')")


def in_python(text: str) -> str:
    """Return a message with `complete=True` in the place of `-c`, and so on; quotations stay as they are."""
    parts = _QUOTED.split(text)
    parts[::2] = [_translated(part) for part in parts[::2]]
    return "".join(parts)


def _translated(part: str) -> str:
    for command, python in _PHRASES:
        part = part.replace(command, python)
    return _OPTION.sub(_argument, re.sub(r"(?<![\w-])-m (?=[\w.])", "", part))


def _argument(found: re.Match[str]) -> str:
    option, _, value = found[0].partition(" ")
    name = _OPTIONS[option][0]
    if not value:
        return name
    return (
        f"{name}={value if value.replace('.', '', 1).isdecimal() and option != '--compat' else repr(value)}"
    )


def python_words(function: Callable[P, T]) -> Callable[P, T]:
    """Let the errors of a function name arguments, not options."""

    @functools.wraps(function)
    def worded(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return function(*arguments, **named)
        except PresEvalError as error:
            error.args = (in_python(str(error)), *error.args[1:])
            raise

    return worded
