"""Parquet files whose columns are not what they seem: errors of ours, from every way to read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import PresEvalError

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def strings(*texts: str) -> Any:
    return pyarrow.array(texts)


def table(documents: Any, values: Any, names: tuple[Any, ...]) -> Any:
    return pyarrow.Table.from_arrays([strings("1", "1"), documents, values], names=list(names))


RUN = ("query_id", "doc_id", "score")
NUMBERS = [1.0, 2.0]


def tables(name: str) -> dict[str, Any]:
    """Tables with a column `name` of numbers that cannot be read."""
    numbers = pyarrow.array([1, 2]) if name == "relevance" else pyarrow.array(NUMBERS)
    columns = ("query_id", "doc_id", name)
    structs = pyarrow.array([{"a": "x"}, {"a": "y"}])
    twice = pyarrow.Table.from_arrays(
        [strings("1", "1"), strings("a", "b"), numbers, numbers], names=[*columns, name]
    )
    return {
        "lists": table(pyarrow.array([["a"], ["b", "c"]]), numbers, columns),
        "structs": table(structs, numbers, columns),
        "maps": table(
            pyarrow.array([[("a", "b")], []], pyarrow.map_(pyarrow.string(), pyarrow.string())),
            numbers,
            columns,
        ),
        "lists of numbers": table(strings("a", "b"), pyarrow.array([[1], [2]]), columns),
        "structs of numbers": table(strings("a", "b"), structs, columns),
        "two columns": twice,
        "two columns of ids": pyarrow.Table.from_arrays(
            [strings("1", "1"), strings("a", "b"), strings("a", "b"), numbers],
            names=["query_id", "doc_id", "doc_id", name],
        ),
        "nulls": table(pyarrow.nulls(2), numbers, columns),
        "dictionaries of lists": table(pyarrow.array([["a"], ["a"]]), numbers, columns),
    }


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 2.0 tag\n")
    return call


def check_all(call: Command, path: str, is_run: bool) -> None:
    """Each way to read the file is an error in one line."""
    files = ["qrels", path] if is_run else [path, "run"]
    for arguments in (
        ["-m", "map", *files],
        ["-m", "map", "--cluster", "local:1", *files] if is_run else ["-c", "-m", "map", *files],
        ["convert", path, "--to", "csv", *(["-T"] if is_run else ["-R"]), "parquet"],
        ["convert", path, "--to", "jsonl", *([] if is_run else ["-R", "parquet"])],
        ["holes" if is_run else "explain", *files],
    ):
        called = call(*arguments)
        assert called.code == 2, (arguments, called)
        assert called.err.startswith(f"pres-eval: {path}: ") and called.err.count("\n") == 1, called.err
        assert "Traceback" not in called.err
    called = call("check", *files)
    assert called.code == 1 and "error" in called.out
    with pytest.raises(PresEvalError):
        pe.evaluate(files[0], files[1], "map")
    if is_run:
        with pytest.raises(PresEvalError):
            pe.write_run(path, Path("out.csv"))


@pytest.mark.parametrize("kind", tables("score"))
def test_runs(kind: str, call: Command) -> None:
    parquet.write_table(tables("score")[kind], "x.parquet")
    check_all(call, "x.parquet", is_run=True)


@pytest.mark.parametrize("kind", tables("relevance"))
def test_judgements(kind: str, call: Command) -> None:
    parquet.write_table(tables("relevance")[kind], "x.parquet")
    check_all(call, "x.parquet", is_run=False)


@pytest.mark.parametrize("name", ["score", "relevance", "other"])
def test_names_that_are_no_utf_8(name: str, call: Command) -> None:
    """pyarrow writes none: the bytes are put into a file of its own."""
    numbers = pyarrow.array([1, 2]) if name == "relevance" else pyarrow.array(NUMBERS)
    columns = [strings("1", "1"), strings("a", "b"), numbers, numbers]
    whole = pyarrow.Table.from_arrays(columns, names=["query_id", "doc_id", name, "XXXXXX"])
    parquet.write_table(whole, "x.parquet", store_schema=False)
    data = Path("x.parquet").read_bytes()
    for faulty in (b"XXXXXX", name.encode()):
        Path("x.parquet").write_bytes(data.replace(faulty, b"\xff\xfe" + faulty[2:]))
        check_all(call, "x.parquet", is_run=name != "relevance")


def test_the_message_of_two_columns(call: Command) -> None:
    parquet.write_table(tables("score")["two columns"], "x.parquet")
    assert call("-m", "map", "qrels", "x.parquet").err == (
        "pres-eval: x.parquet: 2 columns named score, expected one\n"
    )
    parquet.write_table(tables("score")["lists"], "x.parquet")
    expected = "column 'doc_id' of type list<element: string>, expected texts or whole numbers"
    assert call("-m", "map", "qrels", "x.parquet").err == f"pres-eval: x.parquet: {expected}\n"


@pytest.mark.parametrize(
    ("kind", "value"),
    [("uint64", 2**63), ("uint64", 2**64 - 1), ("float64", 2.0**63), ("float64", -(2.0**64))],
)
def test_grades_beyond_64_bits(call: Command, kind: str, value: float) -> None:
    """They wrapped to negative grades, so that a relevant document was none."""
    grades = pyarrow.array([value, 1], pyarrow.type_for_alias(kind))
    parquet.write_table(table(strings("a", "b"), grades, ("query_id", "doc_id", "relevance")), "q.parquet")
    Path("r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    commands: list[tuple[str, ...]] = [("-m", "map", "q.parquet", "r")]
    if kind == "uint64":  # doubles are gains to `convert` and Python, however large
        commands.append(("convert", "-R", "parquet", "--to", "qrels", "q.parquet"))
        with pytest.raises(PresEvalError, match="in column 'relevance'"):
            pe.evaluate("q.parquet", "r", "map", form="parquet")
    for command in commands:
        called = call(*command)
        assert (called.code, called.out) == (2, "")
        assert "q.parquet: relevance" in called.err and "in column 'relevance'" in called.err


@pytest.mark.parametrize(("kind", "value"), [("uint64", 2**63 - 1), ("uint8", 255), ("float64", 2.0)])
def test_large_grades_that_fit(call: Command, kind: str, value: float) -> None:
    grades = pyarrow.array([value, 0], pyarrow.type_for_alias(kind))
    parquet.write_table(table(strings("a", "b"), grades, ("query_id", "doc_id", "relevance")), "q.parquet")
    Path("r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    assert call("-m", "num_rel", "q.parquet", "r").out == "num_rel               \tall\t1\n"
