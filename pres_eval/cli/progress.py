"""Progress bar on a terminal for work that takes a while, and the long loops whose steps it counts."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from pres_eval.cli.streams import has_last_line, is_watched, last_line
from pres_eval.engines.threads import Loop, Result
from pres_eval.errors import one_line
from pres_eval.reading.run_files import RunFiles
from pres_eval.reading.storage import is_remote

DELAY = 2.0
"""Seconds before a bar appears: shorter work needs none."""

REDRAW_INTERVAL = 0.1
"""Least number of seconds from one drawing to the next, however short the steps are."""

TICK = 0.5
"""Seconds after which a bar is drawn again even if nothing was done meanwhile."""

MEGABYTE = 1_000_000
"""Bytes in a unit of a bar over bytes."""

BAR_WIDTH = 20
"""Characters of a bar that is full."""


class Bar:
    """Progress bar that appears when the work takes longer than DELAY, and is erased at the end.

    Any thread may advance it.  If work contains other work, only the bar of the innermost is drawn.
    """

    def __init__(self, label: str, total: int | None, unit: int = 1) -> None:
        """Start the clock; nothing is drawn yet.

        label  beginning of the line of progress
        total  steps or bytes to be done, None if not known
        unit   1 for steps, MEGABYTE for bytes
        """
        self._label = one_line(label)
        self._total = total
        self._unit = unit
        self._done = 0
        self._started_at = time.monotonic()
        self._drawn_at = 0.0
        self._width = 0  # characters on the line that are drawn
        self._lock = threading.RLock()

    def advance(self, count: int) -> None:
        """Add steps or bytes to the work that is done, and draw the bar if that is due."""
        with self._lock:
            self._done += count
            now = time.monotonic()
            is_due = now - self._started_at > DELAY and now - self._drawn_at > REDRAW_INTERVAL
            # A bar is known by the function that erases it.
            if is_due and has_last_line(self.wipe):
                self._drawn_at = now
                self._draw(self._text(now - self._started_at))

    def _text(self, seconds: float) -> str:
        """Return the line of progress after this number of seconds; before the first step just the time."""
        if not self._done:
            return f"{self._label}: {max(seconds, 0):,.0f} s"
        rate = max(self._done / seconds, 1e-9)  # not 0: it is divided by
        of_bytes = self._unit == MEGABYTE
        unit_name = " MB" if of_bytes else ""
        text = f"{self._label}: {self._done / self._unit:,.0f}"
        if self._total:
            share = min(self._done / self._total, 1.0)
            bar = "#" * int(share * BAR_WIDTH)
            seconds_left = max(self._total - self._done, 0) / rate
            total = self._total / self._unit
            text += f" of {total:,.0f}{unit_name} [{bar:<{BAR_WIDTH}}] {seconds_left:,.0f} s left"
        else:
            text += unit_name
        if of_bytes:
            text += f", {rate / self._unit:,.0f} MB/s"
        return text

    def _draw(self, text: str) -> None:
        """Write the text over what was drawn before, if stderr can be written to."""
        with contextlib.suppress(OSError, ValueError):
            width = max(self._width, len(text))
            sys.stderr.write(f"\r{text:<{width}}")
            sys.stderr.flush()
            self._width = width

    def wipe(self) -> None:
        """Erase the bar; it is drawn again with the next step."""
        with self._lock:
            if self._width:
                self._draw("")
                self._width = 0
                self._draw("")  # moves the cursor back to the beginning of the line

    @contextlib.contextmanager
    def shown(self) -> Iterator[Bar]:
        """Let the bar be drawn on the last line inside the block, and erase it at its end."""
        with last_line(self.wipe):
            yield self

    @contextlib.contextmanager
    def ticking(self) -> Iterator[None]:
        """Draw the bar every TICK seconds inside the block, whatever the work does."""
        stopped = threading.Event()

        def tick() -> None:
            """Draw the bar until the block has ended."""
            while not stopped.wait(TICK):
                self.advance(0)

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()


@contextlib.contextmanager
def reading_bar(runs: Sequence[RunFiles]) -> Iterator[None]:
    """Show a bar that counts the bytes of the runs' files while they are read inside the block.

    It is for a terminal, which the caller has asked for, and for runs that are read only once.
    """
    sizes = [run.size() for run in runs]  # None: not known
    known_sizes = [size for size in sizes if size is not None]
    total = sum(known_sizes) if len(known_sizes) == len(sizes) else None
    label = runs[0].name if len(runs) == 1 else f"{len(runs)} runs"
    with Bar(label, total, MEGABYTE).shown() as bar:
        for run in runs:
            run.watch(bar.advance)
        yield


@contextlib.contextmanager
def working(label: str, quiet: bool = False) -> Iterator[None]:
    """Show after `label` how many seconds the block has taken so far, if stderr is a terminal."""
    if not is_watched(quiet):
        yield
        return
    with Bar(label, None).shown() as bar, bar.ticking():
        yield


def loop_with_bar(label: str, jobs: int | None, quiet: bool = False, paths: Iterable[str] = ()) -> Loop:
    """Return a function that carries out loops by copies of this process, with a bar on a terminal.

    label  of the bar
    jobs   most copies that share the steps; None: as many as processors
    paths  the files that the steps read: remote ones are read by this process alone, as copies would not have
           fsspec's threads
    """
    from pres_eval.engines.copies import by_copies

    most_copies = jobs
    if any(is_remote(path) for path in paths):
        most_copies = 1

    def carry_out(work: Callable[[int], Result], count: int) -> Iterator[Result]:
        """Yield work(0) to work(count - 1)."""
        if not is_watched(quiet):
            yield from by_copies(work, count, most_copies)
            return
        with Bar(label, count).shown() as bar, bar.ticking():
            for result in by_copies(work, count, most_copies):
                yield result
                bar.advance(1)

    return carry_out
