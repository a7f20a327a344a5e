"""What changes nothing: the form of judgements and runs, the sizes of blocks, and who reads and computes."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import itertools
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.calls import CALLS, RUNS, TOPICS, UNCHANGED, without_order, write_files
from support.commands import Command
from support.in_splits import read_by_copies
from support.small_sizes import use_small_sizes

from pres_eval.engines import copies

FIELDS = ("query_id", "doc_id")
QRELS = ("qrels", "other qrels")

Rows = list[tuple[str, str, Any]]
"""Topic, docno, and grade or score."""


def rows_of(path: str) -> tuple[Rows, str]:
    """Return the rows of a file of judgements or of a run, and what their numbers are called."""
    rows: Rows = []
    for line in Path(path).read_text().splitlines():
        columns = line.split()
        rows.append((columns[0], columns[2], int(columns[3 if path in QRELS else 4])))
    return rows, "relevance" if path in QRELS else "score"


def as_csv(path: str) -> bytes:
    rows, number = rows_of(path)
    text = io.StringIO()
    csv.writer(text).writerows([(*FIELDS, number), *rows])
    return text.getvalue().encode()


def as_jsonl(path: str) -> bytes:
    rows, number = rows_of(path)
    return "".join(
        json.dumps({"query_id": topic, "doc_id": docno, number: value}) + "\n" for topic, docno, value in rows
    ).encode()


def as_json(path: str) -> bytes:
    """A dict by topic and docno."""
    topics: dict[str, dict[str, int]] = {}
    for topic, docno, value in rows_of(path)[0]:
        topics.setdefault(topic, {})[docno] = value
    return json.dumps(topics).encode()


def as_parquet(path: str) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, number = rows_of(path)
    columns = dict(zip((*FIELDS, number), zip(*rows, strict=True), strict=True))
    sink = io.BytesIO()
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), sink, row_group_size=5)
    return sink.getvalue()


def of_lines(change: Callable[[bytes], bytes]) -> Callable[[str], bytes]:
    """Return a function that gives the bytes of a file in another form."""
    return lambda path: change(Path(path).read_bytes())


FORMS: dict[str, Callable[[str], bytes]] = {
    "gzip": of_lines(gzip.compress),
    "CSV": as_csv,
    "JSON": as_json,
    "line feeds of Windows": of_lines(lambda text: text.replace(b"\n", b"\r\n")),
    "Parquet": as_parquet,
    "bzip2": of_lines(bz2.compress),
    "JSON Lines": as_jsonl,
    "xz": of_lines(lzma.compress),
}


def to_parts(path: str) -> None:
    """Make a folder of a run's file: a part for two topics, some compressed."""
    lines = Path(path).read_bytes().splitlines(keepends=True)
    Path(path).unlink()
    Path(path).mkdir()
    topics = list(dict.fromkeys(line.split()[0] for line in lines))
    for start in range(0, len(topics), 2):
        text = b"".join(line for line in lines if line.split()[0] in topics[start : start + 2])
        name = f"part-{start:05}" + (".gz" if start else "")
        (Path(path) / name).write_bytes(gzip.compress(text) if start else text)


def printed(command: Command, name: str) -> Any:
    """Return what a call prints, as JSON, without what depends on the order of lines."""
    called = command(*CALLS[name], "--format", "json", "--quiet")
    assert called.code == 0, called.err
    return without_order(json.loads(called.out))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgements and runs in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_files(UNCHANGED, UNCHANGED)


@pytest.mark.parametrize("name", CALLS)
def test_files_in_other_forms(name: str, command: Command, files: None) -> None:
    before = printed(command, name)
    forms = itertools.islice(itertools.cycle(FORMS.values()), list(CALLS).index(name), None)
    for path, form in zip((*QRELS, *RUNS), forms, strict=False):
        Path(path).write_bytes(form(path))
    assert printed(command, name) == before


@pytest.mark.parametrize("name", CALLS)
def test_runs_in_part_files(name: str, command: Command, files: None) -> None:
    before = printed(command, name)
    for path in RUNS:
        to_parts(path)
    assert printed(command, name) == before


@pytest.mark.parametrize("name", CALLS)
def test_sizes_of_blocks(name: str, command: Command, files: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = printed(command, name)
    use_small_sizes(monkeypatch)
    assert printed(command, name) == before


COPIED = {
    **{name: words for name, words in CALLS.items() if name != "overlap"},
    **{f"{name}: one run": words[: 1 - len(RUNS)] for name, words in CALLS.items() if words[0][0] == "-"},
    "Z-scores: one run": ("-q", "-Z", "zscores", "-m", "map", "-m", "P.5", "qrels", RUNS[0]),
}
"""Calls that take --jobs: copies of the process read several runs, and share the topics of a single one."""


@pytest.mark.parametrize("name", COPIED)
def test_copies_of_the_process(
    name: str, command: Command, files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is printed is the same, warnings too."""
    Path("zscores").write_text(f"{TOPICS[0]} map 0.5 0.25\n{TOPICS[1]} P_5 0 1\n{TOPICS[5]} map 1 0\n")
    before = command(*COPIED[name])
    use_small_sizes(monkeypatch)
    monkeypatch.setattr(copies, "LEAST_SECONDS", 0)
    read_by_copies(monkeypatch, 40)
    assert command(*COPIED[name], "--jobs", "2") == before
