"""Grades beyond 64 bits, topics named twice, values that are lists: errors of ours, never other numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.tables import frame

import pres_eval as pe
from pres_eval import pytrec_eval
from pres_eval.errors import InputError, PresEvalError

RUN = {"1": {"a": 2.0, "b": 1.0}}
LARGEST = 2**63 - 1
TOO_LARGE = (
    r"qrels: relevance too large for 64 bits in row 1, expected a whole number from -2\^63 to 2\^63 - 1"
)
COLUMNS = ("query_id", "doc_id", "relevance")


def as_data(kind: str, grade: Any) -> Any:
    """Judgements in which one document has this grade."""
    if kind == "dict":
        return {"1": {"a": grade, "b": 0}}
    if kind == "rows":
        return [("1", "a", grade), ("1", "b", 0)]
    if kind == "records":
        return [dict(zip(COLUMNS, row, strict=True)) for row in as_data("rows", grade)]
    if kind == "columns":
        return dict(zip(COLUMNS, (["1", "1"], ["a", "b"], [grade, 0]), strict=True))
    if kind == "arrays":
        return dict(zip(COLUMNS, (["1", "1"], ["a", "b"], np.array([grade, 0])), strict=True))
    return frame(kind, {"1": {"a": grade, "b": 0}}, COLUMNS)


KINDS = ("dict", "rows", "records", "columns", "arrays", "pandas", "polars", "pyarrow")


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_grade(kind: str) -> None:
    found = pe.evaluate(as_data(kind, LARGEST), RUN, ["map", "num_rel"])
    assert found.summary == {"map": 1.0, "num_rel": 1}


@pytest.mark.parametrize("grade", [2**63, 2**64 - 1])
@pytest.mark.parametrize("kind", KINDS)
def test_grades_of_64_bits_without_a_sign(kind: str, grade: int) -> None:
    if kind == "pyarrow":
        pyarrow = pytest.importorskip("pyarrow")
        values = pyarrow.array([grade, 0], pyarrow.uint64())
        data = pyarrow.table({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": values})
    else:
        data = as_data(kind, np.uint64(grade) if kind in ("dict", "rows") else grade)
    if kind == "arrays":
        data["relevance"] = np.array([grade, 0], np.uint64)
    with pytest.raises(InputError, match=TOO_LARGE):
        pe.evaluate(data, RUN, "map")


@pytest.mark.parametrize("grade", [2**63, 2**64, 10**400, -(2**63) - 1])
@pytest.mark.parametrize("kind", ["dict", "rows", "records", "columns"])
def test_whole_numbers_of_python(kind: str, grade: int) -> None:
    with pytest.raises(InputError, match=TOO_LARGE):
        pe.evaluate(as_data(kind, grade), RUN, "map")


def test_grades_among_which_are_decimals() -> None:
    """Gains are doubles, whatever their size."""
    assert pe.evaluate({"1": {"a": 2.0**64, "b": 0.5}}, RUN, "map")["map"] == 1.0


@pytest.mark.parametrize("least", [-(2**63), np.int64(-(2**63))])
def test_the_least_grade_among_decimals(least: Any) -> None:
    """64 bits hold it: its amount alone is too large for them."""
    judged = pe.Qrels([("1", "a", 0.5), ("1", "b", least)])
    assert judged.to_dict() == {"1": {"a": 0.5, "b": -(2.0**63)}}


def test_the_drop_in_of_pytrec_eval() -> None:
    grades: list[Any] = [2**63, 2**64, [1], (1,)]
    for grade in grades:
        with pytest.raises(TypeError):
            pytrec_eval.RelevanceEvaluator({"1": {"a": grade, "b": 0}}, {"map"})


@pytest.mark.parametrize("wrong", [[1], [1, 2], (1,), [], {"x": 1}, None, "1", b"1", 1j, object()])
@pytest.mark.parametrize("kind", ["dict", "rows", "records", "columns", "pandas"])
def test_grades_that_are_no_numbers(kind: str, wrong: Any) -> None:
    with pytest.raises(InputError, match=r"expected (a number|numbers|a finite number)$"):
        pe.Qrels(as_data(kind, wrong))


@pytest.mark.parametrize("kind", ["dict", "rows", "records", "columns"])
def test_grades_that_are_lists_all_of_them(kind: str) -> None:
    """numpy takes lists of one length for a table."""
    data: dict[str, Any] = {
        "dict": {"1": {"a": [1], "b": [0]}},
        "rows": [("1", "a", [1]), ("1", "b", [0])],
        "records": [dict(zip(COLUMNS, ("1", docno, [1]), strict=True)) for docno in "ab"],
        "columns": dict(zip(COLUMNS, (["1", "1"], ["a", "b"], [[1], [0]]), strict=True)),
    }
    with pytest.raises(InputError, match=r"expected (a number|numbers)"):
        pe.Qrels(data[kind])


@pytest.mark.parametrize("wrong", [[1.0], (1.0, 2.0), None, 1j])
def test_scores_that_are_no_numbers(wrong: Any) -> None:
    for run in ({"1": {"a": wrong, "b": 1.0}}, [("1", "a", wrong), ("1", "b", 1.0)], {"1": {"a": wrong}}):
        with pytest.raises(InputError, match=r"expected (a number|numbers)"):
            pe.evaluate({"1": {"a": 1}}, run, "map")


@pytest.mark.parametrize("first", [1, np.int64(1), b"1"])
@pytest.mark.parametrize("argument", ["weights", "nmax_of", "sizes"])
def test_topics_that_are_there_twice(argument: str, first: Any) -> None:
    numbers: Any = {argument: {first: 1, "1": 9}}
    expected = f"^{argument}: topic '1' both as a number and as a text, expected each topic once"
    with pytest.raises(InputError, match=expected):
        pe.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "map", **numbers)


def test_lists_of_topics_that_are_there_twice() -> None:
    """Groups and excluded documents of both count."""
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "b": 1.0, "c": 0.5}}
    assert set(pe.evaluate(qrels, run, "map", groups={1: "g", "1": "h"}).groups) >= {"g", "h"}
    excluded = pe.evaluate(qrels, run, "num_ret", exclude={1: ["a"], "1": ["b"]}, exclude_from="run")
    assert excluded["num_ret"] == 1


def test_documents_that_are_mapped_twice() -> None:
    with pytest.raises(PresEvalError, match=r"map_docs.*docno '1'|map_docs.*document '1'"):
        pe.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "map", map_docs={1: "a", "1": "b"})


def test_topics_of_judgements_and_runs_that_are_there_twice() -> None:
    for data in ({1: {"a": 1}, "1": {"a": 1}}, {1: {"a": 1}, "1": {"a": 0}}):
        with pytest.raises(InputError, match=r"document 'a' .*'1'"):
            pe.evaluate(data, {"1": {"a": 1.0}}, "map")
    with pytest.raises(InputError):
        pe.evaluate({"1": {"a": 1}}, {1: {"a": 1.0}, "1": {"b": 2.0}}, "map")
