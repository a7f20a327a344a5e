"""The parts of the commands' pages: what `pres-eval COMMAND --help` says, as Markdown."""

from __future__ import annotations

import html
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import option_rows

OPTION = re.compile(r"(?<![\w`-])(--?[a-z][\w-]*|-[A-Z])(?![\w`])", re.IGNORECASE)
"""An option within prose."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escaped(text: str) -> str:
    """Text that Markdown takes for nothing else."""
    return re.sub(r"([*\\`\[\]])", r"\\\1", text).replace("<", "&lt;")


def command_table() -> str:
    """The commands, with links to their pages."""
    rows = ((f"[`pres-eval {name}`]({name}.md)", text) for name, text in COMMANDS.items())
    return table(("command", "what it does"), rows)


def help_of(command: str) -> str:
    """The text of a command's help: prose, and its examples as they are."""
    paragraphs = inspect.cleandoc(command_of(command).help or "").split("\n\n")
    return "\n".join(f"{_shown(paragraph)}\n" for paragraph in paragraphs)


def _shown(paragraph: str) -> str:
    if paragraph.startswith("\b"):
        lines = inspect.cleandoc(paragraph.partition(":\n")[2])
        return f"```text\n{lines}\n```"
    text = escaped(" ".join(paragraph.split())).replace("\\`", "`")
    return OPTION.sub(r"`\1`", text)


def options(command: str | None = None) -> str:
    """The options of the evaluation, or of a command: its own, then the names of those it shares."""
    rows = option_rows(command_of(command))
    shared = [name for name, text in rows if command and (name, text) in _shared_rows()]
    own = [(name, text) for name, text in rows if name not in shared]
    named = ", ".join(f"`{re.split(r',? ', name)[0]}`" for name in shared)
    sentence = f"[Shared options](index.md#shared-options) that it takes: {named}.\n"
    return _option_table(own) + (f"\n{sentence}" if shared else "")


def shared_options() -> str:
    """The options that at least half of the commands take."""
    return _option_table(_shared_rows())


def _option_table(rows: Iterable[tuple[str, str]]) -> str:
    return table(("option", "what it does"), ((_code(name), text) for name, text in rows))


def _code(text: str) -> str:
    """Code in a table: a bar ends the cell, and behind a backslash the site shows both."""
    if "|" not in text:
        return f"`{text}`"
    return f"<code>{html.escape(text, quote=False).replace('|', '&#124;')}</code>"


def _shared_rows() -> list[tuple[str, str]]:
    counts = Counter(row for name in COMMANDS for row in option_rows(command_of(name)))
    return [row for row, count in counts.items() if 2 * count >= len(COMMANDS)]
