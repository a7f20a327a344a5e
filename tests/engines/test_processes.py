"""Processes of this machine, copied or started anew: results in order, whatever happens to them."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Command
from support.rankings import outcome, ranked_by, written

import pres_eval as pe
from pres_eval.engines import engine, machine
from pres_eval.engines.copies import Copies, can_copy
from pres_eval.engines.engine import Engine, ThisProcess, WorkersLostError
from pres_eval.engines.machine import memory_of_machine
from pres_eval.engines.processes import Processes
from pres_eval.errors import EmptyFileError, InputError, MissingExtraError, RunFailure
from pres_eval.options import Options
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs, read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.reading.run_files import run_at

LINES = [f"{topic} Q0 d{number} 0 {number} t\n" for topic in range(30) for number in range(40)]
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in range(30) for number in range(0, 40, 7))
COPIED_ALONE = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")
COPIED = pytest.param("copied", marks=COPIED_ALONE)


def open_files() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def children() -> set[str]:
    """Also those that have ended and that nobody has waited for."""
    while True:
        # The children of a thread that ended meanwhile are another thread's: all are counted again.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            tasks = Path("/proc/self/task").iterdir()
            return {child for task in tasks for child in (task / "children").read_text().split()}


def two_workers(kind: str) -> contextlib.AbstractContextManager[Engine]:
    return contextlib.nullcontext(Copies(2)) if kind == "copied" else Processes(2)


@contextlib.contextmanager
def two_of_them(kind: str) -> Iterator[Engine]:
    """Two workers; nothing of them is left afterwards."""
    tests = ROOT / "tests"
    with pytest.MonkeyPatch.context() as patch:
        # Workers import what they are to do: here it is in this file.
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (ROOT, tests, tests / "engines"))))
        patch.syspath_prepend(tests / "engines")
        before = open_files(), children()
        with two_workers(kind) as workers:
            yield workers
        assert (open_files(), children()) == before


@pytest.fixture(params=[COPIED, "anew"])
def made(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Two workers, some of which die."""
    with two_of_them(request.param) as workers:
        yield workers


@pytest.fixture(scope="class", params=[COPIED, "anew"])
def living(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Two workers for all tests of a class, none of which ends them."""
    with two_of_them(request.param) as workers:
        yield workers


def _add(item: int, numbers: list[int]) -> int:
    return item + sum(numbers)


def _text(item: int) -> str:
    return str(item)


def _process(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def _raise(error: Exception) -> None:
    raise error


def _die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_and_count(item: int, path: str) -> int:
    """Write a line for each death of the second item."""
    if item == 1:
        with Path(path).open("a") as file:
            file.write("died\n")
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def _die_once(item: int, path: str) -> int:
    if item == 3 and not os.path.exists(path):  # noqa: PTH110
        Path(path).write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def _sleep_long_after_the_first(item: int) -> int:
    time.sleep(60 if item else 0)
    return item


def _large(item: int) -> tuple[int, bytes]:
    time.sleep(0.1 if item == 0 else 0)
    return item, bytes(1 << 19)


class TestWorkersThatLive:
    """The same two do all of this."""

    def test_results_come_in_order(self, living: Engine) -> None:
        shared = living.share([1, 2, 3], "a list")
        assert list(living.map(_add, range(20), shared)) == list(range(6, 26))
        shared.close()
        assert living.workers == 2 and len(children()) <= 2
        assert [item for item, _ in living.map(_large, range(12))] == list(range(12))
        assert list(living.map(_text, [])) == []

    def test_all_of_them_work(self, living: Engine) -> None:
        found = set(living.map(_process, range(12)))
        assert len(found) == 2 and os.getpid() not in found

    def test_errors_keep_what_they_carry(self, living: Engine) -> None:
        for error in (
            InputError("run", 3, "nothing", "something", "look"),
            EmptyFileError("run", None, "nothing"),
            MissingExtraError("this", "pyarrow", "parquet"),
        ):
            with pytest.raises(type(error)) as caught:
                list(living.map(_raise, [error]))
            assert str(caught.value) == str(error) and vars(caught.value) == vars(error)

    def test_a_fault_of_the_program_is_raised(self, living: Engine) -> None:
        """It is not done again by a slower way."""
        with pytest.raises(TypeError, match="a fault of ours"):
            list(living.map(_raise, [TypeError("a fault of ours")] * 4))

    def test_an_error_of_the_work_comes_where_its_result_would_be(self, living: Engine) -> None:
        results = living.map(_fail_at_two, range(4))
        assert [next(results), next(results)] == [0, 1]
        with pytest.raises(ZeroDivisionError):
            next(results)

    def test_what_is_not_wanted_any_more_is_given_up(self, living: Engine) -> None:
        results = living.map(_sleep_long_after_the_first, range(4))
        assert next(results) == 0
        start = time.monotonic()
        results.close()
        assert time.monotonic() - start < 5


def test_what_kills_every_worker(made: Engine) -> None:
    with pytest.raises(WorkersLostError, match="3 worker processes died of the same piece of work"):
        list(made.map(_die, [0, 0]))


def test_three_workers_die_of_an_item_and_no_fourth(made: Engine, tmp_path: Path) -> None:
    """What came before it is a result; the message counts those that died."""
    shared = made.share(str(tmp_path / "deaths"), "a path")
    results = made.map(_die_and_count, range(3), shared)
    assert next(results) == 0
    with pytest.raises(WorkersLostError, match="3 worker processes died of the same piece of work"):
        next(results)
    assert (tmp_path / "deaths").read_text().count("died") == 3
    assert list(made.map(_add, [1], made.share([1], "others"))) == [2]


def _fail_at_two(item: int) -> int:
    return item if item != 2 else 1 // 0


def test_a_worker_that_dies_is_replaced(made: Engine, tmp_path: Path) -> None:
    shared = made.share(str(tmp_path / "died"), "a path")
    assert list(made.map(_die_once, range(12), shared)) == list(range(12))
    assert (tmp_path / "died").exists()


class Killing:
    """Kills one of its workers when some results of a pass are there."""

    def __init__(self, engine: Engine, number: int) -> None:
        self._engine = engine
        self.workers, self.threads, self.share = engine.workers, engine.threads, engine.share
        self._in_pass = number
        self.passes = 0
        self.killed: list[int] = []

    def split_size(self, total: int) -> int:
        return 1500

    def map(self, work: Any, items: Iterable[Any], *shared: Any) -> Generator[Any, None, None]:
        this, self.passes = self.passes, self.passes + 1
        before = children() if not self.killed and isinstance(self._engine, Copies) else set()
        for number, result in enumerate(self._engine.map(work, items, *shared)):
            if this == self._in_pass and number == 3 and (workers := children() - before):
                self.killed.append(int(min(workers)))
                os.kill(self.killed[0], signal.SIGKILL)
            yield result


@pytest.mark.slow
@pytest.mark.parametrize("kind", [COPIED, "anew"])
@pytest.mark.parametrize("killed_in_pass", [0, 1])
def test_a_worker_is_killed(killed_in_pass: int, kind: str, tmp_path: Path) -> None:
    lines = list(LINES)
    if killed_in_pass:
        head, rest = lines[:100], lines[100:]  # a run whose first split is in no order has one pass alone
        random.Random(1).shuffle(rest)
        lines = [*head, *rest]
        lines = [line.replace(" t\n", f".{number} t\n") for number, line in enumerate(lines)]
    run = written(tmp_path, "".join(lines), QRELS)
    with two_workers(kind) as workers:
        killing = Killing(workers, killed_in_pass)
        assert run.in_splits(killing) == run.whole()
        assert killing.passes > killed_in_pass and (killing.killed or killed_in_pass)


@pytest.mark.slow
def test_many_runs(made: Engine, tmp_path: Path) -> None:
    """Small ones and large ones; each has its error."""
    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    names = [str(tmp_path / f"run{number}") for number in range(40)]
    for number, name in enumerate(names):
        lines = LINES[number : number + 60]
        random.Random(number).shuffle(lines)
        Path(name).write_text("".join(lines) + ("bad\n" if number == 4 else ""))
    names[6] = str(tmp_path / "missing")
    found = {}
    for workers in (made, ThisProcess(2)):
        with Runs(RunRanker.for_judgements(judged, Options()), workers) as runs:
            found[workers] = list(runs.rank_each([run_at(name) for name in names], going_on=True))
    assert [getattr(each, "path", None) or each.name for each in found[made]] == names  # type: ignore[union-attr]
    failed = [each for each in found[made] if isinstance(each, RunFailure)]
    assert "run4:61: 1 column" in failed[0].message and "no such file" in failed[1].message
    for one, other in zip(*found.values(), strict=True):
        if isinstance(one, RunFailure):
            assert one == other
        else:
            assert outcome(lambda one=one: one) == outcome(lambda other=other: other)  # type: ignore[misc]


@pytest.mark.slow
def test_formats_that_one_worker_reads(made: Engine, tmp_path: Path) -> None:
    """Whatever their size: compressed files and those of other formats have no splits."""
    import gzip

    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    (tmp_path / "run.gz").write_bytes(gzip.compress("".join(LINES).encode()))
    (tmp_path / "run.json").write_text('{"1": {"d7": 2.0, "d8": 1.5}, "2": {"d0": 1.0}}')
    for name, form in (("run.gz", "trec_results"), ("run.json", "json"), ("run.json", "trec_results")):
        path = str(tmp_path / name)
        expected = outcome(lambda: read_run(File(path), judged, Options(), 1, form))  # noqa: B023
        assert "error" not in expected
        assert outcome(lambda: ranked_by(made, path, judged, form=form)) == expected  # noqa: B023


def test_values_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers share the memory of the machine, or that of the container."""
    whole = memory_of_machine()
    (tmp_path / "limit").write_text("30000\n")
    (tmp_path / "none").write_text("max\n")
    monkeypatch.setattr(machine, "MEMORY_LIMIT_FILES", (str(tmp_path / "none"), str(tmp_path / "missing")))
    assert memory_of_machine() >= whole > 1 << 20
    monkeypatch.setattr(machine, "MEMORY_LIMIT_FILES", (str(tmp_path / "limit"),))
    workers = Processes(3)
    assert workers.share(b"x" * 1000, "judgements")
    with monkeypatch.context() as patch:
        patch.setattr(os, "sysconf", lambda name: int("unknown"))
        assert memory_of_machine() == 30_000
    with pytest.raises(
        WorkersLostError, match=r"judgements: 2,0\d\d bytes are too large for workers with 10,000"
    ):
        workers.share(b"x" * 2000, "judgements")


@pytest.mark.parametrize("call", [pytest.param("fork", marks=COPIED_ALONE), "pipe"])
@pytest.mark.parametrize("wanted", ["", "say", "fail"])
def test_where_the_system_grants_no_copies(
    call: str, wanted: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """This process does the work, and says so if it is asked to."""

    def none(*_: object) -> object:
        raise OSError(errno.EAGAIN, "no more")

    monkeypatch.setattr(os, call, none)
    monkeypatch.setenv("PRES_EVAL_FALLBACK", wanted)
    workers = Copies(2)
    if wanted == "fail":
        with pytest.raises(WorkersLostError, match="fell back unasked: no copies of the process"):
            list(workers.map(_text, range(4)))
    else:
        assert list(workers.map(_text, range(4))) == ["0", "1", "2", "3"]
    assert ("slower: no copies of the process" in capfd.readouterr().err) is (wanted == "say")


def grant_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse all copies of the process but the first."""
    forks = iter([os.fork])

    def fork_once() -> int:
        try:
            return next(forks)()
        except StopIteration:
            raise OSError(errno.EAGAIN, "no more") from None

    monkeypatch.setattr(os, "fork", fork_once)


@COPIED_ALONE
def test_where_the_system_grants_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does all the work."""
    grant_one_copy(monkeypatch)
    before = open_files()
    results = Copies(3).map(_process, range(4))
    copies = {next(results)}
    assert copies == {int(child) for child in children()}
    copies.update(results)
    assert len(copies) == 1 and os.getpid() not in copies
    assert open_files() == before


@COPIED_ALONE
def test_where_the_only_copy_dies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """This process goes on with what has no result; no copy takes its place."""
    grant_one_copy(monkeypatch)
    before = open_files()
    workers = Copies(2)
    shared = workers.share(str(tmp_path / "died"), "a path")
    assert list(workers.map(_die_once, range(9), shared)) == list(range(9))
    assert (tmp_path / "died").exists() and open_files() == before and not children()


@COPIED_ALONE
def test_a_signal_just_before_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not end the waiting, so that does not last; where nothing has come the command waits again."""
    limits: list[float] = []

    class Poll:
        def __init__(self) -> None:
            self._poll = select.epoll()
            self.register = self._poll.register

        def poll(self, limit: float = 1e9) -> list[tuple[int, int]]:
            limits.append(limit)
            return self._poll.poll(limit / 1000) if len(limits) > 2 else []

    monkeypatch.setattr(select, "poll", Poll)
    assert list(Copies(2).map(_text, range(4))) == ["0", "1", "2", "3"]
    assert len(limits) > 2 and max(limits) <= 1000


@COPIED_ALONE
def test_signals_end_a_copy_at_once() -> None:
    """It has nothing to clean up, and what the program does then is none of its business."""
    handled = []
    before = signal.signal(signal.SIGTERM, lambda *_: handled.append(1))
    try:
        with pytest.raises(WorkersLostError, match="died"):
            list(Copies(1).map(_terminate, range(2)))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not handled


@COPIED_ALONE
def test_ignored_signals_stay_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert list(Copies(1).map(_hang_up, range(2))) == [None, None]
    finally:
        signal.signal(signal.SIGHUP, before)


def _terminate(_: int) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _hang_up(_: int) -> None:
    os.kill(os.getpid(), signal.SIGHUP)


def test_where_processes_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets children of such a process
    try:
        assert not can_copy()
    finally:
        signal.signal(signal.SIGCHLD, before)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not can_copy()


@pytest.mark.parametrize(
    "made", [pytest.param("copies.Copies(1)", marks=COPIED_ALONE), "processes.Processes(1)"]
)
def test_workers_end_with_whoever_started_them(made: str) -> None:
    program = (
        "import os, signal, subprocess\n"
        "from pres_eval.engines import copies, processes\n"
        f"results = {made}.map(subprocess.getoutput, ['echo $PPID'] * 9)\n"
        "print(next(results), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
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


@pytest.mark.slow
def test_the_command(fixtures: Path, pres_eval: Command) -> None:
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


@pytest.mark.slow
def test_what_was_not_checked_is_said(tmp_path: Path, pres_eval: Command) -> None:
    """With --no-check-duplicates, of a run whose topics are not together."""
    lines = (f"{topic} Q0 d{number} 0 {number / 7} t\n" for number in range(9) for topic in (1, 2))
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("1 0 d3 1\n2 0 d8 1\n")
    expected = pres_eval("qrels", "run", cwd=tmp_path)
    for option, note in (("--no-check-duplicates", True), ("--check-duplicates", False)):
        found = pres_eval("--cluster", "local:2", option, "qrels", "run", cwd=tmp_path)
        assert (found.returncode, found.stdout) == (0, expected.stdout)
        assert (b"unjudged documents were not checked" in found.stderr) is note


@pytest.mark.slow
def test_the_library(fixtures: Path) -> None:
    qrels, run = (fixtures / "patents" / name for name in ("qrels.txt", "run_broad.txt"))
    expected = pe.evaluate(qrels, run).to_trec(per_topic=True)
    assert pe.evaluate(qrels, run, cluster="local:1").to_trec(per_topic=True) == expected
    with pytest.raises(pe.PresEvalError, match="its workers read files"):
        pe.evaluate(qrels, {"1": {"a": 1.0}}, cluster="local:1")


def test_work_here_is_done_by_threads() -> None:
    assert list(engine.ThisProcess(2).map(_text, range(3))) == ["0", "1", "2"]
    assert engine.ThisProcess(3).threads == 3


def test_a_process_that_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one dies at work, and the system starts no other."""

    class Dying:
        started = 0
        number = 1

        def __init__(self) -> None:
            Dying.started += 1
            if Dying.started > 1:
                raise OSError(errno.EAGAIN, "no more")

        def answer(self, *_: object) -> bytes:
            raise EOFError

        def end(self) -> None:
            """Nothing is left of it."""

    monkeypatch.setattr("pres_eval.engines.processes.WorkerProcess", Dying)
    with pytest.raises(WorkersLostError, match=r"a worker process died and cannot be replaced \(.*no more\)"):
        list(Processes(1).map(_text, [1]))


@pytest.mark.parametrize("spelling", ["", ".", "./"])
def test_a_worker_imports_nothing_from_the_current_folder(
    spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the path of this process names that folder: files beside the data would be executed."""
    (tmp_path / "beside_the_data.py").write_text("def double(number):\n    return 2 * number\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [spelling, *sys.path])
    beside = importlib.import_module("beside_the_data")
    try:
        with Processes(1) as processes, pytest.raises(ModuleNotFoundError, match="beside_the_data"):
            list(processes.map(beside.double, [4]))
    finally:
        del sys.modules["beside_the_data"]
