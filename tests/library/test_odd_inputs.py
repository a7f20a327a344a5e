"""Inputs of rare layouts give the same numbers; those that cannot be used say what is wrong with them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support.tables import frame

import pres_eval as pe
from pres_eval.errors import InputError, MeasureError, UsageError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 1.0, "b": 0.5}}
MAP = 0.75
COLUMNS = ("query_id", "doc_id", "score")


class Stream:
    """Something of which only its Arrow stream is known."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._data.__arrow_c_stream__(requested_schema)


@pytest.fixture
def pyarrow() -> Any:
    return pytest.importorskip("pyarrow")


def table() -> Any:
    return frame("pyarrow", RUN, COLUMNS)


def score(run: Any, qrels: Any = QRELS) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pe.evaluate(qrels, run, "map")["map"]


def slices_of_structs(pyarrow: Any) -> Any:
    """The slice is of the rows, and not of their columns."""
    rows = [{"query_id": "0", "doc_id": "z", "score": 9.0}, *table().to_pylist(), {"query_id": "3"}]
    kind = pyarrow.struct(list(table().schema))
    return pyarrow.chunked_array([pyarrow.array(rows, kind).slice(1, 4)])


def nothing_missing_in_the_slice(pyarrow: Any) -> Any:
    rows = [*table().to_pylist(), {"query_id": "3", "doc_id": None, "score": None}]
    return pyarrow.Table.from_pylist(rows, table().schema).slice(0, 4)


def no_nul_in_the_slice(pyarrow: Any) -> Any:
    nul = {"query_id": "3\0", "doc_id": "\0", "score": 0.0}
    return pyarrow.Table.from_pylist([nul, *table().to_pylist(), nul], table().schema).slice(1, 4)


def an_empty_piece(pyarrow: Any) -> Any:
    batch = table().to_batches()[0]
    return pyarrow.Table.from_batches([batch.slice(0, 0), batch])


@pytest.mark.parametrize(
    "made", [slices_of_structs, nothing_missing_in_the_slice, no_nul_in_the_slice, an_empty_piece]
)
def test_layouts_of_arrow(made: Callable[[Any], Any], pyarrow: Any) -> None:
    assert score(Stream(made(pyarrow))) == MAP


@pytest.mark.parametrize("pieces", [1, 3])
def test_numbers_as_ids_in_pieces(pieces: int, pyarrow: Any) -> None:
    names = {"query_id": [1, 1, 2], "doc_id": [10, 11, 12], "score": [2.0, 1.0, 1.0]}
    whole = pyarrow.table(names)
    parts = [whole.slice(start, 3 // pieces) for start in range(0, 3, 3 // pieces)]
    assert score(pyarrow.concat_tables(parts), {"1": {"11": 1}, "2": {"12": 1}}) == MAP


def failing(pyarrow: Any) -> Any:
    def batches() -> Iterator[Any]:
        yield table().to_batches()[0]
        raise OSError("the disk is gone")

    return pyarrow.RecordBatchReader.from_batches(table().schema, batches())


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (failing, "the table cannot be read (IOError: the disk is gone)"),
        (lambda arrow: arrow.chunked_array([[1, 2]]), "an Arrow array, expected a table with named columns"),
        (
            lambda arrow: table().set_column(1, "doc_id", arrow.array([1.5] * 4)),
            "column doc_id of type double, expected texts or whole numbers",
        ),
        (
            lambda arrow: table().set_column(2, "score", arrow.array(["x"] * 4)),
            "column score of type string, expected numbers",
        ),
        (
            lambda arrow: table().set_column(1, "doc_id", arrow.array([True] * 4)),
            "column doc_id of type bool, expected texts or whole numbers",
        ),
        (
            lambda arrow: table().set_column(1, "doc_id", arrow.array(["a\0b", "x", "c", "b"])),
            "a NUL in an id of column 'doc_id', expected text",
        ),
        (
            lambda arrow: table().set_column(0, "query_id", arrow.array(["1", "1", "2", "2\0"])),
            "a NUL in an id of column 'query_id', expected text",
        ),
    ],
)
def test_tables_of_arrow_that_cannot_be_used(made: Callable[[Any], Any], message: str, pyarrow: Any) -> None:
    with pytest.raises(InputError) as error:
        pe.evaluate(QRELS, Stream(made(pyarrow)), "map")
    assert message in str(error.value)


def test_categories_without_a_value() -> None:
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"query_id": ["1", None], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(InputError, match="column query_id: rows without a value, expected a value in every"):
        pe.evaluate(QRELS, data.astype({"query_id": "category"}), "map")


class Text(io.StringIO):
    name = "<text>"


class Wrong(io.BytesIO):
    def read(self, size: int | None = -1, /) -> Any:
        return 17


def test_open_files_of_text() -> None:
    lines = "1 Q0 a 1 2 t\n1 Q0 x 2 1 t\n2 Q0 c 1 1 t\n2 Q0 b 2 0.5 t\n"
    assert score(Text(lines)) == score(io.BytesIO(lines.encode())) == MAP
    with pytest.raises(
        InputError, match="an open file that reads int, expected one that reads bytes or text"
    ):
        pe.evaluate(QRELS, Wrong(), "map")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({1: {"a": 1.0}, "1": {"b": 1.0}}, "a topic given both as a number and as a text"),
        ({"1": {1: 1.0, "1": 2.0}}, "a document given both as a number and as a text"),
        ({"1": {"a": 1.0}, "2": {"b": [1.0, 2.0]}}, "of document 'b', expected a number"),
        (
            {"1": {"a": 1.0, "b": 10**400}},
            "run: score too large for 64 bits of document 'b', expected a number b",
        ),
        ({"1": {"a": 10**5000}}, "run: score too large for 64 bits of document 'a'"),
        (
            [("1", "a", 1.0), ("1", "b", 10**400)],
            "run: a score too large for 64 bits, expected a number below",
        ),
        ([("1", "a", 1.0), 5], "rows such as"),
        ([("1", "a", 1.0), ("1", "b", [1.0])], "column score of"),
        ([("1", "a", 1.0), ("1", "b")], "rows such as"),
    ],
)
def test_runs_that_contradict_themselves(run: Any, message: str) -> None:
    with pytest.raises(pe.PresEvalError) as error:
        pe.evaluate(QRELS, run, "map")
    assert message in str(error.value)


def test_judgements_that_are_no_dict_of_dicts() -> None:
    with pytest.raises(InputError, match="int for topic '2', expected a dict of documents and their values"):
        pe.Qrels({"1": {"a": 1}, "2": 3})


@pytest.mark.parametrize("scores", [{"a": 2, "x": 1}, {"a": np.float32(2), "x": True}, {"a": 2**70, "x": 1}])
def test_scores_of_any_numbers(scores: Any) -> None:
    assert score({"1": scores, "2": RUN["2"]}) == MAP


def test_negative_numbers_as_documents() -> None:
    rows = {"query_id": np.array([1, 1]), "doc_id": np.array([-5, 7]), "score": np.array([2.0, 1.0])}
    assert score(rows, {"1": {"-5": 1}}) == 1.0


def test_what_was_ranked_is_not_ranked_again() -> None:
    judged = pe.Qrels(QRELS)
    ranked = judged.rank(RUN)
    with pytest.raises(UsageError, match=r"it is ranked already, expected what Qrels\.rank takes"):
        judged.rank(ranked)
    with pytest.raises(UsageError, match="it is ranked already; call its method evaluate"):
        pe.evaluate(judged, ranked, "map")
    assert ranked.qrels is judged
    assert ranked.tag == ranked.evaluate("map").tag


def test_evaluations_show_themselves() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pe.evaluate(QRELS, RUN, ["num_ret", "map", "P.5,10", "runid"], name="<b>&")
    shown = found._repr_html_()
    assert "&lt;b&gt;&amp;: 2 topics" in shown and "<b>" not in shown
    assert "num_ret</td><td style='text-align:right'>4</td>" in shown and ">0.7500</td>" in shown
    assert repr(found).startswith("<Evaluation <b>&: 2 topics: ")
    with pytest.raises(MeasureError, match=r"P_7: not among the measures that were evaluated \("):
        found["P_7"]
    with pytest.raises(MeasureError, match="no such thing: not among the measures"):
        found["no such thing"]


def test_comparisons_show_themselves() -> None:
    other = {"1": {"x": 2.0, "a": 1.0}, "2": {"b": 1.0, "c": 0.5}}
    found = pe.compare([pe.evaluate(QRELS, data, "map") for data in (RUN, other)], names=["<i>", "b"])
    assert found.runs == ["<i>", "b"]
    assert found.means["<i>"] == {"map": MAP}
    rows = found.to_dicts()
    assert [row["run"] for row in rows] == [one.run for one in found] and len(found) == 1
    assert found[0].measure == "map"
    assert repr(found) == "<Comparisons: 1, of 2 runs over 2 topics>"
    assert "&lt;i&gt;" in found._repr_html_() and "<i>" not in found._repr_html_()
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(rows).equals(found.to_pandas()[list(rows[0])])


@pytest.mark.parametrize("ids", [("a", "b"), ("é", "\udc80")])
@pytest.mark.parametrize("grades", [(2, -1, 0), (300, 1, 2), (1.0, 0.0, 2.0), (True, 1, 0)])
def test_judgements_of_dicts_are_those_of_rows(ids: tuple[str, str], grades: tuple[float, ...]) -> None:
    """Texts of ASCII with whole grades take a short way; topics come in byte order, documents as they are."""
    first, second = ids
    high, low, other = grades
    judged = {"9": {second: high, first: low}, "10": {first: other}, "2": {}}
    rows = [(topic, document, grade) for topic in judged for document, grade in judged[topic].items()]
    of_dict, of_rows = pe.Qrels(judged).relevance, pe.Qrels(rows).relevance
    assert list(of_dict.pool.topics) == list(of_rows.pool.topics) == [b"10", b"9"]
    assert list(of_dict.pool.documents) == list(of_rows.pool.documents)
    assert of_dict.pool.offsets.tolist() == of_rows.pool.offsets.tolist() == [0, 1, 3]
    assert pe.Qrels(judged).to_trec() == pe.Qrels(rows).to_trec()
    assert of_dict.info is of_rows.info
