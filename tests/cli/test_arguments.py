"""Which command a command line means, and slips of the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval.cli.commands import split_command
from pres_eval.errors import UsageError


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [
        ("compare q r", "compare", "q r"),
        ("--quiet compare q r", "compare", "--quiet q r"),
        ("--quiet --quiet compare q r", "compare", "--quiet --quiet q r"),
        ("-q compare r", None, "-q compare r"),
        ("--quiet q r", None, "--quiet q r"),
        ("--quiet", None, "--quiet"),
        ("./compare r", None, "./compare r"),
        ("qrels run", None, "qrels run"),
    ],
)
def test_the_command_of_a_line(line: str, name: str | None, rest: str) -> None:
    assert split_command(line.split()) == (name, rest.split())


def test_quiet_before_a_command(call: Command) -> None:
    assert call.ok("--quiet", "compare", QRELS, *RUNS).out == call.ok("compare", QRELS, *RUNS).out


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("comapre", "compare"),
        ("Compare", "compare"),
        ("explian", "explain"),
        ("mesures", "measures"),
        ("repot", "report"),
    ],
)
def test_misspelt_commands(word: str, near: str, call: Command) -> None:
    called = call(word, QRELS, *RUNS)
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith(f"pres-eval: {word}: no such command or file; did you mean {near}")


def test_a_file_that_looks_like_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        split_command(["chekc", "run"])
    (tmp_path / "chekc").touch()
    assert split_command(["chekc", "run"]) == (None, ["chekc", "run"])


@pytest.mark.parametrize("measure", ["P@10", "map", "nDCG@10", "PRES.100", "official"])
def test_a_measure_among_the_files(measure: str, call: Command) -> None:
    called = call(QRELS, RUNS[0], measure)
    assert (called.code, called.out) == (1, "")
    assert called.err == f"pres-eval: {measure}: no such file, but a measure: type  -m {measure}\n"


def test_a_file_called_like_a_measure(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "map").write_bytes(Path(RUNS[0]).read_bytes())
    assert call.ok("-m", "map", QRELS, "map").out == call.ok("-m", "map", QRELS, RUNS[0]).out
