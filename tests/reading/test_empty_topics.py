"""--empty: topics without relevant documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import InputError, UsageError
from pres_eval.report import records

QRELS = "1 0 a 1\n2 0 b 0\n3 0 c 1\n3 0 d 2\n4 0 e -1\n"
RUN = "1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n3 Q0 x 1 2 t\n3 Q0 d 2 1 t\n4 Q0 e 1 1 t\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return str(tmp_path / "qrels"), str(tmp_path / "run")


@pytest.mark.parametrize(
    ("rule", "maps", "summary"),
    [
        ("trec", [1.0, 0.0, 0.25, 0.0], 0.3125),
        ("zero", [1.0, 0.0, 0.25, 0.0], 0.3125),
        ("one", [1.0, 1.0, 0.25, 1.0], 0.8125),
        ("skip", [1.0, 0.25], 0.625),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no judgements:pres_eval.errors.PresEvalWarning")
def test_each_rule(
    files: tuple[str, str], command: Command, rule: str, maps: list[float], summary: float
) -> None:
    found = pe.evaluate(*files, ["map", "num_ret"], empty=rule)  # type: ignore[arg-type]
    assert found.per_topic("map").tolist() == maps and found["map"] == summary
    assert found["num_ret"] == (3 if rule == "skip" else 5)
    called = command("-m", "map", "--empty", rule, "--format", "json", *files)
    assert called.code == 0 and json.loads(called.out)["runs"][0]["summary"]["map"] == summary
    said = {
        "trec": "warning: {}: 2 of 4 topics have no relevant document: as in trec_eval they count, mostly",
        "zero": "note: {}: 2 of 4 topics have no relevant document: worth 0 (--empty zero)",
        "one": "note: {}: 2 of 4 topics have no relevant document: worth 1 (--empty one)",
        "skip": "note: {}: 2 of 4 topics have no relevant document: left out (--empty skip)",
    }[rule]
    assert said.format(files[0]) in called.err
    assert json.loads(called.out)["signature"]["options"].get("empty", "trec") == rule


def test_skip_is_what_is_left_of_the_files(files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "left").write_text("".join(line for line in QRELS.splitlines(True) if line[0] in "13"))
    for complete in (False, True):
        with pytest.warns(UserWarning, match="no judgements"):
            wanted = pe.evaluate(str(tmp_path / "left"), files[1], ["all_trec", "PRES"], complete=complete)
        found = pe.evaluate(*files, ["all_trec", "PRES"], empty="skip", complete=complete)
        assert found.summary == wanted.summary and found.to_dict() == wanted.to_dict()


def test_nothing_is_the_right_answer_to_a_topic_without_relevant_documents(
    files: tuple[str, str], command: Command, tmp_path: Path
) -> None:
    """With -c a run that retrieved nothing for such a topic is worth as much as one that did."""
    nothing = tmp_path / "nothing"
    nothing.write_text("".join(line for line in RUN.splitlines(True) if line[0] in "13"))
    for empty, summary in (("one", 0.8125), ("zero", 0.3125)):
        for run in (files[1], str(nothing)):
            found = pe.evaluate(files[0], run, "map", empty=empty, complete=True)  # type: ignore[arg-type]
            assert found["map"] == summary
        called = command("compare", "-c", "--empty", empty, "-m", "map", "--format", "json", *files, nothing)
        assert [row["mean"] for row in called.json["means"]] == [summary, summary]


def test_the_level_decides_and_less_may_be_better(files: tuple[str, str]) -> None:
    found = pe.evaluate(*files, ["map", "map(rel=2)", "norm_last_rel", "num_rel"], empty="one", num_docs=10)
    assert found.per_topic("map(rel=2)").tolist() == [1.0, 1.0, 0.5, 1.0]
    assert found.per_topic("norm_last_rel")[[1, 3]].tolist() == [0.0, 0.0]
    assert found.per_topic("num_rel").tolist() == [1, 0, 2, 0]
    assert pe.evaluate(*files, "map", empty="one", level=2).per_topic("map").tolist() == [1.0, 1.0, 0.5, 1.0]


def test_an_error_names_a_topic(files: tuple[str, str], command: Command) -> None:
    called = command("--empty", "error", *files)
    assert called.code == 2 and "2 of 4 topics without a relevant document, such as '2'" in called.err
    with pytest.raises(InputError, match="2 of 4 topics without a relevant document"):
        pe.evaluate(*files, "map", empty="error")
    with pytest.raises(UsageError, match="empty='maybe': expected one of trec, zero, skip, error, one"):
        pe.evaluate(*files, "map", empty="maybe")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no topic has a relevant document"):
        pe.evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "map", empty="skip")


def test_other_judgements_are_refused(tmp_path: Path, command: Command) -> None:
    (tmp_path / "prefs").write_text("1 0 A a 1.0\n1 0 A b 2.0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    called = command(
        "-R", "prefs", "-m", "prefs_simp", "--empty", "zero", tmp_path / "prefs", tmp_path / "run"
    )
    assert called.code == 1 and "--empty: expected judgements in the format qrels" in called.err


@pytest.mark.parametrize(
    ("lines", "rightly"),
    [
        (RUN, 0),
        ("1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n", 1),
        ("1 Q0 a 1 2 t\n", 2),
        ("1 Q0 a 1 2 t\n3 Q0 d 1 1 t\n", 2),
    ],
)
@pytest.mark.parametrize("complete", [[], ["-c"]])
def test_rate_of_topics_without_an_answer(
    lines: str, rightly: int, complete: list[str], files: tuple[str, str], command: Command
) -> None:
    """Of topics 2 and 4, for how many nothing was retrieved; whether or not they are averaged over."""
    Path(files[1]).write_text(lines)
    called = command("--empty", "one", *complete, "-m", "map", "--format", "json", *files)
    said = f"nothing retrieved for {rightly} of 2 topics without a relevant document ({rightly / 2:.4f})"
    assert f"pres-eval: note: {files[1]}: {said}\n" in called.err
    found = called.json["runs"][0]["no_answers"]
    assert found == {"topics": 2, "nothing_retrieved": rightly, "rate": rightly / 2}
    schema = json.loads(
        Path(records.__file__).with_name("evaluation.schema.json").read_text(encoding="utf-8")
    )
    pytest.importorskip("jsonschema").validate(called.json, schema)
    for rule in ("trec", "skip"):
        without = command("--empty", rule, *complete, "-m", "map", "--format", "json", *files)
        assert "nothing retrieved" not in without.err and "no_answers" not in without.json["runs"][0]
    assert "nothing retrieved" not in command("--quiet", "--empty", "one", *complete, *files).err


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize("rule", ["zero", "one"])
def test_a_topic_alone_is_worth_what_it_is_among_all(
    command: Command, tmp_path: Path, compat: str, rule: str
) -> None:
    """Topic 5 has no relevant document, and the run lacks it: -D n.5 prints its lines of the whole run."""
    (tmp_path / "qrels").write_text("1 0 a 1\n5 0 a 0\n6 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 0 1 t\n6 Q0 c 0 1 t\n")
    options = ("--quiet", "--compat", compat, "-c", "--empty", rule, "-q", "-m", "P.5", "-m", "num_ret")
    files = tmp_path / "qrels", tmp_path / "run"
    lines = command.ok(*options, *files).out.splitlines()
    for topic in ("1", "5", "6"):
        alone = command.ok("-D", f"1.{topic}", *options, *files).out.splitlines()
        assert alone[:-2] == [line for line in lines if line.split()[1] == topic]
