"""Intervals of values inferred from a sample: where they could lie, had other documents been drawn."""

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

TOPICS_AT_ONCE = 64
"""Topics that are redrawn in one block: this bounds the memory."""

NO_WIDTH = 0.001
"""Width, as a share of a value above 1, below which an interval counts as one without width."""

REDRAWS, REDRAW_SEED = 1000, 1
"""How many times a sample is redrawn, and the seed of that."""

OUTSIDE = (1 - 0.95) / 2, (1 + 0.95) / 2
"""The shares of values below the two ends of an interval."""


def with_sample_intervals(
    evaluation: ScoredRun,
    ranking: Ranking,
    scoring: Scoring,
    warn: Callable[[str], None],
    times: int = REDRAWS,
) -> ScoredRun:
    """Return the evaluation with the ends of an interval behind each column that is inferred from a sample.

    Measures that are too high of every sample have none.
    The documents drawn are drawn anew within their strata, with the topics and strata as they are (Rao & Wu,
    JASA 1988, doi:10.1080/01621459.1988.10478591, so that a stratum drawn whole adds nothing).  The ends are
    quantiles of the values that come of it, mirrored at the value itself (the basic bootstrap): what is
    too high of a sample is corrected by it, and may lie outside; those of shares end at 1.  A stratum of
    which no relevant document, or one document, was drawn adds nothing either: there the interval is too
    narrow.
    Raises UsageError for judgements that were not drawn within strata.
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
    of_topics, sums = _ends_and_sums(blocks, inferred.columns, times)
    is_share = np.array([column.measure.summary is mean for column in inferred.columns])
    values, summary = np.array(inferred.values, np.float64), np.array(inferred.summary, np.float64)
    redrawn_summaries = sums / np.where(is_share, evaluation.totals.num_topics, 1)
    over_all = _mirrored(redrawn_summaries, summary)
    # A share of 1 is the most there is, but what is inferred may be more.
    most = np.where(is_share, 1.0, np.inf)
    of_topics = np.minimum(of_topics, np.maximum(values, most[:, np.newaxis]))
    over_all = np.minimum(over_all, np.maximum(summary, most))
    with_intervals = _with_ends(evaluation, inferred_columns, of_topics, over_all)
    for text in without_width(with_intervals, ranking, scoring):
        warn(text)
    return with_intervals


def _ends_and_sums(
    blocks: Iterable[SampledBatch], columns: Selection, times: int
) -> tuple[FloatArray, FloatArray]:
    """Return (2, C, T) ends of the intervals of topics, and (times, C) the redrawn values of all added up."""
    stream = RandomStream(REDRAW_SEED)
    ends, sums = [], np.zeros((times, len(columns)))
    for block in blocks:
        values = np.stack([_values(redrawn, columns) for redrawn in _redrawn(block, times, stream)])
        sums += values.sum(axis=2)
        ends.append(_mirrored(values, _values(block, columns)))
    return np.concatenate(ends, axis=2), sums


def without_width(evaluation: ScoredRun, ranking: Ranking, scoring: Scoring) -> Iterator[str]:
    """Yield a warning of intervals over all topics without width, though some documents were not drawn.

    What is narrower than NO_WIDTH has none: only a sample of a million documents could be so sure.
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
    """Return (C,) whether the values of columns would change if all documents not drawn were relevant."""
    (form,) = in_blocks(sample, ranking, scoring.options, len(sample.pool.topics))
    batch = cast(SampledBatch, form())
    all_drawn = np.ones(len(batch.grade))
    extremes = []
    for grade in (0, max(int(batch.grade.max(initial=0)), 1)):
        grades = np.where(batch.grade < 0, grade, batch.grade)
        extremes.append(_values(replace(batch, grade=grades, times=all_drawn), columns))
    # Where all is retrieved, recall differs by what is added for smoothing alone.
    return np.asarray(np.any(abs(extremes[0] - extremes[1]) >= NO_WIDTH, axis=1), np.bool_)


def _mirrored(redrawn: FloatArray, value: FloatArray) -> FloatArray:
    """Return (2, N) the ends of intervals, none below 0, of values (N,) that were redrawn B times, (B, N).

    Worked example: a value of 0.5 with quantiles 0.4 and 0.7 of the redrawn ones has the ends 0.3 and 0.6.
    """
    lower_quantiles, upper_quantiles = np.quantile(redrawn, OUTSIDE, axis=0)
    ends = np.array([2 * value - upper_quantiles, 2 * value - lower_quantiles])
    return np.asarray(np.maximum(ends, 0.0), np.float64)


def _is_inferred(column: SelectedColumn) -> bool:
    """Return whether a column is inferred from a sample by a measure that can have an interval."""
    inferred = column.measure.relevance in (RelevanceInfo.STRATA, RelevanceInfo.PRELS)
    return inferred and Trait.TOO_HIGH_OF_SAMPLES not in column.measure.traits


def _values(batch: SampledBatch, columns: Selection) -> FloatArray:
    """Return (C, T) the values of columns."""
    values = []
    for column in columns:
        values.append(column.measure.score(seen_as(batch, column.view), *column.arguments))
    return np.array(values, np.float64)


def _redrawn(batch: SampledBatch, times: int, stream: RandomStream) -> Iterator[SampledBatch]:
    """Return the batch with its documents drawn anew, n - 1 of the n of a stratum, and weighed by Rao and Wu.

    A document drawn t times counts 1 - λ + λ t n / (n - 1), with λ² = 1 - n / N: n together, as before.
    """
    rows = np.flatnonzero(batch.grade >= 0)
    stratum_of = batch.group_of[rows]
    drawn: IntArray = np.bincount(stratum_of, minlength=len(batch.num_documents))
    lasting = np.where(drawn > 1, np.sqrt(1 - drawn / batch.num_documents), 0.0)[stratum_of]
    begins = (np.cumsum(drawn) - drawn)[stratum_of]
    # One of each stratum's documents draws nothing, so that n - 1 are drawn.
    drawing = np.flatnonzero(begins != np.arange(len(rows)))
    first, size = begins[drawing], drawn[stratum_of[drawing]].astype(np.uint64)
    half = np.uint64(32)
    scale = lasting * (drawn / np.maximum(drawn - 1, 1))[stratum_of]
    for _ in range(times):
        chosen = first + ((stream.words(len(size)) >> half) * size >> half).astype(np.int64)
        weights = np.zeros(len(batch.grade))
        weights[rows] = 1 - lasting + scale * np.bincount(chosen, minlength=len(rows))
        yield batch.drawn_anew(weights)


def _with_ends(
    evaluation: ScoredRun, inferred: list[int], of_topics: FloatArray, over_all: FloatArray
) -> ScoredRun:
    """Put the ends behind their columns, the inferred ones: of topics (2, C, T), over all topics (2, C)."""
    ends = []
    for bound in (LOWER, UPPER):
        for number in inferred:
            column = evaluation.columns[number]
            view = column.view._replace(bound=bound)
            ends.append(replace(column, label=f"{column.label}({bound})", view=view))
    all_columns = replace(
        evaluation,
        columns=(*evaluation.columns, *ends),
        values=(*evaluation.values, *of_topics.reshape(len(ends), -1)),
        summary=(*evaluation.summary, *over_all.ravel().tolist()),
    )
    belongs_to = [*range(len(evaluation.columns)), *inferred, *inferred]
    return all_columns.with_columns(sorted(range(len(belongs_to)), key=belongs_to.__getitem__))
