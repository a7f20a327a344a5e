"""Columns that no file has, headings in German, files in other encodings: each gets an error or a hint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Command

QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "query_id,doc_id,score\n1,a,3\n1,b,2\n"
FROM_LATIN_1 = "iconv -f WINDOWS-1252 -t UTF-8 < FILE > NEW"


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capfdbinary)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run.csv").write_text(RUN)
    return tmp_path


def test_a_mistyped_heading_is_an_error_where_a_known_one_exists(call: Command, folder: Path) -> None:
    called = call("--columns", "topic=query-ids", "qrels", "run.csv")
    assert (called.code, called.out) == (1, "")
    assert called.err == (
        "pres-eval: --columns topic=query-ids: no such heading, expected one of query_id, doc_id, score"
        " (run.csv); did you mean query_id?\n"
    )
    called = call("compare", "--columns", "topic=query_id,docno=dokument", "qrels", "run.csv", "run.csv")
    assert called.code == 1 and "--columns docno=dokument: no such heading" in called.err
    called = call("--columns", "run.topic=frage", "qrels", "run.csv")
    assert called.code == 1 and "--columns run.topic=frage: no such heading" in called.err


def test_a_heading_that_one_of_the_files_has_is_right(call: Command, folder: Path) -> None:
    (folder / "qrels.csv").write_text("Frage,doc_id,relevance\n1,a,1\n")
    (folder / "run.json").write_text(json.dumps([{"Frage": "1", "docno": "a", "query": "1", "score": 1.0}]))
    for columns, qrels, run in (
        ("topic=Frage", "qrels.csv", "run.csv"),
        ("topic=Query ID", "qrels", "run.csv"),
        ("topic=1,docno=2,score=3", "qrels", "run.csv"),
        ("topic=Frage", "qrels", "run.json"),
    ):
        assert call("--columns", columns, "-m", "map", qrels, run).code == 0, columns
    called = call("--columns", "topic=Fragen", "-m", "map", "qrels", "run.json")
    assert called.code == 1 and "expected one of Frage, docno, query, score (run.json)" in called.err


def test_german_headings_are_proposed_and_not_guessed(call: Command, folder: Path) -> None:
    (folder / "lauf.csv").write_text("Anfrage;Dokument;Rang;Punktzahl\n1;a;1;3\n1;b;2;2\n")
    called = call("qrels", "lauf.csv")
    option = "topic=Anfrage,docno=Dokument,score=Punktzahl"
    assert called.code == 2 and f"name them with --columns {option}\n" in called.err
    assert call("--columns", option, "-m", "map", "qrels", "lauf.csv").code == 0
    (folder / "urteile.csv").write_text("Thema;Dokument;Relevanz\n1;a;1\n1;b;0\n")
    called = call("urteile.csv", "run.csv")
    assert "name them with --columns topic=Thema,docno=Dokument,grade=Relevanz\n" in called.err


@pytest.mark.parametrize(
    ("headings", "encoding", "named"),
    [
        ("\u30c8\u30d4\u30c3\u30af,\u6587\u66f8,score", "cp932", "CP932"),
        ("Schl\xfcssel,D\xf6kument,score", "latin-1", "WINDOWS-1252"),
    ],
)
def test_headings_in_another_encoding_name_its_code_page(
    headings: str, encoding: str, named: str, call: Command, folder: Path
) -> None:
    (folder / "lauf.csv").write_bytes(f"{headings}\n1,a,3\n1,b,2\n".encode(encoding))
    assert f"iconv -f {named} -t UTF-8 < lauf.csv > NEW\n" in call("qrels", "lauf.csv").err


@pytest.mark.parametrize(("in_latin_1", "hint"), [("run", "the run is"), ("qrels", "the qrels are")])
def test_a_file_in_latin_1_beside_one_in_utf_8_gets_a_command(
    in_latin_1: str, hint: str, call: Command, folder: Path
) -> None:
    texts = {
        "qrels": "1 0 M\xfcller-1 1\n1 0 K\xf6nig-2 1\n",
        "run": "1 Q0 M\xfcller-1 1 3 r\n1 Q0 K\xf6nig-2 2 2 r\n",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("latin-1" if name == in_latin_1 else "utf-8"))
    error = call("-m", "map", "qrels", "run").err
    assert "2 unjudged documents would match judged ones" in error
    assert f"{hint} not UTF-8: {FROM_LATIN_1}" in error
    assert f"{hint} not UTF-8: {FROM_LATIN_1}" in call("check", "qrels", "run").out
    # In one encoding other letters are other documents.
    (folder / "qrels").write_text(texts["qrels"].replace("\xfc", "\xe4").replace("\xf6", "\xe4"))
    (folder / "run").write_text(texts["run"])
    assert "iconv" not in call("-m", "map", "qrels", "run").err
