"""Cuts of a run into chunks: where the topic changes, as long as no topic comes again."""

from __future__ import annotations

from pres_eval.reading.source import behind_last_line

LARGEST_TOPIC = 1 << 24
"""Bytes of a topic that are kept until it ends; a larger one is ranked as lines in any order are."""


class ScatteredError(Exception):
    """Topics are not together: one came again, or is too large to be waited for."""


class TopicCutter:
    """Cuts chunks where the topic changes, so that no topic is torn apart; chunks grow for that."""

    def __call__(self, buffer: bytearray, start: int, stop: int) -> int:
        """Return where to cut buffer[start:stop]: `start` if one topic fills it, so that more is read.

        Raises ScatteredError for a topic of more than LARGEST_TOPIC bytes.
        """
        end = behind_last_line(buffer, start, stop)
        if end <= start:
            return start
        same = buffer.rfind(b"\n", start, end - 1) + 1 or start
        topic = _topic_at(buffer, same, end, b"")
        other = self._line_of_another_topic(buffer, start, same, end, topic)
        if other is None:
            if stop - start > LARGEST_TOPIC:
                raise ScatteredError
            return start
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
