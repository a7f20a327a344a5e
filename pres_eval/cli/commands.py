"""The commands by their names, and a line before click reads it: the command that it means, whole options."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Collection, Sequence
from itertools import islice

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
"""Commands besides the evaluator, each in its own file of this folder, with their purposes."""

COMPLETION_VARIABLE = "_PRES_EVAL_COMPLETE"
"""The environment variable through which the scripts of `completion` ask for completions."""

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


def split_command(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the command that the first word names, None for the evaluator; and its arguments.

    Raises UsageError for a first word that is no file and looks like a command.
    """
    index, word = next(
        ((index, word) for index, word in enumerate(arguments) if word not in BEFORE_COMMANDS), (0, "")
    )
    if word in COMMANDS:
        return word, [*arguments[:index], *arguments[index + 1 :]]
    if word.isalpha() and not os.path.exists(word):  # noqa: PTH110 - pathlib takes a while to import
        near = nearest(word, COMMANDS, LIKENESS)
        if near:
            raise UsageError(f"{word}: no such command or file; did you mean {' or '.join(near)}?")
    return None, list(arguments)


def command_of(name: str | None) -> click.Command:
    """Return the click command of that name; the evaluator for None."""
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
                and name in [option.partition("=")[0] for option in expanded]
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
    if argument.startswith("--") or not argument.startswith("-"):
        return argument in takes_value
    # Of letters together the last alone: behind another one that takes a value, it is this value.
    takes = [f"-{letter}" in takes_value for letter in argument[1:]]
    return sum(takes) == 1 and takes[-1]
