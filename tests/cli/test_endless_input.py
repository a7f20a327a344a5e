"""Pipes and lists that never end are errors, not waits or full memory."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import InputError, UsageError

QRELS: dict[str, dict[str, int]] = {"1": {"a": 1}}
RUN: dict[str, dict[str, float]] = {"1": {"a": 1.0}}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "part-0").write_text("1 Q0 a 1 2.0 tag\n")
    yield tmp_path


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(os.path.relpath(path))


def make_link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.skipif(os.name != "posix", reason="such files as POSIX has them")
@pytest.mark.parametrize("make", [os.mkfifo, make_socket, make_link_to_device, os.mkdir])
@pytest.mark.parametrize("options", [[], ["--cluster", "local:1"], ["--jobs", "1"]])
def test_part_files_that_are_none(
    make: Callable[[Path], None], options: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    make(Path("run/part-1"))
    command = [sys.executable, "-m", "pres_eval", "-m", "map", *options, "qrels", "run"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "pres-eval: run/part-1: no ordinary file among part files, expected part files of one run\n"
    )


@pytest.mark.parametrize("given", [range(1, 10**9), count(1)])
def test_lists_without_an_end(given: Any) -> None:
    message = "nmax: found more than 100,000 values, expected at most that many"
    for call in (
        lambda: pe.evaluate(QRELS, RUN, "PRES", nmax=given),
        lambda: pe.Qrels(QRELS).rank(RUN).evaluate("PRES", nmax=given),
        lambda: pe.Qrels(QRELS).accumulator("PRES", nmax=given),
        lambda: pe.experiment(QRELS, {"a": RUN, "b": RUN}, "PRES", nmax=given),
    ):
        with pytest.raises(UsageError, match=message):
            call()
    with pytest.raises(UsageError, match="measures: found more than 100,000 values"):
        pe.evaluate(QRELS, RUN, (f"P@{rank}" for rank in given))
    with pytest.raises(UsageError, match="cutoffs: found more than 100,000 values"):
        pe.register("never_registered", len, cutoffs=given)


def test_as_many_as_there_may_be() -> None:
    found = pe.evaluate(QRELS, RUN, "PRES", nmax=range(1, 1001))
    assert len(found.measures) == 1000


def test_columns_of_the_command(
    capfdbinary: pytest.CaptureFixture[bytes], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    ranks = ",".join(map(str, range(1, 100_002)))
    called = Command(capfdbinary)("-m", f"P.{ranks}", "qrels", "run")
    assert (called.code, called.out) == (1, "")
    assert called.err == "pres-eval: -m: found 100,001 columns, expected at most 100,000\n"


@pytest.mark.parametrize("given", [range(10**9), count(1), iter(count(1))])
def test_rows_without_an_end_that_are_none(given: Any) -> None:
    """The first of them shows that they are no rows."""
    for call in (lambda: pe.Qrels(given), lambda: pe.evaluate(QRELS, given)):
        with pytest.raises(InputError, match=r"rows such as '.*expected rows of topic, document and value"):
            call()
