"""Judgements of several assessors as one file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.judging import JOINING_RULES, disagreements, merged_grades, side_by_side
from pres_eval.library.data import read_judgements
from pres_eval.reading.judgements.relevance import QrelsJudgements


def plain(grades: list[int], rule: str) -> float:
    """The merged grade of one document, as the help says it."""
    said = [grade for grade in grades if grade >= 0] or grades
    if rule == "first":
        return said[0]
    if rule == "highest":
        return max(said)
    if rule == "mean":
        return sum(said) / len(said)
    times = Counter(said)
    return next(grade for grade in said if times[grade] == max(times.values()))


JUDGE = st.dictionaries(
    st.sampled_from("12"),
    st.dictionaries(st.sampled_from("abcd"), st.integers(-2, 3), min_size=1),
    min_size=1,
)


@given(st.lists(JUDGE, min_size=2, max_size=4), st.sampled_from(JOINING_RULES))
def test_each_rule_document_by_document(judges: list[dict[str, dict[str, int]]], rule: str) -> None:
    read = [read_judgements(judge, "qrels", None, 1) for judge in judges]
    judged = side_by_side([each for each in read if isinstance(each, QrelsJudgements)], every_topic=True)
    grades, differing = merged_grades(judged, rule), set(disagreements(judged).tolist())
    every = {(topic, document) for judge in judges for topic in judge for document in judge[topic]}
    assert len(grades) == len(every)
    for place, grade in enumerate(grades.tolist()):
        topic = judged.pool.topics[int(judged.pool.topic_of[place])].decode()
        document = judged.pool.documents[place].decode()
        found = [judge[topic][document] for judge in judges if document in judge.get(topic, {})]
        assert grade == plain(found, rule)
        assert (place in differing) == (len({each for each in found if each >= 0}) > 1)


FILES = {
    "anna": "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 x 1\n",
    "ben": "1 0 a 1\n1 0 b 1\n1 0 c 0\n1 0 d -1\n",
    "cora": "3 0 z 1\n1 0 a 0\n1 0 c 1\n1 0 d 2\n",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    return list(FILES)


@pytest.mark.parametrize(
    ("rule", "grades"),
    [("majority", "1 0 2"), ("first", "1 0 2"), ("highest", "1 1 2"), ("mean", "0.6666666666666666 0.5 1")],
)
def test_the_file_and_the_list_of_disagreements(
    rule: str, grades: str, files: list[str], call: Command
) -> None:
    called = call("merge", *files, "--rule", rule, "--disagreements", "differ.tsv")
    a, b, c = grades.split()
    rest = "1 0 d 2\n2 0 x 1\n3 0 z 1\n"
    assert (called.code, called.out) == (0, f"1 0 a {a}\n1 0 b {b}\n1 0 c {c}\n{rest}")
    said = "6 documents of 3 topics; 3 judged more than once, 3 of these with different grades"
    assert called.err == f"pres-eval: note: {said}\n"
    short = f"{float(a):.12g}"
    assert Path("differ.tsv").read_text() == (
        "topic\tdocno\tanna\tben\tcora\tmerged\n"
        f"1\ta\t1\t1\t0\t{short}\n1\tb\t0\t1\t-\t{b}\n1\tc\t2\t0\t1\t{c}\n"
    )
    alone = call("merge", *files, "--rule", rule, "--output", "merged")
    assert alone.err == f"pres-eval: note: {said} (--disagreements FILE lists them)\n"
    assert Path("merged").read_text() == called.out


def test_ids_of_the_list_are_no_formulas(call: Command, tmp_path: Path) -> None:
    for name, grade in (("one", 1), ("two", 2)):
        (tmp_path / name).write_text(f"=1+1 0 @sum 0\n=1+1 0 @sum2 {grade}\n")
    call("merge", tmp_path / "one", tmp_path / "two", "--disagreements", tmp_path / "list")
    assert (tmp_path / "list").read_text().splitlines()[1:] == ["'=1+1\t'@sum2\t1\t2\t1"]


def test_equal_judgements_stay_as_they_are(call: Command, tmp_path: Path) -> None:
    merged = tmp_path / "merged"
    merged.write_text(call.ok("merge", QRELS, QRELS, QRELS, "--quiet").out)
    assert call.ok("-q", merged, RUNS[0]).out == call.ok("-q", QRELS, RUNS[0]).out


def test_mistakes(files: list[str], call: Command) -> None:
    Path("twice").write_text("1 0 a 1\n1 0 a 2\n")
    called = call("merge", "anna", "twice")
    assert (called.code, called.out) == (2, "")
    assert called.err == (
        "pres-eval: twice:2: document 'a' a second time (first in line 1),"
        " expected one judgement per document and topic\n"
    )
    assert call("merge", "-", "-").err == "pres-eval: standard input (-) can be one file only\n"
    assert call("merge", "anna").err == (
        "pres-eval: anna: no document has several judgements, expected more files\n"
    )


@pytest.mark.parametrize("rule", JOINING_RULES)
def test_one_file_of_several_assessors(rule: str, files: list[str], call: Command) -> None:
    """What the error of an evaluation names: the second judgement of a document is a second assessor's."""
    Path("all").write_text("".join(FILES.values()))
    Path("run").write_text("1 Q0 a 1 1 t\n")
    stopped = call("all", "run")
    assert stopped.err.endswith("; pres-eval merge FILE > NEW makes one judgement of several\n")
    merged = call("merge", "all", "--rule", rule)
    assert merged.out == call("merge", *files, "--rule", rule).out
    assert "6 documents of 3 topics; 3 judged more than once" in merged.err


@pytest.mark.parametrize("line", ["1 0 a 0.5", "1 0 a 2 1"])
def test_no_error_advises_an_option_that_the_command_lacks(
    line: str, files: list[str], call: Command
) -> None:
    Path("other").write_text(f"{line}\n")
    Path("run").write_text("1 Q0 a 1 1 t\n")
    assert "-R" in call("other", "run").err
    for command in (["merge", *files, "other"], ["pool", "run", "--judged", "other"]):
        called = call(*command)
        assert called.code == 2 and called.err.startswith("pres-eval: other:1: ") and "-R" not in called.err


@pytest.mark.parametrize(("name", "begins"), [("m.csv", "query_id,doc_id,"), ("m.json", "{"), ("m", "1 0 a")])
def test_the_ending_sets_the_format(name: str, begins: str, files: list[str], call: Command) -> None:
    call.ok("merge", "--quiet", *files, "--output", name)
    assert Path(name).read_text().startswith(begins)


def test_a_third_judge_among_the_runs_is_recognised(files: list[str], call: Command) -> None:
    called = call("judges", *files, RUNS[0])
    assert (called.code, called.out) == (2, "")
    assert called.err.endswith("; this looks like judgements: name a third judge with --judge cora\n")


def test_a_third_judge_is_in_all_tables(call: Command, tmp_path: Path) -> None:
    """Each table has the rows of every judge beside the first, as two judges alone have them."""
    text = Path(QRELS).read_text()
    strict, lax = tmp_path / "strict", tmp_path / "lax"
    strict.write_text(text.replace(" 1\n", " 0\n"))
    lax.write_text(text.replace(" 2\n", " 1\n"))
    rest = (*RUNS, "-m", "map", "--quiet", "--format", "json", "--group", "one", "key*")
    every = call.ok("judges", QRELS, strict, "--judge", lax, *rest).json
    alone = {str(judge): call.ok("judges", QRELS, judge, *rest).json for judge in (strict, lax)}
    for name in ("grades", "topics", "orders", "swaps", "runs", "topic_changes", "groups"):
        assert every[name] == [{"judge": judge, **row} for judge in alone for row in alone[judge][name]]
        assert every[name]
    rows = [{"judge": judge, **row} for judge in alone for row in alone[judge]["agreement"]]
    assert every["agreement"][: len(rows)] == rows
    assert [row["judge"] for row in every["agreement"][len(rows) :]] == ["all"] * 3
    shown = call.ok("judges", QRELS, strict, "--judge", lax, "--quiet").out
    assert shown.startswith(f"Agreement of {QRELS} and each other judge\n")
    assert "\nall " in shown


def test_one_document(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("all").write_text("1 0 a 1\n1 0 a 0\n")
    assert "note: 1 document of 1 topic; 1 judged more than once" in call("merge", "all").err


def test_gains_with_decimals_cannot_be_merged(
    call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the error of an evaluation does not name the command."""
    monkeypatch.chdir(tmp_path)
    Path("all").write_text("1 0 a 1.5\n1 0 a 0.5\n")
    Path("run").write_text("1 Q0 a 1 1 t\n")
    assert "merge" not in call("-R", "qrels_float", "all", "run").err
