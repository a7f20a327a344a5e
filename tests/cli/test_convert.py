"""pres-eval convert: the same numbers in every format, or an error that says what would be lost."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from support.commands import Command
from support.small_sizes import use_small_sizes

from pres_eval.reading.formats.recognising import FORMATS
from pres_eval.report.converted import OF_RUNS, TARGETS

EXPORTS = Path(__file__).parents[2] / "fixtures" / "exports"
ALL = ("-m", "all_trec", "-q")


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return call


def values(call: Command, qrels: Path | str, run: Path | str, *options: str) -> list[str]:
    called = call(*ALL, *options, qrels, run)
    assert called.code == 0
    return [line for line in called.out.splitlines() if not line.startswith("runid")]


@pytest.mark.parametrize("target", [each for each in TARGETS if each != "qrels"])
@pytest.mark.parametrize(
    "export", ["run.txt", "run-pyterrier-excel.csv", "run-mteb.json", "run-ranx-index.csv"]
)
def test_runs_keep_their_numbers(export: str, target: str, call: Command) -> None:
    call.ok("convert", EXPORTS / export, "--to", target, "--output", "new")
    assert values(call, EXPORTS / "qrels.txt", "new") == values(
        call, EXPORTS / "qrels.txt", EXPORTS / "run.txt"
    )


@pytest.mark.parametrize("target", [each for each in TARGETS if each not in OF_RUNS])
@pytest.mark.parametrize(
    "export", ["qrels.txt", "qrels-beir-excel.csv -R csv", "qrels-elasticsearch-rank-eval.json -R json"]
)
def test_judgements_keep_their_grades(export: str, target: str, call: Command) -> None:
    path, *options = export.split()
    call.ok("convert", EXPORTS / path, *options, "--to", target, "--output", "new")
    expected = values(call, EXPORTS / "qrels.txt", EXPORTS / "run.txt")
    assert (
        values(call, "new", EXPORTS / "run.txt", *(("-R", target) if target in FORMATS else ())) == expected
    )


def test_ranks_of_msmarco_are_those_of_the_evaluation(call: Command) -> None:
    """By score, whatever the order of lines; equal scores by docno, descending."""
    Path("run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 7.5 t\n1 Q0 c 3 2 t\n2 Q0 a 1 1 t\n")
    assert call.ok("convert", "run", "--to", "msmarco").out == "1\tb\t1\n1\tc\t2\n1\ta\t3\n2\ta\t1\n"
    Path("again").write_text("1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    assert "topic '1' again" in call("convert", "again", "--to", "msmarco").err
    refused = call("convert", EXPORTS / "qrels.txt", "--to", "msmarco")
    found = f"{EXPORTS / 'qrels.txt'} has judgements"
    assert refused.err == f"pres-eval: --to msmarco: {found}, expected --to qrels\n"


def test_a_csv_of_grades_is_known_by_its_header(call: Command) -> None:
    called = call.ok("convert", EXPORTS / "qrels-quepid-excel.csv", "--to", "csv")
    assert called.out.startswith("query_id,doc_id,relevance\nstar wars,a,2\nstar wars,b,0\n")
    assert '"the ""thing""",f,2\n' in called.out


def test_topics_of_responses_get_their_names(call: Command) -> None:
    Path("topics").write_bytes(b"\xef\xbb\xbfT-1 some words\nT-2\n\nT-3\r\n")
    export = EXPORTS / "run-elasticsearch-msearch.json"
    called = call.ok("convert", export, "--to", "trec_results", "--topics-from", "topics", "--tag", "bm25")
    assert called.out.splitlines()[:4] == [
        "T-1 Q0 b 1 3.5 bm25",
        "T-1 Q0 a 2 2.25 bm25",
        "T-1 Q0 x 3 1.5 bm25",
        "T-2 Q0 d 1 9.75 bm25",
    ]


def test_a_pipe_can_be_converted(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("run").write_text("1 Q0 a 1 2 r\n")
    with open("run", "rb") as file:  # noqa: PTH123
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        assert call("convert", "run", "--to", "json").out == '{"1": {"a": 2.0}}\n'


@pytest.mark.parametrize(
    ("text", "options", "code", "said"),
    [
        ("1 Q0 a 1 2 r\n", "--to qrels -T trec_results", 1, "--to qrels: file has a run"),
        ("1 0 a 1\n", "--to trec_results", 1, "--to trec_results: file has judgements"),
        (
            "1 0 a 1\n",
            "--to csv -R prefs",
            1,
            "-R prefs: cannot be converted, expected one of qrels, beir",
        ),
        ("1 0 a 1\n", "--to csv -R msmarco", 1, "-R msmarco: cannot be converted"),
        ("1 Q0 a 1 2 r\n", "--to csv -T xls", 1, "-T xls: no such format"),
        ("1 Q0 a 1 x r\n", "--to csv", 2, "file:1: score 'x', expected a number"),
        ("qid,docno,score\n", "--to csv", 2, "file: no rows, expected at least one"),
        (
            "qid,docno,score\nstar wars,a,1\n",
            "--to trec_results",
            2,
            "file:2: topic 'star wars', expected one without blanks for trec_results; --to jsonl keeps it",
        ),
        (
            '{"#1": {"a": 1.5}}',
            "--to msmarco",
            2,
            "file: topic '#1', expected one that begins no comment; --to jsonl keeps it",
        ),
        ('{"1": {" a b": 1.5}}', "--to csv", 2, "file: docno ' a b', expected one without blanks around it"),
        (
            '{"1": {"a b": 1}}',
            "--to csv",
            1,
            "file can be a run or judgements: name a run with -T json, judge",
        ),
        (
            "1 Q0 1.5E+10 1 2 r\n",
            "--to csv",
            2,
            "file:1: id '1.5E+10', expected one that pres-eval does not take for a number which a",
        ),
        ('{"1": {"a": NaN}}', "--to csv", 2, "file: score nan of document 'a' for topic '1'"),
        ("1 Q0 a 1 inf r\n", "--to json", 2, "file:1: score inf, expected a finite one: JSON has no others"),
        (
            "1 Q0 a 1 2 r\n2 Q0 a 1 2 r\n1 Q0 b 2 1 r\n",
            "--to json",
            2,
            "file:3: topic '1' again, expected the lines of a topic together;"
            " sort it first: sort -s -k1,1 file > NEW",
        ),
        ("1 Q0 a 1 2 r\n1 Q0 a 2 1 r\n", "--to json", 2, "file:2: document 'a' of topic '1' again"),
        (
            "1 Q0 \udce9 1 2 r\n",
            "--to jsonl",
            2,
            "file:1: id '\\xe9', expected UTF-8; --to csv keeps its bytes",
        ),
        (
            "9 Q0 a 1 2 r\n",
            "--to csv --topics-from file",
            2,
            "file: 1 line, and topic '9', expected a line for each topic, numbered from 1",
        ),
    ],
)
def test_what_cannot_be_kept_is_an_error(
    text: str, options: str, code: int, said: str, call: Command
) -> None:
    Path("file").write_bytes(text.encode("utf-8", "surrogateescape"))
    called = call("convert", "file", *options.split())
    assert (called.code, said in called.err) == (code, True), called.err
    assert call("convert", "file", *options.split(), "--output", "new").code == code
    assert not Path("new").exists()


@pytest.mark.parametrize(
    ("target", "tag", "said"),
    [
        ("trec_results", "a b", "--tag 'a b': expected a name without blanks"),
        ("csv", "a", "--tag goes with --to trec_results, found --to csv: leave it out"),
    ],
)
def test_a_tag_has_no_blanks_and_a_column(call: Command, target: str, tag: str, said: str) -> None:
    Path("file").write_text("1 Q0 a 1 2 r\n")
    assert said in call("convert", "file", "--to", target, "--tag", tag).err


@pytest.mark.parametrize(
    "topics",
    ["qid\tquery\nt1\tcar\nt2\tboat\n", "qid,query\nt1,a car\nt2,a boat\n", '"t1","a car"\n"t2","boats"\n'],
    ids=["header and tabs", "header and commas", "commas and quotes"],
)
def test_topics_of_responses_come_from_any_table(
    call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topics: str
) -> None:
    """A header is no topic: once all results went to the topic before theirs."""
    monkeypatch.chdir(tmp_path)
    hits = [{"hits": {"hits": [{"_id": name, "_score": 1.0}]}} for name in ("a", "b")]
    Path("e.json").write_text(json.dumps({"responses": hits}))
    Path("topics").write_text(topics)
    out = call.ok("convert", "e.json", "--to", "trec_results", "--topics-from", "topics").out
    assert [line.split()[:3] for line in out.splitlines()] == [["t1", "Q0", "a"], ["t2", "Q0", "b"]]
    Path("topics").write_text(topics + "t3\tplane\n" * 3)
    called = call("convert", "e.json", "--to", "trec_results", "--topics-from", "topics")
    assert "5 topics, but the last one with documents is number 2" in called.err


def test_a_tag_keeps_its_bytes(call: Command) -> None:
    """A tag that is no UTF-8 was a traceback."""
    Path("file").write_text("1 Q0 a 1 2 r\n")
    call.ok("convert", "file", "--to", "trec_results", "--tag", "\udce9", "--output", "new")
    assert Path("new").read_bytes() == b"1 Q0 a 1 2.0 \xe9\n"


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "parquet"])
def test_large_files_are_written_as_small_ones(
    target: str, call: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks and headings do not begin again in each block."""
    is_run = target != "qrels"
    text = "".join(f"{topic},d{rank},{9 - rank}\n" for topic in "12" for rank in range(9))
    Path("file.csv").write_text(f"query_id,doc_id,{'score' if is_run else 'relevance'}\n{text}")
    words = ("convert", "file.csv", "--to", target, "--output", "new")
    assert call(*words).code == 0
    before = Path("new").read_bytes()
    use_small_sizes(monkeypatch)
    assert call(*words).code == 0 and Path("new").read_bytes() == before
