"""Measures of screening as ASReview's insights compute them, for its numbers: WSS, ERF, TNR, recall.

They differ from wss, erf, tnr and recall_at_percent by a few records: numbers of documents are rounded
down, and a random order finds whole documents.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import relevant_within
from pres_eval.measures.precision import rank_of_relevant
from pres_eval.measures.screening import documents_to_read
from pres_eval.measures.settings import Percents


def rounded_down_percent(numbers: IntArray, percent: float) -> IntArray:
    """Return (T,) a percentage of whole numbers (T,), rounded down: the largest j with j/number within it."""
    share = percent / 100.0
    divisor = np.maximum(numbers, 1)
    largest = np.floor(numbers * share).astype(np.int64)
    # ASReview compares the quotient j / number: where the product is rounded otherwise, j is one off.
    next_is_within = (largest + 1) / divisor <= share
    largest = np.where(next_is_within, largest + 1, largest)
    is_above = largest / divisor > share
    largest = np.where(is_above, largest - 1, largest)
    return np.asarray(largest, np.int64)


def found_in_random_order(batch: Batch, position: IntArray) -> FloatArray:
    """Return (T,) how many relevant documents ASReview's random order finds down to a position (T,), from 0.

    Of n relevant ones among N documents that is i n / (N - 1) at position i, to the nearest whole number.
    """
    last_position = documents_to_read(batch) - 1
    num_found = np.rint(position * divide(batch.num_rel, last_position))
    return np.where(position == last_position, batch.num_rel, num_found)


def position_in_random_order(batch: Batch, m: IntArray) -> IntArray:
    """Return (T,) the first position, from 0, at which the random order has found m (T,) relevant documents.

    m  at least 1
    """
    documents = documents_to_read(batch)
    # The first position with m documents is near (m - 1/2) (N - 1) / n: rounding moves it by one at most.
    near_times_n = np.asarray((m - 0.5) * (documents - 1), np.float64)
    near = np.ceil(divide(near_times_n, batch.num_rel)).astype(np.int64)
    first = documents.copy()
    for position in (near + 1, near, near - 1):  # the last of these that has them is the first position
        is_position = (position >= 0) & (position < documents)
        is_enough = found_in_random_order(batch, np.maximum(position, 0)) >= m
        first = np.where(is_position & is_enough, position, first)
    # ASReview's order of a single document is np.linspace(0, n, 1), which is 0 and never finds it.
    return np.asarray(np.where(documents == 1, 1, first), np.int64)


def work_saved(batch: Batch, percent: float) -> FloatArray:
    """Share of documents that need not be read to find a percentage of the relevant ones, as ASReview has it.

    Formula:  wss_asreview_x = (q - (r - 1)) / N      0 if fewer than m relevant documents were retrieved
      r  rank of the m-th relevant document      m  x/100 n, rounded down; n if that is 0
      q  least i from 0 to N - 1 with i n / (N - 1), to the nearest whole number (half to even), at least m
      n  relevant documents in the qrels      N  documents to read without a ranking: -N, or those judged
    Range: -1 to 1; 0 if n is 0.
    Parameters: x in percent, as in -m wss_asreview.95.
    Notes: wss is the definition of Cohen et al.: it compares r with (1 - x/100) N, exactly.
    Source: ASReview's insights 1.6 (wss); Cohen, Hersh, Peterson & Yen, JAMIA 13(2), 2006,
      doi:10.1197/jamia.M1929.  trec_eval: none.
    """
    m = rounded_down_percent(batch.num_rel, percent)
    m = np.where(m == 0, batch.num_rel, m)  # ASReview's search for x begins again at the end
    r = rank_of_relevant(batch, m)
    q = position_in_random_order(batch, m)
    saved = divide(q - (r - 1), documents_to_read(batch))
    return np.where(r > 0, saved, 0.0)


def extra_relevant_found(batch: Batch, percent: float) -> FloatArray:
    """Share of the relevant documents found beyond those that a random order finds, as ASReview has it (ERF).

    Formula:  erf_asreview_x = (rel(k) - e) / n      k = x/100 N, rounded down; N if that is 0
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels
      e       (k - 1) n / (N - 1), to the nearest whole number (half to even)
      N       documents to read without a ranking: -N, or those judged for the topic
    Range: -1 to 1; 0 if n is 0.
    Parameters: x in percent, as in -m erf_asreview.10.
    Source: ASReview's insights 1.6 (erf).  trec_eval: none.
    """
    documents = documents_to_read(batch)
    k = rounded_down_percent(documents, percent)
    k = np.where(k == 0, documents, k)  # ASReview's search for x begins again at the end
    e = found_in_random_order(batch, k - 1)
    return divide(relevant_within(batch, k) - e, batch.num_rel)


def true_negative_rate(batch: Batch, percent: float) -> FloatArray:
    """Share of nonrelevant documents left unread at a percentage of the relevant ones, as in ASReview (TNR).

    Formula:  tnr_asreview_x = (N - n - (r - m)) / (N - n), to six digits; 0 if m were not retrieved
      r  rank of the m-th relevant document      m  x/100 n, rounded down; 0 there gives 0
      n  relevant documents in the qrels      N  documents to read without a ranking: -N, or those judged
    Range: 0 to 1; 0 if n is 0 or N.
    Parameters: x in percent, as in -m tnr_asreview.50.
    Notes: tnr rounds m up, so that the percentage is reached.
    Source: ASReview's insights 1.6 (tnr).  trec_eval: none.
    """
    m = rounded_down_percent(batch.num_rel, percent)
    r = rank_of_relevant(batch, m)
    nonrelevant = documents_to_read(batch) - batch.num_rel
    unread = np.maximum(nonrelevant - (r - m), 0)
    rate = np.round(divide(unread, nonrelevant), 6)
    return np.where(r > 0, rate, 0.0)


def recall_at_percent(batch: Batch, percent: float) -> FloatArray:
    """Share of the relevant documents found when a percentage of the documents was read, as ASReview has it.

    Formula:  recall_asreview_x = rel(k) / n      k = x/100 N, rounded down
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels
      N       documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1; 0 if n is 0.
    Parameters: x in percent, as in -m recall_asreview.10,25.
    Notes: recall_at_percent rounds k to the nearest whole number.
    Source: ASReview's insights 1.6 (recall).  trec_eval: none.
    """
    k = rounded_down_percent(documents_to_read(batch), percent)
    return divide(relevant_within(batch, k), batch.num_rel)


_asreview = partial(Measure, ours=True)
_OF_COLLECTION = frozenset({Trait.OF_COLLECTION, Trait.MOVES_UP})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _asreview("wss_asreview", work_saved, Percents((95.0,), example="95"), traits=_OF_COLLECTION),
    _asreview(
        "erf_asreview",
        extra_relevant_found,
        Percents((1.0, 10.0), example="10"),
        traits=_OF_COLLECTION | {Trait.OWN_EXPECTED},
    ),
    _asreview(
        "tnr_asreview",
        true_negative_rate,
        Percents((50.0, 90.0), example="50,90"),
        traits=_OF_COLLECTION | {Trait.BOUNDED},
    ),
    _asreview(
        "recall_asreview",
        recall_at_percent,
        Percents((1.0, 10.0, 25.0, 50.0, 75.0, 90.0), example="10,25"),
        traits=_OF_COLLECTION | {Trait.BOUNDED, Trait.OWN_EXPECTED},
    ),
)
