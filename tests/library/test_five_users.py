"""The scripts of five users give what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from support import five_users as users

import pres_eval as pe
from pres_eval import measures

QRELS = {f"q{topic}": {"a": 1, "b": 2} for topic in range(6)}
GOOD = {topic: {"b": 3.0, "a": 2.0, "x": 1.0} for topic in QRELS}
POOR = {topic: {"x": 3.0, "y": 2.5, "a": 2.1 + number / 7} for number, topic in enumerate(QRELS)}


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    before = dict(measures._OWN)
    yield
    measures._OWN.clear()
    measures._OWN.update(before)


def test_trainer_callback() -> None:
    found = users.trainer_callback(QRELS, [{topic: GOOD[topic]} for topic in QRELS])
    assert found == [1.0] * 8


def test_notebook() -> None:
    assert users.notebook({"q1": {"a", "b"}}, {"q1": {"a": 2.0, "x": 1.0}}) == {"map": 0.5, "P_5": 0.2}


def test_data_engineer(tmp_path: Path) -> None:
    rows = [(topic, document, score) for topic in GOOD for document, score in GOOD[topic].items()]
    names = ("query_id", "doc_id", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "run.parquet")
    (tmp_path / "qrels").write_bytes(pe.Qrels(QRELS).to_trec())
    assert users.data_engineer(tmp_path / "qrels", tmp_path / "run.parquet", tmp_path / "out.parquet") == 1.0
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").num_rows == 6


def test_custom_measure() -> None:
    found = users.custom_measure(QRELS, POOR)
    assert list(found) == ["found_early_1", "found_early_2"] and found["found_early_1"] == 0.0


def test_table_of_a_paper() -> None:
    text = users.table_of_a_paper(QRELS, {"bm25": POOR, "dense": GOOD})
    assert r"\textbf{1.000}$^{+}$" in text and text.endswith("% 2 significant\n")
