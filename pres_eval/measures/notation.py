"""Names of measures as other tools write them (`nDCG@10`, `P(rel=2)@5`, `mrr@10`), as trec_eval's."""

from __future__ import annotations

from collections.abc import Callable

from pres_eval.errors import MeasureError
from pres_eval.measures.parameters import WHOLE_RANKING
from pres_eval.records import dataclass


class NotationSettings(dict[str, str]):
    """The settings in brackets; what is taken out was understood."""

    def take(self, name: str, default: str = "") -> str:
        """Remove a setting and return its value."""
        return self.pop(name, default).strip("'\"")

    def choose(self, name: str, *values: str) -> str:
        """Remove a setting and return which of a few values it has; the first if it is not given."""
        found = self.take(name, values[0])
        for value in values:
            if found.lower() == value.lower():
                return value
        raise MeasureError(f"found {name}={found}, expected {' or '.join(values)}")


Rule = Callable[[NotationSettings, str | None], str]
"""Rule: settings and the cutoff behind @, if any -> the text of -m that they mean: P.10."""


@dataclass(frozen=True)
class Notation:
    """Names of other tools for a measure.

    names  the names, in any case; the first is the one to show
    tool   whose names they are
    rule   the measure that they mean
    """

    names: tuple[str, ...]
    rule: Rule
    tool: str = "ir_measures"


def same(whole: str | None, cut: str | None = None) -> Rule:
    """Return the rule of a measure without settings: `whole` without a cutoff; `cut` with one, for its {}."""

    def rule(settings: NotationSettings, cutoff: str | None) -> str:
        if cutoff is None:
            if whole is None:
                raise MeasureError("no cutoff, expected one, as in @10")
            return whole
        if cut is None:
            raise MeasureError(f"{whole} takes no cutoff, found @{cutoff}")
        return cut.format(cutoff)

    return rule


def _with(name: str, *keys: str, cut: bool = False, needed: str | None = None) -> Rule:
    """Return the rule of a measure whose settings have the same names here; `cut`: it may have a cutoff."""

    def rule(settings: NotationSettings, cutoff: str | None) -> str:
        if cutoff is not None and not cut:
            raise MeasureError(f"{name} takes no cutoff, found @{cutoff}")
        if needed is not None and needed not in settings:
            raise MeasureError(f"no {needed}, expected ({needed}=…)")
        given = [f"{key}={settings.take(key)}" for key in keys if key in settings]
        parameters = ",".join(([cutoff] if cutoff else []) + given)
        return f"{name}.{parameters}" if parameters else name

    return rule


def _compat(settings: NotationSettings, cutoff: str | None) -> str:
    if "normalize" in settings:
        settings["normalize"] = "1" if settings.choose("normalize", "True", "False") == "True" else "0"
    return _with("compat", "p", "normalize")(settings, cutoff)


def _gains(text: str, cutoff: str | None) -> str:
    """Return `{0:0,1:2}`: gains for grades."""
    pairs = [part.partition(":") for part in text.strip("{}").split(",")]
    if not (text.startswith("{") and text.endswith("}") and all(colon for _, colon, _ in pairs)):
        raise MeasureError(f"found gains={text}, expected {{grade:gain,…}}")
    given = ",".join(f"{grade.strip()}={gain.strip()}" for grade, _, gain in pairs)
    return f"ndcg_gain_cut.{cutoff},{given}" if cutoff else f"ndcg.{given}"


def _ndcg(settings: NotationSettings, cutoff: str | None) -> str:
    if "gains" in settings:
        settings.choose("dcg", "log2")
        return _gains(settings.take("gains"), cutoff)
    if settings.choose("dcg", "log2", "exp-log2") == "exp-log2":
        return f"ndcg_exp_cut.{cutoff or WHOLE_RANKING}"
    return f"ndcg_cut.{cutoff}" if cutoff else "ndcg"


def _num_ret(settings: NotationSettings, cutoff: str | None) -> str:
    if cutoff:
        raise MeasureError(f"num_ret takes no cutoff, found @{cutoff}")
    return "num_rel_ret" if "rel" in settings else "num_ret"


def _rbp(settings: NotationSettings, cutoff: str | None) -> str:
    p = settings.take("p", "0.8")
    if cutoff:
        return f"{'rbp_cut' if 'rel' in settings else 'rbp_graded_cut'}.{cutoff},p={p}"
    return f"{'rbp_binary' if 'rel' in settings else 'rbp'}.p={p}"


def _set_p(settings: NotationSettings, cutoff: str | None) -> str:
    name = "set_relative_P" if settings.choose("relative", "False", "True") == "True" else "set_P"
    return same(name)(settings, cutoff)


def _set_f(settings: NotationSettings, cutoff: str | None) -> str:
    if cutoff:
        raise MeasureError(f"set_F takes no cutoff, found @{cutoff}: use F(beta=…)@{cutoff}")
    beta = settings.take("beta")
    return f"set_F.{beta}" if beta else "set_F"


def _with_beta(name: str) -> Rule:
    def rule(settings: NotationSettings, cutoff: str | None) -> str:
        beta = settings.take("beta", "1")
        return f"{name}.{beta},{cutoff}" if cutoff else f"{name}.{beta}"

    return rule


NOTATIONS = (
    Notation(("AP", "MAP"), same("map", "map_cut.{}")),
    Notation(("Bpref", "BPref"), same("bpref")),
    Notation(("ERR",), same("err.all", "err.{}")),
    Notation(("IPrec",), same("iprec_at_recall", "iprec_at_recall.{}")),
    Notation(("infAP",), same("infAP")),
    Notation(("Judged",), same("judged.all", "judged.{}")),
    Notation(("nDCG", "NDCG"), _ndcg),
    Notation(("NumQ",), same("num_q")),
    Notation(("NumRel",), same("num_rel")),
    Notation(("NumRelRet",), same("num_rel_ret")),
    Notation(("NumRet",), _num_ret),
    Notation(("P",), same("P", "P.{}")),
    Notation(("R", "Recall"), same("recall", "recall.{}")),
    Notation(("RBP",), _rbp),
    Notation(("Rprec", "RPrec"), same("Rprec")),
    Notation(("RR", "MRR"), same("recip_rank", "recip_rank_cut.{}")),
    Notation(("SetAP",), same("set_map")),
    Notation(("SetF",), _set_f),
    Notation(("SetP",), _set_p),
    Notation(("SetR",), same("set_recall")),
    Notation(("SetRelP",), same("set_relative_P")),
    Notation(("Success",), same("success", "success.{}")),
    Notation(("Accuracy",), same("accuracy", "accuracy.{}")),
    Notation(("BPM",), _with("bpm", "T", "min_rel", "max_rel", cut=True, needed="max_rel")),
    Notation(("Compat",), _compat),
    Notation(("INSQ",), _with("insq", "T", "min_rel", "max_rel", needed="max_rel")),
    Notation(("INST",), _with("inst", "T", "min_rel", "max_rel", needed="max_rel")),
    Notation(("NERR8",), _with("nerr8", "min_rel", "max_rel", cut=True, needed="max_rel")),
    Notation(("NERR9",), _with("nerr9", "min_rel", "max_rel", cut=True, needed="max_rel")),
    Notation(("NERR10",), _with("nerr10", "p", "min_rel", "max_rel", needed="max_rel")),
    Notation(("NERR11",), _with("nerr11", "T", "min_rel", "max_rel", needed="max_rel")),
    Notation(("SDCG",), _with("sdcg", "min_rel", "max_rel", cut=True, needed="max_rel")),
    Notation(("alpha_DCG", "α_DCG"), _with("alpha_DCG", "alpha", cut=True)),
    Notation(("alpha_nDCG", "α_nDCG"), _with("alpha_nDCG", "alpha", cut=True)),
    Notation(("ERR_IA",), _with("ERR_IA", "alpha", cut=True)),
    Notation(("nERR_IA",), _with("nERR_IA", "alpha", cut=True)),
    Notation(("NRBP",), _with("NRBP", "alpha", "beta")),
    Notation(("nNRBP",), _with("nNRBP", "alpha", "beta")),
    Notation(("AP_IA", "MAP_IA"), _with("AP_IA")),
    Notation(("P_IA",), _with("P_IA", cut=True)),
    Notation(("StRecall",), _with("StRecall", cut=True)),
    Notation(("uRBP",), _with("urbp", "p", "factor"), "trectools"),
    Notation(("uRBPgr",), _with("urbp_graded", "p", "factor"), "ubire"),
    Notation(("uBpref",), _with("ubpref", "factor"), "trectools"),
    Notation(("WSS",), _with("wss", cut=True), "tar_eval"),
    Notation(("dcg",), same("dcg", "dcg_cut.{}"), "ranx"),
    Notation(("dcg_burges",), same("dcg_exp_cut.all", "dcg_exp_cut.{}"), "ranx"),
    Notation(("F",), _with_beta("F_cut"), "pres-eval"),
    Notation(("Fprime",), _with_beta("Fprime"), "pres-eval"),
    Notation(("average_precision",), same("map", "map_cut.{}"), "scikit-learn"),
    Notation(("gmap",), same("gm_map"), "TREC"),
    Notation(("precision",), same("set_P", "P.{}"), "ranx"),
    Notation(("hit_rate",), same(None, "success.{}"), "ranx"),
    Notation(("r-precision", "r_precision"), same("Rprec"), "ranx"),
    Notation(("f1",), same("set_F", "F_cut.1,{}"), "ranx"),
    Notation(("ndcg_burges",), same("ndcg_exp_cut.all", "ndcg_exp_cut.{}"), "ranx"),
    Notation(("hole",), same(None, "unj.{}"), "BEIR"),
    Notation(("r_cap",), same(None, "relative_P.{}"), "BEIR"),
)
"""The names of other tools.  None may differ from another by its case alone."""

NOTATION_BY_FOLDED_NAME = {name.casefold(): notation for notation in NOTATIONS for name in notation.names}


def read_settings(text: str) -> NotationSettings:
    """Return the settings between brackets, `rel=2,dcg='exp-log2'`; commas in braces belong to the value."""
    settings = NotationSettings()
    depth, begin = 0, 0
    for place, letter in enumerate(text + ","):
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and depth <= 0:
            key, _, value = text[begin:place].partition("=")
            if key.strip() or value.strip():
                settings[key.strip()] = value.strip()
            begin = place + 1
    return settings
