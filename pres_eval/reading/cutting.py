"""Where to cut a run into chunks: where the topic changes, as long as no topic comes again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from pres_eval.reading.source import Chunk, Source, behind_last_line
from pres_eval.records import dataclass

Result = TypeVar("Result")


class ScatteredError(Exception):
    """A topic came again after it was thought to be complete."""


@dataclass(frozen=True)
class Cut:
    """A chunk; whether all of its topics are whole, whether its last one is, and whether it is the first."""

    chunk: Chunk
    whole_topics: bool
    ends_whole: bool
    first: bool = False


def in_two_passes(source: Source, read: Callable[[Iterator[Cut], bool], Result]) -> Result:
    """What `read` makes of a run: topic by topic, or, if it raises ScatteredError, from any lines.

    `read` is given the chunks, and whether they were cut between topics.
    """
    try:
        return read(cuts(source, True), True)
    except ScatteredError:
        return read(cuts(source, False), False)


def cuts(source: Source, whole_topics: bool) -> Iterator[Cut]:
    """The chunks of a run, cut between topics if that is wanted."""
    cutter = TopicCutter()
    before_whole = whole_topics
    first = True
    for chunk in source.chunks(cut_place=cutter if whole_topics else behind_last_line):
        ends_whole = cutter.whole and whole_topics
        yield Cut(chunk, ends_whole and before_whole, ends_whole, first)
        first = False
        before_whole = ends_whole
        cutter.whole = True  # the last chunk is not cut


class TopicCutter:
    """Cuts chunks where the topic changes, so that no topic is torn apart unless it fills a whole chunk."""

    def __init__(self) -> None:
        self.whole = True
        """Whether the last cut was at a change of topic."""

    def __call__(self, buffer: bytearray, start: int, stop: int) -> int:
        """Where to cut buffer[start:stop]."""
        end = behind_last_line(buffer, start, stop)
        if end <= start:
            self.whole = False
            return end
        same = buffer.rfind(b"\n", start, end - 1) + 1 or start
        topic = _topic_at(buffer, same, end, b"")
        other = self._line_of_another_topic(buffer, start, same, end, topic)
        self.whole = other is not None
        if other is None:
            return end
        while (line := _line_between(buffer, other, same)) is not None:
            if _topic_at(buffer, line, end, topic) == topic:
                same = line
            else:
                other = line
        return same

    def _line_of_another_topic(
        self, buffer: bytearray, start: int, same: int, end: int, topic: bytes
    ) -> int | None:
        """A line before `same` that has another topic, searched in growing steps."""
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
    """The topic of a line; `unknown` for a line that begins with a blank or is a comment."""
    if buffer[line] <= ord(" ") or buffer[line] == ord("#"):
        return unknown
    return bytes(buffer[line : min(line + 256, end)]).split(None, 1)[0]


def _line_between(buffer: bytearray, low: int, high: int) -> int | None:
    """The start of a line near the middle of two lines, None if one follows the other."""
    middle = (low + high) // 2
    line = buffer.find(b"\n", middle, high - 1) + 1
    if not line:
        line = buffer.rfind(b"\n", low, middle) + 1
        if line <= low:
            line = 0
    return line if low < line < high else None
