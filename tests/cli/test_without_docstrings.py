"""Help and texts are the same where Python leaves docstrings out."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pres_eval.cli.commands import COMMANDS

CALLS = [
    ["measures"],
    ["measures", "map"],
    ["measures", "--format", "json"],
    ["help"],
    ["help", "compare"],
    ["man"],
    ["-h", "-m", "map"],
    ["--help-all"],
    ["protocols"],
]


def output(arguments: list[str], optimize: str) -> bytes:
    environment = {**os.environ, "PYTHONOPTIMIZE": optimize}
    command = [sys.executable, "-m", "pres_eval", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [*CALLS, *([name, "--help"] for name in sorted(COMMANDS)[::4])], ids=" ".join
)
def test_the_same_texts(arguments: list[str]) -> None:
    assert output(arguments, "2") == output(arguments, "")


@pytest.mark.parametrize("arguments", [["measures"], ["help", "compare"]], ids=" ".join)
def test_quickly_the_same_texts(arguments: list[str]) -> None:
    text = output(arguments, "2")
    assert text == output(arguments, "1") and text.count(b"\n") > 50


SCRIPT = """
import pres_eval as pe

def mine(batch):
    "Share of something."
    return batch.num_rel * 0.0


pe.register("mine", mine)
[entry] = [entry for entry in pe.list_measures() if entry.name == "map"]
print(entry.text)
"""


def test_texts_of_measures_from_python() -> None:
    texts = [
        subprocess.run(
            [sys.executable, *options, "-c", SCRIPT], capture_output=True, check=True, timeout=120
        ).stdout
        for options in ([], ["-OO"])
    ]
    assert texts[0] == texts[1] and b"precision" in texts[0]
