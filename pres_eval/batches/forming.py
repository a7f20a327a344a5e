"""From a ranking and judgements of any kind to batches, those of qrels here: the door of this room."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pres_eval.arrays import IntArray, blocks, lengths_at
from pres_eval.batches.batch import Batch, frozen
from pres_eval.batches.topics import (
    UNJUDGED,
    by_grade,
    cut_to_depth,
    judged_topics,
    rows_of,
    scored_topics,
    take_topics,
    tie_groups,
    wide,
)
from pres_eval.errors import InputError, NoCommonTopicError, UsageError, quoted
from pres_eval.options import BEST_ORDER, BY_DOCNO, EXPECTED_VALUES, WORST_ORDER, Options
from pres_eval.ranking.ranked import Ranked, only
from pres_eval.ranking.ranking import Ranking, no_common_topic
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance, as_qrels

if TYPE_CHECKING:
    from pres_eval.batches.from_groups import GroupedBatch
    from pres_eval.batches.from_preferences import PreferenceBatch
    from pres_eval.batches.from_samples import SampledBatch
    from pres_eval.batches.from_subtopics import SubtopicBatch
    from pres_eval.reading.judgements.judged_groups import GroupQrels, Preferences, Sample, SubtopicQrels

AnyBatch: TypeAlias = "Batch | GroupedBatch | SubtopicBatch | SampledBatch | PreferenceBatch"

BATCH_TOPICS = 4096
"""Topics in a batch: enough for numpy to be fast, few enough to keep memory flat."""


def form(relevance: Relevance, ranking: Ranking, options: Options) -> Sequence[Callable[[], AnyBatch]]:
    """Return functions that form the batches of a ranking and any kind of judgements.

    Raises NoCommonTopicError if there is nothing to score, UsageError if the run was read for judgements or
    options that rank it in another way.
    """
    ranked_as_needed = options.version.single_precision_scores, relevance.ties_ascending
    if (ranking.single_precision, ranking.ascending) != ranked_as_needed:
        raise UsageError(
            f"{ranking.name}: was read for other judgements or another --compat than it is evaluated with;"
            " read it again with these"
        )
    batches = in_blocks(relevance, ranking, options)
    if not batches:
        raise NoCommonTopicError(no_common_topic(relevance, ranking, options))
    return batches


def in_blocks(
    relevance: Relevance, ranked: Ranked, options: Options, size: int = BATCH_TOPICS
) -> list[Callable[[], AnyBatch]]:
    """Return functions that form batches of the topics to score, at most `size` topics each.

    Raises InputError if a topic that is scored has a document judged twice, UsageError for options that
    these judgements do not go with.
    """
    topics, run_rows = scored_topics(relevance.pool, ranked, options)
    if isinstance(relevance, QrelsJudgements):
        if len(relevance.duplicates.topic):
            _check_duplicates(relevance, topics)
        lengths = np.zeros(len(topics), np.int64)
        in_run = run_rows >= 0
        lengths[in_run] = lengths_at(ranked.offsets, run_rows[in_run])
        form_batch: Callable[..., AnyBatch] = _batch_of_qrels
        spans = list(blocks(np.concatenate(([0], np.cumsum(lengths)))))
    else:
        form_batch = _former(relevance, options)
        spans = [(0, len(topics))]
    batches: list[Callable[[], AnyBatch]] = []
    for first, last in spans:
        for start in range(first, last, size):
            rows = slice(start, min(start + size, last))
            batches.append(partial(form_batch, relevance, ranked, options, topics[rows], run_rows[rows]))
    return batches


def _former(
    relevance: GroupQrels | SubtopicQrels | Sample | Preferences, options: Options
) -> Callable[..., AnyBatch]:
    """Return the function that forms a batch of judgements that are no qrels.

    Raises UsageError for --ties and -J where these judgements do not go with them.
    """
    if options.ties != BY_DOCNO:
        as_qrels(relevance, f"--ties {options.ties}")
    # Imported here because it takes a while, and most evaluations have neither.
    from pres_eval.batches.from_groups import form_grouped_batch
    from pres_eval.batches.from_preferences import form_preference_batch
    from pres_eval.reading.judgements.judged_groups import GroupQrels, Sample, SubtopicQrels

    if isinstance(relevance, SubtopicQrels):
        from pres_eval.batches.from_subtopics import form_subtopic_batch

        return form_subtopic_batch
    if isinstance(relevance, Sample):
        from pres_eval.batches.from_samples import form_sampled_batch

        if options.judged_only:  # it would take out the documents that the sample represents
            raise UsageError("-J: expected no sample (-R strata, prels): what was not drawn is estimated")
        return form_sampled_batch
    return form_grouped_batch if isinstance(relevance, GroupQrels) else form_preference_batch


def _batch_of_qrels(
    qrels: QrelsJudgements, ranked: Ranked, options: Options, topics: IntArray, run_rows: IntArray
) -> Batch:
    """Return the batch of some topics (T,) of the pool.

    run_rows  (T,) where each topic is in the ranking, -1 for topics that it lacks
    """
    expects_values = options.ties == EXPECTED_VALUES
    ranked_topics = take_topics(ranked, run_rows)
    if expects_values:
        # When ties stay together, -J has to make them smaller: the batch does that.
        counted = counted_documents(qrels, ranked_topics, replace(options, judged_only=False))
    else:
        counted = counted_documents(qrels, ranked_topics, options)
    grade = wide(qrels.grade[counted.document])
    grade[grade < 0] = UNJUDGED
    # The topics' judgements are remembered for the next run, as far as there is room for their size.
    size = len(topics) + qrels.pool.num_documents_of(topics)
    judged = qrels.remembered.get(topics.tobytes(), size, partial(judged_topics, qrels, topics))
    batch = Batch(
        topics=judged.topics,
        num_ret=counted.num_ret,
        offsets=counted.offsets,
        rank=counted.rank.astype(np.int64),
        grade=grade,
        levels=judged.levels,
        level_counts=judged.level_counts,
        level_offsets=judged.level_offsets,
        missing=run_rows < 0,
        relevance_level=options.relevance_level,
        num_docs_in_coll=options.num_docs_in_coll if qrels.sizes is None else qrels.sizes[topics],
        nmax=rows_of(qrels.nmax, topics),
        version=options.version,
        ties=tie_groups(counted) if expects_values else None,
        document_scores=rows_of(qrels.document_scores, counted.document),
        judged=judged,
    )
    if expects_values and options.judged_only:
        batch = batch.judged_alone()
    return frozen(batch)


def counted_documents(qrels: QrelsJudgements, ranked: Ranked, options: Options) -> Ranked:
    """Return S ranked topics with the documents that count, which --ties orders, after -M and -J."""
    if qrels.kept is not None:
        ranked = only(ranked, np.flatnonzero(qrels.kept[ranked.document]))
    if options.ties in (BEST_ORDER, WORST_ORDER) and len(ranked.ties.document):
        ranked = by_grade(ranked, qrels.grade[ranked.document], worst=options.ties == WORST_ORDER)
    if options.max_retrieved is not None:
        ranked = cut_to_depth(ranked, options.max_retrieved, whole_ties=options.ties == EXPECTED_VALUES)
    if options.judged_only:
        ranked = only(ranked, np.flatnonzero(qrels.grade[ranked.document] >= 0))
        num_ret = np.diff(ranked.offsets)
        rank = np.arange(1, len(ranked.rank) + 1) - np.repeat(ranked.offsets[:-1], num_ret)
        ranked = replace(ranked, num_ret=num_ret, rank=rank)
    return ranked


def _check_duplicates(qrels: QrelsJudgements, topics: IntArray) -> None:
    """Raise InputError if one of the topics (T,) has a document that was judged twice."""
    twice = qrels.duplicates
    # trec_eval: only topics that are scored are looked at.
    rows = np.flatnonzero(np.isin(twice.topic, topics))
    if not len(rows):
        return
    row = int(rows[np.argmin(twice.second_line[rows])])
    docno = qrels.pool.documents[int(twice.document[row])]
    document = quoted(docno)
    topic = quoted(qrels.pool.topics[int(twice.topic[row])])
    advice = ""
    if re.fullmatch(rb"-?\d", docno):
        advice = "is the third column the docno (topic iteration docno relevance)?"
    elif qrels.grade.dtype.kind != "f":  # that command takes whole grades alone
        advice = "pres-eval merge FILE > NEW makes one judgement of several"
    raise InputError(
        qrels.name,
        int(twice.second_line[row]),
        f"a second judgement of document {document} for topic {topic}"
        f" (first in line {int(twice.first_line[row])})",
        "one judgement per document and topic",
        advice,
    )
