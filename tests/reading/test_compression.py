"""Compressed files of several streams: all of their text or an error, in bounded memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tracemalloc
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard

from pres_eval.errors import DamagedError, InputError
from pres_eval.reading.compression import Decompressed, compression_named
from pres_eval.reading.file import File
from pres_eval.reading.streams import MAGIC, OpenFile

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}
FIRST = b"".join(b"1 Q0 d%d 1 %d.0 t\n" % (number, -number) for number in range(300))
SECOND = FIRST.replace(b"d", b"e")
SKIPPABLE = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"


def text_of(data: bytes, folder: Path, name: str = "file") -> bytes:
    path = folder / name
    path.write_bytes(data)
    return b"".join(bytes(c.buffer[c.start : c.stop]) for c in File(str(path)).chunks())


LEGAL: dict[str, tuple[list[bytes], bytes]] = {
    kind: ([compress(FIRST), compress(b""), compress(SECOND)], FIRST + SECOND)
    for kind, compress in COMPRESS.items()
} | {
    "gzip, NULs between": ([COMPRESS["gzip"](FIRST), bytes(7), COMPRESS["gzip"](SECOND)], FIRST + SECOND),
    "gzip, NULs behind": ([COMPRESS["gzip"](FIRST), bytes(600_000)], FIRST),
    "xz, padding between": ([COMPRESS["xz"](FIRST), bytes(8), COMPRESS["xz"](SECOND)], FIRST + SECOND),
    "xz, padding behind": ([COMPRESS["xz"](FIRST), bytes(4)], FIRST),
    "zstd, skippable frame first": ([SKIPPABLE, COMPRESS["zstd"](FIRST)], FIRST),
    "zstd, other skippable frame first": ([b"\x5f" + SKIPPABLE[1:], COMPRESS["zstd"](FIRST)], FIRST),
    "zstd, skippable frames all over": (
        [SKIPPABLE, COMPRESS["zstd"](FIRST), SKIPPABLE, SKIPPABLE, COMPRESS["zstd"](SECOND), SKIPPABLE],
        FIRST + SECOND,
    ),
}


@pytest.mark.parametrize("kind", LEGAL)
def test_streams_one_after_the_other(kind: str, tmp_path: Path) -> None:
    parts, text = LEGAL[kind]
    assert text_of(b"".join(parts), tmp_path) == text


ILLEGAL = {
    "gzip, xz behind": [COMPRESS["gzip"](FIRST), COMPRESS["xz"](SECOND)],
    "xz, gzip behind": [COMPRESS["xz"](FIRST), COMPRESS["gzip"](SECOND)],
    "bzip2, text behind": [COMPRESS["bzip2"](FIRST), SECOND],
    "xz, text behind": [COMPRESS["xz"](FIRST), SECOND],
    "gzip, text behind": [COMPRESS["gzip"](FIRST), SECOND],
    "zstd, text behind": [COMPRESS["zstd"](FIRST), SECOND],
    "xz, three NULs behind": [COMPRESS["xz"](FIRST), bytes(3)],
    "xz, five NULs between": [COMPRESS["xz"](FIRST), bytes(5), COMPRESS["xz"](SECOND)],
    "bzip2, NULs behind": [COMPRESS["bzip2"](FIRST), bytes(4)],
    "zstd, NULs behind": [COMPRESS["zstd"](FIRST), bytes(4)],
    "zstd, half a skippable frame": [COMPRESS["zstd"](FIRST), SKIPPABLE[:-1]],
}


@pytest.mark.parametrize("kind", ILLEGAL)
def test_rubbish_behind_a_stream(kind: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"file: cannot be read \((gzip|bzip2|xz|zstd): "):
        text_of(b"".join(ILLEGAL[kind]), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMPRESS)
def test_damage_anywhere_is_an_error(kind: str, tmp_path: Path) -> None:
    """Bits flipped, bytes cut off: never a part of the text without a word.

    What is in no checksum (a gzip header's time, a bzip2 stream's level) may change without harm.
    """
    whole = COMPRESS[kind](FIRST) + COMPRESS[kind](SECOND)
    random.seed(kind)
    wrong = 0
    for number in range(300):
        damaged = bytearray(whole)
        place = random.randrange(6, len(whole))  # before it is what tells the format
        if number % 3:
            damaged[place] ^= 1 << random.randrange(8)
        else:
            del damaged[place:]
        try:
            text = text_of(bytes(damaged), tmp_path)
        except InputError:
            wrong += 1
        else:
            boundary = place == len(COMPRESS[kind](FIRST))
            assert text == FIRST + SECOND or boundary, (number, place)
    assert wrong > 200


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("at_once", [1, 3, 64])
def test_views_and_pieces_of_any_size(kind: str, at_once: int) -> None:
    """Compressed bytes that trickle in, text that is asked for a little at a time."""

    class Trickle(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(at_once)

    compressed = Trickle(COMPRESS[kind](FIRST) + COMPRESS[kind](SECOND))
    stream = Decompressed(compressed, compression_named(kind, "file"))
    found = bytearray()
    view = bytearray(17)
    while count := stream.readinto(memoryview(view)):
        found += view[:count]
    assert bytes(found) == FIRST + SECOND


def bomb(kind: str) -> bytes:
    """100 MB of lines in a few kilobytes."""
    piece = COMPRESS[kind]((b"1 Q0 d 1 1.0 t" + b" " * 1009 + b"\n") * 10_000)
    return piece * 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMPRESS)
def test_bombs_need_no_more_memory_than_text(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(bomb(kind))
    source = File(str(path))
    size = 0
    tracemalloc.start()
    try:
        for chunk in source.chunks():
            size += chunk.stop - chunk.start
            source.give_back(chunk)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size == 10 * 10_000 * 1024
    assert peak < 45e6, peak


def test_xz_that_asks_for_too_much_memory(tmp_path: Path) -> None:
    compressor = lzma.LZMACompressor(filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096}])
    data = bytearray(compressor.compress(FIRST) + compressor.flush())
    # The dictionary's size in the block header (xz format 5.3.1), and the header's CRC32 after it.
    header_size = (data[12] + 1) * 4
    place = data.index(b"\x21\x01", 12) + 2
    data[place] = 38  # 2 GiB
    data[12 + header_size - 4 : 12 + header_size] = zlib.crc32(data[12 : 12 + header_size - 4]).to_bytes(
        4, "little"
    )
    with pytest.raises(InputError, match=r"cannot be read \(xz: Memory usage limit exceeded\)"):
        text_of(bytes(data), tmp_path)


def test_errors_of_the_file_are_not_the_formats() -> None:
    class Broken:
        def read(self, size: int, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        Decompressed(Broken(), compression_named("bzip2", "file")).readinto(memoryview(bytearray(10)))


def test_cut_off_in_the_first_bytes() -> None:
    with pytest.raises(DamagedError, match="gzip: the data is cut off"):
        Decompressed(io.BytesIO(b"\x1f\x8b"), compression_named("gzip", "file")).readinto(
            memoryview(bytearray(10))
        )


def test_magic_bytes_of_each_kind_are_its_own() -> None:
    every = sorted(magic for kinds in MAGIC.values() for magic in kinds)
    assert not any(later.startswith(earlier) for earlier, later in pairwise(every))
    assert all(any(compress(FIRST).startswith(m) for m in MAGIC[kind]) for kind, compress in COMPRESS.items())


def test_bytes_that_are_shown_are_read_again() -> None:
    opened = OpenFile(io.BytesIO(b"0123456789"))
    assert [opened.peek(count) for count in (6, 2, 8)] == [b"012345", b"01", b"01234567"]
    assert opened.read(10) == b"0123456789"
