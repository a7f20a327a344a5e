"""PRES, PRES_est, Rnorm and F', and the measures that users register, as ir_measures describes measures."""

from __future__ import annotations

from typing import Any

from ir_measures import measures

from pres_eval.measures.base import Measure
from pres_eval.measures.parameters import NoParameters

_LEVEL = measures.ParamInfo(
    dtype=int, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
)
_CUTOFF = measures.ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold (Nmax)")


def _class_of(name: str, title: str, short: str, text: str, parameters: dict[str, Any]) -> Any:
    """Return a class of measures for ir_measures, which pickles find here by its name after an underscore.

    name        how ir_measures prints and parses it
    title       its name in words
    short       its description in a sentence
    text        its description in full
    parameters  the measure's parameters, as ir_measures describes them
    """
    fields = {
        "__name__": name,  # ir_measures reads it from instances; the name of the class is behind `type`
        "__doc__": text,
        "NAME": name,
        "PRETTY_NAME": title,
        "SHORT_DESC": short,
        "SUPPORTED_PARAMS": parameters,
    }
    return type(f"_{name}", (measures.Measure,), fields)


_PRES = _class_of(
    "PRES",
    "Patent Retrieval Evaluation Score",
    "Measure how early all the relevant documents come, for a reader who stops at the cutoff.",
    "PRES: how early all the relevant documents come, for a reader who stops at rank Nmax, the cutoff.\n\n"
    "Magdy & Jones, SIGIR 2010, doi:10.1145/1835449.1835551.",
    {"cutoff": _CUTOFF, "rel": _LEVEL},
)
_PRES_est = _class_of(
    "PRES_est",
    "Estimated PRES",
    "PRES as a share of the highest that could be had with this cutoff.",
    "PRES as a share of the highest that could be had, where there are more relevant documents than Nmax.",
    {"cutoff": _CUTOFF, "rel": _LEVEL},
)
_Rnorm = _class_of(
    "Rnorm",
    "Normalised Recall",
    "Measure how early the relevant documents come in a ranking of the whole collection.",
    "Normalised recall over a collection of `docs` documents: Rnorm(docs=528155).",
    {
        "cutoff": measures.ParamInfo(dtype=int, required=False, desc="ranking cutoff threshold"),
        "rel": _LEVEL,
        "docs": measures.ParamInfo(dtype=int, required=True, desc="documents in the collection"),
    },
)
_Fprime = _class_of(
    "Fprime",
    "F'",
    "The weighted harmonic mean of average precision and recall at the cutoff.",
    "F' of average precision and recall at a cutoff; recall counts beta times as much.",
    {
        "cutoff": _CUTOFF,
        "rel": _LEVEL,
        "beta": measures.ParamInfo(dtype=float, default=1.0, desc="how many times more recall counts"),
    },
)

PRES, PRES_est, Rnorm, Fprime = _PRES(), _PRES_est(), _Rnorm(), _Fprime()


def __getattr__(name: str) -> Any:
    """Return the class of a measure that a user registered, for pickles of it; raise AttributeError."""
    measure = measures.registry.get(name.removeprefix("_"))
    if name.startswith("_") and type(measure).__module__ == __name__:
        return type(measure)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def as_ir_measure(measure: Measure) -> Any:
    """Return a measure of a user's own as ir_measures has it: `relto`, `relto@2`, `relto(rel=2)@2`."""
    parameters = {"rel": _LEVEL}
    if not isinstance(measure.parameters, NoParameters):
        cutoff = measures.ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold")
        parameters = {"cutoff": cutoff, "rel": _LEVEL}
    name = measure.name
    return _class_of(name, name, measure.description, measure.text, parameters)()
