"""pres-eval man: the manual page, made of the texts that --help prints."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

import click

from pres_eval import __version__
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import (
    ARGUMENTS,
    DIFFERENCES,
    EXAMPLE,
    EXIT_CODES,
    FILE_FORMATS,
    LINES_IN_ALL,
    USAGE,
    option_rows,
)
from pres_eval.measures import MEASURES, NICKNAMES


@click.command()
def command() -> None:
    """Print the manual page, in roff.

    \b
    Examples:
      pres-eval man > pres-eval.1
      man -l pres-eval.1
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    click.echo(page(), nl=False)


def page() -> str:
    """Return the manual page: roff for `man`, ASCII alone."""
    lines = [
        f'.TH PRES-EVAL 1 "" "pres-eval {escaped(__version__)}" "User Commands"',
        ".SH NAME",
        escaped("pres-eval - trec_eval's numbers and PRES, for recall-oriented search"),
        ".SH SYNOPSIS",
        *_verbatim(USAGE),
        ".SH DESCRIPTION",
        *_prose(command_of(None).help or ""),  # None: pres-eval itself
        *_verbatim(EXAMPLE),
        *_prose(ARGUMENTS),
        ".SH OPTIONS",
        *_definitions(option_rows(command_of(None))),
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        lines += _command(name)
    lines.append(".SH FILES")
    for text in FILE_FORMATS.values():
        lines += _file_format(text)
    lines += _prose(LINES_IN_ALL)
    lines.append(".SH MEASURES")
    lines += _definitions((measure.name, measure.description) for measure in MEASURES)
    lines += _prose("Nicknames for several measures:")
    lines += _definitions((f"{name} ({compat})", ", ".join(names)) for compat, name, names in _nicknames())
    lines.append(".SH EXIT STATUS")
    lines += _definitions((str(code), text) for code, text in EXIT_CODES.items())
    lines.append(".SH DIFFERENCES FROM TREC_EVAL")
    for text in DIFFERENCES:
        lines += [r".IP \(bu 2", escaped(text)]
    lines.append(".SH SEE ALSO")
    lines += _prose(
        "W. Magdy and G. J. F. Jones, PRES: A Score Metric for Evaluating Recall-Oriented Information"
        " Retrieval Applications, SIGIR 2010, doi:10.1145/1835449.1835551."
    )
    return "".join(f"{line}\n" for line in lines)


ROFF_CHARACTERS = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga"}
"""Characters that roff changes, and how they are written to stay as they are."""


def escaped(text: str) -> str:
    """Return the text with escapes for what roff would change, and for characters outside ASCII."""
    characters = []
    for character in text:
        if character.isascii():
            characters.append(ROFF_CHARACTERS.get(character, character))
        else:
            characters.append(f"\\[u{ord(character):04X}]")
    # A line that begins with a dot would be a request.
    return re.sub(r"^\.", r"\\&.", "".join(characters), flags=re.MULTILINE)


def _nicknames() -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Yield each nickname with its measures, first the versions of trec_eval in which these are the same."""
    meanings: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for compat, nicknames in NICKNAMES.items():
        for name, members in nicknames.items():
            meanings.setdefault((name, tuple(members)), []).append(compat)
    for (name, members), versions in meanings.items():
        yield ", ".join(versions), name, members


def _prose(text: str) -> list[str]:
    """Return the lines of roff for a paragraph that `man` fills."""
    return [".PP", escaped(" ".join(line.strip() for line in text.splitlines()))]


def _verbatim(text: str) -> list[str]:
    """Return the lines of roff for lines that `man` leaves as they are."""
    return [".PP", ".nf", escaped(text), ".fi"]


def _file_format(text: str) -> list[str]:
    """Return the lines of roff for a text of FILE_FORMATS: name and columns as they are, then a paragraph."""
    name, columns, notes = text.split("\n", 2)
    return [*_verbatim(f"{name}\n{columns}"), *_prose(notes)]


def _definitions(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lines of roff for terms in bold, each above its text."""
    lines = []
    for term, text in rows:
        lines += [".TP", rf"\fB{escaped(term)}\fR", escaped(text)]
    return lines


def _command(name: str) -> list[str]:
    """Return the lines of roff for a command: its usage, its text, its options."""
    command = command_of(name)
    context = click.Context(command, info_name=f"pres-eval {name}", **command.context_settings)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    paragraphs = inspect.cleandoc(command.help or COMMANDS[name]).split("\n\n")
    lines = [f".SS {name}", *_prose(usage)]
    for paragraph in paragraphs:
        lines += _paragraph(paragraph)
    return lines + _definitions(option_rows(command))


def _paragraph(text: str) -> list[str]:
    """Return the lines of roff for a paragraph of a command's help.

    One that is not to be filled begins with a line of a backspace, as click wants it.
    """
    if text.startswith("\b\n"):
        return _verbatim(text.removeprefix("\b\n"))
    return _prose(text)
