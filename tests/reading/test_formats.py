"""Files in other formats: recognised, and the same numbers as of the same data in trec_eval's formats."""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import Called, Command
from support.small_chunks import chunks_of

from pres_eval.errors import InputError, ReadingWarning
from pres_eval.options import Options
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import read_run
from pres_eval.reading import blocks
from pres_eval.reading.file import File
from pres_eval.reading.formats import parquet
from pres_eval.reading.formats.recognising import FORMATS, recognised
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.relevance import read_relevance

pyarrow = pytest.importorskip("pyarrow")
from pyarrow.parquet import write_table  # noqa: E402

Judged = dict[str, dict[str, int]]
Retrieved = dict[str, dict[str, float]]
Rows = list[tuple[str, str, float]]

QRELS: Judged = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}, "q10": {"d": 3}}
RUN: Retrieved = {
    "q2": {"b": 2.0, "a": 2.0},
    "q1": {"a": 3.5, "x": 3.25, "c": 16777217.0, "b": 16777216.0},
    "q9": {"a": 1.0},
}


def rows_of(data: Judged | Retrieved) -> Rows:
    return [(topic, docno, number) for topic, docs in data.items() for docno, number in docs.items()]


def trec_qrels(data: Judged) -> str:
    return "".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in rows_of(data))


def trec_run(data: Retrieved, tag: str = "run") -> str:
    return "".join(f"{topic} Q0 {docno} 0 {score!r} {tag}\n" for topic, docno, score in rows_of(data))


def table(path: Path, data: Judged | Retrieved, names: tuple[str, str, str], size: int = 2) -> None:
    topics, docnos, numbers = zip(*rows_of(data), strict=True)
    columns = dict(zip(names, (topics, docnos, numbers), strict=True)) | {"rank": list(range(len(topics)))}
    write_table(pyarrow.table(columns), path, row_group_size=size)


def packed_table(path: Path, data: Judged | Retrieved, names: tuple[str, str, str]) -> None:
    """A table that somebody compressed again, as scripts do with all of a folder."""
    table(path, data, names)
    path.write_bytes(gzip.compress(path.read_bytes(), mtime=0))


Write = Callable[[Path, "Judged | Retrieved"], object]
WRITERS: dict[str, dict[str, Write]] = {
    "json": {
        "one line": lambda path, data: path.write_text(json.dumps(data)),
        "indented": lambda path, data: path.write_text(json.dumps(data, indent=1)),
        "compressed": lambda path, data: path.write_bytes(gzip.compress(json.dumps(data).encode(), mtime=0)),
        "lines, the first too long to tell": lambda path, data: path.write_text(
            "".join(json.dumps({topic: docs}) + " " * (1 << 16) + "\n" for topic, docs in data.items())
        ),
    },
    "jsonl": {
        "dictionaries": lambda path, data: path.write_text(
            "".join(json.dumps({topic: docs}) + "\n" for topic, docs in data.items())
        ),
        "records": lambda path, data: path.write_text(
            "".join(
                json.dumps({"query_id": topic, "doc_id": docno, "score": number}) + "\n"
                for topic, docno, number in rows_of(data)
            )
        ),
    },
    "beir": {
        "tabs": lambda path, data: path.write_text(
            "query-id\tcorpus-id\tscore\n"
            + "".join(f"{topic}\t{docno}\t{number!r}\n" for topic, docno, number in rows_of(data))
        ),
    },
    "parquet": {
        "ir_measures, run": lambda path, data: table(path, data, ("query_id", "doc_id", "score")),
        "ir_measures, qrels": lambda path, data: table(path, data, ("query_id", "doc_id", "relevance")),
        "PyTerrier, run": lambda path, data: table(path, data, ("qid", "docno", "score")),
        "PyTerrier, qrels": lambda path, data: table(path, data, ("qid", "docno", "label")),
        "compressed run": lambda path, data: packed_table(path, data, ("qid", "docno", "score")),
        "compressed qrels": lambda path, data: packed_table(path, data, ("qid", "docno", "label")),
    },
}
CASES = [(name, way) for name, ways in WRITERS.items() for way in ways]


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(trec_qrels(QRELS))
    Path("run.txt").write_text(trec_run(RUN))
    return call


def values(called: Called) -> str:
    assert called.code == 0, called.err
    return called.out


ALL = ("-q", "-m", "all_trec", "-m", "pres")


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize(("name", "way"), [case for case in CASES if "qrels" not in case[1]])
def test_runs_have_the_same_numbers(name: str, way: str, compat: str, call: Command) -> None:
    """Recognised or named: every measure of every topic is that of the trec run."""
    expected = values(call("--compat", compat, *ALL, "qrels.txt", "run.txt"))
    Path("run").mkdir()
    WRITERS[name][way](Path("run/run.x"), RUN)
    called = call("--compat", compat, *ALL, "qrels.txt", "run/run.x")
    assert values(called) == expected
    assert f"pres-eval: note: run/run.x: read as {FORMATS[name].meaning}\n" in called.err
    named = call("-T", name, "--quiet", "--compat", compat, *ALL, "qrels.txt", "run/run.x")
    assert values(named) == expected and named.err == ""


@pytest.mark.parametrize(("name", "way"), [case for case in CASES if "run" not in case[1]])
def test_judgements_have_the_same_numbers(name: str, way: str, call: Command) -> None:
    expected = values(call(*ALL, "qrels.txt", "run.txt"))
    if way == "records":
        Path("qrels").write_text(
            "".join(json.dumps({"qid": t, "docno": d, "label": g}) + "\n" for t, d, g in rows_of(QRELS))
        )
    else:
        WRITERS[name][way](Path("qrels"), QRELS)
    called = call(*ALL, "qrels", "run.txt")
    assert values(called) == expected
    assert f"pres-eval: note: qrels: read as {FORMATS[name].meaning}\n" in called.err
    assert values(call("-R", name, *ALL, "qrels", "run.txt")) == expected


def test_ms_marco(call: Command) -> None:
    """The rank is the order."""
    ranked = {topic: sorted(docs) for topic, docs in RUN.items()}
    lines = [(topic, docno, rank) for topic, docs in ranked.items() for rank, docno in enumerate(docs, 1)]
    Path("run").write_text("".join(f"{topic}\t{docno}\t{rank}\n" for topic, docno, rank in lines))
    Path("same.txt").write_text(
        "".join(f"{topic} Q0 {docno} 0 -{rank} run\n" for topic, docno, rank in lines)
    )
    called = call(*ALL, "qrels.txt", "run")
    assert values(called) == values(call(*ALL, "qrels.txt", "same.txt"))
    assert "note: run: read as MS MARCO's (topic docno rank; the rank is the order)" in called.err
    assert values(call("-T", "msmarco", *ALL, "qrels.txt", "run")) == called.out


WORDS = st.text("abcdeXYZ0189-_.é", min_size=1, max_size=12)
NUMBERS = st.one_of(st.sampled_from([1.0, 2.0, 16777216.0, 16777217.0, -0.5]), st.floats(allow_nan=False))


@settings(deadline=None, max_examples=120)
@given(
    st.dictionaries(WORDS, st.dictionaries(WORDS, NUMBERS, min_size=1, max_size=8), min_size=1, max_size=5),
    st.sampled_from([case for case in CASES if "qrels" not in case[1]]),
    st.integers(1, 9),
    st.booleans(),
    st.integers(0),
)
def test_any_run_in_any_format(
    data: Retrieved, case: tuple[str, str], size: int, scattered: bool, seed: int
) -> None:
    """In parts of any size, also where topics are scattered over the file."""
    import random
    import tempfile
    from unittest import mock

    name, way = case
    with tempfile.TemporaryDirectory() as folder:
        path, plain, judged = Path(folder) / "run.x", Path(folder) / "run.txt", Path(folder) / "qrels"
        if scattered and way in {"records", "tabs"}:
            WRITERS[name][way](path, data)
            head, *lines = path.read_text().splitlines(keepends=True)
            if way == "records":
                lines, head = [head, *lines], ""
            random.Random(seed).shuffle(lines)
            path.write_text(head + "".join(lines))
        else:
            WRITERS[name][way](path, data)
        plain.write_text(trec_run(data))
        judged.write_text(trec_qrels({t: dict.fromkeys(list(docs)[::2], 1) for t, docs in data.items()}))
        relevance = read_relevance(str(judged))
        with (
            mock.patch.object(blocks, "ROWS_OF_BLOCK", size),
            mock.patch.object(parquet, "ROWS_OF_BATCH", size),
            warnings.catch_warnings(),
        ):
            # Scores by chance may rise with the ranks of the file.
            warnings.simplefilter("ignore", ReadingWarning)
            found = read_run(File(str(path)), relevance, Options(), form=name)
        expected = read_run(File(str(plain)), relevance, Options())
    for column in ("topic", "num_ret", "offsets", "rank", "document"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist()
    assert (found.facts.num_rows, found.tag) == (expected.facts.num_rows, "run")


FAULTS: list[tuple[str, str, str]] = [
    ("json", '{"q1": {"a": "x"}}', "run: score '\"x\"' of document 'a' for topic 'q1', expected a number"),
    ("json", '{"q1": {"a": NaN}}', "run: score nan of document 'a' for topic 'q1', expected a number"),
    ("json", '{"q1": {"a": true}}', "run: score 'true' of document 'a' for topic 'q1', expected a number"),
    ("json", '{"q1": {"a": 1, "a": 2}}', "run: the key 'a' twice, expected each key once"),
    ("json", '{"q1": {"a": 1}', "run: no JSON (Expecting ',' delimiter"),
    ("json", '{"q1": 3}', "run: int for topic 'q1', expected JSON like"),
    ("json", "{}", "run: no rows, expected at least one"),
    ("json", '{"q1": {"a\\u0000": 1}}', "run: a NUL in an id of topic 'q1', expected text"),
    (
        "jsonl",
        '{"q1": {"a": 1}}\n{"q1": {"b": "c"}}\n',
        "run:2: score '\"c\"' of document 'b' for topic 'q1'",
    ),
    ("jsonl", '{"q1": {"a": 1}}\n[]\n', "run:2: JSON of type list, expected JSON like"),
    ("jsonl", '{"qid": "q1", "docno": "a"}\n', "run:1: a record with 'qid', 'docno', expected one with"),
    ("msmarco", "q1 a 1\nq1 b\n", "run:2: 2 columns, expected 3 (topic docno rank)"),
    ("msmarco", "q1 a 1\nq1 b x\n", "run:2: rank 'x', expected an integer"),
    ("msmarco", "q1 a 1\nq1 a 2\n", "run: document 'a' of topic 'q1' again (rows 1 and 2)"),
    ("beir", "query-id corpus-id score\n\nq1 a x\n", "run:3: score 'x', expected a number"),
    ("parquet", "PAR1 and no more", "run: cannot be read ("),
]


@pytest.mark.parametrize(("name", "text", "message"), FAULTS)
def test_faults(name: str, text: str, message: str, call: Command) -> None:
    Path("run").write_text(text)
    called = call("-T", name, "-m", "map", "qrels.txt", "run")
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert called.err.startswith(f"pres-eval: {message}")


def test_other_blanks_than_those_of_ascii_belong_to_ids(call: Command) -> None:
    Path("text").write_text("東京\u30001 0 \u00a0a\u2028b 1\n")
    Path("run.csv").write_text("query_id,doc_id,score\n 東京\u30001,\u00a0a\u2028b ,1\n")
    assert call.ok("--quiet", "-m", "map", "text", "run.csv").out.split() == ["map", "all", "1.0000"]


def test_faults_of_tables(call: Command) -> None:
    for columns, message in (
        ({"a": ["q1"]}, "the columns a, expected query_id doc_id score, or qid docno score"),
        (
            {"qid": ["q1", None], "docno": ["a", "b"], "score": [1.0, 2.0]},
            "rows without a value in column 'qid'",
        ),
        ({"qid": ["q1"], "docno": ["a"], "score": ["x"]}, "column 'score' of type string, expected numbers"),
        ({"qid": ["q1"], "docno": ["a\0"], "score": [1.0]}, "a NUL in an id of column 'docno'"),
    ):
        write_table(pyarrow.table(columns), "run")
        called = call("-m", "map", "qrels.txt", "run")
        assert called.code == 2 and message in called.err


def test_integer_and_dictionary_ids_in_tables(call: Command) -> None:
    """Ids that are numbers are their decimal words."""
    Path("qrels.txt").write_text("1 0 7 1\n2 0 8 1\n")
    dictionary = pyarrow.array(["7", "8", "7"]).dictionary_encode()
    write_table(pyarrow.table({"qid": [1, 1, 2], "docno": dictionary, "score": [1, 2, 3]}), "run")
    Path("run.txt").write_text("1 Q0 7 0 1 run\n1 Q0 8 0 2 run\n2 Q0 7 0 3 run\n")
    assert values(call(*ALL, "qrels.txt", "run")) == values(call(*ALL, "qrels.txt", "run.txt"))


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 a 1 1.0 t\nq1 Q0\n",
        "q1 a 2\n",
        "q1 a 1\nq1 b 1\n",
        "q1 a 1\nq2 b 5\n",
        "[1]",
        '{"a": 3}',
        "topic docno score\nq1 a 3\n",
        "q1 a 0.5\n",
        "",
    ],
)
def test_what_is_not_recognised(text: str, tmp_path: Path) -> None:
    """A damaged trec run is an error, not another format."""
    (tmp_path / "run").write_text(text)
    assert recognised(File(str(tmp_path / "run")), Role.RUN) is None
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    with pytest.raises(InputError):
        read_run(File(str(tmp_path / "run")), read_relevance(str(tmp_path / "qrels")), Options())


def test_numbers_beyond_doubles_in_json(call: Command) -> None:
    """As the same digits in a trec run."""
    digits = "1" + "0" * 400
    Path("run").write_text(f'{{"q1": {{"a": {digits}, "b": -{digits}, "c": 1}}}}')
    Path("run.txt").write_text(f"q1 Q0 a 0 {digits} run\nq1 Q0 b 0 -{digits} run\nq1 Q0 c 0 1 run\n")
    assert values(call(*ALL, "qrels.txt", "run")) == values(call(*ALL, "qrels.txt", "run.txt"))


def test_headers_and_blank_lines_alone(call: Command) -> None:
    """Chunks without a row, as a reader of small ones sees them."""
    Path("run").write_text("query-id corpus-id score\n\n \nq1 a 3\n\nq2 b 1\n")
    expected = call("-T", "beir", *ALL, "qrels.txt", "run")
    with chunks_of(1):
        found = call("-T", "beir", *ALL, "qrels.txt", "run")
    assert (found.code, found.out) == (expected.code, expected.out) == (0, expected.out)
    Path("run").write_text("query-id corpus-id score\n")
    assert call("-T", "beir", "-m", "map", "qrels.txt", "run").code == 2


def test_tables_of_bytes_and_of_nothing(call: Command) -> None:
    columns = {
        "qid": pyarrow.array([b"q1", b"q1"]),
        "docno": pyarrow.array([b"a", b"x"], pyarrow.large_binary()),
    }
    write_table(pyarrow.table({**columns, "score": [2.0, 1.0]}), "run")
    Path("run.txt").write_text("q1 Q0 a 0 2.0 run\nq1 Q0 x 0 1.0 run\n")
    assert values(call(*ALL, "qrels.txt", "run")) == values(call(*ALL, "qrels.txt", "run.txt"))
    write_table(pyarrow.table({"qid": [""], "docno": [""], "score": [1.0]}), "run")
    assert call("-m", "map", "qrels.txt", "run").code == 7
    write_table(pyarrow.table({**columns, "score": [2.0, 1.0]}).slice(0, 0), "run")
    called = call("-m", "map", "qrels.txt", "run")
    assert (called.code, called.err) == (2, "pres-eval: run: no rows, expected at least one\n")


def test_tables_need_their_extra(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(pyarrow.table({"qid": ["q1"], "docno": ["a"], "score": [1.0]}), "run")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    called = call("-T", "parquet", "-m", "map", "qrels.txt", "run")
    assert called.code == 2 and "reading Parquet" in called.err and ".[parquet]" in called.err


def test_a_large_table_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics leave as they are complete: no part that is ranked has more than a few batches of rows."""
    data = {f"q{topic:03}": {f"d{n}": 1000.0 - n for n in range(100)} for topic in range(60)}
    table(tmp_path / "run", data, ("qid", "docno", "score"), 500)
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d5 1\n" for topic in data))
    monkeypatch.setattr(parquet, "ROWS_OF_BATCH", 250)
    sizes: list[int] = []
    ranked_part = RunRanker.ranked_part

    def noted(ranker: RunRanker, block: Any) -> Any:
        sizes.append(len(block.documents))
        return ranked_part(ranker, block)

    monkeypatch.setattr(RunRanker, "ranked_part", noted)
    ranking = read_run(File(str(tmp_path / "run")), read_relevance(str(tmp_path / "qrels")), Options())
    assert len(ranking.topic) == 60 and set(ranking.rank.tolist()) == {6}
    assert sum(sizes) == 6000 and max(sizes) <= 500


def test_a_row_group_that_swells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size is known before it is read; several small ones may be as large together."""
    data = {
        f"q{topic}": {f"{topic}-" + "d" * 900 + str(n): 10.0 - n for n in range(10)} for topic in range(9)
    }
    (tmp_path / "qrels").write_text("q1 0 x 1\n")
    relevance = read_relevance(str(tmp_path / "qrels"))
    monkeypatch.setattr(parquet, "LARGEST_GROUP", 20_000)
    table(tmp_path / "small", data, ("qid", "docno", "score"), 10)
    assert read_run(File(str(tmp_path / "small")), relevance, Options()).facts.num_rows == 90
    table(tmp_path / "large", data, ("qid", "docno", "score"), 90)
    with pytest.raises(
        InputError, match=r"large: a row group of [0-9,]+ bytes, decompressed, expected at most 20,000"
    ):
        read_run(File(str(tmp_path / "large")), relevance, Options())


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_list_of_json_is_recognised_by_a_long_record(mark: str, call: Command) -> None:
    """Whatever stands before the ids: it may be a whole document."""
    text = json.dumps([{"text": "x" * 300_000, "query": "q1", "docno": "a", "score": 2.0}])
    Path("run").write_text(mark + text, encoding="utf-8")
    Path("run.txt").write_text("q1 Q0 a 0 2.0 run\n")
    assert values(call(*ALL, "qrels.txt", "run")) == values(call(*ALL, "qrels.txt", "run.txt"))


@pytest.mark.parametrize(("grade", "is_whole"), [(2**53 - 1, True), (2**53, False)])
def test_grades_with_decimals_are_whole_below_2_to_53(grade: int, is_whole: bool, call: Command) -> None:
    """Larger doubles may be another number than the one in the file."""
    Path("judged.csv").write_text(f"query,docno,relevance\nq1,a,{grade}.0\n")
    Path("run.txt").write_text("q1 Q0 a 0 2.0 run\n")
    called = call("-m", "map", "judged.csv", "run.txt")
    assert (called.code == 0) is is_whole
    assert (f"judged.csv:2: relevance '{grade}.0', expected an integer" in called.err) is not is_whole


def test_words_that_begin_as_numbers_do_are_no_decimals(call: Command) -> None:
    """A file of whole numbers counts as judgements, also if a document is called NaNo."""
    Path("judged").write_text('{"1": {"a": 1, "NaNo": 2}}')
    assert "2 judgements, 1 topic" in call("check", "judged").out
    Path("judged").write_text('{"1": {"a": 1, "b": NaN}}')
    assert "judgements" not in call("check", "judged").out
