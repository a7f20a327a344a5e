"""From a ranking and judgements of any kind to batches: the door of this room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pres_eval.batches.from_qrels import form_batches
from pres_eval.errors import NoCommonTopicError, UsageError
from pres_eval.options import DOCNO, Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranking import Ranking
from pres_eval.ranking.warnings import no_common_topic
from pres_eval.reading.relevance import QrelsJudgements, Relevance, as_qrels

if TYPE_CHECKING:
    from pres_eval.batches.batch import Batch
    from pres_eval.batches.from_groups import GroupedBatch
    from pres_eval.batches.from_preferences import PreferenceBatch
    from pres_eval.batches.from_samples import SampledBatch
    from pres_eval.batches.from_subtopics import SubtopicBatch
    from pres_eval.reading.preferences import GroupQrels, Preferences, SubtopicQrels
    from pres_eval.reading.strata import Sample

Parted = TypeVar("Parted", "Batch", "GroupedBatch", "SubtopicBatch", "SampledBatch", "PreferenceBatch")
AnyBatch: TypeAlias = "Batch | GroupedBatch | SubtopicBatch | SampledBatch | PreferenceBatch"

BLOCK = 4096
"""Topics in a batch: enough for numpy to be fast, few enough to keep memory flat."""


def form(relevance: Relevance, ranking: Ranking, options: Options) -> Sequence[Callable[[], AnyBatch]]:
    """Return functions that form the batches of a ranking and any kind of judgements.

    Raises NoCommonTopicError if there is nothing to score, UsageError if the run was read for judgements or
    options that rank it in another way.
    """
    wanted = options.version.single_precision_scores, relevance.ties_ascending
    if (ranking.single, ranking.ascending) != wanted:
        raise UsageError(
            f"{ranking.name}: was read for other judgements or another --compat than it is evaluated with;"
            " read it again with these"
        )
    batches: Sequence[Callable[[], AnyBatch]] = (
        form_batches(relevance, ranking, options, BLOCK)
        if isinstance(relevance, QrelsJudgements)
        else _batches_of_others(relevance, ranking, options)
    )
    if not batches:
        raise NoCommonTopicError(no_common_topic(relevance, ranking, options))
    return batches


def _batches_of_others(
    relevance: GroupQrels | SubtopicQrels | Sample | Preferences, ranking: Ranked, options: Options
) -> Sequence[Callable[[], AnyBatch]]:
    """Return those of judgements that are no qrels; raise UsageError for --ties."""
    if options.ties != DOCNO:
        as_qrels(relevance, f"--ties {options.ties}")
    # Imported here because it takes a while, and most evaluations have neither.
    from pres_eval.batches.from_groups import form_grouped_batch
    from pres_eval.batches.from_preferences import form_preference_batch
    from pres_eval.reading.preferences import GroupQrels, SubtopicQrels
    from pres_eval.reading.strata import Sample

    if isinstance(relevance, SubtopicQrels):
        from pres_eval.batches.from_subtopics import form_subtopic_batch

        return _parts(form_subtopic_batch(relevance, ranking, options))
    if isinstance(relevance, Sample):
        from pres_eval.batches.from_samples import form_sampled_batch

        return _parts(form_sampled_batch(relevance, ranking, options))
    if isinstance(relevance, GroupQrels):
        return _parts(form_grouped_batch(relevance, ranking, options))
    return _parts(form_preference_batch(relevance, ranking, options))


def _parts(batch: Parted, size: int = BLOCK) -> list[Callable[[], Parted]]:
    """Return functions that take at most `size` topics each out of a batch."""
    starts = range(0, len(batch), size)
    return [partial(batch.take, start, min(start + size, len(batch))) for start in starts]


def blocks_of_topics(batch: Parted, size: int) -> Iterator[Parted]:
    """Return the same topics, at most `size` at a time."""
    return (take() for take in _parts(batch, size))
