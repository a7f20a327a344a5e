"""The command line: the evaluator is the default, other commands are named by the first argument.

The only part of the library that prints or decides on exit codes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack

import click

from pres_eval.cli.commands import COMPLETION_VARIABLE, command_of, expand_long_options, split_command
from pres_eval.cli.streams import is_watched, safe_streams, say
from pres_eval.engines.memory import allow_keeping_memory
from pres_eval.errors import PresEvalError, UsageError, decimal_comma, did_you_mean, quoted

INTERRUPTED = 130

REPORTS = ("--junit", "--summary")
"""Options of files that report errors as well."""

NO_ROOM = "failed to map segment"
"""Message of the system about a compiled module that does not fit into memory."""


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; results go to stdout, all else to stderr."""
    try:
        with safe_streams():
            try:
                return _main(list(arguments))
            except PresEvalError as error:
                if not error.is_reported and any(word.startswith(REPORTS) for word in arguments):
                    from pres_eval.cli.gating import report_usage_error

                    report_usage_error(arguments, str(error))
                return _fail(str(error), error.exit_code)
            except (KeyboardInterrupt, click.Abort):
                return INTERRUPTED
            except (MemoryError, ImportError) as error:
                if isinstance(error, ImportError) and NO_ROOM not in str(error):
                    raise
                return _fail(f"not enough memory ({error})" if str(error) else "not enough memory", 2)
            except OSError as error:
                return _fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 2)
    except PresEvalError as error:  # what was still to be written could not be
        return _fail(str(error), error.exit_code)


def _main(arguments: list[str]) -> int:
    """Run the command that the first argument names, or the evaluator, and return its exit code."""
    if COMPLETION_VARIABLE in os.environ:
        from pres_eval.cli.completion import print_completions

        return print_completions(os.environ[COMPLETION_VARIABLE])
    # Python 3.11 fetches memory from the system, and gives it back, for each call at certain depths of the
    # stack.  numpy's imports are that deep inside those of our own modules: from here they take 6 ms less.
    import numpy as np  # noqa: F401

    allow_keeping_memory()
    name, arguments = split_command(arguments)
    command = command_of(name)
    program = f"pres-eval {name}" if name else "pres-eval"
    arguments = expand_long_options(command, arguments)
    # Not click's main, which would leave the process by itself.
    try:
        with command.make_context(program, arguments) as context, ExitStack() as clock:
            if name and is_watched(context.params.get("quiet", False)):  # shows how long the command takes
                from pres_eval.cli.progress import working

                clock.enter_context(working(program))
            if context.params.get("protocol") and not context.params["quiet"]:
                from pres_eval.cli.protocols import announce

                announce(context)
            code = command.invoke(context)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        raise UsageError(_of_click(error)) from error
    return code if isinstance(code, int) else 0


def _knows(command: click.Command, option: str) -> bool:
    """Return whether a command has an option."""
    return any(option in parameter.opts for parameter in command.params)


GUESSED_OPTIONS = {
    **{f"--{form}": f"--format {form}" for form in ("csv", "tsv", "json", "latex", "markdown")},
    "--letters": "--all-pairs --table groups",
}
"""What people try who guess an option, and the options that do it."""


def _of_click(error: click.ClickException) -> str:
    """Return an error of click in the words of our own messages."""
    if isinstance(error, click.NoSuchOption):
        near = sorted(error.possibilities or ())
        hint = f"did you mean {' or '.join(near)}?" if near else "--help lists them all"
        options = GUESSED_OPTIONS.get(error.option_name, "")
        if options and error.ctx is not None and _knows(error.ctx.command, options.split()[0]):
            hint = f"did you mean {options}?"
        return f"{error.option_name}: no such option; {hint}"
    param = error.param if isinstance(error, click.BadParameter) else None
    if param is None or isinstance(error, click.MissingParameter):
        return " ".join(error.format_message().split())  # click puts each choice on a line of its own
    name = param.opts[0] if isinstance(param, click.Option) else param.metavar or str(param.name).upper()
    kind = param.type
    value, is_not, _ = error.message.rpartition(" is not ")
    value = value.strip("'")
    if is_not and isinstance(kind, (click.IntRange, click.FloatRange)):
        from pres_eval.cli.command_options import described

        hint = decimal_comma(value) if isinstance(kind, click.FloatRange) else ""
        return f"{name}: found {quoted(value)}, expected {described(kind)}{hint}"
    if not is_not or not isinstance(kind, click.Choice):
        return f"{name}: {error.message.removesuffix('.')}"
    choices = [str(choice) for choice in kind.choices]
    hint = did_you_mean(value, choices)
    return f"{name} {value}: expected one of {', '.join(choices)}" + (f"; {hint}" if hint else "")


def _fail(message: str, exit_code: int) -> int:
    say(f"pres-eval: {message}")
    return exit_code
