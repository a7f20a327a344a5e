"""Tables as people have them: what --columns leaves open, is combined, or can be read in two ways."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import ReadingWarning
from pres_eval.reading import patterns

QRELS = "1 0 d1 1\n1 0 d9 0\n1 0 d4 1\n2 0 d2 1\n"
RUN = "1 Q0 d9 1 3 r\n1 Q0 d1 2 2 r\n1 Q0 d7 3 1 r\n2 Q0 d2 1 1 r\n"
MAP = "map                   \tall\t0.6250\n"
TABLE = "Frage;Treffer;Punkte;Note\n1;d9;0,9;0\n1;d1;0,5;1\n1;d7;0,1;0\n2;d2;0,1;1\n1;d4;-1;1\n"


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    Path("table.csv").write_text(TABLE)
    records = [dict(zip("tdsg", line.split(";"), strict=True)) for line in TABLE.splitlines()[1:]]
    typed: list[dict[str, Any]] = [
        {**record, "s": float(record["s"].replace(",", ".")), "g": int(record["g"])} for record in records
    ]
    Path("table.json").write_text(json.dumps(typed))
    return call


@pytest.mark.parametrize(
    ("columns", "candidates", "option"),
    [
        ("topic=Frage,docno=Treffer,score=Punkte", "Punkte or Note may hold grades", "grade=HEADING"),
        ("qrels.topic=1,qrels.docno=2", "3 or 4 may hold grades", "grade=NUMBER"),
    ],
)
def test_judgements_without_a_named_grade(columns: str, candidates: str, option: str, call: Command) -> None:
    called = call("--columns", columns, "-m", "map", "table.csv", "run")
    text = "warning: table.csv: --columns names no grade, so that all of its documents are relevant"
    assert f"{text}; {candidates}: add {option}\n" in called.err
    assert "no score" not in called.err


def test_runs_without_a_named_score(call: Command) -> None:
    called = call("--columns", "run.topic=t,run.docno=d", "-m", "map", "qrels", "table.json")
    expected = "the order of its rows is the ranking; s or g may hold them: add score=HEADING or rank=HEADING"
    assert (
        expected in called.err and "warning: table.json: --columns names no score and no rank" in called.err
    )
    named = call("--columns", "run.topic=t,run.docno=d,run.score=s", "-m", "map", "qrels", "table.json")
    assert "--columns names" not in named.err and named.out != ""


def test_lists_of_relevant_documents_alone_need_no_grade(call: Command) -> None:
    Path("cited.csv").write_text("Frage,Treffer,Titel\n1,d1,Pumpe\n1,d4,Ventil\n2,d2,Rohr\n")
    called = call("--columns", "topic=Frage,docno=Treffer", "-m", "map", "cited.csv", "run")
    assert (called.out, "warning" in called.err) == (MAP, False)


def test_an_index_without_a_heading_has_no_ranks(call: Command) -> None:
    """5.0.0: rows of pandas with their index, in ascending order of scores, seemed to be distances."""
    Path("run.csv").write_text(",qid,docno,score\n0,1,d7,1.0\n1,1,d1,2.0\n2,1,d9,3.0\n3,2,d2,1.0\n")
    called = call("-m", "map", "qrels", "run.csv")
    assert (called.out, "warning" in called.err) == (MAP, False)


def test_an_index_without_a_heading_has_no_topics(call: Command) -> None:
    """5.0.0: if only documents were named, the numbers of the rows became their topics."""
    Path("run.csv").write_text(",docno,score\n0,d9,3.0\n1,d1,2.0\n2,d2,1.0\n")
    called = call("--columns", "run.docno=docno,run.score=score", "-m", "map", "qrels", "run.csv")
    assert called.out == "map                   \tall\t0.2500\n"
    assert "note: run.csv: no column of topics, so that all rows are of topic 1" in called.err


@pytest.mark.parametrize("separator", [";", "|"])
def test_columns_of_one_file_alone(separator: str, call: Command) -> None:
    """The same table has the ranking of each question and what is relevant."""
    Path("both.csv").write_text("q,rel,ret\n1,d1;d4,d9;d1;d7\n2,d2,d2\n".replace(";", separator))
    columns = "topic=q,qrels.docnos=rel,run.docnos=ret"
    assert call("--quiet", "--columns", columns, "-m", "map", "both.csv", "both.csv").out == MAP
    records = [
        {"q": 1, "rel": ["d1", "d4"], "ret": ["d9", "d1", "d7"]},
        {"q": 2, "rel": ["d2"], "ret": ["d2"]},
    ]
    Path("both.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert call("--quiet", "--columns", columns, "-m", "map", "both.jsonl", "both.jsonl").out == MAP
    wrong = call("--columns", "judged.docnos=rel", "both.csv", "both.csv")
    assert wrong.code == 1 and "--columns judged.docnos=rel: expected NAME=HEADING" in wrong.err


PYTERRIER = "qid,docid,docno,rank,score\n1,5,d9,0,3\n1,9,d1,1,2\n1,2,d7,2,1\n2,7,d2,0,1\n"


def test_docno_comes_before_docid(call: Command) -> None:
    """PyTerrier's docid is a place in its index."""
    Path("new.csv").write_text(PYTERRIER)
    called = call("-m", "map", "qrels", "new.csv")
    assert (called.out, "warning" in called.err) == (MAP, False)
    Path("new.csv").write_text(PYTERRIER.replace(",5,d9", ",EP5,d9"))
    called = call("-m", "map", "qrels", "new.csv")
    assert called.out == MAP
    assert (
        "warning: new.csv: docno and docid are different ids of documents ('d9' and 'EP5'): docno counts;"
        " --columns docno=docid takes the other one\n"
    ) in called.err
    named = call("--columns", "docno=docid", "-m", "map", "qrels", "new.csv")
    assert "different ids" not in named.err


def frame(documents: list[Any]) -> dict[str, list[Any]]:
    return {
        "qid": ["1", "1", "1", "2"],
        "docid": documents,
        "docno": ["d9", "d1", "d7", "d2"],
        "score": [3.0, 2.0, 1.0, 1.0],
    }


def of_pandas(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def of_arrow(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


@pytest.mark.parametrize("make", [of_pandas, of_arrow, dict])
def test_frames_with_docno_and_docid(make: Callable[[dict[str, list[Any]]], Any], call: Command) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(pe.evaluate("qrels", make(frame([5, 9, 2, 7])), "map")) == MAP.rstrip("\n")
    with pytest.warns(ReadingWarning, match=r"\('d9' and 'EP5'\): docno counts"):
        assert str(pe.evaluate("qrels", make(frame(["EP5", "d1", "d7", "d2"])), "map")) == MAP.rstrip("\n")


AGAINST = "query_id,doc_id,rank,score\n1,d9,1,0.1\n1,d1,2,0.2\n2,d2,1,0.1\n2,d3,2,0.3\n"
DISTANCES = (
    "scores rise with the rank column (topic '1': rank 1 has 0.1, rank 2 has 0.2), but the largest score"
    " comes first: are these distances?"
)


def as_records(text: str) -> str:
    header, *rows = (line.split(",") for line in text.splitlines())
    records = [
        {name: cell if name.endswith("id") else float(cell) for name, cell in zip(header, row, strict=True)}
        for row in rows
    ]
    return json.dumps(records)


@pytest.mark.parametrize("text", [AGAINST, AGAINST.replace(",", "\t"), as_records(AGAINST)])
def test_ranks_against_scores_in_tables(text: str, call: Command) -> None:
    """As in the runs of trec_eval's format."""
    Path("new").write_text(text)
    called = call("-m", "map", "qrels", "new")
    assert f"pres-eval: warning: new: {DISTANCES}\n" in called.err.replace(".0 has", " has")
    Path("new").write_text(text.replace("0.1", "0.9"))
    assert "distances" not in call("-m", "map", "qrels", "new").err


def test_ranks_against_scores_in_parquet(call: Command) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame(json.loads(as_records(AGAINST))).to_parquet("new.parquet")
    called = call("-m", "map", "qrels", "new.parquet")
    assert "warning: new.parquet: scores rise with the rank column" in called.err


TOPICS = {
    "TREC": "<top>\n<num> Number: 1\n<title> a\n</top>\n\n<top>\n<num> Number: 2\n<title> b\n</top>\n",
    "TREC, closed": "<top>\n<num>1</num>\n<title>a</title>\n</top>\n<top><num>2</num></top>\n",
    "XML": '<?xml version="1.0"?>\n<topics>\n<topic number="1">\n</topic>\n<topic number="2"/></topics>\n',
    "CLEF": "<topics><topic lang='en'><identifier>1</identifier></topic><topic>"
    "<identifier>2</identifier></topic></topics>\n",
    "CLEF-IP": "<topics>\n<topic><tid>1</tid></topic>\n<topic><tid>2</tid></topic>\n</topics>\n",
}


@pytest.mark.parametrize("kind", TOPICS)
def test_topics_with_markup(kind: str, call: Command) -> None:
    Path("topics").write_text(TOPICS[kind])
    called = call("check", "--topics", "topics", "qrels", "run")
    assert (called.code, "unknown-topic" in called.out) == (0, False)
    Path("topics").write_text(TOPICS[kind].replace("2", "3"))
    assert "unknown-topic" in call("check", "--topics", "topics", "qrels", "run").out
    Path("topics").write_text("<html><body>404</body></html>\n")
    wrong = call("check", "--topics", "topics", "qrels", "run")
    assert (
        wrong.code == 2
        and "topics: markup without numbers of topics, expected topics with <num>" in wrong.err
    )


def test_records_of_the_same_question(call: Command) -> None:
    records = [{"user_input": "1", "retrieved_context_ids": docnos} for docnos in (["d9"], ["d1", "d7"])]
    records.append({"user_input": "2", "retrieved_context_ids": ["d2"]})
    Path("new.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    called = call("-m", "map", "qrels", "new.jsonl")
    expected = "note: new.jsonl: 2 records have topic '1': their documents are one list, in the order of the"
    assert called.out == MAP and expected in called.err


ROWS = [["1", "d9", 3.0], ["1", "d1", 2.0], ["1", "d7", 1.0], ["2", "d2", 1.0]]
HEADINGS = ["qid", "docno", "score"]
ORIENTS: dict[str, Any] = {
    "split": {"columns": HEADINGS, "index": [0, 1, 2, 3], "data": ROWS},
    "table": {
        "schema": {"fields": [{"name": name} for name in HEADINGS]},
        "data": [dict(zip(HEADINGS, row, strict=True)) for row in ROWS],
    },
    "index": {str(n): dict(zip(HEADINGS, row, strict=True)) for n, row in enumerate(ROWS)},
    "results": {"results": [dict(zip(HEADINGS, row, strict=True)) for row in ROWS]},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("orient", ORIENTS)
def test_json_of_pandas(orient: str, indent: int | None, call: Command) -> None:
    Path("new.json").write_text(json.dumps(ORIENTS[orient], indent=indent))
    assert call("-m", "map", "qrels", "new.json").out == MAP


def test_dataset_of_llama_index(call: Command) -> None:
    dataset = {
        "queries": {"1": "a", "2": "b"},
        "corpus": {"d1": "text"},
        "relevant_docs": {"1": ["d1", "d4"], "2": ["d2"]},
        "mode": "text",
    }
    Path("dataset.json").write_text(json.dumps(dataset))
    assert call("-m", "map", "dataset.json", "run").out == MAP


@pytest.mark.parametrize("text", ["X,Y", "Y, X", "x/y", "X;Y"])
def test_the_highest_of_several_grades(text: str, call: Command) -> None:
    """As examiners write the categories of a citation."""
    Path("cited.csv").write_text(f'topic,docno,grade\n1,d1,"{text}"\n1,d4,Y\n1,d9,A\n2,d2,X\n')
    called = call("--grades", "X=3,Y=2,A=0", "-m", "num_rel", "-l", "3", "cited.csv", "run")
    assert called.out.split()[-1] == "2"
    assert f"note: cited.csv: 1 grade of several words, such as '{text}': the highest of them" in called.err
    Path("cited.csv").write_text('topic,docno,grade\n1,d1,"X,B"\n')
    wrong = call("--grades", "X=3", "cited.csv", "run")
    assert wrong.code == 2 and "cited.csv:2: relevance 'X,B', expected an integer" in wrong.err


def test_words_for_grades_leave_decimal_commas_of_scores(call: Command) -> None:
    """--grades concerns judgements alone."""
    Path("words").write_text("1 0 d1 X\n1 0 d4 X\n1 0 d9 A\n2 0 d2 Y\n")
    columns = "topic=Frage,docno=Treffer,score=Punkte"
    called = call("--grades", "X=3,Y=2,A=0", "--columns", columns, "-m", "map", "words", "table.csv")
    assert called.out == "map                   \tall\t0.7500\n"


def test_grades_that_are_words_in_pool_and_merge(call: Command) -> None:
    Path("words").write_text("1 0 d1 X\n1 0 d9 A\n2 0 d2 Y\n")
    merged = call("merge", "words", "words", "--grades", "X=3,Y=2,A=0", "--quiet")
    assert merged.out == "1 0 d1 3\n1 0 d9 0\n2 0 d2 2\n"
    pooled = call("pool", "run", "--judged", "words", "--grades", "X=3,Y=2,A=0", "--format", "csv")
    assert [line.split(",")[1] for line in pooled.out.splitlines()[1:2]] == ["d7"]
    table = call("pool", "table.csv", "--columns", "topic=Frage,docno=Treffer,score=Punkte", "--depth", "1")
    assert "2 documents to judge" in table.out


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"1": ["d9", "d1", "d7"], "2": ["d2"]}', '{"topic": ["docno", ...], ...}'),
        ('{"1": {"d9": 3, "d1": 2, "d7": 1}, "2": {"d2": 1}}', '{"topic": {"docno": number, ...}, ...}'),
        ('[{"qid": "1", "docno": "d9", "score": 1}]', "records"),
        (
            '{"took": 1, "hits": {"hits": [{"_id": "d9", "_score": 1}]}}',
            "of a search engine or an evaluation",
        ),
    ],
)
def test_notes_name_the_shape_of_json(text: str, form: str, call: Command) -> None:
    Path("new.json").write_text(text)
    assert f"note: new.json: read as JSON ({form}" in call("-m", "map", "qrels", "new.json").err
    assert call("--quiet", "-T", "json", "-m", "map", "qrels", "new.json").code == 0
    assert call("convert", "new.json", "-T", "json", "--to", "trec_results").code == 0


def test_several_files_of_scores(call: Command) -> None:
    for name, value in (("a", ".5"), ("b", ".4")):
        Path(f"{name}.csv").write_text(f"run,topic,map\n{name},1,{value}\n{name},2,.3\n{name},3,{value}\n")
    one_option = call("compare", "--format", "csv", "--scores", "a.csv", "b.csv")
    assert one_option.code == 0
    assert one_option.out == call("compare", "--format", "csv", "--scores", "a.csv", "--scores", "b.csv").out
    both = call("compare", "--scores", "a.csv", "qrels", "run")
    assert both.code == 1 and "--scores FILE replaces QRELS RUN" in both.err


def test_a_pattern_that_would_search_for_hours(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pres_eval.reading.patterns.SEARCH_SECONDS", 0.4)
    Path("ones").write_text(f"1 Q0 {'1' * 40} 1 1 r\n")
    called = call("--map-docs", "(1+)+#", "qrels", "ones")
    assert called.code == 2
    assert f"--map-docs (1+)+#: a search of docno '{'1' * 40}' for more than 0.4 seconds" in called.err


@pytest.mark.parametrize("pattern", [r"(?:d)+(\d+)", r"(d)+(\d)", r"(?:a*d)*(\d*)(?:-\d+)*$"])
def test_patterns_that_repeat_groups_map_as_others(
    pattern: str, call: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process searches for them."""
    assert patterns.may_take_long(pattern)
    Path("d").write_text(RUN.replace("d9", "d9#1").replace("d2", "xd2"))
    options = ("--quiet", "--map-docs", pattern, "-m", "map", "-m", "num_rel_ret")
    searched = call(*options, "qrels", "d")
    monkeypatch.setattr(patterns, "may_take_long", lambda text: False)
    assert searched.code == 0 and call(*options, "qrels", "d") == searched


GERMAN_QRELS = "\ufeffAnfrage;Dokument;Relevanz\r\nTür;EP1;ja\r\nTür;EP2;nein\r\nTür;EP3;ja\r\n"
GERMAN_RUN = "\ufeffAnfrage;Dokument;Rang;Punktzahl\r\nTür;EP2;1;26,03\r\nTür;EP1;2;9,5\r\n"


@pytest.fixture
def german(call: Command) -> Command:
    Path("urteile.csv").write_text(GERMAN_QRELS, encoding="utf-8", newline="")
    Path("treffer.csv").write_text(GERMAN_RUN, encoding="utf-8", newline="")
    return call


def test_a_run_has_decimal_commas_beside_grades_that_are_words(german: Command) -> None:
    columns = "topic=Anfrage,docno=Dokument,grade=Relevanz,score=Punktzahl"
    files = ("urteile.csv", "treffer.csv")
    called = german.ok("--quiet", "--columns", columns, "--grades", "ja=1,nein=0", "-m", "map", *files)
    assert called.out == "map                   \tall\t0.2500\n"


def test_words_as_grades_are_advised(german: Command) -> None:
    columns = "topic=Anfrage,docno=Dokument,grade=Relevanz"
    called = german("--columns", columns, "urteile.csv", "treffer.csv")
    expected = "relevance 'ja', expected an integer; --grades ja=GRADE,... reads words as grades\n"
    assert called.code == 2 and called.err.endswith(expected)


def test_grades_alone_do_not_hide_the_advice_on_columns(german: Command) -> None:
    called = german("--grades", "ja=1,nein=0", "urteile.csv", "treffer.csv")
    assert "urteile.csv:1: 1 column, expected 4" in called.err
    assert "name them with --columns topic=Anfrage,docno=Dokument,grade=Relevanz" in called.err


@pytest.mark.parametrize("name", ["scores.csv", "scores.json"])
def test_a_heading_that_the_table_lacks_is_told(call: Command, name: str) -> None:
    rows = [("1", "d9", 3, 1), ("1", "d1", 2, 2), ("1", "d7", 1, 3), ("2", "d2", 1, 1)]
    records = [dict(zip(("qid", "docno", "score", "rerank"), row, strict=True)) for row in rows]
    Path("scores.json").write_text(json.dumps(records))
    lines = ["qid,docno,score,rerank", *(",".join(map(str, row)) for row in rows)]
    Path("scores.csv").write_text("\n".join(lines) + "\n")
    result = call("--columns", "score=rerankd", "-m", "map", "qrels", name)
    assert result.out == MAP
    told = (
        "--columns score=rerankd is not among its headings (qid, docno, score, rerank), so that score is read"
    )
    assert told in result.err
    assert "among its headings" not in call("--columns", "score=rerank", "-m", "map", "qrels", name).err


def test_an_index_without_a_heading_has_no_grades(call: Command) -> None:
    """5.0.0: of lists of relevant documents the numbers of the rows became their grades."""
    Path("qrels.csv").write_text(",docs,query_id\n0,d1;d7,1\n0,d2,2\n")
    Path("run").write_text("1 Q0 d1 1 2.0 tag\n2 Q0 d2 1 2.0 tag\n")
    assert call("--columns", "docnos=docs", "-m", "num_rel", "qrels.csv", "run").out.split()[-1] == "3"


def test_a_number_of_a_column_longer_than_python_reads(call: Command) -> None:
    Path("run").write_text("1 d1 2.5\n")
    result = call("--columns", f"topic=1,docno={'9' * 5_000}", "qrels", "run")
    assert result.code == 2
    assert "qrels:1: 4 columns, expected" in result.err


def test_a_rank_that_is_named_counts_more_than_a_score_in_json_too(call: Command) -> None:
    rows = [("1", "d9", 0.1, 1), ("1", "d1", 0.2, 2), ("1", "d7", 0.3, 3), ("2", "d2", 0.1, 1)]
    records = [dict(zip(("qid", "docno", "score", "position"), row, strict=True)) for row in rows]
    Path("ranks.json").write_text(json.dumps(records))
    assert call("--columns", "rank=position", "-m", "map", "qrels", "ranks.json").out == MAP


@pytest.mark.parametrize(
    "record", ['{"qid": "1", "docno": "", "score": 1}', '{"1": {"": 1.0}}', '{"1": [""]}']
)
def test_an_empty_id_in_json_is_an_error(call: Command, record: str) -> None:
    Path("empty.jsonl").write_text(record + "\n")
    result = call("-T", "jsonl", "qrels", "empty.jsonl")
    assert result.code == 2
    assert """docno '""', expected an id""" in result.err


def test_headings_of_another_encoding_are_told(call: Command) -> None:
    Path("table.csv").write_text(TABLE.replace("Treffer", "Schlüssel"), encoding="cp1252")
    result = call("-m", "map", "qrels", "table.csv")
    assert result.code == 2
    assert "iconv -f WINDOWS-1252 -t UTF-8 < table.csv > NEW" in result.err
    Path("NEW").write_bytes(Path("table.csv").read_bytes().decode("cp1252").encode())
    columns = "topic=Frage,docno=Schlüssel,score=Punkte"
    assert "0.7500" in call("--columns", columns, "-m", "map", "qrels", "NEW").out


def test_cells_of_several_lines_hide_no_headings(call: Command) -> None:
    rows = 'record,title,vote\nd1,"A, b",1\nd9,c,"0\n"\nd2,"e\nf, g",1\n'
    Path("review.csv").write_text(rows)
    result = call("-m", "map", "review.csv", "run")
    assert result.code == 2
    assert "line 1 names the columns record, title, vote" in result.err
    assert "awk" not in result.err


def test_words_as_grades_of_a_table_are_told(call: Command) -> None:
    Path("words.csv").write_text("qid,docno,label\n1,d1,highly relevant\n1,d9,no\n2,d2,highly relevant\n")
    result = call("-m", "map", "words.csv", "run")
    expected = "expected an integer; --grades 'highly relevant=GRADE,...' reads words as grades"
    assert f"relevance 'highly relevant', {expected}" in result.err
    assert "0.7500" in call("--grades", "highly relevant=1,no=0", "-m", "map", "words.csv", "run").out


def test_several_documents_in_a_cell_are_told(call: Command) -> None:
    Path("cited.csv").write_text("topic,cited\n1,d1;d4\n2,d2\n")
    assert "--columns topic=topic,docnos=HEADING" in call("-m", "map", "cited.csv", "run").err
    assert call("--columns", "topic=topic,docnos=cited", "-m", "map", "cited.csv", "run").out == MAP
    Path("cited.csv").write_text("topic,cited\n1,d1\n1,d4\n2,d2\n")
    assert "--columns topic=topic,docno=HEADING" in call("-m", "map", "cited.csv", "run").err


def test_lists_of_ids_that_are_read_as_one_are_a_warning(call: Command) -> None:
    Path("cited.csv").write_text("topic,cited\n1,d1;d4\n2,d2\n")
    result = call("--columns", "topic=topic,docno=cited", "-m", "map", "cited.csv", "run")
    assert "'d1;d4': several ids in a cell, each cell read as one document" in result.err
    assert "--columns docnos=cited reads them as lists" in result.err
    checked = call("check", "--columns", "topic=topic,docno=cited", "cited.csv", "run")
    assert "read-with-warning" in checked.out
