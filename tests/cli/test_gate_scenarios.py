"""What gates conclude: a table of scenarios, each with its exit code and with words that stderr has.

The rows that write a file (`--output NAME`) are run before the others, which may use that file.
"""

from __future__ import annotations

import csv
import os
import shlex
import shutil
from pathlib import Path

import pytest
from support.commands import Command
from support.gate_files import FILES

from pres_eval.cli import main

with (Path(__file__).parent / "gates.tsv").open(encoding="utf-8", newline="") as table:
    SCENARIOS = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def words(scenario: dict[str, str]) -> list[str]:
    return [*shlex.split(scenario["options"]), *scenario["files"].split()]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files, and those that scenarios write."""
    folder = tmp_path_factory.mktemp("scenarios")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding=name if name == "utf-16" else "utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        for scenario in SCENARIOS:
            if "--output" in scenario["options"]:
                assert main(words(scenario)) == 0, scenario
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def call(
    capfdbinary: pytest.CaptureFixture[bytes], made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    folder = tmp_path / "files"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return Command(capfdbinary)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[each["scenario"] for each in SCENARIOS])
def test_gate(scenario: dict[str, str], call: Command) -> None:
    """Words are separated by ` | `; those that begin with `!` may not be there; `-`: nothing is said."""
    outcome = call(*words(scenario))
    assert outcome.code == int(scenario["exit code"]), outcome.err
    if scenario["stderr"] == "-":
        assert not outcome.err
        return
    for expected in scenario["stderr"].split(" | "):
        assert (expected.removeprefix("!") in outcome.err) != expected.startswith("!"), outcome.err


def test_scenarios_are_told_apart() -> None:
    assert len({each["scenario"] for each in SCENARIOS}) == len(SCENARIOS)
    assert len({(each["options"], each["files"]) for each in SCENARIOS}) == len(SCENARIOS)
