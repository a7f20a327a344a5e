"""The command line: the first word names a command; without one, the evaluator runs.

It is the only part of the library that prints or decides on exit codes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack

import click

from pres_eval.cli.commands import COMPLETION_VARIABLE, command_of, expand_long_options, split_command
from pres_eval.cli.streams import is_watched, safe_streams, say
from pres_eval.engines.memory import allow_keeping_memory
from pres_eval.errors import PresEvalError, UsageError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells: 128 and the number of SIGINT."""

REPORT_OPTIONS = ("--junit", "--summary")
"""Options whose files get errors of the command line as well."""

MODULE_EXCEEDS_MEMORY = "failed to map segment"
"""Part of the system's message about a compiled module that does not fit into memory."""


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; results go to stdout, all else to stderr."""
    try:
        with safe_streams():
            try:
                return _main(list(arguments))
            except PresEvalError as error:
                if not error.is_reported and any(word.startswith(REPORT_OPTIONS) for word in arguments):
                    from pres_eval.cli.gating import report_usage_error

                    report_usage_error(arguments, str(error))
                return _fail(str(error), error.exit_code)
            except (KeyboardInterrupt, click.Abort):
                return INTERRUPTED
            except (MemoryError, ImportError) as error:
                if isinstance(error, ImportError) and MODULE_EXCEEDS_MEMORY not in str(error):
                    raise
                details = f" ({error})" if str(error) else ""
                return _fail(f"not enough memory{details}", 2)
            except OSError as error:
                message = str(error.strerror or error)
                if error.filename:
                    message += f": {error.filename}"
                return _fail(message, 2)
    except PresEvalError as error:  # at the end of safe_streams: the rest of stdout cannot be written
        return _fail(str(error), error.exit_code)


def _main(arguments: list[str]) -> int:
    """Run the command that the first word names, or the evaluator, and return its exit code.

    Raises UsageError for the errors of click.
    """
    if COMPLETION_VARIABLE in os.environ:
        from pres_eval.cli.completion import print_completions

        return print_completions(os.environ[COMPLETION_VARIABLE])
    # Python 3.11 fetches memory from the system, and gives it back, for each call at certain depths of the
    # stack.  numpy's imports are that deep inside those of our own modules: from here they take 6 ms less.
    import numpy as np  # noqa: F401

    allow_keeping_memory()
    name, arguments = split_command(arguments)
    command = command_of(name)
    program = "pres-eval"
    if name is not None:
        program += f" {name}"
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
        return stop.exit_code
    except click.ClickException as error:
        raise UsageError(_text_of_click_error(error)) from error
    return code if isinstance(code, int) else 0  # commands and click's own --help return none


def _has_option(command: click.Command, option: str) -> bool:
    """Return whether a command has an option of this name."""
    return any(option in parameter.opts for parameter in command.params)


def _takes(command: click.Command, option: str, value: str) -> bool:
    """Return whether a command has an option of this name, and its choices, if it has any, this value."""
    for parameter in command.params:
        if option in parameter.opts:
            return not isinstance(parameter.type, click.Choice) or value in parameter.type.choices
    return False


GUESSED_OPTIONS = {
    **{f"--{form}": f"--format {form}" for form in ("csv", "tsv", "json", "latex", "markdown")},
    "--letters": "--all-pairs --table groups",
}
"""Options that do not exist and that people guess, each with the options that do what it seems to mean."""


def _html_options(command: click.Command) -> str:
    """Return a hint at the options with which a command makes HTML; empty if it makes none."""
    # The evaluator, whose -o takes no file.
    if _has_option(command, "--Output_old_results_format"):
        return "; for HTML write --format table --style html, or --output FILE.html"
    if _has_option(command, "--style"):
        return "; for HTML write --style html, or -o FILE.html"
    if _has_option(command, "--one-page"):
        return "; for a page in HTML write -o FILE.html"
    return ""


def _text_of_click_error(error: click.ClickException) -> str:
    """Return the message of an error of click in the form of our own: the option, found, expected."""
    from pres_eval.cli.command_options import UnknownChoiceError  # numpy is imported before

    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error)
    is_missing = isinstance(error, click.MissingParameter)
    if is_missing or not isinstance(error, click.BadParameter) or error.param is None:
        return " ".join(error.format_message().split())  # click puts each choice on a line of its own
    parameter = error.param
    name = parameter.metavar or str(parameter.name).upper()
    if isinstance(parameter, click.Option):
        name = parameter.opts[0]
    if name == "--format" and error.message.startswith("html:") and error.ctx is not None:
        return f"{name} {error.message}{_html_options(error.ctx.command)}"
    if isinstance(error, UnknownChoiceError):
        return f"{name} {error.message}"
    return f"{name}: {error.message.removesuffix('.')}"


def _no_such_option(error: click.NoSuchOption) -> str:
    """Return the message about an unknown option, with a hint at those that were probably meant."""
    hint = "--help lists them all"
    if error.possibilities:
        hint = f"did you mean {' or '.join(sorted(error.possibilities))}?"
    options = GUESSED_OPTIONS.get(error.option_name, "")
    if options and error.ctx is not None and _takes(error.ctx.command, *options.split()[:2]):
        hint = f"did you mean {options}?"
    return f"{error.option_name}: no such option; {hint}"


def _fail(message: str, exit_code: int) -> int:
    """Print an error on stderr, and return the exit code."""
    say(f"pres-eval: {message}")
    return exit_code
