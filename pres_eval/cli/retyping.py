"""Commands to paste in messages: the command line of this call with other options."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence

import click
from click.core import ParameterSource


def command_text(words: Sequence[str], files: Sequence[str]) -> str:
    """Return the evaluator's command for a shell.

    words  options and their values
    files  the judgements and the runs
    """
    command = ["pres-eval", *words]
    if any(file.startswith("-") and file != "-" for file in files):
        command.append("--")  # so that no file is taken for an option
    return shlex.join([*command, *files])


def typed_options(left_out: Collection[str]) -> list[str]:
    """Return the options of this call's command line as words, without those of the fields in `left_out`."""
    context = click.get_current_context()
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        is_typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(parameter, click.Option) and is_typed and name not in left_out:
            words.extend(_words(parameter, context.params[name]))
    return words


def _words(option: click.Option, value: object) -> Iterator[str]:
    """Yield the words by which a command line sets an option to a value: the name, and the value as text."""
    if option.is_flag:
        yield option.opts[0] if value else option.secondary_opts[0]
        return
    values: tuple[object, ...] = (value,)
    if option.multiple:
        assert isinstance(value, tuple)
        values = value
    elif isinstance(value, tuple):  # numbers, as --nmax has them
        values = (",".join(map(str, value)),)
    for part in values:
        yield option.opts[0]
        yield str(part)
