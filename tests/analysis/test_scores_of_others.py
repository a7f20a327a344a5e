"""Files of scores that other programs wrote: trec_eval -q, JSON Lines of nuggets, several files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return call


@pytest.mark.parametrize("command", ["compare", "power"])
def test_output_of_trec_eval(command: str, call: Command) -> None:
    """Of last year's runs only this is left: the same result as of the runs, with four digits."""
    options = []
    for place, run in enumerate(RUNS):
        Path(f"eval{place}.txt").write_text(call("--quiet", "-q", "-m", "all_trec", QRELS, run).out)
        options += ["--scores", f"eval{place}.txt"]
    called = call(command, *options, "-m", "map", "--format", "json")
    assert called.code == 0, called.err
    assert called.json["settings"]["scores"] == [f"eval{place}.txt" for place in range(3)]
    if command == "compare":
        asked = ("-m", "map", "--table", "means", "--format", "csv")
        ours = call(command, *options, *asked).rows
        theirs = call(command, "--quiet", QRELS, *RUNS, *asked).rows
        assert [row["run"] for row in ours] == [row["run"] for row in theirs]
        for mine, other in zip(ours, theirs, strict=True):
            assert float(mine["mean"]) == pytest.approx(float(other["mean"]), abs=1e-4)


def test_nuggets(call: Command) -> None:
    for run, gain in (("bm25", 0.0), ("dense", 0.2)):
        records = [
            {"qid": f"q{n}", "vital": 0.1 * n + gain, "all": 0.05 * n, "strict": n % 2, "text": "x"}
            for n in range(1, 6)
        ]
        Path(f"{run}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    called = call("compare", "--scores", "bm25.jsonl", "--scores", "dense.jsonl", "--table", "means")
    assert called.code == 0
    assert "vital" in called.out and "strict" in called.out and "0.5000" in called.out


def test_files_of_several_kinds(call: Command) -> None:
    Path("a.csv").write_text("topic,map\n1,0.5\n2,0.25\nall,0.375\n")
    Path("b.txt").write_text("map \t1\t0.75\nmap \t2\t0.5\nmap \tall\t0.6250\nP_5 \t1\t0.2\nP_5\t2\t0\n")
    Path("c.jsonl").write_text(
        '{"qid": 1, "run_id": "mine", "map": 1}\n{"qid": 2, "run_id": "mine", "map": 0}\n'
    )
    options = [word for name in ("a.csv", "b.txt", "c.jsonl") for word in ("--scores", name)]
    called = call("compare", *options, "--table", "means", "--format", "csv")
    assert called.code == 0, called.err
    assert [row["run"] for row in called.rows] == ["a", "b", "mine"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_measure_named_all_is_no_summary(end: str, call: Command) -> None:
    """The heading `topic map all` is no line of trec_eval, whatever the line ends are."""
    for name, value in (("a.tsv", "0.25"), ("b.tsv", "0.75")):
        lines = ["topic\tmap\tall", f"1\t{value}\t0.5", f"2\t{value}\t0.5", ""]
        Path(name).write_bytes(end.join(lines).encode())
    called = call("compare", "--scores", "a.tsv", "--scores", "b.tsv", "--table", "means", "--format", "csv")
    assert called.code == 0, called.err
    assert [(row["run"], row["measure"], float(row["mean"])) for row in called.rows] == [
        ("a", "map", 0.25),
        ("a", "all", 0.5),
        ("b", "map", 0.75),
        ("b", "all", 0.5),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map all 0.5\n", "no scores of topics, expected lines of trec_eval -q"),
        ("map 1 0.5\nmap 1 0.6\n", "map of topic '1' and run 'x' twice, expected each value once"),
        ("map 1 0.5\nP_5 2 0.5\n", "no measure of all runs and topics"),
        (
            "map 1 0.5\nsome text of four words\n",
            "x.txt:2: 'some text of four words', expected measure,",
        ),
        ('{"map": 1}\n', "x.txt:1: '{\"map\": 1}', expected an object with qid"),
        ('{"qid"\n', "x.txt:1: '{\"qid\"', expected an object of JSON"),
    ],
)
def test_mistakes(text: str, message: str, call: Command) -> None:
    Path("x.txt").write_text(text)
    called = call("compare", "--scores", "x.txt")
    assert called.code == 2 and message in called.err
