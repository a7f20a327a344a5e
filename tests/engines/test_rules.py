"""Rules of engines: how many processors, how much memory, how many pieces, which thread does what."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pres_eval.engines import copies, machine, memory, threads
from pres_eval.engines.copies import by_copies, can_copy
from pres_eval.engines.engine import (
    LEAST_SPLIT,
    MOST_SPLIT,
    Shared,
    ThisProcess,
    WorkersLostError,
    check_room,
    outcome_of,
    report_slower_way,
    result_in,
    split_size,
)
from pres_eval.engines.machine import ending_signals, memory_of_machine, num_processors
from pres_eval.engines.processes import Processes
from pres_eval.engines.threads import by_threads, in_order
from pres_eval.options import Options
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs
from pres_eval.reading.judgements.relevance import read_relevance


class TestMachine:
    """Whatever the system tells of itself."""

    @pytest.mark.parametrize(
        ("text", "number"),
        [
            ("max 100000", 6),
            ("400000 100000", 4),
            ("410000 100000", 5),
            ("390000 100000", 4),
            ("50000 100000", 1),
            ("0 100000", 1),
            ("900000 100000", 6),
            ("400000", 6),
            ("", 6),
        ],
    )
    def test_processors_of_a_container(
        self, text: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It may use six, of eight that there are, and gets the time of some."""
        (tmp_path / "limit").write_text(text)
        monkeypatch.setattr(machine, "CPU_LIMIT_FILE", str(tmp_path / "limit"))
        monkeypatch.setattr(os, "cpu_count", lambda: 8)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
        assert num_processors() == number

    @pytest.mark.parametrize(
        ("texts", "expected"),
        [
            (("max", "max"), 8000),
            (("5000", "max"), 5000),
            (("max", "7000"), 7000),
            (("7000", "5000"), 5000),
            (("5000", "7000"), 5000),
            (("9000", "9999"), 8000),
        ],
    )
    def test_memory_of_a_container(
        self, texts: tuple[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The least of all limits: a machine of 8,000 bytes, and those of cgroups."""
        paths = [tmp_path / "second", tmp_path / "first"]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text + "\n")
        monkeypatch.setattr(machine, "MEMORY_LIMIT_FILES", tuple(map(str, paths)))
        monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 10, "SC_PHYS_PAGES": 800}.__getitem__)
        assert memory_of_machine() == expected

    def test_nothing_is_known_of_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(_: str) -> int:
            raise ValueError

        monkeypatch.setattr(machine, "MEMORY_LIMIT_FILES", ())
        monkeypatch.setattr(os, "sysconf", unknown)
        assert memory_of_machine() == sys.maxsize

    def test_signals_of_the_system(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(machine, "SIGNALS", ("SIGINT", "SIGNOWHERE", "SIGTERM"))
        assert ending_signals() == [signal.SIGINT, signal.SIGTERM]


class TestPieces:
    """How large they are, and what has room."""

    @pytest.mark.parametrize(
        ("total", "workers", "expected"),
        [
            (0, 1, LEAST_SPLIT),
            (4 * LEAST_SPLIT, 1, LEAST_SPLIT),
            (4 * LEAST_SPLIT + 4, 1, LEAST_SPLIT + 1),
            (12 * LEAST_SPLIT + 12, 3, LEAST_SPLIT + 1),
            (12 * MOST_SPLIT - 12, 3, MOST_SPLIT - 1),
            (12 * MOST_SPLIT + 12, 3, MOST_SPLIT),
            (4 * LEAST_SPLIT + 4, 0, LEAST_SPLIT + 1),
        ],
    )
    def test_four_for_each_worker(self, total: int, workers: int, expected: int) -> None:
        assert split_size(total, workers) == expected
        if workers:
            assert Processes(workers).split_size(total) == expected
        assert ThisProcess(2).split_size(total) is None  # type: ignore[func-returns-value]
        assert copies.Copies(2).split_size(total) == 8 << 20

    def test_six_bytes_for_each(self) -> None:
        check_room("it", 100, 600)
        check_room("it", 100, None)
        with pytest.raises(WorkersLostError) as raised:
            check_room("it", 1000, 5999)
        assert str(raised.value) == (
            "it: 1,000 bytes are too large for workers with 5,999 bytes of memory, expected at least 6,000;"
            " give workers more memory, take fewer of them on each machine, or split the judgements by topic"
            " and evaluate the parts"
        )

    def test_workers_share_the_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pres_eval.engines.processes.memory_of_machine", lambda: 100_000)
        with pytest.raises(WorkersLostError, match="with 33,333 bytes of memory"):
            Processes(3).share(b"x" * 6000, "it")
        assert Processes(2).share(b"x" * 6000, "it").value == b"x" * 6000

    def test_judgements_need_room(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pres_eval.engines.processes.memory_of_machine", lambda: 2_000)
        path = tmp_path / "qrels"
        path.write_text("".join(f"1 0 d{number} 1\n" for number in range(500)))
        ranker = RunRanker.for_judgements(read_relevance(str(path)), Options())
        with pytest.raises(WorkersLostError, match=r"^judgements: .* with 1,000 bytes of memory"):
            Runs(ranker, Processes(2))

    @pytest.mark.parametrize(("wanted", "said"), [("", ""), ("say", "it"), ("1", "it")])
    def test_a_slower_way(
        self, wanted: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("PRES_EVAL_FALLBACK", wanted)
        report_slower_way("it")
        assert capfd.readouterr().err == (f"pres-eval: slower: {said}\n" if said else "")
        monkeypatch.setenv("PRES_EVAL_FALLBACK", "fail")
        with pytest.raises(WorkersLostError, match=r"^fell back unasked: it$"):
            report_slower_way("it")

    def test_answers(self) -> None:
        assert result_in(outcome_of(lambda a, b: a + b, 1, 2)) == 3
        answer = outcome_of({}.__getitem__, 1)
        assert not answer[0]
        with pytest.raises(KeyError):
            result_in(answer)
        with pytest.raises(KeyboardInterrupt):  # that is no answer
            outcome_of(_interrupt)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _thread(_: Any) -> int:
    return threading.get_ident()


class TestThreads:
    """Which of them does what, and how far ahead."""

    def test_one_needs_none(self) -> None:
        assert set(in_order(_thread, range(5), 1)) == {threading.get_ident()}
        assert set(ThisProcess(1).map(_thread, range(5))) == {threading.get_ident()}
        assert set(ThisProcess(4).map(_thread, [1])) == {threading.get_ident()}
        assert list(ThisProcess(4).map(_thread, [])) == []

    def test_as_many_as_there_are_processors(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(threads, "num_processors", lambda: 1)
        assert set(by_threads(None)(_thread, 5)) == {threading.get_ident()}
        monkeypatch.setattr("pres_eval.engines.engine.num_processors", lambda: 7)
        assert (ThisProcess().workers, ThisProcess().threads, ThisProcess(3).workers) == (7, 7, 3)
        monkeypatch.setattr(threads, "num_processors", lambda: 2)
        assert threading.get_ident() not in set(by_threads(None)(_thread, 5))

    @pytest.mark.parametrize("unthreaded", [0, 1, 3])
    def test_the_first_calls_are_made_here(self, unthreaded: int) -> None:
        found = list(in_order(_thread, range(6), 2, unthreaded))
        here = threading.get_ident()
        assert [thread == here for thread in found] == [True] * unthreaded + [False] * (6 - unthreaded)

    @pytest.mark.parametrize(("jobs", "ahead", "begun"), [(2, 1, 3), (2, 0, 2), (3, 4, 7)])
    def test_no_more_is_begun_than_fits(self, jobs: int, ahead: int, begun: int) -> None:
        taken: list[int] = []

        def arguments() -> Iterator[int]:
            for number in range(20):
                taken.append(number)
                yield number

        results = in_order(str, arguments(), jobs, ahead=ahead)
        assert next(results) == "0" and len(taken) == begun
        assert next(results) == "1" and len(taken) == begun + 1
        assert list(results) == [str(number) for number in range(2, 20)]

    def test_as_many_as_are_needed(self) -> None:
        """One for each call, and none more than there are jobs; they end with the results."""
        before = threading.active_count()
        barrier = threading.Barrier(3, timeout=20)

        def together(number: int) -> int:
            barrier.wait()
            return number

        assert list(in_order(together, range(6), 3)) == list(range(6))
        _until(lambda: threading.active_count() <= before)
        made: set[str] = set()
        for name in in_order(lambda _: threading.current_thread().name, range(40), 3):
            made.add(name)
        assert len(made) <= 3
        _until(lambda: threading.active_count() <= before)

    def test_they_end_where_nobody_wants_the_rest(self) -> None:
        before = threading.active_count()
        done: list[int] = []
        results = in_order(done.append, range(50), 2, ahead=10)
        next(results)
        results.close()  # type: ignore[attr-defined]
        _until(lambda: threading.active_count() <= before)
        assert len(done) <= 13

    def test_they_keep_nobody_waiting_at_the_end(self) -> None:
        assert all(in_order(lambda _: threading.current_thread().daemon, range(3), 2))

    def test_arguments_that_fail_after_results(self) -> None:
        """What was begun comes first, with an error of its own before that of the arguments."""

        def arguments(wrong: int) -> Iterator[int]:
            yield from (1, 2, wrong)
            raise OSError("no more")

        results = in_order(lambda number: 6 // number, arguments(3), 4)
        assert [next(results) for _ in range(3)] == [6, 3, 2]
        with pytest.raises(OSError, match="no more"):
            next(results)
        results = in_order(lambda number: 6 // number, arguments(0), 4)
        assert [next(results) for _ in range(2)] == [6, 3]
        with pytest.raises(ZeroDivisionError):
            next(results)

    @pytest.mark.parametrize("error", [RuntimeError, MemoryError])
    @pytest.mark.parametrize("granted", [0, 1])
    def test_the_system_grants_few(
        self, error: type[Exception], granted: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        start, started = threading.Thread.start, [0]

        def refuse(thread: threading.Thread) -> None:
            if started[0] == granted:
                raise error("can't start new thread")
            started[0] += 1
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", refuse)
        found = list(in_order(lambda number: (number, threading.get_ident()), range(6), 3))
        assert [number for number, _ in found] == list(range(6))
        assert (threading.get_ident() in {thread for _, thread in found}) is (granted == 0)
        assert len({thread for _, thread in found}) == 1

    def test_no_more_runs_are_read_than_there_are_threads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each may be large."""
        asked: list[tuple[int, int]] = []

        def note(work: Any, items: list[int], jobs: int, ahead: int) -> Iterator[int]:
            asked.append((jobs, ahead))
            return map(work, items)

        monkeypatch.setattr("pres_eval.engines.engine.in_order", note)
        for count in (0, 1, 2, 9):
            assert list(ThisProcess(3).map(int, range(count))) == list(range(count))
        assert asked == [(1, 0), (1, 0), (2, 0), (3, 0)]

    def test_shared_values_come_after_the_item(self) -> None:
        shared = [Shared("b"), Shared("c")]
        assert list(ThisProcess(2).map(lambda *all_of: "".join(all_of), ["a", "d"], *shared)) == [
            "abc",
            "dbc",
        ]


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(2000):
        if is_so():
            return
        threading.Event().wait(0.005)
    assert is_so()


@pytest.mark.skipif(not can_copy(), reason="processes are not copied here")
class TestCopies:
    """How many there are, and how many steps are a message."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[list[int]], int]]:
        """The messages and the number of copies; a step takes 4 ms by a clock that is made."""
        found: list[tuple[list[list[int]], int]] = []

        def note(work: Callable[[Any], Any], items: Any, jobs: int) -> Iterator[Any]:
            found.append(([list(numbers) for numbers in items], jobs))
            return map(work, items)

        times = iter([0.0, 0.004] * 100)
        monkeypatch.setattr("pres_eval.engines.copies.time.perf_counter", lambda: next(times))
        monkeypatch.setattr(copies, "spread", note)
        monkeypatch.setattr(copies, "_copies_in_memory", lambda: 9)
        monkeypatch.setattr(copies, "num_processors", lambda: 5)
        return found

    @pytest.mark.parametrize(
        ("count", "jobs", "copies_made", "steps"),
        [
            (26, 4, 0, 0),  # 25 steps of 4 ms are a tenth of a second, and worth no copy
            (27, 4, 4, 2),
            (100, 4, 4, 3),
            (100, 2, 2, 3),
            (100, None, 5, 3),
            (100, 40, 9, 3),
            (40, 9, 9, 2),
            (100, 1, 0, 0),
        ],
    )
    def test_work_is_worth_copies(
        self,
        count: int,
        jobs: int | None,
        copies_made: int,
        steps: int,
        asked: list[tuple[list[list[int]], int]],
    ) -> None:
        assert list(by_copies(lambda number: number, count, jobs)) == list(range(count))
        if not copies_made:
            assert not asked
            return
        ((messages, found),) = asked
        assert found == copies_made and max(map(len, messages)) == len(messages[0]) == steps
        assert [number for message in messages for number in message] == list(range(1, count))

    def test_most_of_them(
        self, asked: list[tuple[list[list[int]], int]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(copies, "_copies_in_memory", lambda: 99)
        list(by_copies(lambda number: number, 100, 40))
        list(by_copies(lambda number: number, 30, 12))
        assert [jobs for _, jobs in asked] == [16, 12]

    def test_each_may_need_as_much_as_this_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import resource

        class Usage:
            ru_maxrss = 1000

        monkeypatch.setattr(resource, "getrusage", lambda _: Usage)
        for size, number in ((5 * 1024_000, 4), (5 * 1024_000 - 1, 3), (1024_000, 0)):
            monkeypatch.setattr(copies, "memory_of_machine", lambda size=size: size)
            assert copies._copies_in_memory() == number
        monkeypatch.setattr(copies, "can_copy", lambda: False)
        assert copies._copies_in_memory() == 1

    def test_no_more_than_there_is_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fork, made = os.fork, list[int]()

        def noted() -> int:
            made.append(0)
            return fork()

        monkeypatch.setattr(os, "fork", noted)
        assert list(copies.spread(str, range(3), 7)) == ["0", "1", "2"]
        assert len(made) == 3
        assert list(copies.Copies(7).map(str, [5])) == ["5"] and len(made) == 3
        assert (copies.Copies(7).workers, copies.Copies(7).threads) == (7, 7)

    def test_the_system_grants_two_of_three(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        fork, made = os.fork, list[int]()

        def twice() -> int:
            if len(made) == 2:
                raise OSError(11, "no more")
            made.append(0)
            return fork()

        monkeypatch.setattr(os, "fork", twice)
        monkeypatch.setenv("PRES_EVAL_FALLBACK", "say")
        assert list(copies.spread(str, range(9), 3)) == [str(number) for number in range(9)]
        said = capfd.readouterr().err
        assert said == "pres-eval: slower: 2 copies of the process ([Errno 11] no more)\n"


def test_memory_is_kept_once_where_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(memory, "_c_library", lambda *call: calls.append(call))
    monkeypatch.setattr(memory, "_is_allowed", False)
    memory.keep_freed_memory()
    assert not calls
    memory.allow_keeping_memory()
    memory.keep_freed_memory()
    memory.keep_freed_memory()
    assert calls == [
        ("mallopt", -8, 1),
        ("mallopt", -3, 32 << 20),
        ("mallopt", -2, 16 << 20),
        ("mallopt", -1, 1 << 30),
    ]
