"""Workers of this machine: the same bytes, also if they die; and they end with whoever started them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Command
from support.rankings import outcome, written

import pres_eval as pe
from pres_eval.cluster.engines import Here, WorkersLostError
from pres_eval.cluster.processes import Processes
from pres_eval.cluster.ranking import Plan
from pres_eval.cluster.runs import rank_runs
from pres_eval.errors import EmptyFileError, InputError, MissingExtraError
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.relevance import read_relevance
from pres_eval.reading.source import Source

pytestmark = pytest.mark.slow

LINES = [f"{topic} Q0 d{number} 0 {number} t\n" for topic in range(30) for number in range(40)]
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in range(30) for number in range(0, 40, 7))


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    tests = ROOT / "tests"
    with pytest.MonkeyPatch.context() as patch:
        # Workers import what they are to do: here it is in this file.
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (ROOT, tests, tests / "cluster"))))
        made = Processes(2)
        yield made
        made.close()


def test_values_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers share the memory of the machine, or that of the container."""
    from pres_eval.cluster import processes

    whole = processes.memory_of_machine()
    (tmp_path / "limit").write_text("30000\n")
    (tmp_path / "none").write_text("max\n")
    monkeypatch.setattr(processes, "CONTAINER_LIMITS", (str(tmp_path / "none"), str(tmp_path / "missing")))
    assert processes.memory_of_machine() >= whole > 1 << 20
    monkeypatch.setattr(processes, "CONTAINER_LIMITS", (str(tmp_path / "limit"),))
    made = Processes(3)
    assert made.share(b"x" * 1000, "judgements")
    with monkeypatch.context() as patch:
        patch.setattr(os, "sysconf", lambda name: int("unknown"))
        assert processes.memory_of_machine() == 30_000
    with pytest.raises(
        WorkersLostError, match=r"judgements: 2,0\d\d bytes are too large for workers with 10,000"
    ):
        made.share(b"x" * 2000, "judgements")


def test_results_come_in_order(processes: Processes) -> None:
    shared = processes.share([1, 2, 3], "a list")
    assert list(processes.map(_add, range(20), shared)) == list(range(6, 26))
    shared.release()
    assert processes.workers == 2 and 1 <= len(processes.numbers) <= 2


def _add(item: int, numbers: list[int]) -> int:
    return item + sum(numbers)


def test_errors_keep_what_they_carry(processes: Processes) -> None:
    for error in (
        InputError("run", 3, "nothing", "something", "look"),
        EmptyFileError("run", None, "nothing"),
        MissingExtraError("this", "pyarrow", "parquet"),
    ):
        with pytest.raises(type(error)) as caught:
            list(processes.map(_raise, [error]))
        assert str(caught.value) == str(error) and vars(caught.value) == vars(error)


def _raise(error: Exception) -> None:
    raise error


def test_what_kills_every_worker(processes: Processes) -> None:
    with pytest.raises(WorkersLostError, match="3 worker processes died of the same piece of work"):
        list(processes.map(_die, [0]))
    assert list(processes.map(_add, [1], processes.share([1], "")))


def _die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("killed_in_pass", [0, 1, 2])
def test_a_worker_is_killed(killed_in_pass: int, processes: Processes, tmp_path: Path) -> None:
    lines = list(LINES)
    if killed_in_pass:
        random.Random(1).shuffle(lines)
    run = written(tmp_path, "".join(lines), QRELS)
    passes: list[int] = []
    killed: list[int] = []

    def told(done: int, total: int) -> None:
        if done == 1:
            passes.append(total)
        if len(passes) == killed_in_pass + 1 and done == 4 and not killed:
            killed.extend(processes.numbers)
            os.kill(killed[0], signal.SIGKILL)

    found = run.in_splits(processes, Plan(split_bytes=1500, told=told))
    assert killed and found == run.whole()


def test_many_runs_in_bundles(processes: Processes, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    names = []
    for number in range(70):
        names.append(str(tmp_path / f"run{number}"))
        (tmp_path / f"run{number}").write_text("".join(LINES[number : number + 50]))
    names[40] = str(tmp_path / "missing")
    done: list[int] = []
    plan = Plan(told=lambda now, total: done.append(now))
    found = list(rank_runs(names, judged, Options(), processes, plan))
    assert [each.name for each in found] == names and "no such file" in str(found[40].error)
    expected = [outcome(each.checked) for each in rank_runs(names, judged, Options(), Here())]
    assert [outcome(each.checked) for each in found] == expected
    assert len(done) > 10


def test_large_runs_at_the_same_time(processes: Processes, tmp_path: Path) -> None:
    """Each is in splits that would not keep the workers busy; they come in order, and each has its error."""
    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    names = [str(tmp_path / f"run{number}") for number in range(9)]
    for number, name in enumerate(names):
        lines = LINES[number : number + 60]
        random.Random(number).shuffle(lines)
        Path(name).write_text("".join(lines) + ("bad\n" if number == 4 else ""))
    names[6] = str(tmp_path / "missing")
    passes: list[tuple[int, int]] = []
    plan = Plan(split_bytes=400, told=lambda done, total: passes.append((done, total)))
    found = list(rank_runs(names, judged, Options(), processes, plan))
    assert [each.name for each in found] == names
    assert passes == [(number, 9) for number in range(1, 10)]
    expected = [outcome(each.checked) for each in rank_runs(names, judged, Options(), Here())]
    assert [outcome(each.checked) for each in found] == expected
    assert "run4:61: 1 column" in expected[4]["message"] and "no such file" in expected[6]["message"]


def test_formats_that_one_worker_reads(processes: Processes, tmp_path: Path) -> None:
    """Whatever their size: compressed files and those of other formats have no splits."""
    import gzip

    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    (tmp_path / "run.gz").write_bytes(gzip.compress("".join(LINES).encode()))
    (tmp_path / "run.json").write_text('{"1": {"d7": 2.0, "d8": 1.5}, "2": {"d0": 1.0}}')
    for name, form in (("run.gz", "trec_results"), ("run.json", "json"), ("run.json", "trec_results")):
        expected = outcome(
            lambda name=name, form=form: read_run(  # type: ignore[misc]
                Source(str(tmp_path / name)), judged, Options(), 1, form
            )
        )
        assert "error" not in expected
        plan = Plan(split_bytes=20)
        found = next(rank_runs([str(tmp_path / name)], judged, Options(), processes, plan, form))
        assert outcome(found.checked) == expected


def test_the_command(fixtures: Path, pres_eval: Command, tmp_path: Path) -> None:
    folder = fixtures / "patents"
    runs = sorted(folder.glob("run_*.txt"))
    expected = pres_eval("-q", folder / "qrels.txt", *runs)
    found = pres_eval("-q", "--cluster", "local:2", folder / "qrels.txt", folder / "run_*.txt")
    assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, expected.stderr)
    for wrong, says in (
        (
            ("--cluster", "local:2", folder / "qrels.txt", "-"),
            b"standard input (-) cannot be read by workers",
        ),
        (("--cluster", "local:2", folder / "*.txt", runs[0]), b"names 4 files, expected the one with"),
        (("--check-duplicates", folder / "qrels.txt", runs[0]), b"--check-duplicates goes with --cluster"),
        (("--cluster", "some", folder / "qrels.txt", runs[0]), b"expected local:N"),
    ):
        done = pres_eval(*wrong)
        assert done.returncode == 1 and says in done.stderr and not done.stdout, done


def test_what_was_not_checked_is_said(
    fixtures: Path, tmp_path: Path, pres_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a run that is large enough for splits, with --no-check-duplicates."""
    lines = (f"{topic} Q0 d{number} 0 {number / 7} {'t' * 180}\n" for topic in (1, 2) for number in range(9))
    block = "".join(lines)
    (tmp_path / "run").write_text(
        "".join(block.replace(" d", f" d{part}-") for part in range(5000)), encoding="ascii"
    )
    (tmp_path / "qrels").write_text("1 0 d7-3 1\n2 0 d4000-8 1\n")
    expected = pres_eval("qrels", "run", cwd=tmp_path)
    for option, note in (("--no-check-duplicates", True), ("--check-duplicates", False)):
        found = pres_eval("--cluster", "local:2", option, "qrels", "run", cwd=tmp_path)
        assert (found.returncode, found.stdout) == (0, expected.stdout)
        assert (b"unjudged documents were not checked" in found.stderr) is note


def test_the_library(fixtures: Path) -> None:
    qrels, run = (fixtures / "patents" / name for name in ("qrels.txt", "run_broad.txt"))
    expected = pe.evaluate(qrels, run).to_trec(per_topic=True)
    assert pe.evaluate(qrels, run, cluster="local:1").to_trec(per_topic=True) == expected
    with pytest.raises(pe.PresEvalError, match="its workers read files"):
        pe.evaluate(qrels, {"1": {"a": 1.0}}, cluster="local:1")


def test_workers_end_with_whoever_started_them() -> None:
    program = (
        "import os, signal\n"
        "from pres_eval.cluster.processes import Processes\n"
        "made = Processes(1)\n"
        "list(made.map(str, [1]))\n"
        "print(*made.numbers, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    number = int(done.stdout)
    deadline = time.monotonic() + 30
    while _runs(number) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(number)


def _runs(number: int) -> bool:
    try:
        return b") Z " not in Path(f"/proc/{number}/stat").read_bytes()
    except OSError:
        return False


def test_a_bar_for_each_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    from pres_eval.cli import clustering

    made: list[Any] = []

    class Bar:
        def __init__(self, label: str, total: int) -> None:
            made.append([label, total, 0])

        def shown(self) -> Bar:
            return self

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def advance(self, count: int) -> None:
            made[-1][2] += count

    monkeypatch.setattr(clustering, "Bar", Bar)
    monkeypatch.setattr(sys, "stderr", type("Terminal", (), {"isatty": lambda self: True})())
    with clustering._Bars(["run"], quiet=False) as bars:
        for done in (1, 2, 3, 1, 2, 3):
            bars.told(done, 3)
    assert made == [["run", 3, 3], ["run", 3, 3]]
    with clustering._Bars(["a", "b"], quiet=True) as bars:
        bars.told(1, 1)
    assert len(made) == 2
