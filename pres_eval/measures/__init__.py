"""The measures by name: built-in ones in print order with the module of each, nicknames, and those of users.

Users register measures of their own from Python, or name them as `package.module:NAME`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.errors import MeasureError, PresEvalError, quoted
from pres_eval.measures.base import Format, Measure
from pres_eval.options import VERSIONS

# Each line: a module of this folder, and measures of it, separated by blanks.
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
    ("average_precision", "map_ret"),
    ("cumulated_gain", "dcg_cut dcg_exp_cut ndcg_gain_cut"),
    ("likeness", "accuracy compat"),
    ("readers", "rbp_cut rbp_graded_cut sdcg bpm insq inst nerr8 nerr9 nerr10 nerr11"),
    ("budgets", "PRES_budget"),
    ("document_scores", "urbp urbp_graded ubpref"),
    ("screening", "wss last_rel norm_last_rel recall_at_percent norm_area atd"),
    ("effort", "read_for_recall share_for_recall tnr erf recall_at loss"),
    ("asreview", "wss_asreview erf_asreview tnr_asreview recall_asreview"),
    ("reading_cost", "total_cost total_cost_uniform total_cost_weighted loss_r loss_e loss_er"),
    ("diversity", "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA StRecall facet_recall"),
    ("ntcir", "q_measure q_measure_cut ncg nerr o_measure irbu"),
    ("intents", "D_nDCG D_Q Dsharp_nDCG Dsharp_Q"),
    ("sampled", "xinfAP infNDCG iP irecall inum_rel_ret inum_rel statAP stat_num_rel"),
)

HOME = {name: home for home, names in IN_PRINT_ORDER for name in names.split()}
"""Every measure in print order, and the module of this folder that has its record and formula."""


@cache
def measure_of(name: str) -> Measure:
    """Return the record of a built-in measure; its module is imported only now."""
    module = importlib.import_module(f"pres_eval.measures.{HOME[name]}")
    records: dict[str, Measure] = {measure.name: measure for measure in module.MEASURES}
    return records[name]


if TYPE_CHECKING:
    MEASURES: tuple[Measure, ...]


def __getattr__(name: str) -> Any:
    """Return MEASURES, all built-in records in print order, made only here: most runs need a few of them."""
    if name != "MEASURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tuple(map(measure_of, HOME))


_RARELY_USED = (
    "nerr8 nerr9 nerr10 nerr11 urbp urbp_graded ubpref"
    " total_cost_uniform total_cost_weighted statAP stat_num_rel"
)

FOR_PARITY = frozenset(_RARELY_USED.split())
"""Rarely used measures that reproduce the numbers of another tool: lists have them last, as one group."""


def _measures_in(*modules: str) -> tuple[str, ...]:
    """Return the names of the measures of these modules, in print order."""
    return tuple(name for name, home in HOME.items() if home in modules)


# Names of measures, separated by blanks, of which the nicknames below are made.
_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_ALL_TREC = f"""
    {_OFFICIAL}
    relstring recall infAP gm_bpref utility 11pt_avg ndcg relative_P Rprec_mult success map_cut ndcg_cut
    ndcg_rel Rndcg binG G set_P set_recall set_relative_P set_map set_F num_nonrel_judged_ret
"""
_SET = "num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
_PREFS = "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg"
_FOR_ALL = ("runid", "num_q")
"""Measures that need no particular format of judgements."""

OUR_NICKNAMES = {
    "extended": ("recip_rank_cut", "ndcg_exp_cut", "err", "F_cut", "judged"),
    "pres": _measures_in("pres"),
    "readers": _measures_in("readers"),
    "asreview": (*_measures_in("asreview"), "atd", "loss"),
    "screening": ("num_ret", "num_rel", "num_rel_ret", *_measures_in("screening", "effort", "reading_cost")),
    "diversity": (*_FOR_ALL, *_measures_in("diversity")),
    "ntcir": _measures_in("ntcir"),
    "intents": (*_FOR_ALL, *_measures_in("intents")),
    "sampled": (*_FOR_ALL, *_measures_in("sampled")),
}
"""Nicknames that trec_eval does not have, each with its measures."""

NICKNAMES = {
    version.name: {
        "official": tuple(_OFFICIAL.split()),
        "set": (*_FOR_ALL, *_SET.split()),
        "all_trec": (*_ALL_TREC.split(), *version.also_in_all_trec),
        "all_prefs": (*_FOR_ALL, *_measures_in("preference")),
        "prefs": (*_FOR_ALL, *_PREFS.split()),
        "qrels_jg": (*_FOR_ALL, *_measures_in("judgement_groups")),
        **OUR_NICKNAMES,
    }
    for version in VERSIONS.values()
}
"""By version of trec_eval its nicknames (names for several measures) and ours, each with its measures."""

_OWN: dict[str, Measure] = {}
"""Measures that users added, by name."""

_LISTENERS: list[Callable[[Measure], None]] = []
"""Functions that are called with each measure that a user adds."""


def add_measure(measure: Measure) -> None:
    """Register a measure, so that -m and Python find it by its name; a later one of that name replaces it.

    Raises MeasureError for the name of a built-in measure, or one that cannot be written after -m.
    """
    if not measure.name.isidentifier():
        raise MeasureError(f"measure {measure.name!r}: expected a name of letters, digits and _")
    if measure.name in HOME:
        raise MeasureError(f"measure {measure.name}: there is one of this name, expected another name")
    _OWN[measure.name] = measure
    for listener in _LISTENERS:
        listener(measure)


def when_added(listener: Callable[[Measure], None]) -> None:
    """Call a function with each measure that was added, and with those added from now on."""
    _LISTENERS.append(listener)
    for measure in own_measures():
        listener(measure)


def own_measures() -> tuple[Measure, ...]:
    """Return the measures that users added, in the order of adding; they print after all others."""
    return tuple(_OWN.values())


def measure_names() -> tuple[str, ...]:
    """Return the names of all measures in print order, those that were added among them."""
    return (*HOME, *_OWN)


def find_measure(name: str) -> Measure | None:
    """Return the measure of exactly this name, one that was added among them; None if there is none."""
    return measure_of(name) if name in HOME else _OWN.get(name)


def load_measure(text: str) -> Measure:
    """Import the measure that `package.module:NAME` names, and add it.

    Raises MeasureError if the module cannot be imported or has no such measure.
    """
    module, _, name = text.partition(":")
    try:
        imported = getattr(importlib.import_module(module), name)
    except Exception as error:
        raise MeasureError(f"-m {text}: cannot be imported ({type(error).__name__}: {error})") from error
    if not isinstance(imported, Measure):
        advice = "; write  NAME = pres_eval.register('name', function)" if callable(imported) else ""
        raise MeasureError(f"-m {text}: is a {type(imported).__name__}, expected a pres_eval.Measure{advice}")
    if _OWN.get(imported.name) is not imported:
        add_measure(imported)
    return imported


def computed_and_checked(measure: Measure, function: Callable[..., Any], batch: Any, *arguments: Any) -> Any:
    """Call a function of a measure that a user registered, and return its values once they are checked.

    function  batch, *arguments -> values; of an argument (C, 1) it makes the values of C columns
    Raises MeasureError if the function fails, or returns anything but finite numbers (texts if the measure's
    format is TEXT): (T,) one for each topic, or (C, T).
    """
    try:
        result = function(batch, *arguments)
    except (PresEvalError, OSError):  # a file that it reads is named by the error
        raise
    except Exception as error:
        raise MeasureError(
            f"measure {measure.name}: its function raised {type(error).__name__}: {error}"
        ) from error
    shape: tuple[int, ...] = (len(batch),)
    if arguments and isinstance(arguments[0], np.ndarray):
        shape = (len(arguments[0]), len(batch))
    return _checked(measure, result, batch.topics, shape)


def _checked(measure: Measure, result: Any, topics: tuple[bytes, ...], shape: tuple[int, ...]) -> Any:
    """Return a function's result as values, or raise MeasureError if they are no values of the measure.

    topics, shape  the topics of the batch, and the shape that the values must have
    """
    if measure.format is Format.TEXT:
        dtype_kinds = "UO"
        expected = f"texts of shape {shape}, one for each topic"
    else:
        dtype_kinds = "biuf"
        expected = f"finite numbers of shape {shape}, one for each topic"
    try:
        values = np.asarray(result)
    except ValueError:  # rows of different lengths
        raise MeasureError(
            f"measure {measure.name}: found {_type_name(result)}, expected {expected}"
        ) from None
    if values.shape != shape or values.dtype.kind not in dtype_kinds:
        raise MeasureError(
            f"measure {measure.name}: found {_type_name(result)} of {values.dtype} of shape {values.shape},"
            f" expected {expected}"
        )
    if measure.format is Format.TEXT:
        return values.tolist()
    is_masked = np.ma.getmaskarray(result)
    wrong = np.argwhere(~np.isfinite(values) | is_masked)
    if len(wrong):
        first = tuple(wrong[0].tolist())
        value = "nothing (masked)" if is_masked[first] else values[first]
        topic = quoted(topics[first[-1]])
        raise MeasureError(f"measure {measure.name}: found {value} for topic {topic}, expected {expected}")
    return values


def _type_name(result: Any) -> str:
    """Return the type of a function's result in words: "an array", "a list"."""
    return "an array" if isinstance(result, np.ndarray) else f"a {type(result).__name__}"
