"""No id of another format than text can put a line or a column of its own into trec_eval's lines."""

from __future__ import annotations

import csv
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from support.commands import Command
from support.tables import frame

import pres_eval as pe
from pres_eval import pytrec_eval
from pres_eval.errors import InputError

BREAKS = ("\t", "\n", "\v", "\f", "\r")
FORGED = "1{}\n9.0\nmap                   \tall\t0.9999"
TOPICS = [*(f"1{one}all" for one in BREAKS), "all\t0.9999", FORGED]
EXPECTED = "expected a topic without tabs and line ends"

pytestmark = pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 2.0 tag\n")
    return call


def write_json(path: str, topic: str, value: float) -> None:
    Path(path).write_text(json.dumps({"1": {"a": value}, topic: {"a": value}}))


def write_json_lines(path: str, topic: str, value: float) -> None:
    key = "relevance" if isinstance(value, int) else "score"
    rows = [json.dumps({"query_id": each, "doc_id": "a", key: value}) for each in ("1", topic)]
    Path(path).write_text("\n".join(rows) + "\n")


def write_csv(path: str, topic: str, value: float) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    key = "relevance" if isinstance(value, int) else "score"
    writer.writerows([["query_id", "doc_id", key], ["1", "a", value], [topic, "a", value]])
    Path(path).write_text(stream.getvalue(), newline="")


def write_parquet(path: str, topic: str, value: float) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    key = "relevance" if isinstance(value, int) else "score"
    table = {"query_id": ["1", topic], "doc_id": ["a", "a"], key: [value, value]}
    parquet.write_table(pytest.importorskip("pyarrow").table(table), path)


WRITERS = {"json": write_json, "jsonl": write_json_lines, "csv": write_csv, "parquet": write_parquet}


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("form", WRITERS)
def test_topics_of_judgements(form: str, topic: str, call: Command) -> None:
    WRITERS[form]("other", topic, 1)
    called = call("-q", "-c", "-m", "map", "other", "run")
    assert (called.code, called.out) == (2, "")
    assert "pres-eval: other" in called.err and EXPECTED in called.err


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("form", WRITERS)
def test_topics_of_runs(form: str, topic: str, call: Command) -> None:
    WRITERS[form]("other", topic, 2.5)
    for arguments in (
        ["-q", "-m", "map", "qrels", "other"],
        ["convert", "other", "--to", "trec_results"],
        ["convert", "other", "--to", "json"],
        ["compare", "qrels", "run", "other", "-m", "map"],
    ):
        called = call(*arguments)
        assert (called.code, called.out) == (2, ""), arguments
        assert EXPECTED in called.err, arguments
    called = call("check", "qrels", "other")
    assert called.code == 1 and "error unreadable" in called.out


@pytest.mark.parametrize(("form", "line"), [("jsonl", 2), ("csv", 3)])
def test_the_line_of_the_topic(form: str, line: int, call: Command) -> None:
    WRITERS[form]("other", "all\t0.9999", 2.5)
    called = call("-m", "map", "qrels", "other")
    assert called.err == f"pres-eval: other:{line}: topic 'all\\t0.9999', {EXPECTED}\n"


def test_other_topics_of_other_formats_stay(call: Command) -> None:
    """Blanks, escape sequences and separators of Unicode begin no line and no column."""
    for topic in ("what is it?", "\x1b[2J", "a\u2028b\u0085c"):
        write_json("judged", topic, 1)
        write_json("ranked", topic, 2.5)
        called = call("-q", "-m", "map", "judged", "ranked")
        assert called.code == 0 and f"map                   \t{topic}\t1.0000\n" in called.out
        assert called.out.count("\n") == 3


@pytest.mark.parametrize("separator", BREAKS)
def test_the_name_of_a_file_as_tag(separator: str, call: Command) -> None:
    """The tag of a run without tags is the name of its file."""
    name = f"x\nmap                   {separator}all{separator}0.9999"
    write_json(name, "1 2", 2.5)
    called = call("-m", "runid", "-m", "map", "qrels", name)
    assert (called.code, called.out) == (2, "")
    assert "expected a name without tabs and line ends" in called.err


def test_names_of_groups(call: Command) -> None:
    for name in ("a\nmap all 0.9", "a\vb", "a\fb", "a\rb"):
        stream = io.StringIO(newline="")
        csv.writer(stream).writerows([["topic", "group"], ["1", name]])
        Path("groups").write_text(stream.getvalue(), newline="")
        called = call("-m", "map", "--groups", "groups", "qrels", "run")
        assert (called.code, called.out) == (2, ""), name
        assert "expected" in called.err


def test_lines_of_text_stay_as_they_are(call: Command) -> None:
    Path("qrels").write_bytes(b"\x1b[2J\xe2\x80\xa8 0 a 1\n")
    Path("run").write_bytes(b"\x1b[2J\xe2\x80\xa8 Q0 a 1 2.0 t\x1b\n")
    called = call.ok("-q", "-m", "map", "-m", "runid", "qrels", "run")
    assert called.out == (
        "map                   \t\x1b[2J\u2028\t1.0000\n"
        "runid                 \tall\tt\x1b\nmap                   \tall\t1.0000\n"
    )


def rows(topic: str, value: float) -> list[tuple[str, str, float]]:
    return [("1", "a", value), (topic, "a", value)]


def as_data(kind: str, topic: str, value: float) -> Any:
    """Judgements or a run of a program."""
    if kind == "dict":
        return {"1": {"a": value}, topic: {"a": value}}
    if kind == "rows":
        return rows(topic, value)
    name = "relevance" if isinstance(value, int) else "score"
    columns = {"query_id": ["1", topic], "doc_id": ["a", "a"], name: [value, value]}
    if kind == "columns":
        return columns
    return frame(kind, {"1": {"a": value}, topic: {"a": value}}, ("query_id", "doc_id", name))


KINDS = ("dict", "rows", "columns", "pandas", "polars", "pyarrow")


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("kind", KINDS)
def test_topics_of_programs(kind: str, topic: str) -> None:
    if kind in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(kind)
    with pytest.raises(InputError, match=EXPECTED) as error:
        pe.Qrels(as_data(kind, topic, 1))
    assert str(error.value).startswith("qrels: topic ")
    with pytest.raises(InputError, match=EXPECTED) as error:
        pe.evaluate({"1": {"a": 1}}, as_data(kind, topic, 2.5))
    assert str(error.value).startswith("run: topic ")
    with pytest.raises(InputError, match=EXPECTED):
        pe.write_run(as_data(kind, topic, 2.5), io.BytesIO(), form="json")


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_of_a_vector_search(topic: str) -> None:
    for ids in ([[17], [4]], [["a"], ["b"]]):
        with pytest.raises(InputError, match=EXPECTED):
            pe.Qrels({"1": {"17": 1}}).rank_top_k(["1", topic], ids, [[1.0], [0.5]])


def test_topics_with_nothing_retrieved() -> None:
    with pytest.raises(InputError, match=EXPECTED):
        pe.evaluate({"1": {"a": 1}, "x\ny": {}, "\n": {"b": 0}}, {"1": {"a": 1.0}})


@pytest.mark.parametrize("separator", BREAKS)
def test_names_of_runs_of_programs(separator: str) -> None:
    name = f"x{separator}map"
    qrels, run = pe.Qrels({"1": {"a": 1}}), {"1": {"a": 1.0}}
    for ranked in (
        lambda: qrels.rank(run, name=name),
        lambda: qrels.rank([("1", "a", 1.0)], name=name),
        lambda: qrels.rank_top_k(["1"], [["a"]], [[1.0]], name=name),
        lambda: pe.evaluate(qrels, run, name=name),
    ):
        with pytest.raises(InputError, match="expected a name without tabs and line ends"):
            ranked()


@pytest.mark.parametrize("topic", ["who\nis it?", *TOPICS])
def test_the_drop_in_of_pytrec_eval_takes_them(topic: str) -> None:
    """Its values are by topic, in a dict: nothing is printed."""
    run = {topic: {"b": 2.0, "a": 1.0}, f"{topic}\t2": {"a": 1.0}}
    for ours in (None, {"map_docs": {"b": "b"}}):
        evaluator = pytrec_eval.RelevanceEvaluator({topic: {"a": 1}}, {"map", "infAP"}, pres_eval=ours)
        assert evaluator.evaluate(run)[topic]["map"] == 0.5


def test_the_drop_in_of_ir_measures_takes_them() -> None:
    ir_measures = pytest.importorskip("ir_measures")

    topic = "who\nis it?"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pres_eval.ir_measures  # noqa: F401

        provider = ir_measures.providers.registry["pres_eval"]
        run = {topic: {"b": 2.0, "a": 1.0}, "\t": {"a": 1.0}}
        [found] = provider.iter_calc([ir_measures.AP], {topic: {"a": 1}}, run)
    assert (found.query_id, found.value) == (topic, 0.5)


def test_judgements_with_subtopics_of_ir_measures() -> None:
    """They become lines: no id can add another one."""
    ir_measures = pytest.importorskip("ir_measures")
    import pres_eval.ir_measures  # noqa: F401

    provider = ir_measures.providers.registry["pres_eval_diversity"]
    for forged in ("1 0 a 1\n2", "1\t0", "1\r2"):
        qrels = [ir_measures.Qrel(forged, "a", 1, "0"), ir_measures.Qrel("1", "b", 1, "0")]
        with pytest.raises(InputError, match=r"qrels: id '.*', expected one without blanks and line ends"):
            provider.evaluator([ir_measures.alpha_nDCG @ 5], qrels)
