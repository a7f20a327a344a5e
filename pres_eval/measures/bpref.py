"""Binary preference: how often relevant documents come before judged ones that are not."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.measures.average_precision import geometric_terms
from pres_eval.measures.base import LEAST_GEOMETRIC_MEAN, Measure, Trait, geometric_mean


def binary_preference(batch: Batch) -> FloatArray:
    """Share of judged pairs in which the relevant document comes before the other (bpref).

    Formula:  bpref = 1/n Σ (1 - min(b, n) / min(N, n))      over the relevant documents retrieved
      n  relevant documents in the qrels      N  documents judged not relevant in the qrels
      b  documents judged not relevant that come before the relevant one
    Range: 0 to 1; 0 if n is 0.  A relevant document with none before it adds 1, one not retrieved adds 0.
    Notes: documents that nobody judged have no effect, so it is robust to incomplete judgements.
    Source: Buckley & Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004,
      doi:10.1145/1008992.1009000; with trec_eval's bound min(N, n).  ir_measures' Bpref.
    """
    return divide(batch.sum_of_relevant(preferred(batch)), batch.num_rel)


def preferred(batch: Batch) -> FloatArray:
    """Return (R,) 1 - min(b, n) / min(N, n), the term of bpref, for each relevant document retrieved.

    It is the share of judged nonrelevant documents, of which min(N, n) count, that do not come before it;
    with --ties expected it is the mean over the orders of ties.
    """
    if batch.ties is not None:
        from pres_eval.measures.expected.ranks import bpref_terms

        return bpref_terms(batch)
    n = batch.num_rel[batch.relevant_topic_of]
    b = batch.nonrel_so_far[batch.relevant_rows]
    most_before = np.minimum(batch.num_nonrel[batch.relevant_topic_of], n)  # min(N, n)
    not_before = 1.0 - divide(np.minimum(b, n), most_before)
    return np.asarray(not_before, np.float64)


def geometric_binary_preference(batch: Batch) -> FloatArray:
    """Binary preference as in bpref, with the geometric mean over topics.

    Formula:  gm_bpref = exp(1/T Σ ln max(bpref_t, 0.00001))      over the T topics
    Range: 0.00001 to 1 in the summary; it is not printed for topics (there it would be the logarithm).
    Notes: rewards runs that fail on few topics, as gm_map does.
    Source: as bpref and gm_map; trec_eval.
    """
    return geometric_terms(binary_preference(batch))


def plain_binary_preference(topic: RankedTopic) -> float:
    """Return bpref of one topic."""
    n = topic.judged.num_rel
    level = topic.judged.relevance_level
    most_before = min(topic.judged.num_nonrel, n)  # min(N, n)
    b = 0
    total = 0.0
    for grade in topic.grades:
        if grade >= level:
            share_before = min(b, n) / most_before if most_before else 0.0
            total += 1.0 - share_before
        elif grade >= 0:
            b += 1
    return total / n if n else 0.0


def plain_geometric_binary_preference(topic: RankedTopic) -> float:
    """Return gm_bpref of one topic: a logarithm."""
    return math.log(max(plain_binary_preference(topic), LEAST_GEOMETRIC_MEAN))


_OF_JUDGED = frozenset({Trait.IGNORES_UNJUDGED, Trait.IGNORES_TAIL, Trait.MOVES_UP})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "bpref",
        binary_preference,
        traits=_OF_JUDGED | {Trait.BOUNDED, Trait.OWN_EXPECTED},
        plain=plain_binary_preference,
    ),
    Measure(
        "gm_bpref",
        geometric_binary_preference,
        summary=geometric_mean,
        per_topic=False,
        traits=_OF_JUDGED,
        plain=plain_geometric_binary_preference,
    ),
)
