"""Runs and judgements of an S3-compatible store, for real, and other addresses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from support.in_splits import InSplits, Watched
from support.rankings import outcome, ranked_by

import pres_eval as pe
from pres_eval.engines.engine import ThisProcess
from pres_eval.errors import InputError, PresEvalError
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.reading.run_files import source_at
from pres_eval.reading.storage import expand, is_remote

fsspec: Any = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")


@pytest.fixture
def memory(fixtures: Path) -> Iterator[str]:
    """A folder of fsspec's own store in memory, with the runs and judgements of patents."""
    store = fsspec.filesystem("memory")
    for path in (fixtures / "patents").glob("*.txt"):
        store.pipe_file(f"/patents/{path.name}", path.read_bytes())
    yield "memory://patents"
    store.rm("/patents", recursive=True)


def test_files_of_a_store_are_read_as_those_of_the_disk(memory: str, fixtures: Path) -> None:
    folder = fixtures / "patents"
    expected = pe.evaluate(folder / "qrels.txt", folder / "run_broad.txt").to_trec(per_topic=True)
    assert pe.evaluate(f"{memory}/qrels.txt", f"{memory}/run_broad.txt").to_trec(per_topic=True) == expected


@pytest.mark.parametrize("size", [1000, 1 << 20])
def test_splits_of_a_store(size: int, memory: str, fixtures: Path) -> None:
    judged = read_relevance(source_at(f"{memory}/qrels.txt"))
    expected = outcome(lambda: read_run(File(str(fixtures / "patents" / "run_broad.txt")), judged, Options()))
    name = f"{memory}/run_broad.txt"
    assert outcome(lambda: ranked_by(InSplits(size), name, judged)) == expected | {"name": name}


def test_patterns(memory: str, tmp_path: Path) -> None:
    names = [name.rpartition("/")[2] for name in expand(f"{memory}/run_*.txt")]
    assert names == ["run_broad.txt", "run_keyword.txt", "run_semantic.txt"]
    assert all(is_remote(name) for name in expand(f"{memory}/run_*.txt"))
    for name in ("b", "a", "[odd]"):
        (tmp_path / name).touch()
    assert expand(str(tmp_path / "?")) == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert expand(str(tmp_path / "[odd]")) == [str(tmp_path / "[odd]")]
    for nothing in (f"{memory}/none*", str(tmp_path / "none*")):
        with pytest.raises(InputError, match="no file of such a name"):
            expand(nothing)


def test_what_cannot_be_opened(memory: str, tmp_path: Path) -> None:
    for address, says in (
        (f"{memory}/missing", "no such file"),
        (memory, "is a directory"),
        ("nonsense://x/y", "cannot be opened"),
        (str(tmp_path / "missing"), "no such file"),
        (str(tmp_path), "is a directory"),
        (os.devnull, "a pipe or a device"),
    ):
        with pytest.raises(PresEvalError, match=says), source_at(address).kept_open():
            pass


def test_a_file_of_a_store_that_changes_is_noticed(memory: str) -> None:
    judged = read_relevance(source_at(f"{memory}/qrels.txt"))
    name = f"{memory}/run_broad.txt"

    def told(done: int, _: int) -> None:
        if done == 2:
            fsspec.filesystem("memory").pipe_file("/patents/run_broad.txt", b"x Q0 d 1 1 t\n")

    with pytest.raises(InputError, match="the file changed while it was read"):
        ranked_by(Watched(ThisProcess(1), 2000, told), name, judged)


@pytest.mark.parametrize("stamp", ["ETag", "VersionId", "generation", "etag", "Content-MD5", "mtime"])
@pytest.mark.parametrize("split_bytes", [1 << 20, 2000])
def test_another_file_of_the_same_size(
    split_bytes: int, stamp: str, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the store says of the version tells it, also when it changes during the last request."""
    kind = type(fsspec.filesystem("memory"))
    cat_file, info, written = kind.cat_file, kind.info, [0]
    judged = read_relevance(source_at(f"{memory}/qrels.txt"))

    def found() -> dict[str, Any]:
        return outcome(lambda: ranked_by(InSplits(split_bytes), f"{memory}/run_broad.txt", judged))

    def told(self: Any, path: str, **_: Any) -> dict[str, Any]:
        size = info(self, path)["size"]
        return {"name": path, "size": size, "type": "file", stamp: f"version {written[0]}"}

    def cat_and_write(self: Any, path: str, start: int, end: int) -> bytes:
        text = cat_file(self, path, start=start, end=end)
        written[0] += end > info(self, path)["size"] - 1000
        return bytes(text)

    monkeypatch.setattr(kind, "info", told)
    assert "error" not in found()
    monkeypatch.setattr(kind, "cat_file", cat_and_write)
    assert "the file changed while it was read" in found()["message"]
    with pytest.raises(InputError, match="the file changed while it was read"):
        read_relevance(source_at(f"{memory}/qrels.txt"))


def test_a_table_of_a_store_that_changes(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is read, or between two of its parts."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    store, path = fsspec.filesystem("memory"), "/patents/run.parquet"
    table = pyarrow.table({"qid": ["1"] * 99, "docno": [f"d{n}" for n in range(99)], "score": [1.0] * 99})
    with store.open(path, "wb") as stream:
        parquet.write_table(table, stream, row_group_size=9)
    judged = read_relevance(source_at(f"{memory}/qrels.txt"))
    batches = parquet.ParquetFile.iter_batches

    def write_after(self: Any, *given: Any, **named: Any) -> Iterator[Any]:
        yield from batches(self, *given, **named)
        store.pipe_file(path, store.cat_file(path))

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", write_after)
    for split_bytes in (10, 1 << 20):
        name = "memory:/" + path
        with pytest.raises(InputError, match="the file changed while it was read"):
            ranked_by(InSplits(split_bytes), name, judged)


def test_a_store_that_fails(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a store raises is one line that names the file."""

    def fails(*_: Any, **__: Any) -> bytes:
        raise KeyError("credentials")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", fails)
    with pytest.raises(InputError, match=r"^memory://patents/qrels.txt: cannot be read \('credentials'\)"):
        read_relevance(source_at(f"{memory}/qrels.txt"))


def test_stores_that_send_other_parts(memory: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Web servers may send the whole file for a part of it; anything else is an error."""
    kind = type(fsspec.filesystem("memory"))
    cat_file = kind.cat_file
    judged = read_relevance(str(fixtures / "patents" / "qrels.txt"))
    name = f"{memory}/run_broad.txt"

    def found() -> dict[str, Any]:
        return outcome(lambda: ranked_by(InSplits(1000), name, judged))

    expected = found()
    monkeypatch.setattr(kind, "cat_file", lambda self, path, **_: cat_file(self, path))
    assert "error" not in expected and found() == expected
    monkeypatch.setattr(kind, "cat_file", lambda self, path, start, end: cat_file(self, path, start, end)[1:])
    assert "bytes came, expected" in found()["message"]


@pytest.fixture(scope="module")
def bucket(fixtures: Path) -> Iterator[str]:
    """A bucket of a server of its own, with the runs and judgements of patents as text and as Parquet."""
    moto = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    import pyarrow
    import pyarrow.parquet

    server = moto.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        store = fsspec.filesystem("s3", skip_instance_cache=True)
        store.mkdir("patents")
        for path in (fixtures / "patents").glob("*.txt"):
            store.pipe_file(f"patents/{path.name}", path.read_bytes())
        rows = [line.split() for line in (fixtures / "patents" / "run_broad.txt").read_text().splitlines()]
        table = {"qid": [row[0] for row in rows], "docno": [row[2] for row in rows]}
        with store.open("patents/run_broad.parquet", "wb") as stream:
            scores = pyarrow.array([float(row[4]) for row in rows])
            pyarrow.parquet.write_table(pyarrow.table({**table, "score": scores}), stream, row_group_size=50)
        yield "s3://patents"
    finally:
        server.stop()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_s3_compatible_store(bucket: str, fixtures: Path, pres_eval: Command) -> None:
    """By address and by pattern, with and without workers, text and Parquet: the bytes of files on disk."""
    folder = fixtures / "patents"
    options = ("-q", "--names", "tag")
    expected = pres_eval(*options, folder / "qrels.txt", *sorted(folder.glob("run_*.txt")))
    for cluster in ((), ("--cluster", "local:2")):
        found = pres_eval(*options, *cluster, f"{bucket}/qrels.txt", f"{bucket}/run_*.txt")
        assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, expected.stderr)
    one = pres_eval("-q", folder / "qrels.txt", folder / "run_broad.txt").stdout
    found = pres_eval("-q", "--cluster", "local:2", f"{bucket}/qrels.txt", f"{bucket}/run_broad.parquet")
    assert found.stdout == one.replace(b"broad\n", b"run_broad\n")
    missing = pres_eval("--cluster", "local:2", f"{bucket}/qrels.txt", f"{bucket}/none.txt")
    assert missing.returncode == 2 and missing.stdout == b""
    assert (
        missing.stderr == f"pres-eval: {bucket}/none.txt: no such file, expected a readable file\n".encode()
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_splits_of_an_s3_compatible_store(bucket: str, fixtures: Path) -> None:
    judged = read_relevance(str(fixtures / "patents" / "qrels.txt"))
    for name in ("run_broad.txt", "run_broad.parquet"):
        source = source_at(f"{bucket}/{name}")
        expected = outcome(lambda source=source: read_run(source, judged, Options()))  # type: ignore[misc]
        assert "error" not in expected
        found = outcome(lambda name=name: ranked_by(InSplits(3000), f"{bucket}/{name}", judged))  # type: ignore[misc]
        assert found == expected
