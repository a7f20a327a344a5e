"""What gates conclude: a table of scenarios, each with its exit code and with words that stderr has.

A row that writes a file (`--output NAME`) is run before the others, which may use that file.
"""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest
from support.commands import Called, Command
from support.gate_files import FILES

with (Path(__file__).parent / "gates.tsv").open(encoding="utf-8", newline="") as table:
    SCENARIOS = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture
def call(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding=name if name == "utf-16" else "utf-8")
    return Command(capfdbinary)


def called(call: Command, scenario: dict[str, str]) -> Called:
    return call(*shlex.split(scenario["options"]), *scenario["files"].split())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[each["scenario"] for each in SCENARIOS])
def test_gate(scenario: dict[str, str], call: Command) -> None:
    """Words are separated by ` | `; those that begin with `!` may not be there; `-`: nothing is said."""
    for each in SCENARIOS:
        name = each["options"].partition("--output ")[2].split(" ")[0]
        if name and name in scenario["options"]:
            assert called(call, each).code == 0
    found = called(call, scenario)
    assert found.code == int(scenario["exit code"]), found.err
    if scenario["stderr"] == "-":
        assert not found.err
        return
    for words in scenario["stderr"].split(" | "):
        assert (words.removeprefix("!") in found.err) != words.startswith("!"), found.err


def test_scenarios_are_told_apart() -> None:
    assert len({each["scenario"] for each in SCENARIOS}) == len(SCENARIOS)
    assert len({(each["options"], each["files"]) for each in SCENARIOS}) == len(SCENARIOS)
