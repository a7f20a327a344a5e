"""PRES where each topic is read as far as its own budget goes (`--nmax-file`)."""

from __future__ import annotations

from collections.abc import Callable

from pres_eval.arrays import FloatArray
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.pres import pres


def pres_at_budget(batch: Batch) -> FloatArray:
    """Measure how early all the relevant documents come if the reader stops at the topic's own Nmax (PRES).

    Formula:  PRES_budget = 1 - (Σ r_i / n - (n + 1) / 2) / Nmax      as PRES
      Nmax  of the topic, in --nmax-file
    Range: 0 to 1; 0 if n is 0.
    Notes: for topics that are not read alike: a client pays for 200 documents of one and 2,000 of another.
    Source: as PRES.  trec_eval: none.
    """
    if batch.nmax is None:
        raise MeasureError(
            "-m PRES_budget needs an Nmax for each topic: name their file with --nmax-file (nmax_of=…"
            " from Python)"
        )
    # `pres` is declared for one Nmax; each topic's own, (T,), goes through the same formula.
    pres_with_own_nmax: Callable[..., FloatArray] = pres
    return pres_with_own_nmax(batch, batch.nmax)


# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "PRES_budget",
        pres_at_budget,
        ours=True,
        traits=frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL}),
    ),
)
