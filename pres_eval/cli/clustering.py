"""The evaluator's runs, read by the workers of a cluster (--cluster)."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.cli.streams import say
from pres_eval.engines.connecting import SECONDS, Patience, engine_of
from pres_eval.engines.engine import Engine
from pres_eval.errors import UsageError
from pres_eval.reading.run_files import RunFiles


@dataclass(frozen=True)
class Cluster:
    """Choice of workers, and whether to look for unjudged documents that occur twice (None: if it is cheap).

    timeout  how many seconds they may take to answer
    """

    address: str
    check: bool | None = None
    timeout: float = SECONDS


@contextlib.contextmanager
def engine_of_cluster(cluster: Cluster, runs: Sequence[RunFiles], quiet: bool) -> Iterator[Engine]:
    """Give the engine of a cluster for as long as the block goes.  Raises UsageError for standard input."""
    if any(run.sources[0].path == "-" for run in runs):
        raise UsageError("--cluster: standard input (-) cannot be read by workers, expected files")
    patience = Patience(cluster.timeout, lambda text: None if quiet else say(f"pres-eval: {text}"))
    with _interruptible(), engine_of(cluster.address, patience) as engine:
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
