"""Files in splits: ranges of bytes of a text, row groups of a Parquet file, or a whole file.

A split that is read topic by topic has the topics that begin in it.  Where these begin is found in the
file alone, so whoever reads the split before ends at the same place.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator, Iterator

from pres_eval.reading.blocks import Block, FileFormat, check_scores, whole_topics
from pres_eval.reading.source import CHUNK, Chunk, Source, behind_last_line
from pres_eval.reading.storage import PlannedSource, is_compressed, open_at
from pres_eval.reading.streams import LONGEST_LINE
from pres_eval.records import dataclass

LARGEST_TOPIC = 1 << 24
"""Bytes of a topic that are kept until it ends; a larger one is ranked as lines in any order are."""


class ScatteredError(Exception):
    """Topics are not together: one came again, or is too large to be waited for."""


def cut_between_topics(buffer: bytearray, start: int, stop: int) -> int:
    """Return where to cut buffer[start:stop], so that no topic is torn apart: behind the last whole one.

    `start` if one topic fills it: more has to be read.  Raises ScatteredError for a topic of more than
    LARGEST_TOPIC bytes.
    """
    end = behind_last_line(buffer, start, stop)
    if end <= start:
        return start
    same = buffer.rfind(b"\n", start, end - 1) + 1 or start
    topic = _topic_at(buffer, same, end, b"")
    other = _line_of_another_topic(buffer, start, same, end, topic)
    if other is None:
        if stop - start > LARGEST_TOPIC:
            raise ScatteredError
        return start
    if not topic:
        return same
    # Where this topic's line comes first, behind one of another topic, the last whole one has ended.
    places = [buffer.find(b"\n" + topic + blank, other, end) for blank in (b" ", b"\t")]
    return min((place for place in places if place >= 0), default=same - 1) + 1


def _line_of_another_topic(buffer: bytearray, start: int, same: int, end: int, topic: bytes) -> int | None:
    """Return a line before `same` that has another topic, searched in growing steps."""
    step = 1024
    while True:
        place = max(same - step, start)
        line = place if place == start else buffer.find(b"\n", place, end) + 1
        if line < same and _topic_at(buffer, line, end, topic) != topic:
            return line
        if place == start:
            return None
        step *= 2


def _topic_at(buffer: bytearray, line: int, end: int, unknown: bytes) -> bytes:
    """Return the topic of a line; `unknown` for a line that begins with a blank or is a comment."""
    if buffer[line] <= ord(" ") or buffer[line] == ord("#"):
        return unknown
    return bytes(buffer[line : min(line + 256, end)]).split(None, 1)[0]


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


def text_splits(number: int, source: PlannedSource, size: int) -> Iterator[Split]:
    """Yield ranges of at most `size` bytes; a compressed file is one split."""
    if is_compressed(source.file):
        yield Split(number)
        return
    for start in range(0, source.size(), size):
        yield Split(number, start, min(start + size, source.size()))


def parquet_splits(number: int, source: PlannedSource, size: int) -> Iterator[Split]:
    """Yield row groups that have about `size` bytes together."""
    from pres_eval.reading.formats.parquet import column_names, opened

    with opened(source) as parquet:
        column_names(source, parquet, grades=False)  # raises InputError
        groups = [parquet.metadata.row_group(group) for group in range(parquet.num_row_groups)]
    start = weight = 0
    for stop, group in enumerate(groups, 1):
        weight += group.total_byte_size
        if weight >= size or stop == len(groups):
            yield Split(number, start, stop)
            start, weight = stop, 0


def source_in(source: Source, start: int, stop: int, by_topic: bool) -> Source:
    """Return a range of the bytes of a text as a source; with `by_topic`, the topics that begin in it.

    Raises ScatteredError if no topic of LARGEST_TOPIC bytes or less is found to begin.
    """
    assert isinstance(source, PlannedSource), "others are read whole"
    start, stop = (_boundary(source, place, by_topic) for place in (start, stop))
    return PlannedSource(source.file, start, max(start, stop))


def text_chunks(source: Source, by_topic: bool) -> Generator[Chunk, None, None]:
    """Return the chunks of a text; with `by_topic`, all topics of a chunk are whole.

    Raises ScatteredError for a topic of more than LARGEST_TOPIC bytes.
    """
    is_range = isinstance(source, PlannedSource) and not source.may_be_compressed
    size = WORKER_CHUNK if is_range and by_topic else CHUNK
    return source.chunks(size, cut_between_topics if by_topic else behind_last_line)


def blocks_in(source: Source, split: Split, form: FileFormat, by_topic: bool) -> Iterator[Block]:
    """Yield the rows of a split of a file in another format than trec_eval's; with `by_topic`, whole topics.

    Raises InputError for a score that is not a number.
    """
    if split.stop is None:
        found = form.read(source, False)
    else:
        from pres_eval.reading.formats.parquet import blocks_of_groups

        found = blocks_of_groups(source, split.start, split.stop, by_topic)
    for block in whole_topics(found) if by_topic else found:
        check_scores(source.name, block)
        yield block


def _boundary(source: PlannedSource, place: int, by_topic: bool) -> int:
    """Return where the first line begins at this place of a file or behind it.

    With `by_topic`, the first line behind that one whose topic is another.
    """
    file = source.file
    if place <= 0 or place >= file.size:
        return place
    window = WINDOW
    while True:
        try:
            with contextlib.closing(open_at(file, place - 1, place - 1 + window)) as opened:
                text = opened.read(window)
        except OSError as error:
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
