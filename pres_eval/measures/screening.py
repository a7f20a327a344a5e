"""Measures of technology-assisted review: how much reading a ranking saves a reader who must find nearly all.

The documents that would have to be read without a ranking are the N documents of -N, or if it is not given
those that were judged for the topic, as in CLEF TAR, where the judgements are the result of a Boolean query.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import relevant_within, sum_of_ranks
from pres_eval.measures.precision import rank_of_relevant
from pres_eval.measures.settings import Percents


def documents_to_read(batch: Batch) -> IntArray:
    """Return (T,) N: the documents that would have to be read without a ranking.

    That is -N (0 if not given), but at least the documents judged, and at least those retrieved.
    """
    num_known = np.maximum(batch.num_rel + batch.num_nonrel, batch.num_ret)
    return np.asarray(np.maximum(num_known, batch.num_docs_in_coll), np.int64)


def work_saved(batch: Batch, percent: float) -> FloatArray:
    """Share of documents that need not be read to find a percentage of the relevant ones (WSS).

    Formula:  wss_x = (N - r) / N - (1 - x/100)      0 if fewer than m relevant documents were retrieved
      r  rank of the m-th relevant document      m  x/100 n, to the nearest whole number (half to even)
      n  relevant documents in the qrels
      N  documents to read without a ranking: -N, or those judged for the topic
    Range: x/100 - 1 to x/100; 0 if n is 0.  To read in any order saves nothing: that is what 1 - x/100 takes
      off.
    Parameters: x in percent, as in -m wss.95,100; below 1 with a % sign, as in -m wss.0.5%.
    Notes: N counts at least what was judged and what was retrieved.  The first definition reads until recall
      is at least x: m is rounded up there, and to the nearest whole number in CLEF TAR.  ASReview's wss takes
      m rounded down, and compares r with the rank at which a random order is taken to find m documents,
      rounded as well: so it may differ by a few records of N.
    Source: Cohen, Hersh, Peterson & Yen, "Reducing workload in systematic review preparation using automated
      citation classification", JAMIA 13(2), 2006, doi:10.1197/jamia.M1929; CLEF TAR's tar_eval (2018).
      trec_eval: none.
    """
    m = np.rint(batch.num_rel * (percent / 100.0)).astype(np.int64)
    chance, r = chance_and_rank(batch, m)
    # If x percent are less than half a document, they are found at rank 0, before anything is read.
    chance[(m == 0) & (batch.num_rel > 0)] = 1.0
    documents = documents_to_read(batch)
    share_unread = divide(documents - r, documents)
    saved = share_unread - (100.0 - percent) / 100.0
    return np.where(chance > 0, chance * saved, 0.0)


def chance_and_rank(batch: Batch, number: IntArray) -> tuple[FloatArray, FloatArray | IntArray]:
    """Return the chance (T,) that the `number`-th relevant document is retrieved, and its rank (T,).

    number  (T,) counted from 1; 0: no document, with rank 0
    Without ties the chance is 1, or 0 with rank 0; in ties the rank is the expected one.
    """
    if batch.ties is not None:
        from pres_eval.measures.expected.screening import rank_in_ties

        return rank_in_ties(batch, number)
    rank = rank_of_relevant(batch, number)
    return (rank > 0).astype(float), rank


def last_relevant(batch: Batch) -> FloatArray:
    """Rank of the last relevant document that was retrieved.

    Formula:  last_rel = r_k
      k  relevant documents retrieved      r_k  rank of the last of them
    Range: from 1 up; 0 if no relevant document was retrieved.  Less is better.
    Notes: compare runs that find the same documents, ideally rankings of all documents: a run that does not
      retrieve the last one looks better.  norm_last_rel is it as a share of the documents to read.
    Source: CLEF TAR's tar_eval; Kanoulas, Li, Azzopardi & Spijker, "CLEF 2017 Technologically Assisted
      Reviews in Empirical Medicine Overview", CLEF 2017 Working Notes.  trec_eval: none.
    """
    return rank_of_relevant(batch, batch.num_rel_ret).astype(float)


def normalized_last_relevant(batch: Batch) -> FloatArray:
    """Share of the documents read when the last relevant document that was retrieved is reached.

    Formula:  norm_last_rel = last_rel / N
      N  documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if no relevant document was retrieved.  Less is better.
    Source: as last_rel.
    """
    return divide(rank_of_relevant(batch, batch.num_rel_ret), documents_to_read(batch))


def recall_at_percent(batch: Batch, percent: float) -> FloatArray:
    """Share of the relevant documents found when a percentage of the documents has been read.

    Formula:  recall_at_percent_x = rel(k) / n
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels
      k       x/100 N, to the nearest whole number (half to even)
      N       documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if n is 0.
    Parameters: x in percent, as in -m recall_at_percent.10,20; below 1 with a % sign, as in
      -m recall_at_percent.0.5%.
    Notes: recall_k reads as many documents for each topic, this one the same share.  ASReview's recall rounds
      k down; its erf is that minus the share itself, with the documents of a random order rounded.
    Source: CLEF TAR's tar_eval (recall@x%, before that NCG@x).  trec_eval: none.
    """
    return divide(relevant_within(batch, rank_at(batch, percent)), batch.num_rel)


def rank_at(batch: Batch, percent: float) -> IntArray:
    """Return (T,) k = x/100 N, to the nearest whole number: the rank at which x percent has been read."""
    exact_rank = documents_to_read(batch) * percent / 100.0
    return np.asarray(np.rint(exact_rank), np.int64)


def normalized_area(batch: Batch) -> FloatArray:
    """Area under the curve of relevant documents found against documents read, as a share of the highest.

    Formula:  norm_area = Σ (N - r_i + 1/2) / (n N - n² / 2)      over the relevant documents retrieved
      r_i  rank of the i-th relevant document      n  relevant documents in the qrels
      N    documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if n is 0.  1/2 or so for a random order.
    Notes: PRES is nearly the same with Nmax for N and the documents that were not found put behind Nmax.
    Source: CLEF TAR's tar_eval.  trec_eval: none.
    """
    documents = documents_to_read(batch)
    n = batch.num_rel.astype(float)
    area = relevant_within(batch) * (documents + 0.5) - sum_of_ranks(batch)
    return divide(area, n * documents - n * n / 2.0)


def average_time_to_discovery(batch: Batch) -> FloatArray:
    """Mean rank of the relevant documents that were retrieved (average time to discovery).

    Formula:  atd = 1/k Σ r_i
      r_i  rank of the i-th relevant document retrieved      k  relevant documents retrieved
    Range: from 1 up; 0 if no relevant document was retrieved.  Less is better.
    Notes: compare runs that find the same documents, as with last_rel.
    Source: Ferdinands et al., "Performance of active learning models for screening prioritization in
      systematic reviews: a simulation study into the Average Time to Discover relevant records", Systematic
      Reviews 12, 2023, doi:10.1186/s13643-023-02257-7; ASReview's atd.  trec_eval: none.
    """
    return divide(sum_of_ranks(batch), batch.num_rel_ret)


_ours = partial(Measure, ours=True)
_effort = partial(_ours, less_is_better=True, rewards_giving_up=True)
_SHARE = frozenset({Trait.BOUNDED, Trait.OF_COLLECTION, Trait.MOVES_UP})
_RANK = frozenset({Trait.IGNORES_TAIL, Trait.MOVES_UP})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _ours(
        "wss",
        work_saved,
        Percents((95.0, 100.0)),
        traits=frozenset({Trait.OF_COLLECTION, Trait.MOVES_UP, Trait.OWN_EXPECTED}),
    ),
    _effort(
        "last_rel",
        last_relevant,
        traits=_RANK,
    ),
    _effort(
        "norm_last_rel",
        normalized_last_relevant,
        traits=_SHARE,
    ),
    _ours(
        "recall_at_percent",
        recall_at_percent,
        Percents((1.0, 5.0, 10.0, 20.0, 50.0), example="10,20"),
        traits=_SHARE | {Trait.OWN_EXPECTED},
    ),
    _ours("norm_area", normalized_area, traits=_SHARE | {Trait.OWN_EXPECTED}),
    _effort(
        "atd",
        average_time_to_discovery,
        traits=_RANK,
    ),
)
