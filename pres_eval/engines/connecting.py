"""From the name of a cluster to its engine, and how long to wait for it.

A cluster is named by `local:N`, by the address of a Dask scheduler or its file, or by a Dask client.
"""

from __future__ import annotations

import contextlib
import select
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future
from typing import Any, TypeVar

from pres_eval.engines.engine import LOCAL, Engine
from pres_eval.errors import UsageError

Answer = TypeVar("Answer")

SECONDS = 30.0
"""Seconds that a cluster may take to answer and to have a worker, both together (--cluster-timeout)."""

REPORTED_AFTER = 5.0
"""Seconds after which a line reports what pres-eval waits for."""

GRACE = 0.5
"""Further seconds to wait, so that the other side's own limit ends first: its error names the cause."""


class NoAnswerError(Exception):
    """A scheduler or a worker did not answer in time."""


class Patience:
    """Limit, in seconds, of several waits together; `say` gets a line about each wait that takes long."""

    def __init__(self, seconds: float = SECONDS, say: Callable[[str], None] = lambda _: None) -> None:
        self.seconds = seconds
        self._say = say
        self.begin()

    def begin(self, more: float = 0.0) -> None:
        """Let the limit begin now, `more` seconds longer than usual."""
        self._end = time.monotonic() + self.seconds + more

    def left(self) -> float:
        """Return the seconds until the limit ends, at least 0."""
        return max(self._end - time.monotonic(), 0.0)

    def wait(self, what: str, ask: Callable[[], Answer]) -> Answer:
        """Return what `ask` returns; `what` names it in messages.

        A thread calls `ask`, and is left running after the limit: nothing can stop it.
        Raises NoAnswerError after the limit, and what `ask` raises.
        """
        answer: Future[Answer] = Future()

        def run() -> None:
            try:
                answer.set_result(ask())
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        futures.wait([answer], min(REPORTED_AFTER, self.left() + GRACE))
        if not answer.done() and self.left():
            self._say(f"waiting for {what}, up to {self.seconds:g} seconds")
            futures.wait([answer], self.left() + GRACE)
        if not answer.done():
            raise NoAnswerError
        return answer.result()


EXPECTED_CLUSTER = (
    "local:N for N processes of this machine, or a Dask scheduler's address (tcp://...) or file (.json)"
)


@contextlib.contextmanager
def engine_of(cluster: Any, patience: Patience | None = None) -> Iterator[Engine]:
    """Yield the engine that carries work to the workers of a cluster while the block runs.

    cluster   see the module
    patience  how long to wait for a Dask scheduler and its first worker; None: SECONDS; `local:N` does not
              use it
    Raises UsageError for another object or text, PresEvalError if no scheduler answers.
    """
    if not isinstance(cluster, str):
        if not hasattr(cluster, "scatter"):
            raise UsageError(
                f"cluster: found an object of type {type(cluster).__name__}, expected {EXPECTED_CLUSTER}"
            )
        from pres_eval.engines.on_dask import OnDask

        yield OnDask(cluster, patience)
    elif cluster.startswith(LOCAL):
        if not hasattr(select, "poll"):
            raise UsageError(
                f"cluster {cluster!r}: processes of this machine need Linux or macOS,"
                " expected a Dask scheduler, or no cluster"
            )
        from pres_eval.engines.processes import Processes

        number = cluster.removeprefix(LOCAL)
        if not (number.isascii() and number.isdecimal() and 0 < int(number) < 10_000):
            raise UsageError(f"cluster {cluster!r}: expected {EXPECTED_CLUSTER}")
        with Processes(int(number)) as processes:
            yield processes
    elif "://" in cluster or cluster.endswith(".json"):
        from pres_eval.engines.on_dask import OnDask, connected

        patience = patience or Patience()
        with connected(cluster, patience) as client:
            yield OnDask(client, patience)
    else:
        raise UsageError(f"cluster {cluster!r}: expected {EXPECTED_CLUSTER}")
