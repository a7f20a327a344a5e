"""The least and the greatest value that a measure could take if what nobody judged were judged.

Each document that a run retrieved at a rank that counts (down to the cutoff of a measure that has one), and
that nobody judged, may turn out to have any grade from 0 to the highest of the topic's judgements, or to 1
if that is 0 (for measures that know relevant and not relevant alone: to be either).  It is then in the
qrels, so the number of relevant documents and the best ranking change with it.  What was not retrieved
stays as it is.  The bounds are those over all such judgements, not over some of them:

- where a higher grade can only make the value larger (or only smaller), they are at all 0 and all highest;
- where relevance alone counts, and a relevant document that moves up never makes the value worse, the best
  judgement that makes x documents relevant takes the first x of them, the worst the last x; all x are
  tried;
- nDCG is a ratio of a linear and a convex function of the gains.  Its least value is at a corner, where the
  last x documents have the highest gain.  For the greatest, the gains are cut into layers between the
  grades of the topic: whether the value can be above t is a question to each layer alone, and t rises until
  none says yes (Dinkelbach, Management Science 13(7), 1967, doi:10.1287/mnsc.13.7.492).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays.exact import divide, elementwise, log2
from pres_eval.arrays.types import FloatArray, Grades, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError
from pres_eval.measures.average_precision import logarithms
from pres_eval.measures.base import Measure
from pres_eval.measures.cumulated_gain import HIGHEST_EXPONENT
from pres_eval.measures.gain import blocks_of_ranks, highest_grades
from pres_eval.options import LARGEST_LONG
from pres_eval.records import dataclass

MOST_DOCUMENTS = 1 << 20
"""Documents of judgements that are tried together."""

Bounds = tuple[FloatArray, FloatArray]
"""(T,) least and (T,) greatest values."""

Rule = Callable[[Batch, Measure, tuple[Any, ...]], Bounds]


def has_bounds(measure: Measure) -> bool:
    """Whether the bounds of a measure can be computed."""
    return measure.name in RULES


def check_bounds(measure: Measure) -> None:
    """Raise MeasureError for a measure whose bounds are not defined."""
    if not has_bounds(measure):
        raise MeasureError(f"{measure.name}: has no bounds for what nobody judged, expected another measure")


@dataclass(frozen=True)
class BoundsOf:
    """The bounds of a column; called with a batch.

    Raises MeasureError where everything judged is relevant, and for parameters without bounds.
    """

    measure: Measure
    arguments: tuple[Any, ...]

    def __call__(self, batch: Batch) -> Bounds:
        """(T,) least and (T,) greatest values."""
        if batch.relevance_level <= 0:
            raise MeasureError("bounds: at -l 0 everything judged is relevant, expected a level above 0")
        if batch.ties is not None:
            raise MeasureError("bounds: expected --ties docno, best or worst, found expected")
        return RULES[self.measure.name](batch, self.measure, self.arguments)


def _highest(batch: Batch, measure: Measure) -> Grades:
    """(T,) the highest grade that a document may turn out to have."""
    highest = np.maximum(highest_grades(batch), 1)
    if measure.uses_level:
        highest = np.maximum(highest, math.ceil(batch.relevance_level))
    return highest


@dataclass(frozen=True, eq=False)
class _Unjudged:
    """The U documents that nobody judged down to a depth.

    topic_of, rank  (U,) of each
    count           (T,) how many each topic has
    """

    topic_of: IntArray
    rank: IntArray
    count: IntArray


def _unjudged(batch: Batch, depth: int) -> _Unjudged:
    """Those retrieved down to rank `depth` without a grade."""
    length = np.minimum(batch.num_ret, depth)
    begins = np.concatenate(([0], np.cumsum(length)))
    free = np.ones(int(begins[-1]), np.bool_)
    judged = np.flatnonzero((batch.grade >= 0) & (batch.rank <= depth))
    free[begins[batch.topic_of[judged]] + batch.rank[judged] - 1] = False
    places = np.flatnonzero(free)
    topic_of = np.searchsorted(begins, places, "right") - 1
    return _Unjudged(topic_of, places - begins[topic_of] + 1, np.bincount(topic_of, minlength=len(batch)))


def _filled(batch: Batch, depth: int, grades: Grades) -> Batch:
    """The batch with its unjudged documents judged: one grade for each topic (T,), 0 or the highest."""
    there = _unjudged(batch, depth)
    kept = np.flatnonzero((batch.grade >= 0) | (batch.rank > depth))
    topic_of = np.concatenate((batch.topic_of[kept], there.topic_of))
    rank = np.concatenate((batch.rank[kept], there.rank))
    order = np.lexsort((rank, topic_of))
    places = batch.level_offsets[:-1] if not grades.any() else batch.level_offsets[1:]
    return replace(
        batch,
        offsets=np.searchsorted(topic_of[order], np.arange(len(batch) + 1)),
        rank=rank[order],
        grade=np.concatenate((batch.grade[kept], grades[there.topic_of]))[order],
        levels=np.insert(batch.levels, places, grades),
        level_counts=np.insert(batch.level_counts, places, there.count),
        level_offsets=batch.level_offsets + np.arange(len(batch) + 1),
    )


def _depth(arguments: tuple[Any, ...], place: int | None) -> int:
    """The cutoff among the arguments of a measure; LARGEST_LONG for the whole ranking."""
    cutoff = None if place is None else arguments[place]
    return LARGEST_LONG if cutoff is None else int(cutoff)


def _at_the_ends(place: int | None = None) -> Rule:
    """A measure that only rises, or only falls, with each grade."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        depth = _depth(arguments, place)
        least, greatest = [], []
        for block in blocks_of_ranks(batch, MOST_DOCUMENTS):
            highest = _highest(block, measure)
            ends = [
                np.asarray(measure.score(_filled(block, depth, grades), *arguments), np.float64)
                for grades in (np.zeros_like(highest), highest)
            ]
            least.append(np.minimum(*ends))
            greatest.append(np.maximum(*ends))
        return np.concatenate(least), np.concatenate(greatest)

    return rule


def _without_gains(rule: Rule) -> Rule:
    """A rule for gains that are grades, and persistence from 0 to 1."""

    def checked(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        if any(key != "p" for key, _ in arguments[0]):
            raise MeasureError(f"{measure.name}: has no bounds with gains for grades, expected none")
        if any(not 0 <= value <= 1 for _, value in arguments[0]):
            raise MeasureError(f"{measure.name}: has bounds for p from 0 to 1 alone")
        return rule(batch, measure, arguments)

    return checked


@dataclass(frozen=True, eq=False)
class _Topic:
    """One topic as judgements of it are tried.

    relevant  ranks of its relevant documents that count, ascending
    free      ranks of its documents that nobody judged and that count, ascending
    num_rel   relevant documents in the qrels
    """

    relevant: IntArray
    free: IntArray
    num_rel: int


def _topics(batch: Batch, depth: int) -> Iterator[_Topic]:
    for block in blocks_of_ranks(batch, MOST_DOCUMENTS):
        there = _unjudged(block, depth)
        ends = np.concatenate(([0], np.cumsum(there.count)))
        rows = np.flatnonzero(block.is_rel & (block.rank <= depth))
        begins = np.searchsorted(rows, block.offsets)
        for topic, num_rel in enumerate(block.num_rel.tolist()):
            yield _Topic(
                relevant=block.rank[rows[begins[topic] : begins[topic + 1]]],
                free=there.rank[ends[topic] : ends[topic + 1]],
                num_rel=num_rel,
            )


Tried = Callable[[_Topic, IntArray, tuple[Any, ...]], tuple[FloatArray, FloatArray]]
"""A topic, all x from 1, arguments -> the values when the first x, and when the last x, are relevant."""


def _in_closed_form(tried: Tried, place: int | None = None) -> Rule:
    """A measure of relevance whose values for all x can be had at once."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        # What is not tried is the value as it is: nothing relevant.  It has the measure's own last bits.
        value = np.asarray(measure.score(batch, *arguments), np.float64)
        least, greatest = value.copy(), value.copy()
        for row, topic in enumerate(_topics(batch, _depth(arguments, place))):
            if len(topic.free):
                every = np.concatenate(tried(topic, np.arange(1, len(topic.free) + 1), arguments))
                least[row] = min(least[row], every.min())
                greatest[row] = max(greatest[row], every.max())
        return least, greatest

    return rule


def _precisions(topic: _Topic, extra: IntArray) -> tuple[FloatArray, FloatArray]:
    """The sums of precisions at relevant documents when the first x, and when the last x, are relevant."""
    inverse = 1.0 / topic.relevant
    after = np.concatenate((np.add.accumulate(inverse[::-1])[::-1], [0.0]))
    before = np.searchsorted(topic.relevant, topic.free)
    known = np.add.accumulate(np.concatenate(([0.0], np.arange(1, len(inverse) + 1) * inverse)))[-1]
    first = known + np.add.accumulate((before + extra) / topic.free + after[before])
    upwards = slice(None, None, -1)
    own = 1.0 / topic.free[upwards]
    below = np.concatenate(([0.0], np.add.accumulate(own)[:-1]))
    last = known + np.add.accumulate((before[upwards] + 1) * own + after[before[upwards]] + below)
    return first, last


def _average_precision(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    first, last = _precisions(topic, extra)
    n = topic.num_rel + extra
    return first / n, last / n


def _geometric(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    first, last = _average_precision(topic, extra, arguments)
    return logarithms(first), logarithms(last)


def _yaap(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    n = topic.num_rel + extra
    first, last = (
        elementwise(math.log, (1.0 + sums) / (1.0 + n - sums)) for sums in _precisions(topic, extra)
    )
    return first, last


def _r_precision(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    n = topic.num_rel + extra
    known = np.searchsorted(topic.relevant, n, "right")
    free = np.searchsorted(topic.free, n, "right")
    first = known + np.minimum(extra, free)
    last = known + np.maximum(free - (len(topic.free) - extra), 0)
    return first / n, last / n


def _pres(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    nmax = arguments[0]
    n, found = topic.num_rel + extra, len(topic.relevant) + extra
    worst_case = (n - found) * float(nmax) + (n * (n + 1) - found * (found + 1)) // 2
    known = int(np.cumsum(np.append(0, topic.relevant))[-1])
    first, last = (
        1.0 - ((known + np.cumsum(ranks) + worst_case) / n - (n + 1) / 2.0) / nmax
        for ranks in (topic.free, topic.free[::-1])
    )
    return first, last


def _pres_estimated(topic: _Topic, extra: IntArray, arguments: Any) -> tuple[FloatArray, FloatArray]:
    highest_recall = np.minimum(arguments[0] / (topic.num_rel + extra), 1.0)
    first, last = (np.minimum(score / highest_recall, 1.0) for score in _pres(topic, extra, arguments))
    return first, last


def _one_by_one(place: int | None = None) -> Rule:
    """A measure of relevance: every judgement with the first x or the last x relevant is scored."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        least, greatest = np.empty(len(batch)), np.empty(len(batch))
        for row in range(len(batch)):
            parts = _judgements(batch.take(row, row + 1), _depth(arguments, place))
            values = np.concatenate([np.asarray(measure.score(part, *arguments), float) for part in parts])
            least[row], greatest[row] = values.min(), values.max()
        return least, greatest

    return rule


def _judgements(topic: Batch, depth: int) -> Iterator[Batch]:
    """Judgements of one topic, each as a topic of a batch: the first x or the last x are relevant."""
    grade = max(math.ceil(topic.relevance_level), 1)
    free = _unjudged(topic, depth).rank
    kept = np.flatnonzero((topic.grade >= 0) | (topic.rank > depth))
    order = np.argsort(np.concatenate((topic.rank[kept], free)))
    rank = np.concatenate((topic.rank[kept], free))[order]
    place = np.arange(len(free))
    number = np.arange(2 * len(free) + 2)
    step = max(MOST_DOCUMENTS // max(len(rank), 1), 1)
    for start in range(0, len(number), step):
        chosen = number[start : start + step]
        extra = (chosen // 2)[:, np.newaxis]
        last = (chosen % 2 == 1)[:, np.newaxis]
        relevant = np.where(last, place >= len(free) - extra, place < extra)
        grades = np.empty((len(chosen), len(rank)), topic.grade.dtype)
        grades[:, : len(kept)] = topic.grade[kept]
        grades[:, len(kept) :] = np.where(relevant, grade, 0)
        yield _of_one_topic(topic, rank, grades[:, order], extra[:, 0], len(free), grade)


def _of_one_topic(
    topic: Batch, rank: IntArray, grades: Grades, extra: IntArray, num_free: int, grade: int
) -> Batch:
    """A batch of C topics that are all like one, with other grades (C, D) of its documents."""
    count = len(grades)
    levels = np.concatenate(([0], topic.levels, [grade]))
    counts = np.empty((count, len(levels)), np.int64)
    counts[:, 0], counts[:, 1:-1], counts[:, -1] = num_free - extra, topic.level_counts, extra
    ascending = np.argsort(levels, kind="stable")
    return replace(
        topic,
        topics=topic.topics * count,
        num_ret=np.repeat(topic.num_ret, count),
        offsets=np.arange(count + 1) * len(rank),
        rank=np.tile(rank, count),
        grade=grades.reshape(-1),
        levels=np.tile(levels[ascending], count),
        level_counts=counts[:, ascending].reshape(-1),
        level_offsets=np.arange(count + 1) * len(levels),
        missing=np.repeat(topic.missing, count),
    )


Gains = Callable[[Grades], FloatArray]


def _exponential(grades: Grades) -> FloatArray:
    return np.ldexp(1.0, np.minimum(grades, HIGHEST_EXPONENT).astype(np.int32)) - 1.0


def _normalized_gain(gains: Gains, place: int | None = None) -> Rule:
    """Normalised gain (nDCG) with some gain for each grade."""

    def rule(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
        depth = _depth(arguments, place)
        value = np.asarray(measure.score(batch, *arguments), np.float64)
        least, greatest = value.copy(), value.copy()
        for row in range(len(batch)):
            layers = _layers(batch.take(row, row + 1), depth, gains, measure)
            if len(layers.free):
                least[row] = min(least[row], _least_ratio(layers))
                greatest[row] = max(greatest[row], _greatest_ratio(layers))
        return least, greatest

    return rule


@dataclass(frozen=True, eq=False)
class _Layers:
    """The gains of one topic as L layers, from 0 to the highest gain, between the gains that there are.

    width       (L,) of each layer
    num         (L,) documents in the qrels that reach above it
    collected   (L,) discounts of those retrieved, added up
    free        (U,) discounts of the documents that nobody judged, in rank order
    best        discounts of the first ranks added up: best[j] of j documents, as many as there could be
    """

    width: FloatArray
    num: IntArray
    collected: FloatArray
    free: FloatArray
    best: FloatArray


def _layers(topic: Batch, depth: int, gains: Gains, measure: Measure) -> _Layers:
    levels = np.unique(np.concatenate((topic.levels, _highest(topic, measure), [0])))
    reached = levels[1:]
    above = topic.levels[:, np.newaxis] >= reached
    counts = np.concatenate((reached[np.newaxis] * 0, topic.level_counts[:, np.newaxis] * above))
    num = np.cumsum(counts, axis=0)[-1]
    rows = np.flatnonzero(topic.rank <= depth)
    retrieved = np.where(
        topic.grade[rows, np.newaxis] >= reached, 1.0 / log2(topic.rank[rows, np.newaxis] + 1), 0.0
    )
    collected = np.add.accumulate(np.concatenate((np.zeros((1, len(reached))), retrieved)), axis=0)[-1]
    free = 1.0 / log2(_unjudged(topic, depth).rank + 1)
    most = int(num.max(initial=0)) + len(free)
    ranks = np.arange(1, most + 1)
    discounts = np.where(ranks <= depth, 1.0 / log2(ranks + 1), 0.0)
    return _Layers(
        width=np.diff(gains(levels)),
        num=num.astype(np.int64),
        collected=collected,
        free=free,
        best=np.concatenate(([0.0], np.add.accumulate(discounts))),
    )


def _least_ratio(layers: _Layers) -> float:
    """Over x: the last x documents have the highest gain."""
    extra = np.arange(1, len(layers.free) + 1)[:, np.newaxis]
    found = np.add.accumulate(layers.free[::-1])[:, np.newaxis] + layers.collected
    best = layers.best[layers.num + extra]
    ratios = np.add.accumulate(found * layers.width, axis=1)[:, -1]
    ratios = divide(ratios, np.add.accumulate(best * layers.width, axis=1)[:, -1])
    return float(ratios.min())


def _greatest_ratio(layers: _Layers) -> float:
    """Over how many of the first documents reach above each layer; it does not pay to stop at a lower one."""
    found = np.concatenate(([0.0], np.add.accumulate(layers.free)))[:, np.newaxis] + layers.collected
    best = layers.best[layers.num + np.arange(len(layers.free) + 1)[:, np.newaxis]]
    ratio, chosen = -1.0, np.full(len(layers.width), len(layers.free))
    columns = np.arange(len(layers.width))
    while True:
        numerator = np.add.accumulate(found[chosen, columns] * layers.width)[-1]
        denominator = np.add.accumulate(best[chosen, columns] * layers.width)[-1]
        higher = numerator / denominator if denominator > 0 else 0.0
        if not higher > ratio:
            return float(ratio)
        ratio = float(higher)
        chosen = np.argmax(found - ratio * best, axis=0)


RULES: dict[str, Rule] = {
    **dict.fromkeys(
        (
            *("num_rel", "num_rel_ret", "num_nonrel_judged_ret", "set_P", "set_recall", "set_relative_P"),
            *("set_map", "set_F", "utility", "recip_rank", "loss_r", "loss_e", "loss_er"),
        ),
        _at_the_ends(),
    ),
    **dict.fromkeys(
        (
            *("P", "recall", "relative_P", "success", "recip_rank_cut", "hits", "err", "dcg_cut"),
            *("dcg_exp_cut", "rbp_cut", "rbp_graded_cut", "sdcg"),
        ),
        _at_the_ends(0),
    ),
    "F_cut": _at_the_ends(1),
    "total_cost": _at_the_ends(),
    **dict.fromkeys(("rbp", "rbp_binary", "dcg", "ideal_dcg"), _without_gains(_at_the_ends())),
    "map": _in_closed_form(_average_precision),
    "gm_map": _in_closed_form(_geometric),
    "map_cut": _in_closed_form(_average_precision, 0),
    "yaap": _in_closed_form(_yaap),
    "Rprec": _in_closed_form(_r_precision),
    "PRES": _in_closed_form(_pres, 0),
    "PRES_est": _in_closed_form(_pres_estimated, 0),
    **dict.fromkeys(
        (
            *("Rprec_mult", "bpref", "gm_bpref", "infAP", "iprec_at_recall", "11pt_avg", "wss", "last_rel"),
            *("norm_last_rel", "recall_at_percent", "norm_area"),
        ),
        _one_by_one(),
    ),
    **dict.fromkeys(("Rnorm", "accuracy"), _one_by_one(0)),
    "Fprime": _one_by_one(1),
    "ndcg": _without_gains(_normalized_gain(lambda grades: np.asarray(grades, np.float64))),
    "ndcg_cut": _normalized_gain(lambda grades: np.asarray(grades, np.float64), 0),
    "ndcg_exp_cut": _normalized_gain(_exponential, 0),
}
"""The measures that have bounds, and how these are found."""
