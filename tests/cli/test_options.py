"""Each command's record has a field for each of its parameters, under the same name."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import fields
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.cli.commands import command_of

RECORDS = {
    None: "EvaluateOptions",
    "agreement": "AgreementOptions",
    "compare": "CompareOptions",
    "explain": "ExplainOptions",
    "report": "ReportOptions",
    "robustness": "RobustnessOptions",
    "sweep": "SweepOptions",
}


@pytest.mark.parametrize("name", RECORDS)
def test_record_and_parameters_have_the_same_names(name: str | None) -> None:
    module = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}")
    record = getattr(module, RECORDS[name])
    assert {parameter.name for parameter in command_of(name).params} == {each.name for each in fields(record)}
    assert record.__dataclass_params__.frozen and dataclasses.is_dataclass(record)


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capfdbinary)


@pytest.mark.parametrize("topic", ["1", "x"])
def test_d_says_when_the_files_have_nothing_in_common(
    topic: str, call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """-D names its topic whether it is in one of the files, or in none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("x Q0 a 1 1 t\n")
    called = call("-D", f"0.{topic}", "qrels", "run")
    assert called.code == 7
    assert called.err == f"pres-eval: run: topic '{topic}' of -D is not in both files\n"
