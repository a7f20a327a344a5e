"""From names of measures as other tools write them (`nDCG@10`, `P(rel=2)@5`, `mrr@10`) to texts of -m."""

from __future__ import annotations

from collections.abc import Callable

from pres_eval.errors import MeasureError
from pres_eval.measures.parameters import WHOLE_RANKING
from pres_eval.records import dataclass


class NotationSettings(dict[str, str]):
    """Settings in brackets, by name: {"rel": "2"}.

    A reader takes out those that it knows: the ones left are unknown.
    """

    def take(self, name: str, default: str = "") -> str:
        """Remove a setting and return its value."""
        return self.pop(name, default).strip("'\"")

    def choose(self, name: str, *values: str) -> str:
        """Remove a setting and return which of the values it has, in any case; the first if not given."""
        text = self.take(name, values[0])
        for value in values:
            if text.lower() == value.lower():
                return value
        raise MeasureError(f"found {name}={text}, expected {' or '.join(values)}")


SHORT_KEYS = {"min": "min_rel", "max": "max_rel"}
"""Shorter names of settings: err(max=5)."""

Rule = Callable[[NotationSettings, str | None], str]
"""Settings and the cutoff behind @ (None: there is none) -> the text of -m that they mean, as P.10."""


@dataclass(frozen=True)
class Notation:
    """Names of other tools for a measure, and the text of -m that they mean.

    names     the names, in any case; pages show the first
    whole     the text of -m if there is no cutoff behind @; None: a cutoff is needed
    cut       the text of -m if there is a cutoff, which replaces {}; None: no cutoff is allowed
    binary    `whole` and `cut` for a name with a level (rel=2), if it means another measure then
    tool      the tool that has these names
    keys      settings that -m has by the same name
    defaults  settings that `whole` and `cut` contain, as {p}, and their defaults
    needed    the setting that must be given; None: none must
    rule      the function that returns the text of -m, if templates cannot describe it
    """

    names: tuple[str, ...]
    whole: str | None = None
    cut: str | None = None
    binary: tuple[str, str | None] | None = None
    tool: str = "ir_measures"
    keys: tuple[str, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    needed: str | None = None
    rule: Rule | None = None

    def text(self, settings: NotationSettings, cutoff: str | None) -> str:
        """Return the text of -m for settings in brackets and a cutoff behind @ (None: there is none)."""
        if self.rule is not None:
            return self.rule(settings, cutoff)
        for short, key in SHORT_KEYS.items():
            if key in self.keys and short in settings and key not in settings:
                settings[key] = settings.take(short)
        text = self._template("rel" in settings, cutoff)
        if self.needed is not None and self.needed not in settings:
            raise MeasureError(f"no {self.needed}, expected ({self.needed}=…)")
        parameters = [f"{key}={settings.take(key)}" for key in self.keys if key in settings]
        values = {key: settings.take(key, default) for key, default in self.defaults}
        filled_in = text.format(cutoff, **values)
        if not parameters:
            return filled_in
        separator = "," if "." in text else "."
        return filled_in + separator + ",".join(parameters)

    def _template(self, has_level: bool, cutoff: str | None) -> str:
        """Return `whole` or `cut`, or those of `binary`; raise MeasureError if that one is None."""
        whole = self.whole
        cut = self.cut
        if self.binary is not None and has_level:
            whole, cut = self.binary
        if cutoff is None:
            if whole is None:
                raise MeasureError("no cutoff, expected one, as in @10")
            return whole
        if cut is None:
            raise MeasureError(f"{self.whole} takes no cutoff, found @{cutoff}")
        return cut


def _compat(settings: NotationSettings, cutoff: str | None) -> str:
    """Return the text of -m for Compat(normalize=True), where -m has 1 for True."""
    if "normalize" in settings:
        normalized = settings.choose("normalize", "True", "False") == "True"
        settings["normalize"] = str(int(normalized))
    return Notation(names=(), whole="compat", keys=("p", "normalize")).text(settings, cutoff)


def _ndcg(settings: NotationSettings, cutoff: str | None) -> str:
    """Return the text of -m for nDCG; `gains={0:0,1:2}` are gains for grades."""
    if "gains" in settings:
        settings.choose("dcg", "log2")
        text = settings.take("gains")
        pairs = [part.partition(":") for part in text.strip("{}").split(",")]
        is_in_braces = text.startswith("{") and text.endswith("}")
        if not is_in_braces or not all(colon for _, colon, _ in pairs):
            raise MeasureError(f"found gains={text}, expected {{grade:gain,…}}")
        parameters = ",".join(f"{grade.strip()}={gain.strip()}" for grade, _, gain in pairs)
        return f"ndcg_gain_cut.{cutoff},{parameters}" if cutoff else f"ndcg.{parameters}"
    if settings.choose("dcg", "log2", "exp-log2") == "exp-log2":
        return f"ndcg_exp_cut.{cutoff or WHOLE_RANKING}"
    return f"ndcg_cut.{cutoff}" if cutoff else "ndcg"


def _set_p(settings: NotationSettings, cutoff: str | None) -> str:
    """Return the text of -m for SetP; SetP(relative=True) is another measure."""
    is_relative = settings.choose("relative", "False", "True") == "True"
    name = "set_relative_P" if is_relative else "set_P"
    return Notation(names=(), whole=name).text(settings, cutoff)


def _set_f(settings: NotationSettings, cutoff: str | None) -> str:
    """Return the text of -m for SetF(beta=…)."""
    if cutoff:
        raise MeasureError(f"set_F takes no cutoff, found @{cutoff}: use F(beta=…)@{cutoff}")
    beta = settings.take("beta")
    return f"set_F.{beta}" if beta else "set_F"


NOTATIONS = (
    Notation(("AP", "MAP"), "map", "map_cut.{}"),
    Notation(("Bpref", "BPref"), "bpref"),
    Notation(("ERR",), "err.all", "err.{}", keys=("max_rel",)),
    Notation(("IPrec",), "iprec_at_recall", "iprec_at_recall.{}"),
    Notation(("infAP",), "infAP"),
    Notation(("Judged",), "judged.all", "judged.{}"),
    Notation(("nDCG", "NDCG"), rule=_ndcg),
    Notation(("NumQ",), "num_q"),
    Notation(("NumRel",), "num_rel"),
    Notation(("NumRelRet",), "num_rel_ret"),
    Notation(("NumRet",), "num_ret", binary=("num_rel_ret", None)),
    Notation(("P",), "P", "P.{}"),
    Notation(("R", "Recall"), "recall", "recall.{}"),
    Notation(
        ("RBP",),
        "rbp.p={p}",
        "rbp_graded_cut.{},p={p}",
        binary=("rbp_binary.p={p}", "rbp_cut.{},p={p}"),
        defaults=(("p", "0.8"),),
    ),
    Notation(("Rprec", "RPrec"), "Rprec"),
    Notation(("RR", "MRR"), "recip_rank", "recip_rank_cut.{}"),
    Notation(("SetAP",), "set_map"),
    Notation(("SetF",), rule=_set_f),
    Notation(("SetP",), rule=_set_p),
    Notation(("SetR",), "set_recall"),
    Notation(("SetRelP",), "set_relative_P"),
    Notation(("Success",), "success", "success.{}"),
    Notation(("Accuracy",), "accuracy", "accuracy.{}"),
    Notation(("BPM",), "bpm", "bpm.{}", keys=("T", "min_rel", "max_rel"), needed="max_rel"),
    Notation(("Compat",), rule=_compat),
    Notation(("INSQ",), "insq", keys=("T", "min_rel", "max_rel"), needed="max_rel"),
    Notation(("INST",), "inst", keys=("T", "min_rel", "max_rel"), needed="max_rel"),
    Notation(("NERR8",), "nerr8", "nerr8.{}", keys=("min_rel", "max_rel"), needed="max_rel"),
    Notation(("NERR9",), "nerr9", "nerr9.{}", keys=("min_rel", "max_rel"), needed="max_rel"),
    Notation(("NERR10",), "nerr10", keys=("p", "min_rel", "max_rel"), needed="max_rel"),
    Notation(("NERR11",), "nerr11", keys=("T", "min_rel", "max_rel"), needed="max_rel"),
    Notation(("SDCG",), "sdcg", "sdcg.{}", keys=("min_rel", "max_rel"), needed="max_rel"),
    Notation(("alpha_DCG", "α_DCG"), "alpha_DCG", "alpha_DCG.{}", keys=("alpha",)),
    Notation(("alpha_nDCG", "α_nDCG"), "alpha_nDCG", "alpha_nDCG.{}", keys=("alpha",)),
    Notation(("ERR_IA",), "ERR_IA", "ERR_IA.{}", keys=("alpha",)),
    Notation(("nERR_IA",), "nERR_IA", "nERR_IA.{}", keys=("alpha",)),
    Notation(("NRBP",), "NRBP", keys=("alpha", "beta")),
    Notation(("nNRBP",), "nNRBP", keys=("alpha", "beta")),
    Notation(("AP_IA", "MAP_IA"), "AP_IA"),
    Notation(("P_IA",), "P_IA", "P_IA.{}"),
    Notation(("StRecall",), "StRecall", "StRecall.{}"),
    Notation(("uRBP",), "urbp", keys=("p", "factor"), tool="trectools"),
    Notation(("uRBPgr",), "urbp_graded", keys=("p", "factor"), tool="ubire"),
    Notation(("uBpref",), "ubpref", keys=("factor",), tool="trectools"),
    Notation(("WSS",), "wss", "wss.{}", tool="tar_eval"),
    Notation(("dcg",), "dcg", "dcg_cut.{}", tool="ranx"),
    Notation(("dcg_burges",), "dcg_exp_cut.all", "dcg_exp_cut.{}", tool="ranx"),
    Notation(("F",), "F_cut.{beta}", "F_cut.{beta},{}", defaults=(("beta", "1"),), tool="pres-eval"),
    Notation(("Fprime",), "Fprime.{beta}", "Fprime.{beta},{}", defaults=(("beta", "1"),), tool="pres-eval"),
    Notation(("average_precision",), "map", "map_cut.{}", tool="scikit-learn"),
    Notation(("gmap",), "gm_map", tool="TREC"),
    Notation(("precision",), "set_P", "P.{}", tool="ranx"),
    Notation(("hit_rate",), None, "success.{}", tool="ranx"),
    Notation(("r-precision", "r_precision"), "Rprec", tool="ranx"),
    Notation(("f1",), "set_F", "F_cut.1,{}", tool="ranx"),
    Notation(("ndcg_burges",), "ndcg_exp_cut.all", "ndcg_exp_cut.{}", tool="ranx"),
    Notation(("Q",), "q_measure", "q_measure_cut.{}", keys=("beta",), tool="NTCIREVAL"),
    Notation(("nCG",), None, "ncg.{}", tool="NTCIREVAL"),
    Notation(("nERR",), None, "nerr.{}", keys=("max_rel",), tool="NTCIREVAL"),
    Notation(("MSnDCG",), None, "ndcg_cut.{}", tool="NTCIREVAL"),
    Notation(("OMeasure",), "o_measure", keys=("beta",), tool="NTCIREVAL"),
    Notation(("iRBU",), None, "irbu.{}", keys=("phi", "max_rel"), tool="NTCIREVAL"),
    Notation(("NonLLMContextPrecisionWithReference",), "map_ret", tool="ragas"),
    Notation(("NonLLMContextRecall", "IDBasedContextRecall"), "set_recall", tool="ragas"),
    Notation(("IDBasedContextPrecision",), "set_P", tool="ragas"),
    Notation(("hole",), None, "unj.{}", tool="BEIR"),
    Notation(("r_cap",), None, "relative_P.{}", tool="BEIR"),
)
"""The names of other tools.  No two of them may differ by their case alone."""

NOTATION_BY_FOLDED_NAME = {name.casefold(): notation for notation in NOTATIONS for name in notation.names}


def read_settings(text: str) -> NotationSettings:
    """Return the settings between brackets, `rel=2,dcg='exp-log2'`; commas in braces belong to the value."""
    settings = NotationSettings()
    open_braces = 0
    begin = 0
    for end, letter in enumerate(text + ","):
        if letter in "{[":
            open_braces += 1
        elif letter in "}]":
            open_braces -= 1
        # A brace that stays open ends with the text: the reader of the value reports it.
        in_braces = open_braces > 0 and end < len(text)
        if letter == "," and not in_braces:
            key, _, value = text[begin:end].partition("=")
            if key.strip() or value.strip():
                settings[key.strip()] = value.strip()
            begin = end + 1
    return settings
