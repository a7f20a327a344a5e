"""What a class of beginners does wrong: each mistake gets a hint that helps."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import pytest
from support.commands import Command

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 1\nq2 0 d4 0\n"
RUN = "q1 Q0 d1 1 3.5 bm25\nq1 Q0 d2 2 2.5 bm25\nq2 Q0 d4 1 2.1 bm25\nq2 Q0 d1 2 1.1 bm25\n"


def columns(text: str, *order: int) -> str:
    """The lines with their columns in another order."""
    rows = (line.split() for line in text.splitlines())
    return "".join(" ".join(row[place] for place in order) + "\n" for row in rows)


def quoted(text: str) -> str:
    return "".join(" ".join(f'"{word}"' for word in line.split()) + "\n" for line in text.splitlines())


DISTANCES = "q1 Q0 d1 1 0.1 t\nq1 Q0 d2 2 0.2 t\nq2 Q0 d4 1 0.1 t\nq2 Q0 d1 2 0.3 t\n"
WHOLE = RUN.replace("3.5", "3").replace("2.5", "2").replace("2.1", "2").replace("1.1", "1")
SHUFFLED = (
    "q1 Q0 d3 0.7 3 t\nq1 Q0 d1 0.9 1 t\nq1 Q0 d2 0.8 2 t\n"
    "q2 Q0 d1 0.6 2 t\nq2 Q0 d4 0.7 1 t\nq2 Q0 d2 0.5 3 t\n"
)
TABLE = "topic,docno,rank,score\nq1,d1,0.9,1\nq1,d2,0.8,2\nq2,d4,0.7,1\nq2,d1,0.6,2\n"

MISTAKES: dict[str, tuple[str, str | bytes, str]] = {
    "the files in the wrong order": ("run qrels", "", "were the two files swapped?"),
    "semicolons, judgements alone": (
        "check x", QRELS.replace(" ", ";"), "separated by semicolons, not by blanks or tabs: pres-eval"
        " convert x --columns topic=1,docno=3,grade=4 --to qrels > NEW",
    ),
    "no iteration, judgements alone": (
        "check x", columns(QRELS, 0, 2, 3), "if these are judgements: the iteration is missing: pres-eval"
        " convert x --columns topic=1,docno=2,grade=3 --to qrels > NEW",
    ),
    "no iteration, one document a topic, judgements alone": (
        "check x", "q1 d1 1\nq2 d4 1\n", "all ranks are 1; if these are judgements: the iteration is missing:"
    ),
    "no iteration and commas, judgements alone": (
        "check x", columns(QRELS, 0, 2, 3).replace(" ", ","), "if these are judgements: the columns are"
        " separated by commas",
    ),
    "check of iteration and relevance exchanged": (
        "check x", columns(QRELS, 0, 3, 2, 1), "are iteration and relevance exchanged? pres-eval convert x"
        " --columns topic=1,docno=3,grade=2 --to qrels > NEW reads them so",
    ),
    "check of docno before topic in judgements": (
        "check x run", columns(QRELS, 2, 1, 0, 3), "topics of run are documents of x: are topic and docno"
    ),
    "check of docno before topic in a run": (
        "check qrels x", columns(RUN, 2, 1, 0, 3, 4, 5), "topics of x are documents of qrels: are topic"
    ),
    "the run twice": ("run run", "", "this looks like a run; were the two files swapped?"),
    "the judgements twice": ("qrels qrels", "", "this looks like judgements; were the two files swapped?"),
    "docno before topic in judgements": (
        "x run", columns(QRELS, 2, 1, 0, 3), "topics of run are documents of x: are topic and docno exchanged"
    ),
    "docno before topic in a run": (
        "qrels x", columns(RUN, 2, 1, 0, 3, 4, 5), "topics of x are documents of qrels: are topic and docno"
    ),
    "relevance before docno": (
        "x run", columns(QRELS, 0, 1, 3, 2), "docno and relevance are exchanged: pres-eval convert x"
    ),
    "iteration last": (
        "x run", columns(QRELS, 0, 2, 3, 1), "the docnos are numbers such as '1': is the third column the"
    ),
    "docno before iteration": (
        "x run", columns(QRELS, 0, 2, 1, 3), "is the third column the docno (topic iteration"
    ),
    "score before rank, two documents a topic": (
        "qrels x", columns(RUN, 0, 1, 2, 4, 3, 5), "the rank column has '3.5': are rank and score exchanged?"
    ),
    "whole scores before ranks": (
        "qrels x", columns(WHOLE, 0, 1, 2, 4, 3, 5), "the rank column has '3': are rank and score exchanged?"
    ),
    "check of exchanged whole scores": (
        "check qrels x", columns(WHOLE, 0, 1, 2, 4, 3, 5), "rank-is-score"
    ),
    "score before rank, not sorted": (
        "qrels x", SHUFFLED, "scores are 1, 2, 3 ..., as ranks are, and the rank column has '0.7': are rank"
    ),
    "check of score before rank, not sorted": ("check qrels x", SHUFFLED, "rank-is-score"),
    "whole scores before ranks, not sorted": (
        "qrels x", SHUFFLED.replace("0.", ""), "the rank column has '7': are rank and score exchanged?"
    ),
    "check of whole scores before ranks, not sorted": (
        "check qrels x", SHUFFLED.replace("0.", ""), "rank-is-score"
    ),
    "score before rank, topics mixed": (
        "qrels x", "\n".join(sorted(SHUFFLED.splitlines(), key=lambda line: line.split()[2])) + "\n",
        "the rank column has '0.9': are rank and score exchanged?",
    ),
    "headings rank and score exchanged": (
        "qrels x", TABLE, "the rank column has 0.9: are rank and score exchanged?"
    ),
    "check of headings exchanged": ("check qrels x", TABLE, "are rank and score exchanged?"),
    "headings exchanged, decimal commas": (
        "qrels x", TABLE.replace(",", ";").replace(".", ","), "are rank and score exchanged?"
    ),
    "headings exchanged, whole scores": (
        "qrels x", TABLE.replace("0.", ""), "the rank column has 9: are rank and score exchanged?"
    ),
    "headings exchanged, not sorted": (
        "qrels x", "topic,docno,rank,score\n" + "".join(sorted(TABLE.splitlines(True)[1:], reverse=True)),
        "are rank and score exchanged?",
    ),
    "distances, two documents a topic": ("qrels x", DISTANCES, "are these distances?"),
    "distances, the last rank first": (
        "qrels x", "".join(f"{line}\n" for line in DISTANCES.splitlines()[::-1]), "are these distances?"
    ),
    "check of distances": ("check qrels x", DISTANCES, "rank-disagrees"),
    "scores that are ranks": ("qrels x", columns(RUN, 0, 1, 2, 3, 3, 5), "are these distances?"),
    "all scores 0": (
        "qrels x", RUN.replace("3.5", "0").replace("2.5", "0").replace("2.1", "0").replace("1.1", "0"),
        "by how they are ordered (--ties)",
    ),
    "commas": ("qrels x", RUN.replace(" ", ","), "separated by commas, not by blanks or tabs: "),
    "semicolons": ("x run", QRELS.replace(" ", ";"), "separated by semicolons, not by blanks or tabs: "),
    "bars": ("qrels x", RUN.replace(" ", "|"), "separated by bars, not by blanks or tabs: pres-eval"),
    "decimal commas": ("qrels x", RUN.replace(".", ","), "the numbers have decimal commas: pres-eval"),
    "a heading in a run": ("qrels x", "qid Q0 docno rank score tag\n" + RUN, "line 1 looks like a header"),
    "a heading in judgements": ("x run", "topic iter docno rel\n" + QRELS, "line 1 looks like a header"),
    "words in quotation marks": ("x run", quoted(QRELS), """in quotation marks: tr -d '"' < x > NEW"""),
    "a run in quotation marks": ("qrels x", quoted(RUN), """in quotation marks: tr -d '"' < x > NEW"""),
    "a document twice": ("qrels x", RUN + "q1 Q0 d1 3 1 bm25\n", "--duplicates best or --duplicates first"),
    "padded topics": ("qrels x", RUN.replace("q", "q0"), "would match without leading zeros"),
    "documents in capitals": ("qrels x", RUN.replace(" d", " D"), "would match judged ones without case"),
    "topics without their prefix": ("qrels x", RUN.replace("q", ""), "the ids written alike?"),
    "no iteration": ("x run", columns(QRELS, 0, 2, 3), "the iteration is missing: pres-eval convert x"),
    "no relevance": ("x run", columns(QRELS, 0, 2), "if all of these documents are relevant: pres-eval"),
    "topic, docno, score": ("qrels x", columns(RUN, 0, 2, 4), "Q0, rank and tag are missing: pres-eval"),
    "a binary file": ("qrels x", bytes(range(256)), "a NUL byte, expected text"),
    "an empty file": ("x run", "", "x: the file is empty, expected lines of text"),
    "a folder": ("qrels folder", "", "folder: is a directory with 'notes', expected a readable file"),
    "a wrong path": ("qrels runn", "", "runn: no such file, expected a readable file"),
    "a single file": ("qrels", "", "(pres-eval -h shows the most used, --help-all all)"),
    "a measure without -m": ("qrels run ndcg_cut.10", "", "no such file, but a measure: type  -m ndcg_cut"),
    "a misspelt measure": ("-m ngcd qrels run", "", "no such measure; did you mean"),
    "a level in words": ("-l one qrels run", "", "-l: found 'one', expected a number of at least 0"),
    "grades in words": (
        "x run", QRELS.replace(" 1\n", " yes\n").replace(" 2\n", " yes\n").replace(" 0\n", " no\n"),
        "give each its number with --grades yes=NUMBER,no=NUMBER",
    ),
    "blanks in docnos": ("qrels x", RUN.replace(" d1 ", " doc 1 "), "wrong if an id has a blank in it"),
    "a dict as Python prints it": ("qrels x", str({"q1": {"d1": 3.5}}), "not JSON: write it with json.dump"),
    "XML": ("qrels x", "<run><query id='q1'/></run>\n", "this looks like XML, which is not read"),
    "a score that is none": ("qrels x", RUN.replace("3.5", "NaN"), "x:1: score 'NaN', expected a number"),
}  # fmt: skip


@pytest.fixture
def call(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    Path("folder").mkdir()
    Path("folder/notes").write_text("x\n")
    return Command(capfdbinary)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_a_hint(mistake: str, call: Command) -> None:
    command, data, hint = MISTAKES[mistake]
    Path("x").write_bytes(data if isinstance(data, bytes) else data.encode())
    called = call(*shlex.split(command))
    assert hint in called.err + called.out


@pytest.mark.parametrize("data", ["\ufeff" + RUN, gzip.compress(RUN.encode())], ids=["mark", "gzip"])
def test_what_is_no_mistake(data: str | bytes, call: Command) -> None:
    """A byte order mark, and a compressed file without the ending of one."""
    Path("x").write_bytes(data if isinstance(data, bytes) else data.encode())
    expected = call.ok("-m", "map", "qrels", "run").out
    assert call.ok("-m", "map", "qrels", "x").out == expected


@pytest.mark.parametrize("ranks", ["least first", "from 0", "all 0"])
def test_runs_in_the_order_of_their_scores_are_right(ranks: str, call: Command) -> None:
    """Whole scores that rise by 1 are no ranks where the ranks count down to the first, or are not used."""
    rows = [(topic, place) for topic in ("q1", "q2") for place in (3, 2, 1)]
    rank_of = {"least first": (1, 2, 3), "from 0": (0, 1, 2), "all 0": (0, 0, 0)}[ranks]
    Path("x").write_text("".join(f"{t} Q0 d{p} {rank_of[p - 1]} {4 - p} t\n" for t, p in rows))
    assert "exchanged" not in call("qrels", "x").err
    assert "rank-is-score" not in call("check", "qrels", "x").out


GENUINE = {
    "whole scores": "q1 Q0 d2 2 2 t\nq1 Q0 d1 1 3 t\nq1 Q0 d3 3 1 t\nq2 Q0 d1 2 1 t\nq2 Q0 d4 1 2 t\n",
    "ranks with decimals": "q1 Q0 d2 2.0 2 t\nq1 Q0 d1 1.0 3 t\nq1 Q0 d3 3.0 1 t\n",
    "ranks 0": "q1 Q0 d2 0 2 t\nq1 Q0 d1 0 3 t\nq1 Q0 d3 0 1 t\n",
    "ranks of a longer run": "q1 Q0 d2 4 2 t\nq1 Q0 d1 1 3 t\nq1 Q0 d3 9 1 t\n",
    "a table": "topic,docno,rank,score\nq1,d1,1,3\nq1,d2,2,2\nq1,d3,3,1\nq2,d4,1,2\nq2,d1,2,1\n",
    "a table with ranks 0": "topic,docno,rank,score\nq1,d1,0,3\nq1,d2,0,2\nq1,d3,0,1\n",
    "a table of distances": "topic,docno,rank,score\nq1,d1,1,2\nq1,d2,2,4\nq1,d3,3,8\n",
    "a table with one row": "topic,docno,rank,score\nq1,d1,0.5,1\n",
}


@pytest.mark.parametrize("case", GENUINE)
def test_whole_scores_beside_ranks_are_not_exchanged(case: str, call: Command) -> None:
    Path("x").write_text(GENUINE[case])
    assert "exchanged" not in call("qrels", "x").err
    assert "rank and score" not in call("check", "qrels", "x").out


@pytest.mark.parametrize("is_json", [False, True])
def test_scores_that_an_option_names_are_not_compared_with_themselves(is_json: bool, call: Command) -> None:
    text = TABLE
    if is_json:
        headings, *rows = (line.split(",") for line in TABLE.splitlines())
        records = [dict(zip(headings, [*row[:2], *map(float, row[2:])], strict=True)) for row in rows]
        text = json.dumps(records)
    Path("x").write_text(text)
    called = call("qrels", "x", "--columns", "score=rank")
    assert called.code == 0 and "warning" not in called.err
    assert "are rank and score exchanged?" in call("qrels", "x").err


def test_good_judgements_are_not_taken_for_exchanged(call: Command) -> None:
    """Grades that are all 0 beside iterations that are all 0, and scores of three columns with decimals."""
    Path("x").write_text(QRELS.replace(" 1\n", " 0\n").replace(" 2\n", " 0\n"))
    assert "exchanged" not in call("check", "x").out
    Path("x").write_text(columns(RUN, 0, 2, 4))
    assert "judgements" not in call("check", "x").out


QUERIES = {
    "semicolons": "q1;eine Frage\nq2;noch, eine\n",
    "semicolons, with a heading": "qid;text\nq1;eine Frage\nq2;noch, eine\n",
    "commas": 'qid,query\nq1,eine Frage\nq2,"noch, eine"\n',
    "columns": 'id,lang,title\nq1,de,eine Frage\nq2,de,"noch, eine"\n',
    "a list in JSON": json.dumps(
        [{"qid": "q1", "query": "eine Frage"}, {"qid": "q2", "query": "noch, eine"}]
    ),
    "blanks": "q1 eine Frage\nq2 noch, eine\n",
}


@pytest.mark.parametrize("kind", QUERIES)
def test_queries_as_people_have_them(kind: str, call: Command) -> None:
    Path("queries").write_text(QUERIES[kind])
    called = call("report", "qrels", "run", "--queries", "queries", "--output", "page.html", "--quiet")
    assert called.code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "eine Frage" in page and "noch, eine" in page and ";eine" not in page
