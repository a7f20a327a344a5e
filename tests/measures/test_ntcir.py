"""NTCIR's measures against pyNTCIREVAL's numbers, and small examples worked out by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from support.commands import Command
from support.ntcireval_cases import Case, our_values

import pres_eval as pe


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
def test_values_are_those_of_pyntcireval(fixtures: Path, tmp_path: Path) -> None:
    """Q-measure, O-measure, nERR and nDCG of grades; nDCG and Q-measure of global gains over intents."""
    lines = (fixtures / "ntcireval" / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    expected = [record.pop("values") for record in records]
    assert len(records) == 60 and len(expected[0]) == 7
    for ours, theirs in zip(
        our_values([Case(**record) for record in records], tmp_path), expected, strict=True
    ):
        assert ours == pytest.approx(theirs, rel=1e-12)


JUDGED = {"q": {"a": 3, "b": 1, "c": 0, "d": 2}}
RUN = {"q": {"x": 5.0, "b": 4.0, "c": 3.0, "a": 2.0}}
"""Gains 0, 1, 0, 3 at ranks 1 to 4; the best ranking has 3, 2, 1."""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("q_measure", ((1 + 1) / (2 + 5) + (2 + 4) / (4 + 6)) / 3),
        ("q_measure.beta=0", (1 / 2 + 2 / 4) / 3),
        ("Q@2", (1 + 1) / (2 + 5) / 2),
        ("q_measure_cut.2,beta=0.5", (1 + 0.5) / (2 + 2.5) / 2),
        ("nCG@2", 1 / 5),
        ("ncg.50", 4 / 6),
        ("o_measure", (1 + 1) / (2 + 5)),
        ("OMeasure(beta=0)", 1 / 2),
        ("nERR@2", (1 / 4 / 2) / (3 / 4 + 1 / 4 * 2 / 4 / 2)),
        ("nerr.4", (1 / 4 / 2 + 3 / 4 * 3 / 4 / 4) / (3 / 4 + 1 / 4 * 2 / 4 / 2 + 1 / 4 * 2 / 4 * 1 / 4 / 3)),
        ("nerr.2,max_rel=4", (1 / 5 / 2) / (3 / 5 + 2 / 5 * 2 / 5 / 2)),
        ("irbu.4", 1 / 4 * 0.99**2 + 3 / 4 * 3 / 4 * 0.99**4),
        ("iRBU(phi=0.5,max_rel=4)@2", 1 / 5 * 0.5**2),
    ],
)
def test_by_hand(text: str, value: float) -> None:
    (found,) = pe.evaluate(JUDGED, RUN, text).summary.values()
    assert found == pytest.approx(value)


def test_q_measure_without_gains_is_average_precision() -> None:
    found = pe.evaluate(JUDGED, RUN, ["q_measure.beta=0", "o_measure.beta=0", "map", "recip_rank"]).summary
    assert found["q_measure_beta=0"] == found["map"] and found["o_measure_beta=0"] == found["recip_rank"]


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
def test_nothing_relevant_is_0() -> None:
    for text in ("q_measure", "q_measure_cut.5", "ncg.5", "nerr.5", "o_measure", "irbu.5"):
        assert pe.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, text).summary.popitem()[1] == 0
        assert pe.evaluate(JUDGED, {"q": {"c": 1.0}}, text).summary.popitem()[1] == 0


def test_intents(command: Command, tmp_path: Path) -> None:
    """Global gains: a has (2 + 1)/2, b 1/2, c 3/2; the run is b, x, c, and covers both intents at rank 3."""
    (tmp_path / "qrels").write_text("q 1 a 2\nq 1 b 1\nq 2 a 1\nq 2 c 3\nq 3 d 0\n")
    (tmp_path / "run").write_text("q Q0 b 0 3 t\nq Q0 x 0 2 t\nq Q0 c 0 1 t\n")
    texts = ("D_nDCG.1,3", "D_Q.3", "Dsharp_nDCG.3,gamma=0.25", "Dsharp_Q.3", "StRecall.1,3")
    options = [part for text in texts for part in ("-m", text)]
    lines = command.ok("-R", "subtopics", *options, tmp_path / "qrels", tmp_path / "run").out.splitlines()
    found = {line.split()[0]: line.split()[2] for line in lines}
    d_ndcg = (0.5 + 1.5 / 2) / (1.5 + 1.5 / math.log2(3) + 0.5 / 2)
    d_q = ((1 + 0.5) / (1 + 1.5) + (2 + 2) / (3 + 3.5)) / 3
    expected = {
        "D_nDCG_1": 0.5 / 1.5,
        "D_nDCG_3": d_ndcg,
        "D_Q_3": d_q,
        "Dsharp_nDCG_3_gamma=0.25": 0.25 + 0.75 * d_ndcg,
        "Dsharp_Q_3": (1 + d_q) / 2,
        "StRecall_1": 0.5,
        "StRecall_3": 1.0,
    }
    assert found == {label: f"{value:.4f}" for label, value in expected.items()}


def test_nicknames(command: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 1 a 2\n")
    (tmp_path / "run").write_text("q Q0 a 0 3 t\n")
    files = tmp_path / "qrels", tmp_path / "run"
    ntcir = command.ok("-m", "ntcir", *files).out.splitlines()
    assert [line.split()[0] for line in ntcir][:4] == [
        "q_measure",
        *(f"q_measure_cut_{k}" for k in (5, 10, 20)),
    ]
    intents = command.ok("-R", "subtopics", "-m", "intents", *files).out.splitlines()
    assert [line.split()[0] for line in intents][:3] == ["runid", "num_q", "D_nDCG_5"]
