"""Waiting for a peer that may never answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from typing import TypeVar

Answer = TypeVar("Answer")

SECONDS = 30.0
"""How long a cluster may take to answer and to have a worker, both together (--cluster-timeout)."""

SAID_AFTER = 5.0
"""Seconds after which a line says what is waited for."""

GRACE = 0.5
"""Seconds for a peer's own limit to end first: its error names the cause."""


class NoAnswerError(Exception):
    """A peer did not answer in time."""


class Patience:
    """Limit, in seconds, of several waits together; `say` is given a line about each that takes long."""

    def __init__(self, seconds: float = SECONDS, say: Callable[[str], None] = lambda _: None) -> None:
        self.seconds = seconds
        self._say = say
        self.begin()

    def begin(self, more: float = 0.0) -> None:
        """Begin anew, with some more seconds."""
        self._end = time.monotonic() + self.seconds + more

    def left(self) -> float:
        """Return the seconds that are left."""
        return max(self._end - time.monotonic(), 0.0)

    def wait(self, what: str, ask: Callable[[], Answer]) -> Answer:
        """Return what `ask` returns.  A thread asks, and is left alone if it does not come back.

        Raises NoAnswerError after the limit, and what `ask` raises.
        """
        answer: Future[Answer] = Future()

        def run() -> None:
            try:
                answer.set_result(ask())
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        futures.wait([answer], min(SAID_AFTER, self.left() + GRACE))
        if not answer.done() and self.left():
            self._say(f"waiting for {what}, up to {self.seconds:g} seconds")
            futures.wait([answer], self.left() + GRACE)
        if not answer.done():
            raise NoAnswerError
        return answer.result()
