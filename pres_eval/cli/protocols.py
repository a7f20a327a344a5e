"""pres-eval protocols: the settings that --protocol NAME makes, and how they are applied."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource

from pres_eval.cli.shared import WITH_CUTOFFS
from pres_eval.cli.streams import say
from pres_eval.cli.wrapping import prose
from pres_eval.measures.protocols import PROTOCOLS, protocol_of

LETTERS = {"topics": "-c", "relevance_level": "-l", "max_retrieved": "-M", "measures": "-m"}
"""Options that protocols set, by the names of their parameters; --topics all is -c."""


@click.command()
def command() -> None:
    """List the protocols that --protocol takes: the options that each sets, and the paper behind it.

    \b
    Example:
      pres-eval protocols
    """  # noqa: D301 - click wants the character
    blocks = []
    for name, one in PROTOCOLS.items():
        lines = (_shown(one.options), one.note, f"Source: {one.source}.")
        blocks.append("\n".join([name, *(prose(line, 2, 4) for line in lines if line)]))
    click.echo("\n\n".join(blocks))


def _shown(options: dict[str, object]) -> str:
    """Return options as one would type them."""
    words = []
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            words += [LETTERS[name]] if name == "topics" else [LETTERS[name], str(each)]
    return shlex.join(words)


def defaults_of(name: str, command: click.Command) -> dict[str, object]:
    """Return the settings of a protocol; no measures for commands whose own -m takes none or no cutoffs."""
    takes = any(option.name == "measures" and option.metavar == WITH_CUTOFFS for option in command.params)
    options = protocol_of(name).options
    return {name: value for name, value in options.items() if takes or name != "measures"}


def announce(context: click.Context) -> None:
    """Report which options a protocol set, and which stay as the command line has them."""
    protocol = context.params["protocol"]
    every = defaults_of(protocol, context.command)
    kept = [name for name in every if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    done = _shown({name: value for name, value in every.items() if name not in kept})
    yours = ", ".join("--topics" if name == "topics" else LETTERS[name] for name in kept)
    say(f"pres-eval: note: --protocol {protocol}: {done}" + (f"; as you set it: {yours}" if yours else ""))
