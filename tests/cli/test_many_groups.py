"""Groups of topics cost as much time as topics are in them, however many groups there are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.commands import Command

import pres_eval as pe


def write_files(count: int) -> None:
    """Files of this many topics, each a group of its own."""
    topics = [str(10**6 + number) for number in range(count)]
    Path("qrels").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in topics))
    for run, documents in (("first", "ab"), ("second", "ba")):
        lines = [
            f"{topic} Q0 {documents[(number + place) % 2]} 0 {2 - place} {run}\n"
            for number, topic in enumerate(topics)
            for place in range(2)
        ]
        Path(run).write_text("".join(lines))
    Path("groups").write_text("".join(f"{topic} g{topic}\n" for topic in topics))
    Path("weights").write_text("".join(f"{topic} {1 + number % 3}\n" for number, topic in enumerate(topics)))


CALLS = {
    "means": ["-m", "map", "qrels", "first"],
    "all topics": ["-c", "-m", "map", "--weights", "weights", "qrels", "first"],
    "json": ["-m", "map", "--format", "json", "qrels", "first"],
    "csv": ["-m", "map", "--format", "csv", "qrels", "first"],
    "merged": [],
}


def seconds(command: Command, name: str) -> float:
    """Processor time of a call."""
    begin = time.process_time()
    if name == "merged":
        found = pe.evaluate("qrels", "first", "map", groups="groups")
        assert len(found.merge().groups) >= 1000
    else:
        assert command.ok("--groups", "groups", "--quiet", *CALLS[name]).out
    return time.process_time() - begin


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_time_grows_with_the_topics(
    name: str, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight times as many topics and groups take less than 24 times the time; it was 64 times."""
    monkeypatch.chdir(tmp_path)
    command = Command(capfdbinary)
    write_files(1_000)
    seconds(command, name)
    few = min(seconds(command, name) for _ in range(2))
    write_files(8_000)
    assert seconds(command, name) < 24 * few


def test_groups_of_a_comparison(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a group come in the order of the topics, whatever the order in its file."""
    monkeypatch.chdir(tmp_path)
    command = Command(capfdbinary)
    write_files(12)
    lines = Path("groups").read_text().splitlines()
    Path("groups").write_text(
        "".join(f"{line.split()[0]} g{place % 2}\n" for place, line in enumerate(lines))
    )
    arguments = [
        "compare",
        "qrels",
        "first",
        "second",
        "-m",
        "map",
        "--groups",
        "groups",
        "--table",
        "by_group",
    ]
    expected = command.ok(*arguments, "--format", "csv").out
    lines = Path("groups").read_text().splitlines()
    Path("groups").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    assert command.ok(*arguments, "--format", "csv").out == expected
    assert expected.count("\n") == 3
