"""The commands by their names: each in a file of this folder, imported when it is called."""

from __future__ import annotations

import importlib

import click

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
    "pool": "List the documents to judge.",
    "power": "Plan how many topics a difference needs.",
    "protocols": "List the settings of --protocol and their sources.",
    "report": "Write the report: page, text or pictures.",
    "robustness": "Remove judgements and see how the order of runs changes.",
    "sweep": "Show measures at several Nmax.",
    "validate": "Estimate from a sample how much a review missed.",
}
"""Commands besides the evaluator, each in its own file of this folder, with their purposes."""

COMPLETION_VARIABLE = "_PRES_EVAL_COMPLETE"
"""The environment variable through which the scripts of `completion` ask for completions."""


def command_of(name: str | None) -> click.Command:
    """Return the click command of that name; the evaluator for None."""
    command = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}").command
    assert isinstance(command, click.Command)
    command.context_settings.setdefault("help_option_names", ["-h", "--help"])
    command.context_class = HelpContext
    return command


class HelpContext(click.Context):
    """Context of a command whose help keeps words whole."""

    def make_formatter(self) -> click.HelpFormatter:
        """Return the formatter that writes the help."""
        from pres_eval.cli.wrapping import WholeWords  # only help needs it

        return WholeWords(width=self.terminal_width, max_width=self.max_content_width)
