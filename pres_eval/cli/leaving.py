"""End of the process: no half-written file stays behind, whenever a signal comes."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from pres_eval.workers import ending_signals

_temporary: set[str] = set()
"""Files to be removed when the process is ended from outside."""


@contextlib.contextmanager
def temporary_file(path: str) -> Iterator[None]:
    """Remove the file, which the block may make, when the block or the process ends."""
    _temporary.add(path)
    try:
        yield
    finally:
        _remove(path)
        _temporary.discard(path)


def clean_up_on_signals() -> None:
    """Let the signals that end a process remove temporary files first; those that are ignored stay so."""
    for number in ending_signals():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    """Remove the files, and let the signal take its usual effect.

    No exception: it could come to light anywhere, also where Python throws exceptions away, and threads that
    wait for a pipe would be waited for.
    """
    for path in list(_temporary):
        _remove(path)
    signal.signal(number, signal.SIG_DFL)
    if os.name == "posix":
        os.kill(os.getpid(), number)
    os._exit(128 + number)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - pathlib takes a while to import


def leave(code: int) -> NoReturn:
    """End the process with this exit code, without waiting for threads whose results nobody wants."""
    if threading.active_count() > 1:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        os._exit(code)
    # Python would look for garbage in all that was imported before it ends: a seventh of a small run.
    gc.freeze()
    sys.exit(code)
