"""Files, pipes and compressed files as chunks of whole lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import BYTE_ORDER_MARK

from pres_eval.arrays.ids import PADDING
from pres_eval.errors import InputError
from pres_eval.reading.file import File
from pres_eval.reading.judgements.judged_groups import PREFS
from pres_eval.reading.judgements.relevance import read_qrels
from pres_eval.reading.lines import read_table

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}
TEXT = b"".join(b"line %d of the file\n" % number for number in range(500))


def text_of(source: File, size: int | None = None) -> list[bytes]:
    """The texts of the chunks."""
    chunks = source.chunks() if size is None else source.chunks(size=size)
    return [bytes(chunk.buffer[chunk.start : chunk.stop]) for chunk in chunks]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], File]:
    """Make a file and open it."""

    def writer(data: bytes) -> File:
        path = tmp_path / "file"
        path.write_bytes(data)
        return File(str(path))

    return writer


@settings(deadline=None, max_examples=150)
@given(
    data=st.lists(st.sampled_from([b"a", b"bb ", b"\n", b"\r\n", b"a longer piece of text"]), min_size=1).map(
        b"".join
    ),
    size=st.integers(1, 40),
    mark=st.booleans(),
    give_back=st.booleans(),
)
def test_chunks_are_the_lines(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int, mark: bool, give_back: bool
) -> None:
    """Together the chunks are the file, with a newline at its end; each is of whole lines."""
    path = tmp_path_factory.getbasetemp() / "chunks"
    path.write_bytes(BYTE_ORDER_MARK * mark + data)
    source = File(str(path))
    found = []
    for chunk in source.chunks(size=size):
        text = bytes(chunk.buffer[chunk.start : chunk.stop])
        assert text.endswith(b"\n")
        assert chunk.start >= PADDING
        assert chunk.stop + PADDING - 1 <= len(chunk.buffer)
        found.append(text)
        if give_back:
            source.give_back(chunk)
    assert b"".join(found) == (data if data.endswith(b"\n") else data + b"\n")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000, None])
@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed(kind: str, size: int | None, write: Callable[[bytes], File]) -> None:
    assert b"".join(text_of(write(COMPRESS[kind](TEXT)), size)) == TEXT


@pytest.mark.parametrize("kind", ["gzip", "bz2", "xz", "zstd"])
def test_several_members_one_after_the_other(kind: str, write: Callable[[bytes], File]) -> None:
    data = b"".join(COMPRESS[kind](part) for part in (b"1 a\n2 ", b"b\n", b"3 c"))
    assert b"".join(text_of(write(data))) == b"1 a\n2 b\n3 c\n"


@pytest.mark.parametrize("kind", ["gzip", "bz2", "xz", "zstd"])
@pytest.mark.parametrize("part", [0.3, 0.7, 0.99])
def test_cut_off_compressed_file_is_an_error(kind: str, part: float, write: Callable[[bytes], File]) -> None:
    data = COMPRESS[kind](os.urandom(3000) + TEXT)
    with pytest.raises(InputError, match=r"file: cannot be read \(.*\)$"):
        text_of(write(data[: int(len(data) * part)]))


@pytest.mark.parametrize("kind", ["gzip", "bz2", "xz", "zstd"])
def test_damaged_compressed_file_is_an_error(kind: str, write: Callable[[bytes], File]) -> None:
    data = bytearray(COMPRESS[kind](os.urandom(3000) + TEXT))
    data[len(data) // 2 :: 7] = bytes(len(data[len(data) // 2 :: 7]))
    with pytest.raises(InputError, match=r"file: cannot be read \(.*\)$"):
        text_of(write(bytes(data)))


@pytest.mark.parametrize("kind", COMPRESS)
def test_standard_input(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(COMPRESS[kind](TEXT)))
    monkeypatch.setattr(sys, "stdin", stream)
    source = File("-")
    assert source.name == "<stdin>"
    assert b"".join(text_of(source)) == TEXT
    assert b"".join(text_of(source, 100)) == TEXT, "what was read of a pipe can be read again"


@pytest.mark.parametrize("kind", ["plain", "gzip"])
def test_named_pipe_can_be_read_twice(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(COMPRESS[kind](TEXT),))
    writer.start()
    source = File(str(path))
    assert source.size() is None
    first = b"".join(text_of(source, 50))
    writer.join()
    assert first == TEXT
    assert b"".join(text_of(source, 1000)) == TEXT


def test_pipe_that_gives_a_little_at_a_time() -> None:
    """The chunks do not depend on how a pipe is filled."""
    reading, writing = os.pipe()

    def fill() -> None:
        with os.fdopen(writing, "wb", buffering=0) as stream:
            for start in range(0, len(TEXT), 7):
                stream.write(TEXT[start : start + 7])

    writer = threading.Thread(target=fill)
    writer.start()
    with os.fdopen(reading, "rb") as stream:
        pieces = text_of(File(f"/dev/fd/{stream.fileno()}"), 300)
    writer.join()
    assert b"".join(pieces) == TEXT
    assert len(pieces) < 40


def test_mark_only_at_the_start(write: Callable[[bytes], File]) -> None:
    found = text_of(write(BYTE_ORDER_MARK + b"1 a\n" + BYTE_ORDER_MARK + b"2 b\n"))
    assert b"".join(found) == b"1 a\n" + BYTE_ORDER_MARK + b"2 b\n"


def test_mark_in_compressed_text(write: Callable[[bytes], File]) -> None:
    assert text_of(write(gzip.compress(BYTE_ORDER_MARK + b"1 a\n"))) == [b"1 a\n"]


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0), BYTE_ORDER_MARK])
def test_empty_file_is_an_error(data: bytes, write: Callable[[bytes], File]) -> None:
    with pytest.raises(InputError, match="the file is empty, expected lines of text"):
        text_of(write(data))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        text_of(File(str(tmp_path / "nothing")))
    assert str(caught.value) == f"{tmp_path}/nothing: no such file, expected a readable file"


def test_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        text_of(File(str(tmp_path)))


def test_missing_zstandard(
    write: Callable[[bytes], File], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    with pytest.raises(Exception, match=r"reading zstd needs the package zstandard.*\.\[zstd\]"):
        text_of(write(COMPRESS["zstd"](TEXT)))


@pytest.mark.parametrize("kind", ["plain", "gzip"])
def test_progress_counts_the_bytes_of_the_file(kind: str, write: Callable[[bytes], File]) -> None:
    data = COMPRESS[kind](TEXT)
    source = write(data)
    counts: list[int] = []
    source.watch(counts.append)
    text_of(source, 100)
    assert sum(counts) == len(data) == source.size()


def test_buffers_are_used_again(write: Callable[[bytes], File]) -> None:
    """A chunk that was given back lends its memory to a later one."""
    source = write(TEXT)
    buffers = set()
    count = 0
    for chunk in source.chunks(size=500):
        buffers.add(id(chunk.buffer))
        count += 1
        source.give_back(chunk)
    assert count > 10
    assert len(buffers) <= 3


def test_buffers_are_given_up_once_the_file_is_read(tmp_path: Path) -> None:
    """A hundred runs in one call would else keep a chunk's memory each."""
    path = tmp_path / "qrels.txt"
    path.write_bytes(b"".join(b"1 0 d%d 1\n" % number for number in range(50)))
    source = File(str(path))
    read_qrels(source)
    assert not source._free_buffers


def test_pipe_is_read_again_from_its_start_and_beyond_what_was_read(tmp_path: Path) -> None:
    """A run whose topics turn out to be scattered is read again when most of the pipe is still to come."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    data = b"".join(b"line %d\n" % number for number in range(400_000))
    writer = threading.Thread(target=fifo.write_bytes, args=(data,))
    writer.start()
    source = File(str(fifo))
    first = next(source.chunks(size=1000))
    assert bytes(first.buffer[first.start : first.stop]) == data[: first.stop - first.start]
    for _ in range(2):
        assert b"".join(bytes(c.buffer[c.start : c.stop]) for c in source.chunks()) == data
    writer.join()


def test_a_file_with_a_fault_is_closed_when_the_error_is_raised(tmp_path: Path) -> None:
    path = tmp_path / "prefs"
    path.write_bytes(b"t1 g s d1 2.0\nt1 g s d2\n")

    def next_descriptor() -> int:
        descriptor = os.open(path, os.O_RDONLY)
        os.close(descriptor)
        return descriptor

    free = next_descriptor()
    with pytest.raises(InputError) as kept:
        read_table(File(str(path)), PREFS)
    assert next_descriptor() == free
    assert kept.value.line == 2
