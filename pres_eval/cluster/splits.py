"""Files in splits: ranges of bytes of a text, or of row groups of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator

from pres_eval.arrays.ids import PADDING
from pres_eval.cluster.storage import File, is_compressed, open_at, source_of, version_here
from pres_eval.reading.source import LONGEST_LINE, Source
from pres_eval.reading.streams import OpenFile, Readable
from pres_eval.records import dataclass

LEAST, MOST = 16 << 20, 256 << 20
"""Bytes of a split, if nobody says otherwise: more than a task costs, less than a worker's memory."""

PER_WORKER = 4
"""Splits for each worker, so that none of them waits long for the last one."""


@dataclass(frozen=True)
class Split:
    """A part of a file.

    start, stop  bytes of a text: the lines that begin there; else row groups
    parquet      whether it has row groups
    compressed   whether it is a whole compressed file
    unjudged     topics without judgements that the split tells of, None for as many as anybody
    """

    file: File
    start: int
    stop: int
    parquet: bool = False
    compressed: bool = False
    unjudged: int | None = None


def split_size(total: int, workers: int) -> int:
    """How many bytes splits should have, if all files together have so many."""
    return min(max(total // (PER_WORKER * max(workers, 1)), LEAST), MOST)


def text_splits(file: File, size: int) -> Iterator[Split]:
    """Ranges of at most so many bytes; one for a compressed file."""
    if is_compressed(file):
        yield Split(file, 0, file.size, compressed=True)
        return
    for start in range(0, file.size, size):
        yield Split(file, start, min(start + size, file.size))


def parquet_splits(file: File, size: int) -> Iterator[Split]:
    """Row groups that have about so many bytes together."""
    from pres_eval.reading.formats.parquet import check_columns, opened

    with opened(source_of(file)) as parquet:
        check_columns(source_of(file), parquet)
        groups = [parquet.metadata.row_group(number) for number in range(parquet.num_row_groups)]
        sizes = [group.total_byte_size for group in groups]
    start = weight = 0
    for stop, num_bytes in enumerate(sizes, 1):
        weight += num_bytes
        if weight >= size or stop == len(sizes):
            yield Split(file, start, stop, parquet=True)
            start, weight = stop, 0


def text_of(split: Split) -> Source:
    """The lines of a split as a source of their own; line 1 is the first of them."""
    return source_of(split.file) if split.compressed else TextRange(split)


class TextRange(Source):
    """The lines that begin in a split, as a source of their own; line 1 is the first of them."""

    def __init__(self, split: Split) -> None:
        super().__init__(split.file.name)
        self._split_of = split
        self.expect(version_here(split.file))
        if split.start:
            self._mark = b""  # a byte order mark is one at the beginning of the file alone

    def _open(self) -> OpenFile:
        split = self._split_of
        file = self._checked(open_at(split.file, max(split.start - 1, 0), split.stop))
        return OpenFile(_WholeLines(file, split), self._progress, file.close, file.version)

    def _decompressed(self, file: OpenFile) -> Readable:
        return file  # compressed files are not split


class _WholeLines:
    """Of a stream that begins a byte before a split: the lines that begin inside of it, to their end."""

    def __init__(self, raw: Readable, split: Split) -> None:
        self._raw = raw
        self._place = max(split.start - 1, 0)
        self._last = split.stop - 1  # the first newline from here on ends the last line
        self._ended = False
        self._skipping = split.start > 0

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        while not self._ended:
            count = self._raw.readinto(view)
            if not count:
                self._ended = True
                break
            start = 0
            if self._skipping:
                start = _find_newline(view, 0, count) + 1
                self._skipping = start == 0
                if self._skipping or self._place + start > self._last:
                    self._ended = self._place + max(start, count) > self._last
                    self._place += count
                    continue
            stop = self._stop_in(view, start, count)
            self._place += count
            if stop > start:
                if start:
                    view[: stop - start] = bytes(view[start:stop])
                return stop - start
        return 0

    def _stop_in(self, view: memoryview, start: int, count: int) -> int:
        """Where the split's last line ends in view[start:count], count if it goes on behind it."""
        first = max(self._last - self._place, start)
        if first < count:
            newline = _find_newline(view, first, count)
            if newline >= 0:
                self._ended = True
                return newline + 1
            # A line without an end is found to be too long by whoever reads this.
            self._ended = self._place + count - self._last > 2 * LONGEST_LINE + PADDING
        return count


def _find_newline(view: memoryview, start: int, stop: int) -> int:
    place = bytes(view[start:stop]).find(b"\n")
    return place if place < 0 else place + start
