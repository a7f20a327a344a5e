"""Effort: documents to read for a recall, and recall at an effort that grows with R.

The documents that would have to be read without a ranking are those of the measures of technology-assisted
review: the N documents of -N, or if it is not given those that were judged for the topic.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import relevant_within
from pres_eval.measures.parameters import Multiples
from pres_eval.measures.precision import rank_of_relevant
from pres_eval.measures.pres import share_too_late
from pres_eval.measures.screening import chance_and_rank, documents_to_read, rank_at, recall_at_percent
from pres_eval.measures.settings import Percents

ROUNDING_TOLERANCE = 1e-9
"""How far rounding may leave a product above a whole number of documents that it is taken for."""


def relevant_for_recall(batch: Batch, percent: float) -> IntArray:
    """Return (T,) m = ⌈x/100 n⌉: the relevant documents that a recall of x percent needs."""
    needed = batch.num_rel * percent / 100.0
    return np.asarray(np.ceil(needed - ROUNDING_TOLERANCE), np.int64)


def read_for_recall(batch: Batch, percent: float) -> FloatArray:
    """Documents to read until a percentage of the relevant ones is found.

    Formula:  read_for_recall_x = r_m      m = ⌈x/100 n⌉; N if fewer than m were retrieved
      r_m  rank of the m-th relevant document      n  relevant documents in the qrels
      N    documents to read without a ranking: -N, or those judged for the topic
    Range: 1 to N; 0 if n is 0.  Less is better.
    Parameters: x in percent, as in -m read_for_recall.80,95.
    Notes: documents that a run did not retrieve have to be found in all the rest.  N counts at least the
      judged and the retrieved documents.
    Source: TREC Total Recall; Grossman, Cormack & Roegiest, "TREC 2016 Total Recall Track Overview", TREC
      2016.  trec_eval: none.
    """
    m = relevant_for_recall(batch, percent)
    chance_retrieved, rank = chance_and_rank(batch, m)
    chance_missed = 1.0 - chance_retrieved
    read = chance_retrieved * rank + chance_missed * documents_to_read(batch)
    return np.where(batch.num_rel == 0, 0.0, read)


def share_read_for_recall(batch: Batch, percent: float) -> FloatArray:
    """Share of the documents to read until a percentage of the relevant ones is found.

    Formula:  share_for_recall_x = read_for_recall_x / N
      N  documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if nothing is relevant.  Less is better.
    Parameters: x in percent, as in -m share_for_recall.80,95.
    Source: as read_for_recall.
    """
    return divide(read_for_recall(batch, percent), documents_to_read(batch))


def true_negative_rate(batch: Batch, percent: float) -> FloatArray:
    """Share of the nonrelevant documents left unread when a percentage of the relevant ones is found (TNR).

    Formula:  tnr_x = (N - n - (r - m)) / (N - n)      r = read_for_recall_x; 0 if m were not retrieved
      m  ⌈x/100 n⌉      n  relevant documents in the qrels
      N  documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if n is 0 or N.
    Parameters: x in percent, as in -m tnr.80,95.
    Notes: it is WSS scaled to 0 … 1, so that topics with few and with many relevant documents compare.
    Source: Kusa, Lipani, Knoth & Hanbury, "An analysis of work saved over sampling in the evaluation of
      automated citation screening in systematic literature reviews", Intelligent Systems with
      Applications 18, 2023, doi:10.1016/j.iswa.2023.200193; ASReview's tnr (m rounded down).
      trec_eval: none.
    """
    m = relevant_for_recall(batch, percent)
    r = rank_of_relevant(batch, m)
    nonrelevant = documents_to_read(batch) - batch.num_rel
    # N may have no room for what was missed and what nobody judged.
    unread = np.maximum(nonrelevant - (r - m), 0)
    return np.where(r > 0, divide(unread, nonrelevant), 0.0)


def extra_relevant_found(batch: Batch, percent: float) -> FloatArray:
    """Share of the relevant documents found beyond those that reading in any order finds (ERF).

    Formula:  erf_x = rel(k) / n - k / N      k = x/100 N, to the nearest whole number (half to even)
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels
      N       documents to read without a ranking: -N, or those judged for the topic
    Range: -1 to 1; 0 if n is 0.
    Parameters: x in percent, as in -m erf.10,20.
    Notes: ASReview's erf rounds k down, and the documents of a random order to whole ones.
    Source: ASReview's insights (extra relevant records found).  trec_eval: none.
    """
    share_read = divide(rank_at(batch, percent), documents_to_read(batch))
    beyond = recall_at_percent(batch, percent) - share_read
    return np.where(batch.num_rel == 0, 0.0, beyond)


def recall_at_multiple(batch: Batch, multiple: int, more: int) -> FloatArray:
    """Recall when a times as many documents as are relevant, and b more, have been read (recall at aR + b).

    Formula:  recall_at_aR+b = rel(a n + b) / n
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels (the R of its name)
    Range: 0 to 1; 0 if n is 0.
    Parameters: a and b, as in -m recall_at.1R+0,2R+100; 4R is 4R+0.
    Notes: 1R+0 is Rprec.
    Source: Roegiest, Cormack, Clarke & Grossman, "TREC 2015 Total Recall Track Overview", TREC 2015.
      trec_eval: none.
    """
    last_rank = batch.num_rel * multiple + more
    return divide(relevant_within(batch, last_rank), batch.num_rel)


def loss(batch: Batch) -> FloatArray:
    """Distance of the order from the best one, on a scale that ends at the worst (1 - normalised recall).

    Formula:  loss = (Σ r_i - Σ i) / (n (N - n))
      n    relevant documents in the qrels
      r_i  rank of the i-th of them; those not retrieved take the last ranks
      N    documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if n is 0.  Less is better.
    Notes: Rnorm is 1 - loss, but needs -N.
    Source: as Rnorm; ASReview's loss.  trec_eval: none.
    """
    return np.minimum(share_too_late(batch, documents_to_read(batch), None), 1.0)


_SHARE = frozenset({Trait.BOUNDED, Trait.OF_COLLECTION, Trait.MOVES_UP})
_TARGETS = Percents((70.0, 80.0, 90.0, 95.0), example="80,95")
_ours = partial(Measure, ours=True)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _ours(
        "read_for_recall",
        read_for_recall,
        _TARGETS,
        less_is_better=True,
        traits=frozenset({Trait.OF_COLLECTION, Trait.MOVES_UP, Trait.OWN_EXPECTED}),
    ),
    _ours(
        "share_for_recall",
        share_read_for_recall,
        _TARGETS,
        less_is_better=True,
        traits=_SHARE | {Trait.OWN_EXPECTED},
    ),
    _ours("tnr", true_negative_rate, _TARGETS, traits=_SHARE),
    _ours(
        "erf",
        extra_relevant_found,
        Percents((10.0, 20.0), example="10,20"),
        traits=frozenset({Trait.OF_COLLECTION, Trait.MOVES_UP, Trait.OWN_EXPECTED}),
    ),
    _ours(
        "recall_at",
        recall_at_multiple,
        Multiples(),
        traits=frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL, Trait.MOVES_UP, Trait.OWN_EXPECTED}),
    ),
    _ours("loss", loss, less_is_better=True, traits=_SHARE),
)
