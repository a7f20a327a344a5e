"""What the records of measures say beside their formulas, each held against what it means."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from support.batches import batch_of, columns_of
from support.oracle import UNKNOWN, Topic

from pres_eval.errors import MeasureError, PresEvalError
from pres_eval.measures import HOME, MEASURES, measure_of
from pres_eval.measures.base import Format, Measure
from pres_eval.measures.bounds import RULES, WITHOUT_BOUNDS, rule_of
from pres_eval.measures.expected import FUNCTIONS, WITHOUT_EXPECTED, has_expected_value
from pres_eval.options import RelevanceInfo

_NAMES = """
runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring
recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut
map_cut relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret
prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret
prefs_simp prefs_pair prefs_avgjg prefs_avgjg_Rnonrel
prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret
prefs_simp_imp prefs_pair_imp prefs_avgjg_imp
map_avgjg P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj
"""
TREC_EVAL = set(_NAMES.split())
"""The measures of 9.0.8 and 10.0."""

OF_QRELS = [
    pytest.param(measure, id=measure.name)
    for measure in MEASURES
    if measure.relevance is RelevanceInfo.QRELS and measure.format not in (Format.TEXT, Format.TAG)
]


def test_which_measures_are_trec_evals() -> None:
    assert {measure.name for measure in MEASURES if not measure.ours} == TREC_EVAL


WHOLE_GRADES = "relstring G ndcg_rel Rndcg ndcg_exp_cut err dcg_exp_cut ndcg_gain_cut"
"""Measures that look grades up in a table, or make powers or digits of them."""

COUNTS = """
runid num_q num_ret num_rel relstring num_nonrel_judged_ret
prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret
inum_rel_ret inum_rel stat_num_rel
"""
"""Measures that say nothing of which run is better."""


def test_which_measures_need_whole_grades() -> None:
    assert {measure.name for measure in MEASURES if measure.whole_grades} == set(WHOLE_GRADES.split())


def test_which_measures_are_counts() -> None:
    assert {measure.name for measure in MEASURES if not measure.tells_quality} == set(COUNTS.split())


def test_every_measure_declares_what_it_is() -> None:
    """Whether that is true of it is tried in test_traits.py."""
    assert not [measure.name for measure in MEASURES if not measure.traits]


TABLES = [
    pytest.param(RULES, WITHOUT_BOUNDS, lambda measure: rule_of(measure) is not None, id="bounds"),
    pytest.param(FUNCTIONS, WITHOUT_EXPECTED, has_expected_value, id="expected"),
]


@pytest.mark.parametrize(("functions", "reasons", "is_there"), TABLES)
def test_every_measure_has_bounds_and_expected_values_or_a_reason_why_not(
    functions: dict[str, Any], reasons: dict[str, str], is_there: Callable[[Measure], bool]
) -> None:
    """By the tables or by its traits; the measures of other judgements than qrels never have them."""
    for measure in MEASURES:
        if measure.relevance is RelevanceInfo.QRELS:
            assert is_there(measure) is (measure.name not in reasons), measure.name
        else:
            assert measure.name not in {*functions, *reasons}, f"{measure.name} is not computed from qrels"


@pytest.mark.parametrize(("functions", "reasons", "is_there"), TABLES)
def test_tables_of_bounds_and_expected_values_name_measures_that_there_are(
    functions: dict[str, Any], reasons: dict[str, str], is_there: Callable[[Measure], bool]
) -> None:
    assert not functions.keys() & reasons.keys()
    assert {*functions, *reasons} <= HOME.keys()
    assert len(functions) > 5 and all(map(callable, functions.values()))
    assert all(len(reason.split()) > 3 for reason in reasons.values())


@pytest.mark.parametrize("setting", ["normalize=0.5", "depth=2.5"])
def test_settings_that_are_whole_numbers(setting: str) -> None:
    with pytest.raises(MeasureError, match=f"-m compat.…: found {setting}, expected "):
        columns_of(measure_of("compat"), setting)


GRADES = (2, 1, 1, 0, 0, 0, 0, 0, 0, 0)
GOOD = Topic((2, 1, 1, 0, 0), GRADES, collection=50)
WORSE = [
    replace(GOOD, ranking=ranking)
    for ranking in (
        *((0, 0, 1, 1, 2), (2, 1, 1, 0, 0, 0, 0), (2, 1, 1, UNKNOWN, UNKNOWN)),
        *((2, UNKNOWN, UNKNOWN, UNKNOWN, 1, 1), (2, 0, 0, 0, 0, 1)),
    )
]
"""Relevant documents are later or fewer, or what was retrieved beside them is more, or not judged."""

SAY_NOTHING_OF_THE_RUN = {"ideal_dcg", "num_rel"}


@pytest.mark.parametrize("measure", OF_QRELS)
def test_a_better_run_has_a_better_value(measure: Measure) -> None:
    """`less_is_better` and `tells_quality` are true of all measures."""
    if not measure.tells_quality or measure.name in SAY_NOTHING_OF_THE_RUN:
        return
    sign = -1.0 if measure.less_is_better else 1.0
    gains = [
        sign * (float(measure.score(batch_of([GOOD]), *arguments)[0]) - float(value))
        for worse in WORSE
        for _, arguments in columns_of(measure)
        for value in measure.score(batch_of([worse]), *arguments)
    ]
    assert min(gains) >= 0
    assert max(gains) > 0


@pytest.mark.parametrize("measure", OF_QRELS)
def test_only_measures_that_say_so_need_scores_of_documents(measure: Measure) -> None:
    batch = replace(batch_of([GOOD]), document_scores=None)
    needed = pytest.raises(PresEvalError, match="--document-scores")
    with needed if measure.needs_document_scores else nullcontext():
        measure.score(batch, *columns_of(measure)[0][1])


NINE = "5 10 15 20 30 100 200 500 1000"
THREE = "5 10 20"
WITHOUT_PARAMETERS = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "P_avgjg"), NINE),
    **dict.fromkeys(("unj", "ndcg_exp_cut", "err", "dcg_cut", "dcg_exp_cut", "ndcg_gain_cut"), THREE),
    **dict.fromkeys(("q_measure_cut", "ncg", "nerr", "irbu"), THREE),
    **dict.fromkeys(("D_nDCG", "D_Q", "Dsharp_nDCG", "Dsharp_Q"), THREE),
    **dict.fromkeys(("rbp_cut", "rbp_graded_cut", "sdcg", "bpm", "nerr8", "nerr9"), THREE),
    **dict.fromkeys(("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall"), THREE),
    **dict.fromkeys(("PRES", "PRES_est"), "100 1000"),
    **dict.fromkeys(("success", "hits"), "1 5 10"),
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), "0.20 0.40 0.60 0.80 1.00 1.20 1.40 1.60 1.80 2.00"),
    **dict.fromkeys(("iP", "irecall"), NINE),
    "iprec_at_recall": "0.00 0.10 0.20 0.30 0.40 0.50 0.60 0.70 0.80 0.90 1.00",
    "Fprime": "1_100 1_1000 4_100 4_1000",
    "F_cut": " ".join(f"1_{cutoff}" for cutoff in NINE.split()),
    "recip_rank_cut": "10 100",
    "judged": "10 100 1000",
    **dict.fromkeys(("read_for_recall", "share_for_recall", "tnr"), "70 80 90 95"),
    "erf": "10 20",
    "wss_asreview": "95",
    "erf_asreview": "1 10",
    "tnr_asreview": "50 90",
    "recall_asreview": "1 10 25 50 75 90",
    **dict.fromkeys(
        ("recall_at", "facet_recall"), " ".join(f"{a}R+{b}" for a in (1, 2, 4) for b in (0, 100, 1000))
    ),
    "wss": "95 100",
    "recall_at_percent": "1 5 10 20 50",
}
"""The columns of measures that have several, whose parameters are not named: scripts count on them."""


@pytest.mark.parametrize("measure", [pytest.param(measure, id=measure.name) for measure in MEASURES])
def test_columns_without_parameters(measure: Measure) -> None:
    endings = WITHOUT_PARAMETERS.get(measure.name)
    expected = [f"{measure.name}_{ending}" for ending in endings.split()] if endings else [measure.name]
    assert [label for label, _ in columns_of(measure)] == expected
