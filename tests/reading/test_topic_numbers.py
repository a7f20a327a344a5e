"""--nmax-file and --size-file: numbers that topics have of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval as pe

TOPICS = [f"PAC-{1001 + number}" for number in range(12)]


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.csv"
    path.write_text(
        "topic,number\n" + "".join(f"{topic},{20 * place}\n" for place, topic in enumerate(TOPICS, 1))
    )
    return path


def test_each_topic_is_read_down_to_its_own_nmax(command: Command, numbers: Path) -> None:
    columns = ",".join(str(20 * place) for place in range(1, 13))
    options = ("-q", "--format", "csv", "-m", f"PRES.{columns}", "-m", "PRES_budget")
    rows = command.ok("--nmax-file", numbers, *options, QRELS, RUNS[0]).rows
    by_topic = {row["topic"]: row for row in rows}
    for place, topic in enumerate(TOPICS, 1):
        assert by_topic[topic]["PRES_budget"] == by_topic[topic][f"PRES_{20 * place}"]
    assert len({by_topic[topic]["PRES_budget"] for topic in TOPICS}) > 6


def test_without_m_it_follows_pres(command: Command, numbers: Path) -> None:
    printed = command.ok("--nmax-file", numbers, QRELS, RUNS[0]).out
    assert [line.split()[0] for line in printed.splitlines()[-3:]] == ["PRES_100", "PRES_1000", "PRES_budget"]


def test_sizes_that_are_alike_are_those_of_n(command: Command, tmp_path: Path) -> None:
    sizes = tmp_path / "sizes"
    sizes.write_text("".join(f"{topic} 5000\n" for topic in TOPICS))
    options = ("-m", "screening", "-m", "Rnorm", "-m", "utility.1,-1,0,0.001", "-q", QRELS, RUNS[0])
    assert command.ok("--size-file", sizes, *options).out == command.ok("-N", "5000", *options).out


def test_each_size_is_that_of_its_topic(tmp_path: Path) -> None:
    sizes = {topic: 2000 + 500 * place for place, topic in enumerate(TOPICS)}
    found = pe.evaluate(str(QRELS), str(RUNS[0]), ["Rnorm", "wss"], sizes=sizes)
    for place, topic in enumerate(TOPICS):
        alone = pe.evaluate(str(QRELS), str(RUNS[0]), ["Rnorm", "wss"], num_docs=sizes[topic], topic=topic)
        for label in ("Rnorm", "wss_95"):
            assert found.per_topic(label)[place] == alone[label]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PAC-1001 10\n", "no number for topic 'PAC-1002', expected a whole number above 0"),
        ("".join(f"{topic} 0.5\n" for topic in TOPICS), "1: number '0.5', expected a whole number above 0"),
        (
            "".join(f"{topic} 0\n" for topic in TOPICS),
            "1: number '0', expected a whole number above 0",
        ),
        ("PAC-1001 x\n", "1: number 'x', expected a whole number above 0"),
        ("PAC-1001 1 2\n", "1: 3 columns, expected 2 (topic number)"),
    ],
)
def test_wrong_numbers(command: Command, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "numbers"
    path.write_text(text)
    for option in ("--nmax-file", "--size-file"):
        called = command(option, path, QRELS, RUNS[0])
        assert (called.code, called.out) == (2, "")
        assert message in called.err


def test_what_does_not_go_together(command: Command, numbers: Path) -> None:
    called = command("--size-file", numbers, "-N", "5", QRELS, RUNS[0])
    assert (called.code, called.err) == (1, "pres-eval: -N and --size-file: expected one of them\n")
    called = command("-m", "PRES_budget", QRELS, RUNS[0])
    assert (called.code, called.out) == (1, "")
    assert "needs an Nmax for each topic: name their file with --nmax-file" in called.err


def test_a_file_of_nmax_that_no_measure_takes(command: Command, tmp_path: Path) -> None:
    """2.10.0: -m PRES was that of --nmax, as if there were no file."""
    numbers = tmp_path / "numbers"
    topics = sorted({line.split()[0] for line in Path(QRELS).read_text().splitlines()})
    numbers.write_text("".join(f"{topic} 10\n" for topic in topics))
    called = command("--nmax-file", numbers, "-m", "PRES", QRELS, RUNS[0])
    assert (called.code, called.out) == (1, "")
    assert (
        called.err == f"pres-eval: --nmax-file {numbers}: no measure takes it, expected -m PRES_budget too\n"
    )
    command.ok("--nmax-file", numbers, "-m", "PRES", "-m", "PRES_budget", QRELS, RUNS[0])


def test_an_nmax_of_1_is_the_least(command: Command, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    numbers.write_text("".join(f"{topic} 1\n" for topic in TOPICS))
    options = ("-q", "-m", "PRES_budget", "-m", "PRES.1", "--format", "csv", QRELS, RUNS[0])
    rows = command.ok("--nmax-file", numbers, *options).rows
    assert len(rows) == len(TOPICS) + 1
    assert all(row["PRES_budget"] == row["PRES_1"] for row in rows)
