"""ir_measures' names as trec_eval's."""

from __future__ import annotations

import pytest

from pres_eval.errors import MeasureError
from pres_eval.measures.selection import select
from pres_eval.options import RelevanceInfo


def chosen(*texts: str) -> list[tuple[str, int | None]]:
    """Labels and relevance levels."""
    return [(column.label, column.view.level) for column in select(texts)]


@pytest.mark.parametrize(
    ("text", "label", "level"),
    [
        ("AP", "map", None),
        ("MAP", "map", None),
        ("AP@100", "map_cut_100", None),
        ("AP(rel=2)@100", "map_cut_100(rel=2)", 2),
        ("P@5", "P_5", None),
        ("AP_5", "map_cut_5", None),
        ("AP_5(rel=2)", "map_cut_5(rel=2)", 2),
        ("RR_10(rel=2,judged_only=True)", "recip_rank_cut_10(rel=2,judged_only=True)", 2),
        ("R_5", "recall_5", None),
        ("P(rel=2)@5", "P_5(rel=2)", 2),
        ("P(rel='2')@5", "P_5(rel=2)", 2),
        ("P( rel = 2 )@5", "P_5(rel=2)", 2),
        ("Precision@5", "P_5", None),
        ("R@1000", "recall_1000", None),
        ("Recall@1000", "recall_1000", None),
        ("RR", "recip_rank", None),
        ("MRR", "recip_rank", None),
        ("RR@10", "recip_rank_cut_10", None),
        ("RR(rel=3)@10", "recip_rank_cut_10(rel=3)", 3),
        ("nDCG", "ndcg", None),
        ("nDCG@10", "ndcg_cut_10", None),
        ("NDCG@10", "ndcg_cut_10", None),
        ("nDCG(dcg='log2')@10", "ndcg_cut_10", None),
        ("nDCG(dcg='exp-log2')@10", "ndcg_exp_cut_10", None),
        ("ERR@20", "err_20", None),
        ("Judged@10", "judged_10", None),
        ("RBP(p=0.8)", "rbp_p=0.8", None),
        ("RBP(p=0.5,rel=1)", "rbp_binary_p=0.5(rel=1)", 1),
        ("RBP(p=0.5,rel=2)@10", "rbp_cut_10_p=0.5(rel=2)", 2),
        ("RBP(rel=1)@10", "rbp_cut_10_p=0.8(rel=1)", 1),
        ("nDCG(gains={0:0,1:2,2:5})", "ndcg_0=0,1=2,2=5", None),
        ("nDCG(gains={0: 0, 1: 2})@5", "ndcg_gain_cut_5_0=0,1=2", None),
        ("Accuracy", "accuracy", None),
        ("Accuracy(rel=2)@5", "accuracy_5(rel=2)", 2),
        ("BPM(T=2.0,max_rel=3)@10", "bpm_10_T=2.0,max_rel=3", None),
        ("SDCG(max_rel=3)@10", "sdcg_10_max_rel=3", None),
        ("ERR(max_rel=5)@10", "err_10_max_rel=5", None),
        ("ERR(max_rel=5)", "err_all_max_rel=5", None),
        ("err(max_rel=5)@10", "err_10_max_rel=5", None),
        ("err(max=5)", "err_all_max_rel=5", None),
        ("SDCG(min_rel=1,max_rel=3)@10", "sdcg_10_min_rel=1,max_rel=3", None),
        ("NERR8(max_rel=3)@10", "nerr8_10_max_rel=3", None),
        ("NERR9(max_rel=3)@10", "nerr9_10_max_rel=3", None),
        ("NERR10(p=0.8,max_rel=3)", "nerr10_p=0.8,max_rel=3", None),
        ("NERR11(T=2.0,max_rel=3)", "nerr11_T=2.0,max_rel=3", None),
        ("INSQ(max_rel=3)", "insq_max_rel=3", None),
        ("INST(T=1.5,max_rel=3)", "inst_T=1.5,max_rel=3", None),
        ("Compat", "compat", None),
        ("Compat(p=0.8)", "compat_p=0.8", None),
        ("Compat(p=0.8,normalize=False)", "compat_p=0.8,normalize=0", None),
        ("hits@5", "hits_5", None),
        ("dcg_burges@5", "dcg_exp_cut_5", None),
        ("dcg_burges", "dcg_exp_cut_all", None),
        ("WSS@95", "wss_95", None),
        ("SetRelP", "set_relative_P", None),
        ("Rprec", "Rprec", None),
        ("RPrec", "Rprec", None),
        ("Bpref", "bpref", None),
        ("BPref", "bpref", None),
        ("infAP", "infAP", None),
        ("IPrec@0.1", "iprec_at_recall_0.10", None),
        ("Success@5", "success_5", None),
        ("SetP", "set_P", None),
        ("SetP(relative=True)", "set_relative_P", None),
        ("SetR", "set_recall", None),
        ("SetAP", "set_map", None),
        ("SetF", "set_F", None),
        ("SetF(beta=2)", "set_F_2", None),
        ("F(beta=0.5)@10", "F_cut_0.5_10", None),
        ("NumQ", "num_q", None),
        ("NumRet", "num_ret", None),
        ("NumRet(rel=1)", "num_rel_ret(rel=1)", 1),
        ("NumRel", "num_rel", None),
        ("NumRelRet", "num_rel_ret", None),
        ("PRES@100", "PRES_100", None),
        ("PRES_est@100", "PRES_est_100", None),
        ("Rnorm@100", "Rnorm_100", None),
        ("Rnorm", "Rnorm", None),
        ("P(judged_only=False)@5", "P_5", None),
        ("RBP(p=0.8)@5", "rbp_graded_cut_5_p=0.8", None),
    ],
)
def test_names(text: str, label: str, level: int | None) -> None:
    assert chosen(text) == [(label, level)]
    assert chosen(label) == [(label, level)]


@pytest.mark.parametrize(
    ("text", "label", "level"),
    [
        ("alpha_nDCG@10", "alpha_nDCG_10", None),
        ("α_nDCG@10", "alpha_nDCG_10", None),
        ("alpha_DCG(alpha=0.3,rel=2)@10", "alpha_DCG_10_alpha=0.3(rel=2)", 2),
        ("ERR_IA@20", "ERR_IA_20", None),
        ("nERR_IA(rel=2)@20", "nERR_IA_20(rel=2)", 2),
        ("NRBP(alpha=0.3,beta=0.8)", "NRBP_alpha=0.3,beta=0.8", None),
        ("nNRBP", "nNRBP", None),
        ("AP_IA(rel=2)", "AP_IA(rel=2)", 2),
        ("MAP_IA", "AP_IA", None),
        ("P_IA@5", "P_IA_5", None),
        ("StRecall@5", "StRecall_5", None),
    ],
)
def test_names_of_diversity(text: str, label: str, level: int | None) -> None:
    columns = select([text], relevance=RelevanceInfo.SUBTOPICS)
    assert [(column.label, column.view.level) for column in columns] == [(label, level)]
    assert select([label], relevance=RelevanceInfo.SUBTOPICS) == columns


def test_levels_beside_each_other() -> None:
    """The same label at several levels: the level is added where it is needed to tell them apart."""
    assert chosen("P.5", "P(rel=2)@5", "P(rel=3)@10") == [
        *(("P_5", None), ("P_5(rel=2)", 2), ("P_10(rel=3)", 3))
    ]
    assert chosen("AP(rel=3)", "AP(rel=2)") == [("map(rel=3)", 3), ("map(rel=2)", 2)]


def test_both_notations_unite() -> None:
    assert chosen("P@5", "P.10", "nDCG@10", "ndcg_cut.5") == [
        *(("P_5", None), ("P_10", None), ("ndcg_cut_5", None), ("ndcg_cut_10", None))
    ]


@pytest.mark.parametrize(
    "name", ["BPM@10", "INSQ", "INST", "NERR8@10", "NERR9@10", "NERR10", "NERR11", "SDCG@10"]
)
def test_what_needs_the_highest_grade_says_so(name: str) -> None:
    """As in ir_measures, where it has no default."""
    with pytest.raises(MeasureError) as caught:
        select([name])
    assert str(caught.value) == f"-m {name}: no max_rel, expected (max_rel=…)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Rprec@5", "-m Rprec@5: Rprec takes no cutoff, found @5"),
        (
            "rbp_cut_5_10",
            "-m rbp_cut_5_10: no such measure; did you mean rbp_cut or rbp_graded_cut or map_cut?",
        ),
        ("P(foo=1)@5", "-m P(foo=1)@5: P has no setting foo=1"),
        ("P(rel=x)@5", "-m P(rel=x)@5: P has no setting rel=x"),
        ("P(rel=-1)@5", "-m P(rel=-1)@5: P has no setting rel=-1"),
        ("nDCG(gains={0,1})@5", "-m nDCG(gains={0,1})@5: found gains={0,1}, expected {grade:gain,…}"),
        (
            "nDCG(gains={0:0,1:2)@10",
            "-m nDCG(gains={0:0,1:2)@10: found gains={0:0,1:2, expected {grade:gain,…}",
        ),
        ("P(rel=[2)@5", "-m P(rel=[2)@5: P has no setting rel=[2"),
        ("nDCG(gains={0:x})@5", "-m ndcg_gain_cut.…: found 'x', expected a number"),
        (
            "nDCG(gains={0:1},dcg='exp-log2')",
            "-m nDCG(gains={0:1},dcg='exp-log2'): found dcg=exp-log2, expected log2",
        ),
        ("SDCG@10", "-m SDCG@10: no max_rel, expected (max_rel=…)"),
        ("SDCG(max_rel=3,T=2)@10", "-m SDCG(max_rel=3,T=2)@10: sdcg has no setting T=2"),
        (
            "SDCG(max_rel=3,rel=2)",
            "-m SDCG(max_rel=3,rel=2): sdcg does not depend on the relevance level, found rel=2",
        ),
        ("INST(max_rel=3)@10", "-m INST(max_rel=3)@10: inst takes no cutoff, found @10"),
        ("Compat(normalize=2)", "-m Compat(normalize=2): found normalize=2, expected True or False"),
        ("nDCG(dcg='other')@5", "-m nDCG(dcg='other')@5: found dcg=other, expected log2 or exp-log2"),
        ("nDCG(rel=2)", "-m nDCG(rel=2): ndcg does not depend on the relevance level, found rel=2"),
        ("ERR(rel=2)@5", "-m ERR(rel=2)@5: err does not depend on the relevance level, found rel=2"),
        ("Judged(rel=2)@5", "-m Judged(rel=2)@5: judged does not depend on the relevance level, found rel=2"),
        ("NumQ(rel=2)", "-m NumQ(rel=2): num_q does not depend on the relevance level, found rel=2"),
        ("P@", "-m P@: found '@' behind P, expected (setting=value,…)@cutoff"),
        ("P@x", "-m P@x: found '@x' behind P, expected (setting=value,…)@cutoff"),
        ("P(rel=2", "-m P(rel=2: found '(rel=2' behind P, expected (setting=value,…)@cutoff"),
        ("PRES@1@2", "-m PRES@1@2: found '@1@2' behind PRES, expected (setting=value,…)@cutoff"),
        ("hit_rate", "-m hit_rate: no cutoff, expected one, as in @10"),
        ("SetP(relative=maybe)", "-m SetP(relative=maybe): found relative=maybe, expected False or True"),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        select([text])
    assert str(caught.value) == message
