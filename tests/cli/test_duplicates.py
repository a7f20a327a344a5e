"""--duplicates: a run with documents twice gives what the same run without the others gives, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import Command
from support.in_splits import InSplits
from support.rankings import ranked_by

import pres_eval as pe
from pres_eval.errors import InputError, UsageError
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File

Row = tuple[str, str, float]
MEASURES = ["num_ret", "map", "P.2", "recip_rank", "ndcg"]
QRELS = "".join(f"t{topic} 0 d{number} {number % 3}\n" for topic in range(3) for number in range(4))


def text_of(rows: Sequence[Row]) -> str:
    return "".join(f"{topic} Q0 {docno} 0 {score!r} tag\n" for topic, docno, score in rows)


def deduplicated(rows: Sequence[Row], rule: str) -> list[Row]:
    """The rows that count, by plain loops."""
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        before = kept.get(row[:2])
        if before is None or (rule == "best" and row[2] > before[2]):
            kept[row[:2]] = row
    return list(kept.values())


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["t0", "t1", "t2", "unjudged"]),
        st.sampled_from([f"d{number}" for number in range(7)]),
        st.sampled_from([1.0, 2.0, 2.5, 16777216.0, 16777217.0, -3.0]),
    ),
    min_size=1,
    max_size=40,
)


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
@settings(deadline=None, max_examples=60)
@given(rows=ROWS, together=st.booleans(), rule=st.sampled_from(["first", "best"]),
       compat=st.sampled_from(["9.0.8", "10.0"]), most=st.sampled_from([None, 2]))  # fmt: skip
def test_the_same_as_without_the_others(
    rows: list[Row],
    together: bool,
    rule: str,
    compat: str,
    most: int | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    rows = [("t0", "d1", 0.5), *rows]
    if together:
        rows.sort(key=lambda row: row[0])
    folder = tmp_path_factory.mktemp("duplicates")
    (folder / "qrels").write_text(QRELS)
    (folder / "run").write_text(text_of(rows))
    (folder / "plain").write_text(text_of(deduplicated(rows, rule)))
    qrels = pe.Qrels(str(folder / "qrels"))
    found = qrels.rank(str(folder / "run"), compat=compat, max_retrieved=most, duplicates=rule)  # type: ignore[arg-type]
    wanted = qrels.rank(str(folder / "plain"), compat=compat, max_retrieved=most)  # type: ignore[arg-type]
    table = {key: [row[place] for row in rows] for place, key in enumerate(("query_id", "doc_id", "score"))}
    columns = qrels.rank(table, compat=compat, max_retrieved=most, duplicates=rule)  # type: ignore[arg-type]
    lines = wanted.evaluate(MEASURES).to_trec(per_topic=True)
    assert found.evaluate(MEASURES).to_trec(per_topic=True) == lines
    assert columns.evaluate(MEASURES).to_trec(per_topic=True) == lines
    judged = [row for row in rows if row[0] != "unjudged"]
    dropped = len(judged) - len(deduplicated(judged, rule))
    assert found.ranking.num_dropped == columns.ranking.num_dropped == dropped


@pytest.fixture
def twice(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 0 1 t\n1 Q0 b 0 4 t\n1 Q0 a 0 9 t\n")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def test_what_is_said(call: Command, twice: tuple[str, str]) -> None:
    called = call("-m", "recip_rank", *twice)
    assert called.code == 2 and "document 'a' of topic '1' again (first in line 1)" in called.err
    for rule, value, kept in (("first", "0.5000", "the first line"), ("best", "1.0000", "the best score")):
        called = call("--duplicates", rule, "-m", "recip_rank", *twice)
        assert (called.code, called.out) == (0, f"recip_rank            \tall\t{value}\n")
        assert called.err == (
            f"pres-eval: warning: {twice[1]}: 1 line was dropped: topics have their documents twice, {kept}"
            f" counts (--duplicates {rule})\n"
        )
    record = call("--quiet", "--duplicates", "best", "--format", "json", "-m", "map", *twice).json
    assert record["runs"][0]["dropped"] == 1
    assert record["signature"]["options"]["duplicates"] == "best"


def test_the_first_line_that_repeats_a_document_is_named(call: Command, twice: tuple[str, str]) -> None:
    """Not the one whose document came first: an editor stops at the line, and the topics may be anywhere."""
    Path(twice[1]).write_text("1 Q0 a 1 9 t\n2 Q0 b 1 9 t\n2 Q0 b 2 8 t\n1 Q0 a 2 7 t\n")
    Path(twice[0]).write_text("1 0 a 1\n2 0 b 1\n")
    error = call("-m", "map", *twice).err
    assert f"{twice[1]}:3: document 'b' of topic '2' again (first in line 2)" in error


def test_several_lines_are_counted(call: Command, twice: tuple[str, str]) -> None:
    run = Path(twice[1])
    run.write_text(run.read_text() * 2)
    assert "4 lines were dropped" in call("--duplicates", "first", "-m", "map", *twice).err


def test_judgements_have_no_such_choice(call: Command, twice: tuple[str, str]) -> None:
    Path(twice[0]).write_text("1 0 a 1\n1 0 a 0\n")
    called = call("--duplicates", "first", "-m", "map", *twice)
    assert called.code == 2 and "a second judgement of document 'a'" in called.err


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
def test_rules_that_do_not_exist(twice: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="duplicates='last': expected one of error, first, best"):
        pe.evaluate(*twice, "map", duplicates="last")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="again"):
        pe.evaluate(*twice, "map")
    assert pe.evaluate(*twice, "map", duplicates="best")["map"] == 1.0


@pytest.mark.parametrize("rule", ["first", "best"])
@pytest.mark.parametrize("size", [1, 40, 1 << 20])
def test_splits_give_the_same(rule: str, size: int, twice: tuple[str, str]) -> None:
    """However small they are."""
    judged = pe.Qrels(twice[0]).relevance
    options = Options(duplicates=rule)
    found = ranked_by(InSplits(size), twice[1], judged, options)
    expected = read_run(File(twice[1]), judged, options)
    assert found.num_dropped == expected.num_dropped > 0
    assert (
        found.rank.tolist() == expected.rank.tolist() and found.num_ret.tolist() == expected.num_ret.tolist()
    )


def test_dropped_lines_are_counted_in_topics_of_another_order_too(call: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n2 0 b 1\n")
    run.write_text("2 Q0 b 0 3 t\n2 Q0 b 0 2 t\n1 Q0 a 0 3 t\n1 Q0 a 0 2 t\n")
    called = call("--duplicates", "first", "-m", "map", qrels, run)
    assert called.code == 0 and "2 lines were dropped" in called.err
