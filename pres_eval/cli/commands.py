"""The commands by their names, and what happens to a command line before click reads it.

The command that it names is found, and beginnings of long options are written out.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import click

from pres_eval.errors import UsageError, nearest

COMMANDS = {
    "agreement": "Compare the rankings of runs by different measures.",
    "check": "Find errors and suspicious lines in qrels and runs.",
    "compare": "Compare runs, with significance tests and intervals.",
    "completion": "Print the completion script of bash, zsh or fish.",
    "convert": "Convert a run or judgements to another format.",
    "explain": "Show how the PRES of a topic is computed.",
    "figures": "Draw the figures of the papers on PRES for your runs.",
    "help": "Show the help of a command.",
    "holes": "Count unjudged documents at the top of each run.",
    "judges": "Test whether conclusions survive another judge.",
    "man": "Print the manual page.",
    "measures": "List the measures, or explain one.",
    "merge": "Merge the judgements of several assessors.",
    "overlap": "Compare the documents of two runs, without judgements.",
    "pool": "List the documents to judge.",
    "power": "Plan how many topics a difference needs.",
    "protocols": "List the settings of --protocol and their sources.",
    "replicate": "Measure whether an improvement comes out again.",
    "report": "Write the report: page, text or pictures.",
    "robustness": "Remove judgements and see how the order of runs changes.",
    "stopping": "Evaluate where reviews stopped.",
    "sweep": "Show measures at several Nmax.",
    "validate": "Estimate from a sample how much a review missed.",
}
"""Commands besides the evaluator, with their purposes; each is in the module of its name in this folder."""

COMPLETION_VARIABLE = "_PRES_EVAL_COMPLETE"
"""The environment variable through which the scripts of `completion` ask for completions."""

BEFORE_COMMANDS = ("--quiet",)
"""Options that may also come before the name of a command."""


class FlagValue(NamedTuple):
    """Value that may follow a flag, although click's flags take none.

    option   the hidden option that takes it in the flag's place
    pattern  of the values, which tells them from names of files
    """

    option: str
    pattern: re.Pattern[str]


FLAG_VALUES = {"--bounds": FlagValue("--bounds-of", re.compile(r"all(,.*)?"))}
"""The flags that a value may follow."""

WHOLE_HELP = "--help-all"
"""The evaluator's option for its whole help, which other commands take for --help."""

LIKENESS = 0.7
"""Least similarity of a word to a command, from 0 to 1, at which it counts as a misspelling of it."""


def split_command(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the command that the first word names, None for the evaluator; and the other words.

    Raises UsageError for a first word that is no file and looks like a command.
    """
    words = [word for word in arguments if word not in BEFORE_COMMANDS]
    word = words[0] if words else ""
    if word in COMMANDS:
        index = arguments.index(word)
        return word, [*arguments[:index], *arguments[index + 1 :]]
    if word.isalpha() and not os.path.exists(word):  # noqa: PTH110 - pathlib takes a while to import
        near = nearest(word, COMMANDS, LIKENESS)
        if near:
            raise UsageError(f"{word}: no such command or file; did you mean {' or '.join(near)}?")
    return None, list(arguments)


def command_of(name: str | None) -> click.Command:
    """Return the click command of that name, None for the evaluator; its module is imported now."""
    command = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}").command
    assert isinstance(command, click.Command)
    if command.help is None:  # Python leaves docstrings out (-OO)
        from pres_eval.measures.docstrings import docstring_of

        command.help = docstring_of(command.callback)
    command.context_settings.setdefault("help_option_names", ["-h", "--help"])
    command.context_class = HelpContext
    return command


class HelpContext(click.Context):
    """Context of a command whose help keeps words whole."""

    def make_formatter(self) -> click.HelpFormatter:
        """Return the formatter that writes the help."""
        from pres_eval.cli.wrapping import WholeWords  # only help needs it

        return WholeWords(width=self.terminal_width, max_width=self.max_content_width)


class OptionNames(NamedTuple):
    """Names of a command's options.

    long         all that begin with --
    lettered     of options that have a letter as well, such as -c
    takes_value  of options that a value follows
    """

    long: set[str]
    lettered: set[str]
    takes_value: set[str]


def _option_names(command: click.Command) -> OptionNames:
    """Return the names of a command's options."""
    names = OptionNames({"--help"}, set(), set())
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        names.long.update(name for name in option.opts if name.startswith("--"))
        if len(option.opts) > 1:
            names.lettered.update(option.opts)
        if not option.is_flag and not option.count:
            names.takes_value.update(option.opts)
    return names


def expand_long_options(command: click.Command, arguments: Sequence[str]) -> list[str]:
    """Return the arguments with beginnings of long options written out, and values of flags moved.

    --comp becomes --complete_rel_info_wanted, and --bounds all becomes --bounds --bounds-of all.
    Raises UsageError for the beginning of several options, and for a second of an option that is given once.
    """
    if not any(word.startswith("--") for word in arguments):
        return list(arguments)
    from pres_eval.cli.command_options import RecordCommand  # numpy is imported before

    names = _option_names(command)
    given_once = command.given_once if isinstance(command, RecordCommand) else frozenset[str]()
    expanded: list[str] = []
    already_given: set[str] = set()
    words = iter(arguments)
    for word in words:
        if word == "--":  # only files follow
            return [*expanded, word, *words]
        name, equals, value = word.partition("=")
        if name in FLAG_VALUES and equals:
            expanded += [name, FLAG_VALUES[name].option, value]
            continue
        flag_value = FLAG_VALUES.get(expanded[-1]) if expanded else None
        if flag_value is not None and flag_value.pattern.fullmatch(word):
            expanded += [flag_value.option, word]
            continue
        if word.startswith("--") and name not in names.long:
            name = _whole_option(name, names)
        if name in given_once:
            if name in already_given:
                raise UsageError(f"{name}: given twice, expected once")
            already_given.add(name)
        whole_word = name + equals + value
        expanded.append(whole_word)
        if _wants_value(whole_word, names.takes_value):
            expanded += islice(words, 1)  # the next word, whatever it looks like
    return expanded


def _whole_option(prefix: str, names: OptionNames) -> str:
    """Return the option that begins with `prefix`, or the prefix itself if none does; --help for --help-all.

    Options with a letter win over others: they are trec_eval's, where these prefixes are unique.
    Raises UsageError for a prefix of several options.
    """
    if prefix == WHOLE_HELP:
        return "--help"
    matches = sorted(name for name in names.long if name.startswith(prefix))
    lettered_matches = [match for match in matches if match in names.lettered]
    if lettered_matches:
        matches = lettered_matches
    if not matches:
        return prefix
    if len(matches) > 1:
        raise UsageError(f"option {prefix} is ambiguous: {', '.join(matches)}")
    return matches[0]


def _wants_value(argument: str, takes_value: set[str]) -> bool:
    """Return whether the next word is this argument's value."""
    if argument.startswith("--") or not argument.startswith("-"):
        return argument in takes_value
    # In letters together, such as -qm, what follows a letter that takes a value is the value: -mmap.  If
    # nothing follows it there, the next word is.
    letters = argument[1:]
    for position, letter in enumerate(letters, 1):
        if f"-{letter}" in takes_value:
            return position == len(letters)
    return False
