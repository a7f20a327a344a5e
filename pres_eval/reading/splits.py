"""Files in splits: ranges of bytes of a text, row groups of a Parquet file, or a whole file.

A split that is read topic by topic has the topics that begin in it.  Where these begin is found in the
file alone, so whoever reads the split before ends at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from pres_eval.reading.blocks import Block, FileFormat, check_scores, whole_topics
from pres_eval.reading.cutting import LARGEST_TOPIC, ScatteredError, TopicCutter
from pres_eval.reading.kinds import LONGEST_LINE
from pres_eval.reading.source import CHUNK, Chunk, Source, behind_last_line
from pres_eval.reading.storage import PlannedFile, is_compressed, open_at, source_of, version_here
from pres_eval.reading.streams import OpenFile, RawStream
from pres_eval.records import dataclass

WINDOW = 1 << 16
"""Bytes that are read first to find where a line or a topic begins."""

WORKER_CHUNK = 1 << 20
"""Bytes read at a time of a range: no other thread of its process waits for Python's lock."""


@dataclass(frozen=True)
class Split:
    """A part of a run.

    number       which file of the run it is in, from 0
    start, stop  bytes of a text, or row groups; None for the whole file
    """

    number: int
    start: int = 0
    stop: int | None = None

    @property
    def is_first(self) -> bool:
        """Return whether the run begins with it."""
        return self.number == self.start == 0


def text_splits(number: int, file: PlannedFile, size: int) -> Iterator[Split]:
    """Yield ranges of at most `size` bytes; a compressed file is one split."""
    if is_compressed(file):
        yield Split(number)
        return
    for start in range(0, file.size, size):
        yield Split(number, start, min(start + size, file.size))


def parquet_splits(number: int, file: PlannedFile, size: int) -> Iterator[Split]:
    """Yield row groups that have about `size` bytes together."""
    from pres_eval.reading.formats.parquet import check_columns, opened

    with opened(source_of(file)) as parquet:
        check_columns(source_of(file), parquet)
        groups = [parquet.metadata.row_group(group) for group in range(parquet.num_row_groups)]
    start = weight = 0
    for stop, group in enumerate(groups, 1):
        weight += group.total_byte_size
        if weight >= size or stop == len(groups):
            yield Split(number, start, stop)
            start, weight = stop, 0


def source_in(file: Source | PlannedFile, split: Split, by_topic: bool) -> Source:
    """Return the text of a split as a source; with `by_topic`, that of the topics that begin in it.

    Raises ScatteredError if no topic of LARGEST_TOPIC bytes or less is found to begin.
    """
    if isinstance(file, Source) or split.stop is None:
        return source_of(file)
    start, stop = (_boundary(file, place, by_topic) for place in (split.start, split.stop))
    return TextRange(file, start, max(start, stop))


def text_chunks(source: Source, by_topic: bool) -> Generator[Chunk, None, None]:
    """Return the chunks of a text; with `by_topic`, all topics of a chunk are whole.

    Raises ScatteredError for a topic of more than LARGEST_TOPIC bytes.
    """
    size = WORKER_CHUNK if isinstance(source, TextRange) and by_topic else CHUNK
    return source.chunks(size, TopicCutter() if by_topic else behind_last_line)


def blocks_in(file: Source | PlannedFile, split: Split, form: FileFormat, by_topic: bool) -> Iterator[Block]:
    """Yield the rows of a split of a file in another format than trec_eval's; with `by_topic`, whole topics.

    Raises InputError for a score that is not a number.
    """
    source = source_of(file)
    if split.stop is None:
        found = form.read(source, False)
    else:
        from pres_eval.reading.formats.parquet import blocks_of_groups

        found = blocks_of_groups(source, split.start, split.stop, by_topic)
    for block in whole_topics(found) if by_topic else found:
        check_scores(source.name, block)
        yield block


def _boundary(file: PlannedFile, place: int, by_topic: bool) -> int:
    """Return where the first line begins at this place of a file or behind it.

    With `by_topic`, the first line behind that one whose topic is another.
    """
    if place <= 0 or place >= file.size:
        return place
    window = WINDOW
    while True:
        try:
            with open_at(file, place - 1, place - 1 + window) as opened:
                text = opened.read(window)
        except OSError as error:
            source = source_of(file)
            source.check_unchanged()
            raise source.unreadable(error) from None
        line = text.find(b"\n") + 1
        found = _other_topic(text, line) if by_topic else line
        if line and found:
            return place - 1 + found
        if len(text) < window or (not by_topic and window > LONGEST_LINE):
            return file.size
        if by_topic and window >= LARGEST_TOPIC:
            raise ScatteredError
        window *= 4


def _other_topic(text: bytes, start: int) -> int:
    """Return the first line behind `start` that has another topic than the line there; 0 if none has."""
    first = re.compile(rb"\n(?![#\s])(\S+)\s").search(text, start - 1)
    if first is None:
        return 0
    found = re.compile(rb"\n(?!" + re.escape(first[1]) + rb"\s)(?![#\s])\S+\s").search(text, first.end() - 1)
    return 0 if found is None else found.start() + 1


class TextRange(Source):
    """The bytes start ... stop-1 of a file, which are whole lines, as a source of their own."""

    may_be_compressed = False  # compressed files are not split

    def __init__(self, file: PlannedFile, start: int, stop: int) -> None:
        super().__init__(file.name)
        self._file = file
        self._start, self._stop = start, stop
        self.agree(version_here(file))
        if start:
            self._mark = b""  # a byte order mark is one at the beginning of the file alone

    def _open(self) -> OpenFile:
        file = self._checked(open_at(self._file, self._start, self._stop))
        raw = _Limited(file, self._stop - self._start)
        return OpenFile(raw, self._progress, file.close, file.version)


class _Limited:
    """The first bytes of a stream."""

    def __init__(self, raw: RawStream, count: int) -> None:
        self._raw = raw
        self._left = count

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        count = self._raw.readinto(view[: self._left]) or 0 if self._left else 0
        self._left -= count
        return count
