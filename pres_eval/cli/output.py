"""Destinations of results: the terminal, a pipe, a file that appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, BinaryIO

import click
from click.core import ParameterSource

from pres_eval.cli.streams import writing_results
from pres_eval.engines.machine import ending_signals
from pres_eval.errors import InputError, PresEvalError, RunFailure, UsageError

FORMAT_OF_ENDING = {
    "csv": "csv", "tsv": "tsv", "json": "json", "jsonl": "jsonl", "md": "markdown", "tex": "latex",
}  # fmt: skip
"""The format of results that the ending of a file's name chooses, where --format is not given."""

HTML_ENDINGS = ("html", "htm")
"""Endings of files that get tables in HTML: --format table --style html."""

ENDINGS_OF_NO_FORMAT = frozenset(
    ("doc", "docx", "odt", "rtf", "xls", "xlsx", "ods", "ppt", "pptx", "pdf", "png", "svg", "jpg", "jpeg")
)
"""Endings of files for other programs, which could not open lines of text under such a name."""


def set_format(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """Return the path, and make the format of the file's ending the default of --format and --style.

    Click looks up defaults after this option; a --format on the command line wins.
    """
    if path is None:
        return None
    ending = path.rpartition(".")[2].lower()
    form = FORMAT_OF_ENDING.get(ending)
    defaults: dict[str, Any] = {}
    for other in context.command.params:
        if other.name == "output_format" and form in other.type.choices:  # type: ignore[attr-defined]
            defaults["output_format"] = form
        elif other.name == "style" and ending in HTML_ENDINGS:
            defaults |= {"output_format": "table", "style": "html"}
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def check_ending(path: str) -> None:
    """Raise UsageError for a file with an ending of ENDINGS_OF_NO_FORMAT, unless --format names a format."""
    ending = path.rpartition(".")[2].lower()
    if ending not in ENDINGS_OF_NO_FORMAT:
        return
    context = click.get_current_context()
    if context.get_parameter_source("output_format") is ParameterSource.COMMANDLINE:
        return
    formats = next(option.type for option in context.command.params if option.name == "output_format")
    choices = formats.choices  # type: ignore[attr-defined]
    endings = [f".{known}" for known, form in FORMAT_OF_ENDING.items() if form in choices]
    endings.append(".html")
    if "trec" in choices:
        endings.append(".parquet")
    expected = f"{', '.join(endings[:-1])} or {endings[-1]}, or .txt for the lines of the screen"
    raise UsageError(f"--output {path}: no format has this ending, expected {expected}")


@contextlib.contextmanager
def output_file(path: str | None) -> Iterator[BinaryIO]:
    """Yield the stream to write to: stdout for None and `-`, else of the file at `path`.

    The bytes go to a temporary file in the same folder, which takes the file's name at the end of the block;
    if the block raises, the old file stays as it was.  A link stays a link: its target is replaced.  A file
    keeps its permissions.  What is no ordinary file (/dev/null, a named pipe) is written to directly.  Raises
    PresEvalError if the file can't be written.
    """
    if path is None or path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    # Not pathlib, which takes a while to import.
    try:
        status: os.stat_result | None = os.stat(path)  # noqa: PTH116
    except OSError:
        status = None
    # The link itself is opened, not its target: that of /dev/fd/63, bash's >(...), is no name of a file.
    if status is not None and not stat.S_ISREG(status.st_mode):
        with _errors_name_file(path), open(path, "wb") as stream:  # noqa: PTH123
            yield stream
        return
    with _new_file(path, os.path.realpath(path), status) as stream:
        yield stream


@contextlib.contextmanager
def _errors_name_file(path: str) -> Iterator[None]:
    """Turn an OSError of the block into a PresEvalError that names the file."""
    try:
        yield
    except OSError as error:
        raise PresEvalError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextlib.contextmanager
def _new_file(path: str, target: str, status: os.stat_result | None) -> Iterator[BinaryIO]:
    """Yield the stream of a new file beside the target, whose name it takes at the end of the block.

    path    of the file as messages name it
    target  the same, with links resolved
    status  of the old file, None if there is none
    """
    import secrets  # takes a while to import

    folder = os.path.dirname(target)  # noqa: PTH120
    temporary = os.path.join(folder, f".pres-eval-{secrets.token_hex(6)}.tmp")  # noqa: PTH118
    # Not tempfile: its files are readable by the owner alone, whatever the umask says.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # Only readers of the old file can read the new one; without an old one the umask decides.
    mode = 0o666 if status is None else 0o600
    with _removed_at_the_end(temporary), _errors_name_file(path):
        descriptor = os.open(temporary, flags, mode)
        if status is not None and hasattr(os, "fchown"):
            with contextlib.suppress(OSError):  # the group of a file can be kept by its members alone
                os.fchown(descriptor, status.st_uid, status.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)  # noqa: PTH105


_unfinished: set[str] = set()
"""Paths of temporary files, which are removed if a signal ends the process."""


@contextlib.contextmanager
def _removed_at_the_end(path: str) -> Iterator[None]:
    """Remove the file, which the block may create, when the block or the process ends."""
    _clean_up_on_signals()
    _unfinished.add(path)
    try:
        yield
    finally:
        _remove(path)
        _unfinished.discard(path)


def exit_if_failed(failures: Sequence[RunFailure] | None) -> None:
    """Raise click's Exit with the code of bad input if runs could not be evaluated.

    Call it when all output is written.
    """
    if failures:
        raise click.exceptions.Exit(InputError.exit_code)


def write_output(path: str | None, text: str | bytes) -> None:
    """Write a text, as UTF-8, or bytes to what `output_file` yields for the path."""
    if isinstance(text, str):
        text = text.encode("utf-8", "backslashreplace")
    with output_file(path) as stream, writing_results():
        stream.write(text)


def _clean_up_on_signals() -> None:
    """Let the signals that end a process remove temporary files first; those that are ignored stay so."""
    if threading.current_thread() is not threading.main_thread():
        return  # Python lets the main thread alone set this
    for number in ending_signals():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    """Remove the temporary files, and end the process by the signal of this number.

    It raises no exception: one could come up anywhere, also where Python ignores exceptions, and Python
    would wait for threads that wait for a pipe.
    """
    for path in list(_unfinished):
        _remove(path)
    signal.signal(number, signal.SIG_DFL)
    if os.name == "posix":
        os.kill(os.getpid(), number)
    os._exit(128 + number)


def _remove(path: str) -> None:
    """Remove a file if it is there."""
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - pathlib takes a while to import
