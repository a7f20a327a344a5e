"""Similarity to an ideal ranking: compatibility, and the share of pairs in the right order."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, blocks, changed, divide, ragged
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import relevant_within
from pres_eval.measures.parameters import OptionalCutoffs
from pres_eval.measures.rbp import Powers
from pres_eval.measures.settings import MeasureSettings, Setting, persistence

MOST_COMPARED = 1 << 20
"""Ranks looked at together."""


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
    overlaps = np.flatnonzero(batch.grade > 0)
    begins = np.maximum(_ideal_ranks(batch, overlaps), batch.rank[overlaps])
    if deepest is not None:
        seen = np.flatnonzero(begins <= deepest)
        overlaps = overlaps[seen]
        begins = begins[seen]
    topic_of = batch.topic_of[overlaps]
    length = batch.count_judged(batch.levels > 0)
    longer = np.maximum(length, batch.num_ret) if deepest is None else int(deepest)
    depth = np.where(length > 0, longer, 0)
    scores = np.zeros(len(batch))
    for start, stop in blocks(np.concatenate(([0], np.cumsum(depth)))):
        rows = slice(*np.searchsorted(topic_of, (start, stop)).tolist())
        scores[start:stop] = _compatibility(
            topic_of[rows] - start, begins[rows], length[start:stop], depth[start:stop], p, normalize
        )
    return scores


def _ideal_ranks(batch: Batch, rows: IntArray) -> IntArray:
    """Return (n,) the place of each of these documents (n,) in the ideal ranking of its topic."""
    topic_of = batch.topic_of[rows]
    grade = batch.grade[rows]
    order = np.lexsort((batch.rank[rows], -grade, topic_of))
    new = changed(topic_of[order], grade[order])
    first = np.flatnonzero(new)
    of_group = np.cumsum(new) - 1
    within = np.arange(len(rows)) - first[of_group]
    counts = np.concatenate((np.cumsum(batch.level_counts[::-1])[::-1], [0]))
    # Levels ascend within a topic, so those above a grade are the ones behind it.
    above = np.zeros(len(first), np.int64)
    for number, row in enumerate(order[first].tolist()):
        topic = int(topic_of[row])
        begin = int(batch.level_offsets[topic])
        end = int(batch.level_offsets[topic + 1])
        level = begin + int(np.searchsorted(batch.levels[begin:end], grade[row], "right"))
        above[number] = counts[level] - counts[end]
    ranks = np.empty(len(rows), np.int64)
    ranks[order] = above[of_group] + within + 1
    return ranks


def _compatibility(
    topic_of: IntArray, begins: IntArray, length: IntArray, depth: IntArray, p: float, normalize: float
) -> FloatArray:
    """Return the scores (T,) of topics, from the depths (n,) at which documents enter both rankings."""
    ranks, offsets = ragged(np.ones_like(depth), depth)
    owner = np.repeat(np.arange(len(depth)), depth)
    powers = Powers(p, int(depth.max(initial=0)))[ranks - 1]
    common = np.cumsum(np.bincount(offsets[topic_of] + begins - 1, minlength=len(ranks)))
    common -= np.searchsorted(topic_of, np.arange(len(depth)))[owner]

    def weighted(weights: FloatArray) -> FloatArray:
        return np.bincount(owner, weights, len(depth)).astype(np.float64, copy=False)

    score = weighted(powers * common / ranks)
    weight = weighted(powers)
    if not normalize:
        return divide(score, weight)
    best = weighted(powers * np.minimum(ranks, length[owner]) / ranks)
    return divide(divide(score, weight), divide(best, weight))


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
    relevant = relevant_within(batch, last)
    others = np.minimum(batch.num_ret, last) - relevant
    before = np.where(batch.rank <= last, batch.rank - batch.rel_so_far, 0).astype(float)
    pairs = others * relevant.astype(float)
    wrong = divide(batch.sum_by_topic(before, batch.is_rel), pairs)
    return np.where(relevant > 0, 1.0 - wrong, 0.0)


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
                    expected=f"the number of ranks to compare, a whole number from 1 to {MOST_COMPARED}",
                    least=1.0,
                    most=float(MOST_COMPARED),
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
