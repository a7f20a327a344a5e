"""The commands by their names: each in a file of this folder, imported when it is called."""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "agreement": "How alike measures rank the runs (Kendall, Spearman, pairwise verdicts).",
    "check": "Everything wrong or suspicious in qrels and runs.",
    "compare": "Runs × measures, with significance tests.",
    "completion": "Shell completion for bash, zsh and fish.",
    "convert": "A run or judgements in another format.",
    "explain": "Why a topic has the PRES that it has.",
    "figures": "The figures of the papers on PRES, of your own runs.",
    "holes": "Unjudged documents among the first of each run.",
    "judges": "Whether conclusions survive another judge.",
    "man": "The manual page.",
    "measures": "The measures, and the text of each.",
    "merge": "The judgements of several assessors as one file.",
    "pool": "The documents to judge.",
    "power": "How many topics a difference needs, and how sure measures are.",
    "protocols": "The settings of --protocol, and the papers behind them.",
    "report": "The TREC evaluation report with graphs.",
    "robustness": "How much incomplete judgements change the ranking of runs.",
    "sweep": "Measures against Nmax.",
    "validate": "How much a review missed, from judged samples.",
}
"""Commands besides the evaluator, each in its own file of this folder, with what they are for."""

COMPLETION_VARIABLE = "_PRES_EVAL_COMPLETE"
"""The environment variable through which the scripts of `completion` ask for what could come next."""


def command_of(name: str | None) -> click.Command:
    """The click command of that name; the evaluator for None."""
    module = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}")
    command = module.command
    assert isinstance(command, click.Command)
    command.context_settings.setdefault("help_option_names", ["-h", "--help"])
    return command
