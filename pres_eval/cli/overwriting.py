"""Check that no file that a command writes is one that it reads, or writes for another option."""

from __future__ import annotations

import itertools
import os
import stat
import sys
from collections.abc import Iterator, Sequence

from pres_eval.errors import UsageError
from pres_eval.records import dataclass

STDOUT_NAME = "standard output"

FileIdentity = tuple[int, int] | str
"""What all paths to a file share: its device and inode; the whole path of a file that does not exist."""


@dataclass(frozen=True, kw_only=True)
class NamedFile:
    """A file that the command line names.

    name         as messages name it: the option with its value, or the value of an argument
    path         of the file, - for a standard stream
    option       the option, empty for an argument
    is_baseline  whether it is an input that --output may replace, after all has been read
    """

    name: str
    path: str
    option: str = ""
    is_baseline: bool = False


def same_file(path: str, other: str) -> bool:
    """Return whether two paths lead to one file, by links as well; False for devices and pipes."""
    identity = _identity(path)
    return identity is not None and identity == _identity(other)


def check_outputs(outputs: Sequence[NamedFile], inputs: Sequence[NamedFile]) -> None:
    """Raise UsageError if an output is also an input, or also another output.

    --output may be a baseline.
    """
    identities = {file.name: _identity(file.path) for file in (*outputs, *inputs)}
    for output in outputs:
        output_identity = identities[output.name]
        for read in inputs:
            is_same = output_identity is not None and output_identity == identities[read.name]
            replaces_baseline = output.option == "--output" and read.is_baseline
            relation = ""
            if is_same and not replaces_baseline:
                relation = "the same file as"
            elif _is_part(output.path, read.path):
                relation = "a file of"
            if relation:
                raise UsageError(
                    f"{output.name}: {relation} {read.name}, an input that would be lost; choose another file"
                )
    for first, second in itertools.combinations(outputs, 2):
        if identities[first.name] is not None and identities[first.name] == identities[second.name]:
            raise _same_output_error(second, other=first)


def check_stdout(stdout: FileIdentity, outputs: Sequence[NamedFile], inputs: Sequence[NamedFile]) -> None:
    """Raise UsageError if standard output goes to a file that is an input or an output.

    With --output FILE outputs are not looked at: stdout is then empty, so that nothing is lost.
    """
    for read in inputs:
        if stdout == _identity(read.path):
            advice = f"--output {read.path}" if read.is_baseline else "--output FILE"
            raise UsageError(
                f"{STDOUT_NAME}: the same file as {read.name}, an input, which the shell opens for writing"
                f" before pres-eval can read it; expected {advice} in place of > {read.path}"
            )
    if any(output.option == "--output" for output in outputs):
        return
    for output in outputs:
        if stdout == _identity(output.path):
            raise _same_output_error(output, other=NamedFile(name=STDOUT_NAME, path="-"))


def _same_output_error(output: NamedFile, other: NamedFile) -> UsageError:
    """Return the error for two outputs that are one file."""
    return UsageError(
        f"{output.name}: the same file as {other.name}, of which one would be lost; choose another file"
    )


def _identity(path: str) -> FileIdentity | None:
    """Return the identity of the file at a path; None for a device, a pipe or a folder, which lose nothing.

    - is standard input here: outputs with this name are left out before.
    """
    if path == "-":
        return stream_identity(sys.stdin)
    try:
        status = os.stat(path)  # noqa: PTH116 - pathlib takes a while to import
    except (OSError, ValueError):
        return os.path.normcase(os.path.realpath(path))
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def stream_identity(stream: object) -> FileIdentity | None:
    """Return the identity of the file that a standard stream leads to; None for a terminal or a pipe."""
    try:
        status = os.fstat(stream.fileno())  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def _is_part(output: str, read: str) -> bool:
    """Return whether an output is an existing file in a folder that is read, as that of a run in parts is."""
    if not os.path.isdir(read) or not os.path.isfile(output):  # noqa: PTH112, PTH113
        return False
    folder = os.path.join(os.path.realpath(read), "")  # noqa: PTH118
    return os.path.realpath(output).startswith(folder)


def values_of(value: object) -> Iterator[str]:
    """Yield the texts in an option's value: the value itself, or those in a tuple; none for None."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from values_of(part)
