"""README.md and the help say what is true: tables are those of the code, every example runs."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import update_readme
from support.commands import Command

from pres_eval.cli import COMMANDS, command_of
from pres_eval.cli.help import EXAMPLE, USAGE

TEXT = update_readme.README.read_text(encoding="utf-8")
BLOCKS = update_readme.blocks(TEXT)
HOW = "python tests/update_readme.py writes it again"


@pytest.mark.parametrize("name", update_readme.PARTS)
def test_parts_are_those_of_the_code(name: str) -> None:
    assert update_readme.part(TEXT, name) == update_readme.PARTS[name](), HOW


@pytest.mark.parametrize(("kind", "content"), BLOCKS, ids=lambda value: value.splitlines()[0][:60])
def test_examples_print_what_is_shown(kind: str, content: str) -> None:
    assert content == update_readme.with_real_output(kind, content), HOW


def test_every_block_is_accounted_for() -> None:
    """Nothing is fenced that no test looks at: examples, the two set-up commands, the file formats."""
    kinds = re.findall(r"^```(\w*)$", TEXT, re.MULTILINE)
    opened = [kind for kind in kinds if kind]
    assert len(opened) * 2 == len(kinds)
    assert opened.count("console") + opened.count("pycon") == len(BLOCKS)
    assert opened.count("sh") == len(update_readme.setup_commands(TEXT)) == 2
    assert opened.count("text") == 1
    assert set(opened) == {"console", "pycon", "sh", "text"}


def test_setup_commands() -> None:
    """Each is one line that makes its own environment; they are what .ci/run takes out of the README."""
    commands = update_readme.setup_commands(TEXT)
    assert list(commands) == ["main", "test"]
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands.values())
    assert "pres-eval fixtures/patents/qrels.txt" in commands["main"]
    assert "pytest" in commands["test"]
    script = (update_readme.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- setup: " in script
    assert ".venv/bin/pip" not in script, "the commands stand in the README alone"


def test_every_command_has_its_section() -> None:
    sections = re.findall(r"^### (\w+)$", TEXT, re.MULTILINE)
    assert set(COMMANDS) <= set(sections)
    shown = " ".join(content for kind, content in BLOCKS if kind == "console")
    assert [name for name in COMMANDS if f"$ pres-eval {name} " not in shown.replace("\n", " ")] == []


def examples_of(name: str | None) -> list[str]:
    """The lines of a command's help that call it."""
    text = EXAMPLE if name is None else inspect.cleandoc(command_of(name).help or "")
    return [
        line.strip()
        for line in text.splitlines()
        if line.startswith("  ") and "pres-eval" in line.split()[:1]
    ]


EXAMPLES = [(name, example) for name in [None, *COMMANDS] for example in examples_of(name)]


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_starts_with_an_example(name: str | None) -> None:
    """After the usage and one sentence."""
    if name is None:
        assert EXAMPLE.startswith("Example: ")
        assert USAGE.startswith("pres-eval [OPTIONS] QRELS RUN")
    else:
        paragraphs = inspect.cleandoc(command_of(name).help or "").split("\n\n")
        assert re.match("\b\nExamples?:\n  ", paragraphs[1])
    assert [found for found, _ in EXAMPLES if found == name]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_examples_of_help_run(
    name: str | None, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".config" / "fish" / "completions").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    command, *output = update_readme.console(f"$ {example}; echo $?\n").splitlines()
    assert command == f"$ {example}; echo $?"
    assert output[-1] == "0"
    assert not [line for line in output if line.startswith("pres-eval: ")]
    written = re.search(r"(?:> |-o )(\S+)$", example)
    assert len(output) == 1 if written else len(output) > 1


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_every_command(name: str, option: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    printed = Command(capfdbinary).ok(name, option).out
    assert printed.startswith(f"Usage: pres-eval {name} [OPTIONS]")
    assert "Example" in printed


ARGUMENTS = {
    "evaluator": ["fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "table": ["--format", "table", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "error": ["-m", "mpa", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "help": ["--help"],
    "compare": ["compare", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "check": ["check", "fixtures/patents/qrels.txt", "fixtures/patents/run_semantic.txt"],
    "explain": ["explain", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt", "PAC-1001"],
}


@pytest.mark.parametrize("no_color", [None, "1"])
@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
def test_no_colours_on_a_terminal(arguments: list[str], no_color: str | None) -> None:
    """Nothing is coloured, with NO_COLOR or without."""
    pty = pytest.importorskip("pty")
    leader, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(update_readme.ROOT), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    if no_color:
        environment["NO_COLOR"] = no_color
    process = subprocess.Popen(
        [sys.executable, "-m", "pres_eval", *arguments],
        cwd=update_readme.ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    printed = b""
    try:
        while data := os.read(leader, 65536):
            printed += data
    except OSError:
        pass  # Linux says so when the other end is closed.
    os.close(leader)
    assert process.wait(60) == (1 if "mpa" in arguments else 0)
    assert len(printed) > 50
    assert not re.search(rb"\x1b\[[0-9;:]*m", printed)
