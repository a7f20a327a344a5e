"""pres-eval merge: one grade a document from several assessors', as a plain loop gives it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from support.commands import Command

RULES = ("majority", "first", "highest", "mean")


@pytest.fixture
def call(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(capfdbinary)


def merged(given: list[int], rule: str) -> str:
    """The grade of a document from those of the files that have it, in their order."""
    grades = [grade for grade in given if grade >= 0]
    if not grades:
        return "-1.0" if rule == "mean" else "-1"
    if rule == "mean":
        return str(sum(grades) / len(grades))
    if rule == "first":
        return str(grades[0])
    if rule == "highest":
        return str(max(grades))
    times = Counter(grades)
    return str(max(grade for grade in times if times[grade] == max(times.values())))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(8))
def test_like_a_plain_loop(rule: str, seed: int, call: Command) -> None:
    rng = random.Random(seed)
    given: dict[tuple[str, str], list[tuple[int, int]]] = {}
    files = [f"assessor{number}" for number in range(rng.randint(2, 5))]
    for number, name in enumerate(files):
        keys = [(str(topic), f"d{docno}") for topic in range(5) for docno in range(9) if rng.random() < 0.6]
        grades = {key: rng.choice([-1, 0, 0, 1, 2]) for key in keys or [("0", "d0")]}
        Path(name).write_text(
            "".join(f"{topic} 0 {docno} {grades[topic, docno]}\n" for topic, docno in grades)
        )
        for key, grade in grades.items():
            given.setdefault(key, []).append((number, grade))
    expected = {key: merged([grade for _, grade in each], rule) for key, each in given.items()}
    called = call("merge", *files, "--rule", rule, "--disagreements", "disputed")
    lines = [line.split() for line in called.out.splitlines()]
    assert {(topic, docno): grade for topic, _, docno, grade in lines} == expected
    assert lines == sorted(lines, key=lambda line: (line[0], line[2]))
    header, *rows = (line.split("\t") for line in Path("disputed").read_text().splitlines())
    assert header == ["topic", "docno", *files, "merged"]
    judged = {key: {number: grade for number, grade in each if grade >= 0} for key, each in given.items()}
    assert {(topic, docno): [*own, last] for topic, docno, *own, last in rows} == {
        key: [*(str(each.get(number, "")) for number in range(len(files))), expected[key]]
        for key, each in judged.items()
        if len(set(each.values())) > 1
    }
    several = sum(len(each) > 1 for each in judged.values())
    assert called.err == (
        f"pres-eval: note: {len(expected)} documents of {len({topic for topic, _ in expected})} topics;"
        f" {several} judged by several, {len(rows)} of them with different grades\n"
    )


def test_means_are_read_again(call: Command) -> None:
    Path("one").write_text("1 0 a 2\n1 0 b 0\n")
    Path("other").write_text("1 0 a 1\n1 0 c 1\n")
    Path("run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    assert call.ok("merge", "one", "other", "--rule", "mean", "--output", "merged", "--quiet").out == ""
    assert Path("merged").read_text() == "1 0 a 1.5\n1 0 b 0.0\n1 0 c 1.0\n"
    called = call.ok("-R", "qrels_float", "-m", "num_rel_ret", "merged", "run")
    assert called.out.split() == ["num_rel_ret", "all", "1"]


def test_ids_that_a_spreadsheet_would_compute(call: Command) -> None:
    for name, grade in (("one", 1), ("other", 0)):
        Path(name).write_text(f"1 0 =x {grade}\n")
    call.ok("merge", "one", "other", "--disagreements", "disputed", "--quiet")
    assert Path("disputed").read_text().splitlines()[1] == "1\t'=x\t1\t0\t1"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["one"], 1, "only one file: expected at least two to merge"),
        (["one", "missing"], 2, "missing: no such file, expected a readable file"),
        (
            ["one", "twice"],
            2,
            "twice:2: document 'a' a second time (first in line 1), expected one judgement",
        ),
        (["one", "run"], 2, "run:1: 6 columns, expected 4 (topic iteration docno relevance)"),
        (
            ["one", "other", "--rule", "median"],
            1,
            "--rule median: expected one of majority, first, highest, mean",
        ),
        (["-", "-"], 1, "standard input (-) can be one file only"),
    ],
)
def test_mistakes(arguments: list[str], code: int, message: str, call: Command) -> None:
    for name, text in (
        ("one", "1 0 a 1\n"),
        ("other", "1 0 b 1\n"),
        ("twice", "1 0 a 1\n1 0 a 0\n"),
        ("run", "1 Q0 a 1 2 r\n"),
    ):
        Path(name).write_text(text)
    called = call("merge", *arguments)
    assert called.code == code
    assert called.err.startswith(f"pres-eval: {message}")
