"""--document-scores: scores of documents find their documents; CLEF eHealth's measures from files."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval as pe
from pres_eval.errors import MeasureError
from pres_eval.measures.selection import select


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two topics; b of topic 1 and topic 2 have no scores; the scores are not in the order of the qrels."""
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 d 1\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 c 0 4 t\n1 Q0 a 0 3 t\n1 Q0 b 0 2 t\n1 Q0 d 0 1 t\n2 Q0 a 0 1 t\n")
    (tmp_path / "scores").write_text("3 0 a 0.1\n1 0 d 0.5\n1 0 a 0.25\n1 0 z 1\n1 0 c 1\n")
    return [f"--document-scores={tmp_path / 'scores'}", str(tmp_path / "qrels"), str(tmp_path / "run")]


def test_values_by_hand(call: Command, files: list[str]) -> None:
    lines = call.ok("-q", "-m", "uRBP(p=0.5),uRBPgr(p=0.5,factor=0.5),uBpref", *files).out.splitlines()
    found = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in lines}
    # a at rank 2, d at rank 4: (1 - p) (p u(a) + p³ u(d)); one that is not relevant comes before
    wanted = {
        ("urbp_p=0.5", "1"): 0.5 * (0.5 * 0.25 + 0.125 * 0.5),
        ("urbp_graded_p=0.5,factor=0.5", "1"): 0.5 * (0.5 * 2 * 0.125 + 0.125 * 0.25),
        ("ubpref", "1"): 0.0,
        ("urbp_p=0.5", "2"): 0.0,
    }
    for (label, topic), value in wanted.items():
        assert found[f"{label:<22}", topic] == f"{value:.4f}"


def test_scores_of_one_give_the_measures_without(call: Command, tmp_path: Path) -> None:
    lines = [line.split() for line in Path(QRELS).read_text().splitlines() if line[0] != "#"]
    ones = tmp_path / "ones"
    ones.write_text("".join(f"{topic} 0 {docno} 1\n" for topic, _, docno, _ in reversed(lines)))
    option = f"--document-scores={ones}"
    measures = "urbp.p=0.9,ubpref,rbp_binary.p=0.9,bpref"
    for options in ((), ("-J",), ("-M", "7"), ("-l", "2", "--quiet"), ("--ties", "best")):
        out = call.ok(*options, option, "-m", measures, QRELS, RUNS[1]).out
        value = {line.split("\t")[0].strip(): line.split("\t")[2] for line in out.splitlines()}
        assert value["urbp_p=0.9"] == value["rbp_binary_p=0.9"]
        assert value["ubpref"] == value["bpref"]


def test_what_is_wrong(call: Command, files: list[str], tmp_path: Path) -> None:
    called = call("-m", "urbp", *files[1:])
    assert called.code == 1 and "urbp needs scores of documents: name their file with --document-scores" in (
        called.err
    )
    (tmp_path / "scores").write_text("1 0 a 0.5\n1 0 a 0.25\n")
    called = call("-m", "urbp", *files)
    assert called.code == 2 and "scores:2: a second score of document 'a'" in called.err
    (tmp_path / "groups").write_text("1 0 0 a 1\n")
    called = call(files[0], "-R", "prefs", "-m", "prefs_simp", str(tmp_path / "groups"), files[2])
    assert called.code == 1 and "--document-scores: expected judgements in the format qrels" in called.err


def test_rbp_with_a_cutoff_and_without_a_level(files: list[str]) -> None:
    evaluation = pe.evaluate(files[1], files[2], ["RBP(p=0.5)@3", "RBP(p=0.5,rel=1)@3"])
    assert evaluation.measures == ["rbp_cut_3_p=0.5(rel=1)", "rbp_graded_cut_3_p=0.5"]
    assert evaluation.per_topic("rbp_graded_cut_3_p=0.5")[0] == 0.5 * (0.5 * 1 + 0.25 * 0.5)


def test_what_ranx_calls_rbp_95_is_told() -> None:
    with pytest.raises(MeasureError, match=r"found '95', expected p=number: did you mean rbp.p=0.95\?"):
        select(["rbp.95"])
