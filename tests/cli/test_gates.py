"""Gates: what fell is named, what is nan never passes, annotations can't be broken out of."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from support.commands import QRELS, RUNS, Command
from support.made_evaluations import evaluation
from support.trials import trials

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.cli.gates.against import EarlierEvaluation
from pres_eval.cli.gates.check import check_gates
from pres_eval.cli.gates.confirming import TopicValues, confirm
from pres_eval.cli.gates.expected import line_findings
from pres_eval.cli.gates.findings import LISTED_FAILURES, GateFinding, Verdict, annotations_of, lines_of
from pres_eval.cli.gates.reports import as_junit, as_markdown
from pres_eval.cli.gates.thresholds import Threshold, read_threshold
from pres_eval.cli.gates.tolerances import Allowance, Tolerance, read_tolerance
from pres_eval.errors import InputError, UsageError
from pres_eval.options import Options
from pres_eval.report.records import FileRecord, Record, RunRecord
from pres_eval.scoring import ScoredRun


def record(*evaluations: ScoredRun, options: Options | None = None, sha256: str | None = None) -> Record:
    runs = tuple(RunRecord(evaluation=each, file=FileRecord(each.path, None)) for each in evaluations)
    return Record(
        options=options or Options(), qrels=FileRecord("qrels", sha256), runs=runs, relevance_format="qrels"
    )


def earlier(
    *evaluations: ScoredRun,
    tolerance: str = "0",
    topics: bool = False,
    if_significant: bool = False,
    test: str = "t",
) -> EarlierEvaluation:
    return EarlierEvaluation(
        path="old.json",
        record=record(*evaluations),
        tolerance=read_tolerance(tolerance),
        topics=topics,
        confirmation=CompareSettings(test=test, alternative="less") if if_significant else None,
    )


def found_by(now: Record, thresholds: Sequence[Threshold] = (), **gates: Any) -> list[GateFinding]:
    """What the gates find, without what was checked and passed."""
    every = check_gates(now, thresholds, **gates)[0]
    return [finding for finding in every if finding.fails or not finding.checked]


def against(new: ScoredRun, before: EarlierEvaluation) -> list[str]:
    return messages(found_by(record(new), earlier=before))


def thresholds(*texts: str, runs: tuple[ScoredRun, ...]) -> list[GateFinding]:
    return found_by(record(*runs), [read_threshold(text) for text in texts])


def messages(findings: list[GateFinding]) -> list[str]:
    return [finding.message for finding in findings]


@pytest.mark.parametrize("text", ["PRES_100", "PRES_100=", "=0.5", "PRES_100=x", "PRES_100=nan", ""])
def test_thresholds_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="NAME=VALUE"):
        read_threshold(text)


def test_fail_under_names_wanted_got_run() -> None:
    runs = (evaluation(), evaluation("broad", pres=(0.0, 0.0, 0.0), path="b.txt"))
    findings = thresholds("PRES_100=0.40", "map=0.2", runs=runs)
    assert messages(findings) == [
        "PRES_100: wanted at least 0.40, got 0.000000, 0.400000 too low, run broad (b.txt)"
    ]
    assert findings[0].path == "b.txt"


@pytest.mark.parametrize(
    ("wanted", "got"),
    [("0.25", None), ("0.2500001", "0.25"), ("1e-1", None), ("1", "0.250000"), ("0.3", "0.250000")],
)
def test_fail_under_takes_the_value_itself(wanted: str, got: str | None) -> None:
    """Six digits are told, all of them where the value would look like the threshold."""
    found = messages(thresholds(f"PRES_100={wanted}", runs=(evaluation(pres=(0.25, 0.25, 0.25)),)))
    assert [text.split("got ")[1].split(",")[0] for text in found] == ([] if got is None else [got])


def test_nan_never_passes() -> None:
    run = evaluation(pres=(math.nan, 1.0, 1.0))
    assert len(thresholds("PRES_100=0", runs=(run,))) == 1
    assert len(against(run, earlier(evaluation(), tolerance="0.1", topics=True))) == 2
    untested, fell = against(run, earlier(evaluation(), if_significant=True))
    assert "does not test PRES_100" in untested and "is nan, was" in fell


@pytest.mark.parametrize("name", ["PRES.100", "PRES@100"])
def test_other_notations_of_a_column(name: str) -> None:
    assert len(thresholds(f"{name}=0.9", runs=(evaluation(),))) == 1


def test_unknown_column_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"PRES_10: .*did you mean PRES_100"):
        thresholds("PRES_10=0.4", runs=(evaluation(),))


def test_against_compares_means_and_topics_where_asked() -> None:
    old, new = evaluation(), evaluation(pres=(0.5, 0.2, 1.0))
    assert against(new, earlier(old, tolerance="0.001")) == [
        "PRES_100, all: fell from 0.583333 to 0.566667, by 0.016667, 0.001 allowed, run keyword (run.txt)"
    ]
    assert against(new, earlier(old, topics=True)) == [
        "PRES_100, all: fell from 0.583333 to 0.566667, by 0.016667, 0 allowed, run keyword (run.txt)",
        "PRES_100, topic 10: fell from 0.250000 to 0.200000, by 0.050000, 0 allowed, run keyword (run.txt)",
    ]
    assert against(old, earlier(new, topics=True)) == []


def test_topics_that_balance_are_no_fall_of_the_mean() -> None:
    new = evaluation(pres=(0.25, 0.5, 1.0))
    assert against(new, earlier(evaluation())) == []
    assert len(against(new, earlier(evaluation(), topics=True))) == 1


@pytest.mark.parametrize(("now", "found"), [(0.499, 0), (0.4989, 1), (0.501, 0)])
def test_tolerance_is_decimal(now: float, found: int) -> None:
    old = evaluation(topics=(b"1",), average_precision=(0.5,), pres=(0.5,))
    new = evaluation(topics=(b"1",), average_precision=(0.5,), pres=(now,))
    assert len(against(new, earlier(old, tolerance="0.001", topics=True))) == 2 * found


def absolute(number: str) -> Allowance:
    return Allowance(Decimal(number))


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        ("0.01", Tolerance(absolute("0.01"))),
        (".5e-1%", Tolerance(Allowance(Decimal("0.0005"), relative=True))),
        (
            "map=0.005,PRES_100=1 %",
            Tolerance(by_label={"map": absolute("0.005"), "PRES_100": Allowance(Decimal("0.01"), True)}),
        ),
        ("0.1,map=0", Tolerance(absolute("0.1"), {"map": absolute("0")})),
    ],
)
def test_tolerances(text: str, tolerance: Tolerance) -> None:
    assert read_tolerance(text) == tolerance


@pytest.mark.parametrize(
    "text", ["", "x", "-0.1", "map=", "map=x", "=0.1", "nan", "inf", "map=0.1,", "map=-1"]
)
def test_tolerances_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected a number of at least 0, a percentage, or NAME=NUMBER"):
        read_tolerance(text)


def test_tolerance_of_single_measures() -> None:
    old = evaluation(average_precision=(0.5, 0.5, 0.5), pres=(0.5, 0.5, 0.5))
    new = evaluation(average_precision=(0.4, 0.4, 0.4), pres=(0.4, 0.4, 0.4))
    found = against(new, earlier(old, tolerance="map=0.2"))
    assert [text.split(",")[0] for text in found] == ["PRES_100"]
    found = against(new, earlier(old, tolerance="0.2,PRES.100=0.05"))
    assert [text.split(",")[0] for text in found] == ["PRES_100"]
    with pytest.raises(UsageError, match=r"--tolerance mop: not among the measures"):
        against(new, earlier(old, tolerance="mop=1"))


def test_only_a_fall_that_the_test_confirms() -> None:
    """Lower on one topic of twenty by a lot is no significant fall; lower on all by a little is one."""
    topics = tuple(b"%02d" % topic for topic in range(20))
    values = [0.5 + 0.01 * topic for topic in range(20)]
    old = evaluation(topics=topics, average_precision=values, pres=values)
    outlier = evaluation(topics=topics, average_precision=values, pres=[0.0, *values[1:]])
    everywhere = evaluation(topics=topics, average_precision=values, pres=[each - 0.01 for each in values])
    assert len(against(outlier, earlier(old))) == 1
    assert against(outlier, earlier(old, if_significant=True)) == []
    found = against(everywhere, earlier(old, if_significant=True))
    assert len(found) == 1 and found[0].startswith("PRES_100, all: fell") and "p < 0.0001" in found[0]
    better = evaluation(topics=topics, average_precision=values, pres=[each + 0.01 for each in values])
    assert against(better, earlier(old, if_significant=True)) == []


def test_a_difference_of_rounding_is_no_change_to_test() -> None:
    """Sums in another order may end in another bit: that is no comparison to correct for."""
    topics = tuple(b"%02d" % topic for topic in range(20))
    values = [0.5 + 0.01 * topic for topic in range(20)]
    old = evaluation(topics=topics, average_precision=values, pres=values)
    rounded = evaluation(
        topics=topics, average_precision=[value - 2e-16 for value in values], pres=[0.0, *values[1:]]
    )
    of_map, of_pres = [
        finding.message
        for finding in check_gates(record(rounded), earlier=earlier(old, if_significant=True))[0]
        if finding.message.startswith(("map, all", "PRES_100, all"))
    ]
    assert "20 topics, none differs" in of_map
    assert "t over 20 topics" in of_pres and "comparisons" not in of_pres


def test_the_test_can_be_chosen() -> None:
    """Worse on 19 topics by a little, on one by a lot: that all fell is certain, by how much is not."""
    topics = tuple(b"%02d" % topic for topic in range(20))
    values = [0.5 + 0.01 * topic for topic in range(20)]
    little = [0.004 + 0.0001 * place for place in range(19)]
    old = evaluation(topics=topics, average_precision=values, pres=values)

    def falls(changes: list[float]) -> dict[str, bool]:
        now = [value + change for value, change in zip(values, changes, strict=True)]
        new = evaluation(topics=topics, average_precision=values, pres=now)
        return {
            test: bool(against(new, earlier(old, if_significant=True, test=test))) for test in PAIRED_TESTS
        }

    assert falls([*(-each for each in little), -0.3]) == {
        "t": False, "randomisation": True, "bootstrap": True, "wilcoxon": True, "sign": True
    }  # fmt: skip
    # Better on 19 by a little: ranks and signs differ significantly, but say that the run got better.
    assert not any(falls([*little, -0.15]).values())


def test_test_of_a_gate_on_the_command_line(call: Command, tmp_path: Path) -> None:
    tests = tuple(PAIRED_TESTS)
    assert f"{', '.join(tests[1:-1])} or {tests[-1]}" in " ".join(call.ok("--help-all").out.split())
    old = tmp_path / "old.json"
    call.ok("--format", "json", "--output", old, "-m", "map", QRELS, RUNS[0])
    gate = ("--against", old, "-m", "map", QRELS, RUNS[1], "--tolerance", "0")
    assert call(*gate, "--test", "t").err.strip().endswith("--test goes with --if-significant")
    assert "expected one of t, randomisation" in call(*gate, "--if-significant", "--test", "u").err
    for test in PAIRED_TESTS:
        [one] = call.ok(
            "compare", QRELS, *RUNS[:2], "-m", "map", "--test", test, "--alternative", "less",
            "--format", "json",
        ).json["comparisons"]  # fmt: skip
        assert one["direction"] == -1, "map fell"
        code = call(*gate, "--if-significant", "--test", test).code
        assert code == (3 if one["significant"] else 0)


def test_less_is_better_by_the_test_too() -> None:
    topics = tuple(b"%02d" % topic for topic in range(20))
    ones = [1.0] * 20
    old = evaluation(topics=topics, average_precision=ones, pres=ones, unjudged=0.1)
    worse = evaluation(topics=topics, average_precision=ones, pres=ones, unjudged=0.2)
    assert len(against(worse, earlier(old, if_significant=True))) == 1
    assert against(old, earlier(worse, if_significant=True)) == []


def test_against_knows_where_less_is_better() -> None:
    """More unjudged documents are worse, fewer are better."""
    few, many = evaluation(unjudged=0.125), evaluation(unjudged=0.25)
    found = against(many, earlier(few, topics=True))
    assert found and all(text.startswith("unj_5") for text in found)
    assert all("rose from 0.125000 to 0.250000" in text for text in found)
    assert against(few, earlier(many, topics=True)) == []


def test_other_options_and_judgements_are_said_first() -> None:
    old = earlier(evaluation())
    old = replace(old, record=record(evaluation(), options=Options(relevance_level=2), sha256="a" * 64))
    now = record(evaluation(pres=(0.0, 0.0, 0.0)), options=Options(complete=True), sha256="b" * 64)
    findings = found_by(now, earlier=old)
    lines = list(lines_of(findings))
    assert lines[0] == (
        "old.json was made with other options: -l 2 (now 1), -c off (now on); its values cannot be compared"
    )
    assert lines[1].startswith("old.json cannot be compared: the judgements changed (qrels, now qrels); give")
    assert lines[2].startswith("PRES_100, all")
    assert [finding.fails for finding in findings] == [True, True, True]


def test_other_judgements_alone_fail_unless_they_may_have_changed() -> None:
    old = replace(earlier(evaluation()), record=record(evaluation(), sha256="a" * 64))
    (finding,) = found_by(record(evaluation(), sha256="b" * 64), earlier=old)
    assert finding.fails and "--allow-changed-judgements" in finding.message
    old = replace(old, allow_changed_judgements=True)
    findings = found_by(record(evaluation(), sha256="b" * 64), earlier=old)
    assert [finding.fails for finding in findings] == [False]
    assert findings[0].annotation().startswith("::notice ")
    assert found_by(record(evaluation(), sha256="a" * 64), earlier=old) == []
    assert found_by(record(evaluation(), sha256=None), earlier=old) == []


def test_against_notes_what_is_gone() -> None:
    new = evaluation(topics=(b"1", b"2"), average_precision=(0.1, 0.75), pres=(0.5, 1.0))
    found = against(new, earlier(evaluation()))
    assert found[0] == "1 topic evaluated earlier, not now (such as 10), run keyword (run.txt)"
    assert any(text.startswith("num_rel_ret, 2 topics in both: fell from 2 to 1") for text in found)
    assert not any(text.startswith("num_q") for text in found)
    more = found_by(record(evaluation()), earlier=earlier(new))
    assert [each.fails for each in more if "now, not earlier (such as 10)" in each.message] == [False]


def test_against_matches_runs() -> None:
    """The tag comes before the path; what has no counterpart is named."""
    old = (evaluation("a", path="1"), evaluation("b", path="2", pres=(1.0, 1.0, 1.0)))
    gone = "run {}: not evaluated now, but in old.json (--allow-unmatched lets this pass)"
    assert against(evaluation("a", path="2"), earlier(*old)) == [
        gone.format("b (2)"),
        "run a (2) is compared with run a (1) of old.json, by their tag, though its file was that of run b"
        " (--match)",
    ]
    found = against(evaluation("c", path="2"), earlier(*old))
    assert found[0] == gone.format("a (1)") and found[1].startswith("PRES_100, all: fell from 1.000000")
    assert against(evaluation("c", path="3"), earlier(*old[:1])) == [
        "run c (3) is compared with run a (1) of old.json, which has another tag and another file (--match)"
    ]
    found = against(evaluation("c", path="3"), earlier(*old))
    assert found[0] == "run c (3): not in old.json (--allow-unmatched lets this pass)"
    assert found[-1] == "old.json: no run has a counterpart in it"


def test_runs_of_one_tag_are_matched_by_their_files() -> None:
    """Two runs that share a tag, and a file that is now elsewhere."""
    old = (evaluation("x", path="old/a.gz"), evaluation("x", path="old/b"))
    now = record(evaluation("x", path="new/b"), evaluation("y", path="new/a"))
    assert found_by(now, earlier=earlier(*old)) == []


def test_a_tolerance_in_percent_is_decimal() -> None:
    """3 % of 0.5 is 0.015, which 0.5 - 0.485 is not in doubles."""
    old = evaluation(topics=(b"1",), average_precision=(0.5,), pres=(0.5,))
    for now, found in ((0.485, 0), (0.48499, 1)):
        new = evaluation(topics=(b"1",), average_precision=(0.5,), pres=(now,))
        assert len(against(new, earlier(old, tolerance="3%", topics=True))) == 2 * found


def test_values_that_are_not_finite() -> None:
    """Nothing can be taken from infinity; less than that is a fall, whatever is allowed."""
    old, new = evaluation(pres=(math.inf, 1.0, 1.0)), evaluation(pres=(0.5, 1.0, 1.0))
    assert len(against(new, earlier(old, tolerance="0.1"))) == 1
    assert against(old, earlier(new)) == against(old, earlier(old)) == []
    with pytest.raises(
        InputError, match=r"^old.json: PRES_100, all, of run keyword \(run.txt\) is no number"
    ):
        against(new, earlier(evaluation(pres=(math.nan, 1.0, 1.0))))


def test_output_is_short_and_the_largest_comes_first() -> None:
    topics = tuple(b"%03d" % topic for topic in range(100))
    old = evaluation(topics=topics, average_precision=[0.5] * 100, pres=[0.5] * 100)
    new = evaluation(
        topics=topics, average_precision=[0.4] * 100, pres=[0.5 - topic / 400 for topic in range(100)]
    )
    findings = found_by(record(new), earlier=earlier(old, topics=True))
    assert len(findings) == 201
    lines = list(lines_of(findings))
    assert len(lines) == LISTED_FAILURES + 1 and lines[-1] == "--against: 191 more like these"
    assert lines[0].startswith("map, all") or lines[0].startswith("PRES_100, all")
    assert {line.split(":")[0] for line in lines[:2]} == {"PRES_100, all", "map, all"}
    assert lines[2].startswith("PRES_100, topic 099")
    annotations = list(annotations_of(findings))
    assert len(annotations) == 2 and all("(and " in text for text in annotations)


def test_the_largest_relative_fall_comes_first() -> None:
    """PRES_100 falls by more, but by a smaller share."""
    topics = (b"1",)
    old = evaluation(topics=topics, average_precision=(0.2,), pres=(0.9,))
    new = evaluation(topics=topics, average_precision=(0.1,), pres=(0.7,))
    lines = list(lines_of(found_by(record(new), earlier=earlier(old))))
    assert [line.split(",")[0] for line in lines] == ["map", "PRES_100"]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_an_annotation_counts_the_others(count: int) -> None:
    findings = [
        GateFinding(gate="--expect", message=f"m{number}", path="new", measure="map", size=float(number))
        for number in range(count)
    ]
    more = f" (and {count - 1} more)" if count > 1 else ""
    assert list(annotations_of(findings)) == [
        f"::error file=new,title=pres-eval --expect::m{count - 1}{more}"
    ]


def test_summary_of_the_job() -> None:
    findings, compared = check_gates(
        record(evaluation("a|b", pres=(0.5, 0.2, 1.0))), earlier=earlier(evaluation("a|b"))
    )
    text = as_markdown(findings, compared)
    assert text.startswith("### pres-eval: gates failed: 1 finding\n")
    rows = [
        [cell.strip() for cell in line.split(" | ")] for line in text.splitlines() if line.startswith("| a")
    ]
    assert [row[1:] for row in rows] == [
        ["num_rel_ret", "3", "3", "+0", "|"],
        ["map", "0.394444", "0.394444", "+0.000000", "|"],
        [r"PRES_100", "0.583333", "0.566667", "-0.016667", "worse |"],
        ["unj_5", "0.125000", "0.125000", "+0.000000", "|"],
    ]
    assert rows[0][0].startswith(r"| a\|b")
    assert as_markdown([], compared[:1]).startswith("### pres-eval: gates passed\n")


STORED = b"map                   \tall\t0.5000\nP_5                   \t1\t  -nan\n"


def not_as_stored(lines: bytes, printed: bytes) -> list[GateFinding]:
    return found_by(record(), line_findings=line_findings("stored.txt", lines, printed))


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (STORED, []),
        (STORED.replace(b"\n", b"\r\n"), []),
        (
            STORED.replace(b"0.5000", b"0.5001"),
            ["stored.txt:1: map, all: wanted '0.5000', got '0.5001', 0.0001 higher, 0 allowed"],
        ),
        (
            STORED.split(b"\n")[1] + b"\n",
            ["stored.txt:1: 1 line over all topics, which this call does not print: the file was made"],
        ),
    ],
)
def test_expect_compares_lines(printed: bytes, found: list[str]) -> None:
    findings = not_as_stored(STORED, printed)
    assert len(findings) == len(found)
    assert all(finding.message.startswith(start) for finding, start in zip(findings, found, strict=True))
    assert [finding.line for finding in findings] == [int(text.split(":")[1]) for text in found]


def test_expect_of_nothing_printed() -> None:
    gone, nothing = not_as_stored(STORED, b"")
    assert gone.fails and gone.message.startswith("run number 1: not evaluated now, but in stored.txt")
    assert nothing.fails and nothing.message == "stored.txt: no run has a counterpart in it"


def test_expect_names_measures_that_the_file_lacks() -> None:
    (finding,) = not_as_stored(STORED, STORED + b"PRES_100              \tall\t0.5000\n")
    assert finding.message == "PRES_100: printed now, not in stored.txt" and not finding.fails


def test_expect_takes_several_runs_in_order() -> None:
    two = b"map\tall\t0.1000\nmap\tall\t0.2000\n"
    assert not_as_stored(two, two) == []
    assert len(not_as_stored(two, b"map\tall\t0.2000\nmap\tall\t0.1000\n")) == 2


def test_annotations_are_escaped() -> None:
    finding = GateFinding(gate="--expect", message="100%\n::warning::x\r", path="a:b,c\n.txt", line=7)
    assert finding.annotation() == (
        "::error file=a%3Ab%2Cc%0A.txt,line=7,title=pres-eval --expect::100%25%0A::warning::x%0D"
    )
    assert "line=" not in GateFinding(gate="--fail-under", message="x", path="run.txt").annotation()


def test_an_earlier_evaluation_with_a_byte_order_mark(call: Command, tmp_path: Path) -> None:
    """It was taken for a run with too few columns."""
    text = call.ok("-m", "map", "--format", "json", QRELS, RUNS[1]).out
    (tmp_path / "baseline.json").write_text("\ufeff" + text, encoding="utf-8")
    call.ok("-m", "map", "--against", tmp_path / "baseline.json", QRELS, RUNS[1])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_an_earlier_evaluation_from_a_pipe(call: Command, tmp_path: Path) -> None:
    """It is read once, as bash's <(...) can be."""
    text = call.ok("--format", "json", "-m", "map", QRELS, RUNS[1]).out
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as threads:
        written = threads.submit(pipe.write_text, text, encoding="utf-8")
        call.ok("-m", "map", "--against", pipe, QRELS, RUNS[1])
        assert written.result() == len(text)


def test_report_for_ci_systems(call: Command, tmp_path: Path) -> None:
    """A test for each limit, measure and expected line; those that fail have the line of stderr."""
    for name, run in (("old.json", RUNS[1]), ("lines", RUNS[0])):
        options = ("--format", "json") if name == "old.json" else ()
        call.ok(*options, "--output", tmp_path / name, "-m", "map", "-m", "P.5", QRELS, run)
    called = call(
        "-m", "map", "-m", "P.5", "--against", tmp_path / "old.json", "--fail-under", "map=0.9",
        "--fail-under", "P_5=0", "--expect", tmp_path / "lines", "--allow-unmatched",
        "--junit", tmp_path / "junit.xml", "--summary", tmp_path / "summary.md", QRELS, RUNS[0],
    )  # fmt: skip
    assert called.code == 3
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    tests = {
        (test.get("classname"), str(test.get("name")).split(",")[0].removeprefix(f"{tmp_path}/")): test
        for test in suite.iter("testcase")
    }
    failed = [key for key, test in tests.items() if test.find("failure") is not None]
    assert (suite.get("tests"), suite.get("failures")) == (str(len(tests)), str(len(failed)))
    assert ("pres-eval --fail-under", "P_5: wanted at least 0") in tests
    assert ("pres-eval --expect", "lines:1: map") in tests
    assert failed == [("pres-eval --fail-under", "map: wanted at least 0.9")] + [
        key for key in tests if key[0] == "pres-eval --against" and f"{key[1]}, all: fell" in called.err
    ]
    for key in failed:
        failure = tests[key].find("failure")
        assert failure is not None and f"pres-eval: {failure.get('message')}\n" in called.err
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("### pres-eval: gates failed") and "| map" in summary


def test_report_has_what_is_only_said(call: Command, tmp_path: Path) -> None:
    """Notes that belong to no test, and control characters, which XML does not have."""
    warned = GateFinding(gate="--against", message="a\x01<b", path="x", verdict=Verdict.WARNING)
    told = replace(warned, message="test", verdict=Verdict.NOTE, checked="map, all")
    suite = ElementTree.fromstring(as_junit([warned, told, replace(told, verdict=Verdict.PASSED)]))
    assert suite.findtext("system-out") == "warning: a\\x01<b\n"
    assert [test.findtext("system-out") for test in suite.iter("testcase")] == ["test"] * 2
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")


def test_many_looks_are_corrected_for() -> None:
    """How often a gate with 15 measures fails for two runs of the same system: measures are much alike."""
    random = np.random.default_rng(7)
    how = CompareSettings(test="t", correction="holm", alternative="less")
    failed = failed_uncorrected = 0
    number = trials(150)
    for _ in range(number):
        topics = random.normal(size=25)
        before = [0.5 + 0.1 * topics + 0.1 * random.normal(size=25) for _ in range(15)]
        now = [0.5 + 0.1 * random.permutation(topics) + 0.1 * random.normal(size=25) for _ in range(15)]
        said = confirm([*map(TopicValues, before, now)], how)
        failed += any(each.corrected < 0.05 for each in said)
        failed_uncorrected += any(each.p_value < 0.05 for each in said)
    assert failed / number <= 0.06 and failed_uncorrected / number >= 0.12
    uncorrected = confirm([*map(TopicValues, before, now)], replace(how, correction="none"))
    assert [(each.p_value, each.corrected) for each in uncorrected] == [(each.p_value,) * 2 for each in said]


def test_p_of_a_gate_is_that_of_compare() -> None:
    """One-sided as `compare --alternative less`, two-sided twice that; nothing to say over one topic."""
    before, now = np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.4, 0.55, 0.75, 0.6])
    for test in PAIRED_TESTS:
        [one] = confirm([TopicValues(before, now)], CompareSettings(test=test, alternative="less"))
        [other] = confirm([TopicValues(now, before, less_is_better=True)], CompareSettings(test=test))
        greater = PAIRED_TESTS[test].run((before - now)[None], 10_000, 0, greater=True)[0]
        assert one.p_value == one.corrected == greater and other.p_value == min(1.0, 2 * greater)
        assert one.interval[0] < -0.075 < one.interval[1], "the mean change"
    [single] = confirm([TopicValues(before[:1], now[:1])], CompareSettings(alternative="less"))
    assert math.isnan(single.p_value) and single.corrected == 1.0
    assert str(single) == "t over 1 topic, one-sided (worse): p = -"


def test_all_tested_values_are_said() -> None:
    """More than the ten lines of failures that a gate has; nothing of what passes without a test."""
    topics = (b"1", b"2", b"3")
    runs = [evaluation(f"r{number}", topics, path=f"{number}.txt") for number in range(12)]
    before = earlier(*runs, if_significant=True)
    lines = list(lines_of(check_gates(record(*runs), earlier=before)[0]))
    assert len(lines) == 12 * 4 and all("3 topics, none differs" in line for line in lines)
    assert list(lines_of(check_gates(record(*runs), earlier=earlier(*runs))[0])) == []


def test_two_sided_p_of_a_rise_is_that_of_the_fall() -> None:
    """The same changes the other way round: once a p of 1.0000 stood beside an interval without 0."""
    before = np.linspace(0.1, 0.5, 12)
    now = before + np.linspace(0.1, 0.3, 12)
    for test in PAIRED_TESTS:
        how = CompareSettings(test=test, alternative="two-sided")
        rise, fall = (
            confirm([pair], how)[0] for pair in (TopicValues(before, now), TopicValues(now, before))
        )
        assert rise.p_value == pytest.approx(fall.p_value, rel=0.3) and rise.p_value < 0.05
        assert (
            confirm([TopicValues(before, now)], CompareSettings(test=test, alternative="less"))[0].p_value
            > 0.9
        )


@pytest.mark.parametrize("files", [("no-such-run",), ("broken",), ("--keep-going", "broken", RUNS[0])])
def test_reports_of_gates_name_what_stopped_them(
    files: tuple[str, ...],
    capfdbinary: pytest.CaptureFixture[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """2.13.0 wrote none, so that those of an earlier job, which passed, were still there."""
    monkeypatch.chdir(tmp_path)
    Path("broken").write_text("q1 Q0\n", encoding="utf-8")
    for name in ("junit.xml", "summary.md"):
        Path(name).write_text("of an earlier job", encoding="utf-8")
    options = ["-m", "map", "--fail-under", "map=0.1", "--junit", "junit.xml", "--summary", "summary.md"]
    called = Command(capfdbinary)(*options, QRELS, *files)
    assert called.code == 2
    suite = ElementTree.parse("junit.xml").getroot()
    (error,) = suite.iter("error")
    # With --keep-going a warning that the gates fail comes behind it.
    lines = [line for line in called.err.splitlines() if "gates fail" not in line]
    assert error.get("message") == lines[-1].removeprefix("pres-eval: ")
    (test,) = [test for test in suite.iter("testcase") if test.find("error") is not None]
    assert test.get("file") == files[-1 if len(files) == 1 else 1]
    assert (suite.get("errors"), suite.get("failures")) == ("1", "0")
    assert "gates failed: 1 finding" in Path("summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("naming", ["auto", "file", "path", "tag"])
def test_files_of_one_name_in_two_folders_are_expected_as_they_are_printed(
    call: Command, tmp_path: Path, naming: str
) -> None:
    """2.20: they were compared by their folders, so that what had just been printed was not found."""
    runs = [tmp_path / folder / "run.txt" for folder in ("a", "b")]
    for run, own in zip(runs, RUNS, strict=False):
        run.parent.mkdir()
        run.write_bytes(Path(own).read_bytes())
    arguments: tuple[str | Path, ...] = ("-m", "map", "--names", naming, QRELS, *runs)
    printed = tmp_path / "expected.txt"
    printed.write_text(call.ok(*arguments).out)
    assert call.ok("--expect", printed, *arguments).err == ""
