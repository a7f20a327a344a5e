"""The evaluator's runs, read by the workers of a cluster (--cluster)."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator, Sequence

from pres_eval.cli.streams import say
from pres_eval.engines.connecting import SECONDS, Patience, engine_of
from pres_eval.engines.engine import Engine
from pres_eval.errors import UsageError
from pres_eval.reading.run_files import RunFiles


@contextlib.contextmanager
def engine_of_cluster(
    address: str, timeout: float | None, runs: Sequence[RunFiles], quiet: bool
) -> Iterator[Engine]:
    """Give the engine of a cluster for as long as the block goes.  Raises UsageError for standard input."""
    if any(run.sources[0].path == "-" for run in runs):
        raise UsageError("--cluster: standard input (-) cannot be read by workers, expected files")
    patience = Patience(timeout or SECONDS, lambda text: None if quiet else say(f"pres-eval: {text}"))
    with _interruptible(), engine_of(address, patience) as engine:
        yield engine


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C be an exception, so that work is called off; and let no other package write to stderr."""
    logging.disable(logging.CRITICAL)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
