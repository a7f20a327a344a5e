"""Average precision and its relatives: at cutoffs, geometric, inferred, smoothed."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.arrays import FloatArray, divide, elementwise
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.batches.topics import UNJUDGED
from pres_eval.measures.base import LEAST_GEOMETRIC_MEAN, Measure, Trait, geometric_mean
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.precision import DOCUMENT_CUTOFFS

INFAP_EPSILON = 0.00001
"""ε of infAP: trec_eval's INFAP_EPSILON."""


def geometric_terms(values: FloatArray) -> FloatArray:
    """Return (T,) ln max(value, 0.00001) of values (T,): the terms of a geometric mean."""
    return elementwise(math.log, np.maximum(values, LEAST_GEOMETRIC_MEAN))


def average_precision(batch: Batch) -> FloatArray:
    """Precision at each relevant document, averaged over all relevant ones (its mean over topics is MAP).

    Formula:  map = 1/n Σ i / r_i      over the relevant documents retrieved
      n  relevant documents in the qrels      r_i  rank of the i-th relevant document retrieved
    Range: 0 to 1; 0 if n is 0 or nothing relevant was retrieved.  A relevant document not retrieved adds 0.
    Notes: the first ranks weigh most, so it shows little of the order further down.
      The name says mean, which is over topics; on one topic it is average precision.
    Source: trec_eval, after TREC 1; Buckley & Voorhees, "Evaluating evaluation measure stability",
      SIGIR 2000, doi:10.1145/345508.345543.  ir_measures' AP.
    """
    return divide(batch.sum_of_relevant(batch.relevant_precision), batch.num_rel)


def average_precision_cut(batch: Batch, cutoff: int) -> FloatArray:
    """Average precision over the first k documents.

    Formula:  map_cut_k = 1/n Σ i / r_i      over the relevant documents down to rank k
      n  relevant documents in the qrels      r_i  rank of the i-th relevant document retrieved
    Range: 0 to min(k, n) / n; 0 if n is 0.  The divisor stays n, not the smaller of n and k.
    Source: as map; trec_eval.  ir_measures' AP@k.
    """
    # Of C columns at once, `cutoff` is an array (C, 1) and the result (C, T).
    relevant = batch.relevant_places
    num_found = relevant.within(cutoff)
    sum_of_precisions = relevant.at(batch.running_precision, num_found)  # Σ i / r_i of the first num_found
    return divide(sum_of_precisions, batch.num_rel)


def average_precision_of_retrieved(batch: Batch) -> FloatArray:
    """Precision at each relevant document retrieved, averaged over those alone (ragas' context precision).

    Formula:  map_ret = 1/k Σ i / r_i      over the relevant documents retrieved
      k  relevant documents retrieved      r_i  rank of the i-th of them
    Range: 0 to 1; 0 if nothing relevant was retrieved.
    Notes: what was missed does not count, so give it with set_recall: a run that retrieves less is often
      better by it.  map divides by all relevant documents.  ragas' other measures of lists of ids are set_P
      (IDBasedContextPrecision) and set_recall (IDBasedContextRecall, NonLLMContextRecall).
    Source: ragas' NonLLMContextPrecisionWithReference, with documents compared by their ids; DeepEval's
      contextual precision has this formula, with judgements by a model.  trec_eval: none.
    """
    return divide(batch.sum_of_relevant(batch.relevant_precision), batch.num_rel_ret)


def geometric_average_precision(batch: Batch) -> FloatArray:
    """Average precision as in map, with the geometric mean over topics (GMAP).

    Formula:  gm_map = exp(1/T Σ ln max(AP_t, 0.00001))
      T  topics      AP_t  average precision of the topic (map)
    Range: 0.00001 to 1 in the summary; it is not printed for topics (there it would be the logarithm).
    Notes: a gain on a topic that does badly counts as much as the same factor on one that does well, so it
      rewards runs that fail on few topics.  With -c each topic that the run lacks counts as 0.00001.
    Source: Robertson, "On GMAP: and other transformations", CIKM 2006, doi:10.1145/1183614.1183630.
    """
    return geometric_terms(average_precision(batch))


def inferred_average_precision(batch: Batch) -> FloatArray:
    """Average precision estimated from a pool of which only a sample was judged (infAP).

    Formula:  infAP = 1/n Σ E(r)      over the relevant documents retrieved, r their ranks
      E(r)  = 1/r + (r-1)/r · (p/(r-1)) · (a + ε) / (a + b + 2ε);  1 at rank 1
      p     documents before r that are in the qrels, judged or not (negative relevance: not judged)
      a, b  of those, judged relevant, judged not relevant      ε  0.00001
      n     relevant documents in the qrels
    Range: 0 to 1; 0 if n is 0.  With every document of the pool judged it is map but for ε.
    Notes: documents in the pool without judgement are taken to be relevant as often as the judged ones above;
      those outside the pool are taken as not relevant.
    Source: Yilmaz & Aslam, "Estimating Average Precision with Incomplete and Imperfect Judgments", CIKM 2006,
      doi:10.1145/1183614.1183633.  ir_measures' infAP.
    """
    rows = batch.relevant_rows
    r = batch.rank[rows].astype(float)
    a = batch.rel_so_far[rows] - 1
    b = batch.nonrel_so_far[rows]
    # In the pool, but not judged: UNJUDGED is any negative grade.  Documents outside it are not in the batch.
    unjudged = batch.running_count(batch.grade == UNJUDGED)[rows]
    p = a + b + unjudged
    share_relevant = (a + INFAP_EPSILON) / (a + b + 2 * INFAP_EPSILON)
    with np.errstate(invalid="ignore"):
        expected = 1.0 / r + ((r - 1.0) / r) * (p / (r - 1.0)) * share_relevant
    expected[r == 1] = 1.0
    return divide(batch.sum_of_relevant(expected), batch.num_rel)


def yaap(batch: Batch) -> FloatArray:
    """Average precision on a scale of log odds (Yet Another Average Precision).

    Formula:  yaap = ln((1 + s) / (1 + n - s))      with s = Σ i / r_i, so that map is s / n
      n  relevant documents in the qrels      r_i  rank of the i-th relevant document retrieved
    Range: -ln(1 + n) to ln(1 + n); 0 if n is 0.
    Notes: on one topic it orders runs as map does; over topics the mean is less ruled by the easy ones.
    Source: Robertson, "On Smoothing Average Precision", ECIR 2012, LNCS 7224, pp. 158-169.
    """
    s = batch.sum_of_relevant(batch.relevant_precision)
    return elementwise(math.log, (1.0 + s) / (1.0 + batch.num_rel - s))


# The `plain` functions compute the same bits for one topic without arrays: faster for few documents.


def plain_average_precision(topic: RankedTopic) -> float:
    """Return map of one topic."""
    return plain_average_precision_cut(topic, topic.num_ret)


def plain_average_precision_cut(topic: RankedTopic, cutoff: int) -> float:
    """Return map_cut of one topic."""
    total = 0.0
    for number, rank in enumerate(topic.relevant, 1):
        if rank > cutoff:
            break
        total += number / rank
    return total / topic.judged.num_rel if topic.judged.num_rel else 0.0


def plain_geometric_average_precision(topic: RankedTopic) -> float:
    """Return gm_map of one topic: a logarithm."""
    return math.log(max(plain_average_precision(topic), LEAST_GEOMETRIC_MEAN))


def plain_inferred_average_precision(topic: RankedTopic) -> float:
    """Return infAP of one topic."""
    level = topic.judged.relevance_level
    relevant = nonrelevant = unjudged = 0
    total = 0.0
    for rank, grade in zip(topic.ranks, topic.grades, strict=True):
        if grade >= level:
            total += _expected_precision(float(rank), relevant, nonrelevant, unjudged)
            relevant += 1
        elif grade >= 0:
            nonrelevant += 1
        else:  # in the pool, but not judged; documents outside it are not in `grades`
            unjudged += 1
    return total / topic.judged.num_rel if topic.judged.num_rel else 0.0


def _expected_precision(r: float, a: int, b: int, unjudged: int) -> float:
    """Return E(r) of infAP: the expected precision at a relevant document at rank r.

    a, b      documents before it that were judged relevant, and judged not relevant
    unjudged  documents before it that are in the pool and were not judged
    """
    if r == 1.0:
        return 1.0
    p = a + b + unjudged
    share_relevant = (a + INFAP_EPSILON) / (a + b + 2 * INFAP_EPSILON)
    return 1.0 / r + ((r - 1.0) / r) * (p / (r - 1.0)) * share_relevant


_RANKED = frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL})
"""Traits of measures of the ranks of relevant documents."""

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "map",
        average_precision,
        title="Average precision",
        traits=_RANKED,
        plain=plain_average_precision,
    ),
    Measure(
        "map_cut",
        average_precision_cut,
        Cutoffs(DOCUMENT_CUTOFFS),
        takes_many=True,
        traits=_RANKED,
        plain=plain_average_precision_cut,
    ),
    Measure(
        "map_ret",
        average_precision_of_retrieved,
        ours=True,
        rewards_giving_up=True,
        traits=_RANKED | {Trait.MOVES_UP},
    ),
    Measure(
        "gm_map",
        geometric_average_precision,
        summary=geometric_mean,
        per_topic=False,
        traits=frozenset({Trait.IGNORES_TAIL}),
        plain=plain_geometric_average_precision,
    ),
    Measure(
        "infAP",
        inferred_average_precision,
        best_by_grade=False,
        traits=_RANKED | {Trait.MOVES_UP},
        plain=plain_inferred_average_precision,
    ),
    Measure(
        "yaap",
        yaap,
        traits=frozenset({Trait.IGNORES_TAIL}),
    ),
)
