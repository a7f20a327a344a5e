"""What the records of measures say beside their formulas, each held against what it means."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from support.batches import batch_of, columns_of
from support.oracle import UNKNOWN, Topic

from pres_eval.errors import PresEvalError
from pres_eval.measures import MEASURES
from pres_eval.measures.base import Format, Measure
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
