"""Loops whose steps copies of this process share: the same results in order, and nothing is left of them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from pres_eval.cli import progress
from pres_eval.engines import copies
from pres_eval.engines.copies import by_copies, can_copy
from pres_eval.engines.threads import Loop, by_threads, in_turn
from pres_eval.errors import InputError

COPIED = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies are worth it, however short the work."""
    monkeypatch.setattr(copies, "LEAST_SECONDS", 0)


@pytest.mark.parametrize("loop", [in_turn, by_threads(3), lambda work, count: by_copies(work, count, 2)])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 100])
def test_results_are_in_order(loop: Loop, count: int, always: None) -> None:
    seen = [5]
    assert list(loop(lambda number: (number, seen[0]), count)) == [(number, 5) for number in range(count)]


@pytest.mark.parametrize("loop", [in_turn, by_threads(3)])
@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_an_error_comes_after_the_results_before_it(loop: Loop, error: type[BaseException]) -> None:
    def work(number: int) -> int:
        if number == 3:
            raise error
        return number

    results = loop(work, 6)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(error):
        next(results)


@COPIED
@pytest.mark.parametrize("jobs", [2, 3])
def test_the_first_step_is_done_here_and_the_others_by_copies(jobs: int, always: None) -> None:
    def process(_: int) -> int:
        time.sleep(0.02)
        return os.getpid()

    first, *others = by_copies(process, 20, jobs)
    assert first == os.getpid()
    assert len(set(others)) == jobs
    assert first not in others
    for copy in others:
        with pytest.raises(ProcessLookupError):
            os.kill(copy, 0)


@pytest.mark.parametrize(("jobs", "seconds"), [(1, 0.02), (None, 0)], ids=["one job", "short work"])
def test_without_copies(jobs: int | None, seconds: float) -> None:
    def process(_: int) -> tuple[int, int]:
        time.sleep(seconds)
        return os.getpid(), threading.get_ident()

    assert set(by_copies(process, 8, jobs)) == {(os.getpid(), threading.get_ident())}


@COPIED
def test_copies_need_room(always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "memory_of_machine", lambda: 1 << 20)
    assert set(by_copies(lambda _: os.getpid(), 8, 4)) == {os.getpid()}


def test_a_fault_is_raised_where_its_result_would_be(always: None) -> None:
    def fails(number: int) -> int:
        if number == 5:
            raise InputError("run.txt", 7, "nothing", "a number")
        return number

    found = by_copies(fails, 9, 2)
    assert [next(found) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match=r"run.txt:7: nothing, expected a number"):
        next(found)


@pytest.mark.parametrize(("path", "most"), [("run.txt", 4), ("s3://bucket/run.txt", 1)])
def test_copies_read_no_addresses(path: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What opens these has threads, which copies lack."""
    asked = []

    def noted(work: Callable[[int], int], count: int, jobs: int | None) -> Iterator[int]:
        asked.append(jobs)
        return in_turn(work, count)

    monkeypatch.setattr(copies, "by_copies", noted)
    assert list(progress.loop_with_bar("reading", 4, True, [path])(lambda number: number, 3)) == [0, 1, 2]
    assert asked == [most]
