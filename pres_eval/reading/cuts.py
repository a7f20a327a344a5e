"""Cuts of a text that leave lines, or topics, whole: for chunks and for the splits of a file alike."""

from __future__ import annotations

from collections.abc import Callable

Text = bytes | bytearray

Cut = Callable[[Text, int, int], int]
"""Function that returns where to cut text[start:stop]: behind its whole lines, or topics; `start` if it has
none.
"""

LARGEST_TOPIC = 1 << 24
"""Bytes of a topic that are waited for; a run with a larger topic is ranked as one in no order."""

TOPIC_BYTES = 256
"""Bytes of a line that are compared to tell two topics apart."""

FIRST_STEP_BYTES = 1024
"""Bytes before the last line that are searched first for a line of another topic."""


class ScatteredError(Exception):
    """The lines of a topic are not together, or are too many to be waited for."""


def behind_last_line(text: Text, start: int, stop: int) -> int:
    """Return the position behind the last whole line of text[start:stop]; `start` if there is none."""
    return max(text.rfind(b"\n", start, stop) + 1, start)


def before_last_topic(text: Text, start: int, stop: int) -> int:
    """Return where the last topic of text[start:stop] begins, which may go on behind it.

    Returns `start` if one topic fills the text: more has to be read.  Raises ScatteredError for a topic of
    more than LARGEST_TOPIC bytes.
    """
    end = behind_last_line(text, start, stop)
    if end <= start:
        return start
    last_line = text.rfind(b"\n", start, end - 1) + 1 or start
    topic = _topic_at(text, last_line, end, unknown=b"")
    other_line = _line_of_another_topic(text, start, last_line, end, topic)
    if other_line is None:
        if stop - start > LARGEST_TOPIC:
            raise ScatteredError
        return start
    if not topic:
        return last_line
    # The last topic begins at its first line behind that of another topic.
    newline_before_topic = last_line - 1
    for blank in (b" ", b"\t"):
        newline = text.find(b"\n" + topic + blank, other_line, end)
        if newline >= 0:
            newline_before_topic = min(newline, newline_before_topic)
    return newline_before_topic + 1


def _line_of_another_topic(text: Text, start: int, last_line: int, end: int, topic: bytes) -> int | None:
    """Return where a line of text[start:last_line] begins that has another topic; None if none has.

    Lines are looked at FIRST_STEP_BYTES before the last line, then twice as far before it, and so on, so that
    few lines are read.

    last_line, topic  where the last line begins, and its topic
    end               where the last line ends
    """
    step = FIRST_STEP_BYTES
    while True:
        position = max(last_line - step, start)
        line = position
        if position > start:  # in the middle of a line
            line = text.find(b"\n", position, end) + 1
        if line < last_line and _topic_at(text, line, end, topic) != topic:
            return line
        if position == start:
            return None
        step *= 2


def _topic_at(text: Text, line: int, end: int, unknown: bytes) -> bytes:
    """Return the topic of the line at this position; `unknown` if it begins with a blank, or is a comment."""
    if text[line] <= ord(" ") or text[line] == ord("#"):
        return unknown
    beginning = bytes(text[line : min(line + TOPIC_BYTES, end)])
    return beginning.split(None, 1)[0]
