"""One kind of file: whatever it is, its splits and chunks are its text, and no line or topic is torn."""

from __future__ import annotations

import gzip
import os
import pickle
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.errors import InputError
from pres_eval.reading import cuts
from pres_eval.reading.cuts import ScatteredError, before_last_topic, behind_last_line
from pres_eval.reading.file import File
from pres_eval.reading.run_files import run_at, source_at, text_at

LINES = [b"%s Q0 d%d 1 1.0 t\n" % (topic, row) for topic in (b"a", b"bb", b"c") for row in range(40)]
TEXT = b"".join(LINES)


def piped(folder: Path) -> File:
    os.mkfifo(folder / "pipe")
    threading.Thread(target=(folder / "pipe").write_bytes, args=(TEXT,), daemon=True).start()
    return File(str(folder / "pipe"))


def compressed(folder: Path) -> File:
    (folder / "run.gz").write_bytes(gzip.compress(TEXT))
    return File(str(folder / "run.gz"))


def plain(folder: Path) -> File:
    (folder / "run").write_bytes(TEXT)
    return File(str(folder / "run"))


def sent(folder: Path) -> File:
    """Planned by another process."""
    file = plain(folder)
    with file.kept_open():
        planned: File = pickle.loads(pickle.dumps(file))
    assert planned.version == file.version is not None
    return planned


def part(folder: Path) -> File:
    """The lines of a folder's files, one after the other."""
    (folder / "parts").mkdir()
    (folder / "parts" / "part-1").write_bytes(b"".join(LINES[:50]))
    (folder / "parts" / "part-2").write_bytes(gzip.compress(b"".join(LINES[50:])))
    assert len(run_at(str(folder / "parts")).sources) == 2
    return text_at(str(folder / "parts"))


def stored(folder: Path) -> File:
    pytest.importorskip("fsspec")
    return source_at(Path(plain(folder).path).as_uri())


KINDS = {made.__name__: made for made in (plain, compressed, piped, sent, part, stored)}


@pytest.mark.parametrize("cut", [behind_last_line, before_last_topic])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_read_twice(kind: str, cut: cuts.Cut, tmp_path: Path) -> None:
    file = KINDS[kind](tmp_path)
    for size in (1, 100, 1 << 20):
        assert b"".join(chunk.text() for chunk in file.chunks(cut=cut, size=size)) == TEXT
    assert file.head() == TEXT


@pytest.mark.parametrize("cut", [behind_last_line, before_last_topic])
@pytest.mark.parametrize("kind", ["plain", "compressed", "sent", "stored"])
def test_splits_are_the_file(kind: str, cut: cuts.Cut, tmp_path: Path) -> None:
    file = KINDS[kind](tmp_path)
    with file.kept_open():
        for size in (1, 33, 500, 1 << 20):
            splits = file.splits(cut, size)
            found = [chunk.text() for start, stop in splits for chunk in file.chunks(start, stop, cut, 50)]
            assert b"".join(found) == TEXT
            if kind != "compressed":
                assert [start for start, _ in splits[1:]] == [stop for _, stop in splits[:-1]]
                assert splits[0][0] == 0 and splits[-1][1] == len(TEXT)
            topics = [{line.split()[0] for line in text.splitlines()} for text in found]
            assert cut is behind_last_line or sum(map(len, topics)) == 3


@pytest.mark.parametrize("change", ["grown", "replaced"])
@pytest.mark.parametrize("kind", ["plain", "compressed", "sent", "stored"])
def test_a_file_that_changes_between_two_readings(kind: str, change: str, tmp_path: Path) -> None:
    file = KINDS[kind](tmp_path)
    assert file.head() == TEXT
    path = Path(file.path.removeprefix("file://"))
    if change == "grown":
        with path.open("ab") as opened:
            opened.write(path.read_bytes())
    else:
        (tmp_path / "other").write_bytes(path.read_bytes())
        os.utime(tmp_path / "other", ns=(1, 1))
        (tmp_path / "other").replace(path)
    for read in (file.head, file.check_unchanged, lambda: list(file.chunks(0, 10))):
        with pytest.raises(InputError, match="the file changed while it was read"):
            read()


def test_a_pipe_is_no_file_that_workers_open(tmp_path: Path) -> None:
    pipe = piped(tmp_path)
    with pytest.raises(InputError, match="a pipe or a device"), pipe.kept_open():
        pass
    assert pipe.head() == TEXT


ROWS = st.lists(
    st.tuples(st.sampled_from([b"1", b"12", b"2", b"#", b" "]), st.integers(1, 4)), min_size=1, max_size=12
).map(lambda stretches: [line for line, count in stretches for _ in range(count)])


def topic_stretches(lines: list[bytes]) -> list[bytes]:
    """The topics of rows, each as often as it begins."""
    topics = [line.split()[0] for line in lines if line.strip() and not line.startswith(b"#")]
    return [topic for topic, before in zip(topics, [b"", *topics], strict=False) if topic != before]


@settings(deadline=None, max_examples=200)
@given(heads=ROWS, blank=st.sampled_from([b" ", b"\t"]), size=st.integers(1, 60), rest=st.booleans())
def test_cuts(heads: list[bytes], blank: bytes, size: int, rest: bool) -> None:
    """What is before a cut is whole; where topics are together, without comments, none is torn."""
    lines = [head + blank + b"Q0 d\n" for head in heads]
    text = b"".join(lines) + (b"1 half of a row" if rest else b"")
    for cut in (behind_last_line, before_last_topic):
        for stop in range(len(text) + 1):
            place = cut(text, 0, stop)
            assert 0 <= place <= stop and text[:place][-1:] in (b"", b"\n")
            stretches = topic_stretches(text[: text.rfind(b"\n", 0, stop) + 1].splitlines())
            is_together = len(set(stretches)) == len(stretches) and b"#" not in heads and b" " not in heads
            if cut is before_last_topic and is_together and place:
                before, after = text[:place].splitlines(), text[place:].splitlines()
                assert not set(topic_stretches(before)) & set(topic_stretches(after)[:1])
                assert topic_stretches(before) == stretches[:-1]


def test_a_topic_that_is_too_large_to_be_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "LARGEST_TOPIC", 50)
    one_topic = b"1 Q0 d\n" * 8
    assert before_last_topic(one_topic[:49], 0, 49) == 0
    with pytest.raises(ScatteredError):
        before_last_topic(one_topic, 0, len(one_topic))
    assert before_last_topic(one_topic + b"2 Q0 d\n", 0, len(one_topic) + 7) == len(one_topic)


def test_lines_without_an_end_are_no_place_to_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the split in which such a line begins finds it."""
    (tmp_path / "run").write_bytes(TEXT + b"x" * (3 << 20))
    file = File(str(tmp_path / "run"))
    chunks = (file.chunks(start, stop) for start, stop in file.splits(behind_last_line, 1 << 20))
    with pytest.raises(InputError, match=r"run:121: a line of more than 1,048,576 bytes"):
        [list(chunks_of_split) for chunks_of_split in chunks]
