"""How the process ends: what is removed first, what the signal does then, and who is waited for."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from pres_eval.__main__ import _leave
from pres_eval.cli import output
from pres_eval.engines import machine

Done = list[tuple[object, ...]]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Done:
    """What is asked of the system, instead of its being done."""
    calls: Done = []

    def leave(code: int) -> None:
        calls.append(("exit", code))
        raise SystemExit(code)

    monkeypatch.setattr(signal, "signal", lambda *given: calls.append(("signal", *given)))
    monkeypatch.setattr(os, "kill", lambda *given: calls.append(("kill", *given)))
    monkeypatch.setattr(os, "_exit", leave)
    return calls


@pytest.mark.parametrize("written", [False, True])
def test_a_temporary_file_goes_with_its_block(tmp_path: Path, written: bool) -> None:
    path = tmp_path / "half"
    with pytest.raises(ZeroDivisionError), output._removed_at_the_end(str(path)):
        if written:
            path.write_text("half")
        raise ZeroDivisionError
    assert not path.exists()
    assert not output._unfinished


@pytest.mark.parametrize("system", ["posix", "nt"])
def test_a_signal_removes_files_and_then_ends_the_process(
    tmp_path: Path, done: Done, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    path = tmp_path / "half"
    path.write_text("half")
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    with output._removed_at_the_end(str(path)), pytest.raises(SystemExit):
        assert ("signal", signal.SIGTERM, output._end) in done
        done.clear()
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", system)
            output._end(signal.SIGTERM, None)
        assert not path.exists()
    killed = [("kill", os.getpid(), signal.SIGTERM)] if system == "posix" else []
    assert done == [("signal", signal.SIGTERM, signal.SIG_DFL), *killed, ("exit", 128 + signal.SIGTERM)]


def test_signals_that_are_ignored_stay_so(done: Done, monkeypatch: pytest.MonkeyPatch) -> None:
    handled = {signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: signal.SIG_DFL}
    monkeypatch.setattr(signal, "getsignal", lambda number: handled.get(number, print))
    monkeypatch.setattr(machine, "SIGNALS", (*machine.SIGNALS, "SIGNONE"))
    output._clean_up_on_signals()
    assert done == [("signal", signal.SIGTERM, output._end)]


def test_files_are_written_in_a_thread_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python lets only the main thread handle signals."""
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    path = tmp_path / "values"
    thread = threading.Thread(target=output.write_output, args=(str(path), "map"))
    thread.start()
    thread.join()
    assert path.read_text() == "map"


def test_threads_are_not_waited_for(done: Done, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(SystemExit):
        _leave(3)
    assert done == [("exit", 3)]


def test_python_ends_the_process_that_has_no_other_thread(
    done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    frozen: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    with pytest.raises(SystemExit) as ended:
        _leave(3)
    assert (ended.value.code, frozen, done) == (3, [True], [])
