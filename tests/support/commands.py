"""Commands as a user calls them, on the patent fixtures."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pres_eval.cli import main

FIXTURES = Path(__file__).parents[2] / "fixtures"
QRELS = str(FIXTURES / "patents" / "qrels.txt")
RUNS = [str(FIXTURES / "patents" / f"run_{name}.txt") for name in ("keyword", "broad", "semantic")]
NAMES = ["keyword", "broad", "semantic"]


@dataclass(frozen=True)
class Called:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The output read as JSON."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def rows(self) -> list[dict[str, str]]:
        """The output read as CSV."""
        return list(csv.DictReader(io.StringIO(self.out)))


class Command:
    """Calls pres-eval through its entry point and catches what it puts out."""

    def __init__(self, capture: pytest.CaptureFixture[bytes]) -> None:
        self._capture = capture

    def __call__(self, *arguments: str | Path) -> Called:
        """Call it, whatever comes of it."""
        code = main([str(argument) for argument in arguments])
        caught = self._capture.readouterr()
        return Called(code, caught.out.decode(), caught.err.decode())

    def ok(self, *arguments: str | Path) -> Called:
        """Call it; it has to succeed without a word on stderr."""
        called = self(*arguments)
        assert (called.code, called.err) == (0, ""), called
        return called


def summaries(command: Command, run: str, *options: str) -> dict[str, str]:
    """The evaluator's own lines for a run: label -> printed value over all topics."""
    lines = command.ok(*options, QRELS, run).out.splitlines()
    parts = [line.split("\t") for line in lines]
    return {label.strip(): value for label, topic, value in parts if topic == "all"}
