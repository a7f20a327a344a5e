"""Runs without judgements, and ids beside those of the collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Command

RUN = "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 1 r\n"


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("run").write_text(RUN)
    Path("qrels").write_text("1 0 a 1\n3 0 z 1\n")
    return call


def test_a_run_alone(call: Command) -> None:
    called = call("check", "run")
    assert called.code == 0
    assert called.out.startswith("run: run r, 3 documents, 2 topics, 1 to 2 each\n  verdict: good\n")
    Path("run").write_text(RUN + "1 Q0 a 3 0.5 r\n1 Q0 c 4 x r\n")
    called = call("check", "run")
    assert called.code == 1
    assert "error duplicate (1)" in called.out and "error score-no-number (1)" in called.out


def test_judgements_alone(call: Command) -> None:
    called = call("check", "qrels")
    assert called.code == 0 and called.out.startswith("qrels: 2 judgements, 2 topics, grades 1: 2\n")
    Path("q.csv").write_text("qid,docno,label\n1,a,1\n")
    assert call("check", "q.csv").out.startswith("q.csv: 1 judgement, 1 topic")


def test_several_runs_alone(call: Command) -> None:
    Path("other").write_text(RUN)
    called = call("check", "--no-qrels", "run", "other")
    assert called.code == 0 and called.out.count("3 documents, 2 topics") == 2
    assert "note same-tag" in called.out
    assert call("check", "run", "other").code == 1


TOPICS = {
    "words": "1 first topic\n2 second topic\n",
    "table": "query_id\ttext\n1\tfirst\n2\tsecond\n",
    "records": '{"_id": "1", "text": "first"}\n\n{"_id": "2", "text": "second"}\n',
}
DOCUMENTS = {
    "words": "b\na\n",
    "table": "docno,title\na,x\nb,y\n",
    "records": '{"_id": "a"}\n{"docno": "b"}\n',
}


@pytest.mark.parametrize("form", TOPICS)
def test_ids_that_the_collection_lacks(form: str, call: Command) -> None:
    Path("topics").write_text(TOPICS[form])
    Path("documents").write_text(DOCUMENTS[form])
    options = ("--topics", "topics", "--documents", "documents")
    assert "unknown" not in call("check", "run", *options).out
    called = call("check", "qrels", "run", *options)
    assert called.code == 0
    assert (
        "warning unknown-topic (1): topics that the file of --topics lacks\n    qrels:2: topic '3'"
        in called.out
    )
    assert "warning unknown-document (1): " in called.out and "qrels:2: document 'z'" in called.out
    Path("run.csv").write_text("qid,docno,score\n1,a,3\n9,q,2\n")
    called = call("check", "run.csv", *options, "--strict")
    assert called.code == 1
    assert "run.csv:3: topic '9'" in called.out and "run.csv:3: document 'q'" in called.out


def test_the_first_line_of_an_unknown_document_is_named(call: Command) -> None:
    Path("documents").write_text("a\n")
    Path("run").write_text("1 Q0 z 1 3 t\n2 Q0 a 1 3 t\n2 Q0 z 2 2 t\n")
    called = call("check", "run", "--documents", "documents")
    assert "warning unknown-document (1): " in called.out and "run:1: document 'z'" in called.out


def test_ids_without_an_id(call: Command) -> None:
    Path("topics").write_text('{"_id": "1"}\n{"title": "x"}\n')
    called = call("check", "run", "--topics", "topics")
    assert called.code == 2 and "topics:2: " in called.err and "JSON with the id of a topic" in called.err


def test_the_line_of_another_tag_in_a_large_run(call: Command) -> None:
    """Each chunk of a run counts its lines from 1: the others come before."""
    rows = (f"{number // 1000} Q0 d{number} 1 {-number} tagA\n" for number in range(250_000))
    Path("big").write_text("".join(rows) + "250 Q0 x 1 1 tagB\n")
    assert "big:250001: tag 'tagB' (1 line)" in call("check", "big").out


@pytest.mark.parametrize(
    ("text", "is_judged"),
    [
        ('{"q1": {"d1": 1, "d2": 0}}', True),
        ('{"q1": {"d1": 1.5, "d2": 0.2}}', False),
        ('{"q1": ["d1", "d2"]}', False),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n", True),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1.25\n", False),
        ("q1 0 d1 1\nq1 0 d2 0\n", True),
    ],
)
def test_a_single_file_may_have_judgements(text: str, is_judged: bool, call: Command) -> None:
    """Whole numbers are grades; --no-qrels says otherwise."""
    Path("alone").write_text(text)
    assert (", grades " in call("check", "alone").out) is is_judged
    assert ", grades " not in call("check", "--no-qrels", "alone").out


def test_rows_that_a_quotation_mark_swallows_are_a_warning(call: Command) -> None:
    """The reader's note is a finding: the file is not good."""
    rows = 'query_id,doc_id,relevance,title\n1,a,2,"one\n1,b,0,two"\n1,c,1,three\n'
    Path("judged.csv").write_text(rows)
    called = call("check", "judged.csv", "run")
    assert "read-with-warning (1)" in called.out and "is a quotation mark missing?" in called.out
    assert "verdict: can be evaluated" in called.out and "note:" not in called.err
    assert call("check", "--strict", "judged.csv", "run").code == 1
