"""What of README.md is made by the code: tables of measures and options, lists, outputs of commands.

    python tests/update_readme.py

writes those parts of README.md again.  test_docs.py compares them with what stands there.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from trec_eval import test_differences

from pres_eval.cli import COMMANDS, command_of
from pres_eval.cli.help import DIFFERENCES, EXIT_CODES, FILE_FORMATS, LINES_IN_ALL, option_rows
from pres_eval.measures import MEASURES, NICKNAMES
from pres_eval.measures.base import (
    BetaCutoffs,
    Coefficients,
    Cutoffs,
    Fractions,
    Measure,
    OptionalCutoffs,
    Pairs,
)
from pres_eval.measures.settings import GainCutoffs, Percents, Settings

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETUP = re.compile(r"^<!-- setup: (\w+) -->\n```sh\n(.*)\n```$", re.MULTILINE)


def setup_commands(text: str) -> dict[str, str]:
    """The commands that set the project up, by their names: .ci/run runs them."""
    return dict(SETUP.findall(text))


def blocks(text: str) -> list[tuple[str, str]]:
    """The blocks that show commands with their outputs: (kind, content)."""
    return BLOCK.findall(text)


def with_real_output(kind: str, content: str) -> str:
    """A block with the output that its commands have today."""
    return console(content) if kind == "console" else session(content)


def console(content: str) -> str:
    """Lines that begin with `$ ` are run by sh, one after the other in one folder where fixtures/ is."""
    commands = [line[2:] for line in content.splitlines() if line.startswith("$ ")]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fixtures").symlink_to(ROOT / "fixtures")
        program = Path(folder) / "bin" / "pres-eval"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pres_eval "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        return "".join(f"$ {command}\n{_output(command, Path(folder))}" for command in commands)


def _output(command: str, folder: Path) -> str:
    """What a command prints, errors too; trailing blanks are dropped."""
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONIOENCODING": "utf-8",
    }
    environment.pop("GITHUB_ACTIONS", None)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.decode().splitlines())


def session(content: str) -> str:
    """A session of Python with what it prints today."""
    written = []
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(content):
        lines = example.source.splitlines()
        written += [f">>> {lines[0]}", *(f"... {line}" for line in lines[1:])]
        printed = io.StringIO()
        hook, stdout = sys.displayhook, sys.stdout
        here = Path.cwd()
        try:
            sys.stdout = printed
            os.chdir(ROOT)
            exec(compile(example.source, "README.md", "single"), names)
        finally:
            sys.displayhook, sys.stdout = hook, stdout
            os.chdir(here)
        written += printed.getvalue().splitlines()
    return "".join(f"{line}\n" for line in written)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def options() -> str:
    return table(
        ("option", "what it does"), ((f"`{name}`", text) for name, text in option_rows(command_of(None)))
    )


def command_table() -> str:
    return table(
        ("command", "what it does"), ((f"`pres-eval {name}`", text) for name, text in COMMANDS.items())
    )


def measures() -> str:
    head = ("measure", "what it is", "parameters", "source")
    return table(
        head,
        (
            (f"`{measure.name}`", measure.description, _parameters(measure), _source(measure))
            for measure in MEASURES
        ),
    )


def _parameters(measure: Measure) -> str:
    """What may stand behind the dot of -m, and what is used where nothing does."""
    kind = measure.parameters
    if not kind.example:
        return ""
    example = f"`{measure.name}.{kind.example}`"
    match kind:
        case Cutoffs(None):
            return f"ranks, {example}; else those of `--nmax`"
        case Cutoffs(tuple(defaults)):
            what, otherwise = "ranks", _numbers(defaults)
        case Fractions(defaults) | Coefficients(defaults):
            what, otherwise = "numbers", _numbers(defaults)
        case BetaCutoffs(betas, tuple(cutoffs)):
            what, otherwise = "β and ranks", f"β {_numbers(betas)} at {_numbers(cutoffs)}"
        case OptionalCutoffs():
            what, otherwise = "ranks", "the whole ranking"
        case Pairs():
            what, otherwise = "key=number", "none"
        case GainCutoffs(cutoffs):
            what, otherwise = "ranks and grade=gain", _numbers(cutoffs)
        case Percents(defaults):
            what, otherwise = "percentages", _numbers(defaults)
        case Settings(settings, cutoffs):
            what = " and ".join(["ranks"] * bool(cutoffs) + ["key=number"])
            usual = [f"{one.name}={one.default:g}" for one in settings if one.default is not None]
            otherwise = ", ".join([_numbers(cutoffs)] * bool(cutoffs) + usual)
        case _:
            raise AssertionError(f"no words for the parameters of {measure.name}")
    return f"{what}, {example}; else {otherwise}"


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _source(measure: Measure) -> str:
    """The source that a measure's text ends with; DOIs become links."""
    source = " ".join(measure.text.partition("\nSource:")[2].split())
    assert source, f"{measure.name} names no source"
    return re.sub(r"doi:(10\.[^\s;]*[^\s;.,])", r"[doi:\1](https://doi.org/\1)", source)


def nicknames() -> str:
    versions = tuple(NICKNAMES)
    rows = []
    for name, members in NICKNAMES[versions[0]].items():
        text = ", ".join(f"`{member}`" for member in members)
        for version in versions[1:]:
            added = [f"`{member}`" for member in NICKNAMES[version].get(name, ()) if member not in members]
            text += f"; with `--compat {version}` also {', '.join(added)}" if added else ""
        rows.append((f"`{name}`", text))
    return table(("nickname", "measures"), rows)


def formats() -> str:
    texts = "\n\n".join((*FILE_FORMATS.values(), LINES_IN_ALL))
    return f"```text\n{texts}\n```\n"


def differences() -> str:
    lines = []
    for number, (text, functions) in enumerate(zip(DIFFERENCES, test_differences.TESTS, strict=True), 1):
        names = ", ".join(f"`{function.__name__}`" for function in functions)
        lines.append(f"{number}. {text} ({names})\n")
    return "".join(lines)


def exit_codes() -> str:
    return table(("code", "meaning"), ((str(code), text) for code, text in EXIT_CODES.items()))


PARTS: dict[str, Callable[[], str]] = {
    "options": options,
    "commands": command_table,
    "measures": measures,
    "nicknames": nicknames,
    "formats": formats,
    "differences": differences,
    "exit codes": exit_codes,
}
"""What stands between `<!-- NAME -->` and `<!-- /NAME -->`."""


def part(text: str, name: str) -> str:
    """What stands between the marks of a part."""
    _, opening, rest = text.partition(f"<!-- {name} -->\n")
    found, closing, _ = rest.partition(f"<!-- /{name} -->\n")
    assert opening, f"README.md has no <!-- {name} -->"
    assert closing, f"README.md has no <!-- /{name} -->"
    return found


def updated(text: str) -> str:
    """The text with all its parts and outputs as they are today."""
    for name, make in PARTS.items():
        text = text.replace(f"<!-- {name} -->\n{part(text, name)}", f"<!-- {name} -->\n{make()}")

    def renewed(match: re.Match[str]) -> str:
        return f"```{match[1]}\n{with_real_output(match[1], match[2])}```"

    return BLOCK.sub(renewed, text)


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
