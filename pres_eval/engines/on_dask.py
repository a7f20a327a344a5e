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

from pres_eval.engines.connecting import SAID_AFTER, NoAnswerError, Patience
from pres_eval.engines.engine import Result, Shared, Work, WorkersLostError, check_room, split_size
from pres_eval.engines.memory import freed_memory_kept
from pres_eval.errors import InputError, PresEvalError, extra_module, quoted, readable
from pres_eval.version import __version__

Answer = TypeVar("Answer")

AHEAD = 4
"""Pieces of work for each thread of the workers that may wait for an earlier one."""

ATTEMPTS = 3
"""Number of times that a shared value is sent again when all workers that had it are gone."""

SHARING = "all workers to have what they share"

SLOWEST = 1 << 20
"""Bytes a second that workers receive at least; a slower worker counts as hanging."""

LONGEST_FILE = 1 << 20
"""Bytes of a scheduler file."""


class SchedulerLostError(WorkersLostError):
    """The scheduler is gone, not only a worker."""


@contextlib.contextmanager
def connected(address: str, patience: Patience) -> Iterator[Any]:
    """Give a client of the scheduler at this address (or in this scheduler file), closed after the block.

    Raises InputError for a file that is none of a scheduler, PresEvalError if no scheduler answers.
    """
    distributed = extra_module("distributed", f"{address}: working on a Dask cluster", "cluster")
    peer = _address_in(address) if address.endswith(".json") else address
    name = address if peer == address else f"{address}: {peer}"

    try:
        client = patience.wait(
            f"the Dask scheduler at {name}",
            lambda: distributed.Client(peer, timeout=patience.left(), set_as_default=False),
        )
    except NoAnswerError:
        raise PresEvalError(
            f"{name}: no Dask scheduler answers: something takes the connection, and does not speak as Dask"
            f" does for {patience.seconds:g} seconds"
        ) from None
    except Exception as error:  # whatever there is there answers what it likes
        cause = f" ({_in_short(error.__cause__ or error)})" if str(error.__cause__ or "") else ""
        reason = _in_short(error) if str(error) else f"nobody in {patience.seconds:g} seconds"
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
            text = file.read(LONGEST_FILE)
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, getattr(error, "lineno", None), "this is no JSON", expected) from None
    address = description.get("address") if isinstance(description, dict) else None
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
        size = len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        limits = [worker.get("memory_limit") for worker in self._known()]
        check_room(what, size, min((limit for limit in limits if limit), default=None))
        shared = _Scattered(self._client, value, size)
        self._answer(shared.send, SHARING, size / SLOWEST)
        return shared

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield work(item, *what was shared) for each item, in order."""
        values = [value for value in shared if isinstance(value, _Scattered)]
        waiting: deque[tuple[Any, Any]] = deque()
        remaining = iter(items)
        most = AHEAD * self.workers
        attempts = ATTEMPTS
        try:
            with self._told():
                while True:
                    for item in islice(remaining, most - len(waiting)):
                        waiting.append((item, self._submit(work, item, values)))
                    if not waiting:
                        return
                    result, is_lost = self._result(waiting[0][1])
                    if not is_lost:
                        waiting.popleft()
                        yield cast(Result, result)
                        continue
                    attempts -= 1
                    if not attempts:
                        raise WorkersLostError(
                            f"{self._address}: workers died {ATTEMPTS} times; give them more memory"
                        )
                    self._again(work, waiting, values)
        finally:
            with contextlib.suppress(Exception):
                self._client.cancel([future for _, future in waiting])

    def _submit(self, work: Work[Any], item: Any, values: list[_Scattered]) -> Any:
        return self._client.submit(at_work, work, item, *(value.future for value in values), pure=False)

    def _result(self, future: Any) -> tuple[Any, bool]:
        """Return the result, or that its inputs were lost with the workers that had them."""
        from distributed import CancelledError
        from distributed import TimeoutError as TooLateError

        try:
            while not future.done():
                try:
                    return future.result(SAID_AFTER), False
                except TooLateError:
                    self._patience.begin()
                    self._have_worker()
            return future.result(), False
        except CancelledError:
            if self._client.status != "running":
                raise
            return None, True

    def _again(self, work: Work[Any], waiting: deque[tuple[Any, Any]], values: list[_Scattered]) -> None:
        """Send everything anew, and begin the awaited work again."""
        for value in values:
            self._answer(value.send, SHARING, value.size / SLOWEST)
        for number, (item, _) in enumerate(waiting):
            waiting[number] = item, self._submit(work, item, values)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Return an error of the cluster as one of ours."""
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
            Patience(min(SAID_AFTER, self._patience.seconds)).wait("the scheduler", self._client.nthreads)
            is_gone = self._client.status != "running"
        except Exception:
            is_gone = True
        kind = SchedulerLostError if is_gone else WorkersLostError
        return kind(f"{self._address}: {'the scheduler is gone: ' * is_gone}{_in_short(error)}")

    def _answer(
        self,
        ask: Callable[[], Answer],
        what: str = "the scheduler",
        more: float | None = 0.0,
        attempts: int = ATTEMPTS,
    ) -> Answer:
        """Return the answer of the cluster; ask again if a worker dies meanwhile.

        more  seconds that this takes longer than other answers; None: the limit goes on from what was before
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

    def _known(self) -> list[dict[str, Any]]:
        """Return the scheduler's information about each worker."""
        return list(self._answer(lambda: self._client.scheduler_info(n_workers=-1))["workers"].values())

    def _have_worker(self) -> None:
        """Wait until a worker takes work.  Raises WorkersLostError if none does in time."""
        self._answer(
            lambda: self._client.wait_for_workers(1, timeout=self._patience.left()),
            "a worker that takes work",
            more=None,
        )

    def _without_worker(self) -> str:
        """Return why there is no worker."""
        known = self._known()
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

    def __init__(self, client: Any, value: Any, size: int) -> None:
        super().__init__(value)
        self.size = size
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
    lines = str(error).strip().splitlines()
    return re.sub("in <[^>]*>: ", "", lines[0]) if lines else type(error).__name__
