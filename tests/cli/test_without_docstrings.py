"""Help and texts are the same where Python leaves docstrings out."""

from __future__ import annotations

import json
import subprocess
import sys

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
    *([name, "--help"] for name in sorted(COMMANDS)),
]

PRINTED = """
import contextlib, io, json, sys
from pres_eval.cli import main

texts = []
for arguments in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(arguments)
    texts.append([code, said.getvalue()])
json.dump(texts, sys.__stdout__)
"""
"""Prints what each call prints, one after the other in one process."""


def texts_of(calls: list[list[str]], *options: str) -> list[tuple[int, str]]:
    """Return the exit code and the text of each call, in a Python with these options."""
    command = [sys.executable, *options, "-c", PRINTED, json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return [(code, text) for code, text in json.loads(done.stdout)]


def test_the_same_texts() -> None:
    without, with_docstrings = texts_of(CALLS, "-OO"), texts_of(CALLS)
    for arguments, found, expected in zip(CALLS, without, with_docstrings, strict=True):
        assert found == expected, arguments
        assert found[0] == 0 and found[1].count("\n") > 3, arguments


def test_the_command_without_docstrings() -> None:
    """As users start it."""
    command = [sys.executable, "-OO", "-m", "pres_eval", "measures", "map"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"") and b"precision" in done.stdout


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
