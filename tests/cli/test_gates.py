"""Gates: what fell is named, what is nan never passes, annotations can't be broken out of."""

from __future__ import annotations

import math

import pytest
from support.made_evaluations import evaluation

from pres_eval.errors import UsageError
from pres_eval.gates import Earlier, Expected, Finding, check_gates, read_threshold


def messages(findings: list[Finding]) -> list[str]:
    return [finding.message for finding in findings]


@pytest.mark.parametrize("text", ["PRES_100", "PRES_100=", "=0.5", "PRES_100=x", "PRES_100=nan", ""])
def test_thresholds_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="NAME=VALUE"):
        read_threshold(text)


def test_fail_under_names_wanted_got_run() -> None:
    runs = [evaluation(), evaluation("broad", pres=(0.0, 0.0, 0.0), path="b.txt")]
    findings = check_gates(runs, [read_threshold("PRES_100=0.40"), read_threshold("map=0.2")])
    assert messages(findings) == ["PRES_100: wanted at least 0.40, got 0.0, run broad (b.txt)"]
    assert findings[0].path == "b.txt"


@pytest.mark.parametrize(
    ("wanted", "passes"), [("0.25", True), ("0.2500001", False), ("1e-1", True), ("inf", False)]
)
def test_fail_under_takes_the_value_itself(wanted: str, passes: bool) -> None:
    run = evaluation(pres=(0.25, 0.25, 0.25))
    assert (check_gates([run], [read_threshold(f"PRES_100={wanted}")]) == []) is passes


def test_nan_never_passes() -> None:
    run = evaluation(pres=(math.nan, 1.0, 1.0))
    assert len(check_gates([run], [read_threshold("PRES_100=-inf")])) == 1
    assert len(check_gates([run], earlier=Earlier("old", (evaluation(),), 1.0))) == 2


@pytest.mark.parametrize("name", ["PRES.100", "PRES@100"])
def test_other_notations_of_a_column(name: str) -> None:
    assert len(check_gates([evaluation()], [read_threshold(f"{name}=0.9")])) == 1


def test_unknown_column_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"PRES_10: .*did you mean PRES_100"):
        check_gates([evaluation()], [read_threshold("PRES_10=0.4")])


def test_against_names_measures_and_topics() -> None:
    old, new = evaluation(), evaluation(pres=(0.5, 0.2, 1.0))
    found = messages(check_gates([new], earlier=Earlier("old.json", (old,), 0.001)))
    assert [text.split(":")[0] for text in found] == ["PRES_100, all", "PRES_100, topic 10"]
    assert found[1] == (
        "PRES_100, topic 10: fell from 0.25 to 0.2, wanted by at most 0.001, run keyword (run.txt)"
    )
    assert check_gates([old], earlier=Earlier("old.json", (new,))) == []


@pytest.mark.parametrize(("now", "found"), [(0.499, 0), (0.4989, 1), (0.501, 0)])
def test_tolerance_is_decimal(now: float, found: int) -> None:
    old = evaluation(topics=(b"1",), average_precision=(0.5,), pres=(0.5,))
    new = evaluation(topics=(b"1",), average_precision=(0.5,), pres=(now,))
    assert len(check_gates([new], earlier=Earlier("old.json", (old,), 0.001))) == 2 * found


def test_against_knows_where_less_is_better() -> None:
    """More unjudged documents are worse, fewer are better."""
    few, many = evaluation(unjudged=0.125), evaluation(unjudged=0.25)
    found = messages(check_gates([many], earlier=Earlier("old.json", (few,))))
    assert found and all(text.startswith("unj_5") and "rose from 0.125 to 0.25" in text for text in found)
    assert check_gates([few], earlier=Earlier("old.json", (many,))) == []


def test_against_notes_what_is_gone() -> None:
    old = evaluation()
    new = evaluation(topics=(b"1", b"2"), average_precision=(0.1, 0.75), pres=(0.5, 1.0))
    found = messages(check_gates([new], earlier=Earlier("old.json", (old,))))
    assert found[0].startswith("topic 10: evaluated earlier")
    assert any(text.startswith("num_rel_ret, all: fell from 3.0 to 1.0") for text in found)
    assert not any(text.startswith("num_q") for text in found)


def test_against_matches_runs() -> None:
    old = (evaluation("a", path="1"), evaluation("b", path="2", pres=(1.0, 1.0, 1.0)))
    assert check_gates([evaluation("a", path="2")], earlier=Earlier("old.json", old)) == []
    assert len(check_gates([evaluation("c", path="2")], earlier=Earlier("old.json", old))) == 3
    assert check_gates([evaluation("c", path="3")], earlier=Earlier("old.json", old[:1])) == []
    with pytest.raises(UsageError, match="no run c"):
        check_gates([evaluation("c", path="3")], earlier=Earlier("old.json", old))


STORED = b"map                   \tall\t0.5000\nP_5                   \t1\t  -nan\n"


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (STORED, []),
        (STORED.replace(b"\n", b"\r\n"), []),
        (STORED + b"PRES_100              \tall\t0.5000\n", []),
        (
            STORED.replace(b"0.5000", b"0.5001"),
            ["stored.txt:1: map, all: wanted '0.5000', got '0.5001'"],
        ),
        (STORED.split(b"\n")[1] + b"\n", ["stored.txt:1: map, all: wanted '0.5000', no such line here"]),
        (b"", ["stored.txt:1: map, all", "stored.txt:2: P_5, 1"]),
    ],
)
def test_expect_compares_lines(printed: bytes, found: list[str]) -> None:
    findings = check_gates([], expected=Expected("stored.txt", STORED, printed))
    assert len(findings) == len(found)
    assert all(finding.message.startswith(start) for finding, start in zip(findings, found, strict=True))
    assert [finding.line for finding in findings] == [int(text.split(":")[1]) for text in found]


def test_expect_takes_several_runs_in_order() -> None:
    two = b"map\tall\t0.1000\nmap\tall\t0.2000\n"
    assert check_gates([], expected=Expected("e", two, two)) == []
    swapped = b"map\tall\t0.2000\nmap\tall\t0.1000\n"
    assert len(check_gates([], expected=Expected("e", two, swapped))) == 2


def test_annotations_are_escaped() -> None:
    finding = Finding("--expect", "100%\n::warning::x\r", "a:b,c\n.txt", 7)
    assert finding.annotation() == (
        "::error file=a%3Ab%2Cc%0A.txt,line=7,title=pres-eval --expect::100%25%0A::warning::x%0D"
    )
    assert "line=" not in Finding("--fail-under", "x", "run.txt").annotation()
