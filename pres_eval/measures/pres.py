"""PRES, the Patent Retrieval Evaluation Score, and its family."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError, quoted
from pres_eval.measures.average_precision import average_precision_cut
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import Numbers, sum_of_ranks
from pres_eval.measures.parameters import BetaCutoffs, Cutoffs, OptionalCutoffs
from pres_eval.measures.precision import f_measure, recall
from pres_eval.options import LARGEST_LONG


def pres(batch: Batch, nmax: int) -> FloatArray:
    """Measure how early all the relevant documents come for a reader who stops at rank Nmax (PRES).

    Formula:  PRES = 1 - (Σ r_i / n - (n + 1) / 2) / Nmax
      n     relevant documents of the topic in the qrels
      r_i   rank of the i-th of them; those not found by rank Nmax take the ranks of the worst case: with k
            found, the others take the ranks Nmax + k + 1, ..., Nmax + n
    Range: k² / (n Nmax) ≤ PRES ≤ k / n (recall at Nmax); 0 if n is 0.
    Notes: a run shorter than Nmax leaves its missing documents in the worst case all the same, and so does -M
      below Nmax; with graded judgements -l sets what is relevant; n may be above Nmax (then 1 is out of
      reach: see PRES_est).  With n = 1 it falls in a straight line with the rank: 1 - (r - 1) / Nmax, then 0.
    Source: Magdy & Jones, "PRES: A Score Metric for Evaluating Recall-Oriented Information Retrieval
      Applications", SIGIR 2010, doi:10.1145/1835449.1835551.  trec_eval: none.
    """
    k, k_times_next, rank_sum = _relevant_found(batch, nmax)
    return pres_of(batch.num_rel, nmax, k, k_times_next, rank_sum)


def pres_of(n: IntArray, nmax: int, k: Numbers, k_times_next: Numbers, rank_sum: Numbers) -> FloatArray:
    """Return PRES of topics (T,), or of (C, T) for several Nmax.

    n             relevant documents in the qrels
    k             those found by rank Nmax, or their expected number
    k_times_next  k (k + 1), or its expected value
    rank_sum      the sum of the ranks of those found, or its expected value
    """
    # The sum of the ranks Nmax + k + 1, ..., Nmax + n of those not found.  All are whole numbers but for
    # expected values, so that only the division and what follows it round.
    worst_rank_sum = (n - k) * np.float64(nmax) + (n * (n + 1) - k_times_next) / 2
    mean_rank = divide(rank_sum + worst_rank_sum, n)
    score = 1.0 - (mean_rank - (n + 1) / 2.0) / nmax
    score[(n == 0) | (k == 0)] = 0.0
    return score


def _relevant_found(batch: Batch, rank: int | None) -> tuple[Numbers, Numbers, Numbers]:
    """Return k, k (k + 1) and Σ r_i of the k relevant documents down to a rank; in ties the expected values.

    rank  one for all topics gives three arrays (T,), several (C, 1) give (C, T); None: the whole ranking
    """
    if batch.ties is not None:
        from pres_eval.measures.expected.ranks import moments_of_found

        last = LARGEST_LONG if rank is None else rank
        mean_of_k, mean_of_product = moments_of_found(batch, last)
        return mean_of_k, mean_of_product, sum_of_ranks(batch, last)
    k = batch.num_rel_ret if rank is None else batch.relevant_places.within(rank)
    begins = batch.relevant_places.offsets[:-1]
    sum_of_ranks_found = batch.running_ranks[begins + k] - batch.running_ranks[begins]
    return k, k * (k + 1), sum_of_ranks_found


def pres_estimated(batch: Batch, nmax: int) -> FloatArray:
    """PRES as a share of the highest that can be had where a topic has more relevant documents than Nmax.

    Formula:  PRES_est = PRES / R_max,      R_max = Nmax / n if n ≥ Nmax, else 1
      n  relevant documents of the topic in the qrels
    Range: 0 to 1, and 1 is always in reach; 0 if n is 0.
    Notes: for topics with more relevant documents than anyone reads, as in legal search; the same as PRES
      where n is at most Nmax.
    Source: Magdy & Jones, SIGIR 2010, equations 5 and 6, doi:10.1145/1835449.1835551.  trec_eval: none.
    """
    return share_of_possible(pres(batch, nmax), batch.num_rel, nmax)


def share_of_possible(score: FloatArray, n: IntArray, nmax: int) -> FloatArray:
    """Return PRES (T,) as a share of the highest recall at Nmax that n (T,) relevant documents allow."""
    highest_recall = np.minimum(divide(np.array(nmax), n), 1.0)
    # At most 1: rounding of the two divisions may leave the last bit above it.
    return np.minimum(divide(score, highest_recall), 1.0)


def normalized_recall(batch: Batch, cutoff: int | None) -> FloatArray:
    """Measure how early all the relevant documents come if the whole collection is read (normalised recall).

    Formula:  Rnorm = 1 - (Σ r_i - Σ i) / (n (N - n))
      n    relevant documents of the topic in the qrels      N  documents in the collection (-N)
      r_i  rank of the i-th of them; those not retrieved, or after the cutoff, take the last ranks of the
           collection: with k found, at N - (n - k) + 1, ..., N
    Range: 0 to 1; 0 if n is 0; 1 if all of the collection is relevant.
    Parameters: without any, over the whole ranking; -m Rnorm.1000 stops at that rank.
    Notes: needs -N, and an N that has room for what was retrieved and what was missed.  In a large collection
      it is hardly more than recall: of 50,000 documents, with half of the relevant ones found among the first
      hundred, it is 49.9 % to 50 % wherever they are there.
      It is the area under the curve of recall against fallout.
    Source: Robertson, "The parametric description of retrieval tests", Journal of Documentation 25, 1969; as
      in Magdy & Jones, SIGIR 2010, equation 2, doi:10.1145/1835449.1835551.  trec_eval: none.
    """
    late = share_too_late(batch, _collection_size(batch), cutoff)
    return np.where(batch.num_rel == 0, 0.0, 1.0 - late)


def share_too_late(batch: Batch, documents: int | IntArray, cutoff: int | None) -> FloatArray:
    """Return (T,) (Σ r_i - Σ i) / (n (N - n)): 0 if relevant documents have the first ranks, 1 if the last.

    documents  N, one for all topics or (T,) one for each
    cutoff     the rank from which on relevant documents count as not found; None: none is
    """
    k, k_times_next, rank_sum = _relevant_found(batch, cutoff)
    n = batch.num_rel
    num_nonrelevant = (documents - n).astype(float)
    # Those found are Σ r_i - k (k + 1) / 2 ranks too late; one not found is N - n ranks too late.
    ranks_too_late = rank_sum - k_times_next / 2 + (n - k) * num_nonrelevant
    return divide(ranks_too_late, n * num_nonrelevant)


def _collection_size(batch: Batch) -> int | IntArray:
    """Return the N of -N: one for all topics, or (T,) one for each.

    Raises MeasureError if it was not given, or is less than the documents retrieved and the relevant ones.
    """
    size = batch.num_docs_in_coll
    if np.any(size <= 0):
        raise MeasureError("-m Rnorm needs the number of documents in the collection: give it with -N")
    needed = batch.num_ret + batch.num_rel - batch.num_rel_ret
    if (needed > size).any():
        topic = int(np.argmax(needed - size))
        size_of_topic = np.broadcast_to(size, len(batch))[topic]
        raise MeasureError(
            f"-m Rnorm: found -N {size_of_topic}, expected at least {needed[topic]}: "
            f"topic {quoted(batch.topics[topic])} has {batch.num_ret[topic]} documents retrieved "
            f"and {needed[topic] - batch.num_ret[topic]} relevant ones besides"
        )
    return size


def f_prime(batch: Batch, beta: float, cutoff: int) -> FloatArray:
    """Weighted harmonic mean of average precision and recall at rank k (F′ with β).

    Formula:  Fprime_β_k = (1 + β²) AP R / (β² AP + R)
      AP  average precision over the first k documents (map_cut)      R  recall at k
      β   how many times more recall counts than average precision
    Range: 0 to 1; 0 if no relevant document is found down to rank k.
    Parameters: -m Fprime.β,k,k… with β first: -m Fprime.4,100,1000; -m Fprime.2 takes the usual ranks.  The
      defaults are β = 1 and 4 at 100 and 1000.
    Notes: a first answer to MAP, which shows too little of recall; PRES also shows where
      late documents are.
    Source: Magdy & Jones, SIGIR 2010, equation 1, doi:10.1145/1835449.1835551.  trec_eval: none.
    """
    return f_measure(beta, average_precision_cut(batch, cutoff), recall(batch, cutoff))


_FAMILY = frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL})
_OWN_EXPECTED = _FAMILY | {Trait.OWN_EXPECTED}

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "PRES",
        pres,
        Cutoffs(None, example="50,100"),
        ours=True,
        takes_many=True,
        traits=_OWN_EXPECTED,
    ),
    Measure(
        "PRES_est",
        pres_estimated,
        Cutoffs(None, example="50,100"),
        ours=True,
        takes_many=True,
        traits=_OWN_EXPECTED,
    ),
    Measure(
        "Rnorm",
        normalized_recall,
        OptionalCutoffs(example="1000"),
        ours=True,
        needs_collection_size=True,
        traits=_OWN_EXPECTED | {Trait.OF_COLLECTION, Trait.MOVES_UP},
    ),
    Measure(
        "Fprime",
        f_prime,
        BetaCutoffs((1.0, 4.0), (100, 1000), example="4,100,1000"),
        ours=True,
        traits=_FAMILY | {Trait.MOVES_UP},
    ),
)
