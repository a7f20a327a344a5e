"""The evaluator's runs, read by the workers of a cluster (--cluster)."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.cli.progress import Bar
from pres_eval.cli.streams import say
from pres_eval.cluster.connecting import engine_of
from pres_eval.cluster.ranking import Plan
from pres_eval.cluster.runs import Found, rank_runs
from pres_eval.errors import UsageError
from pres_eval.options import Options
from pres_eval.reading.relevance import Relevance


@dataclass(frozen=True)
class Cluster:
    """Which workers, and whether they look for unjudged documents that come twice (None: if it is cheap)."""

    address: str
    check: bool | None = None


def runs_of_cluster(
    cluster: Cluster,
    paths: Sequence[str],
    relevance: Relevance,
    options: Options,
    run_form: str,
    *,
    quiet: bool,
    going_on: bool,
) -> Iterator[Found]:
    """The runs in order; all of them are there before the first is given, so that nothing is half printed.

    Nothing is read after a run that cannot be, unless `going_on`.
    """
    if "-" in paths:
        raise UsageError("--cluster: standard input (-) cannot be read by workers, expected files")
    found: list[Found] = []
    with _interruptible(), _Bars(paths, quiet) as bars, engine_of(cluster.address) as engine:
        plan = Plan(check=cluster.check, told=bars.told)
        with contextlib.closing(rank_runs(paths, relevance, options, engine, plan, run_form)) as runs:
            for run in runs:
                found.append(run)
                if run.error is not None and not going_on:
                    break
    for run in found:
        if run.unchecked and not quiet:
            say(
                f"pres-eval: note: {run.name}: topics are not together, so unjudged documents were not"
                " checked for coming twice; --check-duplicates does that, and sends 8 bytes a line"
            )
        yield run


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


class _Bars(contextlib.ExitStack):
    """A bar for each pass over a run, or over all runs, if stderr is a terminal."""

    def __init__(self, paths: Sequence[str], quiet: bool) -> None:
        super().__init__()
        self._label = paths[0] if len(paths) == 1 else f"{len(paths)} runs"
        self._is_watched = not quiet and sys.stderr.isatty()
        self._bar: Bar | None = None
        self._done = 0

    def told(self, done: int, total: int) -> None:
        """So many splits or runs of this pass are done."""
        if not self._is_watched:
            return
        if self._bar is None or done <= self._done:
            self.close()
            self._bar = self.enter_context(Bar(self._label, total).shown())
            self._done = 0
        self._bar.advance(done - self._done)
        self._done = done
