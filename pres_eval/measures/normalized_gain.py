"""Experimental measures of trec_eval that cross nDCG with average precision: binG, G, ndcg_rel, Rndcg."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, accumulate, changed, divide, elementwise, log2
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.gain import (
    BestRanking,
    GradeGains,
    KeyNumbers,
    adds_exactly,
    best_ranking,
    blocks_of_ranks,
    document_gains,
    grade_gains,
    score_with_gains,
)
from pres_eval.measures.parameters import Pairs


def binary_g(batch: Batch) -> FloatArray:
    """Relevant documents discounted by how many that are not relevant come before them.

    Formula:  binG = 1/n Σ 1 / log2(2 + b_i)      over the relevant documents retrieved
      n    relevant documents in the qrels
      b_i  documents before the i-th relevant one that are not relevant, judged or not
    Range: 0 to 1; 0 if n is 0.
    Notes: experimental; G is the same with grades.
    Source: trec_eval (2008).
    """
    b = batch.rank - batch.rel_so_far
    discount = 1.0 / log2(np.where(batch.is_rel, 2 + b, 2))
    return divide(batch.sum_by_topic(discount, batch.is_rel), batch.num_rel)


def g(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Gain discounted by how far the ranking is behind the best possible, as a share of the gain there is.

    Formula:  G = Σ gain(r) / log2(2 + C(r) - S(r)) / Σ positive gains of the qrels
      gain(r)  of the document at rank r: its grade, 0 if it was not judged
      S(r)     gain of the ranking down to rank r, this document included
      C(r)     gain of the best ranking down to rank r, where each document counts at least 1
    Range: 0 to 1 with the grades as gains; 0 if no gain is positive.
    Parameters: other gains for grades, as in -m G.1=3.5,2=9; with odd ones it may be inf or nan, as there.
    Notes: experimental.  A document's worth does not depend on rank alone: to come after better ones costs
      nothing.
    Source: trec_eval (2008).
    """
    named = grade_gains(pairs, batch.version)
    if adds_exactly(named):
        return score_with_gains(batch, named, _g)
    # Otherwise C(r) is added up rank by rank, and every rank takes memory.
    values_of_blocks = [score_with_gains(block, named, _g) for block in blocks_of_ranks(batch)]
    return np.concatenate(values_of_blocks)


def _g(batch: Batch, named: GradeGains) -> FloatArray:
    """Return (T,) G with these gains; s and c are S(r) and C(r) of the formula in `g`."""
    gains = document_gains(batch, named)
    best = best_ranking(batch, named)
    s = accumulate(np.add, gains, batch.offsets)
    c = _best_gain_so_far(batch, best, named)
    has_gain = gains != 0
    with np.errstate(divide="ignore", invalid="ignore"):
        discounted = gains[has_gain] / _any_log2((2.0 + c - s)[has_gain])
    sums = np.bincount(batch.topic_of[has_gain], weights=discounted, minlength=len(batch))
    return divide(sums, best.sum_by_topic(best.gain))


def _best_gain_so_far(batch: Batch, best: BestRanking, named: GradeGains) -> FloatArray:
    """Return (D,) C(r) of G: the gain of the best ranking down to each document's rank r.

    Each rank counts at least 1, also those behind the end of the best ranking.
    """
    best_gain = np.maximum(best.gain, 1.0)
    if adds_exactly(named):
        running = accumulate(np.add, best_gain, best.offsets)
        num_behind_end: FloatArray = np.maximum(batch.rank - best.length[batch.topic_of], 0)
        return best.up_to(batch.topic_of, batch.rank, running) + num_behind_end
    # Running sums over every rank of each topic, as the additions have to come in order.
    lengths = np.maximum(best.length, batch.num_ret)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    gain = np.ones(offsets[-1])
    gain[offsets[best.topic_of] + best.rank - 1] = best_gain
    running = accumulate(np.add, gain, offsets)
    return running[offsets[batch.topic_of] + batch.rank - 1]


HIGHEST_WHOLE = 2.0**40
"""Limit of values that are tried as whole numbers, whose logarithms may be in a table already."""


def _any_log2(values: FloatArray) -> FloatArray:
    """Return the C library's base-2 logarithms (n,) of values (n,), also of values that are not positive."""
    if np.all((values >= 1) & (values < HIGHEST_WHOLE)):
        whole = values.astype(np.int64, copy=False)
        if np.array_equal(whole, values):
            return log2(whole)
    return elementwise(_c_log2, values)


def _c_log2(value: float) -> float:
    """Return the base-2 logarithm as C has it: -inf of 0, -nan below."""
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else -math.nan


def ndcg_rel(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Normalised discounted gain at the rank of each document that has gain, averaged over these.

    Formula:  ndcg_rel = 1/m Σ DCG_r / ideal DCG_r      over the m documents of positive gain in the qrels
      DCG_r        Σ gain / log2(1 + rank) down to the document's rank r; for one that was not retrieved, of
                   the whole ranking
      ideal DCG_r  that of the best ranking, down to the same rank; for one not retrieved, of all of it
    Range: 0 to 1 with the grades as gains; 0 if no gain is positive.
    Parameters: other gains for grades, as in -m ndcg_rel.1=3.5,2=9.
    Notes: experimental.  nDCG falls and rises along the ranking; this takes it where documents of gain are.
    Source: trec_eval, after Järvelin & Kekäläinen, TOIS 20(4), 2002, doi:10.1145/582415.582418.
    """
    return score_with_gains(batch, grade_gains(pairs, batch.version), _ndcg_rel)


def _ndcg_rel(batch: Batch, named: GradeGains) -> FloatArray:
    """Return (T,) ndcg_rel with these gains, by the formula in `ndcg_rel`."""
    gains = document_gains(batch, named)
    best = best_ranking(batch, named)
    discounted = gains / log2(batch.rank + 1)
    ideal_discounted = best.gain / log2(best.rank + 1)
    # (D,) DCG_r and ideal DCG_r at the rank of each document.
    dcg = accumulate(np.add, discounted, batch.offsets)
    running_ideal = accumulate(np.add, ideal_discounted, best.offsets)
    ideal_dcg = best.up_to(batch.topic_of, batch.rank, running_ideal)
    num_missed = best.length - batch.count_by_topic(gains > 0)
    whole_dcg = batch.sum_by_topic(discounted)
    whole_ideal_dcg = best.sum_by_topic(ideal_discounted)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = batch.sum_by_topic(dcg / ideal_dcg, gains > 0)
        sums = sums + num_missed * whole_dcg / whole_ideal_dcg
        return np.where(sums > 0, sums / best.length, 0.0)


def r_ndcg(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Normalised discounted gain at the ranks where the best ranking's gain falls, averaged over these.

    Formula:  Rndcg = 1/L Σ DCG_c / ideal DCG_c      over the L ranks c
      c      how many documents have at least each gain of the qrels, from the highest down to the least
             positive one; and the end of the ranking if that lies further down
      DCG_c  Σ gain / log2(1 + rank) down to rank c      ideal DCG_c  that of the best ranking
    Range: 0 to 1 with the grades as gains; 0 if the topic has no relevant documents; nan (0/0) if it has some
      (at the level of -l) but none of positive gain.
    Parameters: other gains for grades, as in -m Rndcg.1=3.5,2=9.
    Notes: experimental.  With one gain only and a short ranking it is nDCG at rank n.
    Source: trec_eval, after Järvelin & Kekäläinen, TOIS 20(4), 2002, doi:10.1145/582415.582418.
    """
    return score_with_gains(batch, grade_gains(pairs, batch.version), _r_ndcg)


def _r_ndcg(batch: Batch, named: GradeGains) -> FloatArray:
    """Return (T,) Rndcg with these gains, by the formula in `r_ndcg`."""
    best = best_ranking(batch, named)
    discounted = document_gains(batch, named) / log2(batch.rank + 1)
    ideal_discounted = best.gain / log2(best.rank + 1)
    dcg = accumulate(np.add, discounted, batch.offsets)
    ideal_dcg = accumulate(np.add, ideal_discounted, best.offsets)
    whole_dcg = batch.sum_by_topic(discounted)
    whole_ideal_dcg = best.sum_by_topic(ideal_discounted)
    # The ranks c: of the last document with each gain.  Read from the end it is the first with another gain.
    is_last_of_gain = changed(best.topic_of[::-1], best.gain[::-1])[::-1]
    topic_of = best.topic_of[is_last_of_gain]
    c = best.rank[is_last_of_gain]
    num_falls = np.bincount(topic_of, minlength=len(batch))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = _dcg_down_to(batch, dcg, topic_of, c) / best.up_to(topic_of, c, ideal_dcg)
        sums = np.zeros(len(batch))
        sums += np.bincount(topic_of, weights=ratios, minlength=len(batch))
        # trec_eval: the end of the ranking counts if at least two documents follow the last of the others.
        goes_on = (best.length > 0) & (batch.num_ret > best.length + 1)
        sums += np.where(goes_on, whole_dcg / whole_ideal_dcg, 0.0)
        return np.where(batch.num_rel == 0, 0.0, sums / (num_falls + goes_on))


def _dcg_down_to(batch: Batch, dcg: FloatArray, topic_of: IntArray, rank: IntArray) -> FloatArray:
    """Return (n,) the DCG of topics (n,) down to ranks (n,); 0 above their first judged document.

    dcg  (D,) running DCG at each judged document retrieved
    """
    width = int(max(batch.rank.max(initial=0), rank.max(initial=0))) + 1
    # Topic and rank are one number, which ascends.
    document_keys = batch.topic_of * width + batch.rank
    keys = topic_of * width + rank
    rows = np.searchsorted(document_keys, keys, "right") - 1
    has_document = rows >= batch.offsets[topic_of]
    with_zero = np.concatenate((dcg, [0.0]))
    index_of_zero = len(dcg)
    return np.asarray(with_zero[np.where(has_document, rows, index_of_zero)], np.float64)


_GAIN_TRAITS = frozenset({Trait.BOUNDED, Trait.GRADED, Trait.IGNORES_TAIL})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure("binG", binary_g, traits=frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL})),
    Measure("G", g, Pairs(), uses_level=False, whole_grades=True, best_by_grade=False, traits=_GAIN_TRAITS),
    Measure("ndcg_rel", ndcg_rel, Pairs(), uses_level=False, whole_grades=True, traits=_GAIN_TRAITS),
    Measure(
        "Rndcg",
        r_ndcg,
        Pairs(),
        whole_grades=True,
        traits=frozenset({Trait.BOUNDED, Trait.GRADED, Trait.MAY_BE_NAN}),
    ),
)
