"""What is asked of a Dask client, and what its answers become; no scheduler is started."""

from __future__ import annotations

import functools
import re
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pres_eval import __version__
from pres_eval.engines import connecting, memory, on_dask
from pres_eval.engines.connecting import NoAnswerError, Patience, engine_of
from pres_eval.engines.engine import Shared, WorkersLostError
from pres_eval.engines.on_dask import OnDask, SchedulerLostError, at_work
from pres_eval.engines.processes import Processes
from pres_eval.errors import InputError, PresEvalError, UsageError

distributed: Any = pytest.importorskip(
    "distributed", reason="the extra `cluster` is not installed", exc_type=ImportError
)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

ADDRESS = "tcp://there:8786"


class Future:
    """Work that was submitted: it is done when its result is asked for."""

    def __init__(self, client: Client, item: Any, ask: Callable[[], Any]) -> None:
        self.client = client
        self.item = item
        self.ask = ask

    def done(self) -> bool:
        return False

    def result(self, timeout: float | None = None) -> Any:
        self.client.limits.append(timeout)
        fault = self.client.faults.pop(0) if self.client.faults else None
        if fault is not None:
            raise fault
        return self.ask()


class Sent:
    """A value on all workers."""

    def __init__(self, value: Any, number: int) -> None:
        self.value = value
        self.number = number
        self.is_released = False

    def release(self) -> None:
        self.is_released = True


class Client:
    """Notes what it is asked, and does the work at once.

    faults  the errors of the next results, None where one comes
    """

    def __init__(self, threads: tuple[int, ...] = (1,), limits: tuple[int | None, ...] = (10**9,)) -> None:
        self.scheduler = SimpleNamespace(address=ADDRESS)
        self.status = "running"
        self.threads = threads
        self.memory = limits
        self.versions: dict[str, Any] = {}
        self.faults: list[Exception | None] = []
        self.limits: list[float | None] = []
        self.submitted: list[Any] = []
        self.sent: list[Sent] = []
        self.cancelled: list[Any] = []
        self.waits: list[tuple[int, float]] = []
        self.closed: list[float] = []

    def wait_for_workers(self, number: int, timeout: float) -> None:
        self.waits.append((number, timeout))

    def run(self, function: Callable[[], Any], on_error: str) -> dict[str, Any]:
        assert function() == __version__ and on_error == "return"
        return self.versions

    def nthreads(self) -> dict[str, int]:
        return {f"tcp://worker:{number}": count for number, count in enumerate(self.threads)}

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1  # all of them
        limits = enumerate(self.memory)
        return {"workers": {f"tcp://worker:{number}": {"memory_limit": limit} for number, limit in limits}}

    def scatter(self, values: list[Any], broadcast: bool, hash: bool) -> list[Sent]:
        assert broadcast and not hash
        self.sent += [Sent(value, len(self.sent)) for value in values]
        return self.sent[-len(values) :]

    def submit(self, function: Callable[..., Any], *arguments: Any, pure: bool) -> Future:
        assert function is at_work and not pure
        work, item, *shared = arguments
        self.submitted.append((item, *(sent.number for sent in shared)))
        values = [sent.value for sent in shared]
        return Future(self, item, functools.partial(function, work, item, *values))

    def cancel(self, futures: list[Future]) -> None:
        self.cancelled.append([future.item for future in futures])

    def close(self, timeout: float) -> None:
        self.closed.append(timeout)


def _add(item: int, *numbers: int) -> int:
    return item + sum(numbers)


def test_some_pieces_of_work_are_under_way() -> None:
    """Four for each thread; one more with each result; what is not wanted any more is called off."""
    client = Client((2, 1))
    engine = OnDask(client)
    assert (engine.workers, engine.threads, engine.split_size(12 * (20 << 20))) == (3, 1, 20 << 20)
    results = engine.map(_add, range(100))
    assert next(results) == 0
    assert client.submitted == [(item,) for item in range(12)]
    assert [next(results), next(results)] == [1, 2]
    assert client.submitted == [(item,) for item in range(14)]
    assert set(client.limits) == {5.0}
    results.close()
    assert client.cancelled == [list(range(3, 14))]


def test_all_work_is_done_in_order() -> None:
    client = Client(())
    engine = OnDask(client)
    assert engine.workers == 1  # it may come later
    assert list(engine.map(_add, range(9))) == list(range(9))
    assert client.cancelled == [[]]


def test_what_is_lost_is_sent_again() -> None:
    """All shared values, and all work that has no result yet; what has one is not done again."""
    client = Client()
    engine = OnDask(client)
    shared = [engine.share(10, "ten"), Shared("not of the cluster"), engine.share(100, "a hundred")]
    client.faults = [None, distributed.CancelledError("lost"), None, distributed.CancelledError("lost")]
    assert list(engine.map(_add, range(5), *shared)) == [110, 111, 112, 113, 114]
    assert [sent.value for sent in client.sent] == [10, 100, 10, 100, 10, 100]
    first = [(item, 0, 1) for item in range(5)]
    again = [(item, 2, 3) for item in range(1, 5)]
    third = [(item, 4, 5) for item in range(2, 5)]
    assert client.submitted == [*first[:4], first[4], *again, *third]
    for value in shared:
        value.close()
    assert [sent.is_released for sent in client.sent] == [False] * 4 + [True] * 2


def test_losses_are_counted_over_all_work() -> None:
    client = Client()
    lost = distributed.CancelledError("lost")
    client.faults = [lost, None, lost, None, lost]
    results = OnDask(client).map(_add, range(9))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(WorkersLostError, match="workers died 3 times"):
        next(results)


def test_work_that_is_lost_three_times() -> None:
    client = Client()
    client.faults = [distributed.CancelledError("lost") for _ in range(3)]
    results = OnDask(client).map(_add, range(2))
    with pytest.raises(WorkersLostError) as raised:
        next(results)
    assert str(raised.value) == f"{ADDRESS}: workers died 3 times; give them more memory"
    assert client.submitted == [(0,), (1,)] * 3 and client.cancelled == [[0, 1]]
    assert not client.faults


def test_what_is_slow_has_a_worker() -> None:
    """After each wait, whether there is still one; its limit begins anew."""
    client = Client()
    engine = OnDask(client, Patience(40))
    results = engine.map(_add, [5, 6])
    assert next(results) == 5
    client.faults = [distributed.TimeoutError(), distributed.TimeoutError()]
    engine._patience.begin(-39)
    client.waits.clear()
    assert next(results) == 6
    assert [number for number, _ in client.waits] == [1, 1]
    assert all(39 < seconds <= 40 for _, seconds in client.waits)


def test_a_result_that_is_there_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Future, "done", lambda _: True)
    client = Client()
    assert list(OnDask(client).map(_add, [5, 6])) == [5, 6]
    assert client.limits == [None, None]


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        ("running", InputError("run", 3, "nothing", "something"), "run:3: nothing, expected something"),
        ("running", OSError("in <TCP b>: broken\nsecond line"), f"{ADDRESS}: broken"),
        ("running", RuntimeError(), f"{ADDRESS}: RuntimeError"),
        ("closed", distributed.CancelledError("all"), f"{ADDRESS}: the scheduler is gone: all"),
        ("closed", RuntimeError("no"), f"{ADDRESS}: the scheduler is gone: no"),
    ],
)
def test_errors_of_the_work_and_of_the_cluster(status: str, error: Exception, message: str) -> None:
    client = Client()
    engine = OnDask(client)
    client.status = status
    with pytest.raises(PresEvalError) as raised:
        list(engine.map(_raise, [error]))
    assert str(raised.value) == message
    assert isinstance(raised.value, SchedulerLostError) is (status == "closed")


def test_nobody_answers_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the client believes, the scheduler is gone."""
    client = Client()
    engine = OnDask(client)
    results = engine.map(_add, [5])
    client.faults = [OSError("broken")]
    times = iter([{"tcp://worker:0": 1}])
    monkeypatch.setattr(client, "nthreads", lambda: next(times))
    with pytest.raises(SchedulerLostError, match=f"^{ADDRESS}: the scheduler is gone: broken$"):
        next(results)


def test_a_fault_of_the_program_is_none_of_the_cluster() -> None:
    with pytest.raises(TypeError, match="a fault of ours"):
        list(OnDask(Client()).map(_raise, [TypeError("a fault of ours")]))


def test_work_that_ends_its_workers() -> None:
    """Dask counts how often; the message counts the last time, too."""
    client = Client()
    client.faults = [distributed.KilledWorker("a task", SimpleNamespace(address="tcp://worker:0"), 3)]
    assert client.faults[0].allowed_failures == 3  # type: ignore[union-attr]
    with pytest.raises(WorkersLostError) as raised:
        list(OnDask(client).map(_add, [1]))
    assert str(raised.value) == (
        f"{ADDRESS}: workers died 4 times of the same piece of work (did their memory run out?)"
    )


@pytest.mark.parametrize(
    ("limits", "least"), [((5000, 4000, 6000), 4000), ((0, None, 5000), 5000), ((0, None), None), ((), None)]
)
def test_what_does_not_fit_the_smallest_worker(limits: tuple[int | None, ...], least: int | None) -> None:
    """Those without a limit do not count; nothing is sent."""
    client = Client(limits=limits)
    engine = OnDask(client)
    value = b"x" * 981  # 1,000 bytes, pickled, with its length and so on
    if least is None:
        assert engine.share(value, "judgements").value == value and len(client.sent) == 1
        return
    with pytest.raises(WorkersLostError, match=rf"^judgements: \S+ bytes are .* with {least:,} bytes"):
        engine.share(value, "judgements")
    assert not client.sent


def test_a_large_value_may_take_longer() -> None:
    """A second for each megabyte; and the next question has its own time."""
    client = Client(limits=())
    engine = OnDask(client, Patience(7))
    begun: list[float] = []
    begin = engine._patience.begin

    def note(more: float = 0.0) -> None:
        begun.append(more)
        begin(more)

    engine._patience.begin = note  # type: ignore[method-assign]
    engine.share(b"x" * (3 << 20), "judgements")
    assert [round(more, 3) for more in begun] == [0, 3]


@pytest.mark.parametrize(
    ("found", "what"),
    [
        ("0.1", "0.1"),
        (ModuleNotFoundError("No module named 'pres_eval'"), "none (No module named 'pres_eval')"),
        (ValueError(), "none (ValueError)"),
    ],
)
def test_a_worker_of_another_version(found: Any, what: str) -> None:
    """The second one; one that has died meanwhile has none."""
    client = Client()
    client.versions = {"a": __version__, "b": OSError("Stream is closed")}
    OnDask(client)
    client.versions = client.versions | {"tcp://worker:3": found}
    with pytest.raises(PresEvalError) as raised:
        OnDask(client)
    message = f"tcp://worker:3: this worker has version {what} of pres-eval, expected {__version__}"
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            (),
            f"{ADDRESS}: no worker came in 2.5 seconds (--cluster-timeout);"
            f" start one:  dask worker {ADDRESS}",
        ),
        (
            (4000,),
            f"{ADDRESS}: none of 1 workers took work in 2.5 seconds (--cluster-timeout): Dask lets workers"
            " pause whose memory is nearly full; give them more memory than 4,000 bytes each",
        ),
        (
            (3000, 2000),
            f"{ADDRESS}: none of 2 workers took work in 2.5 seconds (--cluster-timeout): Dask lets workers"
            " pause whose memory is nearly full; give them more memory than 2,000 bytes each",
        ),
    ],
)
def test_no_worker_takes_work(limits: tuple[int, ...], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(limits=limits)

    def too_late(number: int, timeout: float) -> None:
        assert 2 < timeout <= 2.5
        raise distributed.TimeoutError("too late")

    monkeypatch.setattr(client, "wait_for_workers", too_late)
    with pytest.raises(WorkersLostError) as raised:
        OnDask(client, Patience(2.5))
    assert str(raised.value) == message


def test_connecting_and_a_worker_have_one_limit() -> None:
    """What the connection took is missing to the worker; versions and the like have their own time."""
    client, patience = Client(), Patience(50)
    patience.begin(-20)
    OnDask(client, patience)
    ((_, seconds),) = client.waits
    assert 29 < seconds <= 30 and 49 < patience.left() <= 50


def _blocks(_: int) -> int:
    return memory._num_blocks


def test_memory_is_kept_while_work_is_done() -> None:
    assert list(OnDask(Client()).map(_blocks, [1])) == [1]
    assert memory._num_blocks == 0


def test_questions_are_asked_three_times() -> None:
    client = Client()
    engine = OnDask(client)
    asked: list[int] = []

    def breaks() -> None:
        asked.append(len(asked))
        raise OSError(f"broken {len(asked)} times")

    with pytest.raises(WorkersLostError, match=f"^{ADDRESS}: broken 3 times$"):
        engine._answer(breaks)
    assert asked == [0, 1, 2]
    client.status = "closed"
    with pytest.raises(SchedulerLostError, match="gone: broken 4 times"):
        engine._answer(breaks)  # once: nobody answers any more


def test_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not asked again, but for what is shared; the message has the seconds of this question."""
    monkeypatch.setattr(connecting, "GRACE", 0.0)
    client = Client()
    said: list[str] = []
    engine = OnDask(client, Patience(20, said.append))
    waited: list[str] = []

    def wait(what: str, ask: Callable[[], Any]) -> Any:
        waited.append(what)
        raise NoAnswerError

    monkeypatch.setattr(engine._patience, "wait", wait)
    with pytest.raises(WorkersLostError, match=f"^{ADDRESS}: waited 24 seconds for all workers in vain$"):
        engine._answer(client.nthreads, "all workers", 4.0)
    assert waited == [f"{ADDRESS}: all workers"]
    with pytest.raises(WorkersLostError, match="waited 20 seconds for all workers to have what they share"):
        engine._answer(client.nthreads, on_dask.SHARING, None)
    with pytest.raises(WorkersLostError, match="waited 26 seconds for all workers to have what they share"):
        engine._answer(client.nthreads, on_dask.SHARING, 6.0)
    assert len(waited) == 7
    client.status = "closed"
    with pytest.raises(SchedulerLostError, match="is gone: waited 20 seconds for the scheduler in vain"):
        engine._answer(client.nthreads)
    assert len(waited) == 8


class TestConnecting:
    """From the name of a cluster to its engine."""

    @pytest.fixture
    def made(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """How clients are made, and they themselves."""
        found: list[Any] = []

        def make(address: str, timeout: float, set_as_default: bool) -> Client:
            client = Client()
            found.append((address, timeout, set_as_default, client))
            return client

        monkeypatch.setattr(distributed, "Client", make)
        return found

    def test_an_address(self, made: list[Any]) -> None:
        patience = Patience(17)
        with engine_of(ADDRESS, patience) as engine:
            ((address, timeout, is_default, client),) = made
            assert isinstance(engine, OnDask) and engine._patience is patience
            assert (address, is_default, client.closed) == (ADDRESS, False, [])
            assert 16 < timeout <= 17
        assert client.closed == [2]

    def test_a_file(self, made: list[Any], tmp_path: Path) -> None:
        (tmp_path / "scheduler.json").write_text(f'{{"id": 1, "address": "{ADDRESS}"}}')
        with pytest.raises(KeyError), engine_of(str(tmp_path / "scheduler.json")):
            raise KeyError
        ((address, timeout, _, client),) = made
        assert address == ADDRESS and 29 < timeout <= 30
        assert client.closed == [2]

    def test_a_client_stays_open(self) -> None:
        client, patience = Client(), Patience(17)
        with engine_of(client, patience) as engine:
            assert isinstance(engine, OnDask) and engine._patience is patience
        with engine_of(client) as engine:
            assert isinstance(engine, OnDask) and engine._patience.seconds == 30
        assert not client.closed

    def test_processes_end_with_the_block(self, monkeypatch: pytest.MonkeyPatch) -> None:
        closed: list[int] = []
        monkeypatch.setattr(Processes, "close", lambda self: closed.append(self.workers))
        with engine_of("local:9999") as engine:
            assert isinstance(engine, Processes) and engine.workers == 9999 and not closed
        assert closed == [9999]

    @pytest.mark.parametrize("name", ["local:", "local:0", "local:10000", "local:-1", "local:٣", "local:1.0"])
    def test_no_number_of_processes(self, name: str) -> None:
        with pytest.raises(UsageError, match=f"^cluster '{name}': expected local:N for N"), engine_of(name):
            pass

    def test_a_system_without_poll(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(select, "poll")
        with pytest.raises(UsageError) as raised, engine_of("local:2"):
            pass
        assert str(raised.value) == (
            "cluster 'local:2': processes of this machine need Linux or macOS,"
            " expected a Dask scheduler, or no cluster"
        )

    @pytest.mark.parametrize(
        ("error", "cause", "reason"),
        [
            (OSError("refused\nmore"), None, "refused"),
            (OSError("in <TCP x>: refused"), OSError("in <TCP y>: no route"), "refused (no route)"),
            (OSError("refused"), OSError(), "refused"),
            (TimeoutError(), OSError("no route"), "nobody in 17.5 seconds (no route)"),
        ],
    )
    def test_nobody_is_there(
        self, error: Exception, cause: Exception | None, reason: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise error from cause

        monkeypatch.setattr(distributed, "Client", fail)
        with pytest.raises(PresEvalError) as raised, engine_of(ADDRESS, Patience(17.5)):
            pass
        assert str(raised.value) == (
            f"{ADDRESS}: no Dask scheduler answers: {reason}; is one running there? start it:  dask scheduler"
        )

    def test_something_else_is_there(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """It takes the connection, and does not answer; the file and the address are named."""
        monkeypatch.setattr(connecting, "GRACE", 0.0)
        monkeypatch.setattr(connecting, "REPORTED_AFTER", 0.05)
        monkeypatch.setattr(distributed, "Client", lambda *_, **__: time.sleep(60))
        path = tmp_path / "scheduler.json"
        path.write_text(f'{{"address": "{ADDRESS}"}}')
        said: list[str] = []
        with pytest.raises(PresEvalError) as raised, engine_of(str(path), Patience(0.1, said.append)):
            pass
        assert said == [f"waiting for the Dask scheduler at {path}: {ADDRESS}, up to 0.1 seconds"]
        assert str(raised.value) == (
            f"{path}: {ADDRESS}: no Dask scheduler answers: something takes the connection, and does not"
            " speak as Dask does for 0.1 seconds"
        )

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ('{\n"address": "tcp:/', ":2: this is no JSON"),
            ("[]", ": address 'None'"),
            ('{"address": "there:1"}', ": address 'there:1'"),
            ('{"address": 5}', ": address '5'"),
        ],
    )
    def test_a_file_of_something_else(self, text: str, found: str, tmp_path: Path) -> None:
        path = tmp_path / "scheduler.json"
        path.write_text(text)
        expected = f"{path}{found}, expected a file that dask scheduler --scheduler-file has written"
        with pytest.raises(InputError, match=f"^{re.escape(expected)}$"), engine_of(str(path)):
            pass


def test_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit for several waits together, said once each; an error and an exit come through."""
    monkeypatch.setattr(connecting, "REPORTED_AFTER", 0.02)
    monkeypatch.setattr(connecting, "GRACE", 0.0)
    said: list[str] = []
    patience = Patience(0.06, said.append)
    assert patience.wait("it", lambda: 5) == 5 and not said
    for error in (PresEvalError("no"), SystemExit(3)):
        with pytest.raises(type(error)):
            patience.wait("it", functools.partial(_raise, error))  # type: ignore[arg-type]
    begun = time.monotonic()
    for _ in range(2):
        with pytest.raises(NoAnswerError):
            patience.wait("it", lambda: time.sleep(60))
    assert 0.03 < time.monotonic() - begun < 5 and patience.left() == 0
    assert said == ["waiting for it, up to 0.06 seconds"]
    patience.begin(100)
    assert 99 < patience.left() < 100.1
    patience.begin()
    assert patience.wait("it", lambda: time.sleep(0.03) or 7) == 7
    assert len(said) == 2
    # What hangs does not keep the process from ending.
    assert patience.wait("it", lambda: threading.current_thread().daemon)
