"""The differences from trec_eval that are meant, in the order of cli.help.DIFFERENCES."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import conftest
import pytest
from support import commands

from pres_eval.cli.help import DIFFERENCES

VERSIONS = ("9.0.8", "10.0")
QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 3.0 tag\nq1 Q0 b 2 2.0 tag\nq1 Q0 c 3 1.0 tag\nq2 Q0 b 1 2.0 tag\nq2 Q0 a 2 1.0 tag\n"

Evaluate = Callable[..., commands.Called]


@pytest.fixture
def evaluate(call: commands.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """Evaluate judgements and a run given as text: the files are called qrels and run."""
    monkeypatch.chdir(tmp_path)

    def evaluate_text(*options: str, qrels: str = QRELS, run: str = RUN) -> commands.Called:
        Path("qrels").write_text(qrels, encoding="utf-8")
        Path("run").write_text(run, encoding="utf-8")
        return call(*options, "qrels", "run")

    return evaluate_text


def lines(called: commands.Called) -> dict[tuple[str, str], str]:
    """The printed lines: (label, topic) -> value."""
    rows = [line.split("\t") for line in called.out.splitlines()]
    return {(label.strip(), topic): value for label, topic, value in rows}


@pytest.mark.parametrize("version", VERSIONS)
def test_missing_topics_are_left_out(evaluate: Evaluate, version: str) -> None:
    only_first = "".join(RUN.splitlines(keepends=True)[:3])
    called = evaluate("--compat", version, "-m", "num_q", "-m", "map", run=only_first)
    assert called.code == 0
    assert lines(called)["num_q", "all"] == "1"
    assert "1 of 2 topics of qrels is not in the run" in called.err
    assert "-c counts it as 0" in called.err


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS, RUN.replace("2.0", "abc", 1), "run:2: score 'abc', expected a number"),
        (QRELS, RUN.replace("2.0", "12abc", 1), "run:2: score '12abc', expected a number"),
        (QRELS, RUN.replace("2.0", "nan", 1), "run:2: score 'nan', expected a number"),
        (
            QRELS.replace("b 0", "b 1.7"),
            RUN,
            "qrels:2: relevance '1.7', expected an integer;"
            " gains with decimals can be read with -R qrels_float",
        ),
        (QRELS.replace("b 0", "b abc"), RUN, "qrels:2: relevance 'abc', expected an integer"),
    ],
)
def test_numbers_that_are_none(evaluate: Evaluate, version: str, qrels: str, run: str, message: str) -> None:
    called = evaluate("--compat", version, qrels=qrels, run=run)
    assert (called.code, called.out) == (2, "")
    assert called.err == f"pres-eval: {message}\n"


def test_infinity_is_a_number(evaluate: Evaluate) -> None:
    called = evaluate("-m", "map", run=RUN.replace("2.0", "inf", 1))
    assert (called.code, called.err) == (0, "")
    # b is first of q1 now: (1/2 + 2/3) / 2, and 1/2 for q2.
    assert called.out == "map                   \tall\t0.5417\n"


def test_more_than_six_columns(evaluate: Evaluate) -> None:
    run = RUN.replace("q1 Q0 b 2 2.0 tag", "q1 Q0 b x 2 9.0 tag").replace(
        "q1 Q0 c 3 1.0 tag", "q1 Q0 c y 3 8.0 tag"
    )
    called = evaluate("-m", "map", "-q", run=run)
    assert called.code == 0
    # The rank, 2 and 3, is read as the score: c comes before b, ties with a, and follows it in byte order.
    assert lines(called)["map", "q1"] == "1.0000"
    assert called.err.count("warning") == 1
    assert called.err.startswith("pres-eval: warning: run:2: more than 6 columns")


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS, RUN + "q1 Q0 b 4 0.5 tag\n", ("run:6:", "'b'", "'q1'", "line 2")),
        (QRELS + "q1 0 c 0\n", RUN, ("qrels:5:", "'c'", "'q1'", "line 3")),
    ],
)
def test_duplicates_name_both_lines(
    evaluate: Evaluate, qrels: str, run: str, message: tuple[str, ...]
) -> None:
    called = evaluate(qrels=qrels, run=run)
    assert (called.code, called.out) == (2, "")
    assert all(part in called.err for part in message), called.err


def test_parameters_are_united(evaluate: Evaluate) -> None:
    called = evaluate("-m", "P.10", "-m", "P.5")
    assert [label for label, _ in lines(called)] == ["P_5", "P_10"]


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_comments_and_standard_input(version: str, pres_eval: conftest.Command, evaluate: Evaluate) -> None:
    expected = evaluate("--compat", version, "-m", "official").out.encode()
    commented = "# made by hand\n" + RUN.replace("q2 Q0 b", "  # the second topic\nq2 Q0 b")
    done = pres_eval(
        "--compat", version, "-m", "official", "qrels", "-", stdin=commented.encode(), cwd=Path.cwd()
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(
    compress: Callable[[bytes], bytes], evaluate: Evaluate, call: commands.Command
) -> None:
    expected = evaluate("-m", "official").out
    for name in ("qrels", "run"):
        Path(name).write_bytes(compress(Path(name).read_bytes()))
    assert call.ok("-m", "official", "qrels", "run").out == expected


def test_named_pipes(evaluate: Evaluate, call: commands.Command) -> None:
    expected = evaluate("-m", "official").out
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(RUN,))
    writer.start()
    assert call.ok("-m", "official", "qrels", "pipe").out == expected
    writer.join()


@pytest.mark.parametrize("version", VERSIONS)
def test_only_negative_judgements(evaluate: Evaluate, version: str) -> None:
    called = evaluate("--compat", version, "-q", "-m", "map", qrels="q1 0 a -1\nq1 0 b -2\nq2 0 a 1\n")
    assert called.code == 0
    assert lines(called) == {("map", "q1"): "0.0000", ("map", "q2"): "0.5000", ("map", "all"): "0.2500"}


@pytest.mark.parametrize("version", VERSIONS)
def test_pres_after_the_official_measures(evaluate: Evaluate, version: str) -> None:
    official = evaluate("--compat", version, "-m", "official").out
    plain = evaluate("--compat", version).out
    assert plain.startswith(official)
    added = plain.removeprefix(official).splitlines()
    assert [line.split()[0] for line in added] == ["PRES_100", "PRES_1000"]
    assert "PRES" not in official


def test_debugging_options(evaluate: Evaluate) -> None:
    assert evaluate("-D", "1.q2", "-m", "num_q", "-m", "map").out == (
        "num_q                 \tall\t1\nmap                   \tall\t0.5000\n"
    )
    assert evaluate("-D", "1", "-o", "-m", "official").out == evaluate("-m", "official").out


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("-l", "-1"), ("-M", "-1"), ("-N", "-1"), ("-M", "x"), ("-l", "1.5")),
        *(("-l", "1e1"), ("-M", "5.0"), ("-N", "1e3"), ("-D", "x")),
    ],
)
def test_levels_and_depths_below_zero(evaluate: Evaluate, option: str, value: str) -> None:
    called = evaluate(option, value)
    assert (called.code, called.out) == (1, "")
    assert value in called.err


@pytest.mark.parametrize("version", VERSIONS)
def test_blank_lines_and_nul_bytes(evaluate: Evaluate, version: str) -> None:
    expected = evaluate("--compat", version).out
    called = evaluate("--compat", version, qrels="\n" + QRELS.replace("q2", " \t\nq2", 1) + "\n")
    assert (called.code, called.out, called.err) == (0, expected, "")
    for name, texts in (
        ("qrels", {"qrels": QRELS.replace("b 0", "b\0 0")}),
        ("run", {"run": RUN.replace("b 2", "b\0 2")}),
    ):
        called = evaluate("--compat", version, **texts)
        assert (called.code, called.out) == (2, "")
        assert called.err.startswith(f"pres-eval: {name}:2: ")
    called = evaluate("--compat", version, run=RUN + f"q1 Q0 {'x' * (1 << 20)} 1 1 t\n")
    assert (called.code, called.out) == (2, "")
    assert "a line of more than 1,048,576 bytes" in called.err


GRADED = "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\n"


def test_rbp_beside_other_measures(evaluate: Evaluate) -> None:
    """a (grade 1) is first, b (grade 2) second: 0.1 (1 + 0.9 · 2) over the highest gain."""
    alone = evaluate("--compat", "10.0", "-m", "rbp", qrels=GRADED)
    for before in ("map", "G", "iprec_at_recall", "ndcg_cut", "dcg", "ideal_dcg", "ndcg"):
        beside = evaluate("--compat", "10.0", "-m", before, "-m", "rbp", qrels=GRADED)
        assert beside.out.endswith(alone.out)
    assert lines(alone)["rbp", "all"] == f"{0.1 * (1 / 2 + 0.9):6.4f}"


def test_gains_stay_apart(evaluate: Evaluate) -> None:
    both = evaluate("--compat", "10.0", "-m", "dcg.1=5", "-m", "ndcg.1=2,2=1", qrels=GRADED)
    for measure in ("dcg.1=5", "ndcg.1=2,2=1"):
        assert evaluate("--compat", "10.0", "-m", measure, qrels=GRADED).out in both.out


def test_too_few_nonrelevant_documents(evaluate: Evaluate) -> None:
    """Two relevant documents and one of level -1 between them: the one that lacks counts as behind both."""
    prefs = "q1 u s a 1\nq1 u s c 1\nq1 u s b -1\n"
    called = evaluate(
        "-R", "prefs", "-m", "prefs_avgjg_Rnonrel", "-m", "prefs_avgjg_Rnonrel_ret", qrels=prefs
    )
    assert called.code == 0
    assert 0 <= float(lines(called)["prefs_avgjg_Rnonrel_ret", "all"]) <= 1
    assert lines(called)["prefs_avgjg_Rnonrel", "all"] == f"{3 / 4:6.4f}"


def test_contradictory_preferences(evaluate: Evaluate) -> None:
    prefs = "q1 u s1 a 2\nq1 u s1 b 1\nq1 u s2 b 2\nq1 u s2 a 1\n"
    called = evaluate("-R", "prefs", "-m", "all_prefs", qrels=prefs)
    assert (called.code, called.out) == (2, "")
    for part in ("qrels:", "'q1'", "'u'", "'a'", "'b'"):
        assert part in called.err


def test_duplicates_are_looked_for_in_any_case(evaluate: Evaluate) -> None:
    called = evaluate("-m", "num_q", run=RUN + "q1 Q0 a 4 0.5 tag\n")
    assert (called.code, called.out) == (2, "")
    assert "run:6: " in called.err


def test_cutoffs_twice_and_far_apart(evaluate: Evaluate) -> None:
    """trec_eval: "duplicate cutoffs detected"; it sorts by differences of 32 bits."""
    called = evaluate("-m", "P.5,2147483653,3,5")
    assert list(lines(called)) == [("P_3", "all"), ("P_5", "all"), ("P_2147483653", "all")]


def test_byte_order_mark(evaluate: Evaluate) -> None:
    called = evaluate("-m", "num_q", qrels="\ufeff" + QRELS, run="\ufeff" + RUN)
    assert (called.code, lines(called)["num_q", "all"]) == (0, "2")


@pytest.mark.parametrize(
    "arguments",
    [("-m", "P.abc"), ("-m", "set_F.x"), ("-m", "set_F.inf"), ("-R", "prefs", "-m", "prefs_simp")],
    ids=str,
)
def test_parameters_and_levels_that_are_no_numbers(evaluate: Evaluate, arguments: tuple[str, ...]) -> None:
    called = evaluate(*arguments, qrels="q1 u s a x\n" if "prefs" in arguments else QRELS)
    assert called.code in (1, 2)
    assert "expected a" in called.err


def test_ideal_dcg_behind_another_topic(evaluate: Evaluate) -> None:
    called = evaluate("--compat", "10.0", "-q", "-m", "ideal_dcg", qrels="q1 0 a 1\nq2 0 a -1\n")
    assert lines(called)["ideal_dcg", "q2"] == "0.0000"


def test_zscores_behind_the_last_entry(evaluate: Evaluate, tmp_path: Path) -> None:
    (tmp_path / "zscores").write_text("q1 map 0 1\nq2 map 0 1\n")
    called = evaluate("-Z", "zscores", "-m", "map", "-m", "recall.5")
    assert called.code == 0 and lines(called)["Zrecall_5", "all"] == "-1000000.0000"
    assert (
        "no usable entry for 'recall_5' of topic 'q2'" in called.err and "behind the last entry" in called.err
    )


def test_no_document_of_a_missing_topic(evaluate: Evaluate) -> None:
    only_first = "".join(RUN.splitlines(keepends=True)[:3])
    qrels = QRELS + "q2 0 ceci_nest_pas_un_docno 1\n"
    called = evaluate("--compat", "10.0", "-c", "-q", "-m", "map", qrels=qrels, run=only_first)
    assert lines(called)["map", "q2"] == "0.0000"


TESTS = (
    (test_missing_topics_are_left_out,),
    (test_numbers_that_are_none, test_infinity_is_a_number),
    (test_more_than_six_columns,),
    (test_duplicates_name_both_lines, test_duplicates_are_looked_for_in_any_case),
    (test_parameters_are_united, test_cutoffs_twice_and_far_apart),
    (test_comments_and_standard_input, test_named_pipes, test_compressed_files),
    (test_only_negative_judgements, test_ideal_dcg_behind_another_topic),
    (test_pres_after_the_official_measures,),
    (test_debugging_options,),
    (test_levels_and_depths_below_zero,),
    (test_byte_order_mark,),
    (test_parameters_and_levels_that_are_no_numbers,),
    (test_blank_lines_and_nul_bytes,),
    (test_rbp_beside_other_measures,),
    (test_gains_stay_apart,),
    (test_too_few_nonrelevant_documents,),
    (test_contradictory_preferences,),
    (test_zscores_behind_the_last_entry,),
    (test_no_document_of_a_missing_topic,),
)
"""The tests of each difference; docs/correctness.md names them."""


def test_every_difference_has_its_tests() -> None:
    assert len(TESTS) == len(DIFFERENCES)
    named = {function.__name__ for functions in TESTS for function in functions}
    here = {name for name, value in globals().items() if name.startswith("test_") and callable(value)}
    assert here - named == {"test_every_difference_has_its_tests"}
