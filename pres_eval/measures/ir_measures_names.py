"""The names of ir_measures' notation (`nDCG@10`, `P(rel=2)@5`) as trec_eval's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pres_eval.arrays.integers import nearest_integer
from pres_eval.errors import MeasureError

_FORM = re.compile(r"([A-Za-z_]+)(?:\(([^()]*)\))?(?:@([0-9.]+))?\Z")


@dataclass(frozen=True)
class Translated:
    """A text for `-m`, and the relevance level that the measure shall be seen at (None: that of -l)."""

    text: str
    relevance_level: int | None


class _Settings(dict[str, str]):
    """The settings in brackets; what is taken out was understood."""

    def take(self, name: str, default: str = "") -> str:
        return self.pop(name, default).strip("'\"")

    def choose(self, name: str, *values: str) -> str:
        """A setting that can be one of a few values, the first if it is not there."""
        found = self.take(name, values[0])
        for value in values:
            if found.lower() == value.lower():
                return value
        raise MeasureError(f"found {name}={found}, expected {' or '.join(values)}")


Rule = Callable[[_Settings, str | None], str]


def _same(name: str, cut_name: str | None = None) -> Rule:
    """A measure without settings; `cut_name` is what it is called with a cutoff."""

    def rule(settings: _Settings, cutoff: str | None) -> str:
        if cutoff is None:
            return name
        if cut_name is None:
            raise MeasureError(f"{name} takes no cutoff, found @{cutoff}")
        return f"{cut_name}.{cutoff}"

    return rule


def _ndcg(settings: _Settings, cutoff: str | None) -> str:
    if settings.choose("dcg", "log2", "exp-log2") == "exp-log2":
        return "ndcg_exp_cut" + (f".{cutoff}" if cutoff else "")
    return f"ndcg_cut.{cutoff}" if cutoff else "ndcg"


def _num_ret(settings: _Settings, cutoff: str | None) -> str:
    return "num_rel_ret" if "rel" in settings else "num_ret"


def _rbp(settings: _Settings, cutoff: str | None) -> str:
    if cutoff:
        raise MeasureError(f"rbp takes no cutoff, found @{cutoff}; use -M {cutoff}")
    return f"rbp.p={settings.take('p', '0.8')}"


def _set_p(settings: _Settings, cutoff: str | None) -> str:
    return "set_relative_P" if settings.choose("relative", "False", "True") == "True" else "set_P"


def _set_f(settings: _Settings, cutoff: str | None) -> str:
    beta = settings.take("beta")
    return f"set_F.{beta}" if beta else "set_F"


def _f(name: str) -> Rule:
    def rule(settings: _Settings, cutoff: str | None) -> str:
        beta = settings.take("beta", "1")
        return f"{name}.{beta},{cutoff}" if cutoff else name

    return rule


_RULES: dict[str, Rule] = {
    "AP": _same("map", "map_cut"),
    "MAP": _same("map", "map_cut"),
    "BPref": _same("bpref"),
    "Bpref": _same("bpref"),
    "ERR": _same("err", "err"),
    "F": _f("F_cut"),
    "IPrec": _same("iprec_at_recall", "iprec_at_recall"),
    "Judged": _same("judged", "judged"),
    "MRR": _same("recip_rank", "recip_rank_cut"),
    "NDCG": _ndcg,
    "NumQ": _same("num_q"),
    "NumRel": _same("num_rel"),
    "NumRelRet": _same("num_rel_ret"),
    "NumRet": _num_ret,
    "P": _same("P", "P"),
    "PRES": _same("PRES", "PRES"),
    "PRES_est": _same("PRES_est", "PRES_est"),
    "Precision": _same("P", "P"),
    "R": _same("recall", "recall"),
    "RBP": _rbp,
    "RPrec": _same("Rprec"),
    "RR": _same("recip_rank", "recip_rank_cut"),
    "Recall": _same("recall", "recall"),
    "Rnorm": _same("Rnorm", "Rnorm"),
    "Rprec": _same("Rprec"),
    "SetAP": _same("set_map"),
    "SetF": _set_f,
    "SetP": _set_p,
    "SetR": _same("set_recall"),
    "Success": _same("success", "success"),
    "infAP": _same("infAP"),
    "nDCG": _ndcg,
}


def translate(text: str) -> Translated | None:
    """What trec_eval calls a measure of ir_measures' notation, None if the text is not in it.

    Raises MeasureError where the name is known but a setting is not, or can't be had by `-m`.
    """
    match = _FORM.match(text)
    if match is None or match[1] not in _RULES:
        return None
    settings = _Settings()
    for part in filter(None, (match[2] or "").split(",")):
        key, _, value = part.partition("=")
        settings[key.strip()] = value.strip()
    try:
        if settings.choose("judged_only", "False", "True") == "True":
            raise MeasureError("judged_only holds for all measures: use -J")
        translated = _RULES[match[1]](settings, match[3])
    except MeasureError as error:
        raise MeasureError(f"-m {text}: {error}") from None
    level = settings.take("rel")
    if settings or (level and not level.isdecimal()):
        wrong = ", ".join(f"{key}={value}" for key, value in settings.items()) or f"rel={level}"
        raise MeasureError(f"-m {text}: unknown setting {wrong}")
    return Translated(translated, nearest_integer(level) if level else None)
