"""The measures in print order with the module of each, and the nicknames for groups of them."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from pres_eval.measures.base import Measure
from pres_eval.options import VERSIONS

IN_PRINT_ORDER = (
    ("counts", "runid num_q num_ret num_rel num_rel_ret"),
    ("average_precision", "map gm_map"),
    ("precision", "Rprec"),
    ("bpref", "bpref"),
    ("precision", "recip_rank"),
    ("interpolation", "iprec_at_recall"),
    ("precision", "P"),
    ("counts", "relstring"),
    ("precision", "recall"),
    ("average_precision", "infAP"),
    ("bpref", "gm_bpref"),
    ("precision", "Rprec_mult"),
    ("sets", "utility"),
    ("interpolation", "11pt_avg"),
    ("normalized_gain", "binG G"),
    ("ndcg", "dcg ideal_dcg ndcg"),
    ("normalized_gain", "ndcg_rel Rndcg"),
    ("ndcg", "ndcg_cut"),
    ("average_precision", "map_cut"),
    ("precision", "relative_P success"),
    ("sets", "set_P set_relative_P set_recall set_map set_F"),
    ("counts", "num_nonrel_judged_ret"),
    ("preference", "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret"),
    ("preference", "prefs_simp prefs_pair prefs_avgjg prefs_avgjg_Rnonrel"),
    ("preference", "prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret"),
    ("preference", "prefs_simp_imp prefs_pair_imp prefs_avgjg_imp"),
    ("judgement_groups", "map_avgjg P_avgjg Rprec_mult_avgjg"),
    ("average_precision", "yaap"),
    ("rbp", "rbp rbp_resid"),
    ("judged", "unj"),
    ("pres", "PRES PRES_est Rnorm Fprime"),
    ("precision", "recip_rank_cut"),
    ("ndcg", "ndcg_exp_cut"),
    ("rbp", "err"),
    ("precision", "F_cut"),
    ("rbp", "rbp_binary"),
    ("judged", "judged"),
    ("precision", "hits"),
    ("cumulated_gain", "dcg_cut dcg_exp_cut ndcg_gain_cut"),
    ("likeness", "accuracy compat"),
    ("readers", "rbp_cut rbp_graded_cut sdcg bpm insq inst nerr8 nerr9 nerr10 nerr11"),
    ("budgets", "PRES_budget"),
    ("document_scores", "urbp urbp_graded ubpref"),
    ("screening", "wss last_rel norm_last_rel recall_at_percent norm_area atd"),
    ("effort", "read_for_recall share_for_recall tnr erf recall_at loss"),
    ("reading_cost", "total_cost total_cost_uniform total_cost_weighted loss_r loss_e loss_er"),
    ("diversity", "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA StRecall facet_recall"),
    ("sampled", "xinfAP infNDCG iP irecall inum_rel_ret inum_rel statAP stat_num_rel"),
)

HOME = {name: home for home, names in IN_PRINT_ORDER for name in names.split()}
"""Every measure in print order, and the module of this folder that has its record and formula."""


@cache
def measure_of(name: str) -> Measure:
    """Return the record of a measure; its module is imported only now."""
    module = importlib.import_module(f"pres_eval.measures.{HOME[name]}")
    records: dict[str, Measure] = {measure.name: measure for measure in module.MEASURES}
    return records[name]


if TYPE_CHECKING:
    MEASURES: tuple[Measure, ...]


def __getattr__(name: str) -> Any:
    """MEASURES, all records in print order: most evaluations need a few of them only."""
    if name != "MEASURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tuple(map(measure_of, HOME))


def _of(*homes: str) -> tuple[str, ...]:
    """Return the measures of these modules."""
    return tuple(name for name, home in HOME.items() if home in homes)


_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_ALL_TREC = f"""
    {_OFFICIAL}
    relstring recall infAP gm_bpref utility 11pt_avg ndcg relative_P Rprec_mult success map_cut ndcg_cut
    ndcg_rel Rndcg binG G set_P set_recall set_relative_P set_map set_F num_nonrel_judged_ret
"""
_SET = "num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
_PREFS = "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg"
_FOR_ALL = ("runid", "num_q")

OUR_NICKNAMES = {
    "extended": ("recip_rank_cut", "ndcg_exp_cut", "err", "F_cut", "judged"),
    "pres": _of("pres"),
    "readers": _of("readers"),
    "screening": ("num_ret", "num_rel", "num_rel_ret", *_of("screening", "effort", "reading_cost")),
    "diversity": (*_FOR_ALL, *_of("diversity")),
    "sampled": (*_FOR_ALL, *_of("sampled")),
}


NICKNAMES = {
    version.name: {
        "official": tuple(_OFFICIAL.split()),
        "set": (*_FOR_ALL, *_SET.split()),
        "all_trec": (*_ALL_TREC.split(), *version.also_in_all_trec),
        "all_prefs": (*_FOR_ALL, *_of("preference")),
        "prefs": (*_FOR_ALL, *_PREFS.split()),
        "qrels_jg": (*_FOR_ALL, *_of("judgement_groups")),
        **OUR_NICKNAMES,
    }
    for version in VERSIONS.values()
}
"""For each trec_eval its names for groups of measures, and ours; they print in the order of MEASURES."""
