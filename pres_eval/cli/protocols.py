"""pres-eval protocols, the list of the settings that --protocol NAME sets; and how they are applied."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource

from pres_eval.cli.shared import WITH_CUTOFFS
from pres_eval.cli.streams import note
from pres_eval.cli.wrapping import prose
from pres_eval.measures.protocols import PROTOCOLS, protocol_of

LETTER_OF_FIELD = {"topics": "-c", "relevance_level": "-l", "max_retrieved": "-M", "measures": "-m"}
"""The options that protocols set, by the names of their fields; all that they set --topics to is all: -c."""


@click.command()
def command() -> None:
    """List the protocols that --protocol takes: the options that each sets, and the paper behind it.

    \b
    Example:
      pres-eval protocols
    """  # noqa: D301 - click wants the character
    blocks = []
    for name, protocol in PROTOCOLS.items():
        lines = [name, prose(_as_typed(protocol.options), 2, 4)]
        if protocol.note:
            lines.append(prose(protocol.note, 2, 4))
        lines.append(prose(f"Source: {protocol.source}.", 2, 4))
        blocks.append("\n".join(lines))
    click.echo("\n\n".join(blocks))


def _as_typed(options: dict[str, object]) -> str:
    """Return options, by the names of their fields, as a user types them: -c -l 2 -m map."""
    words = []
    for name, value in options.items():
        if name == "topics":
            words.append(LETTER_OF_FIELD[name])
            continue
        values = value if isinstance(value, tuple) else (value,)
        for argument in values:
            words += [LETTER_OF_FIELD[name], str(argument)]
    return shlex.join(words)


def defaults_of(name: str, command: click.Command) -> dict[str, object]:
    """Return the settings of a protocol for a command, by the names of their fields.

    name  of the protocol
    Measures are left out for a command without -m, or whose -m takes no cutoffs.
    """
    settings = dict(protocol_of(name).options)
    takes_measures = any(
        option.name == "measures" and option.metavar == WITH_CUTOFFS for option in command.params
    )
    if not takes_measures:
        settings.pop("measures", None)
    return settings


def announce(context: click.Context) -> None:
    """Print a note about the options that the protocol set, and those that the command line set instead."""
    protocol = context.params["protocol"]
    set_by_protocol: dict[str, object] = {}
    set_by_user: list[str] = []
    for name, value in defaults_of(protocol, context.command).items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            set_by_user.append("--topics" if name == "topics" else LETTER_OF_FIELD[name])
        else:
            set_by_protocol[name] = value
    text = f"--protocol {protocol}: {_as_typed(set_by_protocol)}"
    if set_by_user:
        text += f"; as you set it: {', '.join(set_by_user)}"
    note(text)
