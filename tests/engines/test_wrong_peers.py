"""A peer that is no scheduler, or has no worker, is an error in time that names address and cause."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import Command
from support.dask_cluster import DaskCluster, dask_cluster
from support.wrong_peers import PEERS, wrong_peer

from pres_eval import __version__
from pres_eval.engines import connecting
from pres_eval.engines.connecting import NoAnswerError, Patience, engine_of
from pres_eval.engines.engine import WorkersLostError
from pres_eval.engines.on_dask import OnDask
from pres_eval.errors import InputError, PresEvalError

pytest.importorskip("distributed", reason="the extra `cluster` is not installed", exc_type=ImportError)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

STARTING = 10
"""Seconds that Python and Dask take to be imported, at most, on a machine that does much else."""

REFUSED = "tcp://127.0.0.1:1"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with judgements and a run."""
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    (tmp_path / "run").write_text("1 Q0 d 1 1 t\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", PEERS)
@pytest.mark.usefixtures("files")
def test_a_wrong_peer(kind: str, command: Command) -> None:
    with wrong_peer(PEERS[kind]) as address:
        begun = time.monotonic()
        called = command("--cluster", address, "--cluster-timeout", "1", "qrels", "run")
    assert time.monotonic() - begun < 1 + STARTING
    assert (called.code, called.out) == (2, "")
    assert re.fullmatch(rf"pres-eval: {address}: no Dask scheduler answers: .+\n", called.err)


@pytest.fixture
def told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for is told after half a second, not after five."""
    monkeypatch.setattr(connecting, "REPORTED_AFTER", 0.5)


@pytest.mark.usefixtures("told_soon")
@pytest.mark.parametrize(("file", "seconds"), [(False, "2"), (True, "0.4")])
def test_nobody_is_there(file: bool, seconds: str, files: Path, command: Command) -> None:
    (files / "scheduler.json").write_text(f'{{"address": "{REFUSED}"}}')
    name = f"scheduler.json: {REFUSED}" if file else REFUSED
    where = "scheduler.json" if file else REFUSED
    called = command("--cluster", where, "--cluster-timeout", seconds, "qrels", "run")
    assert (called.code, called.out) == (2, "")
    *waiting, said = called.err.splitlines()
    # Dask may end sooner, if it likes what the system says of the port.
    assert waiting in ([], [f"pres-eval: waiting for the Dask scheduler at {name}, up to {seconds} seconds"])
    told = rf"pres-eval: {re.escape(name)}: no Dask scheduler answers: .*(Timed out trying|refused)"
    assert re.match(told, said) and said.endswith("; is one running there? start it:  dask scheduler")
    assert "TimeoutError" not in said
    if file:
        return
    quiet = command("--quiet", "--cluster", where, "--cluster-timeout", "1", "qrels", "run")
    assert re.match(told, quiet.err) and quiet.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"address": "tcp:/', "scheduler.json:1: this is no JSON"),
        ("[" * 100_000, "scheduler.json: this is no JSON"),
        ("", "scheduler.json:1: this is no JSON"),
        ("[]", "scheduler.json: address 'None'"),
        ('{"id": 5}', "scheduler.json: address 'None'"),
        ('{"address": 5}', "scheduler.json: address '5'"),
        ('{"address": "%s"}' % ("x" * 10**6), "scheduler.json: address 'xxx"),
    ],
)
def test_a_malformed_scheduler_file(text: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    path.write_text(text)
    with pytest.raises(InputError) as raised, engine_of(str(path)):
        pass
    message = str(raised.value).removeprefix(f"{tmp_path}/")
    assert message.startswith(found) and len(message) < 200
    assert message.endswith(", expected a file that dask scheduler --scheduler-file has written")


def test_a_scheduler_file_that_is_missing() -> None:
    with pytest.raises(InputError, match=r"^missing\.json: no such file"), engine_of("missing.json"):
        pass


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), 0) as made:
        yield made


@pytest.mark.usefixtures("files", "told_soon")
def test_a_scheduler_without_workers(cluster: DaskCluster, command: Command) -> None:
    called = command("--cluster", cluster.file, "--cluster-timeout", "2", "qrels", "run")
    assert (called.code, called.out) == (2, "")
    waiting, said = called.err.splitlines()
    assert re.fullmatch(
        r"pres-eval: waiting for tcp://\S+: a worker that takes work, up to 2 seconds", waiting
    )
    assert re.fullmatch(
        r"pres-eval: (tcp://\S+): no worker came in 2 seconds \(--cluster-timeout\);"
        r" start one:  dask worker \1",
        said,
    )


@pytest.mark.usefixtures("files")
def test_a_worker_with_little_memory_and_no_nanny(tmp_path: Path, command: Command) -> None:
    """Dask lets it pause, without a word."""
    with dask_cluster(tmp_path, 0, "40MB") as made:
        worker = made.add_worker("--no-nanny")
        made.wait_for(b"Pausing worker")
        called = command("--cluster", made.file, "--cluster-timeout", "2", "qrels", "run")
        worker.kill()
    assert (called.code, called.out) == (2, "")
    said = called.err.splitlines()[-1]
    assert "none of 1 workers took work in 2 seconds" in said and "pause" in said
    assert "more memory than 40,000,000 bytes each" in said


@pytest.mark.skipif(sys.platform == "win32", reason="nobody can be stopped there")
@pytest.mark.parametrize("who", ["scheduler", "worker"])
@pytest.mark.usefixtures("files")
def test_a_peer_that_stands_still(who: str, tmp_path: Path, new_process: Any) -> None:
    """In processes of their own: a client of a scheduler that stands still takes long to end."""
    with dask_cluster(tmp_path, 0) as made:
        worker = made.add_worker("--no-nanny")
        assert new_process("--cluster", made.file, "qrels", "run").returncode == 0
        still = made.scheduler if who == "scheduler" else worker
        still.send_signal(signal.SIGSTOP)
        called = new_process("--cluster", made.file, "--cluster-timeout", "2", "qrels", "run")
        still.send_signal(signal.SIGCONT)
        worker.kill()
    assert (called.returncode, called.stdout, called.stderr.count(b"\n")) == (2, b"", 1)
    told = {"scheduler": b"no Dask scheduler answers", "worker": b"waited 2 seconds for all workers in vain"}
    assert told[who] in called.stderr


@pytest.mark.usefixtures("files")
def test_the_address_of_a_worker(tmp_path: Path, command: Command) -> None:
    with dask_cluster(tmp_path, 0) as made:
        worker = made.add_worker("--no-nanny")
        with engine_of(str(made.file)) as engine:
            (address,) = engine._client.nthreads()  # type: ignore[attr-defined]
        called = command("--cluster", address, "--cluster-timeout", "2", "qrels", "run")
        worker.kill()
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert called.err.startswith(f"pres-eval: {address}: no Dask scheduler answers: ")


def test_workers_that_all_go_in_the_middle(tmp_path: Path) -> None:
    """Nobody waits for ever for the rest, and it is not told as if the scheduler were gone."""
    with dask_cluster(tmp_path, 0) as made:
        worker = made.add_worker("--no-nanny")
        patience = Patience(STARTING)
        with engine_of(str(made.file), patience) as engine:
            results = engine.map(time.sleep, [0.0, 600.0])
            next(results)
            patience.seconds = 2
            worker.kill()
            with pytest.raises(WorkersLostError, match=r"^tcp://\S+: no worker came in 2 seconds"):
                next(results)


def test_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "REPORTED_AFTER", 0.1)
    monkeypatch.setattr(connecting, "GRACE", 0.0)
    said: list[str] = []
    waiting = Patience(0.3, said.append)
    assert waiting.wait("it", lambda: 5) == 5 and not said
    with pytest.raises(PresEvalError, match="no"):
        waiting.wait("it", lambda: (_ for _ in ()).throw(PresEvalError("no")))
    begun = time.monotonic()
    with pytest.raises(NoAnswerError):
        waiting.wait("it", lambda: time.sleep(60))
    with pytest.raises(NoAnswerError):  # the limit is one for all
        waiting.wait("it", lambda: time.sleep(60))
    assert time.monotonic() - begun < 5
    assert said == ["waiting for it, up to 0.3 seconds"]


class Client:
    """A client whose connections break so many times, and whose scheduler may be gone."""

    status = "running"

    def __init__(self, breaks: int, is_gone: bool) -> None:
        self.scheduler = self
        self.address = "tcp://scheduler:1"
        self.breaks = breaks
        self.is_gone = is_gone
        self.sent: list[object] = []

    def wait_for_workers(self, number: int, timeout: float) -> None:
        """One is there."""

    def run(self, *_: object, on_error: str) -> dict[str, object]:
        """A worker that has died is not told as one of another version."""
        return {"tcp://a:1": __version__, "tcp://b:1": OSError("in <TCP a>: Stream is closed")}

    def scheduler_info(self, n_workers: int) -> dict[str, dict[str, dict[str, object]]]:
        return {"workers": {"tcp://a:1": {"memory_limit": 10**9}}}

    def nthreads(self) -> dict[str, int]:
        if self.is_gone:
            raise OSError("Stream is closed")
        return {"tcp://a:1": 1}

    def scatter(self, values: list[object], **_: object) -> list[object]:
        self.breaks -= 1
        if self.breaks >= 0:
            raise OSError("in <TCP (closed) b>: Stream is closed")
        self.sent += values
        return [None]


@pytest.mark.parametrize(
    ("breaks", "is_gone", "message"),
    [
        (2, False, None),
        (3, False, "tcp://scheduler:1: Stream is closed"),
        (1, True, "tcp://scheduler:1: the scheduler is gone: Stream is closed"),
    ],
)
def test_a_connection_that_breaks(breaks: int, is_gone: bool, message: str | None) -> None:
    """One of a worker is none of the scheduler: what is shared is sent again."""
    client = Client(breaks, False)
    engine = OnDask(client, Patience(5))
    if message is None:
        engine.share(b"judgements", "judgements")
        assert client.sent == [b"judgements"]
        return
    engine._known_workers = lambda: []  # type: ignore[method-assign]
    client.is_gone = is_gone
    with pytest.raises(WorkersLostError) as raised:
        engine.share(b"judgements", "judgements")
    assert str(raised.value) == message


def test_a_worker_that_dies_while_it_is_sent_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask may wait for it; the others get it with the next attempt."""
    client = Client(0, False)
    engine, scatter, attempts = OnDask(client, Patience(0.2)), client.scatter, iter([60.0, 0.0])

    def slow(values: list[object], **named: object) -> list[object]:
        time.sleep(next(attempts))
        return scatter(values, **named)

    monkeypatch.setattr(client, "scatter", slow)
    engine.share(b"judgements", "judgements")
    assert client.sent == [b"judgements"]
    monkeypatch.setattr(client, "scatter", lambda *_, **__: time.sleep(60))
    with pytest.raises(WorkersLostError, match="waited 0 seconds for all workers to have what they share"):
        engine.share(b"judgements", "judgements")
