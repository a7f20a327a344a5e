"""Similarity to an ideal ranking: compatibility, and the share of pairs in the right order."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, blocks, changed, divide, rows_of_stretches
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import relevant_within
from pres_eval.measures.parameters import OptionalCutoffs
from pres_eval.measures.rbp import Powers
from pres_eval.measures.settings import MeasureSettings, Setting, persistence

GREATEST_DEPTH = 1 << 20
"""The greatest `depth` of compat: all ranks of a topic are compared at once, in arrays."""


def compatibility(batch: Batch, p: float, normalize: float, deepest: float | None) -> FloatArray:
    """Rank-biased overlap of the ranking with the ideal ranking that is nearest to it (compatibility).

    Formula:  compat = RBO(ranking, ideal) / RBO(ideal, ideal),   RBO = Σ p^(i-1) A(i) / Σ p^(i-1)
      A(i)   share of the first i documents of the one that are among the first i of the other
      i      from 1 to the length of the longer one, or to `depth` if that is given
      ideal  documents of grades above 0, highest first; those of one grade in the order of the ranking, and
             those that were not retrieved behind
      p      persistence, 0.95 unless given
    Range: 0 to 1; 0 if nothing has a grade above 0 or nothing was retrieved.
    Parameters: -m compat.p=0.9; normalize=0 leaves out the division by RBO(ideal, ideal).
    Notes: -l has no effect.  compatibility.py reads 1,000 ranks whatever the lengths: depth=1000 gives its
      numbers.  It orders ties by docno ascending, and so does ir_measures, which stops at the longer list;
      there a document that was not retrieved is one with score 0, so it differs where scores are negative.
    Source: Clarke, Vtyurina & Smucker, "Assessing top-k preferences", TOIS 39(3), 2021, doi:10.1145/3451161.
      trec_eval: none.  ir_measures' Compat(p=…).
    """
    graded = np.flatnonzero(batch.grade > 0)
    # The rank from which on a document is among the first of both rankings.
    common_from = np.maximum(_ideal_ranks(batch, graded), batch.rank[graded])
    if deepest is not None:
        seen = np.flatnonzero(common_from <= deepest)
        graded = graded[seen]
        common_from = common_from[seen]
    topic_of = batch.topic_of[graded]
    ideal_length = batch.count_judged(batch.levels > 0)
    longer = np.maximum(ideal_length, batch.num_ret) if deepest is None else int(deepest)
    depth = np.where(ideal_length > 0, longer, 0)
    scores = np.zeros(len(batch))
    for start, stop in blocks(np.concatenate(([0], np.cumsum(depth)))):
        rows = slice(*np.searchsorted(topic_of, (start, stop)).tolist())
        scores[start:stop] = _compatibility_of_block(
            topic_of[rows] - start,
            common_from[rows],
            ideal_length[start:stop],
            depth[start:stop],
            p,
            normalize,
        )
    return scores


def _ideal_ranks(batch: Batch, rows: IntArray) -> IntArray:
    """Return (n,) the rank of each of these documents (n,) in the ideal ranking of its topic.

    Before it are judged documents with higher grades, and those of its grade that are retrieved earlier.
    rows  (n,) all documents of the batch with grades above 0
    """
    topic_of = batch.topic_of[rows]
    grade = batch.grade[rows]
    order = np.lexsort((batch.rank[rows], -grade, topic_of))
    # A group is the documents of one grade of one topic.
    begins_group = changed(topic_of[order], grade[order])
    first_of_group = np.flatnonzero(begins_group)
    group_of = np.cumsum(begins_group) - 1
    index_in_group = np.arange(len(rows)) - first_of_group[group_of]
    # How many judgements there are from each level to the last one of the batch.
    counts_from = np.concatenate((np.cumsum(batch.level_counts[::-1])[::-1], [0]))
    num_higher = np.zeros(len(first_of_group), np.int64)
    for group, row in enumerate(order[first_of_group].tolist()):
        topic = int(topic_of[row])
        begin = int(batch.level_offsets[topic])
        end = int(batch.level_offsets[topic + 1])
        # Levels ascend within a topic, so those above a grade are the ones behind it.
        next_level = begin + int(np.searchsorted(batch.levels[begin:end], grade[row], "right"))
        num_higher[group] = counts_from[next_level] - counts_from[end]
    ranks = np.empty(len(rows), np.int64)
    ranks[order] = num_higher[group_of] + index_in_group + 1
    return ranks


def _compatibility_of_block(
    topic_of: IntArray,
    common_from: IntArray,
    ideal_length: IntArray,
    depth: IntArray,
    p: float,
    normalize: float,
) -> FloatArray:
    """Return (T,) compat of T topics, whose ranks are all in memory at once.

    topic_of      (n,) the topics of documents that are in both rankings
    common_from   (n,) the rank from which on such a document is among the first of both, at most the depth
    ideal_length  (T,) documents of the ideal ranking
    depth         (T,) the last rank that counts
    p, normalize  as in `compatibility`
    """
    i, offsets = rows_of_stretches(np.ones_like(depth), depth)
    topic_of_rank = np.repeat(np.arange(len(depth)), depth)
    powers = Powers(p, int(depth.max(initial=0)))[i - 1]
    # How many documents are among the first i of both rankings: A(i) times i.  Counts of all topics run on,
    # so those of the topics before are taken off.
    num_new = np.bincount(offsets[topic_of] + common_from - 1, minlength=len(i))
    num_in_topics_before = np.searchsorted(topic_of, np.arange(len(depth)))
    num_common = np.cumsum(num_new) - num_in_topics_before[topic_of_rank]

    def sum_by_topic(values: FloatArray) -> FloatArray:
        """Add up values of ranks in each topic, one after the other: (n,) in, (T,) out."""
        return np.bincount(topic_of_rank, values, len(depth)).astype(np.float64, copy=False)

    sum_of_powers = sum_by_topic(powers)
    rbo = divide(sum_by_topic(powers * num_common / i), sum_of_powers)
    if not normalize:
        return rbo
    num_common_with_itself = np.minimum(i, ideal_length[topic_of_rank])
    rbo_of_ideal = divide(sum_by_topic(powers * num_common_with_itself / i), sum_of_powers)
    return divide(rbo, rbo_of_ideal)


def accuracy(batch: Batch, cutoff: int | None) -> FloatArray:
    """Share of pairs of a relevant document and another, both retrieved, that are in the right order.

    Formula:  accuracy = 1 - Σ b_i / (m k)      over the k relevant documents retrieved
      b_i  documents before the i-th relevant one that are not relevant, judged or not
      m    documents retrieved that are not relevant
    Range: 0 to 1; 0 if no relevant document was retrieved, 1 if nothing else was.
    Parameters: -m accuracy.10,100 uses only the first documents.
    Notes: relevant documents that were not retrieved have no effect.  ir_measures leaves a topic without
      relevant documents out of the mean, and stops at one with nothing else.
    Source: the area under the ROC curve: Hanley & McNeil, Radiology 143(1), 1982,
      doi:10.1148/radiology.143.1.7063747; ir_measures.  trec_eval: none.  ir_measures' Accuracy.
    """
    last = int(np.iinfo(np.int64).max) if cutoff is None else cutoff
    k = relevant_within(batch, last)
    m = np.minimum(batch.num_ret, last) - k
    b = np.where(batch.rank <= last, batch.rank - batch.rel_so_far, 0).astype(float)
    num_pairs = m * k.astype(float)
    share_wrong = divide(batch.sum_by_topic(b, batch.is_rel), num_pairs)
    return np.where(k > 0, 1.0 - share_wrong, 0.0)


# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "compat",
        compatibility,
        MeasureSettings(
            (
                persistence(0.95),
                Setting(
                    name="normalize",
                    default=1.0,
                    expected="1, or 0 not to normalize",
                    least=0.0,
                    most=1.0,
                    whole=True,
                ),
                Setting(
                    name="depth",
                    default=None,
                    expected=f"the number of ranks to compare, a whole number from 1 to {GREATEST_DEPTH}",
                    least=1.0,
                    most=float(GREATEST_DEPTH),
                    whole=True,
                ),
            ),
            example="p=0.9",
        ),
        ours=True,
        uses_level=False,
        traits=frozenset({Trait.BOUNDED, Trait.GRADED}),
    ),
    Measure(
        "accuracy",
        accuracy,
        OptionalCutoffs("10,100"),
        ours=True,
        best_by_grade=False,
        traits=frozenset({Trait.BOUNDED, Trait.MOVES_UP}),
    ),
)
