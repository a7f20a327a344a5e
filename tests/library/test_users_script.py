"""A user's script of fifteen examples: it runs, and mypy --strict finds nothing wrong with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

SCRIPT = Path(__file__).with_name("fifteen_examples.py")


def test_script_runs_and_prints_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert SCRIPT.read_text(encoding="utf-8").count("\n# ") == 15


@pytest.mark.slow
def test_script_is_typed() -> None:
    """As for a user: mypy is silent about the package, whose own lines numpy 1 has other types for."""
    pytest.importorskip("mypy")
    options = ["--strict", "--explicit-package-bases", "--follow-imports=silent"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, SCRIPT],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout
