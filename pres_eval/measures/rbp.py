"""Measures with a reader who goes on from rank to rank with some probability: RBP, its residual, ERR."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import BLOCK_ROWS, FloatArray, IntArray, accumulate
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError, quoted
from pres_eval.measures.base import Measure, Trait, WhenMissing
from pres_eval.measures.counting import gained
from pres_eval.measures.gain import (
    GradeGains,
    KeyNumbers,
    blocks_of_ranks,
    document_gains,
    every_rank,
    gain_tables,
    grade_gains,
    highest_grades,
    score_with_gains,
)
from pres_eval.measures.parameters import PAGE_CUTOFFS, Pairs
from pres_eval.measures.settings import Setting, UnitedCutoffs

PERSISTENCE = 0.9
"""The default of p, the probability that the reader goes on to the next document: that of trec_eval 10.0."""

GDEVAL_HIGHEST_GRADE = 4.0
"""The highest grade that gdeval takes."""


HIGHEST_SCALE = 1023
"""The highest max_rel of err: 2.0 to the power of more is infinite."""


class Powers:
    """The powers p^0, p^1, p^2 …, each the one before times p, as a loop in C computes them.

    The table ends at the highest exponent needed, or where powers stop changing (those of 0.5 once they are
    0): all higher exponents then have the last power.
    """

    def __init__(self, p: float, count: int) -> None:
        """Compute the powers; `count`: more than the highest exponent that is needed."""
        size = 1024  # most tables need no more; else it grows until it is enough
        while True:
            factors = np.full(max(min(size, count), 1), p)
            factors[0] = 1.0
            with np.errstate(over="ignore"):
                self.table = np.multiply.accumulate(factors)
            last_power = self.table[-1]
            if len(factors) >= count or last_power * p == last_power:
                break
            size *= 8

    def __getitem__(self, exponent: IntArray) -> FloatArray:
        """Return (n,) the powers with these exponents (n,)."""
        last_exponent = len(self.table) - 1
        return np.asarray(self.table[np.minimum(exponent, last_exponent)], np.float64)


def persistence_of(pairs: KeyNumbers) -> float:
    """Return the p among parameters (`p=0.8`), else PERSISTENCE."""
    return dict(pairs).get("p", PERSISTENCE)


def rbp(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Gain collected by a reader who goes on to the next document with probability p (rank-biased precision).

    Formula:  rbp = (1 - p) Σ gain(r) p^(r-1)
      gain(r)  of the document at rank r, 0 to 1: its grade over the highest grade of the topic, 0 if it was
               not judged
      p        persistence, 0.9 unless given
    Range: 0 to 1, as long as p is.
    Parameters: -m rbp.p=0.8; gains for grades too, as in -m rbp.p=0.8,1=0.5,2=1.  If some are above 1 or
      below 0, all are brought to 0 … 1 by the topic's least and highest (0 counts among them).
    Notes: unjudged documents count as 0; rbp_resid is how much they could add.  -l has no effect: grade 1 is
      worth 1/3 where the topic's highest is 3; rbp_binary has gains of 0 and 1.  ir_measures' RBP takes 0.8
      for p.  trec_eval 10.0 never sets the variables that it takes for the least and the highest gain, so
      what it prints depends on the compiler and on the measures before.  This is the value by the formula,
      which is what it prints where they happen to be 0.
    Source: Moffat & Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 27(1),
      2008, doi:10.1145/1416950.1416952; trec_eval 10.0.
    """
    p = persistence_of(pairs)

    def rbp_with_gains(batch: Batch, named: GradeGains) -> FloatArray:
        """Return (T,) rbp with the gains that parameters name."""
        return rank_biased(batch, p, gains_to_one(batch, named))

    return score_with_gains(batch, grade_gains(pairs), rbp_with_gains)


def rank_biased(batch: Batch, p: float, gains: FloatArray) -> FloatArray:
    """Return (T,) (1 - p) Σ gain(r) p^(r-1), with the gains (D,) of the documents at ranks r."""
    powers = Powers(p, int(batch.num_ret.max(initial=0)))
    collected = gained(batch, gains, lambda gain, rank: gain * powers[rank - 1])
    return (1.0 - p) * collected


def rbp_binary(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Rank-biased precision with gains of 1 for relevant documents and 0 for all others.

    Formula:  rbp_binary = (1 - p) Σ p^(r-1)      over the ranks r of the relevant documents retrieved
      p  persistence, 0.9 unless given
    Range: 0 to 1, as long as p is.
    Parameter: -m rbp_binary.p=0.8.
    Notes: -l sets what is relevant, so it is the measure of the paper; rbp counts grades.
    Source: as rbp.  trec_eval: none.  ir_measures' RBP(p=…,rel=…), where p is 0.8 unless given.
    """
    return rank_biased(batch, persistence_of(pairs), batch.is_rel.astype(float))


def gains_to_one(batch: Batch, named: GradeGains) -> FloatArray:
    """Return (D,) the gains of the documents, brought to 0 … 1 in topics with a gain below 0 or above 1.

    There a gain g becomes (g - lowest) / (highest - lowest); lowest and highest are those of the gains of the
    topic's grades, and of 0.
    """
    gains = document_gains(batch, named)
    # trec_eval: the least and the highest gain both start at 0.
    lowest = np.zeros(len(batch))
    highest = np.maximum(highest_grades(batch), 0).astype(float)
    if named:
        for topics, table in gain_tables(batch, named):
            lowest[topics] = min(table.lowest, 0.0)
            highest[topics] = max(table.highest, 0.0)
    is_scaled_topic = (lowest < 0) | (highest > 1)
    # A grade below 0 has a gain only if the parameters name it.
    has_gain = (batch.grade >= 0) | np.isin(batch.grade, [grade for grade, _ in named])
    scaled = np.flatnonzero(has_gain & is_scaled_topic[batch.topic_of])
    topic_of = batch.topic_of[scaled]
    gains[scaled] = (gains[scaled] - lowest[topic_of]) / (highest - lowest)[topic_of]
    return gains


def rbp_residual(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Rise of rank-biased precision if all unjudged documents had the highest gain.

    Formula:  rbp_resid = p^ret + (1 - p) Σ p^(r-1)      over the ranks r that were not judged; 0 if all were
      ret  documents retrieved      p  persistence, 0.9 unless given
    Range: 0 to 1, as long as p is.
    Parameter: -m rbp_resid.p=0.8.
    Notes: p^ret is the weight of all ranks after the end of the ranking.  In the pool without judgement
      (negative in the qrels) is not judged.
    Source: as rbp; trec_eval 10.0.
    """
    p = persistence_of(pairs)
    powers = Powers(p, int(batch.num_ret.max(initial=0)) + 1)
    sums_of_blocks: list[FloatArray] = []
    for block in blocks_of_ranks(batch, BLOCK_ROWS):
        all_ranks = every_rank(block)
        sums_of_blocks.append(all_ranks.sum_by_topic(powers[all_ranks.rank - 1], all_ranks.grade < 0))
    residual = powers[batch.num_ret] + (1 - p) * np.concatenate(sums_of_blocks)
    has_unjudged = batch.num_ret > batch.count_by_topic(batch.grade >= 0)
    return np.where(has_unjudged, residual, 0.0)


def expected_reciprocal_rank(batch: Batch, cutoff: int, max_rel: float = GDEVAL_HIGHEST_GRADE) -> FloatArray:
    """Reciprocal of the rank where a reader is expected to stop, satisfied with probability by grade (ERR@k).

    Formula:  err_k = Σ 1/r R_r Π (1 - R_i)      for r = 1 … k, the product over the ranks i before r
      R        probability that a document satisfies: (2^grade - 1) / 2^max_rel; 0 if it was not judged
      max_rel  the highest grade of the scale, 4 unless given
    Range: 0 to 1; 0 if nothing with a grade above 0 is found down to rank k.
    Parameters: ranks, all for the whole ranking, and the highest grade, as in -m err.10,20,max_rel=5.
    Notes: the highest grade is 4 unless given, as gdeval of the TREC Web track has it, so that topics and
      collections can be compared; a qrels file with higher grades is an error, as there.  gdeval leaves out
      topics without relevant documents; they are 0 here.  -l has no effect.
    Source: Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009,
      doi:10.1145/1645953.1646033; gdeval.pl 1.2.  trec_eval: none.  ir_measures' ERR@k.
    """
    highest = highest_grades(batch)
    if highest.max(initial=0) > max_rel:
        raise _too_high_for_err(batch, highest, max_rel)
    grade = np.where(batch.rank <= cutoff, np.maximum(batch.grade, 0), 0)
    power_of_grade = np.ldexp(1.0, grade.astype(np.int32))
    satisfied = (power_of_grade - 1.0) / 2.0**max_rel
    stops = chance_to_stop(satisfied, batch.offsets)
    return batch.sum_by_topic(stops / batch.rank)


def chance_to_stop(satisfied: FloatArray, offsets: IntArray) -> FloatArray:
    """Return (n,) R_r Π (1 - R_i), i before r: the probability that a reader stops at each document.

    satisfied  (n,) R: the probability that each document satisfies the reader, who then stops; in rank order
               within a topic
    offsets    (T+1,) where each topic's documents begin
    """
    # Of each document, the chance that neither it nor one before it satisfies.
    unsatisfied = accumulate(np.multiply, 1.0 - satisfied, offsets)
    still_reading = np.ones(len(unsatisfied))
    still_reading[1:] = unsatisfied[:-1]
    has_documents = np.diff(offsets) > 0
    still_reading[offsets[:-1][has_documents]] = 1.0
    return satisfied * still_reading


def _too_high_for_err(batch: Batch, highest: IntArray, max_rel: float) -> MeasureError:
    """Return the error of the first topic whose highest grade (T,) is above that of the scale."""
    topic = int(np.argmax(highest > max_rel))
    expected = f"expected grades up to {max_rel:g}"
    if max_rel == GDEVAL_HIGHEST_GRADE:
        expected += ", gdeval's highest"
        highest_of_all = int(highest.max())
        if highest_of_all <= HIGHEST_SCALE:
            expected += f"; -m err.max_rel={highest_of_all} takes more"
    name = quoted(batch.topics[topic])
    return MeasureError(f"-m err: found grade {highest[topic]} in the qrels of topic {name}, {expected}")


_HIGHEST_GRADE = Setting(
    name="max_rel",
    default=GDEVAL_HIGHEST_GRADE,
    expected=f"the highest grade of the scale, a whole number from 1 to {HIGHEST_SCALE}",
    least=1.0,
    most=float(HIGHEST_SCALE),
    whole=True,
)
_BIASED = frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL, Trait.RISES})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "rbp",
        rbp,
        Pairs("p=0.8", is_persistence=True),
        uses_level=False,
        traits=_BIASED | {Trait.GRADED, Trait.OWN_EXPECTED, Trait.OF_TOPIC_SCALE},
    ),
    Measure(
        "rbp_binary",
        rbp_binary,
        Pairs("p=0.8", keys=("p",), is_persistence=True),
        ours=True,
        traits=_BIASED | {Trait.OWN_EXPECTED},
    ),
    Measure(
        "rbp_resid",
        rbp_residual,
        Pairs("p=0.8", is_persistence=True),
        less_is_better=True,
        uses_level=False,
        # trec_eval: 10.0 sets it to 0 only where it is called plainly rbp_resid.
        when_missing=WhenMissing.ZERO_WITHOUT_PARAMETERS,
        traits=frozenset({Trait.BOUNDED}),
    ),
    Measure(
        "err",
        expected_reciprocal_rank,
        UnitedCutoffs((_HIGHEST_GRADE,), PAGE_CUTOFFS, "10,20,max_rel=5"),
        ours=True,
        uses_level=False,
        whole_grades=True,
        traits=_BIASED | {Trait.GRADED},
    ),
)
