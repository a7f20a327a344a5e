"""Intervals of values that are inferred from a sample: they show how values vary from sample to sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from pres_eval.analysis.reproducible import RandomStream
from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.batches.forming import in_blocks
from pres_eval.batches.from_samples import SampledBatch
from pres_eval.errors import UsageError
from pres_eval.measures.base import Trait, mean
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.options import RelevanceInfo
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.judged_groups import Sample
from pres_eval.scoring import ScoredRun, Scoring, seen_as

LOWER, UPPER = "lower", "upper"
"""Names of the ends of intervals, as bounds of a column's view."""

TOPICS_AT_ONCE = 64
"""Topics that are redrawn in one block: this bounds the memory."""

NO_WIDTH = 0.001
"""Width below which an interval counts as one without width; for values above 1 a share of the value."""

REDRAWS, REDRAW_SEED = 1000, 1
"""How many times a sample is redrawn, and the seed of the random choices."""

SHARES_BELOW_ENDS = (1 - 0.95) / 2, (1 + 0.95) / 2
"""The shares of redrawn values below the two ends of an interval, which contains 95 % of them."""


def with_sample_intervals(
    evaluation: ScoredRun,
    ranking: Ranking,
    scoring: Scoring,
    warn: Callable[[str], None],
    times: int = REDRAWS,
) -> ScoredRun:
    """Return the evaluation with the two ends of an interval after each column inferred from a sample.

    times  how many times the sample is redrawn
    warn   takes warnings of intervals without width

    Documents are drawn again from the sample of each stratum, for the same topics and strata; a stratum of
    which all documents were judged adds no width.  The ends are quantiles of the redrawn values, mirrored at
    the value itself (the basic bootstrap): this corrects the bias of values from samples, so that a value may
    lie outside of its interval.  Ends of shares are at most 1.  A stratum of which one document, or no
    relevant one, was drawn adds no width either: then the interval is too narrow.  Measures whose values are
    too high on every sample have no interval.
    Raises UsageError for judgements that were not drawn within strata.
    Source: Rao & Wu, JASA 1988, doi:10.1080/01621459.1988.10478591.
    """
    sample = scoring.relevance
    if not isinstance(sample, Sample) or sample.probability is not None:
        raise UsageError("--intervals: expected judgements that were drawn within strata (-R strata)")
    inferred_columns = [number for number, column in enumerate(evaluation.columns) if _is_inferred(column)]
    if not inferred_columns:
        return evaluation
    inferred = evaluation.with_columns(inferred_columns)
    forms = in_blocks(sample, ranking, scoring.options, TOPICS_AT_ONCE)
    blocks = (cast(SampledBatch, form()) for form in forms)
    ends_of_topics, sums = _ends_and_sums(blocks, inferred.columns, times)
    is_share = np.array([column.measure.summary is mean for column in inferred.columns])
    values, summary = np.array(inferred.values, np.float64), np.array(inferred.summary, np.float64)
    redrawn_summaries = sums / np.where(is_share, evaluation.totals.num_topics, 1)
    ends_over_all = _mirrored(redrawn_summaries, summary)
    # Shares end at 1, unless the inferred value itself is more.
    most = np.where(is_share, 1.0, np.inf)
    ends_of_topics = np.minimum(ends_of_topics, np.maximum(values, most[:, np.newaxis]))
    ends_over_all = np.minimum(ends_over_all, np.maximum(summary, most))
    with_intervals = _with_ends(evaluation, inferred_columns, ends_of_topics, ends_over_all)
    for text in without_width(with_intervals, ranking, scoring):
        warn(text)
    return with_intervals


def _ends_and_sums(
    blocks: Iterable[SampledBatch], columns: Selection, times: int
) -> tuple[FloatArray, FloatArray]:
    """Return ends of the intervals of topics (2, C, T), and sums over topics of redrawn values (times, C).

    columns  C inferred columns
    """
    stream = RandomStream(REDRAW_SEED)
    ends, sums = [], np.zeros((times, len(columns)))
    for block in blocks:
        values = np.stack([_values(redrawn, columns) for redrawn in _redrawn(block, times, stream)])
        sums += values.sum(axis=2)
        ends.append(_mirrored(values, _values(block, columns)))
    return np.concatenate(ends, axis=2), sums


def without_width(evaluation: ScoredRun, ranking: Ranking, scoring: Scoring) -> Iterator[str]:
    """Yield a warning if intervals over all topics have no width although some documents were not drawn.

    Intervals below NO_WIDTH count as such: only a sample of a million documents could be so certain.
    """
    ends: dict[str, list[tuple[SelectedColumn, float]]] = {}
    for column, value in zip(evaluation.columns, evaluation.summary, strict=True):
        if column.view.bound in (LOWER, UPPER) and isinstance(value, float):
            label = column.label.removesuffix(f"({column.view.bound})")
            ends.setdefault(label, []).append((column, value))
    narrow: dict[str, SelectedColumn] = {}
    for label, ((column, lower), (_, upper)) in ends.items():
        if upper - lower < NO_WIDTH * max(upper, 1.0):
            narrow[label] = column
    if not narrow or not isinstance(scoring.relevance, Sample):
        return
    uncertain = _rest_on_undrawn(tuple(narrow.values()), scoring.relevance, ranking, scoring)
    labels = [label for label, is_uncertain in zip(narrow, uncertain.tolist(), strict=True) if is_uncertain]
    if labels:
        yield (
            f"{ranking.name}: intervals (nearly) without width, which do not mean certainty:"
            f" {', '.join(labels)}; in almost every stratum the drawn documents count the same, so"
            " drawing them again changes little; draw more documents"
        )


def _rest_on_undrawn(columns: Selection, sample: Sample, ranking: Ranking, scoring: Scoring) -> BoolArray:
    """Return (C,) whether a column's values depend on documents that were not drawn.

    They do if the values differ between these documents all being nonrelevant and all being relevant.
    """
    (form,) = in_blocks(sample, ranking, scoring.options, len(sample.pool.topics))
    batch = cast(SampledBatch, form())
    all_drawn = np.ones(len(batch.grade))
    extremes = []
    for grade in (0, max(int(batch.grade.max(initial=0)), 1)):
        grades = np.where(batch.grade < 0, grade, batch.grade)
        extremes.append(_values(replace(batch, grade=grades, times=all_drawn), columns))
    # If all documents are retrieved, recall differs only by the number that is added for smoothing.
    return np.asarray(np.any(abs(extremes[0] - extremes[1]) >= NO_WIDTH, axis=1), np.bool_)


def _mirrored(redrawn: FloatArray, value: FloatArray) -> FloatArray:
    """Return the ends (2, N) of intervals for values (N,) from redrawn values (B, N); none is below 0.

    Worked example: a value of 0.5 with quantiles 0.4 and 0.7 of the redrawn ones has the ends 0.3 and 0.6.
    """
    lower_quantiles, upper_quantiles = np.quantile(redrawn, SHARES_BELOW_ENDS, axis=0)
    ends = np.array([2 * value - upper_quantiles, 2 * value - lower_quantiles])
    return np.asarray(np.maximum(ends, 0.0), np.float64)


def _is_inferred(column: SelectedColumn) -> bool:
    """Return whether a column is inferred from a sample by a measure that can have an interval."""
    inferred = column.measure.relevance in (RelevanceInfo.STRATA, RelevanceInfo.PRELS)
    return inferred and Trait.TOO_HIGH_OF_SAMPLES not in column.measure.traits


def _values(batch: SampledBatch, columns: Selection) -> FloatArray:
    """Return the values (C, T) of columns for the topics of a batch."""
    values = []
    for column in columns:
        values.append(column.measure.score(seen_as(batch, column.view), *column.arguments))
    return np.array(values, np.float64)


def _redrawn(batch: SampledBatch, times: int, stream: RandomStream) -> Iterator[SampledBatch]:
    """Yield the batch with its judged documents drawn again, `times` times, with weights by Rao and Wu.

    Of the n documents drawn from N of a stratum, n - 1 are drawn again, with replacement.  A document drawn
    t times counts 1 - λ + λ t n / (n - 1) times, with λ² = 1 - n / N: all n together count n times.
    """
    rows = np.flatnonzero(batch.grade >= 0)
    stratum_of = batch.group_of[rows]
    drawn: IntArray = np.bincount(stratum_of, minlength=len(batch.num_documents))
    # λ of each document's stratum; 0, so that nothing changes, if only one document was drawn.
    lambdas = np.where(drawn > 1, np.sqrt(1 - drawn / batch.num_documents), 0.0)[stratum_of]
    begins = (np.cumsum(drawn) - drawn)[stratum_of]
    # Each of a stratum's documents but the first stands for one draw: n - 1 draws.
    draws = np.flatnonzero(begins != np.arange(len(rows)))
    first, size = begins[draws], drawn[stratum_of[draws]].astype(np.uint64)
    half = np.uint64(32)
    scale = lambdas * (drawn / np.maximum(drawn - 1, 1))[stratum_of]
    for _ in range(times):
        # A random number of 32 bits times the size, less its 32 lowest bits, is a number from 0 to size - 1.
        number_in_stratum = (stream.words(len(size)) >> half) * size >> half
        chosen = first + number_in_stratum.astype(np.int64)
        weights = np.zeros(len(batch.grade))
        weights[rows] = 1 - lambdas + scale * np.bincount(chosen, minlength=len(rows))
        yield batch.drawn_anew(weights)


def _with_ends(
    evaluation: ScoredRun, inferred: list[int], ends_of_topics: FloatArray, ends_over_all: FloatArray
) -> ScoredRun:
    """Return the evaluation with the two ends of each inferred column after that column.

    inferred        indices of C columns
    ends_of_topics  (2, C, T) lower and upper ends of the values of topics
    ends_over_all   (2, C) lower and upper ends of the values over all topics
    """
    ends = []
    for bound in (LOWER, UPPER):
        for number in inferred:
            column = evaluation.columns[number]
            view = column.view._replace(bound=bound)
            ends.append(replace(column, label=f"{column.label}({bound})", view=view))
    all_columns = replace(
        evaluation,
        columns=(*evaluation.columns, *ends),
        values=(*evaluation.values, *ends_of_topics.reshape(len(ends), -1)),
        summary=(*evaluation.summary, *ends_over_all.ravel().tolist()),
    )
    # The ends come last here: sort all columns by the column that they belong to.
    belongs_to = [*range(len(evaluation.columns)), *inferred, *inferred]
    order = sorted(range(len(belongs_to)), key=belongs_to.__getitem__)
    return all_columns.with_columns(order)
