"""Files at addresses that fsspec opens, such as s3://, gs:// and https://: stores."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from pres_eval.errors import InputError, PresEvalError, extra_module, readable
from pres_eval.reading.streams import Version

STORE_BLOCK_BYTES = 8 << 20
"""Bytes of a remote file that are asked for at a time."""

STATE_FIELDS = (
    "ETag",
    "etag",
    "VersionId",
    "version_id",
    "generation",
    "md5Hash",
    "content_md5",
    "Content-MD5",
    "Digest",
    "LastModified",
    "last_modified",
    "mtime",
    "created",
)
"""Fields of a store's information that change with the file, by the names that stores use."""


def is_remote(address: str) -> bool:
    """Return whether an address has a scheme, such as s3://, and is no path."""
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
            names = sorted(system.unstrip_protocol(match) for match in system.glob(path))
    else:
        names = sorted(glob.glob(address, recursive=True))  # noqa: PTH207 - keeps the path as it was written
    if not names:
        raise InputError(address, None, "no file of such a name", "a pattern that names some")
    return names


def files_in(address: str) -> list[str] | None:
    """Return the files of a folder of a store, None if there is no folder."""
    system, path = system_of(address)
    with as_input_error(address):
        system.invalidate_cache()
        if system.info(path).get("type") != "directory":
            return None
        return [system.unstrip_protocol(name) for name in system.ls(path, detail=False)]


def remote_blocks(address: str, size: int, start: int, stop: int) -> Iterator[bytes]:
    """Yield the bytes start ... stop-1 of a file of this size at an address, some megabytes at a time.

    Raises OSError if a store sends another number of bytes.
    """
    system, path = system_of(address)
    while start < stop:
        end = min(start + STORE_BLOCK_BYTES, stop)
        with _as_os_error():
            block: bytes = system.cat_file(path, start=start, end=end)
        sent_whole_file = len(block) == size  # as some web servers do, whatever part was asked for
        if sent_whole_file:
            block = block[start:end]
        if len(block) != end - start:
            raise OSError(f"{len(block):,} bytes came, expected {end - start:,}")
        yield block
        start = end


def remote_version(address: str) -> Version:
    """Return the size of the file at an address, and a text that changes when somebody writes to it.

    Raises InputError if there is no such file.
    """
    system, path = system_of(address)
    with as_input_error(address):
        system.invalidate_cache()
        facts = system.info(path)
        if facts.get("type") == "directory":
            raise IsADirectoryError
        state = [str(facts[name]) for name in STATE_FIELDS if facts.get(name) is not None]
        return int(facts["size"]), " ".join(state)


def system_of(address: str) -> tuple[Any, str]:
    """Return fsspec's file system for an address, and the path of the file in it.

    Raises MissingExtraError without fsspec, PresEvalError without the package for this kind of store, and
    InputError for a malformed address.
    """
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
    """Raise a store's error inside the block as OSError, whatever the store calls it."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(str(error) or type(error).__name__) from None


@contextlib.contextmanager
def as_input_error(address: str) -> Iterator[None]:
    """Raise a store's error inside the block as the InputError of a file."""
    with readable(address), _as_os_error():
        yield
