"""PRES, the Patent Retrieval Evaluation Score, and its family."""

from __future__ import annotations

from pres_eval.batch import Batch, FloatArray, divide
from pres_eval.measures.base import Cutoffs, Measure, Trait, traits


def pres(batch: Batch, nmax: int) -> FloatArray:
    """How early all the relevant documents come, for a reader who stops at rank Nmax (PRES).

    Formula:  PRES = 1 - (Σ r_i / n - (n + 1) / 2) / Nmax
      n     relevant documents of the topic in the qrels
      r_i   rank of the i-th of them; those not found by rank Nmax take the ranks of the worst case: with k
            found, the others stand at Nmax + k + 1, ..., Nmax + n
    Range: k² / (n Nmax) ≤ PRES ≤ k / n (recall at Nmax); 0 if n is 0.
    Notes: a run shorter than Nmax leaves its missing documents in the worst case all the same; with graded
      judgements -l says what is relevant; n may be above Nmax (then 1 is out of reach: see PRES_est).
    Source: Magdy & Jones, "PRES: A Score Metric for Evaluating Recall-Oriented Information Retrieval
      Applications", SIGIR 2010, doi:10.1145/1835449.1835551.  trec_eval: none.
    """
    found = batch.is_rel & (batch.rank <= nmax)
    k, n = batch.count_by_topic(found), batch.num_rel
    # Whole numbers up to here, so there is one rounding each for the division and what follows.
    ranks_found = batch.sum_by_topic(batch.rank.astype(float), found)
    worst_case = (n - k) * nmax + (n * (n + 1) - k * (k + 1)) // 2
    score = 1.0 - (divide(ranks_found + worst_case, n) - (n + 1) / 2.0) / nmax
    score[(n == 0) | (k == 0)] = 0.0
    return score


PRES = Measure(
    "PRES", pres, Cutoffs((100, 1000), example="50,100"), traits=traits(Trait.BOUNDED, Trait.IGNORES_TAIL)
)
