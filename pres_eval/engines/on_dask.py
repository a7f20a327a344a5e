"""Workers of Dask (extra `cluster`): the scheduler is somebody else's, and may be on another machine."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any, cast

from pres_eval.engines.engine import Result, Shared, Work, WorkersLostError, check_room, split_size
from pres_eval.errors import MissingExtraError, PresEvalError
from pres_eval.reading.memory import freed_memory_kept
from pres_eval.version import __version__

AHEAD = 4
"""Pieces of work for each thread of the workers that may wait for an earlier one."""

ATTEMPTS = 3
"""How often what was sent to all workers is sent again, when all that had it are gone."""

CONNECT_SECONDS, WORKER_SECONDS = 15, 600
"""How long a scheduler, and its first worker, are waited for."""


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at this address (or in this scheduler file), closed after the block.

    Raises PresEvalError if there is no scheduler.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError(f"{address}: working on a Dask cluster", "distributed", "cluster") from None
    try:
        if address.endswith(".json"):
            # Dask itself would wait for the file for ever.
            os.stat(address)  # noqa: PTH116
            client = cast(Any, Client)(scheduler_file=address, timeout=CONNECT_SECONDS, set_as_default=False)
        else:
            client = cast(Any, Client)(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise PresEvalError(f"{address}: no Dask scheduler answers: {_in_short(error)}") from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


class OnDask:
    """The workers of a Dask client (`distributed.Client`), which stays open."""

    threads = 1

    def __init__(self, client: Any) -> None:
        self._client = client
        self._address = str(getattr(client.scheduler, "address", "the scheduler"))
        self._check_versions()

    @property
    def workers(self) -> int:
        """How many threads all workers have; at least 1, they may come later."""
        with self._told():
            threads: dict[str, int] = self._client.nthreads()
        return max(sum(threads.values()), 1)

    def split_size(self, total: int) -> int:
        """Return how many bytes of files with `total` bytes are one piece of work."""
        return split_size(total, self.workers)

    def share(self, value: Any, what: str) -> Shared:
        """Send a value to all workers; raises WorkersLostError if it is too large for one of them."""
        check_room(what, len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL)), self._least_memory())
        shared = _Scattered(self._client, value)
        with self._told():
            shared.send()
        return shared

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """work(item, *what was shared) for each item, in order."""
        values = [each for each in shared if isinstance(each, _Scattered)]
        waiting: deque[tuple[Any, Any]] = deque()
        remaining = iter(items)
        most = AHEAD * self.workers
        attempts = ATTEMPTS
        try:
            while True:
                with self._told():
                    for item in remaining:
                        waiting.append((item, self._submit(work, item, values)))
                        if len(waiting) >= most:
                            break
                if not waiting:
                    return
                with self._told():
                    result, is_lost = self._result(waiting[0][1])
                if is_lost:
                    attempts -= 1
                    if not attempts:
                        raise WorkersLostError(f"{self._address}: workers are lost again and again")
                    self._again(work, waiting, values)
                    continue
                waiting.popleft()
                yield cast(Result, result)
        finally:
            with contextlib.suppress(Exception):
                self._client.cancel([future for _, future in waiting])

    def _submit(self, work: Work[Any], item: Any, values: list[_Scattered]) -> Any:
        return self._client.submit(at_work, work, item, *(each.future for each in values), pure=False)

    def _result(self, future: Any) -> tuple[Any, bool]:
        """The result, or that what it needs was lost with the workers that had it."""
        from distributed import CancelledError

        try:
            return future.result(), False
        except CancelledError:
            if self._client.status != "running":
                raise
            return None, True

    def _again(self, work: Work[Any], waiting: deque[tuple[Any, Any]], values: list[_Scattered]) -> None:
        """Send everything anew, and begin again what is waited for."""
        with self._told():
            for each in values:
                each.send()
            for place, (item, _) in enumerate(waiting):
                waiting[place] = item, self._submit(work, item, values)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong with the cluster as one error."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            yield
        except KilledWorker as error:
            raise WorkersLostError(
                f"{self._address}: workers died {error.allowed_failures + 1} times of the same piece of work"
                " (did their memory run out?)"
            ) from None
        except (CancelledError, CommClosedError, OSError, RuntimeError) as error:
            # Dask may notice a little later than we do that nobody answers.
            is_gone = isinstance(error, CommClosedError) or self._client.status != "running"
            told = f"the scheduler is gone: {_in_short(error)}" if is_gone else _in_short(error)
            raise WorkersLostError(f"{self._address}: {told}") from None

    def _least_memory(self) -> int | None:
        with self._told():
            workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [worker.get("memory_limit") for worker in workers]
        return min((limit for limit in limits if limit), default=None)

    def _check_versions(self) -> None:
        """Raise PresEvalError if a worker has another version than this one, or none."""
        from distributed import TimeoutError as TooLateError

        with self._told():
            try:
                self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
            except TooLateError:
                raise WorkersLostError(
                    f"{self._address}: no worker came in {WORKER_SECONDS} seconds"
                ) from None
            found = self._client.run(version, on_error="return")
        for worker, answer in found.items():
            if answer != __version__:
                there = answer if isinstance(answer, str) else f"none ({_in_short(answer)})"
                raise PresEvalError(
                    f"{worker}: this worker has version {there} of pres-eval, expected {__version__}"
                )


class _Scattered(Shared):
    """A value on all workers."""

    def __init__(self, client: Any, value: Any) -> None:
        self._client = client
        self._value = value
        self.future: Any = None

    def send(self) -> None:
        """Send it, for the first time or again."""
        self.future = self._client.scatter([self._value], broadcast=True, hash=False)[0]

    def release(self) -> None:
        """Nobody wants it any more."""
        with contextlib.suppress(Exception):
            self.future.release()


def at_work(work: Work[Result], item: Any, *shared: Any) -> Result:
    """Do a piece of work in a process of Dask's."""
    with freed_memory_kept():
        return work(item, *shared)


def version() -> str:
    """The version of this package."""
    return __version__


def _in_short(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
