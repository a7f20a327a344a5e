"""Data as people have it: ranked lists, headings and grades of their own, decimals, exports of tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import InputError, ReadingNote
from pres_eval.reading.headings import KNOWN_HEADINGS, RELEVANT_DOCNOS

QRELS = "1 0 d1 1\n1 0 d9 0\n1 0 d4 1\n2 0 d2 1\n"
RUN = "1 Q0 d9 1 3 r\n1 Q0 d1 2 2 r\n1 Q0 d7 3 1 r\n2 Q0 d2 1 1 r\n"
VALUES = "map                   \tall\t0.6250\nrecip_rank            \tall\t0.7500\n"
MEASURES = ("-m", "map", "-m", "recip_rank")

RANKED = {"1": ["d9", "d1", "d7"], "2": ["d2"]}
RELEVANT = {"1": ["d1", "d4"], "2": ["d2"]}


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return call


def json_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def records_of(lists: dict[str, list[str]], topic: str, documents: str) -> list[dict[str, Any]]:
    return [{topic: query, documents: docnos, "answer": "x"} for query, docnos in lists.items()]


LISTS: dict[str, Callable[[dict[str, list[str]], str], str]] = {
    "JSON": lambda lists, _: json.dumps(lists),
    "JSON, indented": lambda lists, _: json.dumps(lists, indent=2),
    "JSON Lines": lambda lists, _: json_lines([{topic: docnos} for topic, docnos in lists.items()]),
    "records": lambda lists, name: json_lines(records_of(lists, "query_id", name)),
    "a list of records": lambda lists, name: json.dumps(records_of(lists, "qid", name)),
}


@pytest.mark.parametrize("shape", LISTS)
def test_ranked_lists_are_runs(shape: str, call: Command) -> None:
    """The order is the rank."""
    for name in ("retrieved_ids", "retrieved_context_ids", "doc_ids"):
        Path("new").write_text(LISTS[shape](RANKED, name))
        assert call("--quiet", *MEASURES, "qrels", "new").out == VALUES


def test_a_list_in_which_a_document_has_no_score_is_in_ranked_order(call: Command) -> None:
    """Scores of some documents say nothing of the others."""
    documents = [{"id": "d1", "score": 1.0}, {"id": "d7"}, {"id": "d4", "score": 9.0}]
    Path("new").write_text(json_lines([{"query_id": "1", "doc_ids": documents}]))
    assert call("--quiet", "-m", "map", "qrels", "new").out == "map                   \tall\t0.8333\n"


@pytest.mark.parametrize("shape", LISTS)
def test_lists_are_judgements(shape: str, call: Command) -> None:
    """All of them are relevant."""
    for name in ("expected_ids", "reference_context_ids", "target_pns", "relevant_ids"):
        Path("new").write_text(LISTS[shape](RELEVANT, name))
        assert call("--quiet", *MEASURES, "new", "run").out == VALUES


def test_one_file_with_both(call: Command) -> None:
    """As ragas and LlamaIndex write them; the topic is the record's number if there is no other."""
    pairs = list(zip(RANKED.values(), RELEVANT.values(), strict=True))
    ragas = [
        {"user_input": f"Who is {n}?", "retrieved_context_ids": ranked, "reference_context_ids": judged}
        for n, (ranked, judged) in enumerate(pairs)
    ]
    Path("ragas").write_text(json_lines(ragas))
    assert call("--quiet", *MEASURES, "ragas", "ragas").out == VALUES
    llama = [{"retrieved_ids": ranked, "expected_ids": judged} for ranked, judged in pairs]
    Path("llama").write_text(json_lines(llama))
    called = call(*MEASURES, "llama", "llama")
    assert called.out == VALUES
    assert (
        "note: llama: records have retrieved_ids and no topic: their numbers, from 1, are the" in called.err
    )
    assert call(*MEASURES, "qrels", "llama").out == VALUES


def test_ranks_with_headings(call: Command) -> None:
    Path("new").write_text("query_id,rank,doc_id\n2,1,d2\n1,3,d7\n1,1,d9\n1,2,d1\n")
    assert call("--quiet", *MEASURES, "qrels", "new").out == VALUES


@pytest.mark.parametrize("between", [";", "|", "; ", "\n", ", ", " "])
def test_several_ids_in_a_cell(between: str, call: Command) -> None:
    """They are one id unless --columns says otherwise."""
    rows = "".join(f'{topic},"{between.join(docnos)}"\n' for topic, docnos in RANKED.items())
    Path("new").write_text("query_id,cited_regnos\n" + rows)
    called = call("--quiet", "--columns", "docnos=cited_regnos", *MEASURES, "qrels", "new")
    assert called.out == VALUES
    named = call("--quiet", "--columns", "docno=cited_regnos,topic=query_id", *MEASURES, "-c", "qrels", "new")
    assert named.out.split()[2] == "0.5000"


def test_dicts_of_lists(call: Command) -> None:
    measures = ["map", "recip_rank"]
    for qrels in (RELEVANT, "qrels", {t: tuple(docnos) for t, docnos in RELEVANT.items()}):
        for run in (RANKED, "run", {t: tuple(docnos) for t, docnos in RANKED.items()}):
            assert str(pe.evaluate(qrels, run, measures)) == VALUES.rstrip("\n")
    with pytest.raises(InputError, match="document 'a' twice in the list of topic '1', expected each"):
        pe.evaluate(RELEVANT, {"1": ["a", "b", "a"]}, "map")


TABLES = {
    "csv": "Frage;Treffer;Punkte;Note\n1;d9;0,9;0\n1;d1;0,5;1\n1;d7;0,1;0\n2;d2;0,1;1\n1;d4;-1;1\n",
    "tsv": "Frage\tTreffer\tPunkte\tNote\n1\td9\t0.9\t0\n1\td1\t0.5\t1\n1\td7\t0.1\t0\n"
    "2\td2\t0.1\t1\n1\td4\t-1\t1\n",
    "jsonl": json_lines(
        [
            dict(zip(("Frage", "Treffer", "Punkte", "Note"), row, strict=True))
            for row in (
                ("1", "d9", 3, 0),
                ("1", "d1", 2, 1),
                ("1", "d7", 1, 0),
                ("2", "d2", 1, 1),
                ("1", "d4", 0, 1),
            )
        ]
    ),
}


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("repeated", [False, True])
def test_columns_named_by_their_headings(form: str, repeated: bool, call: Command) -> None:
    Path(f"file.{form}").write_text(TABLES[form])
    names = ["topic=Frage", "docno=Treffer", "score=Punkte", "grade=Note"]
    options = [word for name in names for word in ("--columns", name)]
    if not repeated:
        options = ["--columns", ",".join(names)]
    expected = call("-m", "map", "-m", "num_ret", "qrels", "run").out
    assert call("--quiet", *options, "-m", "map", "-m", "num_rel", f"file.{form}", "run").code == 0
    assert (
        call("--quiet", *options, "-M3", "-m", "map", "-m", "num_ret", "qrels", f"file.{form}").out
        == expected
    )
    for command in ("compare", "check"):
        arguments = [f"file.{form}", "run", f"file.{form}"]
        assert call(command, *options, *arguments).code == 0, command


def test_columns_of_parquet(call: Command) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    columns = {
        "Frage": ["1", "1", "1", "2"],
        "Treffer": ["d9", "d1", "d7", "d2"],
        "Punkte": [0.9, 0.5, 0.1, 1],
    }
    write_table(pyarrow.table(columns), "run.parquet")
    options = ("--columns", "topic=Frage,docno=Treffer,score=Punkte")
    assert call("--quiet", *options, *MEASURES, "qrels", "run.parquet").out == VALUES
    lists = {"query_id": ["1", "2"], "retrieved_ids": list(RANKED.values())}
    write_table(pyarrow.table(lists), "lists.parquet")
    assert call("--quiet", *MEASURES, "qrels", "lists.parquet").out == VALUES
    judged = {"qid": ["1", "1", "2"], "docno": ["d1", "d4", "d2"], "label": [1.0, 1.0, 1.0]}
    write_table(pyarrow.table(judged), "qrels.parquet")
    assert call("--quiet", *MEASURES, "qrels.parquet", "run").out == VALUES
    write_table(pyarrow.table({**judged, "label": ["X", "Y", "X"]}), "words.parquet")
    assert call("--quiet", "--grades", "X=2,Y=1", *MEASURES, "words.parquet", "run").out == VALUES


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("query=x", "--columns query=x: expected NAME=HEADING, NAME one of topic, docno, docnos, score,"),
        ("topic", "--columns topic: no heading, expected topic=HEADING"),
        ("topic=a,topic=b", "--columns topic=b: topic is a already, expected it once"),
    ],
)
def test_mistakes_in_columns(option: str, message: str, call: Command) -> None:
    called = call("--columns", option, "qrels", "run")
    assert called.code == 1 and message in called.err


def test_a_heading_that_is_not_there(call: Command) -> None:
    Path("new.csv").write_text("Frage,Treffer,Punkte\n1,d9,3\n")
    called = call("--columns", "topic=Fragen,docno=Treffer,score=Punkte", "qrels", "new.csv")
    assert called.code == 1 and "expected one of Frage, Treffer, Punkte (new.csv)" in called.err


WORDS = {
    "qrels": "1 0 d1 X\n1 0 d9 A\n1 0 d4 y\n2 0 d2 X\n",
    "qrels.csv": "query_id,doc_id,relevance\n1,d1,X\n1,d9,A\n1,d4,y\n2,d2,X\n",
    "qrels.json": '{"1": {"d1": "X", "d9": "A", "d4": "y"}, "2": {"d2": "X"}}',
    "qrels.jsonl": '{"1": {"d1": "X", "d9": "A", "d4": "y"}}\n{"2": {"d2": "X"}}\n',
}


@pytest.mark.parametrize("name", WORDS)
def test_grades_that_are_words(name: str, call: Command) -> None:
    """Categories of search reports; also several options, and levels of them."""
    Path(name).write_text(WORDS[name])
    Path("numbers").write_text("1 0 d1 3\n1 0 d9 0\n1 0 d4 2\n2 0 d2 3\n")
    asked = ("-m", "map", "-m", "ndcg", "-m", "success(rel=3)@1", "-m", "PRES(rel=3)@100")
    expected = call.ok(*asked, "numbers", "run").out
    assert call("--quiet", "--grades", "X=3,Y=2", "--grades", "A=0", *asked, name, "run").out == expected
    assert call("check", "--grades", "X=3,Y=2,A=0", name, "run").code == 0
    converted = call("convert", "--grades", "X=3,Y=2,A=0", "-R" * ("json" in name) or "--to", "qrels", name)
    if "json" in name:
        converted = call("convert", "--grades", "X=3,Y=2,A=0", name, "--to", "qrels")
    assert sorted(converted.out.splitlines()) == sorted(Path("numbers").read_text().splitlines())


def test_words_without_a_grade(call: Command) -> None:
    Path("qrels").write_text(WORDS["qrels"])
    called = call("--grades", "X=3", "qrels", "run")
    assert called.code == 2 and "qrels:2: relevance 'A', expected an integer" in called.err
    for option, found in (("X", "'X'"), ("X=a", "'X=a'"), ("X=1,x=2", "x has two grades")):
        called = call("--grades", option, "qrels", "run")
        assert called.code == 1 and found in called.err


def test_grades_of_samples(call: Command) -> None:
    Path("found").write_text("1 a\n1 b\n")
    Path("sample.csv").write_text("docno,relevance\na,Hot\nb,Cold\nc,Cold\n")
    called = call("validate", "found", "sample.csv", "--collection", "9", "--grades", "Hot=1,Cold=0")
    assert called.code == 0
    assert call("validate", "found", "sample.csv", "--collection", "9").code == 2


DECIMALS: dict[str, Callable[[float], str]] = {
    "qrels": lambda grade: f"1 0 d1 {grade}\n1 0 d9 0.0\n1 0 d4 1.0\n2 0 d2 1.0\n",
    "csv": lambda grade: f"qid,docno,rel\n1,d1,{grade}\n1,d9,0.0\n1,d4,1.0\n2,d2,1.0\n",
    "beir": lambda grade: f"query-id\tcorpus-id\tscore\n1\td1\t{grade}\n1\td9\t0.0\n1\td4\t1.0\n2\td2\t1.0\n",
    "json": lambda grade: json.dumps({"1": {"d1": grade, "d9": 0.0, "d4": 1.0}, "2": {"d2": 1.0}}),
    "jsonl": lambda grade: json_lines([{"1": {"d1": grade, "d9": 0.0, "d4": 1.0}}, {"2": {"d2": 1.0}}]),
}


@pytest.mark.parametrize("form", DECIMALS)
def test_decimal_grades(form: str, call: Command) -> None:
    """1.0 is 1 everywhere; other decimals are gains, with -R qrels_float, whatever the format."""
    Path("new").write_text(DECIMALS[form](1.0))
    assert call("--quiet", *MEASURES, "new", "run").out == VALUES
    assert call("check", "new", "run").code == 0
    Path("new").write_text(DECIMALS[form](0.5))
    refused = call("new", "run")
    assert refused.code == 2 and "gains with decimals can be read with -R qrels_float" in refused.err
    Path("plain").write_text(DECIMALS["qrels"](0.5))
    expected = call("-R", "qrels_float", "-l", "0.5", "-m", "map", "-m", "ndcg", "plain", "run").out
    options = ("--quiet", "-R", "qrels_float", "-l", "0.5", "-m", "map", "-m", "ndcg")
    assert call(*options, "new", "run").out == expected
    assert "0.5" in call("check", "-R", "qrels_float", "new", "run").out
    assert pe.evaluate("new", "run", "ndcg", form="qrels_float")["ndcg"] == pytest.approx(
        float(expected.split()[-1]), abs=1e-4
    )


def test_quepid_s_queries_without_documents(call: Command) -> None:
    Path("new.csv").write_text("query,docid,rating\n1,d1,1\n1,d9,0\n1,d4,1\nlamp,,\n2,d2,1\n")
    called = call(*MEASURES, "new.csv", "run")
    assert called.out == VALUES
    assert "1 row without document and number left out, such as that of topic 'lamp'" in called.err
    Path("more.csv").write_text(Path("new.csv").read_text() + "sofa,,\n")
    assert "2 rows without document and number left out, such as that of topic 'lamp'" in (
        call(*MEASURES, "more.csv", "run").err
    )
    Path("new.csv").write_text("query,docid,rating\n1,d1,1\nsofa,d1,\n")
    assert "new.csv:3: relevance '', expected an integer" in call("new.csv", "run").err


@pytest.mark.parametrize("searched", [False, True])
def test_judgement_lists_of_opensearch(searched: bool, call: Command) -> None:
    queries = [
        {"query": topic, "ratings": [{"docId": docno, "rating": f"{grade}.000"} for docno, grade in rated]}
        for topic, rated in (("1", [("d1", 1), ("d9", 0), ("d4", 1)]), ("2", [("d2", 1)]))
    ]
    data: dict[str, Any] = {"name": "clicks", "judgmentRatings": queries}
    if searched:
        data = {"took": 1, "hits": {"total": {"value": 1}, "hits": [{"_id": "x", "_source": data}]}}
    Path("new.json").write_text(json.dumps(data))
    assert call("--quiet", *MEASURES, "new.json", "run").out == VALUES


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", "qid,docno,score\n1,EP 9 B1,2\n1,d1,1\n"),
        ("r.json", '{"1": {"EP 9 B1": 2, "d1": 1}}'),
        (
            "r.jsonl",
            '{"qid": "1", "docno": "EP 9 B1", "score": 2}\n{"qid": "1", "docno": "d1", "score": 1}\n',
        ),
    ],
)
def test_ids_may_have_blanks_where_cells_hold_them(name: str, text: str, call: Command) -> None:
    Path(name).write_text(text)
    Path("q.json").write_text('{"1": {"EP 9 B1": 1, "d1": 0}}')
    assert call("--quiet", "-m", "recip_rank", "q.json", name).out.split()[-1] == "1.0000"
    for target in ("csv", "jsonl", "json"):
        assert call("convert", name, "-T", name[2:], "--to", target, "--output", "new").code == 0
        assert call("--quiet", "-m", "recip_rank", "q.json", "new").out.split()[-1] == "1.0000"
    assert "one without blanks for trec_results" in call("convert", name, "--to", "trec_results").err


def test_a_null_id_is_an_error(call: Command) -> None:
    for record in ('{"qid": "1", "docno": null, "score": 1}', '{"qid": null, "docno": "a", "score": 1}'):
        Path("new").write_text(f"{record}\n")
        called = call("qrels", "new")
        assert called.code == 2 and "new:1: " in called.err and "'null', expected an id" in called.err


def test_notes_reach_python(call: Command) -> None:
    Path("new.csv").write_text("query,docid,rating\n1,d1,1\nlamp,,\n")
    with pytest.warns(ReadingNote, match="1 row without document and number"):
        pe.Qrels("new.csv")


def test_the_table_of_headings_is_that_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    table = page.partition("<!-- headings -->\n")[2].partition("<!-- /headings -->")[0]
    rows = [re.findall(r"`([^`]+)`", line) for line in table.splitlines()[2:]]
    expected = [
        ["docnos" if kind == RELEVANT_DOCNOS else kind, *headings]
        for kind, headings in KNOWN_HEADINGS.items()
    ]
    assert rows == expected


def test_advice_in_python_names_no_options(call: Command) -> None:
    """Functions have no such argument: columns are renamed, and the command converts files."""
    Path("new.csv").write_text("Frage,Treffer,Punkte\n1,d9,3\n")
    with pytest.raises(InputError, match="are needed: rename them, or pres-eval convert FILE --to csv --col"):
        pe.evaluate("qrels", "new.csv", "map")
    Path("words").write_text("1 0 d1 X\n1 0 d2 A\n")
    with pytest.raises(InputError, match="grades are words: pres-eval convert gives each its number"):
        pe.Qrels("words")
