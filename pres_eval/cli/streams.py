"""The standard streams: stdout is written whole or there is an error; stderr gets one safe line at a time."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings as python_warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO, cast

from pres_eval.errors import PresEvalError, ReadingNote, ReadingWarning, UsageError, one_line

WRITTEN_AT_ONCE = 1 << 30
"""Bytes: Linux writes no more than 2 GiB in one call."""


CLOSED = -1
"""The descriptor of a stream that whoever started us has closed."""


class Stdout(io.RawIOBase):
    """Standard output without a buffer.

    What the system takes only a part of is written again and again until all of it is.  When the reader goes
    away (`| head -1`) the rest is thrown away without a word: it has seen enough.  Any other fault raises
    PresEvalError, and what comes later is thrown away, so that nobody tries again at the end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.abandoned = False

    def writable(self) -> bool:
        """Return True, for io."""
        return True

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return os.isatty(self._descriptor)

    def fileno(self) -> int:
        """Return the system's number of the stream."""
        return self._descriptor

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        """Write some of the bytes, and give their number; all of them are taken once nobody reads."""
        while not self.abandoned:
            try:
                return os.write(self._descriptor, data[:WRITTEN_AT_ONCE])
            except BrokenPipeError:
                self.abandoned = True
            except BlockingIOError:
                import select

                select.select([], [self._descriptor], [])
            except OSError as error:
                self.abandoned = True
                closed = self._descriptor == CLOSED
                reason = "standard output is closed" if closed else (error.strerror or str(error)).lower()
                raise PresEvalError(f"output cannot be written: {reason}") from None
        return len(data)


def reader_has_left() -> bool:
    """Return whether nobody reads standard output any more, so that nothing more has to be printed."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, Stdout) and raw.abandoned


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Give Python's standard streams with the faults of theirs mended, for as long as the block goes.

    One that is closed (`2>&-`) is there again, so that no file we open takes its number: stderr leads nowhere
    then, and writing to stdout is an error.  A character that stdout's encoding lacks is written as an
    escape.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken, and that is this one.
            os.open(os.devnull, os.O_RDWR)
    before = sys.stdout, sys.stderr
    with contextlib.ExitStack() as opened:
        if sys.stderr is None:
            sys.stderr = opened.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
        sys.stdout = _safe_stdout(before[0])
        try:
            yield
            sys.stdout.flush()
        finally:
            if sys.stdout is not before[0]:
                with contextlib.suppress(PresEvalError):
                    sys.stdout.close()
            sys.stdout, sys.stderr = before


def _safe_stdout(stdout: TextIO | None) -> TextIO:
    """Return the stream over our own way of writing; one that a test has replaced stays."""
    descriptor = CLOSED
    if stdout is not None:
        try:
            descriptor = stdout.fileno()
        except (OSError, ValueError):
            return stdout
        stdout.flush()
    encoding = (getattr(stdout, "encoding", None) or "utf-8").lower()
    return io.TextIOWrapper(
        io.BufferedWriter(cast(Any, Stdout(descriptor))),
        # Results are UTF-8 everywhere; "ascii" is what Python falls back on where nothing is said.
        encoding="utf-8" if encoding in ("ascii", "us-ascii", "ansi_x3.4-1968", "646") else encoding,
        errors="backslashreplace",
        newline="\n",  # on Windows, too: the bytes are trec_eval's
        line_buffering=getattr(stdout, "line_buffering", False),
    )


_wipes: list[Callable[[], None]] = []
"""The functions that wipe away what is drawn to the terminal's last line; the last one's drawer has it."""


@contextlib.contextmanager
def last_line(wipe: Callable[[], None]) -> Iterator[None]:
    """Keep what others draw off the terminal's last line for as long as the block goes; wipe it at the end.

    wipe  wipes away what the block draws, before each message as well
    """
    _wipes.append(wipe)
    for wipe_line in _wipes:
        wipe_line()
    try:
        yield
    finally:
        _wipes.remove(wipe)
        wipe()


def has_last_line(wipe: Callable[[], None]) -> bool:
    """Return whether the block with this function may draw."""
    return _wipes[-1:] == [wipe]


def is_watched(quiet: bool = False) -> bool:
    """Return whether a person sees what is drawn to stderr."""
    return not quiet and sys.stderr.isatty()


def writing_results() -> contextlib.AbstractContextManager[None]:
    """Keep progress bars away for as long as the block goes: stdout may be a terminal."""
    return last_line(lambda: None)


def say(text: str) -> None:
    """Write a line to stderr.

    It is one line without control characters, whatever ids and paths are in it, so that a terminal or a CI
    log takes nothing in it for a command.  If stderr can't be written, the line is dropped.
    """
    with contextlib.suppress(OSError, ValueError):
        for wipe in _wipes:
            wipe()
        sys.stderr.write(f"{one_line(text)}\n")
        sys.stderr.flush()


_collections: list[list[str]] = []
"""The lists that collect warnings."""


@contextlib.contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Give a list that receives the warnings which are written for as long as the block goes."""
    warnings: list[str] = []
    _collections.append(warnings)
    try:
        yield warnings
    finally:
        # Not `remove`, which takes the first of lists that are equal.
        _collections[:] = [collected for collected in _collections if collected is not warnings]


def warn(text: str) -> None:
    """Write a warning to stderr."""
    for warnings in _collections:
        warnings.append(text)
    say(f"pres-eval: warning: {text}")


@contextlib.contextmanager
def noted(quiet: bool) -> Iterator[None]:
    """Write the notes and warnings of readers inside the block to stderr, each once; none if quiet."""
    written: set[str] = set()
    show_others = python_warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any, **more: Any) -> None:
        if not issubclass(category, ReadingWarning):
            show_others(message, category, *location, **more)
        elif not quiet and str(message) not in written:
            written.add(str(message))
            if issubclass(category, ReadingNote):
                say(f"pres-eval: note: {message}")
            else:
                warn(str(message))

    with python_warnings.catch_warnings():
        python_warnings.simplefilter("always", ReadingWarning)
        python_warnings.showwarning = show
        yield


def check_paths(qrels: str, runs: Sequence[str]) -> None:
    """Stop if standard input is named twice."""
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input (-) can be one file only")
