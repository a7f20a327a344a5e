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
from pres_eval.cli import holes, judges

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


@pytest.mark.usefixtures("files")
def test_a_pool_of_what_a_pipe_gives(command: Command) -> None:
    expected = command("pool", "run").out
    os.mkfifo("pipe")
    thread = threading.Thread(target=Path("pipe").write_text, args=(LINES,))
    thread.start()
    assert command("pool", "pipe").out == expected
    thread.join()
