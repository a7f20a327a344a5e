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
"""Bytes that one call of the system writes at most: Linux writes no more than 2 GiB in one."""

CLOSED = -1
"""Stands for the descriptor of a stream that was closed before we started."""

ASCII_NAMES = ("ascii", "us-ascii", "ansi_x3.4-1968", "646")
"""Names of ASCII, the encoding that Python falls back on if the system names none."""


class Stdout(io.RawIOBase):
    """Standard output without a buffer.

    If the reader goes away (`| head -1`) the rest is dropped without a message.  Any other fault raises
    PresEvalError once, and what comes later is dropped, so that the same fault is not reported again at exit.

    abandoned  whether output is dropped from now on
    """

    def __init__(self, descriptor: int) -> None:
        """Write to the stream with this descriptor, a number of the system's."""
        self._descriptor = descriptor
        self.abandoned = False

    def writable(self) -> bool:
        """Return True, for io."""
        return True

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return os.isatty(self._descriptor)

    def fileno(self) -> int:
        """Return the descriptor of the stream."""
        return self._descriptor

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        """Write some of the bytes, and return their number; all of them once output is dropped."""
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
                reason = (error.strerror or str(error)).lower()
                if self._descriptor == CLOSED:
                    reason = "standard output is closed"
                raise PresEvalError(f"output cannot be written: {reason}") from None
        return len(data)


def reader_has_left() -> bool:
    """Return whether nobody reads standard output any more, so that nothing more has to be printed."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, Stdout) and raw.abandoned


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Replace Python's standard streams inside the block; at its end stdout is flushed.

    For a closed one (`2>&-`) /dev/null is opened at its number, so that no other file gets this: what is
    written to stderr is then dropped, and writing to stdout is an error.  A character that stdout's encoding
    lacks is written as an escape.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # A new file gets the lowest free number, and that is this one.
            os.open(os.devnull, os.O_RDWR)
    stdout_before, stderr_before = sys.stdout, sys.stderr
    with contextlib.ExitStack() as opened:
        if sys.stderr is None:
            sys.stderr = opened.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
        sys.stdout = _safe_stdout(stdout_before)
        try:
            yield
            sys.stdout.flush()
        finally:
            if sys.stdout is not stdout_before:
                with contextlib.suppress(PresEvalError):
                    sys.stdout.close()
            sys.stdout, sys.stderr = stdout_before, stderr_before


def _safe_stdout(stdout: TextIO | None) -> TextIO:
    """Return a stream that writes to standard output by Stdout; `stdout` itself if it has no descriptor.

    stdout  Python's stream, None if it was closed; a test may have replaced it by one without a descriptor
    """
    descriptor = CLOSED
    if stdout is not None:
        try:
            descriptor = stdout.fileno()
        except (OSError, ValueError):
            return stdout
        stdout.flush()
    encoding = (getattr(stdout, "encoding", None) or "utf-8").lower()
    if encoding in ASCII_NAMES:
        encoding = "utf-8"  # results are UTF-8 everywhere
    return io.TextIOWrapper(
        io.BufferedWriter(cast(Any, Stdout(descriptor))),
        encoding=encoding,
        errors="backslashreplace",
        newline="\n",  # on Windows, too: the bytes are trec_eval's
        line_buffering=getattr(stdout, "line_buffering", False),
    )


_wipes: list[Callable[[], None]] = []
"""Functions that erase what is drawn to the terminal's last line, one for each open block of `last_line`.

The last one belongs to the innermost block, which alone may draw.
"""


@contextlib.contextmanager
def last_line(wipe: Callable[[], None]) -> Iterator[None]:
    """Reserve the terminal's last line for what the block draws: outer blocks may not draw meanwhile.

    wipe  erases what the block has drawn: called before each message, and at the end
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
    """Return whether the block of `last_line` with this function is the innermost one, which may draw."""
    return _wipes[-1:] == [wipe]


def is_watched(quiet: bool = False) -> bool:
    """Return whether a person sees what is drawn to stderr: it is a terminal, and there is no --quiet."""
    return not quiet and sys.stderr.isatty()


def writing_results() -> contextlib.AbstractContextManager[None]:
    """Erase progress bars, and draw none inside the block: stdout may be the terminal."""
    return last_line(lambda: None)


def say(text: str) -> None:
    """Write a line to stderr.

    Control characters and line ends, which ids and paths may have, become escapes, so that a terminal or a CI
    log takes nothing in it for a command.  If stderr can't be written, the line is dropped.
    """
    with contextlib.suppress(OSError, ValueError):
        for wipe in _wipes:
            wipe()
        sys.stderr.write(f"{one_line(text)}\n")
        sys.stderr.flush()


_collections: list[list[str]] = []
"""Lists that collect warnings, one for each open block of `collected_warnings`."""


@contextlib.contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect the warnings that are written inside the block: yield the list that receives them."""
    warnings: list[str] = []
    _collections.append(warnings)
    try:
        yield warnings
    finally:
        # Not `remove`, which removes the first list that is equal, as empty ones of outer blocks are.
        _collections[:] = [collected for collected in _collections if collected is not warnings]


def warn(text: str) -> None:
    """Write a warning to stderr."""
    for warnings in _collections:
        warnings.append(text)
    say(f"pres-eval: warning: {text}")


def note(text: str) -> None:
    """Write a note to stderr."""
    say(f"pres-eval: note: {text}")


@contextlib.contextmanager
def shown_reader_warnings(quiet: bool) -> Iterator[None]:
    """Write the notes and warnings of readers inside the block to stderr, each text once; none if quiet.

    Readers use Python's warnings, as they serve the library, too.
    """
    written: set[str] = set()
    show_others = python_warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any, **more: Any) -> None:
        """Write a warning in place of Python's showwarning."""
        if not issubclass(category, ReadingWarning):
            show_others(message, category, *location, **more)
        elif not quiet and str(message) not in written:
            written.add(str(message))
            if issubclass(category, ReadingNote):
                note(str(message))
            else:
                warn(str(message))

    with python_warnings.catch_warnings():
        python_warnings.simplefilter("always", ReadingWarning)
        python_warnings.showwarning = show
        yield


def check_stdin_once(paths: Sequence[str]) -> None:
    """Raise UsageError if more than one of the paths is standard input, `-`."""
    if paths.count("-") > 1:
        raise UsageError("standard input (-) can be one file only")
