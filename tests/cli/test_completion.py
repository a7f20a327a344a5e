"""Completion in the shells: what a script is told, and the scripts in the shells that are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from support.commands import Command

from pres_eval.cli import main
from pres_eval.cli.commands import COMMANDS, COMPLETION_VARIABLE, command_of
from pres_eval.measures import MEASURES, NICKNAMES

if TYPE_CHECKING:
    from support.terminal import Terminal

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILE = "file"


class Complete:
    """Asks as the script for bash does: the last word is the one to complete."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]) -> None:
        self._monkeypatch = monkeypatch
        self._capture = capture

    def __call__(self, *words: str) -> list[str]:
        """The words offered; FILE where the shell is told to offer files."""
        with self._monkeypatch.context() as patch:
            patch.setenv("COMP_WORDS", " ".join(["pres-eval", *words]))
            patch.setenv("COMP_CWORD", str(len(words)))
            patch.setenv(COMPLETION_VARIABLE, "bash_complete")
            assert main([]) == 0
        caught = self._capture.readouterr()
        assert caught.err == b""
        pairs = [line.split(",", 1) for line in caught.out.decode().splitlines() if line]
        return [value if kind == "plain" else kind for kind, value in pairs]


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Complete:
    return Complete(monkeypatch, capfdbinary)


def test_first_word_is_a_command_or_a_file(complete: Complete) -> None:
    assert complete("") == [*COMMANDS, FILE]
    assert complete("com") == ["compare", "completion", FILE]
    assert complete("fixt") == [FILE]
    assert complete("qrels", "com") == [FILE]


def test_measures(complete: Complete) -> None:
    nicknames = {nickname for names in NICKNAMES.values() for nickname in names}
    assert set(complete("-m", "")) == nicknames | {measure.name for measure in MEASURES}
    assert complete("-q", "-m", "PRES") == ["PRES", "PRES_est", "PRES_budget"]
    assert complete("qrels", "run", "--measure", "ndcg_c") == ["ndcg_cut"]
    assert complete("compare", "qrels", "-m", "all_") == ["all_trec", "all_prefs"]
    assert complete("measures", "recip_rank_") == ["recip_rank_cut"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["--compl"], ["--complete_rel_info_wanted"]),
        (["--compat", ""], ["9.0.8", "10.0"]),
        (["-R", "qrels_"], ["qrels_jg", "qrels_prefs", "qrels_float"]),
        (["--style", "gith"], ["github"]),
        (["--format", "json"], ["json", "jsonl"]),
        (["--output", "o"], [FILE]),
        (["compare", "--test", "t"], ["t", "tukey"]),
        (["compare", "q"], [FILE]),
        (["sweep", "q", "r"], [FILE]),
        (["robustness", "--write-qrels", ""], ["dir"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["check", "--he"], ["--help"]),
    ],
)
def test_options_and_values(complete: Complete, words: list[str], offered: list[str]) -> None:
    assert complete(*words) == offered


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_long_option_of_every_command(complete: Complete, name: str) -> None:
    options = {
        option
        for parameter in command_of(name).params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }
    assert set(complete(name, "--")) == options | {"--help"}


def test_completing_leaves_the_commands_alone(complete: Complete, command: Command) -> None:
    """The copies that know about completion are not what is run later."""
    before = [parameter.type for parameter in command_of(None).params]
    complete("-m", "P")
    assert [parameter.type for parameter in command_of(None).params] == before


def test_wrong_shells(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("completion", "tcsh").code == 1
    for asked in ("tcsh_complete", "bash_source", "zsh_source", "fish_source", "zsh_complete"):
        monkeypatch.setenv(COMPLETION_VARIABLE, asked)
        called = command()
        assert called.code == 1 and f"{COMPLETION_VARIABLE}={asked}: expected SHELL_complete" in called.err


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program called pres-eval."""
    path = tmp_path_factory.mktemp("bin") / "pres-eval"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m pres_eval "$@"\n', "utf-8")
    path.chmod(0o755)
    return path.parent


def run_in_shell(shell: str, script: str, program: Path) -> list[str]:
    """The lines that a script prints in a shell, which gets no settings of the user's."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"no {shell} here")
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [path, *options, "-c", script],
        env={**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout.decode().splitlines()


def test_bash(program: Path) -> None:
    script = """
        eval "$(pres-eval completion bash)"
        complete -p pres-eval
        COMP_WORDS=(pres-eval -m PRES) COMP_CWORD=2
        _pres_eval_completion pres-eval PRES -m
        printf '%s\n' "${COMPREPLY[@]}"
    """
    registered, *offered = run_in_shell("bash", script, program)
    assert registered.endswith("-F _pres_eval_completion pres-eval")
    assert offered == ["PRES", "PRES_est", "PRES_budget"]


def test_zsh(program: Path) -> None:
    """The words of the script are looked at where it hands them to zsh."""
    script = """
        compdef() { print -r -- "$@" }
        eval "$(pres-eval completion zsh)"
        _describe() { print -rl -- "${completions_with_descriptions[@]}" }
        words=(pres-eval -m PRES) CURRENT=3
        _pres_eval_completion
    """
    registered, *offered = run_in_shell("zsh", script, program)
    assert registered == "_pres_eval_completion pres-eval"
    assert [line.partition(":")[0] for line in offered] == ["PRES", "PRES_est"]
    assert all(line.partition(":")[2] for line in offered)


def test_fish(program: Path) -> None:
    script = """
        pres-eval completion fish | source
        complete -C 'pres-eval -m PRES'
        complete -C 'pres-eval fixtures/pat'
    """
    offered = [line.split("\t")[0] for line in run_in_shell("fish", script, program)]
    assert offered == ["PRES", "PRES_est", "fixtures/patents/"]


INTERACTIVE = {
    "bash": (["--norc", "-i"], 'eval "$(pres-eval completion bash)"'),
    "zsh": (["-f", "-i"], 'autoload -U compinit; compinit -D; eval "$(pres-eval completion zsh)"'),
    "fish": (["--no-config", "-i"], "pres-eval completion fish | source"),
}


@pytest.fixture
def shell_at_terminal(program: Path, tmp_path: Path) -> Callable[[str], Terminal]:
    """An interactive shell that has loaded the script, in a folder with two files."""
    terminals = pytest.importorskip("support.terminal", reason="no terminals here", exc_type=ImportError)
    (tmp_path / "compact.txt").touch()
    (tmp_path / "qrels.txt").touch()

    def start(shell: str) -> Terminal:
        path = shutil.which(shell)
        if path is None or shutil.which("setsid") is None:
            pytest.skip(f"no {shell} or no setsid here")
        options, load = INTERACTIVE[shell]
        search = f"{program}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": search, "HOME": str(tmp_path), "PS1": "ready> "}
        terminal: Terminal = terminals.Terminal([path, *options], tmp_path, environment)
        terminal.type(f"{load}; echo load''ed\n")
        terminal.wait_for("loaded")
        return terminal

    return start


@pytest.mark.parametrize("shell", INTERACTIVE)
def test_commands_and_files_at_a_terminal(shell: str, shell_at_terminal: Callable[[str], Terminal]) -> None:
    """The first word is a command or a file: both are offered."""
    with shell_at_terminal(shell) as terminal:
        terminal.type("pres-eval com\t\t\t")
        shown = terminal.wait_for("completion")
        assert "compare" in shown and "compact.txt" in shown


@pytest.mark.parametrize("shell", INTERACTIVE)
def test_measures_at_a_terminal(shell: str, shell_at_terminal: Callable[[str], Terminal]) -> None:
    """Only one measure begins like this."""
    with shell_at_terminal(shell) as terminal:
        terminal.type("pres-eval -m recip_rank_\t")
        terminal.wait_for("recip_rank_cut")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_descriptions_are_whole(shell: str, shell_at_terminal: Callable[[str], Terminal]) -> None:
    """A comma in a description does not end it."""
    description = COMMANDS["compare"]
    assert ", " in description
    with shell_at_terminal(shell) as terminal:
        terminal.type("pres-eval comp\t\t")
        shown = terminal.wait_for("completion")
        assert description.rstrip(".")[:40] in shown
