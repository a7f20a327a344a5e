"""A user's script of fifteen examples: it runs; `mypy --strict` of the whole project checks its types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
