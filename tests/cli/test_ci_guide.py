"""The steps of the workflow in docs/guides/ci.md do what the guide says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS
from support.doc_workflow import baseline, steps

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
STEPS = steps(GUIDE)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout with judgements, a run, the baseline made as the guide says, and the two programs."""
    shutil.copy(QRELS, tmp_path / "qrels.txt")
    shutil.copy(RUNS[1], tmp_path / "run.txt")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (
        ("pres-eval", f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m pres_eval "$@"'),
        ("pip", 'test "$*" = "install pres-eval"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    assert run(baseline(GUIDE), tmp_path).returncode == 0
    return tmp_path


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script as GitHub runs it."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_every_step_passes_for_the_run_of_the_baseline(name: str, repository: Path) -> None:
    done = run(STEPS[name], repository)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_run_that_got_worse_fails(repository: Path) -> None:
    """One annotation a measure, a table in the summary, exit code 3."""
    shutil.copy(RUNS[2], repository / "run.txt")
    done = run(STEPS["Did it get worse?"], repository)
    assert done.returncode == 3
    assert "PRES_100, all: fell from 0.66" in done.stderr
    assert sum(line.startswith("::error ") for line in done.stderr.splitlines()) == 1
    summary = (repository / "summary.md").read_text(encoding="utf-8")
    assert (
        summary.startswith("### pres-eval: gates failed") and "| PRES_100" in summary and "worse |" in summary
    )
    assert run(STEPS["Is the run good enough?"], repository).returncode == 0
    assert run(STEPS["Did it get worse by more than chance?"], repository).returncode == 3


@pytest.mark.slow
def test_other_options_are_said_first(repository: Path) -> None:
    done = run("pres-eval --against baseline.json -l 2 -m map -m PRES.100 qrels.txt run.txt", repository)
    assert done.returncode == 3
    assert done.stderr.splitlines()[1].startswith(
        "pres-eval: baseline.json was made with other options: -l 1 (now 2)"
    )
