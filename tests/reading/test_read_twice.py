"""Runs that are read twice: both readings are of the same file, or it is an error."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.changing import CHANGES
from support.commands import Command

from pres_eval.analysis import pooling
from pres_eval.checking import check
from pres_eval.cli import holes, judges, overlap

LINES = "".join(f"1 Q0 d{number} 1 {number // 2} tag\n" for number in range(9))
CHANGED = "run: the file changed while it was read, expected one that nobody writes to meanwhile"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no file is replaced that is open")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").write_text(LINES)
    Path("qrels").write_text("1 0 d3 1\n1 0 d4 0\n")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("module", "arguments"), [(pooling, ["pool", "run"]), (check, ["check", "qrels", "run"])], ids=str
)
def test_a_run_that_changes_between(
    module: Any,
    arguments: list[str],
    change: Callable[[Path], None],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = module.read_run

    def changed(*given: Any, **named: Any) -> Any:
        change(Path("run"))
        return read(*given, **named)

    monkeypatch.setattr(module, "read_run", changed)
    called = command(*arguments)
    assert (called.code, called.out, called.err) == (2, "", f"pres-eval: {CHANGED}\n")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("where", "what", "arguments"),
    [
        (holes, "first_documents", ["holes", "qrels", "run", "--documents"]),
        (judges, "pair_runs", ["judges", "qrels", "machine", "run", "--correct"]),
    ],
    ids=str,
)
def test_a_run_that_changes_before_it_is_read_again(
    where: Any,
    what: str,
    arguments: list[str],
    change: Callable[[Path], None],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work, times = getattr(where, what), list[None]()

    def changed(*given: Any, **named: Any) -> Any:
        if not times:
            change(Path("run"))
        times.append(None)
        return work(*given, **named)

    monkeypatch.setattr(where, what, changed)
    topics = range(1, 6)
    Path("qrels").write_text("".join(f"{topic} 0 d3 1\n{topic} 0 d4 0\n" for topic in topics))
    Path("machine").write_text("".join(f"{topic} 0 d{topic} 1\n{topic} 0 d8 0\n" for topic in topics))
    Path("run").write_text("".join(f"{topic}{line[1:]}\n" for topic in topics for line in LINES.splitlines()))
    called = command(*arguments, "--quiet")
    assert times and (called.code, called.out) == (2, "") and "pres-eval: run: " in called.err


def in_parts() -> None:
    """Make the run a folder of two part files."""
    lines = Path("run").read_text().splitlines(keepends=True)
    Path("run").unlink()
    Path("run").mkdir()
    Path("run/part-0").write_text("".join(lines[:4]))
    Path("run/part-1").write_text("".join(lines[4:]))


def another_part(folder: Path) -> None:
    """Put a file into the folder."""
    (folder / "part-2").write_text("1 Q0 other 1 0.5 tag\n")


def part_grows(folder: Path) -> None:
    """Add a line to a part."""
    with (folder / "part-1").open("a") as file:
        file.write("1 Q0 other 1 0.5 tag\n")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("change", [another_part, part_grows])
@pytest.mark.parametrize(
    ("where", "what", "num_calls", "arguments"),
    [
        (judges, "pair_runs", 2, ["judges", "qrels", "machine", "run", "--correct"]),
        (holes, "first_documents", 1, ["holes", "qrels", "run", "--documents"]),
        (overlap, "_read_runs", 1, ["overlap", "run", "other"]),
        (overlap, "_read_runs", 1, ["overlap", "other", "run"]),
    ],
    ids=str,
)
def test_a_folder_that_changes_before_it_is_read_again(
    where: Any,
    what: str,
    num_calls: int,
    arguments: list[str],
    change: Callable[[Path], None],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topics = range(1, 6)
    Path("qrels").write_text("".join(f"{topic} 0 d3 1\n{topic} 0 d4 0\n" for topic in topics))
    Path("machine").write_text("".join(f"{topic} 0 d{topic} 1\n{topic} 0 d8 0\n" for topic in topics))
    Path("run").write_text("".join(f"{topic}{line[1:]}\n" for topic in topics for line in LINES.splitlines()))
    Path("other").write_bytes(Path("run").read_bytes())
    in_parts()
    work, times = getattr(where, what), list[None]()

    def changed(*given: Any, **named: Any) -> Any:
        if not times:
            change(Path("run"))
        times.append(None)
        return work(*given, **named)

    assert command(*arguments, "--quiet").code == 0
    monkeypatch.setattr(where, what, changed)
    called = command(*arguments, "--quiet")
    assert len(times) == num_calls and (called.code, called.out) == (2, "")
    assert "the file changed while it was read" in called.err


@pytest.mark.usefixtures("files")
def test_a_folder_of_parts_is_pooled_as_one_run(command: Command) -> None:
    pooled = command("pool", "run").out
    listed = command("holes", "qrels", "run", "--documents").out
    in_parts()
    assert command("pool", "run").out == pooled
    assert command("holes", "qrels", "run", "--documents").out == listed


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("asked", [["pool"], ["check", "qrels"], ["holes", "qrels", "--documents"]], ids=str)
def test_a_folder_at_an_address_is_one_run(asked: list[str], command: Command) -> None:
    pytest.importorskip("fsspec")
    in_parts()
    address = Path("run").absolute().as_uri()
    here, there = command(*asked, "run"), command(*asked, address)
    assert (there.code, there.out.replace(address, "run")) == (here.code, here.out)


@pytest.mark.usefixtures("files")
def test_a_pool_of_what_a_pipe_gives(command: Command) -> None:
    expected = command("pool", "run").out
    os.mkfifo("pipe")
    thread = threading.Thread(target=Path("pipe").write_text, args=(LINES,))
    thread.start()
    assert command("pool", "pipe").out == expected
    thread.join()
