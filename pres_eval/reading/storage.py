"""Storage of runs: paths, and addresses that fsspec opens (s3://, gs://, https://, ...)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from pres_eval.errors import InputError, PresEvalError, extra_module
from pres_eval.reading.source import Source
from pres_eval.reading.streams import (
    LONGEST_MAGIC,
    OpenFile,
    Pieces,
    ReadAt,
    Version,
    compression_of,
    readable,
    reason,
    version_of,
)
from pres_eval.records import dataclass

BLOCK = 8 << 20
"""Bytes of a remote file that are asked for at a time."""

BEHIND = 1 << 16
"""Bytes that are asked for behind the end of a part, for the rest of its last line."""


STAMPS = (
    *(
        "ETag",
        "etag",
        "VersionId",
        "version_id",
        "generation",
        "md5Hash",
        "content_md5",
        "Content-MD5",
        "Digest",
    ),
    *("LastModified", "last_modified", "mtime", "created"),
)
"""Fields of a store's information that change with the file, by the names that stores use."""

EVERYWHERE = 2
"""Of a version: the size and the time, which all machines see alike that share a file, or have copies of it.

Numbers of devices and files hold on one machine; the change time differs where each has a copy of its own.
"""

BOOT = "/proc/sys/kernel/random/boot_id"


@dataclass(frozen=True)
class PlannedFile:
    """A file as it was when the work was planned.

    name        as messages call it
    address     as every worker can open it: an absolute path or an address
    size        in bytes
    version     a text that changes when somebody writes to it
    machine     where the version was taken
    descriptor  of the open file, for copies of the process that opened it
    """

    name: str
    address: str
    size: int
    version: Version
    machine: str
    descriptor: int | None = None

    def __reduce__(self) -> tuple[type[PlannedFile], tuple[str, str, int, Version, str]]:
        # Another process opens it anew.
        return PlannedFile, (self.name, self.address, self.size, self.version, self.machine)


def is_remote(address: str) -> bool:
    """Return whether an address is one of fsspec's and not a path."""
    scheme, colon, _ = address.partition("://")
    return bool(colon) and scheme.replace("+", "").replace("-", "").isalnum()


def expand(address: str) -> list[str]:
    """Return the files that a pattern (`*`, `?`, `[...]`) names, in order; any other address as it is.

    Raises InputError if a pattern names no file.
    """
    import glob  # few addresses are patterns

    if not glob.has_magic(address) or (not is_remote(address) and os.path.exists(address)):  # noqa: PTH110
        return [address]
    if is_remote(address):
        system, path = system_of(address)
        with as_input_error(address):
            found = sorted(system.unstrip_protocol(each) for each in system.glob(path))
    else:
        found = sorted(glob.glob(address, recursive=True))  # noqa: PTH207 - keeps the path as it was written
    if not found:
        raise InputError(address, None, "no file of such a name", "a pattern that names some")
    return found


def remote_source(address: str) -> PlannedSource:
    """Return the file at an address of fsspec's.  Raises InputError if there is none."""
    version = _remote_version(address)
    return PlannedSource(PlannedFile(address, address, int(version[0]), version, ""))


@contextlib.contextmanager
def kept_open(source: Source) -> Iterator[PlannedSource]:
    """Give the file of a source for workers; copies of this process read the open file, whatever its name is.

    Raises InputError if a worker cannot open it, or if it has changed.
    """
    if isinstance(source, PlannedSource):
        yield PlannedSource(source.file)
        return
    with contextlib.closing(source._open()) as opened:
        version = opened.version()
        if version is None:
            raise InputError(source.path, None, "a pipe or a device", "a file that every worker can open")
        address = os.path.abspath(source.path)  # noqa: PTH100
        yield PlannedSource(
            PlannedFile(
                name=source.name,
                address=address,
                size=int(version[0]),
                version=version,
                machine=_machine(),
                descriptor=opened.descriptor,
            )
        )


def _machine() -> str:
    """Return a text that distinguishes this machine, or this container, from others."""
    name = os.uname().nodename if hasattr(os, "uname") else ""
    with contextlib.suppress(OSError), open(BOOT, encoding="ascii") as file:  # noqa: PTH123
        name += file.read()
    return name


def files_in(address: str) -> list[str] | None:
    """Return the files of a folder of a store, None if there is no folder."""
    system, path = system_of(address)
    with as_input_error(address):
        system.invalidate_cache()
        if system.info(path).get("type") != "directory":
            return None
        return [system.unstrip_protocol(each) for each in system.ls(path, detail=False)]


def is_compressed(file: PlannedFile) -> bool:
    """Return whether the file begins as compressed ones do."""
    try:
        with contextlib.closing(open_at(file, 0, LONGEST_MAGIC)) as opened:
            return compression_of(opened) is not None
    except OSError as error:
        raise InputError(file.name, None, f"cannot be read ({reason(error)})") from None


def open_at(file: PlannedFile, start: int, stop: int) -> OpenFile:
    """Return the present file from a place on; the wanted part ends at about `stop`."""
    if is_remote(file.address):
        return OpenFile(
            Pieces(_blocks(file, start, stop)), None, version=partial(_remote_version, file.address)
        )
    number, opened = file.descriptor, contextlib.ExitStack()
    if number is None:
        with readable(file.name):
            number = opened.enter_context(open(file.address, "rb", buffering=0)).fileno()  # noqa: PTH123, SIM115
    return OpenFile(ReadAt(number, start), None, opened.close, partial(version_of, number), file.size - start)


class PlannedSource(Source):
    """A planned file as a source; with `stop`, its bytes start ... stop-1, which are whole lines of text."""

    def __init__(self, file: PlannedFile, start: int = 0, stop: int | None = None) -> None:
        super().__init__(file.address, file.name)
        self.file = file
        self.may_be_compressed = stop is None
        self._start, self._stop = start, stop
        if start:
            self._mark = b""  # a byte order mark is one at the beginning of the file alone
        self.agree(file.version if file.machine == _machine() else file.version[:EVERYWHERE])

    def __reduce__(self) -> tuple[type[PlannedSource], tuple[PlannedFile, int, int | None]]:
        return PlannedSource, (self.file, self._start, self._stop)

    def size(self) -> int:
        """Return bytes of the file."""
        return self.file.size

    def for_jumps(self) -> Any:
        """Return the file, open for readers that jump about in it."""
        if not is_remote(self.file.address):
            return super().for_jumps()
        self.check_unchanged()
        system, path = system_of(self.file.address)
        return system.open(path, "rb")

    def _open(self) -> OpenFile:
        stop = self.file.size if self._stop is None else self._stop
        opened = self._checked(open_at(self.file, self._start, stop))
        opened.left = None if self._stop is None else stop - self._start
        return opened

    def _line_at(self, place: int) -> int | None:
        """Return the line of the file that begins at this place in these bytes."""
        if self._start:
            return PlannedSource(self.file, 0, self._stop)._line_at(self._start + place)
        return super()._line_at(place)


class MadeText(Source):
    """A text that is in no file of its own: `pieces` makes it whenever it is read, or raises an error."""

    may_be_compressed = False

    def __init__(self, path: str, pieces: Callable[[], Iterator[bytes]]) -> None:
        super().__init__(path)
        self._pieces = pieces

    def __reduce__(self) -> tuple[type[MadeText], tuple[str, Callable[[], Iterator[bytes]]]]:
        return MadeText, (self.path, self._pieces)

    def _open(self) -> OpenFile:
        return OpenFile(Pieces(self._pieces()), self._progress)


def _blocks(file: PlannedFile, start: int, stop: int) -> Iterator[bytes]:
    """Yield a remote file, some megabytes at a time; raise OSError if others came than were asked for."""
    system, path = system_of(file.address)
    while (end := min(start + BLOCK, max(stop, start) + BEHIND, file.size)) > start:
        with _as_os_error():
            block = system.cat_file(path, start=start, end=end)
        if len(block) == file.size:
            # Some web servers send the whole file, whatever part of it was asked for.
            block = block[start:end]
        if len(block) != end - start:
            raise OSError(f"{len(block):,} bytes came, expected {end - start:,}")
        yield block
        start = end


def _remote_version(address: str) -> Version:
    system, path = system_of(address)
    with as_input_error(address):
        system.invalidate_cache()
        found = system.info(path)
        if found.get("type") == "directory":
            raise IsADirectoryError
        return int(found["size"]), " ".join(str(found[key]) for key in STAMPS if found.get(key) is not None)


def system_of(address: str) -> tuple[Any, str]:
    """Return the file system of fsspec for an address, and the path in it."""
    fsspec = extra_module("fsspec", f"{address}: reading from there", "cluster")
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise PresEvalError(f"{address}: cannot be opened: {error}") from None
    except ValueError as error:
        raise InputError(address, None, f"cannot be opened ({error})") from None
    return system, path


@contextlib.contextmanager
def _as_os_error() -> Iterator[None]:
    """Return a store's error as an error of the system, whatever the store calls it."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(str(error) or type(error).__name__) from None


@contextlib.contextmanager
def as_input_error(address: str) -> Iterator[None]:
    """Return a store's error as the InputError of a file."""
    with readable(address), _as_os_error():
        yield
