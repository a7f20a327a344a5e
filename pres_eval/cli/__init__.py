"""The command line: the evaluator is the default, other commands are named by the first argument.

The only part of the library that prints or decides on exit codes.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from pres_eval.cli.arguments import expand_long_options
from pres_eval.errors import PresEvalError

COMMANDS = {
    "agreement": "How alike measures rank the runs (Kendall, Spearman, pairwise verdicts).",
    "check": "Everything wrong or suspicious in qrels and runs.",
    "compare": "Runs × measures, with significance tests.",
    "completion": "Shell completion for bash, zsh and fish.",
    "explain": "PRES of single topics laid open.",
    "man": "The manual page.",
    "measures": "The measures, and the text of each.",
    "report": "The TREC evaluation report with graphs.",
    "robustness": "How much incomplete judgements change the ranking of runs.",
    "sweep": "Measures against Nmax.",
}
"""Commands besides the evaluator, each in its own file of this folder, with what they are for."""

COMPLETION_VARIABLE = "_PRES_EVAL_COMPLETE"
"""The environment variable through which the scripts of `completion` ask for what could come next."""

INTERRUPTED = 130


def command_of(name: str | None) -> click.Command:
    """The click command of that name; the evaluator for None."""
    module = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}")
    command = module.command
    assert isinstance(command, click.Command)
    command.context_settings.setdefault("help_option_names", ["-h", "--help"])
    return command


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; results go to stdout, all else to stderr."""
    if COMPLETION_VARIABLE in os.environ:
        from pres_eval.cli.completion import print_completions

        return print_completions(os.environ[COMPLETION_VARIABLE])
    arguments = list(arguments)
    name = arguments[0] if arguments and arguments[0] in COMMANDS else None
    command = command_of(name)
    program = f"pres-eval {name}" if name else "pres-eval"
    try:
        if sys.stdout is None:
            raise PresEvalError("standard output is closed")
        return _run(command, program, expand_long_options(command, arguments[1:] if name else arguments))
    except (PresEvalError, click.ClickException) as error:
        return _fail(*_told(error))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except OSError as error:
        # Python would try to write what is left once more, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0  # the reader has seen enough, and nobody is there to be told
        return _fail(f"output cannot be written: {(error.strerror or str(error)).lower()}", 2)


def _run(command: click.Command, program: str, arguments: list[str]) -> int:
    """Run a click command, without its main, which would leave the process by itself."""
    try:
        with command.make_context(program, arguments) as context:
            code = command.invoke(context)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _told(error: PresEvalError | click.ClickException) -> tuple[str, int]:
    """The message and exit code of an error."""
    if isinstance(error, PresEvalError):
        return str(error), error.exit_code
    return error.format_message(), 1


def _fail(message: str, exit_code: int) -> int:
    print(f"pres-eval: {message}", file=sys.stderr)
    return exit_code
