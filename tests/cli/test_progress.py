"""The progress bar: where it appears, and that nothing of it stays."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pres_eval.cli import main, progress
from pres_eval.cli.progress import MEGABYTE, Bar, loop_with_bar
from pres_eval.cli.streams import say, writing_results


class Terminal(io.StringIO):
    """Keeps what is written to it, and what a terminal would show."""

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        """What is on the screen: a carriage return goes back to the start of the line."""
        shown = [""]
        for part in self.getvalue().replace("\n", "\0\n").replace("\r", "\0\r").split("\0"):
            if part.startswith("\n"):
                shown.append(part[1:])
            else:
                text = part.removeprefix("\r")
                shown[-1] = text + shown[-1][len(text) :] if part.startswith("\r") else shown[-1] + text
        return [line.rstrip() for line in shown]


@pytest.fixture
def attach(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Makes stderr a terminal; to be called by the test, since pytest sets stderr anew before it."""

    def attached() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    monkeypatch.setattr(progress, "DELAY", -1.0)
    monkeypatch.setattr(progress, "REDRAW_INTERVAL", 0.0)
    return attached


def test_is_wiped_when_done(attach: Callable[[], Terminal]) -> None:
    terminal = attach()
    with Bar("run.txt", 4 * MEGABYTE, MEGABYTE).shown() as bar:
        bar.advance(MEGABYTE)
        assert "run.txt: 1 of 4 MB [#####               ]" in terminal.lines[0]
        assert terminal.lines[0].endswith("MB/s")
    assert terminal.lines == [""]


def test_is_wiped_when_something_fails(attach: Callable[[], Terminal]) -> None:
    terminal = attach()
    with pytest.raises(ValueError, match="x"), Bar("run.txt", None, MEGABYTE).shown() as bar:
        bar.advance(3 * MEGABYTE)
        assert terminal.lines[0].startswith("run.txt: 3 MB, ")
        raise ValueError("x")
    assert terminal.lines == [""]


def test_makes_room_for_messages(attach: Callable[[], Terminal]) -> None:
    terminal = attach()
    with Bar("run.txt", 10).shown() as bar:
        bar.advance(5)
        say("pres-eval: warning: something")
        assert terminal.lines == ["pres-eval: warning: something", ""]
        bar.advance(1)
        assert terminal.lines[1].startswith("run.txt: 6 of 10 [")
        with writing_results():
            bar.advance(1)
            assert terminal.lines[1] == ""
    assert terminal.lines == ["pres-eval: warning: something", ""]


def test_steps(attach: Callable[[], Terminal]) -> None:
    terminal = attach()
    assert list(loop_with_bar("comparing", 1)(lambda number: 2 * number, 3)) == [0, 2, 4]
    assert "comparing: 3 of 3 [####################]" in terminal.getvalue()
    assert terminal.lines == [""]


def test_threads_lose_no_step(attach: Callable[[], Terminal]) -> None:
    terminal = attach()
    with Bar("x", 40_000).shown() as bar:

        def advance() -> None:
            for _ in range(10_000):
                bar.advance(1)

        work = [threading.Thread(target=advance) for _ in range(4)]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        bar.wipe()
        bar.advance(0)
        assert terminal.lines[0].startswith("x: 40,000 of 40,000 [####################] 0 s left")


@pytest.mark.parametrize("runs", [1, 3])
def test_of_the_command(
    runs: int, attach: Callable[[], Terminal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bar over all runs, with a warning in between; nothing of it stays, whatever their names are."""
    terminal = attach()
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    names = [f"run\x1b[31m{number}" for number in range(runs)]
    for name in names:
        Path(name).write_text("1 Q0 a 1 1 t\n9 Q0 a 1 1 t\n")
    assert main(["-m", "map", "--output", "out", "qrels", *names]) == 0
    label = r"run\x1b[31m0: 0 of 0 MB" if runs == 1 else f"{runs} runs: 0 of 0 MB"
    assert f"\r{label} [" in terminal.getvalue()
    assert len(terminal.lines) == runs + 1 and terminal.lines[-1] == ""
    assert all(line.startswith(r"pres-eval: warning: run\x1b[31m") for line in terminal.lines[:-1])


def test_only_the_innermost_is_shown(attach: Callable[[], Terminal]) -> None:
    """Work inside of work has its own bar; the outer one comes again afterwards."""
    terminal = attach()
    with Bar("outer", 2).shown() as outer:
        outer.advance(1)
        with Bar("inner", 2).shown() as inner:
            outer.advance(0)
            assert terminal.lines == [""]
            inner.advance(1)
            assert terminal.lines[0].startswith("inner: 1 of 2 [")
        outer.advance(0)
        assert terminal.lines[0].startswith("outer: 1 of 2 [")
    assert terminal.lines == [""]


def test_results_are_not_written_into(attach: Callable[[], Terminal]) -> None:
    terminal = attach()
    with Bar("work", 2).shown() as bar:
        bar.advance(1)
        with writing_results():
            assert terminal.lines == [""]
            bar.advance(0)
            assert terminal.lines == [""]


@pytest.mark.parametrize("arguments", [["sweep", "-m", "map_cut", "qrels", "run"], ["check", "qrels", "run"]])
def test_commands_say_how_long_they_take(
    arguments: list[str],
    attach: Callable[[], Terminal],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Work that cannot be counted shows its seconds; the clock ticks whatever the work does."""
    terminal = attach()
    monkeypatch.setattr(progress, "TICK", 0.001)
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 t\n")
    for _ in range(50):  # so little work may be done before the clock ticks once
        assert main([*arguments, "--output", "out"]) == 0
        assert terminal.lines == [""]
        if f"\rpres-eval {arguments[0]}: 0 s" in terminal.getvalue():
            break
    assert f"\rpres-eval {arguments[0]}: 0 s" in terminal.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        (["robustness", "--samples", "1", "--write-qrels", "f"], ["writing f-qrels", "scoring f-qrels"]),
        (["compare", "--test", "bootstrap", "--samples", "10"], ["2 runs", "evaluating", "comparing"]),
        (["agreement", "--plot", "p.svg"], ["drawing p.svg"]),
        (["report", "-o", "r.html"], ["evaluating", "comparing", "writing r.html"]),
        (["holes", "--documents"], ["listing documents"]),
        (["power", "--trials", "2", "--samples", "9"], ["testing pairs", "drawing topics"]),
    ],
)
def test_what_takes_long_has_a_bar(
    arguments: list[str],
    labels: list[str],
    attach: Callable[[], Terminal],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = attach()
    monkeypatch.setattr(progress, "TICK", 0.001)
    monkeypatch.chdir(tmp_path)
    topics = range(10)
    Path("qrels").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b {topic % 2}\n" for topic in topics))
    for name, first in (("run1", "a"), ("run2", "b")):
        other = "ba"["ab".index(first)]
        Path(name).write_text(
            "".join(
                f"{topic} Q0 {first if topic % 3 else other} 1 2 {name}\n"
                f"{topic} Q0 {other if topic % 3 else first} 2 1 {name}\n"
                for topic in topics
            )
        )
    output = [] if arguments[0] == "report" else ["--output", "out"]
    assert main([*arguments, *output, "qrels", "run1", "run2"]) == 0
    for label in labels:
        assert f"\r{label}: " in terminal.getvalue()
    assert terminal.lines[-1] == ""


def test_quiet_has_none(
    attach: Callable[[], Terminal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = attach()
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 t\n")
    assert main(["--quiet", "-m", "map", "--output", "out", "qrels", "run"]) == 0
    assert terminal.getvalue() == ""


def test_appears_late(attach: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = attach()
    monkeypatch.setattr(progress, "DELAY", 2.0)
    with Bar("run.txt", 4).shown() as bar:
        bar.advance(1)
    assert terminal.getvalue() == ""
