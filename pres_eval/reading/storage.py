"""Where runs are: paths, and addresses that fsspec opens (s3://, gs://, https://, ...)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from pres_eval.errors import InputError, MissingExtraError, PresEvalError
from pres_eval.reading.source import LONGEST_MAGIC, MAGIC, Source, reason
from pres_eval.reading.streams import OpenFile, Readable, Version, version_of
from pres_eval.records import dataclass

BLOCK = 8 << 20
"""Bytes of a remote file that are asked for at a time."""

BEHIND = 1 << 16
"""Bytes that are asked for behind the end of a part, for the rest of its last line."""


@dataclass(frozen=True, eq=False)
class File:
    """A file as it was when the work was planned.

    name        as messages call it
    address     as every worker can open it: an absolute path or an address
    size        in bytes
    version     what changes when somebody writes to it
    descriptor  the file, open in this process; what another process gets opens it anew
    """

    name: str
    address: str
    size: int
    version: Version | str
    descriptor: int | None = None

    def __reduce__(self) -> tuple[type[File], tuple[str, str, int, Version | str]]:
        return File, (self.name, self.address, self.size, self.version)

    @property
    def is_remote(self) -> bool:
        """Whether fsspec opens it."""
        return is_remote(self.address)

    @contextlib.contextmanager
    def held(self) -> Iterator[File]:
        """Hold the file open for copies of this process: they read it even when its path is given away."""
        if self.is_remote:
            yield self
            return
        with open_at(self, 0, 0) as file:
            yield replace(self, descriptor=file.descriptor)


def is_remote(address: str) -> bool:
    """Whether an address is one of fsspec's and not a path."""
    scheme, colon, _ = address.partition("://")
    return bool(colon) and scheme.replace("+", "").replace("-", "").isalnum()


def expand(address: str) -> list[str]:
    """The files that a pattern (`*`, `?`, `[...]`) names, in order; any other address as it is.

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


def file_at(address: str) -> File:
    """The file at an address.  Raises InputError if there is none that every worker can open."""
    if is_remote(address):
        return File(address, address, *_remote_version(address))
    try:
        with open(address, "rb", buffering=0) as file:  # noqa: PTH123
            version = version_of(file.fileno())
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        raise InputError(address, None, reason(error), "a readable file") from None
    if version is None:
        raise InputError(address, None, "a pipe or a device", "a file that every worker can open")
    return File(address, os.path.abspath(address), size, version)  # noqa: PTH100


def file_of(source: Source) -> File:
    """The file of a source as it is now.  Raises InputError if not every worker can open it."""
    if isinstance(source, RemoteSource):
        return source.file
    source.check_readable()
    return replace(file_at(source.path), name=source.name)


def source_of(file: File) -> Source:
    """The whole file, to be read."""
    if file.is_remote:
        return RemoteSource(file)
    return Source(file.address, file.name)


def files_in(address: str) -> list[str] | None:
    """The files of a folder of a store, None if there is no folder."""
    system, path = system_of(address)
    with as_input_error(address):
        system.invalidate_cache()
        if system.info(path).get("type") != "directory":
            return None
        return [system.unstrip_protocol(each) for each in system.ls(path, detail=False)]


def is_compressed(file: File) -> bool:
    """Whether the file begins as compressed ones do."""
    head = first_bytes(file, LONGEST_MAGIC)
    return any(head.startswith(magic) for every in MAGIC.values() for magic in every)


def first_bytes(file: File, count: int) -> bytes:
    """The first bytes as they are stored."""
    try:
        with contextlib.closing(open_at(file, 0, count)) as opened:
            return opened.read(count)
    except OSError as error:
        raise InputError(file.name, None, f"cannot be read ({reason(error)})") from None


def open_at(file: File, start: int, stop: int) -> OpenFile:
    """The file from a place on; what is wanted goes to about `stop`.

    Raises InputError if it is not the file that it was when the work was planned.
    """
    if file.is_remote:
        if _remote_version(file.address) != (file.size, file.version):
            raise changed(file)
        return OpenFile(_Blocks(file, start, stop), None)
    if file.descriptor is not None:
        opened = OpenFile(_At(file.descriptor, start), None, file.descriptor)
    else:
        try:
            raw = open(file.address, "rb", buffering=0)  # noqa: PTH123, SIM115
        except (OSError, ValueError) as error:
            raise InputError(file.name, None, reason(error), "a readable file") from None
        raw.seek(start)
        opened = OpenFile(cast(Readable, raw), None, raw.fileno(), raw.close)
    if version_of(cast(int, opened.descriptor)) != file.version:
        opened.close()
        raise changed(file)
    return opened


def changed(file: File) -> InputError:
    """What to raise where two readings of a file don't agree."""
    return Source(file.name).changed()


class _At:
    """A file from a place on, whose descriptor other processes read from, too."""

    def __init__(self, descriptor: int, place: int) -> None:
        self._descriptor = descriptor
        self._place = place

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        count = os.preadv(self._descriptor, [view], self._place)
        self._place += count
        return count


class RemoteSource(Source):
    """A whole file that fsspec opens."""

    def __init__(self, file: File) -> None:
        super().__init__(file.name)
        self.file = file

    def __reduce__(self) -> tuple[type[RemoteSource], tuple[File]]:
        return RemoteSource, (self.file,)

    def size(self) -> int:
        """Bytes of the file."""
        return self.file.size

    def for_jumps(self) -> Any:
        """The file, open for readers that jump about in it."""
        system, path = system_of(self.file.address)
        return system.open(path, "rb")

    def _open(self) -> OpenFile:
        return open_at(self.file, 0, self.file.size)


class _Blocks:
    """A remote file as a stream, some megabytes at a time."""

    def __init__(self, file: File, start: int, stop: int) -> None:
        self._system, self._path = system_of(file.address)
        self._size = file.size
        self._place = start
        self._stop = stop
        self._block = memoryview(b"")

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        if not self._block:
            self._block = self._next_block()
        count = min(len(view), len(self._block))
        view[:count] = self._block[:count]
        self._block = self._block[count:]
        return count

    def _next_block(self) -> memoryview:
        stop = min(self._place + BLOCK, max(self._stop, self._place) + BEHIND, self._size)
        if stop <= self._place:
            return memoryview(b"")
        wanted = stop - self._place
        with _as_os_error():
            block = self._system.cat_file(self._path, start=self._place, end=stop)
        if len(block) == self._size:
            # Some web servers send the whole file, whatever part of it was asked for.
            block = block[self._place : stop]
        if len(block) != wanted:
            raise OSError(f"{len(block):,} bytes came where {wanted:,} were asked for")
        self._place += len(block)
        return memoryview(block)


def _remote_version(address: str) -> tuple[int, str]:
    system, path = system_of(address)
    with as_input_error(address):
        system.invalidate_cache()
        found = system.info(path)
        if found.get("type") == "directory":
            raise IsADirectoryError
        stamps = (found.get(key) for key in ("ETag", "etag", "LastModified", "mtime", "md5Hash", "created"))
        return int(found["size"]), " ".join(str(stamp) for stamp in stamps if stamp is not None)


def system_of(address: str) -> tuple[Any, str]:
    """The file system of fsspec for an address, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError(f"{address}: reading from there", "fsspec", "cluster") from None
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise PresEvalError(f"{address}: cannot be opened: {error}") from None
    except ValueError as error:
        raise InputError(address, None, f"cannot be opened ({error})") from None
    return system, path


@contextlib.contextmanager
def _as_os_error() -> Iterator[None]:
    """What a store raises as an error of the system, whatever the store calls it."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(str(error) or type(error).__name__) from None


@contextlib.contextmanager
def as_input_error(address: str) -> Iterator[None]:
    """What a store raises as the InputError of a file."""
    try:
        with _as_os_error():
            yield
    except OSError as error:
        raise InputError(address, None, reason(error), "a readable file") from None
