"""A file that changes while it is read is an error, however it changes and whoever reads it.

The command is caught while it reads: all of its processes stand still while the file is changed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from support import in_splits
from support.changing import CHANGES, appended, caught, cut, family, other, overwritten, replaced

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="nobody tells which files a process has open"),
]

TOPICS, DOCUMENTS = 600, 500
SECONDS = 60
ATTEMPTS = 3
"""How often a command is caught that has already read the file when it is."""

READERS = {
    "threads": ("--jobs", "1", "qrels", "run"),
    "copies": ("--jobs", "2", "qrels", "run"),
    "workers": ("--cluster", "local:2", "qrels", "run"),
    "threads, mixed": ("--jobs", "1", "qrels", "mixed"),
    "copies, mixed": ("--jobs", "2", "qrels", "mixed"),
    "workers, mixed": ("--cluster", "local:2", "qrels", "mixed"),
    "copies of many": ("--jobs", "2", "qrels", "run", "mixed", "small"),
    "threads, judgements": ("--jobs", "1", "judged-qrels", "small"),
    "copies, judgements": ("--jobs", "2", "judged-qrels", "small"),
}

READS_IN_ORDER = ("threads", "copies", "workers")


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements, a run of 25 MB in order, one in none, and judgements of 40 MB."""
    folder = tmp_path_factory.mktemp("originals")
    names = [f"d{number:060}" for number in range(DOCUMENTS)]
    rows = [(topic, rank) for topic in range(TOPICS) for rank in range(DOCUMENTS)]
    lines = [f"{topic} Q0 {names[rank]} 1 {1000 - rank}.5 tag\n" for topic, rank in rows]
    (folder / "run").write_text("".join(lines))
    (folder / "mixed").write_text("".join(lines[::2] + lines[1::2]))
    (folder / "small").write_text("".join(lines[:1000]))
    (folder / "qrels").write_text("".join(f"{topic} 0 {names[topic % 7]} 1\n" for topic in range(TOPICS)))
    (folder / "judged-qrels").write_text(
        "".join(f"{topic} 0 {names[rank]} 1\n{topic} 0 more-{names[rank]} 0\n" for topic, rank in rows)
    )
    return folder


@pytest.fixture
def folder(originals: Path, tmp_path: Path) -> Path:
    """Links to them: `changeable` makes a copy of the file that is to be changed."""
    for path in originals.iterdir():
        (tmp_path / path.name).hardlink_to(path)
    return tmp_path


def changeable(path: Path) -> Path:
    """Put a copy in place of a link, and return its path."""
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    return copy.replace(path)


def started(folder: Path, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "pres_eval", "-m", "map", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


CHANGED_WHILE_READ = [
    pytest.param(reader, CHANGES[(number + step) % len(CHANGES)], id=f"{reader}-{step}")
    for number, reader in enumerate(READERS)
    for step in ((0, 2) if reader in READS_IN_ORDER else (0,))
]
"""A change for each reader, and two for those of a run in order; each change meets two readers or more."""


@pytest.mark.parametrize(("reader", "change"), CHANGED_WHILE_READ)
def test_a_file_that_changes(reader: str, change: Callable[[Path], None], folder: Path) -> None:
    """A command that had read the file to its end before it was caught prints the old numbers: then again."""
    arguments = READERS[reader]
    name = next((name for name in ("judged-qrels", "mixed") if name in arguments), "run")
    expected = f"pres-eval: {name}: the file changed while it was read, expected one that nobody writes to"
    for _ in range(ATTEMPTS):
        path = changeable(folder / name)
        before = path.with_name("before")
        shutil.copy2(path, before)
        running = started(folder, arguments)
        with caught(running, path):
            change(path)
        out, messages = running.communicate(timeout=SECONDS)
        if running.returncode != 0:
            break
        before.replace(path)
        assert out == started(folder, arguments).communicate(timeout=SECONDS)[0]
    assert messages.decode().splitlines()[-1].startswith(expected), (messages, out)
    assert running.returncode == 2
    assert not out or ("small" in arguments and name != "judged-qrels")  # a run before this one


@pytest.mark.parametrize("reader", ["copies", "copies, judgements"])
def test_a_copy_that_is_killed_when_the_file_has_changed(reader: str, folder: Path) -> None:
    """Whoever takes its work does not begin anew with another file."""
    path = changeable(folder / READERS[reader][-1 if reader == "copies" else -2])
    running = started(folder, READERS[reader])
    with caught(running, path):
        replaced(path)
        for copy in family(running.pid)[1:]:
            os.kill(copy, signal.SIGKILL)
    out, said = running.communicate(timeout=SECONDS)
    assert (running.returncode, out) == (2, b"") and b"the file changed while it was read" in said


@pytest.mark.parametrize("reader", ["threads", "copies", "workers"])
def test_a_link_that_points_to_another_file_meanwhile(reader: str, folder: Path) -> None:
    """Of the same size and time, and back again: old numbers, or an error."""
    expected = started(folder, READERS[reader]).communicate(timeout=SECONDS)[0]
    first, second, link = folder / "first", folder / "second", changeable(folder / "run")
    link.rename(first)
    second.write_bytes(other(first))
    shutil.copystat(first, second)
    link.symlink_to(first)
    running = started(folder, READERS[reader])
    with caught(running, first):
        link.unlink()
        link.symlink_to(second)
    (folder / "back").symlink_to(first)
    (folder / "back").replace(link)
    out, said = running.communicate(timeout=SECONDS)
    if running.returncode == 2:
        assert not out and b"the file changed while it was read" in said
    else:
        assert (running.returncode, out) == (0, expected)


@pytest.mark.parametrize("missing", [1, 10])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", ["qrels", "run"])
def test_a_file_that_ends_before_its_size(
    name: str, jobs: str, missing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does where a file system has an old size, or lost what was written last."""
    (tmp_path / "qrels").write_text("1 0 d 1\n" * 1 + "".join(f"1 0 d{n} 0\n" for n in range(99)))
    (tmp_path / "run").write_text("".join(f"1 Q0 d{n} 0 {n} t\n" for n in range(99)))
    stale, status_of, status_at = (tmp_path / name).stat(), os.fstat, os.stat

    def larger(descriptor: int) -> os.stat_result:
        return with_stale_size(status_of(descriptor))

    def larger_at(path: Any, **options: Any) -> os.stat_result:
        return with_stale_size(status_at(path, **options))

    def with_stale_size(status: os.stat_result) -> os.stat_result:
        if status.st_ino != stale.st_ino:
            return status
        times = {each: getattr(status, each) for each in ("st_mtime_ns", "st_ctime_ns")}
        return os.stat_result((*status[:6], status.st_size + missing, *status[7:]), times)

    monkeypatch.setattr(os, "fstat", larger)
    monkeypatch.setattr(os, "stat", larger_at)
    with pytest.MonkeyPatch.context() as patch:
        if jobs == "2":
            in_splits.read_by_copies(patch, 100)
        code, out, said = in_splits.printed(
            ["--jobs", jobs, *(str(tmp_path / each) for each in ("qrels", "run"))]
        )
    assert (code, out) == (2, b"")
    too_early = "1 byte" if missing == 1 else "10 bytes"
    assert said == f"pres-eval: {tmp_path / name}: cannot be read (it ends {too_early} too early)\n"


@pytest.mark.parametrize(
    ("option", "change"),
    [("--against", replaced), ("--against", cut), ("--expect", overwritten), ("--scores", appended)],
)
def test_what_is_compared_with(option: str, change: Callable[[Path], None], folder: Path) -> None:
    """Files of gates and of scores are read as runs are."""
    path, size = folder / "compared", 30_000_000
    if option == "--scores":
        path.write_text(
            "run,topic,map\n" + "".join(f"{r} d,{t},0.{t}\n" for r in "abc" for t in range(500_000))
        )
        arguments: tuple[str, ...] = ("compare", "--scores", "compared")
    else:
        path.write_bytes(b"{}" + b"\n" * size if option == "--against" else b"map\tall\t d\n" * (size // 11))
        arguments = ("-m", "map", option, "compared", "qrels", "small")
    command = [sys.executable, "-m", "pres_eval", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    running = subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe)
    with caught(running, path):
        change(path)
    _, said = running.communicate(timeout=SECONDS)
    told = b"pres-eval: compared: the file changed while it was read, expected one that nobody"
    faults = [line for line in said.splitlines() if b"warning: " not in line]
    assert running.returncode == 2 and told in said and len(faults) == 1, said
