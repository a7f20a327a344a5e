"""Measures against Nmax, through the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import NAMES, QRELS, RUNS, Command, summaries


@pytest.mark.parametrize("options", [(), ("-l", "2", "--quiet"), ("-M", "25"), ("-c",)])
def test_every_value_is_the_evaluators(call: Command, options: tuple[str, ...]) -> None:
    rows = call.ok("sweep", QRELS, *RUNS, "--nmax", "10:50:20", "--format", "csv", *options).rows
    found = {(row["run"], f"{row['measure']}_{row['nmax']}"): f"{float(row['mean']):.4f}" for row in rows}
    measures = [text for name in ("map_cut", "recall", "PRES") for text in ("-m", f"{name}.10,30,50")]
    expected = {
        (name, label): value
        for name, run in zip(NAMES, RUNS, strict=True)
        for label, value in summaries(call, run, *measures, *options).items()
    }
    assert found == expected
    assert len(found) == 27


def test_table_has_a_block_a_measure(call: Command) -> None:
    text = call.ok("sweep", QRELS, RUNS[0], "--nmax", "5,20", "-m", "PRES", "-m", "P", "-m", "PRES").out
    blocks = [block.splitlines()[0] for block in text.split("\n\n")[::2]]
    assert blocks == ["PRES at Nmax, over 12 topics", "P at Nmax, over 12 topics"]
    value = summaries(call, RUNS[0], "-m", "PRES.20")["PRES_20"]
    assert text.splitlines()[4].split() == [
        "keyword",
        summaries(call, RUNS[0], "-m", "PRES.5")["PRES_5"],
        value,
    ]


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("10:30:10", [10, 20, 30]),
        ("10:35:10", [10, 20, 30]),
        ("3:5", [3, 4, 5]),
        ("20, 5,20", [5, 20]),
        ("7", [7]),
    ],
)
def test_ranks(call: Command, text: str, ranks: list[int]) -> None:
    assert (
        call.ok("sweep", QRELS, RUNS[0], "--nmax", text, "--format", "json").json["settings"]["nmax"] == ranks
    )


@pytest.mark.parametrize("text", ["", "0", "10:5", "a", "1:2:3:4", "1,2:3", "10:20:0", "-5", "1:5000"])
def test_wrong_ranks(call: Command, text: str) -> None:
    called = call("sweep", QRELS, RUNS[0], "--nmax", text)
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith("pres-eval: --nmax: ")


@pytest.mark.parametrize("name", ["map", "PRES.10", "nope"])
def test_measures_need_cutoffs(call: Command, name: str) -> None:
    called = call("sweep", QRELS, RUNS[0], "-m", name)
    assert (called.code, called.out) == (1, "")
    assert f"-m {name}: expected a measure with cutoffs" in called.err


def test_runs_with_different_topics_are_warned_about(call: Command, tmp_path: Path) -> None:
    lines = Path(RUNS[0]).read_text().splitlines(keepends=True)
    short = tmp_path / "short"
    short.write_text("".join(line for line in lines if line.split()[0] == lines[0].split()[0]))
    called = call("sweep", QRELS, RUNS[0], str(short))
    assert called.code == 0
    assert "the runs have different topics" in called.err
    call.ok("sweep", QRELS, RUNS[0], str(short), "-c")
    call.ok("sweep", QRELS, RUNS[0], str(short), "--quiet")


@pytest.mark.slow
def test_plot(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    call.ok("sweep", QRELS, *RUNS, "--plot", picture)
    text = picture.read_text()
    for name in (*NAMES, "map_cut", "mean PRES", "Nmax (rank)"):
        assert f">{name}<" in text
