"""Columns that are computed their own way: --bounds, judged_only, and what their labels say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval as pe
from pres_eval.errors import MeasureError
from pres_eval.measures.selection import select

JUDGED = "-m", "map,P.5,ndcg_cut.10,bpref,PRES.100,recip_rank,num_rel_ret"


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, str]:
    """Two documents nobody judged around a relevant one, of two relevant ones."""
    (tmp_path / "qrels").write_text("1 0 b 1\n1 0 z 1\n")
    (tmp_path / "run").write_text("1 Q0 a 0 3 t\n1 Q0 b 0 2 t\n1 Q0 c 0 1 t\n")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def test_bounds_follow_their_columns(call: Command, small: tuple[str, str]) -> None:
    lines = call.ok("--bounds", "-m", "map,P.2", *small).out.splitlines()
    # map: 1/2 / 2; (1/2 + 1/2... with c alone relevant: (1/2 + 2/3) / 3; all: (1 + 1 + 1) / 4
    assert [line.split("\t")[::2] for line in lines] == [
        ["map                   ", "0.2500"],
        ["map(bound=least)      ", "0.2500"],
        ["map(bound=greatest)   ", "0.7500"],
        ["P_2                   ", "0.5000"],
        ["P_2(bound=least)      ", "0.5000"],
        ["P_2(bound=greatest)   ", "1.0000"],
    ]


def test_bounds_in_tables_json_and_the_library(call: Command, small: tuple[str, str]) -> None:
    table = call.ok("--bounds", "-m", "map", "--format", "csv", *small).rows
    assert table[0]["map(bound=greatest)"] == "0.75"
    found = call.ok("--bounds", "-m", "map(rel=1)", "--format", "json", *small).json["runs"][0]
    assert [(column["label"], column["bound"]) for column in found["columns"]] == [
        ("map(rel=1)", None),
        ("map(rel=1,bound=least)", "least"),
        ("map(rel=1,bound=greatest)", "greatest"),
    ]
    evaluation = pe.evaluate(*small, "map", bounds=True)
    assert evaluation.summary == {"map": 0.25, "map(bound=least)": 0.25, "map(bound=greatest)": 0.75}
    assert evaluation["map(bound=greatest)"] == 0.75


def test_bounds_by_name(small: tuple[str, str]) -> None:
    names = ["map(bound=least)", "AP(bound=greatest)", "P(bound=greatest)@2"]
    assert pe.evaluate(*small, names).summary == {
        "map(bound=least)": 0.25,
        "map(bound=greatest)": 0.75,
        "P_2(bound=greatest)": 1.0,
    }


def test_bounds_of_all_official_measures_hold_the_value(call: Command) -> None:
    values: Any = pe.evaluate(QRELS, RUNS[0], ["official", "PRES"], bounds=True).summary
    bounded = [label for label in values if f"{label}(bound=least)" in values]
    assert {"map", "gm_map", "Rprec", "bpref", "P_5", "iprec_at_recall_0.50", "PRES_100"} <= set(bounded)
    for label in bounded:
        if label != "bpref":  # which leaves out what nobody judged, and does not count it as not relevant
            assert values[f"{label}(bound=least)"] <= values[label] <= values[f"{label}(bound=greatest)"]


def test_bounds_of_what_has_none(call: Command, small: tuple[str, str]) -> None:
    called = call("--bounds", "-m", "compat", *small)
    assert called.code == 1 and "compat: has no bounds for unjudged documents" in called.err
    called = call("--bounds", "-m", "readers", *small)
    assert called.code == 0 and "bpm, insq, inst, nerr8" in called.err
    called = call("-m", "unj(bound=least)", *small)
    assert called.code == 1 and "-m unj(bound=least): unj: has no bounds" in called.err
    assert call("--bounds", "--ties", "expected", "-m", "map", *small).code == 1
    for options in (("-J", "-m", "P.5"), ("-m", "P.5(judged_only=True)")):
        called = call("--bounds", *options, *small)
        assert called.code == 1 and "bounds: with -J no document is unjudged" in called.err


def test_judged_only_for_one_measure(call: Command) -> None:
    plain = pe.evaluate(QRELS, RUNS[0], JUDGED[1])
    all_of_them = pe.evaluate(QRELS, RUNS[0], JUDGED[1], judged_only=True)
    for label in plain.measures:
        both = pe.evaluate(QRELS, RUNS[0], [label, f"{label}(judged_only=True)"])
        assert both[label] == plain[label]
        assert both.per_topic(f"{label}(judged_only=True)").tolist() == all_of_them.per_topic(label).tolist()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("nDCG(judged_only=True)@10", "ndcg_cut_10(judged_only=True)"),
        ("nDCG(judged_only=False)@10", "ndcg_cut_10"),
        ("P(rel=2,judged_only=True)@5", "P_5(rel=2,judged_only=True)"),
        ("AP(judged_only=True,bound=least)", "map(judged_only=True,bound=least)"),
        ("ndcg_cut.10(judged_only=True)", "ndcg_cut_10(judged_only=True)"),
        ("P(bound=greatest)@5", "P_5(bound=greatest)"),
        ("AP(bound=least,max_rel=3)", "map(bound=least,max_rel=3)"),
        ("P.5(bound=least,scale=3)", "P_5(bound=least,max_rel=3)"),  # as up to 2.18
        ("SDCG(max_rel=4,bound=least,scale=3)@5", "sdcg_5_max_rel=4(bound=least,max_rel=3)"),
    ],
)
def test_labels_are_names(text: str, label: str) -> None:
    (column,) = select([text])
    assert column.label == label
    assert select([label]) == (column,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prefs_simp(judged_only=True)", "prefs_simp has no setting judged_only"),
        ("map(bound=most)", "found bound=most, expected least or greatest"),
        ("map(judged_only=maybe)", "found judged_only=maybe, expected False or True"),
    ],
)
def test_views_that_make_no_sense(text: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        select([text])


KINDS = {
    "subtopics": ("AP_IA", "1 {} {} {}\n"),
    "qrels_jg": ("map_avgjg", "1 {} {} {}\n"),
    "strata": ("xinfAP", "1 0 {1} 1 {2}\n"),
}


@pytest.mark.parametrize("form", KINDS)
def test_levels_under_every_kind_of_judgements(form: str, call: Command, tmp_path: Path) -> None:
    """A level of a column's own is that of -l."""
    measure, line = KINDS[form]
    (tmp_path / "judged").write_text("".join(line.format(n // 5, f"d{n}", n % 4) for n in range(9)))
    (tmp_path / "run").write_text("".join(f"1 Q0 d{n * 2 % 11} 0 {9 - n} t\n" for n in range(9)))
    files = "-R", form, str(tmp_path / "judged"), str(tmp_path / "run")
    by_option = call.ok("-m", measure, "-l", "2", *files).out.split("\t")
    by_column = call.ok("-m", f"{measure}(rel=2)", *files).out.split("\t")
    assert by_option[1:] == by_column[1:] and float(by_option[2]) not in (0, 1)
    assert call.ok("-m", measure, *files).out.split("\t")[2] != by_option[2]
