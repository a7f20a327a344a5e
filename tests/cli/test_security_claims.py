"""Claims of the page on security that no other test has."""

from __future__ import annotations

import ast
import builtins
import os
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest
from conftest import ROOT
from support.commands import QRELS, RUNS, Command

CALLS = (
    ["-q", "-m", "map", QRELS, RUNS[0]],
    ["compare", QRELS, *RUNS, "-m", "map", "--samples", "9"],
    ["check", QRELS, *RUNS],
    ["convert", RUNS[0], "--to", "json"],
    ["report", QRELS, RUNS[0]],
    ["pool", *RUNS, "--depth", "3"],
    ["judges", QRELS, QRELS],
    ["measures"],
    ["man"],
)


@pytest.mark.parametrize("arguments", CALLS, ids=lambda arguments: arguments[0])
def test_no_network_unless_asked_for(
    arguments: list[str], call: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert call(*arguments).code == 0


@pytest.mark.parametrize("arguments", CALLS, ids=lambda arguments: arguments[0])
def test_files_are_opened_for_reading(
    arguments: list[str], call: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what is named no bytes change, and no file is opened for anything else."""
    opened: list[tuple[Any, Any]] = []
    real_open, real_os_open = builtins.open, os.open

    def watched(file: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
        opened.append((file, mode))
        return real_open(file, mode, *more, **options)

    def watched_os(path: Any, flags: int, *more: Any, **options: Any) -> int:
        opened.append((path, flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)))
        return real_os_open(path, flags, *more, **options)

    monkeypatch.setattr(builtins, "open", watched)
    monkeypatch.setattr(os, "open", watched_os)
    assert call(*arguments).code == 0
    named = [str(path) for path, mode in opened if mode not in (0, "r", "rb")]
    assert [path for path in named if path in (QRELS, *RUNS)] == []
    files = [argument for argument in arguments if argument in (QRELS, *RUNS)]
    assert all(Path(path).stat().st_mode for path in files)


CODE = {"eval", "exec", "compile", "__import__"}
UNPICKLES = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
OF_WORKERS = {"engines"}
"""Rooms whose messages are those of our own processes, or of a cluster that is trusted with everything."""


def test_data_is_never_code() -> None:
    """No room that reads data calls Python's compiler or unpickles."""
    faults = []
    for path in sorted((ROOT / "pres_eval").rglob("*.py")):
        room = path.relative_to(ROOT / "pres_eval").parts[0]
        if room in OF_WORKERS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CODE:
                faults.append((str(path), node.lineno, node.func.id))
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = (
                    [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else [node.module or ""]
                )
                faults += [
                    (str(path), node.lineno, name) for name in names if name.split(".")[0] in UNPICKLES
                ]
    assert [fault for fault in faults if fault[0] != str(ROOT / "pres_eval" / "records.py")] == []
