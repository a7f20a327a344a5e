"""--ties, from files and dicts to numbers: which scores are equal, and what is said of it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import ALL_TWINS
from support.commands import QRELS, RUNS, Command
from support.oracle import POOLED, UNKNOWN, Topic

import pres_eval as pe
from pres_eval.errors import MeasureError, UsageError

MEASURES = ["map", "P@3", "ndcg", "bpref", "recip_rank", "PRES@4", "iprec_at_recall@0.5", "judged@2"]
NAMES = {
    "map": ("map", ()),
    "P_3": ("P", (3,)),
    "ndcg": ("ndcg", ((),)),
    "bpref": ("bpref", ()),
    "recip_rank": ("recip_rank", ()),
    "PRES_4": ("PRES", (4,)),
    "iprec_at_recall_0.50": ("iprec_at_recall", (0.5,)),
    "judged_2": ("judged", (2,)),
}
GRADES = st.sampled_from([0, 1, 2, 3, -1, None, None])
SCORES = st.sampled_from([3.0, 2.0, 2.0, 1.0, 16777216.0, 16777217.0, -0.0, 0.0])
Made = dict[str, list[tuple[str, float, int | None]]]


@st.composite
def made(draw: st.DrawFn) -> Made:
    """Topics with documents, their scores, and their grades, None where nobody judged."""
    return {
        f"t{number}": [(f"d{place}", draw(SCORES), draw(GRADES)) for place in range(draw(st.integers(1, 9)))]
        + [("judged", -5.0, 1)]
        for number in range(draw(st.integers(1, 3)))
    }


def in_order(documents: Sequence[tuple[str, float, int | None]], ties: str, compat: str) -> tuple[int, ...]:
    """The grades in the order that --ties says, by plain sorting."""

    def key(document: tuple[str, float, int | None]) -> tuple[float, float]:
        score = float(np.float32(document[1])) if compat == "9.0.8" else document[1]
        value = UNKNOWN - 2 if document[2] is None else POOLED if document[2] < 0 else document[2]
        return -score, -value if ties == "best" else value

    ranked = sorted(documents, key=key)
    return tuple(UNKNOWN if grade is None else POOLED if grade < 0 else grade for _, _, grade in ranked)


def files(topics: Made, folder: Path, seed: int) -> tuple[str, str]:
    """The judgements and the run as files, the lines of the run in any order."""
    qrels = [
        f"{topic} 0 {docno} {grade}\n"
        for topic, documents in topics.items()
        for docno, _, grade in documents
        if grade is not None
    ]
    run = [
        f"{topic} Q0 {docno} 0 {score!r} tag\n"
        for topic, documents in topics.items()
        for docno, score, _ in documents
    ]
    random.Random(seed).shuffle(run)
    paths = folder / "qrels.txt", folder / "run.txt"
    paths[0].write_text("".join(qrels))
    paths[1].write_text("".join(run))
    return str(paths[0]), str(paths[1])


@settings(deadline=None, max_examples=60)
@given(topics=made(), ties=st.sampled_from(["best", "worst"]), compat=st.sampled_from(["9.0.8", "10.0"]),
       judged_only=st.booleans(), most=st.sampled_from([None, 1, 3]), seed=st.integers(0, 9))  # fmt: skip
def test_best_and_worst_orders(
    topics: Made,
    ties: str,
    compat: str,
    judged_only: bool,
    most: int | None,
    seed: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Files in any order and dicts give what plain sorting gives; -M and -J come after the order."""
    qrels, run = files(topics, tmp_path_factory.mktemp("ties"), seed)
    dicts: Any = {topic: {docno: score for docno, score, _ in found} for topic, found in topics.items()}
    options: Any = {"ties": ties, "compat": compat, "judged_only": judged_only, "max_retrieved": most}
    one = pe.evaluate(qrels, run, MEASURES, **options)
    other = pe.evaluate(qrels, dicts, MEASURES, **options)
    for topic in sorted(topics):
        grades = in_order(topics[topic], ties, compat)[:most]
        if judged_only:
            grades = tuple(grade for grade in grades if grade >= 0)
        judged = tuple(POOLED if g < 0 else g for _, _, g in topics[topic] if g is not None)
        twin = Topic(grades, judged, 1, compat)
        for label, (name, arguments) in NAMES.items():
            place = one.topics.index(topic)
            found = one.per_topic(label)[place]
            assert found == pytest.approx(ALL_TWINS[name](twin, *arguments), abs=1e-15, nan_ok=True), label
            assert found == other.per_topic(label)[place] or np.isnan(found)


@settings(deadline=None, max_examples=40)
@given(topics=made(), limit=st.sampled_from([{}, {"judged_only": True}, {"max_retrieved": 1},
       {"max_retrieved": 3}]), seed=st.integers(0, 9))  # fmt: skip
def test_expected_is_the_mean_over_docnos_at_random(
    topics: Made, limit: dict[str, Any], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of a topic's documents renamed in every way that matters: sizes of ties from files and from dicts."""
    qrels, run = files(topics, tmp_path_factory.mktemp("ties"), seed)
    dicts: Any = {topic: {docno: score for docno, score, _ in found} for topic, found in topics.items()}
    names = ["map", "P@3", "ndcg", "bpref", "recip_rank", "PRES@4"]
    one = pe.evaluate(qrels, run, names, ties="expected", **limit)
    other = pe.evaluate(qrels, dicts, names, ties="expected", **limit)
    best, worst = (pe.evaluate(qrels, run, names, ties=t, **limit) for t in ("best", "worst"))
    for label in one.measures:
        assert one.per_topic(label).tolist() == other.per_topic(label).tolist()
        assert (worst.per_topic(label) <= one.per_topic(label) + 1e-12).all()
        assert (one.per_topic(label) <= best.per_topic(label) + 1e-12).all()


@pytest.mark.parametrize(("ties", "first_is_judged"), [("best", 1.0), ("worst", 0.0)])
def test_grade_0_is_better_than_no_grade(ties: str, first_is_judged: float) -> None:
    """Of two documents with one score, one judged not relevant and one in the pool without judgement."""
    for judged, pooled in ("ab", "ba"):
        qrels: Any = {"1": {judged: 0, pooled: -1, "z": 1}}
        found = pe.evaluate(qrels, {"1": {"a": 1.0, "b": 1.0}}, "judged.1", ties=ties)  # type: ignore[arg-type]
        assert found["judged_1"] == first_is_judged


@pytest.fixture
def constant(tmp_path: Path) -> tuple[str, str]:
    """A run whose documents all have the score 1, the only relevant one first by docno."""
    (tmp_path / "qrels").write_text("1 0 z 1\n")
    (tmp_path / "run").write_text("".join(f"1 Q0 {docno} 0 1 flat\n" for docno in "zabcdefghi"))
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def test_a_constant_scorer(call: Command, constant: tuple[str, str]) -> None:
    wanted = sum(1 / rank for rank in range(1, 11)) / 10
    for ties, value in (("expected", wanted), ("best", 1.0), ("worst", 0.1)):
        lines = call.ok("--ties", ties, "-m", "recip_rank", *constant).out
        assert lines == f"recip_rank            \tall\t{value:.4f}\n"
    called = call("-m", "recip_rank", *constant)
    assert called.out == "recip_rank            \tall\t1.0000\n"
    said = "equal scores: recip_rank is 0.1000 to 1.0000 by how they are ordered (--ties)\n"
    assert called.err == f"pres-eval: warning: {constant[1]}: {said}"
    assert call("-m", "recip_rank", "--quiet", *constant).err == ""
    assert call("-m", "num_rel", *constant).err == ""


def test_the_end_of_the_ranking_cuts_a_tie(call: Command, constant: tuple[str, str]) -> None:
    """The relevant document is among the first 4 of 10 in 4 of 10 orders."""
    lines = call.ok("--ties", "expected", "-M", "4", "-m", "official,set", "--quiet", *constant).out
    found = {line.split("\t")[0].strip(): line.split("\t")[2] for line in lines.splitlines()}
    wanted = {"num_ret": "4", "num_rel_ret": "0.4000", "set_P": "0.1000", "set_recall": "0.4000"}
    wanted["recip_rank"] = f"{sum(1 / rank for rank in range(1, 5)) / 10:.4f}"
    assert wanted.items() <= found.items()
    evaluation = pe.evaluate(*constant, ["num_rel_ret", "num_ret"], ties="expected", max_retrieved=4)
    assert evaluation.summary == {"num_ret": 4, "num_rel_ret": 0.4}
    called = call("--ties", "expected", "-M", "4", "-J", "-m", "map", *constant)
    assert called.code == 1 and "-M cuts through equal scores of topic '1'" in called.err
    assert call.ok("--ties", "expected", "-M", "10", "-J", "-m", "map", *constant).out.endswith("1.0000\n")


def test_check_tells_the_range(call: Command, constant: tuple[str, str]) -> None:
    assert "; map is 0.1000 to 1.0000 by how they are ordered" in call("check", *constant).out
    found = call("check", "--format", "json", *constant).json
    ties = next(one for one in found["files"][1]["findings"] if one["kind"] == "ties")
    assert ties["details"]["map"] == [0.1, 1.0]


def test_a_run_without_ties_has_one_value(call: Command) -> None:
    plain = call.ok("-m", "official", QRELS, RUNS[0]).out
    for ties in ("best", "worst"):
        assert call.ok("--ties", ties, "-m", "official", QRELS, RUNS[0]).out == plain
    called = call("--ties", "expected", "-m", "official", QRELS, RUNS[0])
    assert set(called.out.splitlines()) < set(plain.splitlines())
    assert "no expected value in closed form when scores tie: gm_map, iprec_at_recall" in called.err
    called = call("--ties", "expected", "-m", "iprec_at_recall", QRELS, RUNS[0])
    assert called.code == 1 and "iprec_at_recall: has no expected value" in called.err


def test_json_and_gates_know_of_it(call: Command, constant: tuple[str, str], tmp_path: Path) -> None:
    written = tmp_path / "before.json"
    text = call.ok("--ties", "worst", "--format", "json", "-m", "map", *constant).out
    assert json.loads(text)["signature"]["options"]["ties"] == "worst"
    written.write_text(text)
    called = call("--against", str(written), "-m", "map", "--quiet", *constant)
    assert "--ties worst (now docno)" in called.err


def test_options_that_contradict(call: Command, constant: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text("1 0 0 z 1\n1 0 0 a 2\n")
    called = call("--ties", "best", "-R", "prefs", "-m", "prefs_simp", str(tmp_path / "prefs"), constant[1])
    assert called.code == 1 and "--ties best: expected judgements in the format qrels" in called.err
    with pytest.raises(UsageError, match="ties='middle'"):
        pe.evaluate(*constant, "map", ties="middle")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="err: has no expected value"):
        pe.evaluate(*constant, "err", ties="expected")


@pytest.mark.parametrize("command", ["compare", "agreement", "sweep", "robustness"])
def test_analyses_take_it(call: Command, command: str) -> None:
    called = call(command, "--ties", "worst", "--format", "json", QRELS, *RUNS)
    assert called.code == 0 and called.json["settings"]["ties"] == "worst"
