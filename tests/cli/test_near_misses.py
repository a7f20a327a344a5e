"""What is nearly right, and was taken in silence or answered wrongly: texts for the page, names, endings."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support.commands import Called, Command

from pres_eval.errors import MeasureError
from pres_eval.measures.names import read_text
from pres_eval.measures.notation import NOTATIONS
from pres_eval.options import V9
from pres_eval.report.descriptions import read_texts

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 bm25\nq1 Q0 d2 2 2.0 bm25\nq2 Q0 d3 1 2.0 bm25\nq2 Q0 d9 2 1.0 bm25\n"


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return call


def report(call: Command, option: str, text: str | bytes) -> Called:
    """A page with the texts of a file."""
    Path("texts").write_bytes(text if isinstance(text, bytes) else text.encode())
    called = call("report", "qrels", "run", option, "texts", "--output", "page.html")
    assert called.code == 0
    return called


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--queries", "1 eine Frage\n", "--queries texts: none of its ids such as '1' is a topic of qrels"),
        (
            "--titles",
            "D1\tein Titel\n",
            "--titles texts: none of its ids such as 'D1' is a relevant document of qrels",
        ),
    ],
)
def test_texts_of_other_ids_are_warned_of(option: str, text: str, message: str, call: Command) -> None:
    assert f"pres-eval: warning: {message}" in report(call, option, text).err


def test_texts_of_some_ids_are_enough(call: Command) -> None:
    assert "texts" not in report(call, "--queries", "q2 eine Frage\nq7 fremd\n").err
    assert "texts" not in report(call, "--titles", "d3\tein Titel\nd9\tnoch einer\n").err


@pytest.mark.parametrize("option", ["--queries", "--titles"])
def test_texts_in_latin_1_get_the_command_that_converts_them(option: str, call: Command) -> None:
    called = report(call, option, "q1 Kühler\nd1 Kühler\n".encode("latin-1"))
    assert (
        f"warning: {option} texts: not UTF-8, so the page shows codes such as \\xfc; if it is from Windows in"
        " Western Europe: iconv -f WINDOWS-1252 -t UTF-8 < texts > NEW" in called.err
    )
    assert "UTF-8" not in report(call, option, "q1 Kühler\nd1 Kühler\n").err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1;erste; mit Semikolon\n2;zweite\n", {b"1": "erste; mit Semikolon", b"2": "zweite"}),
        ("qid;query\n1;erste; mit Semikolon\n", {b"1": "erste; mit Semikolon"}),
        ("1,first, with, commas\n2,second\n", {b"1": "first, with, commas", b"2": "second"}),
        ("1;erste;;\n2;zweite;;\n", {b"1": "erste", b"2": "zweite"}),
        ("id;lang;title\n1;de;erste; mit Semikolon\n", {b"1": "erste; mit Semikolon"}),
        ("id;title;lang\n1;erste;de\n", {b"1": "erste"}),
    ],
)
def test_a_text_goes_on_behind_the_separator(text: str, expected: dict[bytes, str], tmp_path: Path) -> None:
    (tmp_path / "texts").write_text(text, encoding="utf-8")
    assert read_texts(str(tmp_path / "texts")) == expected


MISTAKES = {
    "-m P@5,10 qrels run": "-m 10: a number is no measure; write several cutoffs as P.5,10 or P@5,P@10",
    "-m P@5,10,20 qrels run": (
        "-m 10,20: a number is no measure; write several cutoffs as P.5,10,20 or P@5,P@10,P@20"
    ),
    "-m nDCG@5,10 qrels run": (
        "-m 10: a number is no measure; write several cutoffs as ndcg_cut.5,10 or nDCG@5,nDCG@10"
    ),
    "-m P(rel=2)@5,10 qrels run": (
        "-m 10: a number is no measure; write several cutoffs as P(rel=2)@5,P(rel=2)@10"
    ),
    "-m map,10 qrels run": "-m 10: a number is no measure; write several cutoffs as P.5,10 or P@5,P@10",
    "-m ndcg.10 qrels run": "-m ndcg.10: found '10', expected key=number; did you mean ndcg_cut.10?",
    "-m ndcg10 qrels run": "-m ndcg10: no such measure; did you mean ndcg_cut.10?",
    "-m nDCG_10 qrels run": "-m nDCG_10: no such measure; did you mean ndcg_cut.10?",
    "-m ndcg_cut5,10 qrels run": "-m ndcg_cut5,10: no such measure; did you mean ndcg_cut.5,10?",
    "-m P10 qrels run": "-m P10: no such measure; did you mean P.10?",
    "-m map_10 qrels run": "-m map_10: no such measure; did you mean map_cut.10?",
    "--output a.docx qrels run": (
        "--output a.docx: no format has this ending, expected .csv, .tsv, .json, .jsonl, .md, .tex, .html or"
        " .parquet, or .txt for the lines of the screen"
    ),
    "compare -o a.XLSX qrels run run": (
        "--output a.XLSX: no format has this ending, expected .csv, .tsv, .json, .md, .tex or .html, or .txt"
        " for the lines of the screen"
    ),
    "explain --format html qrels run": (
        "--format html: expected one of table, json, csv, tsv, latex, markdown; for HTML write --style html,"
        " or -o FILE.html"
    ),
    "--format html qrels run": (
        "--format html: expected one of trec, table, csv, tsv, json, jsonl, latex, markdown; for HTML write"
        " --format table --style html, or --output FILE.html"
    ),
    "report --format html qrels run": (
        "--format html: expected one of text, json, csv; for a page in HTML write -o FILE.html"
    ),
    "--columns topic=Sache qrels strange.csv": (
        "--columns topic=Sache: no such heading, expected one of Vorgang, doc, wert (strange.csv)"
    ),
    "compare --columns topic=Sache qrels strange.csv strange.csv": (
        "--columns topic=Sache: no such heading, expected one of Vorgang, doc, wert (strange.csv)"
    ),
}


@pytest.mark.parametrize("command", MISTAKES)
def test_the_hint_names_what_was_meant(command: str, call: Command) -> None:
    Path("strange.csv").write_text("Vorgang;doc;wert\nq1;d1;3\nq2;d3;2\n")
    called = call(*shlex.split(command))
    assert (called.code, called.out, called.err) == (1, "", f"pres-eval: {MISTAKES[command]}\n")
    assert not list(Path().glob("a.*"))


def test_every_notation_with_cutoffs_has_names_that_can_be_typed() -> None:
    """A list behind @ is answered by texts of -m that are read."""
    answered = 0
    for name in (name for notation in NOTATIONS for name in notation.names[:1]):
        try:
            list(read_text(f"{name}@5,10", V9))
        except MeasureError as error:
            _, found, advice = str(error).partition("write several cutoffs as ")
            for text in advice.split(" or ") if found else ():
                assert len(list(read_text(text, V9))) == (1 if "@" not in text else 2)
                answered += 1
    assert answered > 5


@pytest.mark.parametrize("name", ["results", "a.txt", "a.out", "a.gz", "a.v2", "a.eval"])
def test_other_endings_have_the_lines_of_trec_eval(name: str, call: Command) -> None:
    call.ok("-m", "map", "--output", name, "qrels", "run")
    assert Path(name).read_text() == call.ok("-m", "map", "qrels", "run").out


def test_an_ending_may_be_any_where_the_format_is_named(call: Command) -> None:
    call.ok("-m", "map", "--format", "tsv", "--output", "a.xls", "qrels", "run")
    assert Path("a.xls").read_text().startswith("file\trun\t")


def test_lines_without_headings_are_read_whatever_columns_names(call: Command) -> None:
    Path("semicolons").write_text(RUN.replace(" d", " d;"))
    assert call("--columns", "topic=Sache", "-m", "num_ret", "qrels", "semicolons").code == 0


@pytest.mark.parametrize("command", ["compare", "report", "measures", "help", "check"])
def test_help_all_is_help_of_commands(command: str, call: Command) -> None:
    assert call.ok(command, "--help-all").out == call.ok(command, "--help").out
