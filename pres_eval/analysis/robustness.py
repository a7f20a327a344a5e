"""Robustness of the ranking of runs if judgements are missing.

f-qrels are judgements of which each topic keeps only a random fraction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.correlation import COEFFICIENTS
from pres_eval.analysis.paired import evaluations_of
from pres_eval.analysis.reproducible import RandomStream
from pres_eval.analysis.sweep import signs, summaries
from pres_eval.arrays import BoolArray, FloatArray, IntArray, add_in_order
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.measures.selection import Selection
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.scoring import Scoring

LEAST_RELEVANT = 1
"""Least number of relevant documents that a topic keeps, if it has any."""

LEAST_NONRELEVANT = 10
"""Least number of nonrelevant documents that a topic keeps (Buckley & Voorhees, SIGIR 2004)."""


def kept_counts(documents: IntArray, fraction: float, least: int = LEAST_RELEVANT) -> IntArray:
    """Return how many documents of each topic (T,) are kept: the fraction, rounded half up, or `least`.

    documents  (T,) how many each topic has; it never keeps more
    """
    # The small number makes halves round up that are not exact: 45 * 0.7 is 31.499999999999996.
    rounded = np.floor(documents * fraction + 0.5 + 1e-9)
    return np.asarray(np.minimum(np.maximum(rounded, least), documents), np.int64)


def keep_relevant(offsets: IntArray, is_rel: BoolArray, fraction: float, sample: int, seed: int) -> BoolArray:
    """Return which judgements stay if each topic keeps a random part of its relevant documents, at least one.

    offsets  (T+1,) where each topic's judgements begin
    is_rel   (D,) whether a judgement is relevant; those that are not all stay
    sample   number of the random choice, from 0
    The result (D,) depends only on the judgements, the fraction, the sample and the seed: not on other
    fractions or samples, nor on the platform (PCG64).
    Source: Magdy & Jones, CLEF 2010, doi:10.1007/978-3-642-15998-5_10.
    """
    return _keep(offsets, is_rel, fraction, _stream(seed, fraction, sample), LEAST_RELEVANT)


def _stream(seed: int, fraction: float, sample: int, *more_seeds: int) -> RandomStream:
    """Return the random stream of a sample; fractions that agree in six decimals have the same."""
    return RandomStream(seed, round(fraction * 1_000_000), sample, *more_seeds)


def _keep(
    offsets: IntArray, thinned: BoolArray, fraction: float, stream: RandomStream, least: int
) -> BoolArray:
    """Return (N,) whether each row stays: of each topic's thinned rows only a random fraction does.

    offsets  (T+1,) where each topic's rows begin
    thinned  (N,) whether a row may go; the others stay
    least    least number of thinned rows that a topic keeps
    """
    topic_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    rows = np.flatnonzero(thinned)
    topic = topic_of[rows]
    # By topic, in random order within a topic.
    order = np.lexsort((stream.words(len(rows)), topic))
    counts = np.bincount(topic, minlength=len(offsets) - 1).astype(np.int64)
    first = np.cumsum(counts) - counts
    number_in_topic = np.arange(len(rows)) - first[topic[order]]
    stays = np.ones(len(thinned), bool)
    stays[rows[order]] = number_in_topic < kept_counts(counts, fraction, least)[topic[order]]
    return stays


REMOVED = ("pooled", "unjudged", "nonrelevant")
"""What becomes of a removed judgement, by the names of the option; the first is the default.

pooled       grade -1, in the pool but not judged: this describes it best, and infAP needs it
unjudged     it vanishes, as if the pool had never had it; only infAP tells this from pooled
nonrelevant  grade 0, as if an assessor had overlooked the document
"""

THINNED = ("relevant", "all")
"""Judgements to remove: relevant ones, or relevant and nonrelevant ones alike."""


@dataclass(frozen=True)
class Plan:
    """Plan of the reduced judgements (f-qrels) to draw.

    fractions    of each topic's relevant documents that stay
    samples      number of f-qrels for each fraction
    seed         of the random choices
    coefficient  how rankings of runs are compared: a name of COEFFICIENTS
    removed      what becomes of a removed judgement: a name of REMOVED
    thin         which judgements are taken out: a name of THINNED
    """

    fractions: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)
    samples: int = 3
    seed: int = 0
    coefficient: str = "tau_a"
    removed: str = REMOVED[0]
    thin: str = THINNED[0]


@dataclass(frozen=True, eq=False)
class Reduced:
    """Rankings of R runs under M measures with all judgements, and with N reduced sets of judgements.

    labels        of the measures
    full          (M, R) scores with all judgements
    kept, judged  (N,) numbers of relevant documents, and of judged ones, that stay
    correlations  (N, M) coefficients of the full ranking and the ranking with fewer judgements
    unchanged     (M,) the coefficient of the full ranking with itself: below 1 for τ-a if runs tie, nan if
                  all do
    """

    labels: tuple[str, ...]
    full: FloatArray
    kept: IntArray
    judged: IntArray
    correlations: FloatArray
    unchanged: FloatArray


@dataclass(frozen=True, eq=False)
class Robustness(Reduced):
    """The same with the f-qrels of a plan: arrays have (F, S) for F fractions and S samples in place of (N,).

    num_rel  number of relevant documents in the full qrels
    """

    plan: Plan
    num_rel: int

    @property
    def averages(self) -> FloatArray:
        """(F, M) mean coefficient over the samples."""
        fractions, samples, measures = self.correlations.shape
        averages = np.empty((fractions, measures))
        for row, correlations in enumerate(self.correlations):
            averages[row] = [add_in_order(of_measure) / samples for of_measure in correlations.T]
        return averages

    @property
    def lowest(self) -> FloatArray:
        """(F, M) lowest coefficient of the samples."""
        return np.asarray(self.correlations.min(axis=1), np.float64)


def f_qrels(qrels: QrelsJudgements, level: float, plan: Plan) -> Callable[[int], BoolArray]:
    """Return a function of a number that returns which judgements (D,) of the pool stay in these f-qrels.

    level  the least grade of a relevant document
    Numbers count from 0: all samples of the first fraction, then those of the second, and so on.  If the plan
    thins all judgements, each topic keeps that fraction of its nonrelevant documents as well, ten at least.
    Documents in the pool that are not judged stay.
    Source: Buckley & Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000.
    """
    offsets = qrels.pool.offsets
    # By id, so that the choice does not depend on the order in which the pool keeps documents.
    order = qrels.pool.byte_order()
    grade = qrels.grade[order]
    is_rel = grade >= level

    def keep(number: int) -> BoolArray:
        """Return whether each judgement (D,) stays."""
        fraction, sample = plan.fractions[number // plan.samples], number % plan.samples
        stay = np.empty(len(order), bool)
        stay[order] = keep_relevant(offsets, is_rel, fraction, sample, plan.seed)
        if plan.thin == "all":
            is_nonrelevant = (grade >= 0) & ~is_rel
            stream = _stream(plan.seed, fraction, sample, 1)
            stay[order] &= _keep(offsets, is_nonrelevant, fraction, stream, LEAST_NONRELEVANT)
        return stay

    return keep


def without(qrels: QrelsJudgements, keep: BoolArray, removed: str) -> QrelsJudgements:
    """Return the judgements without those that do not stay.

    keep     (D,) whether a judgement stays
    removed  what becomes of the others, a name of REMOVED
    """
    if removed == "unjudged":
        return replace(qrels, kept=keep)
    grade = qrels.grade.copy()
    if removed == "pooled":
        grade[~keep] = -1
    else:
        grade[~keep] = np.minimum(grade[~keep], 0)
    return replace(qrels, grade=grade)


def robustness(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
    plan: Plan,
    loop: Loop = in_turn,
) -> Robustness:
    """Score all runs under f-qrels, and return how far the rankings agree with that under the full qrels.

    loop  carries out the loop over the f-qrels
    Runs are not read again: their judged documents are scored with fewer judgements.
    Source: Magdy & Jones, CLEF 2010, doi:10.1007/978-3-642-15998-5_10.
    """
    shape = (len(plan.fractions), plan.samples)
    by_number = reduced(
        qrels,
        rankings,
        selection,
        options,
        keep=f_qrels(qrels, options.relevance_level, plan),
        times=len(plan.fractions) * plan.samples,
        coefficient=plan.coefficient,
        removed=plan.removed,
        loop=loop,
    )
    return Robustness(
        labels=by_number.labels,
        full=by_number.full,
        kept=by_number.kept.reshape(shape),
        judged=by_number.judged.reshape(shape),
        correlations=by_number.correlations.reshape(*shape, len(selection)),
        unchanged=by_number.unchanged,
        plan=plan,
        num_rel=int(np.count_nonzero(qrels.grade >= options.relevance_level)),
    )


def reduced(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
    keep: Callable[[int], BoolArray],
    times: int,
    coefficient: str,
    removed: str,
    loop: Loop,
) -> Reduced:
    """Return how the ranking of runs changes with fewer judgements: all runs are scored `times` times.

    keep         function of a number from 0 to times - 1 that returns whether each judgement (D,) stays
    coefficient  how the ranking is compared with that under all judgements: a name of COEFFICIENTS
    removed      what becomes of judgements that go, a name of REMOVED
    loop         carries out the loop over the times
    """
    sign, compare = signs(selection), COEFFICIENTS[coefficient]
    full = scores_under(qrels, rankings, selection, options)

    def score_again(number: int) -> tuple[int, int, list[float]]:
        """Return how many relevant and how many judged documents stay, and the coefficients (M,)."""
        stay = keep(number)
        scores = scores_under(without(qrels, stay, removed), rankings, selection, options)
        relevant = int(np.count_nonzero(stay & (qrels.grade >= options.relevance_level)))
        judged = int(np.count_nonzero(stay & (qrels.grade >= 0)))
        correlations = []
        for before, after in zip(sign * full, sign * scores, strict=True):
            correlations.append(compare(before, after))
        return relevant, judged, correlations

    relevant_counts, judged_counts, correlations = zip(*loop(score_again, times), strict=True)
    return Reduced(
        labels=tuple(column.label for column in selection),
        full=full,
        kept=np.array(relevant_counts),
        judged=np.array(judged_counts),
        correlations=np.array(correlations),
        unchanged=np.array([compare(scores, scores) for scores in sign * full]),
    )


def scores_under(
    qrels: QrelsJudgements, rankings: Sequence[Ranking], selection: Selection, options: Options
) -> FloatArray:
    """Return the scores (M, R) of the runs under these judgements; runs are not read again."""
    scoring = Scoring(relevance=qrels, selection=selection, options=options)
    return summaries(evaluations_of(scoring, rankings))


def qrels_lines(qrels: QrelsJudgements, keep: BoolArray | None = None) -> bytes:
    """Return judgements as a qrels file in byte order of topics and documents.

    keep  (D,) whether a judgement stays; None: all stay
    """
    pool = qrels.pool
    rows = pool.byte_order()
    if keep is not None:
        rows = rows[keep[rows]]
    topics, documents = list(pool.topics), pool.documents.take(rows)
    grades = qrels.grade[rows].tolist()
    lines = []
    for topic, document, grade in zip(pool.topic_of[rows].tolist(), documents, grades, strict=True):
        lines.append(b"%s 0 %s %d\n" % (topics[topic], document, grade))
    return b"".join(lines)
