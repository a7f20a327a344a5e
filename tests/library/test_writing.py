"""write_run and Qrels.write: what is written evaluates as what it was made of, and equals `convert`."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval as pe
from pres_eval.errors import InputError, UsageError

pd = pytest.importorskip("pandas")
FORMS = ["beir", "json", "jsonl", "csv"]


def written(write: Any, *arguments: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    write(*arguments, file, **options)
    return file.getvalue()


def as_dict(path: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in Path(path).read_text().splitlines():
        topic, _, docno, _, score, _ = line.split()
        found.setdefault(topic, {})[docno] = float(score)
    return found


@pytest.mark.parametrize("form", ["trec_results", *FORMS])
def test_files_are_written_as_convert_does(form: str, command: Command, tmp_path: Path) -> None:
    pe.write_run(RUNS[0], tmp_path / "run", form=form)
    expected = command.ok("convert", RUNS[0], "--to", form).out
    assert (tmp_path / "run").read_text() == expected
    everything = pe.evaluate(QRELS, RUNS[0], "all_trec").summary
    again = pe.evaluate(QRELS, str(tmp_path / "run"), "all_trec").summary
    assert {**again, "runid": ""} == {**everything, "runid": ""}


@pytest.mark.parametrize("form", ["qrels", *FORMS])
def test_judgements_of_any_kind(form: str, tmp_path: Path) -> None:
    pe.Qrels(QRELS).write(tmp_path / "qrels", form=form)
    judged = pe.Qrels(QRELS)
    for kind in (judged.to_dict(), judged.to_pandas()):
        assert written(pe.Qrels(kind).write, form=form) == (tmp_path / "qrels").read_bytes()
    name = form if form in ("beir", "json") else "qrels"
    assert pe.Qrels(str(tmp_path / "qrels"), form=name).to_dict() == judged.to_dict()


def test_the_best_of_a_dict_come_first() -> None:
    run = {"q": {"a": 1.0, "b": 3.0, "c": 1.0}, "é": {"ü": 0.1}}
    expected = "q Q0 b 1 3.0 x\nq Q0 a 2 1.0 x\nq Q0 c 3 1.0 x\né Q0 ü 1 0.1 x\n"
    assert written(pe.write_run, run, tag="x").decode() == expected
    rows = [(topic, docno, score) for topic, scores in run.items() for docno, score in scores.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    for kind in (rows, frame, {name: frame[name].tolist() for name in frame}):
        assert written(pe.write_run, kind, tag="x").decode() == expected


def test_scores_come_back_bit_for_bit() -> None:
    rng = np.random.default_rng(3)
    run = {"1": {f"d{n}": float(value) for n, value in enumerate(rng.standard_normal(500) * 10.0**-7)}}
    lines = written(pe.write_run, run).decode().splitlines()
    assert {line.split()[2]: float(line.split()[4]) for line in lines} == run["1"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda file: pe.write_run({"1": {"a": 1}}, file, form="qrels"),
            "form='qrels': expected one of trec",
        ),
        (lambda file: pe.Qrels({"1": {"a": 1}}).write(file, form="trec_results"), "expected one of qrels, b"),
        (lambda file: pe.write_run({"1": {"a b": 1}}, file), "docno 'a b', expected one without blanks"),
        (lambda file: pe.write_run({"1": {"a": None}}, file), "score 'None' of document 'a'"),
        (lambda file: pe.write_run(7, file), "an object of type int"),
    ],
)
def test_mistakes_leave_no_file(call: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(pe.PresEvalError, match=message):
        call(tmp_path / "file")
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("ending", "form"), [("csv", "csv"), ("tsv", "beir"), ("jsonl", "jsonl"), ("txt", None)]
)
def test_the_ending_of_a_file_chooses_the_format(ending: str, form: str | None, tmp_path: Path) -> None:
    run = {"1": {"a": 1.5, "b": 2.0}}
    pe.write_run(run, tmp_path / f"by-ending.{ending}")
    pe.write_run(run, tmp_path / "named", form=form or "trec_results")
    assert (tmp_path / f"by-ending.{ending}").read_bytes() == (tmp_path / "named").read_bytes()
    qrels = pe.Qrels({"1": {"a": 1}})
    qrels.write(tmp_path / f"qrels.{ending}")
    qrels.write(tmp_path / "named", form=form or "qrels")
    assert (tmp_path / f"qrels.{ending}").read_bytes() == (tmp_path / "named").read_bytes()


RANKED_FROM: dict[str, Callable[[Path], Any]] = {
    "dict": lambda folder: {"1": {"b": 2.0, "a": 1.0}},
    "rows": lambda folder: [("1", "b", 2.0), ("1", "a", 1.0)],
    "table": lambda folder: {"query_id": ["1", "1"], "doc_id": ["b", "a"], "score": [2.0, 1.0]},
    "path": lambda folder: folder / "run.txt",
}


@pytest.mark.parametrize("kind", RANKED_FROM)
def test_a_ranked_run_writes_all_its_documents(kind: str, tmp_path: Path) -> None:
    """Documents that nobody judged too, whatever the run was made of."""
    (tmp_path / "run.txt").write_text("1 Q0 b 1 2.0 tag\n1 Q0 a 2 1.0 tag\n")
    run = pe.Qrels({"1": {"a": 1}}).rank(RANKED_FROM[kind](tmp_path))
    run.write(tmp_path / "out.txt", tag="mine")
    assert (tmp_path / "out.txt").read_text() == "1 Q0 b 1 2.0 mine\n1 Q0 a 2 1.0 mine\n"
    pe.write_run(run, tmp_path / "again.txt", tag="mine")
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "out.txt").read_bytes()


def test_a_ranked_matrix_writes_what_is_there(tmp_path: Path) -> None:
    qrels = pe.Qrels({"1": {"17": 1}, "2": {"4": 1}})
    run = qrels.rank_top_k(["1", "2"], np.array([[17, 4], [9, -1]]), np.array([[0.9, 0.5], [0.25, 0.0]]))
    run.write(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "1 Q0 17 1 0.9 run\n1 Q0 4 2 0.5 run\n2 Q0 9 1 0.25 run\n"


def test_a_run_of_something_read_once_cannot_be_written(tmp_path: Path) -> None:
    run = pe.Qrels({"1": {"a": 1}}).rank(iter([("1", "a", 1.0)]))
    with pytest.raises(UsageError, match=r"run: was made of a list_iterator, which can be read once"):
        run.write(tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


def test_a_score_that_is_no_number_is_not_written(tmp_path: Path) -> None:
    runs = {"qid": ["1"], "docno": ["a"], "score": [float("nan")]}, {"1": {"a": float("nan")}}
    for run in (pd.DataFrame(runs[0]), runs[1]):
        with pytest.raises(InputError, match=r"nan.* of document 'a'"):
            pe.write_run(run, tmp_path / "run")
    assert not (tmp_path / "run").exists()
