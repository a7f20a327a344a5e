"""Runs in part files, as engines write them into a folder."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence

from pres_eval.cluster.storage import (
    File,
    as_input_error,
    file_at,
    first_bytes,
    is_remote,
    source_of,
    system_of,
)
from pres_eval.errors import EmptyFileError, InputError, UsageError
from pres_eval.ranking.any_format import PARQUET_MAGIC
from pres_eval.reading.source import Source, reason
from pres_eval.reading.streams import OpenFile, Readable
from pres_eval.records import dataclass

PARQUET_ENDING = ".parquet"
"""What folders are called whose files of the same ending are the parts of one table."""


@dataclass(frozen=True)
class Folder:
    """A run in part files, as engines write them: its rows are those of the files, one after the other.

    name   as messages call it
    files  in the order of the numbers in their names
    """

    name: str
    files: tuple[File, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def run_at(address: str) -> File | Folder:
    """The run at an address: a file, or a folder of part files.

    Raises InputError if there is neither.
    """
    try:
        return file_at(address)
    except InputError as error:
        if error.found != reason(IsADirectoryError()):
            raise
    parts = _part_files(address)
    if not parts:
        expected = "a readable file, or a folder of nothing but the part files (part-*) of one run"
        raise InputError(address, None, reason(IsADirectoryError()), expected)
    return Folder(address.rstrip("/"), tuple(file_at(part) for part in parts))


def _part_files(folder: str) -> list[str]:
    """The part files of a folder in order, none if it has others as well."""
    with as_input_error(folder):
        if is_remote(folder):
            system, path = system_of(folder)
            every = [system.unstrip_protocol(each) for each in system.ls(path, detail=False)]
        else:
            every = [os.path.join(folder, name) for name in os.listdir(folder)]  # noqa: PTH118, PTH208
    # Engines put other files beside them: _SUCCESS, _metadata, .part-00000.crc
    parts = [each for each in every if not each.rpartition("/")[2].startswith(("_", "."))]
    return sorted(parts, key=_by_number) if all(_is_part(folder, each) for each in parts) else []


def _is_part(folder: str, file: str) -> bool:
    """Whether a name is one that engines give to part files."""
    name = file.rpartition("/")[2]
    return re.match(r"part[-._]", name) is not None or (
        folder.rstrip("/").endswith(PARQUET_ENDING) and name.endswith(PARQUET_ENDING)
    )


def _by_number(file: str) -> tuple[list[tuple[int, str]], str]:
    """Sorts part.10 behind part.9, and part-00010 too."""
    words = re.split(r"(\d+)", file.rpartition("/")[2])
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in words], file


def text_at(address: str) -> Source:
    """The file at an address, or the lines of all part files of a folder as those of one file.

    Raises UsageError if these are no text.
    """
    run = run_at(address)
    if isinstance(run, File):
        return source_of(run)
    for file in run.files:
        if first_bytes(file, len(PARQUET_MAGIC)) == PARQUET_MAGIC:
            raise UsageError(f"{run.name}: part files in Parquet, expected text, or one of them: {file.name}")
    return _Lines(run)


class _Lines(Source):
    """The lines of part files, decompressed."""

    def __init__(self, run: Folder) -> None:
        super().__init__(run.name)
        self._files = run.files

    def _open(self) -> OpenFile:
        return OpenFile(_Joined(self._files), self._progress)

    def _decompressed(self, file: OpenFile) -> Readable:
        return file


class _Joined:
    """The text of files, one after the other; each ends in a newline."""

    def __init__(self, files: Sequence[File]) -> None:
        self._texts = _texts(files)
        self._text = memoryview(b"")

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        if not self._text:
            self._text = memoryview(next(self._texts, b""))
        count = min(len(view), len(self._text))
        view[:count] = self._text[:count]
        self._text = self._text[count:]
        return count


def _texts(files: Sequence[File]) -> Iterator[bytes]:
    for file in files:
        with contextlib.suppress(EmptyFileError):
            for chunk in source_of(file).chunks():
                yield chunk.text()
