"""A progress bar on a terminal for runs that take a while; nothing anywhere else."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator

import click

from pres_eval.reading.source import Source

DELAY = 2.0
"""Seconds before a bar appears."""


class _Bar:
    """Appears when reading takes longer than DELAY; shows bytes, rate and time left."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._total = source.size()
        self._read = 0
        self._started = time.monotonic()
        self._shown = 0.0
        self._width = 0

    def __call__(self, count: int) -> None:
        self._read += count
        now = time.monotonic()
        if now - self._started > DELAY and now - self._shown > 0.1:
            self._shown = now
            self._show(self._text(now - self._started))

    def _text(self, seconds: float) -> str:
        rate = self._read / seconds
        text = f"{self._source.name}: {self._read / 1e6:,.0f} MB"
        if self._total:
            left = max(self._total - self._read, 0) / rate
            done = min(self._read / self._total, 1.0)
            text += f" of {self._total / 1e6:,.0f} MB [{'#' * int(done * 20):<20}] {left:,.0f} s left,"
        return f"{text} {rate / 1e6:,.0f} MB/s"

    def _show(self, text: str) -> None:
        self._width = max(self._width, len(text))
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the bar away."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


@contextlib.contextmanager
def progress_of(source: Source, quiet: bool) -> Iterator[Source]:
    """The source, watched by a bar if stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield source
        return
    bar = _Bar(source)
    source.watch(bar)
    try:
        yield source
    finally:
        bar.close()


def steps(label: str, length: int, quiet: bool = False) -> contextlib.AbstractContextManager[Iterable[int]]:
    """The numbers of `length` steps of work to iterate over, with a bar if stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        return contextlib.nullcontext(range(length))
    return click.progressbar(range(length), label=label, file=sys.stderr)
