"""Measures that weigh relevant documents by a score of their own: how easy to understand they are."""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.bpref import preferred
from pres_eval.measures.rbp import rank_biased
from pres_eval.measures.settings import MeasureSettings, Setting, persistence


def scores_of(batch: Batch, name: str, factor: float) -> FloatArray:
    """Return (D,) u: each document's own score (--document-scores) times the factor, 0 if it has none.

    name  the measure, for the MeasureError that is raised if no file of scores was given
    """
    if batch.document_scores is None:
        raise MeasureError(
            f"-m {name} needs scores of documents: name their file with --document-scores (document_scores=…"
            " from Python)"
        )
    return batch.document_scores * factor


def understandability_rbp(batch: Batch, p: float, factor: float) -> FloatArray:
    """Rank-biased precision in which a relevant document counts as much as its own score (uRBP).

    Formula:  urbp = (1 - p) Σ p^(r-1) u(r)      over the ranks r of the relevant documents retrieved
      u(r)  score of the document at rank r in --document-scores, times the factor; 0 if it has none
      p     persistence, 0.8 unless given
    Range: 0 to 1 if the scores are 0 (hard to understand) to 1 (easy); 0 if nothing relevant was retrieved.
    Parameters: -m urbp.p=0.9; factor=0.01 for scores from 0 to 100.
    Notes: the scores are in a file of four columns (topic 0 docno score), as CLEF eHealth's qread files are;
      for a threshold of ubire write scores of 1 above it and 0 below.  -l sets what is relevant.
    Source: Zuccon, "Understandability biased evaluation for information retrieval", ECIR 2016,
      doi:10.1007/978-3-319-30671-1_21; trectools' uRBP.  trec_eval: none.
    """
    u = scores_of(batch, "urbp", factor)
    return rank_biased(batch, p, np.where(batch.is_rel, u, 0.0))


def graded_understandability_rbp(batch: Batch, p: float, factor: float) -> FloatArray:
    """Rank-biased precision in which a relevant document counts as its grade times its score (graded uRBP).

    Formula:  urbp_graded = (1 - p) Σ p^(r-1) g(r) u(r)      over the ranks r of the relevant documents
      g(r)  grade of the document at rank r
      u(r)  its score in --document-scores, times the factor; 0 if it has none
      p     persistence, 0.8 unless given
    Range: 0 to the highest grade times the highest score and the factor.
    Parameters: as urbp; factor also brings grades to 0 … 1, as factor=0.5 does with grades up to 2.
    Source: as urbp; trectools' uRBP with binary_topical_relevance=False.
    """
    g = np.maximum(batch.grade, 0)
    u = scores_of(batch, "urbp_graded", factor)
    return rank_biased(batch, p, np.where(batch.is_rel, g * u, 0.0))


def understandability_bpref(batch: Batch, factor: float) -> FloatArray:
    """Binary preference in which a relevant document counts as much as its own score (uBpref).

    Formula:  ubpref = 1/n Σ u (1 - min(b, n) / min(N, n))      over the relevant documents retrieved
      u  score of the document in --document-scores, times the factor; 0 if it has none
      n, N, b  as in bpref
    Range: 0 to 1 if the scores are 0 to 1; 0 if n is 0.
    Parameter: -m ubpref.factor=0.01 for scores from 0 to 100.
    Source: as bpref and urbp; trectools' uBpref.  trec_eval: none.
    """
    u = scores_of(batch, "ubpref", factor)[batch.relevant_rows]
    return divide(batch.sum_of_relevant(preferred(batch) * u), batch.num_rel)


_FACTOR = Setting(name="factor", default=1.0, expected="the factor of the documents' scores, above 0")
_WEIGHED = MeasureSettings((persistence(0.8), _FACTOR), example="p=0.9")

_BIASED = frozenset({Trait.IGNORES_TAIL, Trait.OWN_EXPECTED})
_scored = partial(Measure, ours=True, needs_document_scores=True)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _scored("urbp", understandability_rbp, _WEIGHED, traits=_BIASED),
    _scored("urbp_graded", graded_understandability_rbp, _WEIGHED, traits=_BIASED | {Trait.GRADED}),
    _scored(
        "ubpref",
        understandability_bpref,
        MeasureSettings((_FACTOR,), example="factor=0.01"),
        traits=frozenset({Trait.IGNORES_UNJUDGED, Trait.IGNORES_TAIL, Trait.OWN_EXPECTED}),
    ),
)
