"""Arguments of Python programs: the values that some take, and messages with their names for options."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec, TypeVar

from pres_eval.errors import PresEvalError, PresEvalWarning, UsageError

TieRule = Literal["docno", "expected", "best", "worst"]
DuplicateRule = Literal["error", "first", "best"]
Compat = Literal["9.0.8", "10.0"]
Test = Literal["t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised-tukey", "dunnett"]
Correction = Literal["holm", "bonferroni", "bh", "none"]
Alternative = Literal["two-sided", "greater", "less", "equivalent", "non-inferior"]
IntervalKind = Literal["t", "bca", "percentile"]
Over = Literal["runs", "measures"]
EmptyRule = Literal["trec", "zero", "skip", "error", "one"]
MapRanks = Literal["dense", "kept"]
ExcludeFrom = Literal["both", "run"]
TopicOrder = Literal["difference", "topic", "best"]

DEFAULT_MAP_RANKS: MapRanks = "dense"
DEFAULT_EXCLUDE_FROM: ExcludeFrom = "both"


P = ParamSpec("P")
"""The parameters of a decorated function."""

T = TypeVar("T")
"""Its result."""


def is_path(data: Any) -> bool:
    """Return whether an object can name a file, as any text can."""
    # The first question is fast, and enough for the dicts of small calls.
    return type(data) is not dict and isinstance(data, (str, os.PathLike))


def is_dict(data: Any) -> bool:
    """Return whether data are a dict, or like one."""
    return type(data) is dict or isinstance(data, Mapping)  # the second takes ten times as long


def check_jobs(jobs: int | None) -> None:
    """Raise UsageError for a value that is no number of threads."""
    if jobs is not None and not (isinstance(jobs, int) and jobs > 0):
        raise UsageError(f"jobs={jobs!r}: expected a whole number of at least 1, or None")


_NUMBER = r"\d[\d.]*"
_ARGUMENTS_OF_OPTIONS = {
    "-c": ("complete=True", ""),
    "-J": ("judged_only=True", ""),
    "-l": ("level", _NUMBER),
    "-M": ("max_retrieved", _NUMBER),
    "-N": ("num_docs", _NUMBER),
    "-R": ("form", r"qrels\w*|subtopics|prefs|strata|prels"),
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
"""Options of the command: the argument, and a pattern of the values that may follow in a message."""


@functools.cache
def _option_pattern() -> re.Pattern[str]:
    """Return the pattern of any of these options with one of its values behind it if there is one."""
    patterns = []
    for option, (_, values) in _ARGUMENTS_OF_OPTIONS.items():
        word = rf"(?<![\w-]){option}(?![\w-])"
        patterns.append(rf"{word}(?: (?:{values})\b)?" if values else word)
    return re.compile("|".join(patterns))


_PHRASES = (
    ("-m : no such measure", '"": no such measure'),
    ("`pres-eval measures` lists them all", "`pres_eval.list_measures()` lists them all"),
    (" of -D is not in", " is not in"),
    (": name their file with --document-scores (document_scores=… from Python)", ": give document_scores"),
    (": name their file with --nmax-file (nmax_of=… from Python)", ": give nmax_of"),
    (" (pres-eval check shows more)", " (for files, the command pres-eval check shows more)"),
    ("relevance_level=", "level="),
    ("num_docs_in_coll=", "num_docs="),
    ("--baseline ", "baseline="),
    ("--tag ", "tag="),
    ("--table ", "table="),
    (": name them with --columns ", ": rename them, or pres-eval convert FILE --to csv --columns "),
    (
        "--columns topic=HEADING,docno=HEADING names others",
        "pres-eval convert --columns topic=HEADING,docno=HEADING reads others",
    ),
    (": give each its number with --grades ", ": pres-eval convert gives each its number: --grades "),
    ("--columns names them: docno=DocID", "columns={'docno': 'DocID'} names them"),
    ("--sizes FILE (", "sizes=FILE ("),
    ("--collection NUM", "collection=NUM"),
    ("--to jsonl keeps it", "form='jsonl' keeps it"),
    ("asked for (-m) is", "asked for is"),
    ("-m: found ", "measures: found "),
    ("--depth goes", "depth goes"),
    ("--control goes with --method ", "control goes with method="),
)
"""Phrases of messages about the command line, and those for Python."""

_QUOTED = re.compile(r"(\bpres-eval (?:convert|merge) .*? > NEW|(?<!\w)'[^']*')")
"""Pattern of a command, or of a text in quotation marks, but not of an apostrophe within a word."""


@functools.lru_cache(maxsize=64)  # calls in a loop have the same warning each time
def in_python(text: str) -> str:
    """Return a message with arguments instead of options, `complete=True` for `-c`; the rest stays."""
    parts = _QUOTED.split(text)
    for index in range(0, len(parts), 2):  # every second part is a quotation
        part = parts[index]
        for command, python in _PHRASES:
            part = part.replace(command, python)
        without_m = re.sub(r"(?<![\w-])-m (?=\S)", "", part)  # `map` for `-m map`
        parts[index] = _option_pattern().sub(_argument, without_m)
    return "".join(parts)


def _argument(match: re.Match[str]) -> str:
    """Return the argument of Python for an option and its value: `level=2` for `-l 2`."""
    option, _, value = match[0].partition(" ")
    name, _ = _ARGUMENTS_OF_OPTIONS[option]
    if not value:
        return name
    is_number = value.replace(".", "", 1).isdecimal() and option != "--compat"  # compat='10.0' is a text
    if not is_number:
        value = repr(value)
    return f"{name}={value}"


def python_words(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function for Python programs: its errors name arguments instead of options (`in_python`)."""

    @functools.wraps(function)
    def worded(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return function(*arguments, **named)
        except PresEvalError as error:
            error.args = (in_python(str(error)), *error.args[1:])
            raise

    return worded


def warn(text: str, category: type[PresEvalWarning] = PresEvalWarning) -> None:
    """Issue a warning that points at the first line outside of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("pres_eval."):
        frame = frame.f_back
        level += 1
    warnings.warn(in_python(text), category, stacklevel=level)
