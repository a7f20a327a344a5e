"""What getopt_long allows and click does not: prefixes of long option names."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pres_eval.errors import UsageError


def expand_long_options(command: click.Command, arguments: Sequence[str]) -> list[str]:
    """The arguments with unique prefixes of long options written out.

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
    is_value = False
    for number, argument in enumerate(arguments):
        if argument == "--" and not is_value:
            return [*expanded, *arguments[number:]]
        name, equals, value = argument.partition("=")
        if not is_value and argument.startswith("--") and name not in names:
            matches = sorted(candidate for candidate in names if candidate.startswith(name))
            matches = [match for match in matches if match in lettered] or matches
            if len(matches) > 1:
                raise UsageError(f"option {name} is ambiguous: {', '.join(matches)}")
            expanded.append((matches[0] if matches else name) + equals + value)
        else:
            expanded.append(argument)
        is_value = not is_value and _wants_value(expanded[-1], takes_value)
    return expanded


def _wants_value(argument: str, takes_value: set[str]) -> bool:
    """Whether the next argument is this option's value."""
    if argument.startswith("--"):
        return argument in takes_value
    if len(argument) < 2 or not argument.startswith("-"):
        return False
    for place, letter in enumerate(argument[1:], 1):
        if f"-{letter}" in takes_value:
            return place == len(argument) - 1
    return False
