"""pres-eval replicate: an experiment and its replication, through the command."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

TABLE = """\
run,topic,map
base,1,0.2
base,2,0.4
better,1,0.5
better,2,0.5
again,1,0.1
again,2,0.5
again_better,1,0.3
again_better,2,0.6
"""


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capfdbinary)


def close(found: str, value: float) -> bool:
    return math.isclose(float(found), value, rel_tol=1e-12)


def test_effects_by_hand(call: Command, tmp_path: Path) -> None:
    """Improvements 0.2 and 0.15, baselines 0.3 and 0.3."""
    scores = tmp_path / "scores.csv"
    scores.write_text(TABLE)
    (row,) = call.ok("replicate", "--scores", scores, "--format", "csv").rows
    assert close(row["improvement"], 0.2) and close(row["new_improvement"], 0.15)
    assert close(row["effect_ratio"], 0.75)
    assert close(row["delta_relative_improvement"], 0.2 / 0.3 - 0.15 / 0.3)
    assert close(row["rmse_baseline"], 0.1)
    assert close(row["rmse_advanced"], math.sqrt((0.2**2 + 0.1**2) / 2))


def test_other_topics_have_no_error_by_topic(call: Command, tmp_path: Path) -> None:
    original, new = tmp_path / "original.csv", tmp_path / "new.csv"
    original.write_text("".join(TABLE.splitlines(keepends=True)[:5]))
    new.write_text("run,topic,map\nbase,7,0.1\nbase,8,0.5\nbetter,7,0.3\nbetter,8,0.6\n")
    (row,) = call.ok("replicate", "--scores", original, "--new-scores", new, "--format", "csv").rows
    assert close(row["effect_ratio"], 0.75) and row["rmse_baseline"] == ""
    text = call.ok("replicate", "--scores", original, "--new-scores", new).out
    assert "over 2 topics, and 2 of the replication" in text
    assert "RMSE: the topics of the two experiments are not the same" in text


def test_an_effect_of_0_has_no_ratio(call: Command, tmp_path: Path) -> None:
    """The values of the topics are exchanged: their differences add up to -7e-18 as doubles, not to 0."""
    scores = tmp_path / "scores.csv"
    lines = ["run,topic,rr"]
    for run, ranks in (
        ("base", (26, 19, 25, 28, 5)),
        ("better", (5, 19, 28, 26, 25)),
        ("again", (26, 19, 25, 28, 5)),
        ("again_better", (1, 2, 3, 4, 5)),
    ):
        lines += [f"{run},{topic},{1 / rank!r}" for topic, rank in enumerate(ranks)]
    scores.write_text("\n".join(lines) + "\n")
    (row,) = call.ok("replicate", "--scores", scores, "--format", "csv").rows
    assert row["effect_ratio"] == ""
    note = "-: no ratio, as the original improvement, or a baseline, is 0"
    assert note in call.ok("replicate", "--scores", scores).out


def test_a_baseline_of_0_has_no_relative_improvement(call: Command, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text(TABLE.replace("base,1,0.2", "base,1,0").replace("base,2,0.4", "base,2,0"))
    (row,) = call.ok("replicate", "--scores", scores, "--format", "csv").rows
    assert close(row["effect_ratio"], 0.15 / 0.5) and row["delta_relative_improvement"] == ""
    note = "-: no ratio, as the original improvement, or a baseline, is 0"
    assert note in call.ok("replicate", "--scores", scores).out


def test_other_judgements(call: Command) -> None:
    """The same judgements again are no others: the same numbers."""
    runs = [RUNS[0], RUNS[1], RUNS[2], RUNS[1]]
    first = call.ok("replicate", QRELS, *runs, "-m", "map", "--format", "json").json
    second = call.ok("replicate", QRELS, *runs, "-m", "map", "--new-qrels", QRELS, "--format", "json").json
    assert first["effects"] == second["effects"] and first["documents"] == second["documents"]


def test_a_run_is_its_own_replication(call: Command) -> None:
    found = call.ok("replicate", QRELS, *RUNS[:2], *RUNS[:2], "--format", "json").json
    for row in found["effects"]:
        assert row["effect_ratio"] == 1.0 and row["delta_relative_improvement"] == 0.0
        assert row["rmse_baseline"] == row["rmse_advanced"] == 0.0
    assert [(row["tau_union"], row["tau_union_by_docno"]) for row in found["documents"]] == [(1.0, 1.0)] * 2


def test_tau_of_the_union(call: Command, tmp_path: Path) -> None:
    """The example of the paper, d1 d2 d3 beside d1 d2 d4, is 1; d2 turned round with d1 is 1/3.

    By ids d2 d1 d3 and d1 d2 d4 have the places 1 0 2 and 0 1 3: the pairs (0, 1), (1, 0), (2, 3).
    """
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 1\n")

    def run(name: str, *documents: str) -> Path:
        path = tmp_path / name
        path.write_text("".join(f"1 Q0 {docno} 1 {-rank} {name}\n" for rank, docno in enumerate(documents)))
        return path

    called = call.ok(
        "replicate", tmp_path / "qrels",
        run("base", "d1", "d2", "d3"), run("advanced", "d2", "d1", "d3"),
        run("new_base", "d1", "d2", "d4"), run("new_advanced", "d1", "d2", "d4", "d5"),
        "-m", "P.1", "--format", "json",
    )  # fmt: skip
    rows = {row["run"]: row for row in called.json["topics"]}
    assert rows["baseline"]["tau_union"] == rows["baseline"]["tau_union_by_docno"] == 1.0
    assert math.isclose(rows["advanced"]["tau_union"], 1 / 3)
    assert math.isclose(rows["advanced"]["tau_union_by_docno"], 1 / 3)
    assert called.json["effects"][0]["effect_ratio"] is None  # P@1 is 1 in all of them


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, *RUNS), "found 3 runs behind QRELS, expected four runs: BASELINE, ADVANCED, NEW_BASELINE"),
        (("--new-scores", QRELS, QRELS, *RUNS, RUNS[0]), "--new-scores goes with --scores"),
        (("--scores", QRELS, "--new-qrels", QRELS), "--new-qrels goes with QRELS and runs"),
        (("--scores", "TABLE"), "expected four runs: BASELINE, ADVANCED, NEW_BASELINE, NEW_ADVANCED"),
        (("--scores", "TABLE", "--new-scores", "TABLE"), "expected two runs: BASELINE, ADVANCED"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str, call: Command, tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("".join(TABLE.splitlines(keepends=True)[:7]))
    called = call("replicate", *(str(table) if word == "TABLE" else word for word in arguments))
    assert called.code == 1 and message in called.err
