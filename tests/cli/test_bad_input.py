"""What goes wrong: one line on stderr that says where, what was found and what expected, and an exit code."""

from __future__ import annotations

import gzip
import io
import pickle
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import Called, Command

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 3.0 tag\nq1 Q0 b 2 2.0 tag\nq2 Q0 b 1 2.0 tag\n"
VERSIONS = ("9.0.8", "10.0")

QRELS_COLUMNS = "4 (topic iteration docno relevance)"
RUN_COLUMNS = "6 (topic Q0 docno rank score tag)"
SWAPPED = "were the two files swapped? the judgements come first"
READABLE = "expected a readable file"

Evaluate = Callable[..., Called]


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "folder").mkdir()
    return call


def failed(called: Called, code: int, message: str) -> None:
    """Nothing on stdout, the message alone on stderr."""
    assert called == Called(code, "", f"pres-eval: {message}\n")


FILES = [
    (["nothing", "run"], f"nothing: no such file, {READABLE}"),
    (["qrels", "nothing"], f"nothing: no such file, {READABLE}"),
    (["folder", "run"], f"folder: is a directory, {READABLE}"),
    (
        ["qrels", "folder"],
        f"folder: is a directory, {READABLE}, or a folder of nothing but the part files (part-*) of one run",
    ),
    (["qrels/x", "run"], f"qrels/x: not a directory, {READABLE}"),
    (["-Z", "nothing", "qrels", "run"], f"nothing: no such file, {READABLE}"),
]


@pytest.mark.parametrize(("arguments", "message"), FILES)
@pytest.mark.parametrize("form", ["trec", "json"])
def test_files(arguments: list[str], message: str, form: str, call: Command) -> None:
    failed(call("--format", form, *arguments), 2, message)


IN_QRELS = [
    ("", "qrels: the file is empty, expected lines of text"),
    ("\ufeff", "qrels: the file is empty, expected lines of text"),
    (
        "\n \n# x\n",
        "qrels: no lines but blank ones and comments, expected lines of topic iteration docno relevance",
    ),
    ("q1 0 a 1\nq1 0 b\n", f"qrels:2: 3 columns, expected {QRELS_COLUMNS}"),
    ("q1\n", f"qrels:1: 1 column, expected {QRELS_COLUMNS}"),
    (
        "# x\n\nq1 0 a b 1\n",
        f"qrels:3: 5 columns, expected {QRELS_COLUMNS};"
        " docnos have blanks in them, or these are sampled judgements (topic iteration docno stratum"
        " relevance) (-R strata), or preferences (-R prefs)",
    ),
    (RUN, f"qrels:1: 6 columns, expected {QRELS_COLUMNS}; this looks like a run; {SWAPPED}"),
    (
        "q1 0 a 1.7\n",
        "qrels:1: relevance '1.7', expected an integer; gains with decimals can be read with -R qrels_float",
    ),
    ("q1 0 a 1\nq1 0 b abc\n", "qrels:2: relevance 'abc', expected an integer"),
    ("q1 0 a 1\r\nq1 0 b 1e0\r\n", "qrels:2: relevance '1e0', expected an integer"),
    ("q1 0 a 99999999999999999999\n", "qrels:1: relevance '99999999999999999999', expected an integer"),
    ("q1 0 a 1\nq1 0 b\x00 1\n", "qrels:2: a NUL byte, expected text"),
    (
        "q1 0 a 1\n\nq2 0 b 1\nq1 0 a 0\n",
        "qrels:4: a second judgement of document 'a' for topic 'q1' (first in line 1),"
        " expected one judgement per document and topic;"
        " pres-eval merge FILE > NEW makes one judgement of several",
    ),
    (
        "q1 0 é 1\nq1 0 é 1\nq2 0 b 1\n",
        "qrels:2: a second judgement of document 'é' for topic 'q1' (first in line 1),"
        " expected one judgement per document and topic;"
        " pres-eval merge FILE > NEW makes one judgement of several",
    ),
]


@pytest.mark.parametrize("compat", VERSIONS)
@pytest.mark.parametrize(("text", "message"), IN_QRELS)
def test_qrels(text: str, message: str, compat: str, call: Command) -> None:
    Path("qrels").write_text(text, encoding="utf-8", newline="")
    failed(call("--compat", compat, "qrels", "run"), 2, message)


KEEP_ONE = "; the evaluator can keep one: --duplicates best or --duplicates first"

IN_RUN = [
    ("", "run: the file is empty, expected lines of text"),
    ("#\n\n", "run: no lines but blank ones and comments, expected lines of topic Q0 docno rank score tag"),
    (
        "q1 Q0 a 1 3.0\n",
        f"run:1: 5 columns, expected {RUN_COLUMNS};"
        " the tag is missing:"
        " pres-eval convert run --columns topic=1,docno=3,score=5 --to trec_results > NEW",
    ),
    ("q1 Q0 a 1 3.0 t\n\n# x\nq1\n", f"run:4: 1 column, expected {RUN_COLUMNS}"),
    (QRELS, f"run:1: 4 columns, expected {RUN_COLUMNS}; this looks like judgements; {SWAPPED}"),
    ("q1 Q0 a 1 abc t\n", "run:1: score 'abc', expected a number"),
    ("q1 Q0 a 1 12abc t\n", "run:1: score '12abc', expected a number"),
    (
        "q1 Q0 a 1 1,5 t\n",
        "run:1: score '1,5', expected a number;"
        " the numbers have decimal commas:"
        " pres-eval convert run --columns topic=1,docno=3,score=5 --to trec_results --tag t > NEW",
    ),
    ("q1 Q0 a 1 NaN t\n", "run:1: score 'NaN', expected a number"),
    ("q1 Q0 a 1 -nan t\n", "run:1: score '-nan', expected a number"),
    ("q1 Q0 a b 1 3.0 t\nq1 Q0 c 1 x t\n", "run:2: score 'x', expected a number"),
    ("q1 Q0 a 1 3.0 t\nunjudged Q0 a 1 - t\n", "run:2: score '-', expected a number"),
    ("q1 Q0 a\x00 1 3.0 t\n", "run:1: a NUL byte, expected text"),
    (
        RUN + "\nq1 Q0 b 3 1.0 tag\n",
        "run:5: document 'b' of topic 'q1' again (first in line 2), expected each document once per topic"
        + KEEP_ONE,
    ),
    (
        "q2 Q0 a 1 1 t\n" + RUN + "q2 Q0 a 2 9 t\n",
        "run:5: document 'a' of topic 'q2' again (first in line 1), expected each document once per topic"
        + KEEP_ONE,
    ),
    (
        "q1 Q0 nobody-judged-this 1 1 t\n" * 2,
        "run:2: document 'nobody-judged-this' of topic 'q1' again (first in line 1),"
        " expected each document once per topic" + KEEP_ONE,
    ),
    ("q1 Q0 a 1 \x1b[31m t\n", r"run:1: score '\x1b[31m', expected a number"),
    ("q1 Q0 a 1 " + "x" * 200 + " t\n", "run:1: score '" + "x" * 77 + "...', expected a number"),
]


@pytest.mark.parametrize("compat", VERSIONS)
@pytest.mark.parametrize(("text", "message"), IN_RUN)
def test_runs(text: str, message: str, compat: str, call: Command) -> None:
    Path("run").write_text(text, encoding="utf-8", newline="")
    failed(call("--compat", compat, "-q", "qrels", "run"), 2, message)


def zipped(text: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("run", text)
    return stream.getvalue()


def in_tar(text: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as file:
        entry = tarfile.TarInfo("run")
        entry.size = len(text)
        file.addfile(entry, io.BytesIO(text.encode()))
    return stream.getvalue()


MISTAKES: dict[str, tuple[str, str | bytes, str]] = {
    "header of a run": (
        "run",
        "qid Q0 docno rank score tag\n" + RUN,
        "line 1 looks like a header: pres-eval convert run --columns topic=1,docno=3,score=5",
    ),
    "header of qrels": (
        "qrels",
        "topic iter docno rel\n" + QRELS,
        "line 1 looks like a header: pres-eval convert qrels --columns topic=1,docno=3,grade=4",
    ),
    "commas": (
        "run",
        RUN.replace(" ", ","),
        "columns are separated by commas, not by blanks or tabs: pres-eval convert run --columns topic=1,",
    ),
    "semicolons": (
        "qrels",
        QRELS.replace(" ", ";"),
        "separated by semicolons, not by blanks or tabs: pres-eval convert qrels",
    ),
    "JSON of another shape": (
        "run",
        "[1, 2]\n",
        'looks like JSON, of which {"topic": {"docno": number}}, {"topic": ["docno"]} and',
    ),
    "UTF-16": ("run", RUN.encode("utf-16"), "UTF-16 text: iconv -f UTF-16 -t UTF-8 < run > NEW"),
    "UTF-16 without a mark": (
        "run",
        RUN.encode("utf-16-le"),
        "UTF-16 text: iconv -f UTF-16LE -t UTF-8 < run > NEW",
    ),
    "zip": ("run", zipped(RUN), "this is a zip archive: unzip -p run > NEW"),
    "tar": ("run", in_tar(RUN), "this is a tar archive: tar -xOf run > NEW"),
    "tar.gz": ("qrels", gzip.compress(in_tar(QRELS), mtime=0), "this is a tar archive: tar -xOf qrels > NEW"),
    "pickle": ("run", pickle.dumps({"a": {"b": 1.0}}), "this is a Python pickle"),
    "web page": ("run", "<!DOCTYPE html>\n<html>\n", "this is a web page"),
    "Git LFS": (
        "qrels",
        "version https://git-lfs.github.com/spec/v1\noid 1\n",
        "not the file itself: git lfs pull",
    ),
    "no Q0": (
        "run",
        RUN.replace(" Q0", ""),
        "Q0 is missing: pres-eval convert run --columns topic=1,docno=2,score=4",
    ),
    "no rank": (
        "run",
        "q1 Q0 a 3.5 t\nq2 Q0 b 2.0 t\n",
        "the rank is missing: pres-eval convert run --columns topic=1,docno=3,score=4",
    ),
    "no docno": ("run", "q1 Q0 1 3.0 tag\nq2 Q0 2 2.0 tag\n", "the docno is missing"),
    "no docno, and a line cut off": ("run", "q1 Q0 1 3.0 tag\n" * 4 + "q1\n", "the docno is missing"),
    "no Q0 and tag": (
        "run",
        "q1 a 1 3.0\nq2 b 1 2.5\n",
        "Q0 and tag are missing: pres-eval convert run --columns topic=1,docno=2,score=4",
    ),
    "no Q0, rank, tag": (
        "run",
        "q1 a 3.5\nq2 b 2.5\n",
        "Q0, rank and tag are missing: pres-eval convert run --columns topic=1,docno=2,score=3",
    ),
    "no iteration": (
        "qrels",
        "q1 a 1\nq2 a 0\n",
        "the iteration is missing: pres-eval convert qrels --columns topic=1,docno=2,grade=3",
    ),
    "decimals": (
        "qrels",
        "q1 0 a 1.5\n",
        "gains with decimals can be read with -R qrels_float",
    ),
    "prels": (
        "qrels",
        "2 GX0 0 1 1.0\n2 GX1 1 0 0.5\n",
        "looks like prels of a Million Query track (topic docno relevance method probability): read them with"
        " -R prels",
    ),
}


def test_nul_bytes_are_no_matter_of_commas(call: Command) -> None:
    Path("run.csv").write_bytes(b"query_id,doc_id,sc\0ore\nq1,a,1\n")
    assert call("qrels", "run.csv").err == "pres-eval: run.csv:1: a NUL byte, expected text\n"
    # Python 3.10 reads no columns from a line with NUL.
    columns = "query_id, doc_id, sc\\x00ore" if sys.version_info >= (3, 11) else ""
    expected = "expected a header with query_id, doc_id and score"
    said = call("qrels", "run.csv", "-T", "csv").err
    assert said == f"pres-eval: run.csv:1: the columns '{columns}', {expected}\n"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors_know_what_people_do(mistake: str, call: Command) -> None:
    """One line that ends in what the file looks like, and what to type."""
    name, content, advice = MISTAKES[mistake]
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    called = call("qrels", "run")
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert called.err.startswith(f"pres-eval: {name}:1: ") and advice in called.err.partition("; ")[2]


ZEROS = {
    "nothing judged": (
        ["qrels", "run"],
        RUN.replace(" a ", " A ").replace(" b ", " B "),
        "run: no retrieved document is judged (the run has 'A', the qrels have 'a'): are ids written alike,"
        " and both files of the same collection? (pres-eval check shows more)\n"
        "pres-eval: warning: run: of 3 rows looked at, 2 unjudged documents would match judged ones"
        " without case (the run has 'A', the qrels have 'a') (pres-eval check shows more)",
    ),
    "nothing relevant": (
        ["-l", "2", "qrels", "run"],
        RUN,
        "qrels: nothing is relevant at -l 2: the highest relevance is 1 (pres-eval check shows more)",
    ),
    "distances": (
        ["qrels", "run"],
        "q1 Q0 a 1 0.5 tag\nq1 Q0 b 2 2.0 tag\nq2 Q0 b 1 0.25 tag\nq2 Q0 a 2 2.0 tag\n",
        "run: scores rise with the rank column (topic 'q1': rank 1 has 0.5, rank 2 has 2.0), but the largest"
        " score comes first: are these distances? (pres-eval check shows more)",
    ),
    "distances that rise from topic to topic": (
        ["qrels", "run"],
        "q1 Q0 a 1 0.5 tag\nq1 Q0 b 2 1.0 tag\nq2 Q0 b 1 1.5 tag\nq2 Q0 a 2 2.0 tag\n",
        "run: scores rise with the rank column (topic 'q1': rank 1 has 0.5, rank 2 has 1.0), but the largest"
        " score comes first: are these distances? (pres-eval check shows more)",
    ),
    "rank and score exchanged, two topics of two rows": (
        ["qrels", "run"],
        "q1 Q0 a 9 1 tag\nq1 Q0 b 8 2 tag\nq2 Q0 b 9 1 tag\nq2 Q0 a 8 2 tag\n",
        "run: in each topic the scores rise by 1 from line to line, as ranks do, and the rank column has '9':"
        " are rank and score exchanged? (pres-eval check shows more)",
    ),
    "cut off": (
        ["qrels", "run"],
        RUN[:-2],
        "run: the last line ends in the middle of its tag ('ta', but 'tag' in the line before): the file was"
        " cut off (pres-eval check shows more)",
    ),
}


@pytest.mark.parametrize("case", ZEROS)
def test_zeros_are_not_silent(case: str, call: Command) -> None:
    arguments, text, warning = ZEROS[case]
    Path("run").write_text(text)
    called = call(*arguments)
    assert (called.code, called.err) == (0, f"pres-eval: warning: {warning}\n")
    assert call("--quiet", *arguments).err == ""


@pytest.mark.parametrize(("turned", "says_so"), [(1, False), (5, False), (8, False), (9, True), (10, True)])
def test_distances_are_told_from_a_few_topics_out_of_order(turned: int, says_so: bool, call: Command) -> None:
    """Of ten topics nine have to have scores that rise with the ranks."""
    lines = [
        f"{topic} Q0 {docno} {rank} {score if topic < turned else -score} t\n"
        for topic in range(10)
        for rank, (docno, score) in enumerate([("a", 1), ("b", 2)], 1)
    ]
    Path("run").write_text("".join(lines))
    Path("qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in range(10)))
    called = call("qrels", "run")
    assert called.code == 0
    assert ("scores rise with the rank column" in called.err) is says_so


@pytest.mark.parametrize("text", [RUN, RUN[:-1], RUN.replace("3.0", "1.0")])
def test_ordinary_runs_are_evaluated_in_silence(text: str, call: Command) -> None:
    """Also without a last newline, and with a topic among several whose ranks disagree with its scores."""
    lines = "".join(f"q1 Q0 c{rank} {rank} {9.5 - rank} tag\n" for rank in range(3, 9))
    Path("run").write_text(lines + text)
    assert call("qrels", "run").err == ""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_fault_far_down_in_a_run(jobs: str, call: Command) -> None:
    """In a chunk of its own, read by another thread: the line's number is right, and nothing was printed."""
    lines = [f"q1 Q0 d{number} 1 {-number} t\n" for number in range(90_000)]
    Path("run").write_text("".join(lines) + "q1 Q0 a 1 1.0\n")
    failed(call("--jobs", jobs, "qrels", "run"), 2, f"run:90001: 5 columns, expected {RUN_COLUMNS}")


def test_m_hides_duplicates_behind_the_cut(call: Command) -> None:
    """As in trec_eval: a document that comes twice is an error if both are among the first -M."""
    Path("run").write_text("q1 Q0 a 1 3 t\nq1 Q0 c 2 2 t\nq1 Q0 a 3 1 t\nq2 Q0 a 1 1 t\n")
    assert call("-M2", "qrels", "run").code == 0
    assert call("-M3", "qrels", "run").code == 2


@pytest.mark.parametrize(
    "measure", ["rbp.p=2", "F_cut.1e308", "ndcg.1=1e308", "utility.1e308,-1e308,1e308,1e308", "set_F.1e308"]
)
def test_numbers_that_overflow_are_no_warning(measure: str, call: Command) -> None:
    """They print as C prints them: inf and nan."""
    called = call("--compat", "10.0", "-q", "-m", measure, "qrels", "run")
    assert (called.code, called.err) == (0, "")


NO_TOPIC = [
    (
        "x9 Q0 a 1 1.0 t\nx10 Q0 a 1 1.0 t\n",
        "run: no topic in common with qrels: expected topics such as 'q1', found others such as 'x10';"
        " are both files of the same collection, and the ids written alike?",
    ),
    (
        "Q1 Q0 a 1 1.0 t\n",
        "run: no topic in common with qrels: expected topics such as 'q1', found others such as 'Q1';"
        " are both files of the same collection, and the ids written alike?; 1 would match without case (the"
        " run has 'Q1', the qrels have 'q1')",
    ),
]


@pytest.mark.parametrize("options", [[], ["-c"], ["--format", "json"], ["-J"]])
@pytest.mark.parametrize(("text", "message"), NO_TOPIC)
def test_no_topic_in_common(text: str, message: str, options: list[str], call: Command) -> None:
    """Exit 7, with an id of each side."""
    Path("run").write_text(text)
    failed(call(*options, "-m", "map", "qrels", "run"), 7, message)


def test_topic_of_d_that_is_not_there(call: Command) -> None:
    failed(call("-D", "0.x", "qrels", "run"), 7, "run: topic 'x' of -D is not in both files")


USAGE = [
    (
        [],
        "usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h shows the most used, --help-all all)",
    ),
    (
        ["qrels"],
        "usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h shows the most used, --help-all all)",
    ),
    (["-", "-"], "standard input (-) can be one file only"),
    (["qrels", "-", "-"], "standard input (-) can be one file only"),
    (
        ["-R", "runs", "qrels", "run"],
        "-R runs: no such format, expected one of qrels, qrels_jg, prefs, qrels_prefs, qrels_float,"
        " subtopics, strata, prels, beir, json, jsonl, csv, parquet",
    ),
    (
        ["-T", "xls", "qrels", "run"],
        "-T xls: no such format, expected one of trec_results, msmarco, beir, json, jsonl, csv, parquet",
    ),
    (["-D", "x", "qrels", "run"], "-D x: expected a number, or number.topic"),
    (["-m", "mapp", "qrels", "run"], "-m mapp: no such measure; did you mean map or gmap or AP?"),
    (["-m", "P.x", "qrels", "run"], "-m P.…: found 'x', expected a whole number of at least 1"),
    (
        ["-m", "map_avgjg", "qrels", "run"],
        "map_avgjg: needs -R qrels_jg, but the judgements are read with -R qrels",
    ),
    (["-m", "map", "-R", "prefs", "qrels", "run"], "map: needs -R qrels, but the judgements are read with"),
    (
        ["-m", "Rnorm", "qrels", "run"],
        "-m Rnorm needs the number of documents in the collection: give it with -N",
    ),
    (
        ["--fail-under", "x", "qrels", "run"],
        "--fail-under x: found 'x', expected NAME=VALUE, as PRES_100=0.40",
    ),
    (["--tolerance", "1", "qrels", "run"], "--tolerance goes with --against FILE"),
    (
        ["-l", "x", "qrels", "run"],
        "-l: found 'x', expected a number of at least 0",
    ),
    (["-l", "x is not y", "qrels", "run"], "-l: found 'x is not y', expected a number of at least 0\n"),
    (["-l", "nan", "qrels", "run"], "-l: found 'nan', expected a number of at least 0\n"),
    (
        ["-M", "-1", "qrels", "run"],
        "-M: found '-1', expected a whole number of at least 0\n",
    ),
    (["-N", "1.5", "qrels", "run"], "-N: found '1.5', expected a whole number of at least 0\n"),
    (
        ["--digits", "18", "qrels", "run"],
        "--digits: found '18', expected a whole number from 0 to 17\n",
    ),
    (
        ["power", "--power", "1", "qrels", "run"],
        "--power: found '1', expected a number above 0 and below 1\n",
    ),
    (
        ["power", "--trials", "0x", "qrels", "run"],
        "--trials: found '0x', expected a whole number from 1 to 1,000,000\n",
    ),
    (
        ["--nmax", "0", "qrels", "run"],
        "--nmax: found '0', expected ranks above 0 such as 100,1000",
    ),
    (["--nmax", "a", "qrels", "run"], "--nmax: found 'a', expected ranks above 0"),
    (["--nmax", "", "qrels", "run"], "--nmax: found '', expected ranks above 0"),
    (["--nmax", "²", "qrels", "run"], "--nmax: found '²', expected ranks above 0"),
    (["--jobs", "0", "qrels", "run"], "--jobs: found '0', expected a whole number of at least 1\n"),
    (["--compat", "9", "qrels", "run"], "--compat 9: expected one of 9.0.8, 10.0"),
    (["--format", "xml", "qrels", "run"], "--format xml: expected one of trec, table"),
    (["--unknown", "qrels", "run"], "--unknown: no such option; --help lists them all"),
    (["-X", "qrels", "run"], "-X: no such option; --help lists them all"),
    (["--latex", "qrels", "run"], "--latex: no such option; did you mean --format latex?"),
    (
        ["compare", "--letters", "qrels", "run"],
        "--letters: no such option; did you mean --all-pairs --table groups?",
    ),
    (["qrels", "run", "-m"], "Option '-m' requires an argument."),
]


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_usage(arguments: list[str], message: str, call: Command) -> None:
    called = call(*arguments)
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith(f"pres-eval: {message}")
    assert called.err.count("\n") == 1


def test_all_wrong_measures_at_once(call: Command) -> None:
    called = call("-m", "mapp", "-m", "P.5", "-m", "ndgc", "-m", "recall.x", "qrels", "run")
    assert called.code == 1
    assert all(f"-m {text}" in called.err for text in ("mapp:", "ndgc:", "recall.…: found 'x'"))
    assert called.err.count("\n") == 1


ZSCORES = [
    ("q1 map 0.5\n", "zscores:1: 3 columns, expected 4 (topic measure mean deviation)"),
    (
        "q1 num_q 1 1\nq1 map x 0.1\nq3 ~ 0 0\n",
        "zscores:2: 'x', expected a number (topic measure mean deviation)",
    ),
    ("", "zscores: the file is empty, expected lines of text"),
]


@pytest.mark.parametrize(("text", "message"), ZSCORES)
def test_zscores(text: str, message: str, call: Command) -> None:
    Path("zscores").write_text(text)
    failed(call("-Z", "zscores", "-m", "num_q", "-m", "map", "qrels", "run"), 2, message)


def test_no_advice_about_a_line_that_is_only_seen_in_part(call: Command) -> None:
    Path("run").write_text(f"q1 Q0 a 1 {'9' * 80_000}x t\n")
    called = call("qrels", "run")
    assert called.code == 2
    assert called.err.endswith("expected a number\n")


PREFERENCES = [
    ("prefs", "q1 0 s a\n", "qrels:1: 4 columns, expected 5 (topic judgement-group subgroup docno level)"),
    ("prefs", "q1 0 s a x\n", "qrels:1: level 'x', expected a number"),
    ("qrels_prefs", "q1 0 a x\n", "qrels:1: relevance 'x', expected a number"),
    ("qrels_jg", "q1 0 a 1.5\n", "qrels:1: relevance '1.5', expected an integer"),
    (
        "qrels_jg",
        "q1 g a 1\nq1 h a 1\nq1 g a 0\n",
        "qrels:3: topic 'q1', judgement group 'g': a second judgement of document 'a' (first in line 1),"
        " expected one judgement per document and group",
    ),
    (
        "qrels_jg",
        "q2 g a 1\nq2 g a 0\nq1 g a 1\nq1 g a 0\n",
        "qrels:2: topic 'q2', judgement group 'g': a second judgement of document 'a' (first in line 1),"
        " expected one judgement per document and group",
    ),
]


@pytest.mark.parametrize(("form", "text", "message"), PREFERENCES)
def test_other_formats(form: str, text: str, message: str, call: Command) -> None:
    Path("qrels").write_text(text)
    measure = "map_avgjg" if form == "qrels_jg" else "prefs_simp"
    failed(call("-R", form, "-m", measure, "qrels", "run"), 2, message)


def test_ids_in_messages_can_be_printed(call: Command) -> None:
    """Ids of any bytes, also terminal codes, are shown without harm."""
    Path("qrels").write_bytes(b"\xff\x1b[2J 0 a 1\n")
    called = call("-m", "map", "qrels", "run")
    assert called.code == 7
    assert r"topics such as '\xff\x1b[2J', found others such as 'q1'" in called.err


MEASURE = """
import pres_eval as pe

def weights(batch):
    return [float(line) for line in open("weights")]

WEIGHTS = pe.Measure("weights", weights, ours=True)
"""


def test_a_missing_file_of_a_measure_of_one_s_own(
    pres_eval: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path
) -> None:
    """Whatever opens the file: exit code 2, and the line names it."""
    for name, text in (("qrels", QRELS), ("run", RUN), ("mine.py", MEASURE)):
        (tmp_path / name).write_text(text)
    done = pres_eval("-m", "mine:WEIGHTS", "qrels", "run", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"pres-eval: No such file or directory: weights\n"


SCORE_IS_MISSING = "the score is missing, and the rank can take its place"


@pytest.mark.parametrize(
    ("arguments", "line", "lines", "advice"),
    [
        (["-m", "map"], "q1 Q0 {} {} t\n", "q1 Q0 e\n", SCORE_IS_MISSING),
        (["-m", "map"], "q1 Q0 {} {} t\n", "q1 Q0 e 5 1.5 t\n", SCORE_IS_MISSING),
        (["-m", "map"], "q1 Q0 {} {} t\n", "q1 Q0 e x t\n", SCORE_IS_MISSING),
        (["-R", "strata", "-m", "infNDCG"], "q1 0 {} {} 1\n", "q1 0 e 1\n", "4 columns, expected 5"),
        (["-R", "strata", "-m", "infNDCG"], "q1 0 {} {} ?\n", "q1 0 e 1\n", "pool --strata wrote"),
    ],
)
@pytest.mark.parametrize("place", [1, 3, 4])
def test_advice_where_one_line_is_not_like_the_others(
    arguments: list[str], line: str, lines: str, advice: str, place: int, call: Command, tmp_path: Path
) -> None:
    file = "qrels" if "strata" in arguments else "run"
    like = [line.format(document, rank) for rank, document in enumerate("abcdfgh", 1)]
    like[place] = lines
    (tmp_path / file).write_text("".join(like))
    called = call(*arguments, "qrels", "run")
    assert (called.code, advice in called.err) == (2, True)
