"""Costs and losses of a reader who stops: reading everything retrieved, and missing the rest."""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import relevant_within, variance_of_relevant
from pres_eval.measures.parameters import Coefficients
from pres_eval.measures.screening import documents_to_read
from pres_eval.measures.sets import set_recall

_HALVINGS_TO_0 = 1100
"""Halvings after which 1 is 0 as a double (1075 are enough); more need not fit into 32 bits."""

LOSS_DOCUMENTS = 100.0
"""The 100 of loss_e: documents that it is reasonable to read besides the relevant ones."""


def total_cost(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """Cost of reading everything retrieved and of missing relevant documents.

    Formula:  total_cost = a ret + b (n - 2 rel_ret)
      ret      documents retrieved (with -M k those that are read)      rel_ret  relevant ones among them
      n        relevant documents in the qrels
      a, b     cost of reading a document, and of missing a relevant one: 1 and 20 unless given
    Range: any number; less is better, and below 0 the run has earned more than it cost.
    Parameters: a and b, as in -m total_cost.1,20.
    Notes: a relevant document that is found earns what a missed one costs.  It is utility_(a-b),a,b,0.
    Source: CLEF TAR's tar_eval (2018).  trec_eval: none.
    """
    a, b = costs
    missed_less_found = batch.num_rel - 2 * relevant_within(batch)
    return np.asarray(a * batch.num_ret + b * missed_less_found, np.float64)


def total_cost_uniform(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """Cost of reading everything retrieved, and of the rest by the share of relevant documents missing.

    Formula:  total_cost_uniform = a ret + b (N - ret) (n - rel_ret) / n      a ret if n is 0
      ret      documents retrieved (with -M k those that are read)      rel_ret  relevant ones among them
      n        relevant documents in the qrels
      N        documents to read without a ranking: -N, or those judged for the topic
      a, b     cost of reading a document, and of one of the rest: 1 and 2 unless given
    Range: from a ret to a ret + b (N - ret).  Less is better.
    Parameters: a and b, as in -m total_cost_uniform.1,2.
    Notes: in CLEF TAR each document with feedback costs 2 more; the run's second column, which trec_eval's
      format leaves free, marks them.  This measure does not count that.
    Source: CLEF TAR's tar_eval (2017); Kanoulas, Li, Azzopardi & Spijker, "CLEF 2017 Technologically Assisted
      Reviews in Empirical Medicine Overview", CLEF 2017 Working Notes.  trec_eval: none.
    """
    a, b = costs
    cost_of_rest = b * (documents_to_read(batch) - batch.num_ret)
    num_missed = batch.num_rel - relevant_within(batch)
    cost_of_missing = divide(cost_of_rest * num_missed, batch.num_rel)
    return np.asarray(a * batch.num_ret + cost_of_missing, np.float64)


def total_cost_weighted(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """Cost of reading everything retrieved, and half of the rest again for each relevant document missing.

    Formula:  total_cost_weighted = a ret + b (N - ret) (1 - 2^(1-m))      a ret if m is 0
      ret      documents retrieved (with -M k those that are read)
      m        relevant documents in the qrels that were not retrieved
      N        documents to read without a ranking: -N, or those judged for the topic
      a, b     cost of reading a document, and of one of the rest: 1 and 2 unless given
    Range: from a ret to a ret + b (N - ret).  Less is better.
    Parameters: a and b, as in -m total_cost_weighted.1,2.
    Notes: the first missing document costs nothing, as tar_eval computes it; its description has a half of
      the rest to read for it, then a quarter.  Feedback: as in total_cost_uniform.
    Source: as total_cost_uniform.
    """
    return weighted_cost(batch, costs, batch.num_rel - batch.num_rel_ret)


def weighted_cost(batch: Batch, costs: tuple[float, ...], missed: IntArray) -> FloatArray:
    """Return (T,) total_cost_weighted if `missed` (T,) relevant documents, the m of it, are not retrieved."""
    a, b = costs
    cost_of_rest = b * (documents_to_read(batch) - batch.num_ret)
    share_of_rest = 1.0 - np.ldexp(1.0, 1 - np.minimum(missed, _HALVINGS_TO_0))  # 1 - 2^(1-m)
    cost_of_missing = cost_of_rest * np.where(missed > 0, share_of_rest, 0.0)
    return np.asarray(a * batch.num_ret + cost_of_missing, np.float64)


def loss_of_recall(batch: Batch) -> FloatArray:
    """Squared share of the relevant documents that everything retrieved misses.

    Formula:  loss_r = (1 - R)²
      R  recall of everything retrieved (set_recall)
    Range: 0 to 1; 1 if n is 0.  Less is better.
    Notes: with -M k of the first k documents.
    Source: Bagdouri, Webber, Lewis & Oard, "Towards minimizing the annotation cost of certified text
      classification", CIKM 2013, doi:10.1145/2505515.2505708; CLEF TAR's tar_eval.  trec_eval: none.
    """
    share_missed = 1.0 - set_recall(batch)
    n = batch.num_rel.astype(float)
    # The mean of a square is the square of the mean plus the variance, which is above 0 in ties alone.
    variance = divide(variance_of_relevant(batch), n * n)
    return share_missed * share_missed + variance


def loss_of_effort(batch: Batch) -> FloatArray:
    """Squared effort of reading everything retrieved, against what is reasonable for the topic.

    Formula:  loss_e = (100 / N)² (ret / (n + 100))²
      ret  documents retrieved      n  relevant documents in the qrels
      N    documents to read without a ranking: -N, or those judged for the topic
    Range: 0 to 1.  Less is better.
    Notes: with -M k of the first k documents.
    Source: as loss_r.
    """
    reasonable_share = divide(np.full(len(batch), LOSS_DOCUMENTS), documents_to_read(batch))
    effort = batch.num_ret / (batch.num_rel + LOSS_DOCUMENTS)
    return np.asarray((reasonable_share * reasonable_share) * (effort * effort), np.float64)


def loss(batch: Batch) -> FloatArray:
    """Loss of recall and loss of effort together.

    Formula:  loss_er = loss_r + loss_e
    Range: 0 to 2.  Less is better.
    Source: as loss_r.
    """
    return loss_of_recall(batch) + loss_of_effort(batch)


_cost = partial(Measure, less_is_better=True, ours=True)
_OF_A_SET = frozenset({Trait.SET, Trait.RISES})
_OF_COLLECTION = _OF_A_SET | {Trait.OF_COLLECTION}
_COSTS_OF_READING_AND_REST = Coefficients((1.0, 2.0), 2, example="1,2")

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _cost(
        "total_cost",
        total_cost,
        Coefficients((1.0, 20.0), 2, example="1,20"),
        traits=_OF_A_SET | {Trait.OWN_EXPECTED},
    ),
    _cost(
        "total_cost_uniform",
        total_cost_uniform,
        _COSTS_OF_READING_AND_REST,
        traits=_OF_COLLECTION | {Trait.OWN_EXPECTED},
    ),
    _cost(
        "total_cost_weighted",
        total_cost_weighted,
        _COSTS_OF_READING_AND_REST,
        traits=_OF_COLLECTION,
    ),
    _cost(
        "loss_r",
        loss_of_recall,
        traits=_OF_A_SET | {Trait.BOUNDED, Trait.IGNORES_UNJUDGED, Trait.IGNORES_TAIL, Trait.OWN_EXPECTED},
    ),
    _cost("loss_e", loss_of_effort, rewards_giving_up=True, traits=_OF_COLLECTION | {Trait.BOUNDED}),
    _cost("loss_er", loss, traits=_OF_COLLECTION | {Trait.OWN_EXPECTED}),
)
