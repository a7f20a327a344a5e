"""Faults of files that went through without a word: errors, warnings and notes about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import ReadingNote


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 1 r\n")
    return call


OPEN = "a quotation mark that is not closed, expected"

UNCLOSED = {
    "run.csv": (
        'qid,docno,score\n1,a,2\n1,"b,1\n2,a,1\n',
        ["qrels", "run.csv"],
        f"run.csv:3: {OPEN} rows of columns",
    ),
    "qrels.csv": (
        'qid,docno,label\n1,"a,2\n1,b,1\n2,a,1\n',
        ["qrels.csv", "run"],
        f"qrels.csv:2: {OPEN} rows of columns",
    ),
    "groups.csv": (
        'topic,group\n1,"x\n2,y\n',
        ["--groups", "groups.csv", "qrels", "run"],
        f"groups.csv:2: {OPEN} lines of topic group",
    ),
    "weights.csv": (
        'topic,weight\n1,2\n2,"1\n',
        ["--weights", "weights.csv", "qrels", "run"],
        f"weights.csv:3: {OPEN} lines of topic weight",
    ),
    "sample.csv": (
        'DocID,Title,Relevance\na,"a title,1\nb,another,0\n',
        ["validate", "run", "sample.csv", "--depth", "5", "--collection", "50", "--columns", "docno=DocID"],
        f"sample.csv:2: {OPEN} lines of topic docno stratum relevance",
    ),
    "load.dat": (
        "þDOCIDþ\x14þRelevantþ\nþaþ\x14þyesþ\nþb\x14þnoþ\nþcþ\x14þnoþ\nþdþ\x14þno\n",
        ["validate", "run", "load.dat", "--depth", "5", "--collection", "50", "--columns", "docno=DOCID"],
        f"load.dat:5: {OPEN} lines of topic docno stratum relevance",
    ),
    "excluded.csv": (
        'topic,docno\n1,"x\n2,y\n',
        ["--exclude", "excluded.csv", "qrels", "run"],
        f"excluded.csv:2: {OPEN} lines of topic docno",
    ),
}


@pytest.mark.parametrize("name", UNCLOSED)
def test_a_quotation_mark_that_is_not_closed_is_an_error(name: str, call: Command) -> None:
    """It swallowed the rest of the file."""
    text, arguments, message = UNCLOSED[name]
    Path(name).write_text(text, encoding="utf-8")
    called = call(*arguments)
    assert called.code == 2
    assert message in called.err


def test_check_finds_a_quotation_mark_that_is_not_closed(call: Command) -> None:
    Path("run.csv").write_text(UNCLOSED["run.csv"][0])
    called = call("check", "qrels", "run.csv")
    assert called.code == 1
    assert "run.csv:3: a quotation mark that is not closed" in called.out


def test_a_mark_that_a_later_one_closes_is_noted(call: Command) -> None:
    """Two rows are one: nothing else shows it where a column of titles holds the rest."""
    Path("run.csv").write_text('qid,docno,score,title\n1,a,2,"x\n1,b,1,y"\n2,a,1,z\n')
    called = call("-m", "num_ret", "qrels", "run.csv")
    assert (called.code, called.out.split()[-1]) == (0, "2")
    assert "note: run.csv: lines 2 to 3 are one row, whose cell has line ends: is a quot" in called.err
    assert call("--quiet", "-m", "num_ret", "qrels", "run.csv").err == ""
    with pytest.warns(ReadingNote, match="lines 2 to 3 are one row"):
        pe.evaluate("qrels", "run.csv", "num_ret")


def test_marks_that_are_closed_are_no_matter(call: Command) -> None:
    Path("run.csv").write_text('qid,docno,score,title\n1,"a",2,"x, ""y"""\n1,b,1,"y"\n2,a,1,"z"')
    called = call("-m", "num_ret", "qrels", "run.csv")
    assert called.out.split()[-1] == "3"
    assert called.err == "pres-eval: note: run.csv: read as CSV or TSV with a header\n"


@pytest.mark.parametrize("form", ["json", "jsonl"])
@pytest.mark.parametrize("target", ["csv", "jsonl", "json", "beir", "parquet"])
def test_convert_asks_whether_json_has_judgements(form: str, target: str, call: Command) -> None:
    """Whole numbers can be grades and scores: neither is written without a word."""
    if target == "parquet":
        pytest.importorskip("pyarrow")
    Path("file").write_text('{"1": {"a": 1, "b": 0}}\n' + '{"2": {"a": 1}}\n' * (form == "jsonl"))
    refused = call("convert", "file", "--to", target, "--output", "new")
    assert refused.code == 1
    assert f"name a run with -T {form}, judgements with -R {form}" in refused.err
    assert not Path("new").exists()
    call.ok("convert", "file", "-R", form, "--to", target, "--output", "new")
    called = call("--quiet", "-R", target, "-m", "num_rel", "new", "run")
    assert called.out.split()[-1] == str(1 + (form == "jsonl"))
    call.ok("convert", "file", "-T", form, "--to", target, "--output", "new")
    assert call("-T", target, "-m", "num_ret", "qrels", "new").out.split()[-1] == str(2 + (form == "jsonl"))


def test_convert_knows_runs_by_their_scores(call: Command) -> None:
    Path("file").write_text('{"1": {"a": 1.5, "b": 0}}')
    assert json.loads(call.ok("convert", "file", "--to", "jsonl").out.splitlines()[0])["score"] == 1.5


@pytest.mark.parametrize(
    ("text", "target"),
    [('{"1": {"a ": 1.5}}', "csv"), ('{"1": {"a b": 1.5}}', "beir"), ('{"1": {"a": "x"}}', "csv")],
)
def test_a_failed_conversion_leaves_nothing(text: str, target: str, call: Command) -> None:
    Path("file").write_text(text)
    called = call("convert", "file", "-T", "json", "--to", target)
    assert (called.code, called.out) == (2, "")


def test_strata_of_which_no_document_was_drawn(call: Command) -> None:
    """As in sample_eval.pl their documents count, none of them as relevant, and a warning says so."""
    Path("judged").write_text("1 0 a s 1\n1 0 b s 0\n1 0 c t -1\n1 0 d t -1\n")
    Path("run").write_text("1 Q0 a 1 4 r\n1 Q0 c 2 3 r\n1 Q0 b 3 2 r\n1 Q0 d 4 1 r\n")
    called = call("-R", "strata", "-m", "inum_rel", "-m", "xinfAP", "judged", "run")
    assert (called.code, called.out.split()) == (0, ["xinfAP", "all", "1.0000", "inum_rel", "all", "1.0000"])
    assert (
        "warning: judged:3: 1 stratum without a judged document (a relevance of 0 or more), such as topic"
        " '1', stratum 't'" in called.err
    )
