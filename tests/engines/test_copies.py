"""Copies of the process: results in order, nothing left behind, and whatever goes wrong is told."""

from __future__ import annotations

import ctypes
import errno
import gc
import mmap
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from pres_eval.cluster import copies as module
from pres_eval.cluster.copies import Copies, can_copy
from pres_eval.cluster.engines import WorkersLostError
from pres_eval.cluster.memory import ALIGNED, MemoryFile

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")


def open_files() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def children() -> set[str]:
    """Also those that have ended and that nobody has waited for."""
    return {
        child
        for task in Path("/proc/self/task").iterdir()
        for child in (task / "children").read_text().split()
    }


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No copy and no pipe is left."""
    before = open_files(), children()
    yield
    assert (open_files(), children()) == before


def test_a_signal_just_before_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not end the waiting, so that does not last; where nothing has come the command waits again."""
    limits: list[float] = []

    class Poll:
        def __init__(self) -> None:
            self._poll = select.epoll()
            self.register, self.unregister = self._poll.register, self._poll.unregister

        def poll(self, limit: float = 1e9) -> list[tuple[int, int]]:
            limits.append(limit)
            return self._poll.poll(limit / 1000) if len(limits) > 2 else []

    monkeypatch.setattr(select, "poll", Poll)
    assert list(Copies(2).map(lambda item: item, range(4))) == [0, 1, 2, 3]
    assert len(limits) > 2 and max(limits) <= 1000


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 1 << 17])  # as little as a pipe takes at once, and more
def test_results_come_in_order(workers: int, size: int) -> None:
    """Though the first takes longest."""
    engine = Copies(workers)

    def work(item: int, text: bytes) -> tuple[int, bytes, int]:
        time.sleep(0.1 if item == 0 else 0)
        return item, text, os.getpid()

    found = list(engine.map(work, range(20), engine.share(bytes(size), "text")))
    assert [item for item, _, _ in found] == list(range(20))
    assert {text for _, text, _ in found} == {bytes(size)}
    processes = {process for _, _, process in found}
    assert os.getpid() not in processes and len(processes) <= workers


def test_all_of_them_work() -> None:
    def work(_: int) -> int:
        time.sleep(0.05)
        return os.getpid()

    assert len(set(Copies(3).map(work, range(12)))) == 3


def test_as_much_work_as_there_may_be() -> None:
    """Its numbers have room in the smallest pipe, which is what somebody with many pipes gets."""
    assert module.MOST_ITEMS * module.NUMBER_BYTES <= select.PIPE_BUF
    assert module.MOST_ITEMS <= 1 << 8 * module.NUMBER_BYTES
    assert list(Copies(2).map(str, range(module.MOST_ITEMS))) == list(map(str, range(module.MOST_ITEMS)))


def test_no_work() -> None:
    assert list(Copies(2).map(str, [])) == []


def test_what_is_not_wanted_any_more_is_given_up() -> None:
    results = Copies(2).map(_sleep_long_after_the_first, range(4))
    assert next(results) == 0
    start = time.monotonic()
    results.close()
    assert time.monotonic() - start < 5


def _sleep_long_after_the_first(item: int) -> int:
    time.sleep(60 if item else 0)
    return item


def _raise(_: int) -> NoReturn:
    raise ValueError


def _kill(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _leave(_: int) -> None:
    os._exit(0)


@pytest.mark.parametrize("fate", [_raise, _kill, _leave])
def test_a_copy_that_ends_early(fate: object, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed, whatever happened to it."""

    def work(item: int) -> int:
        if item == 3:
            fate(item)  # type: ignore[operator]
        return item

    with pytest.raises(WorkersLostError):
        list(Copies(2).map(work, range(6)))
    assert capfd.readouterr() == ("", "")


def test_arrays_are_not_copied_again() -> None:
    """They lie where the copy left them, as numpy's own do, and stay there as long as they are wanted."""

    def work(number: int) -> dict[str, Any]:
        few, none = np.full(3, number, np.int8), np.zeros((0, 2))
        return {"few": few, "none": none, "many": np.arange(number, 200_000), "part": np.arange(20)[::3]}

    results = list(Copies(2).map(work, range(5)))
    for number, result in enumerate(results):
        assert result["few"].tolist() == [number] * 3
        assert result["none"].shape == (0, 2)
        assert result["many"].tolist() == list(range(number, 200_000))
        assert result["part"].tolist() == list(range(0, 20, 3))
        assert not result["many"].flags.owndata and result["many"].ctypes.data % ALIGNED == 0
        result["many"].sort()  # it may be changed


def blocks_of(file: MemoryFile) -> int:
    """Megabytes that a file takes."""
    return os.fstat(file.number).st_blocks >> 11


def test_memory_of_results_that_nobody_wants_is_given_back() -> None:
    """As soon as that is so, though the copies still leave others."""
    file = MemoryFile()
    results = [file.read(file.write(np.ones(1 << 20))) for _ in range(3)]
    held = []
    while results:
        held.append(blocks_of(file))
        results.pop()
    assert held == [24, 16, 8]
    assert blocks_of(file) == 0
    file.close()


@pytest.mark.filterwarnings("error")
def test_a_system_that_takes_no_part_of_a_file_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of it."""
    monkeypatch.setattr(mmap, "MADV_REMOVE", -1)
    file = MemoryFile()
    assert file.read(file.write(np.ones(1 << 20))).sum() == 1 << 20
    assert blocks_of(file) == 8
    file.close()


def test_a_small_array_keeps_no_large_one() -> None:
    file = MemoryFile()
    large, small = file.read(file.write((np.ones(1 << 20), np.ones(3))))
    assert blocks_of(file) == 8 and large.sum() == 1 << 20
    del large
    assert blocks_of(file) == 0 and small.sum() == 3
    file.close()


def test_a_copy_takes_away_nothing() -> None:
    """Though it has what was there when it was made, and may give it up."""
    file = MemoryFile()
    results = [file.read(file.write(np.ones(1 << 20)))]

    def give_up(_: int) -> None:
        results.clear()
        gc.collect()

    list(Copies(1).map(give_up, [0]))
    assert blocks_of(file) == 8 and results[0].sum() == 1 << 20
    file.close()


def test_many_results_need_few_files() -> None:
    """Small ones none, and of large ones only some are mapped; the others are copied."""
    before = len(open_files())
    for size in (10, 1 << 17):
        results = list(Copies(1).map(lambda number, size=size: np.full(size, number), range(100)))
        assert len(open_files()) - before == (64 if size > 10 else 0)
        for number, result in enumerate(results):
            assert len(result) == size and (result == number).all()
        results.clear()


def test_a_python_that_knows_no_files_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was made for an older system."""
    monkeypatch.delattr(os, "memfd_create")
    assert list(Copies(2).map(str, range(3))) == ["0", "1", "2"]


def test_a_system_that_knows_no_files_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        prctl = staticmethod(lambda *_: 0)

    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library())
    with pytest.raises(WorkersLostError, match="no files in memory"):
        list(Copies(2).map(str, range(3)))


@pytest.mark.parametrize("call", ["fork", "pipe", "memfd_create"])
@pytest.mark.parametrize("granted", [0, 1])
def test_what_the_system_does_not_grant(call: str, granted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    true_call = getattr(os, call)
    calls = []

    def limited(*arguments: object) -> object:
        calls.append(1)
        if len(calls) > granted:
            raise OSError(errno.EAGAIN, "no more")
        return true_call(*arguments)

    monkeypatch.setattr(os, call, limited)
    with pytest.raises(WorkersLostError, match="no more"):
        list(Copies(2).map(str, range(4)))


def test_signals_end_a_copy_at_once() -> None:
    """It has nothing to clean up, and what the program does then is none of its business."""
    handled = []
    before = signal.signal(signal.SIGTERM, lambda *_: handled.append(1))
    try:
        with pytest.raises(WorkersLostError, match=f"status {signal.SIGTERM:d}"):
            list(Copies(1).map(lambda _: os.kill(os.getpid(), signal.SIGTERM), range(2)))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not handled


def test_ignored_signals_stay_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert list(Copies(1).map(lambda _: os.kill(os.getpid(), signal.SIGHUP), range(2))) == [None, None]
    finally:
        signal.signal(signal.SIGHUP, before)


def test_copies_end_with_the_process_that_made_them() -> None:
    """However it ends."""
    back, to = os.pipe()
    parent = os.fork()
    if parent == 0:
        os.close(back)
        list(Copies(2).map(_say_so_and_wait, [to, to]))
        os._exit(0)
    os.close(to)
    assert os.read(back, 1) + os.read(back, 1) == b"xx"
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    start = time.monotonic()
    assert os.read(back, 1) == b""  # nobody has the other end any more
    assert time.monotonic() - start < 5
    os.close(back)


def _say_so_and_wait(to: int) -> None:
    os.write(to, b"x")
    time.sleep(60)


def test_where_processes_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets children of such a process
    try:
        assert not can_copy()
    finally:
        signal.signal(signal.SIGCHLD, before)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not can_copy()
