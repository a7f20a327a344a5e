"""The four measures that are ours, and those that users register, as ir_measures describes measures."""

from __future__ import annotations

from typing import Any

from ir_measures import measures

from pres_eval.measures.base import Measure
from pres_eval.measures.parameters import NoParameters

_LEVEL = measures.ParamInfo(
    dtype=int, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
)
_CUTOFF = measures.ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold (Nmax)")


class _PRES(measures.Measure):  # type: ignore[misc]
    """PRES: how early all the relevant documents come, for a reader who stops at rank Nmax, the cutoff.

    Magdy & Jones, SIGIR 2010, doi:10.1145/1835449.1835551.
    """

    __name__ = NAME = "PRES"
    PRETTY_NAME = "Patent Retrieval Evaluation Score"
    SHORT_DESC = "Measure how early all the relevant documents come, for a reader who stops at the cutoff."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "rel": _LEVEL}  # noqa: RUF012 - ir_measures reads a plain dict


class _PRESEst(measures.Measure):  # type: ignore[misc]
    """PRES as a share of the highest that could be had, where there are more relevant documents than Nmax."""

    __name__ = NAME = "PRES_est"
    PRETTY_NAME = "Estimated PRES"
    SHORT_DESC = "PRES as a share of the highest that could be had with this cutoff."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "rel": _LEVEL}  # noqa: RUF012


class _Rnorm(measures.Measure):  # type: ignore[misc]
    """Normalised recall over a collection of `docs` documents: Rnorm(docs=528155)."""

    __name__ = NAME = "Rnorm"
    PRETTY_NAME = "Normalised Recall"
    SHORT_DESC = "Measure how early the relevant documents come in a ranking of the whole collection."
    SUPPORTED_PARAMS = {  # noqa: RUF012
        "cutoff": measures.ParamInfo(dtype=int, required=False, desc="ranking cutoff threshold"),
        "rel": _LEVEL,
        "docs": measures.ParamInfo(dtype=int, required=True, desc="documents in the collection"),
    }


class _Fprime(measures.Measure):  # type: ignore[misc]
    """F' of average precision and recall at a cutoff; recall counts beta times as much."""

    __name__ = NAME = "Fprime"
    PRETTY_NAME = "F'"
    SHORT_DESC = "The weighted harmonic mean of average precision and recall at the cutoff."
    SUPPORTED_PARAMS = {  # noqa: RUF012
        "cutoff": _CUTOFF,
        "rel": _LEVEL,
        "beta": measures.ParamInfo(dtype=float, default=1.0, desc="how many times more recall counts"),
    }


PRES, PRES_est, Rnorm, Fprime = _PRES(), _PRESEst(), _Rnorm(), _Fprime()


def described(measure: Measure) -> Any:
    """Return a measure of a user's own as ir_measures has it: `relto`, `relto@2`, `relto(rel=2)@2`."""
    cutoff = measures.ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold")
    fields = {
        "__name__": measure.name,
        "__doc__": measure.text,
        "NAME": measure.name,
        "PRETTY_NAME": measure.name,
        "SHORT_DESC": measure.description,
        "SUPPORTED_PARAMS": {
            **({} if isinstance(measure.parameters, NoParameters) else {"cutoff": cutoff}),
            "rel": _LEVEL,
        },
    }
    return type(measure.name, (measures.Measure,), fields)()
