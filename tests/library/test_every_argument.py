"""Arguments of `evaluate` that change what is measured: ties, duplicates, bounds and scores of documents."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import pytest

import pres_eval as pe
from pres_eval.errors import InputError, PresEvalWarning, UsageError

QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 1}, "2": {"a": 1}}
RUN = {"1": {"c": 4.0, "a": 3.0, "b": 2.0, "d": 1.0}, "2": {"a": 1.0}}
SCORES = {"1": {"a": 0.25, "d": 0.5, "z": 1.0}, "3": {"a": 0.1}}
FLAT = {"1": {"a": 1.0, "c": 1.0, "x": 1.0}}


def rows(values: dict[str, dict[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(topic, docno, value) for topic, docs in values.items() for docno, value in docs.items()]


def file_of(values: dict[str, dict[str, Any]], path: Path) -> str:
    path.write_text("".join(f"{topic} 0 {docno} {value}\n" for topic, docno, value in rows(values)))
    return str(path)


@pytest.mark.parametrize("kind", ["dict", "rows", "columns", "path", "stream"])
def test_document_scores_of_any_kind(kind: str, tmp_path: Path) -> None:
    path = file_of(SCORES, tmp_path / "scores")
    columns = dict(zip(("query_id", "doc_id", "relevance"), zip(*rows(SCORES), strict=True), strict=True))
    kinds: dict[str, Any] = {"dict": SCORES, "rows": rows(SCORES), "columns": columns, "path": path}
    with io.BytesIO(Path(path).read_bytes()) as stream:
        scores = stream if kind == "stream" else kinds[kind]
        found = pe.evaluate(QRELS, RUN, ["urbp.p=0.5", "ubpref"], document_scores=scores)
    # c, which is not relevant, comes first; a at rank 2 and d at rank 4
    assert found.per_topic("urbp_p=0.5").tolist() == [0.5 * (0.5 * 0.25 + 0.125 * 0.5), 0.0]
    assert found.per_topic("ubpref").tolist() == [0.0, 0.0]


def test_document_scores_of_judgements_read_once() -> None:
    plain = pe.Qrels(QRELS)
    scored = plain.with_document_scores(SCORES)
    assert scored.rank(RUN).evaluate("urbp.p=0.5")["urbp_p=0.5"] == 0.5 * (0.125 + 0.0625) / 2
    with pytest.raises(pe.PresEvalError, match="urbp needs scores of documents"):
        plain.rank(RUN).evaluate("urbp")


def test_faulty_document_scores(tmp_path: Path) -> None:
    twice = [("1", "a", 0.5), ("1", "a", 0.25)]
    with pytest.raises(InputError, match="a second score of document 'a'"):
        pe.evaluate(QRELS, RUN, "urbp", document_scores=twice)
    groups = tmp_path / "groups"
    groups.write_text("1 0 0 a 1\n")
    with pytest.raises(UsageError, match="expected judgements in the format qrels"):
        pe.evaluate(groups, RUN, "prefs_simp", form="prefs", document_scores=SCORES)


def test_ties_that_matter_are_a_warning() -> None:
    with pytest.warns(PresEvalWarning, match=r"run: equal scores: recip_rank is 0.3333 to 1.0000") as caught:
        pe.evaluate({"1": {"a": 1, "c": 0}}, FLAT, "recip_rank")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ties, value in {"best": 1.0, "worst": 1 / 3, "expected": (1 + 1 / 2 + 1 / 3) / 3}.items():
            evaluation = pe.evaluate({"1": {"a": 1, "c": 0}}, FLAT, "recip_rank", ties=ties)  # type: ignore[arg-type]
            assert evaluation["recip_rank"] == pytest.approx(value, rel=1e-15)
        pe.evaluate({"1": {"a": 1, "c": 0}}, FLAT, "num_rel_ret")


def test_what_nicknames_ask_for_and_is_not_there_is_a_warning() -> None:
    with pytest.warns(PresEvalWarning, match=r"left out, as they have no expected value.*: gm_map, iprec"):
        found = pe.evaluate({"1": {"a": 1, "c": 0}}, FLAT, ties="expected")
    assert "map" in found.measures and "gm_map" not in found.measures
    with pytest.warns(PresEvalWarning, match=r"ndcg_rel.*: no bounds, as they are not defined"):
        found = pe.evaluate({"1": {"a": 1}}, {"1": {"x": 2.0, "a": 1.0}}, "all_trec", bounds=True)
    assert found["map"] == 0.5 and found["map(bound=least)"] == 0.5 and found["map(bound=greatest)"] == 1.0


def test_duplicates_that_are_dropped_are_a_warning() -> None:
    twice = [("1", "a", 1.0), ("1", "b", 2.0), ("1", "a", 3.0)]
    with pytest.raises(InputError, match="document 'a' of topic '1' again"):
        pe.evaluate({"1": {"a": 1}}, twice, "recip_rank")
    for rule, value in {"first": 0.5, "best": 1.0}.items():
        with pytest.warns(PresEvalWarning, match=f"1 line was dropped: .*duplicates='{rule}'"):
            assert pe.evaluate({"1": {"a": 1}}, twice, "recip_rank", duplicates=rule)["recip_rank"] == value  # type: ignore[arg-type]
