"""Names of runs in tables, pictures and pages: one rule for all of them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from itertools import count

from pres_eval.report.text import text_of

NAMINGS = ("auto", "tag", "file", "path")
"""What --names takes; `auto` is the default."""

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""Endings of file names that say how the file is compressed."""

_TOKENS = r"[^\W_]+|[\W_]+"


def run_names(runs: Sequence[tuple[str, str]], naming: str = "auto") -> list[str]:
    """A name for each run, given its tag and its path; no two are the same.

    auto  the tags where all of them differ, else the names of the files, else their paths
    tag, file, path  these

    File names and paths lose what all of them share, front and back, in whole words: `input.BM25.gz` and
    `input.LM.gz` are BM25 and LM.  Names that are still the same are numbered.
    """
    tags = [text_of(tag) for tag, _ in runs]
    files = [text_of(file_name(path)) for _, path in runs]
    paths = [text_of(path) for _, path in runs]
    if naming == "tag" or (naming == "auto" and all(tags) and _differ(tags)):
        return _numbered([tag or file for tag, file in zip(tags, files, strict=True)])
    if naming == "file" or (naming == "auto" and _differ(files)):
        return _numbered(without_shared(files))
    return _numbered(paths if naming == "path" else without_shared(paths))


def file_name(path: str) -> str:
    """A file's name, without the ending that says how it is compressed."""
    # Not pathlib, which takes a while to import.
    name = re.split(r"[/\\]" if os.name == "nt" else "/", path.rstrip("/"))[-1] or path
    stem, dot, ending = name.rpartition(".")
    return stem if dot + ending in COMPRESSED and stem else name


def without_shared(names: Sequence[str]) -> list[str]:
    """The names without the words that all of them begin and end with; something is left of each."""
    words = [re.findall(_TOKENS, name) for name in names]
    if len(names) < 2:
        return list(names)
    front = _shared(words)
    words = [each[front:] for each in words]
    back = _shared([each[::-1] for each in words])
    return ["".join(each[: len(each) - back]) for each in words]


def _shared(words: Sequence[Sequence[str]]) -> int:
    """Count the words that begin all lists: up to a separator, with a word left in each."""
    best = 0
    for place, word in enumerate(words[0]):
        if not all(place < len(each) and each[place] == word for each in words):
            break
        rests = [each[place + 1 :] for each in words]
        if not word[0].isalnum() and all(any(part[0].isalnum() for part in rest) for rest in rests):
            best = place + 1
    return best


def fitted(names: Sequence[str], longest: int) -> list[str]:
    """Names of runs for a place with room for so many letters each; what differs still differs.

    Where one is too long all lose the words that they share, front and back; what is too long even then loses
    its middle.  Where names are the same without it, those too long alone lose what they share; else they are
    numbered.
    """
    if all(len(name) <= longest for name in names):
        return list(names)
    short = [_without_middle(name, longest) for name in without_shared(names)]
    if len(set(short)) < len(set(names)):
        long = [name for name in names if len(name) > longest]
        own = {name: f"…{rest}" for name, rest in zip(long, without_shared(long), strict=True)}
        alone = [_without_middle(own.get(name, name), longest) for name in names]
        if len(set(alone)) == len(set(names)):
            return alone
    each_once = dict.fromkeys(zip(names, short, strict=True))
    unique = dict(zip(each_once, _numbered([cut for _, cut in each_once], longest), strict=True))
    return [unique[pair] for pair in zip(names, short, strict=True)]


def _without_middle(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    front = longest // 2
    return f"{name[:front]}…{name[len(name) - (longest - 1 - front) :]}" if longest > 1 else "…"


def _differ(names: Sequence[str]) -> bool:
    return len(set(names)) == len(names)


def _numbered(names: Sequence[str], longest: int | None = None) -> list[str]:
    """The names, with a number behind those that come again; longer ones lose their middle for it."""
    times = Counter(names)
    taken = {name for name in names if times[name] == 1}
    found = []
    for name in names:
        unique = name
        numbers = count(1)
        while times[name] > 1 and (unique == name or unique in taken):
            end = f" ({next(numbers)})"
            short = name if longest is None else _without_middle(name, max(longest - len(end), 1))
            unique = short + end
        taken.add(unique)
        found.append(unique)
    return found
