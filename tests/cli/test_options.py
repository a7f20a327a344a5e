"""Each command's record has a field for each of its parameters, under the same name."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import fields

import pytest

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
