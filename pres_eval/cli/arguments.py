"""First pass over a command line, before click: the command, and prefixes of long option names."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from itertools import islice

import click

from pres_eval.errors import UsageError, nearest

BEFORE_COMMANDS = ("--quiet",)
"""Options that may also come before the name of a command."""

MAY_HAVE_VALUES = {"--bounds": ("--bounds-of", re.compile(r"all(,.*)?"))}
"""Flags that a value may follow, which click takes for the first file: its option, and how it begins."""

ONCE = (
    *("--against", "--expect", "--tolerance", "--groups", "--weights"),
    *("--map-docs", "--exclude", "--empty", "--protocol"),
    *("--table", "--plot", "--control", "--sizes", "--target"),
)
"""Options of which a second one would silently take the place of the first; trec_eval's own do."""

LIKENESS = 0.7
"""Least similarity of a word to a command at which it counts as a misspelling."""


def split_command(arguments: Sequence[str], commands: Collection[str]) -> tuple[str | None, list[str]]:
    """Return the command that the first word names, None for the evaluator; and its arguments.

    Raises UsageError for a first word that is no file and looks like a command.
    """
    place, word = next(
        ((place, word) for place, word in enumerate(arguments) if word not in BEFORE_COMMANDS), (0, "")
    )
    if word in commands:
        return word, [*arguments[:place], *arguments[place + 1 :]]
    if word.isalpha() and not os.path.exists(word):  # noqa: PTH110 - pathlib takes a while to import
        near = nearest(word, commands, LIKENESS)
        if near:
            raise UsageError(f"{word}: no such command or file; did you mean {' or '.join(near)}?")
    return None, list(arguments)


def expand_long_options(command: click.Command, arguments: Sequence[str]) -> list[str]:
    """Return the arguments with unique prefixes of long options written out.

    Options with a letter come first: they are trec_eval's, where these prefixes are unique.
    Raises UsageError for a prefix of several options.
    """
    options = [option for option in command.params if isinstance(option, click.Option)]
    names = {name for option in options for name in option.opts if name.startswith("--")} | {"--help"}
    lettered = {name for option in options if len(option.opts) > 1 for name in option.opts}
    takes_value = {
        name for option in options if not option.is_flag and not option.count for name in option.opts
    }
    expanded: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        option, pattern = MAY_HAVE_VALUES.get(expanded[-1] if expanded else "", ("", None))
        if word == "--":
            return [*expanded, word, *words]
        if pattern is not None and pattern.fullmatch(word):
            expanded += [option, word]
        elif equals and name in MAY_HAVE_VALUES:
            expanded += [name, MAY_HAVE_VALUES[name][0], value]
        else:
            if word.startswith("--") and name not in names:
                name = _whole(name, names, lettered)
            wants_value = _wants_value(name + equals + value, takes_value)
            if (
                (wants_value or equals)
                and name in ONCE
                and name in [one.partition("=")[0] for one in expanded]
            ):
                raise UsageError(f"{name}: given twice, expected once")
            expanded += [name + equals + value, *islice(words, int(wants_value))]
    return expanded


def _whole(prefix: str, names: Collection[str], lettered: Collection[str]) -> str:
    """Return the option that begins like this, or the text itself; raise UsageError for several."""
    matches = sorted(name for name in names if name.startswith(prefix))
    matches = [match for match in matches if match in lettered] or matches
    if len(matches) > 1:
        raise UsageError(f"option {prefix} is ambiguous: {', '.join(matches)}")
    return matches[0] if matches else prefix


def _wants_value(argument: str, takes_value: set[str]) -> bool:
    """Return whether the next argument is this option's value."""
    if argument.startswith("--"):
        return argument in takes_value
    if len(argument) < 2 or not argument.startswith("-"):
        return False
    for place, letter in enumerate(argument[1:], 1):
        if f"-{letter}" in takes_value:
            return place == len(argument) - 1
    return False
