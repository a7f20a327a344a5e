"""Each command's record has a field for each of its parameters, under the same name."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import fields
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.cli import command_of

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


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("1", "run: no topic in common with qrels: expected topics such as '1', found others such as 'x'"),
        ("x", "run: no topic in common with qrels: expected topics such as '1', found others such as 'x'"),
    ],
)
def test_d_says_when_the_files_have_nothing_in_common(
    topic: str, message: str, call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """-D is not to blame where no topic at all is in both files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("x Q0 a 1 1 t\n")
    called = call("-D", f"0.{topic}", "qrels", "run")
    assert called.code == 7
    assert called.err.startswith(f"pres-eval: {message}")
