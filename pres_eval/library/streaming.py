"""Topics as they come, and shards: evaluations of parts of a run that become the evaluation of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.errors import NoCommonTopicError, UsageError, quoted
from pres_eval.library.asked import Measures
from pres_eval.library.evaluation import Evaluation
from pres_eval.library.warned import warn
from pres_eval.scoring import joined_values
from pres_eval.summing import ScoredBlock, Summing, Values

if TYPE_CHECKING:
    from pres_eval.library.ranked import Qrels


def _check_alike(evaluations: Sequence[Evaluation]) -> None:
    """Raise UsageError for evaluations of other measures, options or judgements than the first."""
    first = evaluations[0]
    for one in evaluations[1:]:
        alike = (one.measures, one.options) == (first.measures, first.options)
        if not alike or list(one.origin.topics) != list(first.origin.topics):
            raise UsageError(
                f"merge: found {'judgements of other topics' if alike else 'other measures or options'}"
                f" ({one.origin.qrels}), expected the same for all evaluations"
            )


def merged(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return the evaluation of all topics of some evaluations, with the bits of one of the whole run.

    Raises UsageError for evaluations of other measures, options or judgements, and for a topic in two.
    """
    first = evaluations[0]
    _check_alike(evaluations)
    every = [topic for one in evaluations for topic in one.scores.topics]
    order = sorted(range(len(every)), key=every.__getitem__)
    topics = tuple(every[place] for place in order)
    for topic, following in pairwise(topics):
        if topic == following:
            raise UsageError(
                f"merge: found topic {quoted(topic)} twice, expected each topic in one evaluation"
            )
    values = tuple(
        _reordered(column, order)
        for column in joined_values(
            [ScoredBlock(one.scores.topics, one.scores.values) for one in evaluations]
        )
    )
    summing = Summing(first.scores.columns)
    summing.add(ScoredBlock(topics, values))
    num_topics = first.scores.totals.num_topics if first.options.complete else len(topics)
    totals = replace(first.scores.totals, num_scored=len(topics), num_topics=num_topics)
    scores = replace(
        first.scores, topics=topics, values=values, summary=summing.summary(totals, first.tag), totals=totals
    )
    origin = replace(
        first.origin,
        ranked=np.sort(np.concatenate([one.origin.ranked for one in evaluations])),
        unjudged=Ids.of(sorted({topic for one in evaluations for topic in one.origin.unjudged})),
        dropped=sum(one.origin.dropped for one in evaluations),
    )
    return Evaluation(scores, first.options, origin)


def _reordered(values: Values, order: Sequence[int]) -> Values:
    return [values[place] for place in order] if isinstance(values, list) else values[order]


@dataclass(eq=False)
class Accumulator:
    """Evaluation of a run topic by topic as it comes, with the methods of torchmetrics.

    `Qrels.accumulator` makes it.  It can be pickled, and merged with others: the result has the bits of an
    evaluation of the whole run.

    qrels, measures, options  what runs are evaluated with
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
        several = [others] if isinstance(others, Accumulator) else others
        parts = [part for one in (self, *several) for part in one._parts]
        self._parts = [merged(parts)] if parts else []
