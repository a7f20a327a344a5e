"""How much the ranking of runs changes when part of the relevant documents is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.analysis.correlation import COEFFICIENTS
from pres_eval.analysis.cutoffs import summaries
from pres_eval.analysis.sampling import keep_relevant
from pres_eval.arrays.exact import add_in_order
from pres_eval.arrays.types import BoolArray, FloatArray
from pres_eval.measures.selection import Selection
from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.scoring import evaluate


@dataclass(frozen=True)
class Plan:
    """Which f-qrels are made.

    fractions    of each topic's relevant documents that stay
    samples      f-qrels for each fraction
    seed         of all of them
    coefficient  how rankings of runs are compared: a name of COEFFICIENTS
    """

    fractions: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)
    samples: int = 3
    seed: int = 0
    coefficient: str = "tau_a"


@dataclass(frozen=True, eq=False)
class Robustness:
    """Correlations of rankings of runs under f-qrels with the ranking under the full qrels.

    full          (M, R) scores under the full qrels
    num_rel       relevant documents in the full qrels
    kept          (F, S) relevant documents in each f-qrels
    correlations  (F, S, M)
    """

    plan: Plan
    labels: tuple[str, ...]
    full: FloatArray
    num_rel: int
    kept: NDArray[Any]
    correlations: FloatArray

    @property
    def averages(self) -> FloatArray:
        """(F, M) mean over the samples."""
        samples = self.correlations.shape[1]
        return np.array(
            [[add_in_order(row) / samples for row in fraction.T] for fraction in self.correlations],
            np.float64,
        )

    @property
    def lowest(self) -> FloatArray:
        """(F, M) the worst of the samples."""
        return np.asarray(self.correlations.min(axis=1), np.float64)


class Sampler:
    """Makes f-qrels; at `level` a document is relevant."""

    def __init__(self, qrels: Qrels, level: int, seed: int) -> None:
        self._offsets = qrels.pool.offsets
        self._seed = seed
        # By id, so that the choice does not depend on the order in which the pool keeps documents.
        self._order = qrels.pool.byte_order()
        self._is_rel = qrels.grade[self._order] >= level

    def keep(self, fraction: float, sample: int) -> BoolArray:
        """(D,) which judgements of the pool stay in one f-qrels."""
        keep = np.empty(len(self._order), bool)
        keep[self._order] = keep_relevant(self._offsets, self._is_rel, fraction, sample, self._seed)
        return keep


def robustness(
    qrels: Qrels,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
    plan: Plan,
    each: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Robustness:
    """Score all runs under f-qrels, and compare the rankings with that under the full qrels.

    Runs are not read again: what is kept of them is scored with some judgements taken out.  `each` wraps the
    loop over the f-qrels (a progress bar).
    Source: Magdy & Jones, CLEF 2010, doi:10.1007/978-3-642-15998-5_10.
    """
    full = _scores(qrels, rankings, selection, options)
    is_rel = qrels.grade >= options.relevance_level
    shape = (len(plan.fractions), plan.samples)
    kept = np.zeros(shape, np.int64)
    correlations = np.empty((*shape, len(selection)))
    coefficient = COEFFICIENTS[plan.coefficient]
    sampler = Sampler(qrels, options.relevance_level, plan.seed)
    for number in each(range(shape[0] * shape[1])):
        fraction, sample = divmod(number, plan.samples)
        keep = sampler.keep(plan.fractions[fraction], sample)
        kept[fraction, sample] = np.count_nonzero(keep & is_rel)
        scores = _scores(qrels.keeping(keep), rankings, selection, options)
        for row, label in enumerate(full):
            correlations[fraction, sample, row] = coefficient(label, scores[row])
    labels = tuple(column.label for column in selection)
    return Robustness(plan, labels, full, int(np.count_nonzero(is_rel)), kept, correlations)


def _scores(qrels: Qrels, rankings: Sequence[Ranking], selection: Selection, options: Options) -> FloatArray:
    return summaries([evaluate(qrels, ranking, selection, options) for ranking in rankings])


def qrels_lines(qrels: Qrels, keep: BoolArray) -> bytes:
    """The judgements that stay as a qrels file: topics and documents in byte order, iteration 0."""
    pool = qrels.pool
    order = pool.byte_order()
    chosen = order[keep[order]]
    topics, documents = list(pool.topics), pool.documents.take(chosen)
    return b"".join(
        b"%s 0 %s %d\n" % (topics[topic], document, grade)
        for topic, document, grade in zip(
            pool.topic_of[chosen].tolist(), documents, qrels.grade[chosen].tolist(), strict=True
        )
    )
