"""The measures in print order, and the nicknames for groups of them: explicit tuples, nothing else."""

from __future__ import annotations

from pres_eval.measures.average_precision import GM_MAP, INF_AP, MAP, MAP_CUT, YAAP
from pres_eval.measures.base import Measure
from pres_eval.measures.bpref import BPREF, GM_BPREF
from pres_eval.measures.counts import (
    NUM_NONREL_JUDGED_RET,
    NUM_Q,
    NUM_REL,
    NUM_REL_RET,
    NUM_RET,
    RELSTRING,
    RUNID,
)
from pres_eval.measures.cumulated_gain import DCG_CUT, DCG_EXP_CUT, NDCG_GAIN_CUT
from pres_eval.measures.diversity import DIVERSITY_MEASURES
from pres_eval.measures.interpolation import ELEVEN_POINT_AVERAGE, IPREC_AT_RECALL
from pres_eval.measures.judged import JUDGED, UNJ
from pres_eval.measures.judgement_groups import JUDGEMENT_GROUP_MEASURES
from pres_eval.measures.likeness import ACCURACY, COMPAT
from pres_eval.measures.ndcg import DCG, IDEAL_DCG, NDCG, NDCG_CUT, NDCG_EXP_CUT
from pres_eval.measures.normalized_gain import BIN_G, NDCG_REL, R_NDCG, G
from pres_eval.measures.precision import (
    F_CUT,
    HITS,
    RECALL,
    RECIP_RANK,
    RECIP_RANK_CUT,
    RELATIVE_P,
    RPREC,
    RPREC_MULT,
    SUCCESS,
    P,
)
from pres_eval.measures.preference import PREFERENCE_MEASURES
from pres_eval.measures.pres import FPRIME, PRES, PRES_EST, RNORM
from pres_eval.measures.rbp import ERR, RBP, RBP_BINARY, RBP_RESID
from pres_eval.measures.readers import READER_MEASURES
from pres_eval.measures.screening import SCREENING_MEASURES
from pres_eval.measures.sets import SET_F, SET_MAP, SET_P, SET_RECALL, SET_RELATIVE_P, UTILITY
from pres_eval.options import VERSIONS, Version

MEASURES: tuple[Measure, ...] = (
    RUNID,
    NUM_Q,
    NUM_RET,
    NUM_REL,
    NUM_REL_RET,
    MAP,
    GM_MAP,
    RPREC,
    BPREF,
    RECIP_RANK,
    IPREC_AT_RECALL,
    P,
    RELSTRING,
    RECALL,
    INF_AP,
    GM_BPREF,
    RPREC_MULT,
    UTILITY,
    ELEVEN_POINT_AVERAGE,
    BIN_G,
    G,
    DCG,
    IDEAL_DCG,
    NDCG,
    NDCG_REL,
    R_NDCG,
    NDCG_CUT,
    MAP_CUT,
    RELATIVE_P,
    SUCCESS,
    SET_P,
    SET_RELATIVE_P,
    SET_RECALL,
    SET_MAP,
    SET_F,
    NUM_NONREL_JUDGED_RET,
    *PREFERENCE_MEASURES,
    *JUDGEMENT_GROUP_MEASURES,
    YAAP,
    RBP,
    RBP_RESID,
    UNJ,
    PRES,
    PRES_EST,
    RNORM,
    FPRIME,
    RECIP_RANK_CUT,
    NDCG_EXP_CUT,
    ERR,
    F_CUT,
    RBP_BINARY,
    JUDGED,
    HITS,
    DCG_CUT,
    DCG_EXP_CUT,
    NDCG_GAIN_CUT,
    ACCURACY,
    COMPAT,
    *READER_MEASURES,
    *SCREENING_MEASURES,
    *DIVERSITY_MEASURES,
)

MEASURE_BY_NAME: dict[str, Measure] = {measure.name: measure for measure in MEASURES}

_OFFICIAL = (
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
)
_SET = (
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "utility",
    "set_P",
    "set_recall",
    "set_relative_P",
    "set_map",
    "set_F",
)
_ALL_TREC = (
    *_OFFICIAL,
    "relstring",
    "recall",
    "infAP",
    "gm_bpref",
    "utility",
    "11pt_avg",
    "ndcg",
    "relative_P",
    "Rprec_mult",
    "success",
    "map_cut",
    "ndcg_cut",
    "ndcg_rel",
    "Rndcg",
    "binG",
    "G",
    "set_P",
    "set_recall",
    "set_relative_P",
    "set_map",
    "set_F",
    "num_nonrel_judged_ret",
)
_PREFS = (
    "runid",
    "num_q",
    "prefs_num_prefs_poss",
    "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
    "prefs_simp",
    "prefs_pair",
    "prefs_avgjg",
)
_ALL_PREFS = (
    *_PREFS,
    "prefs_avgjg_Rnonrel",
    "prefs_simp_ret",
    "prefs_pair_ret",
    "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp",
    "prefs_pair_imp",
    "prefs_avgjg_imp",
)
_QRELS_JG = ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
_EXTENDED = ("recip_rank_cut", "ndcg_exp_cut", "err", "F_cut", "judged")
_READERS = tuple(measure.name for measure in READER_MEASURES)
_SCREENING = ("num_ret", "num_rel", "num_rel_ret", *(measure.name for measure in SCREENING_MEASURES))
_DIVERSITY = ("runid", "num_q", *(measure.name for measure in DIVERSITY_MEASURES))
_PRES = ("PRES", "PRES_est", "Rnorm", "Fprime")

OUR_NICKNAMES = {
    "extended": _EXTENDED,
    "pres": _PRES,
    "readers": _READERS,
    "screening": _SCREENING,
    "diversity": _DIVERSITY,
}


def _nicknames(version: Version) -> dict[str, tuple[str, ...]]:
    return {
        "official": _OFFICIAL,
        "set": _SET,
        "all_trec": (*_ALL_TREC, *version.also_in_all_trec),
        "all_prefs": _ALL_PREFS,
        "prefs": _PREFS,
        "qrels_jg": _QRELS_JG,
        **OUR_NICKNAMES,
    }


NICKNAMES = {name: _nicknames(version) for name, version in VERSIONS.items()}
"""For each trec_eval its names for groups of measures, and ours; they print in the order of MEASURES."""
