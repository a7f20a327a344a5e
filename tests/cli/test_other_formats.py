"""Whatever the format, the same numbers: those of CSV are in JSON, and tables round them."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.calls import CALLS, UNCHANGED, write_files
from support.commands import Command

DECIMAL = re.compile(r"(?<![\w.@])-?\d+\.\d+(?![\w.])")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgements and runs in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_files(UNCHANGED, UNCHANGED)


def numbers_in(value: Any) -> Iterator[float]:
    """Yield the numbers in what was JSON, also those that are texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers_in(one)
    elif isinstance(value, int | float) or is_number(value):
        yield float(value)


def is_number(text: str | None) -> bool:
    """Whether a text is a number."""
    return text is not None and re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text) is not None


@pytest.mark.parametrize("name", CALLS)
def test_numbers_of_csv_are_in_json(name: str, command: Command, files: None) -> None:
    words = (*CALLS[name], "--quiet")
    in_json = {f"{number:.12g}" for number in numbers_in(command(*words, "--format", "json").json)}
    rows = csv.reader(io.StringIO(command(*words, "--format", "csv").out))
    in_csv = {f"{float(cell):.12g}" for row in rows for cell in row if is_number(cell)}
    assert len(in_csv) > 3 and in_csv <= in_json


DERIVED = {
    "agreement": {"0.15", "100.0"},
    "judges": {"0.9000"},
    "robustness": {"0.67", "0.0156", "-0.0156", "0.0181", "-0.0181"},
}
"""Decimals of sentences and of rows over several others that are not in JSON."""

TABLES = sorted(set(CALLS) - {"report"})


FORMATS = ("table", "latex", "markdown")


@pytest.mark.parametrize(("name", "output_format"), list(zip(TABLES, itertools.cycle(FORMATS), strict=False)))
def test_tables_round_what_json_has(name: str, output_format: str, command: Command, files: None) -> None:
    words = (*CALLS[name], "--quiet")
    numbers = list(numbers_in(command(*words, "--format", "json").json))
    # A table may have the other direction of a difference.
    numbers += [-number for number in numbers]
    shown = set(DECIMAL.findall(command(*words, "--format", output_format).out)) - DERIVED.get(name, set())
    assert shown
    for digits in {len(text.partition(".")[2]) for text in shown}:
        rounded = {f"{number:.{digits}f}" for number in numbers}
        assert {text for text in shown if len(text.partition(".")[2]) == digits} - rounded == set()
