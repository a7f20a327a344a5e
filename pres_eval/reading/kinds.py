"""Files that are not text: compressed ones by their first bytes, and lines without an end."""

from __future__ import annotations

from pres_eval.reading.streams import OpenFile

MAGIC = {
    "gzip": (b"\x1f\x8b",),
    "bzip2": (b"BZh",),
    "xz": (b"\xfd7zXZ\x00",),
    # A frame, or one that is to be skipped and comes before it.
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + number]) + b"\x2a\x4d\x18" for number in range(16))),
}
"""What compressed files begin with."""

LONGEST_MAGIC = max(len(magic) for every in MAGIC.values() for magic in every)

LONGEST_LINE = 1 << 20
"""Bytes that a line may have: what has no end (a device, a bomb) is told from text by it."""


def compression_of(file: OpenFile) -> str | None:
    """Return how a file is compressed, by its first bytes."""
    head = file.peek(LONGEST_MAGIC)
    return next((kind for kind, magic in MAGIC.items() if head.startswith(magic)), None)


def long_line(buffer: bytearray, start: int, stop: int) -> int | None:
    """Return where the first line of buffer[start:stop] longer than LONGEST_LINE begins, None if none is."""
    while stop - start > LONGEST_LINE:
        # All lines up to the last newline that this one may have are short enough.
        end = buffer.rfind(b"\n", start, start + LONGEST_LINE + 1) + 1
        if not end:
            return start
        start = end
    return None


class LongLineError(Exception):
    """A line without an end in sight; `place` is where it begins in the text."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place
