"""Evaluations of parts of a run, such as topics as they come or shards, merged into that of the whole run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pres_eval.arrays import Ids
from pres_eval.errors import NoCommonTopicError, UsageError, plural, quoted
from pres_eval.library.arguments import warn
from pres_eval.library.evaluation import Evaluation
from pres_eval.library.measures import Measures
from pres_eval.options import ERROR_OF_DUPLICATES, FIRST_LINE, GIVES_VALUES
from pres_eval.scoring import ScoredRun, joined
from pres_eval.scoring.summing import ScoredBlock, Summing, Values

if TYPE_CHECKING:
    from pres_eval.library.ranked import Qrels
    from pres_eval.reading.topic_files import Weights


def evaluations_of(data: Any) -> list[Evaluation]:
    """Return a list of evaluations, of one or several; raise UsageError for any other object."""
    is_single = isinstance(data, Evaluation) or not hasattr(data, "__iter__")
    evaluations = [data] if is_single else list(data)
    for number, evaluation in enumerate(evaluations, 1):
        if not isinstance(evaluation, Evaluation):
            raise UsageError(
                f"evaluations: found a {type(evaluation).__name__} in place {number}, expected what"
                " pres_eval.evaluate returns"
            )
    return evaluations


def _check_alike(evaluations: Sequence[Evaluation], method: str) -> None:
    """Raise UsageError if an evaluation has other measures, options, judgements or groups than the first.

    method  that the user called, for the message
    """
    for evaluation in evaluations[1:]:
        difference = _difference(evaluation, evaluations[0])
        if difference:
            raise UsageError(f"{method}: found {difference}, expected the same for all evaluations")


def _difference(evaluation: Evaluation, first: Evaluation) -> str:
    """Return what an evaluation has that the first does not, so that they cannot be merged; "" if nothing.

    Parts of an accumulator share their objects, so that most comparisons end at once.
    """
    if evaluation.scores.columns is not first.scores.columns and evaluation.measures != first.measures:
        return f"other measures ({', '.join(evaluation.measures)})"
    if evaluation.options != first.options:
        return "other options"
    topics, first_topics = evaluation.origin.topics, first.origin.topics
    if topics is not first_topics and list(topics) != list(first_topics):
        return "judgements of other topics"
    if evaluation.origin.digest.differs_from(first.origin.digest):
        return "other judgements of the same topics"
    has_same_objects = evaluation.groups_and_weights == first.groups_and_weights
    if not has_same_objects and topic_contents(evaluation) != topic_contents(first):
        return "other groups or weights of topics"
    return ""


def topic_contents(evaluation: Evaluation) -> tuple[dict[str, frozenset[bytes]], dict[bytes, float]]:
    """Return the topics of each group and the weight of each topic; empty without groups, without weights."""
    groups, weights = evaluation.groups_and_weights
    topics_of_group: dict[str, frozenset[bytes]] = {}
    weight_of_topic: dict[bytes, float] = {}
    if groups is not None:
        topics_of_group = groups.topics
    if weights is not None:
        weight_of_topic = weights.of
    return topics_of_group, weight_of_topic


def merged(evaluations: Sequence[Evaluation], *, first_counts: bool = False) -> Evaluation:
    """Return one evaluation of the topics of several, bit for bit that of the whole run.

    evaluations   at least one
    first_counts  whether the first evaluation of a topic counts where several have it
    Raises UsageError for evaluations of other measures, options, judgements, groups or weights, for a topic
    in two, unless the first counts, and for intervals of values from samples, which parts do not determine.
    """
    first = evaluations[0]
    _check_alike(evaluations, "merge")
    if _has_intervals(first):
        if len(evaluations) == 1:
            return first
        raise UsageError("merge: found intervals, which need the whole run at once; expected none")
    block = joined(evaluation.scores for evaluation in evaluations)
    rows = list(_rows_that_count(evaluations, block.topics, first_counts))
    _check_once([block.topics[row] for row in rows], "merge")
    groups, weights = first.groups_and_weights
    whole = _summed(first.scores, _in_topic_order(block, rows), weights)
    # The first part that has a group shows its columns; all parts have the same.
    part_of_group: dict[str, ScoredRun] = {}
    for evaluation in evaluations:
        for name, part in evaluation.scores.groups.items():
            part_of_group.setdefault(name, part)
    scores_of_group: dict[str, ScoredRun] = {}
    if groups is not None:
        for name, topics in groups.topics.items():
            if name in part_of_group:
                scores_of_group[name] = _summed(part_of_group[name], whole.over(topics), weights)
    # The names of judgements and run remain those of the first part.
    unjudged = {topic for evaluation in evaluations for topic in evaluation.origin.unjudged}
    origin = replace(
        first.origin,
        ranked=np.unique(np.concatenate([evaluation.origin.ranked for evaluation in evaluations])),
        unjudged=Ids.from_texts(sorted(unjudged)),
        dropped=sum(evaluation.origin.dropped for evaluation in evaluations),
    )
    return Evaluation(replace(whole, groups=scores_of_group), first.options, origin, groups, weights)


def _has_intervals(evaluation: Evaluation) -> bool:
    """Return whether an evaluation has intervals, for which samples of all topics were redrawn at once."""
    bounds = {column.view.bound for column in evaluation.scores.columns}
    if len(bounds) < 2:
        return False
    from pres_eval.analysis.sample_intervals import LOWER  # few evaluations have intervals

    return LOWER in bounds


def _topics_with_documents(evaluation: Evaluation) -> Sequence[bytes]:
    """Return the scored topics for which the run has documents; -c with --empty scores others too."""
    topics = evaluation.scores.topics
    if evaluation.options.empty not in GIVES_VALUES:
        return topics
    ranked_topics = set(evaluation.origin.topics.take(evaluation.origin.ranked))
    return [topic for topic in topics if topic in ranked_topics]


def _check_once(topics: Iterable[bytes], method: str, before: Collection[bytes] = ()) -> None:
    """Raise UsageError for a topic that comes twice, or is among those before.

    method  that the user called, for the message
    """
    known_topics: set[bytes] = set()
    repeated_topics: set[bytes] = set()
    for topic in topics:
        if topic in known_topics or topic in before:
            repeated_topics.add(topic)
        known_topics.add(topic)
    if repeated_topics:
        topic = min(repeated_topics)
        expected = "expected each topic once"
        if method == "merge":
            expected = "expected each topic in one evaluation"
        raise UsageError(f"{method}: found topic {quoted(topic)} twice, {expected}")


def _in_topic_order(block: ScoredBlock, rows: Sequence[int]) -> ScoredBlock:
    """Return the topics in these rows of a block, in byte order, with their values."""
    in_order = sorted(rows, key=block.topics.__getitem__)
    values: list[Values] = []
    for column in block.values:
        if isinstance(column, list):
            values.append([column[row] for row in in_order])
        else:
            values.append(column[in_order])
    return ScoredBlock(tuple([block.topics[row] for row in in_order]), tuple(values))


def _rows_that_count(
    evaluations: Sequence[Evaluation], topics: Sequence[bytes], first_counts: bool
) -> Iterable[int]:
    """Return the rows that count, of all topics (n,) of one evaluation after the other.

    With -c and --empty zero or one, each part has all topics without relevant documents.  Such a topic counts
    once: in the part that has documents for it, else in the first.  If two parts have documents for a topic,
    the rows of both are returned unless the first counts, so that `_check_once` reports it.
    """
    has_empty_topics = evaluations[0].options.empty in GIVES_VALUES
    if not has_empty_topics and not first_counts:
        return range(len(topics))
    has_documents: list[bool] = []
    for evaluation in evaluations:
        topics_with_documents = set(_topics_with_documents(evaluation))
        has_documents += [topic in topics_with_documents for topic in evaluation.scores.topics]
    row_of_topic: dict[bytes, int] = {}
    for row, topic in enumerate(topics):
        # The first row of a topic with documents counts; if none has documents, its first row.
        row_before = row_of_topic.get(topic)
        if row_before is None or (has_documents[row] and not has_documents[row_before]):
            row_of_topic[topic] = row
    if first_counts:
        return list(row_of_topic.values())
    return [row for row, topic in enumerate(topics) if has_documents[row] or row_of_topic[topic] == row]


def _summed(part: ScoredRun, block: ScoredBlock, weights: Weights | None) -> ScoredRun:
    """Return the scores of a whole run, whose topics are those of a block, summed up anew.

    part  the scores of a part of the run, which has the same columns and tag
    """
    summing = Summing(part.columns, weights)
    summing.add(block)
    totals = summing.adapted_totals(part.totals)  # those of the part, for the topics of the block
    return replace(
        part,
        topics=block.topics,
        values=block.values,
        summary=summing.summary(totals, part.tag),
        totals=totals,
    )


class Accumulator:
    """Evaluation of a run topic by topic as it comes, with the methods of torchmetrics.

    `Qrels.accumulator` makes it.  It can be pickled, and merged with others: the result has the bits of an
    evaluation of the whole run.  Threads may call it at the same time.

    qrels, measures, options  the settings for all runs
    duplicates                "first": of a topic that is added twice, and of a document that a topic has
                              twice, the first counts; otherwise both are errors
    """

    def __init__(
        self,
        qrels: Qrels,
        measures: Measures,
        options: dict[str, Any],
        duplicates: Literal["error", "first"] = "error",
    ) -> None:
        if duplicates not in (ERROR_OF_DUPLICATES, FIRST_LINE):
            raise UsageError(f"duplicates={duplicates!r}: expected 'error' or 'first'")
        self.qrels = qrels
        self.measures = measures
        self.options = options
        self.duplicates = duplicates
        self._lock = Lock()
        self._parts: list[Evaluation] = []
        """Evaluations of the topics that were added; a single one once they are merged."""
        self._is_merged = False
        self._added_topics: set[bytes] = set()

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes but for the lock, which cannot be pickled."""
        with self._lock:
            state = {**vars(self), "_parts": list(self._parts), "_added_topics": set(self._added_topics)}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes of a pickled accumulator, and a lock of its own."""
        vars(self).update(state)
        self._lock = Lock()

    def update(self, run: Any) -> None:
        """Add topics: a run as `evaluate` takes it, of which no topic was added before.

        A dict without topics adds nothing; a run without judged topics neither, which is a warning.
        """
        if isinstance(run, Mapping) and not run:
            return
        ranked = self.qrels.rank(run, duplicates=self.duplicates)
        ranked.is_part = True  # no warning about judged topics that are to come
        try:
            evaluation = ranked.evaluate(self.measures, **self.options)
        except NoCommonTopicError:
            warn(f"update: found no topic with judgements ({ranked.name}), and nothing was added")
            return
        with self._lock:
            num_repeated = self._add([evaluation], "update")
        self._warn_of_repeated("update", num_repeated)

    def _add(self, evaluations: Sequence[Evaluation], method: str) -> int:
        """Add parts, and return how many of their topics were added before; call it with the lock held.

        method  that the user called, for the message
        Raises UsageError for a topic that was added before, if that is an error, and then adds nothing.
        """
        num_before = len(self._added_topics)
        topics = [topic for evaluation in evaluations for topic in _topics_with_documents(evaluation)]
        if self.duplicates != FIRST_LINE:
            _check_once(topics, method, self._added_topics)
        self._added_topics.update(topics)
        self._parts.extend(evaluations)
        self._is_merged = False
        num_new = len(self._added_topics) - num_before
        return len(topics) - num_new

    def _warn_of_repeated(self, method: str, num_repeated: int) -> None:
        """Warn of topics that were added before."""
        if num_repeated:
            topics = plural(num_repeated, "topic")
            warn(f"{method}: {topics} added before: the first of each counts (duplicates='first')")

    def evaluation(self) -> Evaluation:
        """Return the evaluation of all topics so far.  Raises UsageError if there are none."""
        with self._lock:
            if not self._parts:
                raise UsageError("accumulator: found no topics, expected an update before")
            # The result takes the place of the parts, so that a second call has nothing to merge.
            if not self._is_merged:
                self._parts = [merged(self._parts, first_counts=self.duplicates == FIRST_LINE)]
                self._is_merged = True
            return self._parts[0]

    def compute(self) -> dict[str, float]:
        """Return the measures that are numbers, over all topics so far."""
        return self.evaluation().to_floats()

    def reset(self) -> None:
        """Forget all topics."""
        with self._lock:
            self._parts = []
            self._added_topics = set()

    def merge_state(self, others: Accumulator | Iterable[Accumulator]) -> None:
        """Add the topics of another, or of several."""
        accumulators = [others] if isinstance(others, Accumulator) else list(others)
        parts: list[Evaluation] = []
        for accumulator in accumulators:
            if not isinstance(accumulator, Accumulator):
                raise UsageError(f"merge_state: found a {type(accumulator).__name__}, expected accumulators")
            with accumulator._lock:
                parts += accumulator._parts
        with self._lock:
            first_part = self._parts[:1]
            _check_alike([*first_part, *parts], "merge_state")
            num_repeated = self._add(parts, "merge_state")
        self._warn_of_repeated("merge_state", num_repeated)
