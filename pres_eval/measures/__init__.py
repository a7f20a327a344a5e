"""The measures in print order with the module of each, and the nicknames for groups of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pres_eval.measures.base import Measure
from pres_eval.options import VERSIONS, Version

HOME: dict[str, str] = {
    "runid": "counts",
    "num_q": "counts",
    "num_ret": "counts",
    "num_rel": "counts",
    "num_rel_ret": "counts",
    "map": "average_precision",
    "gm_map": "average_precision",
    "Rprec": "precision",
    "bpref": "bpref",
    "recip_rank": "precision",
    "iprec_at_recall": "interpolation",
    "P": "precision",
    "relstring": "counts",
    "recall": "precision",
    "infAP": "average_precision",
    "gm_bpref": "bpref",
    "Rprec_mult": "precision",
    "utility": "sets",
    "11pt_avg": "interpolation",
    "binG": "normalized_gain",
    "G": "normalized_gain",
    "dcg": "ndcg",
    "ideal_dcg": "ndcg",
    "ndcg": "ndcg",
    "ndcg_rel": "normalized_gain",
    "Rndcg": "normalized_gain",
    "ndcg_cut": "ndcg",
    "map_cut": "average_precision",
    "relative_P": "precision",
    "success": "precision",
    "set_P": "sets",
    "set_relative_P": "sets",
    "set_recall": "sets",
    "set_map": "sets",
    "set_F": "sets",
    "num_nonrel_judged_ret": "counts",
    "prefs_num_prefs_poss": "preference",
    "prefs_num_prefs_ful": "preference",
    "prefs_num_prefs_ful_ret": "preference",
    "prefs_simp": "preference",
    "prefs_pair": "preference",
    "prefs_avgjg": "preference",
    "prefs_avgjg_Rnonrel": "preference",
    "prefs_simp_ret": "preference",
    "prefs_pair_ret": "preference",
    "prefs_avgjg_ret": "preference",
    "prefs_avgjg_Rnonrel_ret": "preference",
    "prefs_simp_imp": "preference",
    "prefs_pair_imp": "preference",
    "prefs_avgjg_imp": "preference",
    "map_avgjg": "judgement_groups",
    "P_avgjg": "judgement_groups",
    "Rprec_mult_avgjg": "judgement_groups",
    "yaap": "average_precision",
    "rbp": "rbp",
    "rbp_resid": "rbp",
    "unj": "judged",
    "PRES": "pres",
    "PRES_est": "pres",
    "Rnorm": "pres",
    "Fprime": "pres",
    "recip_rank_cut": "precision",
    "ndcg_exp_cut": "ndcg",
    "err": "rbp",
    "F_cut": "precision",
    "rbp_binary": "rbp",
    "judged": "judged",
    "hits": "precision",
    "dcg_cut": "cumulated_gain",
    "dcg_exp_cut": "cumulated_gain",
    "ndcg_gain_cut": "cumulated_gain",
    "accuracy": "likeness",
    "compat": "likeness",
    "rbp_cut": "readers",
    "rbp_graded_cut": "readers",
    "sdcg": "readers",
    "bpm": "readers",
    "insq": "readers",
    "inst": "readers",
    "nerr8": "readers",
    "nerr9": "readers",
    "nerr10": "readers",
    "nerr11": "readers",
    "urbp": "document_scores",
    "urbp_graded": "document_scores",
    "ubpref": "document_scores",
    "wss": "screening",
    "last_rel": "screening",
    "norm_last_rel": "screening",
    "recall_at_percent": "screening",
    "norm_area": "screening",
    "atd": "screening",
    "total_cost": "reading_cost",
    "total_cost_uniform": "reading_cost",
    "total_cost_weighted": "reading_cost",
    "loss_r": "reading_cost",
    "loss_e": "reading_cost",
    "loss_er": "reading_cost",
    "alpha_DCG": "diversity",
    "alpha_nDCG": "diversity",
    "ERR_IA": "diversity",
    "nERR_IA": "diversity",
    "NRBP": "diversity",
    "nNRBP": "diversity",
    "AP_IA": "diversity",
    "P_IA": "diversity",
    "StRecall": "diversity",
}
"""Every measure in print order, and the module of this folder that has its record and formula."""


class _Measures(Mapping[str, Measure]):
    """The records by name, in print order; a module is imported when one of its measures is wanted."""

    def __init__(self) -> None:
        self._found: dict[str, Measure] = {}

    def __getitem__(self, name: str) -> Measure:
        if name not in self._found:
            module = importlib.import_module(f"pres_eval.measures.{HOME[name]}")
            for value in vars(module).values():
                records = value if isinstance(value, tuple) else (value,)
                self._found.update((one.name, one) for one in records if isinstance(one, Measure))
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(HOME)

    def __len__(self) -> int:
        return len(HOME)

    def __contains__(self, name: object) -> bool:
        return name in HOME


MEASURE_BY_NAME: Mapping[str, Measure] = _Measures()

if TYPE_CHECKING:
    MEASURES: tuple[Measure, ...]


def __getattr__(name: str) -> Any:
    """MEASURES, all records in print order: most evaluations need a few of them only."""
    if name != "MEASURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tuple(MEASURE_BY_NAME.values())


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
_READERS = tuple(name for name, home in HOME.items() if home == "readers")
_SCREENING = (
    "num_ret",
    "num_rel",
    "num_rel_ret",
    *(name for name, home in HOME.items() if home in ("screening", "reading_cost")),
)
_DIVERSITY = ("runid", "num_q", *(name for name, home in HOME.items() if home == "diversity"))
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
