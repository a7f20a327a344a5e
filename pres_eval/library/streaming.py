"""Topics as they come, and shards: evaluations of parts of a run that become the evaluation of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays import Ids
from pres_eval.errors import NoCommonTopicError, UsageError, quoted
from pres_eval.library.arguments import warn
from pres_eval.library.evaluation import Evaluation
from pres_eval.library.measures import Measures
from pres_eval.options import ONE, ZERO
from pres_eval.scoring import ScoredRun, joined
from pres_eval.summing import ScoredBlock, Summing

if TYPE_CHECKING:
    from pres_eval.library.ranked import Qrels
    from pres_eval.reading.topic_files import Weights


def evaluations_of(given: Any) -> list[Evaluation]:
    """Return evaluations that come one by one or in a list; raises UsageError for what is none."""
    chosen = [given] if isinstance(given, Evaluation) or not hasattr(given, "__iter__") else list(given)
    for number, one in enumerate(chosen, 1):
        if not isinstance(one, Evaluation):
            found = f"a {type(one).__name__} in place {number}"
            raise UsageError(f"evaluations: found {found}, expected what pres_eval.evaluate returns")
    return chosen


def _check_alike(evaluations: Sequence[Evaluation]) -> None:
    """Raise UsageError for evaluations of other measures, options, judgements, groups than the first."""
    first = evaluations[0]
    for one in evaluations[1:]:
        for what, same in (
            (f"other measures ({', '.join(one.measures)})", one.measures == first.measures),
            ("other options", one.options == first.options),
            ("judgements of other topics", list(one.origin.topics) == list(first.origin.topics)),
            ("other groups or weights of topics", topic_contents(one) == topic_contents(first)),
        ):
            if not same:
                raise UsageError(f"merge: found {what}, expected the same for all evaluations")


def topic_contents(evaluation: Evaluation) -> tuple[dict[str, frozenset[bytes]], dict[bytes, float]]:
    """Return the content of the files of groups and weights; nothing without."""
    groups, weights = evaluation.topic_files
    return {} if groups is None else groups.topics, {} if weights is None else weights.of


def merged(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return the evaluation of all topics of some evaluations, with the bits of one of the whole run.

    Raises UsageError for evaluations of other measures, options, judgements, groups or weights, and for a
    topic in two.
    """
    first = evaluations[0]
    _check_alike(evaluations)
    every = joined(one.scores for one in evaluations)
    order = sorted(_places_that_count(evaluations, every.topics), key=every.topics.__getitem__)
    topics = tuple(every.topics[place] for place in order)
    for topic, following in pairwise(topics):
        if topic == following:
            raise UsageError(
                f"merge: found topic {quoted(topic)} twice, expected each topic in one evaluation"
            )
    values = tuple(
        [column[place] for place in order] if isinstance(column, list) else column[order]
        for column in every.values
    )
    groups, weights = first.topic_files
    whole = _summed(first.scores, ScoredBlock(topics, values), weights)
    parts = {name: part for one in reversed(evaluations) for name, part in one.scores.groups.items()}
    over = (
        {}
        if groups is None
        else {name: whole.over(groups.topics[name]) for name in groups.topics if name in parts}
    )
    scores = replace(whole, groups={name: _summed(parts[name], over[name], weights) for name in over})
    origin = replace(
        first.origin,
        ranked=np.sort(np.concatenate([one.origin.ranked for one in evaluations])),
        unjudged=Ids.from_texts(sorted({topic for one in evaluations for topic in one.origin.unjudged})),
        dropped=sum(one.origin.dropped for one in evaluations),
    )
    return Evaluation(scores, first.options, origin, groups, weights)


def _places_that_count(evaluations: Sequence[Evaluation], every: Sequence[bytes]) -> Iterable[int]:
    """Return the places in `every` of topics that count.

    With -c and --empty zero or one, each part has all topics without relevant documents. Such a topic counts
    once: in the part that has documents for it, else in the first.
    """
    if evaluations[0].options.empty not in (ZERO, ONE):
        return range(len(every))
    lacking = [set(one.origin.missing()) for one in evaluations]
    lacks = [
        topic in missing
        for one, missing in zip(evaluations, lacking, strict=True)
        for topic in one.scores.topics
    ]
    # For each topic its first place, a place with documents before all others: the last one that is set.
    worst_first = sorted(range(len(every)), key=lambda place: (lacks[place], place), reverse=True)
    counts = {every[place]: place for place in worst_first}
    return [place for place, lacked in enumerate(lacks) if not lacked or counts[every[place]] == place]


def _summed(part: ScoredRun, block: ScoredBlock, weights: Weights | None) -> ScoredRun:
    """Return a part of a run with all topics of the run."""
    summing = Summing(part.columns, weights)
    summing.add(block)
    totals = summing.totals_as(part.totals)
    return replace(
        part, topics=block.topics, values=block.values, summary=summing.summary(totals, part.tag),
        totals=totals,
    )  # fmt: skip


@dataclass(eq=False)
class Accumulator:
    """Evaluation of a run topic by topic as it comes, with the methods of torchmetrics.

    `Qrels.accumulator` makes it.  It can be pickled, and merged with others: the result has the bits of an
    evaluation of the whole run.

    qrels, measures, options  the settings for all runs
    """

    qrels: Qrels
    measures: Measures
    options: dict[str, Any]
    _parts: list[Evaluation] = field(default_factory=list, repr=False)

    def update(self, run: Any) -> None:
        """Add topics: a run as `evaluate` takes it, of which no topic was added before.

        A dict without topics adds nothing; a run without judged topics neither, which is a warning.
        """
        if isinstance(run, Mapping) and not run:
            return
        ranked = self.qrels.rank(run)
        ranked.is_part = True
        try:
            self._parts = [merged([*self._parts, ranked.evaluate(self.measures, **self.options)])]
        except NoCommonTopicError:
            warn(f"update: found no topic with judgements ({ranked.name}), and nothing was added")

    def evaluation(self) -> Evaluation:
        """Return the evaluation of all topics so far.  Raises UsageError if there are none."""
        if not self._parts:
            raise UsageError("accumulator: found no topics, expected an update before")
        return self._parts[0]

    def compute(self) -> dict[str, float]:
        """Return the measures that are numbers, over all topics so far."""
        return self.evaluation().to_floats()

    def reset(self) -> None:
        """Forget all topics."""
        self._parts = []

    def merge_state(self, others: Accumulator | Iterable[Accumulator]) -> None:
        """Add the topics of another, or of several."""
        several = [others] if isinstance(others, Accumulator) else list(others)
        for one in several:
            if not isinstance(one, Accumulator):
                raise UsageError(f"merge_state: found a {type(one).__name__}, expected accumulators")
        parts = [part for one in (self, *several) for part in one._parts]
        self._parts = [merged(parts)] if parts else []
