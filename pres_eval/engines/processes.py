"""Processes of this machine that are started anew, for libraries and for any system.

A thread for each process gives it work and waits for the answer.  A process that dies is replaced, and its
item is begun again.  Processes end with the one that started them, however that ends.

`concurrent.futures` would import what it starts from the current folder, where files beside the data could
take the place of modules, and would run the user's own script once more in each process.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Generator, Iterable
from functools import partial
from itertools import count
from typing import Any

from pres_eval.engines.engine import (
    ATTEMPTS,
    ITEMS_UNDER_WAY,
    WORKERS_DIED,
    Result,
    Shared,
    Work,
    WorkersLostError,
    check_room,
    result_in,
    split_size,
)
from pres_eval.engines.machine import memory_of_machine
from pres_eval.engines.threads import in_order
from pres_eval.engines.worker import WorkerProcess


class Processes:
    """Some processes on this machine, started when there is work and kept until `close`."""

    threads = 1

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._values: dict[int, bytes] = {}
        """The shared values by their numbers, pickled."""
        self._value_numbers = count()
        self._idle: list[WorkerProcess] = []
        self._busy: list[WorkerProcess] = []
        self._changed = threading.Condition()
        """Held by whoever changes these lists."""
        self._stopped = threading.Event()
        """Set when nobody wants the results of the last `map` any more."""

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def numbers(self) -> list[int]:
        """Return the numbers that the system gives to the processes."""
        return [worker.number for worker in (*self._idle, *self._busy)]

    def split_size(self, total: int) -> int:
        """Return how many bytes of files with `total` bytes are one piece of work."""
        return split_size(total, self.workers)

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value for the workers.  Raises WorkersLostError if it is too large for them."""
        text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        check_room(what, len(text), memory_of_machine() // self.workers)
        number = next(self._value_numbers)
        self._values[number] = text
        return _NumberedValue(number, self._values, value)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield work(item, *what was shared) for each item, in order."""
        numbers = tuple(value.number for value in shared if isinstance(value, _NumberedValue))
        all_items = list(items)
        self._start(min(self.workers, len(all_items)))
        self._stopped = threading.Event()
        work_on = partial(self._result, work, numbers, self._stopped)
        try:
            yield from in_order(work_on, all_items, self.workers, ahead=(ITEMS_UNDER_WAY - 1) * self.workers)
        finally:
            self._stop()

    def close(self) -> None:
        """End the processes, whatever they do."""
        self._stop()
        while self._idle:
            self._idle.pop().end()

    def _start(self, number: int) -> None:
        """Start processes up to this number.  Raises WorkersLostError."""
        try:
            while len(self._idle) < number:
                self._idle.append(WorkerProcess())
        except OSError as error:
            raise WorkersLostError(f"a process cannot be started ({error})") from None

    def _result(self, work: Work[Any], numbers: tuple[int, ...], stopped: threading.Event, item: Any) -> Any:
        """Return the result of the work for an item, which a process does; several threads call this.

        Raises the error of the work, and WorkersLostError if ATTEMPTS processes died of it.
        """
        task = pickle.dumps((work, item), pickle.HIGHEST_PROTOCOL)
        for _ in range(ATTEMPTS):
            worker = self._next_worker(stopped)
            answer = None
            try:
                answer = worker.answer(task, numbers, self._values)
            except (EOFError, OSError):
                continue
            finally:
                self._release(worker, is_alive=answer is not None)
            return result_in(answer)
        raise WorkersLostError(WORKERS_DIED)

    def _next_worker(self, stopped: threading.Event) -> WorkerProcess:
        """Return a process that does nothing, or a new one in place of one that died."""
        with self._changed:
            if stopped.is_set():
                raise WorkersLostError("the work was called off")
            try:
                worker = self._idle.pop() if self._idle else WorkerProcess()
            except OSError as error:
                raise WorkersLostError(f"a worker process died and cannot be replaced ({error})") from None
            self._busy.append(worker)
            return worker

    def _release(self, worker: WorkerProcess, is_alive: bool) -> None:
        """Let other threads give work to a process; end it if it has died."""
        with self._changed:
            self._busy.remove(worker)
            if is_alive:
                self._idle.append(worker)
            else:
                worker.end()
            self._changed.notify_all()

    def _stop(self) -> None:
        """Kill the processes that work for nobody any more, and wait until their threads have seen that."""
        self._stopped.set()
        with self._changed:
            for worker in self._busy:
                worker.kill()
            while self._busy:
                self._changed.wait()


class _NumberedValue(Shared):
    """A value that workers know by its number."""

    def __init__(self, number: int, values: dict[int, bytes], value: Any) -> None:
        super().__init__(value)
        self.number = number
        self._values = values

    def close(self) -> None:
        """Let the workers forget it."""
        self._values.pop(self.number, None)
