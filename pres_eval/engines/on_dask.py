"""Workers of Dask (extra `cluster`): the scheduler is somebody else's, and may be on another machine."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, cast

from pres_eval import __version__
from pres_eval.engines.connecting import REPORTED_AFTER, NoAnswerError, Patience
from pres_eval.engines.engine import Result, Shared, Work, WorkersLostError, check_room, split_size
from pres_eval.engines.memory import freed_memory_kept
from pres_eval.errors import InputError, PresEvalError, extra_module, quoted, readable

Answer = TypeVar("Answer")

ITEMS_PER_THREAD = 4
"""Pieces of work for each thread of the workers that may be under way, or wait for an earlier one."""

SHARING_ATTEMPTS = 3
"""Number of times that shared values are sent, and questions asked, when workers die meanwhile."""

SHARING = "all workers to have what they share"

SLOWEST_BYTES_A_SECOND = 1 << 20
"""Bytes a second that workers receive at least; a slower worker counts as hanging."""

LONGEST_FILE_BYTES = 1 << 20
"""Bytes of a scheduler file that are read."""


class SchedulerLostError(WorkersLostError):
    """The scheduler is gone, not only a worker."""


@contextlib.contextmanager
def connected(address: str, patience: Patience) -> Iterator[Any]:
    """Give a client of the scheduler at this address (or in this scheduler file), closed after the block.

    Raises InputError for a file that is none of a scheduler, PresEvalError if no scheduler answers.
    """
    distributed = extra_module("distributed", f"{address}: working on a Dask cluster", "cluster")
    scheduler, name = address, address
    if address.endswith(".json"):
        scheduler = _address_in(address)
        name = f"{address}: {scheduler}"
    try:
        client = patience.wait(
            f"the Dask scheduler at {name}",
            lambda: distributed.Client(scheduler, timeout=patience.left(), set_as_default=False),
        )
    except NoAnswerError:
        raise PresEvalError(
            f"{name}: no Dask scheduler answers: something takes the connection, and does not speak as Dask"
            f" does for {patience.seconds:g} seconds"
        ) from None
    except Exception as error:  # another program there may answer anything
        reason = f"nobody in {patience.seconds:g} seconds"
        if str(error):
            reason = _in_short(error)
        cause = ""
        if error.__cause__ is not None and str(error.__cause__):
            cause = f" ({_in_short(error.__cause__)})"
        raise PresEvalError(
            f"{name}: no Dask scheduler answers: {reason}{cause};"
            " is one running there? start it:  dask scheduler"
        ) from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


def _address_in(path: str) -> str:
    """Return the address in a scheduler file.  Raises InputError for another file."""
    expected = "a file that dask scheduler --scheduler-file has written"
    try:
        with readable(path), open(path, "rb") as file:  # noqa: PTH123
            text = file.read(LONGEST_FILE_BYTES)
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, getattr(error, "lineno", None), "this is no JSON", expected) from None
    address = None
    if isinstance(description, dict):
        address = description.get("address")
    if not isinstance(address, str) or "://" not in address:
        raise InputError(path, None, f"address {quoted(str(address))}", expected)
    return address


class OnDask:
    """The workers of a Dask client (`distributed.Client`), which stays open."""

    threads = 1

    def __init__(self, client: Any, patience: Patience | None = None) -> None:
        self._client = client
        self._patience = patience or Patience()
        self._address = str(getattr(client.scheduler, "address", "the scheduler"))
        self._have_worker()
        self._check_versions()

    @property
    def workers(self) -> int:
        """Count the threads of all workers; at least 1, they may come later."""
        threads: dict[str, int] = self._answer(self._client.nthreads)
        return max(sum(threads.values()), 1)

    def split_size(self, total: int) -> int:
        """Return how many bytes of files with `total` bytes are one piece of work."""
        return split_size(total, self.workers)

    def share(self, value: Any, what: str) -> Shared:
        """Send a value to all workers; raises WorkersLostError if it is too large for one of them."""
        num_bytes = len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        limits = [worker.get("memory_limit") for worker in self._known_workers()]
        check_room(what, num_bytes, min((limit for limit in limits if limit), default=None))
        shared = _Scattered(self._client, value, num_bytes)
        self._send(shared)
        return shared

    def _send(self, shared: _Scattered) -> None:
        """Send a shared value to all workers, for the first time or again."""
        self._answer(shared.send, SHARING, shared.num_bytes / SLOWEST_BYTES_A_SECOND)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield work(item, *what was shared) for each item, in order."""
        values = [value for value in shared if isinstance(value, _Scattered)]
        waiting: deque[tuple[Any, Any]] = deque()
        remaining = iter(items)
        most_waiting = ITEMS_PER_THREAD * self.workers
        attempts = SHARING_ATTEMPTS
        try:
            with self._our_errors():
                while True:
                    for item in islice(remaining, most_waiting - len(waiting)):
                        waiting.append((item, self._submit(work, item, values)))
                    if not waiting:
                        return
                    _, future = waiting[0]
                    result, is_lost = self._result(future)
                    if not is_lost:
                        waiting.popleft()
                        yield cast(Result, result)
                        continue
                    attempts -= 1
                    if not attempts:
                        raise WorkersLostError(
                            f"{self._address}: workers died {SHARING_ATTEMPTS} times; give them more memory"
                        )
                    self._begin_again(work, waiting, values)
        finally:
            with contextlib.suppress(Exception):
                self._client.cancel([future for _, future in waiting])

    def _submit(self, work: Work[Any], item: Any, values: list[_Scattered]) -> Any:
        """Return Dask's future of the work for an item."""
        shared = [value.future for value in values]
        return self._client.submit(at_work, work, item, *shared, pure=False)

    def _result(self, future: Any) -> tuple[Any, bool]:
        """Return the result, and False; or None and True if its inputs were lost with the workers."""
        from distributed import CancelledError
        from distributed import TimeoutError as TooLateError

        try:
            while not future.done():
                try:
                    return future.result(REPORTED_AFTER), False
                except TooLateError:
                    self._patience.begin()
                    self._have_worker()
            return future.result(), False
        except CancelledError:
            if self._client.status != "running":
                raise
            return None, True

    def _begin_again(
        self, work: Work[Any], waiting: deque[tuple[Any, Any]], values: list[_Scattered]
    ) -> None:
        """Send the shared values again, and then all work that waits."""
        for value in values:
            self._send(value)
        for number, (item, _) in enumerate(waiting):
            waiting[number] = item, self._submit(work, item, values)

    @contextlib.contextmanager
    def _our_errors(self) -> Iterator[None]:
        """Raise an error of the cluster inside the block as WorkersLostError."""
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
            raise self._lost(error) from None

    def _lost(self, error: Exception) -> WorkersLostError:
        """Return the error of a connection that broke; it may be one of a worker."""
        try:
            Patience(min(REPORTED_AFTER, self._patience.seconds)).wait("the scheduler", self._client.nthreads)
            is_gone = self._client.status != "running"
        except Exception:
            is_gone = True
        if is_gone:
            return SchedulerLostError(f"{self._address}: the scheduler is gone: {_in_short(error)}")
        return WorkersLostError(f"{self._address}: {_in_short(error)}")

    def _answer(
        self,
        ask: Callable[[], Answer],
        what: str = "the scheduler",
        more: float | None = 0.0,
        attempts: int = SHARING_ATTEMPTS,
    ) -> Answer:
        """Return the answer of the cluster; ask again if a worker dies meanwhile.

        what  its name in messages
        more  seconds that this takes longer than other answers; None: the limit of the last question holds
        Raises WorkersLostError.
        """
        from distributed import TimeoutError as TooLateError

        if more is not None:
            self._patience.begin(more)
        try:
            return self._patience.wait(f"{self._address}: {what}", ask)
        except NoAnswerError:
            # What is shared goes past a worker that died meanwhile, once Dask has found out.
            if what != SHARING or attempts == 1:
                seconds = f"{self._patience.seconds + (more or 0):.0f} seconds"
                raise self._lost(NoAnswerError(f"waited {seconds} for {what} in vain")) from None
        except TooLateError:
            raise WorkersLostError(self._without_worker()) from None
        except Exception as error:  # Dask has many of them where a connection breaks
            lost = self._lost(error)
            if attempts == 1 or isinstance(lost, SchedulerLostError):
                raise lost from None
        return self._answer(ask, what, more, attempts - 1)

    def _known_workers(self) -> list[dict[str, Any]]:
        """Return the scheduler's information about each worker."""
        information = self._answer(lambda: self._client.scheduler_info(n_workers=-1))
        return list(information["workers"].values())

    def _have_worker(self) -> None:
        """Wait until a worker takes work.  Raises WorkersLostError if none does in time."""
        self._answer(
            lambda: self._client.wait_for_workers(1, timeout=self._patience.left()),
            "a worker that takes work",
            more=None,
        )

    def _without_worker(self) -> str:
        """Return the message about why no worker takes work."""
        known = self._known_workers()
        seconds = f"in {self._patience.seconds:g} seconds (--cluster-timeout)"
        if not known:
            return f"{self._address}: no worker came {seconds}; start one:  dask worker {self._address}"
        limit = min(worker.get("memory_limit") or 0 for worker in known)
        return (
            f"{self._address}: none of {len(known)} workers took work {seconds}: Dask lets workers pause"
            f" whose memory is nearly full; give them more memory than {limit:,} bytes each"
        )

    def _check_versions(self) -> None:
        """Raise PresEvalError if a worker has another version than this one, or none."""
        answers = self._answer(lambda: self._client.run(version, on_error="return"), "all workers")
        for worker, answer in answers.items():
            if isinstance(answer, OSError):  # it died meanwhile
                continue
            if answer != __version__:
                found_version = answer if isinstance(answer, str) else f"none ({_in_short(answer)})"
                raise PresEvalError(
                    f"{worker}: this worker has version {found_version} of pres-eval, expected {__version__}"
                )


class _Scattered(Shared):
    """A value on all workers."""

    def __init__(self, client: Any, value: Any, num_bytes: int) -> None:
        super().__init__(value)
        self.num_bytes = num_bytes
        self._client = client
        self.future: Any = None

    def send(self) -> None:
        """Send it, for the first time or again."""
        self.future = self._client.scatter([self.value], broadcast=True, hash=False)[0]

    def close(self) -> None:
        """Drop the value from the workers."""
        with contextlib.suppress(Exception):
            self.future.release()


def at_work(work: Work[Result], item: Any, *shared: Any) -> Result:
    """Do a piece of work in a process of Dask's."""
    with freed_memory_kept():
        return work(item, *shared)


def version() -> str:
    """Return the version of this package."""
    return __version__


def _in_short(error: BaseException) -> str:
    """Return the first line of an error's text without Dask's description of a connection."""
    lines = str(error).strip().splitlines()
    if not lines:
        return type(error).__name__
    return re.sub("in <[^>]*>: ", "", lines[0])
