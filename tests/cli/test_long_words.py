"""Words of megabytes and refusals of the system: short messages, in short time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval.engines import machine
from pres_eval.engines.machine import num_processors
from pres_eval.errors import LONGEST_MESSAGE, one_line
from pres_eval.measures.names import split_text

LONG = 100_000
SECONDS = 6.0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" " * LONG, 1),
        ("map" + " " * LONG, 0),
        (" " * LONG + "x", 1),
        ("map" + " \t" * LONG + "P.5", 0),
        ("a_" * LONG, 1),
        ("map_" + "5_" * LONG, 1),
        ("x" * 2 * 10**6, 1),
        ("x," * LONG, 1),
        ("PRES(" + "a=1," * LONG + ")", 1),
    ],
)
def test_measures(text: str, code: int, call: Command) -> None:
    begun = time.process_time()
    called = call("-m", text, QRELS, RUNS[0])
    assert time.process_time() - begun < SECONDS
    assert called.code == code and len(called.err) < LONGEST_MESSAGE + 100
    assert code == 0 or called.err.count("\n") == 1


@pytest.mark.parametrize("blank", [" ", "   ", "\t \n"])
def test_blanks_between_measures(blank: str) -> None:
    text = blank.join(["", "map", "P.5,10", "ndcg_cut.5,", "recall.5", "20,", "x", ""])
    assert split_text(text) == ["map", "P.5,10", "ndcg_cut.5", f"recall.5{blank}20,{blank}x"]


def test_expected_lines(call: Command, tmp_path: Path) -> None:
    """A line of the file is shortened as those of runs are."""
    file = tmp_path / "lines"
    file.write_text(f"map\tall\t{'5' * 10**6}\n")
    called = call("--expect", file, "-m", "map", QRELS, RUNS[0])
    assert called.code == 3 and "wanted '555" in called.err and len(called.err) < 300
    file.write_text(f"{'m' * 5 * 10**5}\tall\t1\n")
    called = call("--expect", file, "-m", "map", QRELS, RUNS[0])
    assert called.code == 3 and f"{'m' * 79}…" in called.err
    assert all(len(line) < 500 for line in called.err.splitlines())


def test_one_line() -> None:
    assert one_line("x" * LONGEST_MESSAGE) == "x" * LONGEST_MESSAGE
    said = one_line("begin " + "x" * 10**6 + " end")
    assert said.startswith("begin xxx") and said.endswith("xxx end") and len(said) < LONGEST_MESSAGE
    assert len(one_line("\x1b" * 10**6)) <= 4 * LONGEST_MESSAGE


def test_a_system_that_tells_no_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """As seccomp makes it, or a system without the call."""

    def refused(_: int) -> set[int]:
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    monkeypatch.setattr(os, "sched_getaffinity", refused, raising=False)
    assert num_processors() == 5
    monkeypatch.delattr(os, "sched_getaffinity")
    assert num_processors() == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert num_processors() == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max 100000\n", 64),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("50000 100000\n", 1),
        ("9900000 100000\n", 64),
        ("", 64),
    ],
)
def test_a_container_with_a_part_of_the_processors_time(
    text: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `docker run --cpus 1.5` gives it, on a machine with 64 processors."""
    (tmp_path / "cpu.max").write_text(text)
    monkeypatch.setattr(machine, "CPU_LIMIT_FILE", str(tmp_path / "cpu.max"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert num_processors() == expected
