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
from pres_eval.summing import ScoredBlock, Summing, Values

if TYPE_CHECKING:
    from pres_eval.library.ranked import Qrels
    from pres_eval.reading.topic_files import Weights


def evaluations_of(data: Any) -> list[Evaluation]:
    """Return evaluations that come one by one or in a list; raise UsageError for any other object."""
    is_one = isinstance(data, Evaluation) or not hasattr(data, "__iter__")
    evaluations = [data] if is_one else list(data)
    for number, evaluation in enumerate(evaluations, 1):
        if not isinstance(evaluation, Evaluation):
            raise UsageError(
                f"evaluations: found a {type(evaluation).__name__} in place {number}, expected what"
                " pres_eval.evaluate returns"
            )
    return evaluations


def _check_alike(evaluations: Sequence[Evaluation]) -> None:
    """Raise UsageError for evaluations of other measures, options, judgements, groups than the first."""
    first = evaluations[0]
    first_topics = list(first.origin.topics)
    difference = ""
    for evaluation in evaluations[1:]:
        if evaluation.measures != first.measures:
            difference = f"other measures ({', '.join(evaluation.measures)})"
        elif evaluation.options != first.options:
            difference = "other options"
        elif list(evaluation.origin.topics) != first_topics:
            difference = "judgements of other topics"
        elif topic_contents(evaluation) != topic_contents(first):
            difference = "other groups or weights of topics"
        if difference:
            raise UsageError(f"merge: found {difference}, expected the same for all evaluations")


def topic_contents(evaluation: Evaluation) -> tuple[dict[str, frozenset[bytes]], dict[bytes, float]]:
    """Return the content of the files of groups and weights; nothing without."""
    groups, weights = evaluation.topic_files
    topics_of_group = {} if groups is None else groups.topics
    weight_of_topic = {} if weights is None else weights.of
    return topics_of_group, weight_of_topic


def merged(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return the evaluation of all topics of some evaluations, with the bits of one of the whole run.

    Raises UsageError for evaluations of other measures, options, judgements, groups or weights, and for a
    topic in two.
    """
    first = evaluations[0]
    _check_alike(evaluations)
    groups, weights = first.topic_files
    whole = _summed(first.scores, _in_topic_order(evaluations), weights)
    # A group has values in the parts that have topics of it; all have the same columns and options.
    part_of_group: dict[str, ScoredRun] = {}
    for evaluation in evaluations:
        for name, part in evaluation.scores.groups.items():
            part_of_group.setdefault(name, part)
    scores_of_group: dict[str, ScoredRun] = {}
    if groups is not None:
        for name, topics in groups.topics.items():
            if name in part_of_group:
                scores_of_group[name] = _summed(part_of_group[name], whole.over(topics), weights)
    unjudged = {topic for evaluation in evaluations for topic in evaluation.origin.unjudged}
    origin = replace(
        first.origin,
        ranked=np.sort(np.concatenate([evaluation.origin.ranked for evaluation in evaluations])),
        unjudged=Ids.from_texts(sorted(unjudged)),
        dropped=sum(evaluation.origin.dropped for evaluation in evaluations),
    )
    return Evaluation(replace(whole, groups=scores_of_group), first.options, origin, groups, weights)


def _in_topic_order(evaluations: Sequence[Evaluation]) -> ScoredBlock:
    """Return the topics of all evaluations, in byte order; raise UsageError for one that is in two."""
    block = joined(evaluation.scores for evaluation in evaluations)
    rows = sorted(_rows_that_count(evaluations, block.topics), key=block.topics.__getitem__)
    topics = tuple(block.topics[row] for row in rows)
    for topic, following in pairwise(topics):
        if topic == following:
            raise UsageError(
                f"merge: found topic {quoted(topic)} twice, expected each topic in one evaluation"
            )
    values: list[Values] = []
    for column in block.values:
        if isinstance(column, list):
            values.append([column[row] for row in rows])
        else:
            values.append(column[rows])
    return ScoredBlock(topics, tuple(values))


def _rows_that_count(evaluations: Sequence[Evaluation], topics: Sequence[bytes]) -> Iterable[int]:
    """Return the rows that count of the topics of all evaluations, one evaluation after the other.

    With -c and --empty zero or one, each part has all topics without relevant documents. Such a topic counts
    once: in the part that has documents for it, else in the first.
    """
    if evaluations[0].options.empty not in (ZERO, ONE):
        return range(len(topics))
    has_no_documents: list[bool] = []
    for evaluation in evaluations:
        missing_topics = set(evaluation.origin.missing())
        has_no_documents += [topic in missing_topics for topic in evaluation.scores.topics]
    row_of_topic: dict[bytes, int] = {}
    for row, topic in enumerate(topics):
        # The first row of a topic, but rather the first with documents.
        if topic not in row_of_topic or (has_no_documents[row_of_topic[topic]] and not has_no_documents[row]):
            row_of_topic[topic] = row
    return [
        row for row, topic in enumerate(topics) if not has_no_documents[row] or row_of_topic[topic] == row
    ]


def _summed(part: ScoredRun, block: ScoredBlock, weights: Weights | None) -> ScoredRun:
    """Return a part of a run with all topics of the run."""
    summing = Summing(part.columns, weights)
    summing.add(block)
    totals = summing.totals_as(part.totals)
    return replace(
        part,
        topics=block.topics,
        values=block.values,
        summary=summing.summary(totals, part.tag),
        totals=totals,
    )


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
        accumulators = [others] if isinstance(others, Accumulator) else list(others)
        parts = list(self._parts)
        for accumulator in accumulators:
            if not isinstance(accumulator, Accumulator):
                raise UsageError(f"merge_state: found a {type(accumulator).__name__}, expected accumulators")
            parts += accumulator._parts
        self._parts = [merged(parts)] if parts else []
