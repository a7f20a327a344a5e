"""The parts of the commands' pages: what `pres-eval COMMAND --help` says, as Markdown."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import option_rows

OPTION = re.compile(r"(?<![\w`-])(--?[a-z][\w-]*|-[A-Z])(?![\w`])", re.IGNORECASE)
"""An option within prose."""


SHARED_PAGES = {
    "power": "compare",
    "convert": "check",
    "agreement": "judges",
    "robustness": "judges",
    "replicate": "overlap",
    "stopping": "validate",
    "merge": "pool",
    "holes": "pool",
    "figures": "report",
    "sweep": "report",
    "measures": "help",
    "protocols": "help",
    "completion": "help",
    "man": "help",
}
"""Commands that are a section of another command's page, by that command's name."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    first, *others = (f"| {' | '.join(line)} |\n" for line in lines)
    return "".join((first, f"|{'---|' * len(head)}\n", *others))


def escaped(text: str) -> str:
    """Text that Markdown takes for nothing else."""
    return re.sub(r"([*\\`\[\]])", r"\\\1", text).replace("<", "&lt;")


def command_table() -> str:
    """The commands, with links to their pages."""
    return "".join(f"- [`{name}`](commands/{place_of(name)}): {text}\n" for name, text in COMMANDS.items())


def page_name(command: str) -> str:
    """Return the name of the page of a command, without its ending."""
    return SHARED_PAGES.get(command, command)


def place_of(command: str) -> str:
    """Return the page of a command, and its section if the page has the name of another one."""
    section = f"#{command}" if command in SHARED_PAGES else ""
    return f"{page_name(command)}.md{section}"


def help_of(command: str) -> str:
    """The prose of a command's help; the page has examples with their outputs."""
    paragraphs = inspect.cleandoc(command_of(command).help or "").split("\n\n")
    return "\n".join(f"{_shown(paragraph)}\n" for paragraph in paragraphs if not paragraph.startswith("\b"))


def _shown(paragraph: str) -> str:
    text = escaped(" ".join(paragraph.split())).replace("\\`", "`")
    return OPTION.sub(r"`\1`", text)


def options(command: str | None = None) -> str:
    """Return the options of the evaluation, or of a command: its own, then the names of the others."""
    rows = option_rows(command_of(command))
    if command is None:
        return _option_list(rows)
    shared = _shared_rows()
    evaluation = option_rows(command_of(None))
    several = _rows_of_several()
    own = [row for row in rows if row not in shared and row not in evaluation and row not in several]
    same = [row for row in rows if row in evaluation and row not in shared]
    sentences = []
    if same:
        sentences.append(f"As in [an evaluation](../options.md#options): {_names(same)}.")
    if elsewhere := [row for row in several if row in rows]:
        sentences.append(f"[Options of several commands](../options.md#shared-options): {_names(elsewhere)}.")
    taken = [row for row in shared if row in rows]
    refused = [row for row in shared if row not in rows]
    if not refused:
        sentences.append("All [shared options](../options.md#shared-options).")
    elif len(refused) < len(taken):
        sentences.append(f"All [shared options](../options.md#shared-options) but {_names(refused)}.")
    elif taken:
        sentences.append(f"[Shared options](../options.md#shared-options): {_names(taken)}.")
    parts = [_option_list(own)] if own else []
    if sentences:
        parts.append(f"{' '.join(sentences)}\n")
    return "\n".join(parts)


def shared_options() -> str:
    """Return the options that most commands take; of those of the evaluation only the names."""
    evaluation = option_rows(command_of(None))
    same = [row for row in _shared_rows() if row in evaluation]
    own = [row for row in _shared_rows() if row not in evaluation]
    several = _option_list(_rows_of_several())
    return (
        f"As in an evaluation: {_names(same)}.\n\n{_option_list(own)}\n"
        f"Options of several commands, whose pages name them:\n\n{several}"
    )


def _names(rows: Iterable[tuple[str, str]]) -> str:
    """Return the names of options, the short ones where there are."""
    return ", ".join(f"`{re.split(r',? ', name)[0]}`" for name, _ in rows)


def _option_list(rows: Iterable[tuple[str, str]]) -> str:
    """Return a list of options, which a phone shows without scrolling sideways."""
    return "".join(f"- `{name}`: {text}\n" for name, text in rows)


def _rows_of_several() -> list[tuple[str, str]]:
    """Return the options that three commands or more have, but fewer than those that most have."""
    evaluation, shared = option_rows(command_of(None)), _shared_rows()
    counts = Counter(row for name in COMMANDS for row in option_rows(command_of(name)))
    return [
        row for row, count in counts.items() if count >= 3 and row not in shared and row not in evaluation
    ]


def _shared_rows() -> list[tuple[str, str]]:
    counts = Counter(row for name in COMMANDS for row in option_rows(command_of(name)))
    return [row for row, count in counts.items() if 2 * count >= len(COMMANDS)]
