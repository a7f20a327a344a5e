"""Measures of the set retrieved, whatever its order."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.measures.base import Measure, Trait, WhenMissing
from pres_eval.measures.counting import relevant_within, variance_of_relevant
from pres_eval.measures.parameters import Coefficients


def set_precision(batch: Batch) -> FloatArray:
    """Share of relevant documents in everything retrieved.

    Formula:  set_P = rel_ret / ret
      rel_ret  relevant documents retrieved      ret  documents retrieved
    Range: 0 to 1; 0 if nothing was retrieved.
    Notes: with -M k the divisor is what was retrieved, at most k; that of P_k is k always.
    Source: van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7; trec_eval (once
      exact_prec).  ir_measures' SetP.
    """
    return divide(relevant_within(batch), batch.num_ret)


def set_recall(batch: Batch) -> FloatArray:
    """Share of the topic's relevant documents in everything retrieved.

    Formula:  set_recall = rel_ret / n
      rel_ret  relevant documents retrieved      n  relevant documents in the qrels
    Range: 0 to 1; 0 if n is 0.
    Source: van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7; trec_eval (once
      exact_recall).  ir_measures' SetR.
    """
    return divide(relevant_within(batch), batch.num_rel)


def set_relative_precision(batch: Batch) -> FloatArray:
    """Precision of everything retrieved as a share of the highest that a set of this size could have.

    Formula:  set_relative_P = rel_ret / min(ret, n)
      rel_ret  relevant documents retrieved      ret  documents retrieved      n  relevant ones in the qrels
    Range: 0 to 1; 0 if nothing was retrieved or n is 0.
    Source: trec_eval (once exact_relative_prec).  ir_measures' SetP(relative=True).
    """
    return divide(relevant_within(batch), np.minimum(batch.num_ret, batch.num_rel))


def set_average_precision(batch: Batch) -> FloatArray:
    """Precision times recall of everything retrieved, which is map if the order is unknown.

    Formula:  set_map = rel_ret² / (ret n)
      rel_ret  relevant documents retrieved      ret  documents retrieved      n  relevant ones in the qrels
    Range: 0 to 1; 0 if nothing was retrieved or n is 0.
    Notes: each relevant document retrieved is given the precision of the set, each other one 0.
    Source: trec_eval (once exact_unranked_avg_prec).  ir_measures' SetAP.
    """
    relevant_found = relevant_within(batch).astype(float)
    retrieved = batch.num_ret.astype(float)
    relevant = batch.num_rel.astype(float)
    return divide(relevant_found * relevant_found + variance_of_relevant(batch), retrieved * relevant)


def set_f(batch: Batch, weights: tuple[float, ...]) -> FloatArray:
    """Weighted harmonic mean of precision and recall of everything retrieved.

    Formula:  set_F = (x + 1) P R / (x P + R)
      P, R  set_P and set_recall      x  weight of recall against precision, 1 unless given
    Range: 0 to 1; 0 if nothing relevant was retrieved.
    Parameter: x, as in -m set_F.0.5.
    Notes: x is the β² of the usual Fβ: -m set_F.4 is F2.  ir_measures' SetF(beta=…) hands its beta on as x.
    Source: van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7; trec_eval.
    """
    (x,) = weights
    num_found = relevant_within(batch)
    has_relevant = num_found > 0
    p = divide(num_found, batch.num_ret)[has_relevant]
    r = divide(num_found, batch.num_rel)[has_relevant]
    score = np.zeros(len(batch))
    with np.errstate(divide="ignore", invalid="ignore"):  # x may be negative, and the divisor 0
        score[has_relevant] = (x + 1.0) * p * r / (x * p + r)
    return score


def utility(batch: Batch, worth: tuple[float, ...]) -> FloatArray:
    """Documents counted with what each is worth: found or missed, relevant or not.

    Formula:  utility = p1 a + p2 b + p3 c + p4 d
      a  relevant, retrieved              b  not relevant, retrieved
      c  relevant, not retrieved          d  not relevant, not retrieved: N - ret - n + a
      N  documents in the collection (-N, 0 if not given)    ret  documents retrieved    n  relevant ones
    Range: any number.  The summary is the mean over the topics.
    Parameters: p1 to p4, as in -m utility.1,-1,0,0, which are the defaults; p4 needs -N to make sense.
    Source: trec_eval, from the TREC filtering track.
    """
    p1, p2, p3, p4 = worth
    a = relevant_within(batch)
    b = batch.num_ret - a
    c = batch.num_rel - a
    d = batch.num_docs_in_coll + a - batch.num_ret - batch.num_rel
    return np.asarray(p1 * a + p2 * b + p3 * c + p4 * d, np.float64)


def plain_set_precision(topic: RankedTopic) -> float:
    """Return set_P of one topic, of which something was retrieved."""
    return len(topic.relevant) / topic.num_ret


def plain_set_recall(topic: RankedTopic) -> float:
    """Return set_recall of one topic."""
    n = topic.judged.num_rel
    return len(topic.relevant) / n if n else 0.0


def plain_set_relative_precision(topic: RankedTopic) -> float:
    """Return set_relative_P of one topic."""
    most = min(topic.num_ret, topic.judged.num_rel)
    return len(topic.relevant) / most if most else 0.0


def plain_set_average_precision(topic: RankedTopic) -> float:
    """Return set_map of one topic."""
    product = float(topic.num_ret) * float(topic.judged.num_rel)
    num_found = float(len(topic.relevant))
    return num_found * num_found / product if product else 0.0


_OF_A_SET = frozenset({Trait.BOUNDED, Trait.SET, Trait.RISES})
_OWN_EXPECTED = _OF_A_SET | {Trait.OWN_EXPECTED}

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure("set_P", set_precision, traits=_OWN_EXPECTED, plain=plain_set_precision),
    Measure(
        "set_relative_P",
        set_relative_precision,
        traits=_OWN_EXPECTED,
        plain=plain_set_relative_precision,
    ),
    Measure(
        "set_recall",
        set_recall,
        traits=_OWN_EXPECTED | {Trait.IGNORES_UNJUDGED, Trait.IGNORES_TAIL},
        plain=plain_set_recall,
    ),
    Measure("set_map", set_average_precision, traits=_OWN_EXPECTED, plain=plain_set_average_precision),
    Measure("set_F", set_f, Coefficients((1.0,), 1, example="0.5"), traits=_OWN_EXPECTED),
    Measure(
        "utility",
        utility,
        Coefficients((1.0, -1.0, 0.0, 0.0), count=4, example="1.0,-1.0,0.0,0.0"),
        rewards_giving_up=True,
        # trec_eval: 10.0 sets it to 0 only where it is called plainly utility.
        when_missing=WhenMissing.ZERO_WITHOUT_PARAMETERS,
        traits=frozenset({Trait.SET, Trait.RISES, Trait.OWN_EXPECTED}),
    ),
)
