"""A cluster of two worker processes gives what one process gives, whatever happens to the workers."""

from __future__ import annotations

import gzip
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from support.commands import Command
from support.dask_cluster import DaskCluster, dask_cluster
from support.in_splits import PLANS, Watched, printed, printed_in_splits
from support.made_runs import made_run
from support.rankings import WrittenRun, ranked_by, written

import pres_eval as pe
from pres_eval.engines import connecting, on_dask
from pres_eval.engines.connecting import Patience, engine_of
from pres_eval.engines.engine import WorkersLostError
from pres_eval.engines.on_dask import SHARING_ATTEMPTS, OnDask
from pres_eval.errors import PresEvalError
from pres_eval.reading.judgements.relevance import read_relevance

distributed: Any = pytest.importorskip(
    "distributed", reason="the extra `cluster` is not installed", exc_type=ImportError
)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2) as made:
        yield made


@pytest.fixture(scope="module")
def client(cluster: DaskCluster) -> Iterator[Any]:
    with distributed.Client(scheduler_file=str(cluster.file), set_as_default=False) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


@pytest.fixture(scope="module")
def engine(client: Any) -> OnDask:
    return OnDask(client)


def robust03(shared: Path, folder: Path, shuffled: bool) -> tuple[Path, Path]:
    """The judgements and a run."""
    data = shared / "realdata" / "robust03"
    lines = gzip.decompress(min(data.glob("runs/*.gz")).read_bytes()).splitlines(keepends=True)
    if shuffled:
        random.Random(1).shuffle(lines)
    (folder / "run").write_bytes(b"".join(lines))
    return data / "qrels.gz", folder / "run"


@pytest.mark.usefixtures("client")
def test_the_command_prints_the_same(cluster: DaskCluster, fixtures: Path, command: Command) -> None:
    folder = fixtures / "patents"
    options = ("-q", "-m", "all_trec", "-m", "PRES", folder / "qrels.txt")
    runs = sorted(folder.glob("run_*.txt"))
    expected = command(*options, *runs)
    assert command("--cluster", cluster.file, *options, folder / "run_*.txt") == expected
    assert expected.code == 0 and expected.out


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(("case", "size"), [("ties/all", 40), ("bytes/all", 200), ("preferences/all", 90)])
def test_fixtures(
    case: str, size: int, plan: str, engine: OnDask, fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, in splits of all sizes, are in test_every_split.py, without processes."""
    folder = fixtures / "conformance" / case.partition("/")[0]
    monkeypatch.chdir(folder)
    options = shlex.split((folder.parent / f"{case}.args").read_text().splitlines()[0])
    found = printed_in_splits([*options, "qrels", "run"], size, plan, engine)
    assert found == printed([*options, "qrels", "run"])
    assert found[:2] == (0, (folder.parent / f"{case}.9.0.8.expected").read_bytes())


def test_the_library_gives_the_same(client: Any, fixtures: Path) -> None:
    qrels, run = (fixtures / "patents" / name for name in ("qrels.txt", "run_broad.txt"))
    expected = pe.evaluate(qrels, run).to_trec(per_topic=True)
    assert pe.evaluate(qrels, run, cluster=client).to_trec(per_topic=True) == expected
    assert pe.evaluate(qrels, str(run), cluster=client.scheduler.address).to_trec(True) == expected


@pytest.mark.parametrize("size", [250_000])
@pytest.mark.parametrize("shuffled", [False, True])
def test_robust03_in_splits(size: int, shuffled: bool, engine: OnDask, shared: Path, tmp_path: Path) -> None:
    qrels, run = robust03(shared, tmp_path, shuffled)
    robust = WrittenRun(str(run), read_relevance(str(qrels)))
    expected = robust.whole()
    assert "error" not in expected and robust.in_splits(Watched(engine, size)) == expected


@pytest.mark.parametrize("seed", range(3))
def test_splits_of_few_bytes(seed: int, engine: OnDask, tmp_path: Path) -> None:
    """Also malformed lines, and documents that are there twice in different splits."""
    rng = random.Random(seed)
    made = made_run(rng, shuffled=seed % 3 > 0, doubled=seed % 3 > 1)
    run = written(tmp_path, made.run, made.qrels)
    expected = run.whole()
    for size in (60, 300):
        assert run.in_splits(Watched(engine, size)) == expected


@pytest.mark.parametrize("shuffled", [False, True])
def test_splits_of_one_byte(shuffled: bool, engine: OnDask, fixtures: Path, tmp_path: Path) -> None:
    folder = fixtures / "conformance" / "byte-order"
    lines = (folder / "run").read_text().splitlines(keepends=True)
    text = "".join(lines[::2] + lines[1::2] if shuffled else lines)
    run = written(tmp_path, text, (folder / "qrels").read_text())
    assert run.in_splits(Watched(engine, 1)) == run.whole()


LINES = [f"{topic} Q0 d{number} 0 {number} t\n" for topic in range(40) for number in range(50)]
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in range(40) for number in range(0, 50, 7))


def test_a_worker_is_killed(client: Any, engine: OnDask, tmp_path: Path) -> None:
    """In the middle of a pass, and without a chance to say good-bye."""
    lines = [line.replace(" t\n", f".{number} t\n") for number, line in enumerate(LINES)]
    random.Random(1).shuffle(lines)
    run = written(tmp_path, "".join(lines), QRELS)
    passes: list[int] = []
    killed: list[int] = []

    def told(done: int, total: int) -> None:
        if done == 1:
            passes.append(total)
        if len(passes) == 1 and done == total // 3 and not killed:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    found = run.in_splits(Watched(engine, 4000, told))
    assert killed and found == run.whole()
    client.wait_for_workers(2, timeout=60)


def test_a_worker_is_killed_where_topics_are_together(client: Any, engine: OnDask, tmp_path: Path) -> None:
    run = written(tmp_path, "".join(LINES), QRELS)
    killed: list[int] = []

    def told(done: int, total: int) -> None:
        assert total > 20
        if done == 8:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[1], signal.SIGKILL)

    found = run.in_splits(Watched(engine, 1000, told))
    assert killed and found == run.whole()
    client.wait_for_workers(2, timeout=60)


def test_a_bad_line_in_the_last_split(engine: OnDask, tmp_path: Path) -> None:
    run = written(tmp_path, "".join(LINES) + "1 Q0 d99 0 high t\n", QRELS)
    expected = run.whole()
    assert expected["message"] == f"{run.path}:2001: score 'high', expected a number"
    assert run.in_splits(Watched(engine, 4000)) == expected


def write_text(path: Path, document: str) -> None:
    path.write_text("".join(f"{row % 30} Q0 {document}{row} 0 {row} t\n" for row in range(1200)))


def write_table(path: Path, document: str) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    topics, documents = [str(row % 30) for row in range(1200)], [f"{document}{row}" for row in range(1200)]
    table = pyarrow.table({"qid": topics, "docno": documents, "score": [float(row) for row in range(1200)]})
    parquet.write_table(table, path, row_group_size=20, compression="none")


@pytest.mark.parametrize(
    ("in_place", "write", "elsewhere"),
    [
        (False, write_text, True),
        (True, write_text, False),
        (True, write_table, True),
        (False, write_table, False),
    ],
)
def test_a_file_that_changes(
    in_place: bool,
    write: Callable[[Path, str], None],
    elsewhere: bool,
    client: Any,
    engine: OnDask,
    tmp_path: Path,
) -> None:
    """By one of the same size and time; also where workers are on another machine, and cannot tell."""
    run = written(tmp_path, "", "".join(f"{row % 30} 0 d{row} 1\n" for row in range(0, 1200, 7)))
    path, changed = tmp_path / "run", tmp_path / ("run" if in_place else "new")
    write(path, "d")
    before = path.stat()

    def told(done: int, _: int) -> None:
        if done == 2:
            write(changed, "e")
            os.utime(changed, ns=(before.st_mtime_ns, before.st_mtime_ns))
            changed.replace(path)

    if elsewhere:
        client.run(
            exec,
            "from pres_eval.reading import file; file.here = file.machine;"
            " file.machine = lambda: 'elsewhere'",
        )
    try:
        expected = run.whole()
        assert run.in_splits(Watched(engine, 500)) == expected and "error" not in expected
        found = run.in_splits(Watched(engine, 500, told))
    finally:
        if elsewhere:
            client.run(exec, "from pres_eval.reading import file; file.machine = file.here")
    assert path.stat().st_size == before.st_size
    assert "the file changed while it was read" in found["message"]


@pytest.mark.usefixtures("client")
def test_errors_of_the_command_are_the_same(
    cluster: DaskCluster, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good").write_text("".join(LINES[:100]))
    (tmp_path / "bad").write_text("".join(LINES[:100]) + "1 Q0 d99 0 high t\n")
    (tmp_path / "other").write_text("no Q0 d1 1 1 t\n")
    (tmp_path / "qrels").write_text(QRELS)
    for options in ((), ("--keep-going",), ("-q", "--format", "json")):
        arguments = (*options, "qrels", "good", "bad", "missing", "other")
        expected = command(*arguments)
        assert expected.code == 2 and "bad:101: score 'high'" in expected.err
        assert command("--cluster", cluster.file, *arguments) == expected


def test_a_worker_that_is_too_small_and_a_scheduler_that_is_killed(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker with 20 MB is told no, before anything is sent: one line, exit code 2, nothing printed.

    The scheduler is killed in the middle of a pass: one error.
    """
    # Dask would end a worker with so little for what Python alone takes.
    for what in ("TARGET", "SPILL", "PAUSE", "TERMINATE"):
        monkeypatch.setenv(f"DASK_DISTRIBUTED__WORKER__MEMORY__{what}", "False")
    (tmp_path / "run").write_text("".join(LINES))
    rows = "".join(f"{topic} 0 d{number} 1\n" for topic in range(100) for number in range(5000))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connecting, "REPORTED_AFTER", 60.0)  # the worker takes a while to start
    (tmp_path / "qrels").write_text(rows)
    (tmp_path / "small").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "small"))
    with dask_cluster(tmp_path, 1, "20MB") as made:
        called = command("--cluster", made.file, "--output", "out", "qrels", "run")

        def told(done: int, total: int) -> None:
            assert total > 20
            if done == 7:
                made.kill_scheduler()

        with (
            engine_of(str(made.file), Patience(5)) as engine,
            pytest.raises(WorkersLostError, match=r"^tcp://.*: the scheduler is gone"),
        ):
            ranked_by(Watched(engine, 1000, told), str(tmp_path / "run"), judged)
    assert (called.code, called.out, (tmp_path / "out").exists()) == (2, "", False)
    said = called.err
    assert said.count("\n") == 1
    assert "judgements: " in said and "too large for workers with 20,000,000 bytes of memory" in said
    assert "split the judgements by topic" in said


@pytest.mark.parametrize("how", ["scheduler", "interrupt"])
def test_the_scheduler_is_gone_or_the_user(how: str, tmp_path: Path) -> None:
    """Exit code, one line or none, and no half output; nobody else is disturbed."""
    (tmp_path / "run").write_text("".join(LINES))
    (tmp_path / "qrels").write_text(QRELS)
    with dask_cluster(tmp_path, 0) as made:
        command = [sys.executable, "-m", "pres_eval", "--cluster", str(made.file), "--cluster-timeout", "5"]
        process = subprocess.Popen(
            [
                *command,
                "-q",
                str(tmp_path / "qrels"),
                str(tmp_path / "run"),
                "--output",
                str(tmp_path / "out"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        with distributed.Client(scheduler_file=str(made.file), set_as_default=False) as client:
            deadline = time.monotonic() + 60
            while _num_clients(client) < 3 and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
        time.sleep(0.3)
        if how == "scheduler":
            made.kill_scheduler()
        else:
            process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    assert out == b"" and not (tmp_path / "out").exists()
    if how == "scheduler":
        assert process.returncode == 2, said
        assert said.count(b"\n") == 1 and b"the scheduler is gone" in said, said
    else:
        assert process.returncode == 130 and said == b"", said


def _num_clients(client: Any) -> int:
    """Those of the test, of the command, and one that every scheduler has."""
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.clients)))


def test_what_is_no_cluster() -> None:
    for wrong in ("nonsense", "local:", "local:0", "local:x", 5):
        with pytest.raises(PresEvalError, match="expected local:N"), engine_of(wrong):
            pass


def test_workers_of_another_version(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_dask, "__version__", "0.0")
    with pytest.raises(PresEvalError, match=r"has version .* of pres-eval, expected 0\.0"):
        OnDask(client)


class _Unlucky(OnDask):
    """A cluster whose results are always lost; it counts how often work was sent."""

    times_sent = 0

    def _result(self, future: Any) -> tuple[Any, bool]:
        return None, True

    def _begin_again(self, *arguments: Any) -> None:
        self.times_sent += 1
        super()._begin_again(*arguments)


def test_work_is_sent_as_often_as_the_message_says(client: Any) -> None:
    unlucky = _Unlucky(client)
    with pytest.raises(WorkersLostError, match=f"workers died {SHARING_ATTEMPTS} times"):
        list(unlucky.map(lambda item: item, [1]))
    assert unlucky.times_sent == SHARING_ATTEMPTS - 1
