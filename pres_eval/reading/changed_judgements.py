"""Judgements without some topics or documents, and with numbers that these have of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays import BoolArray, Grades, Ids, IntArray, absent
from pres_eval.errors import InputError, quoted
from pres_eval.options import ONE, ZERO, Options
from pres_eval.reading.pool import build_pool
from pres_eval.reading.relevance import Duplicates, QrelsJudgements, Relevance, as_qrels

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Weights


def with_documents(qrels: QrelsJudgements, documents: Ids, kept: IntArray) -> QrelsJudgements:
    """Return the judgements with these documents (D,), of which some (n,) are kept, each once a topic."""
    topics, counts = np.unique(qrels.pool.topic_of[kept], return_counts=True)
    # As in a file without these lines, a topic of which nothing is left is not there.
    pooled = build_pool(qrels.pool.topics.take(topics), counts, documents.take(kept))
    place = pooled.document_of_row()
    grade = qrels.grade[kept][np.argsort(place, kind="stable")]
    first = np.searchsorted(np.sort(place), np.arange(len(pooled.pool.documents)))
    again = qrels.duplicates
    new = np.full(len(documents), -1)
    new[kept] = place
    there = new[again.document] >= 0
    document = new[again.document][there]
    duplicates = Duplicates(
        topic=pooled.pool.topic_of[document],
        document=document,
        grade=again.grade[there],
        first_line=again.first_line[there],
        second_line=again.second_line[there],
    )
    gone = absent(topics, len(qrels.pool.topics))
    return replace(
        qrels,
        pool=pooled.pool,
        grade=np.maximum.reduceat(grade, first),
        duplicates=duplicates,
        left_out=qrels.left_out.union(qrels.pool.topics.take(gone)),
    )


def answered_by_nothing(relevance: Relevance, options: Options) -> IntArray | None:
    """Return the topics (n,) that a run answers by retrieving nothing; None if there are none.

    These are the topics without relevant documents where --empty gives them a value and -c counts all.
    """
    if not options.complete or options.empty not in (ZERO, ONE):
        return None
    empty = np.flatnonzero(empty_topics(relevance, options.relevance_level))
    return empty if len(empty) else None


def no_answers(relevance: Relevance, options: Options, retrieved_for: IntArray) -> tuple[int, int] | None:
    """Return how many topics have no relevant document, and for how many of them a run retrieves nothing.

    retrieved_for  topics (n,) for which it retrieves documents
    None unless --empty gives such topics a value, and there are some.
    """
    if options.empty not in (ZERO, ONE):
        return None
    empty = np.flatnonzero(empty_topics(relevance, options.relevance_level))
    return (len(empty), len(np.setdiff1d(empty, retrieved_for))) if len(empty) else None


def without_empty_topics(relevance: Relevance, level: float) -> Relevance:
    """Return the judgements of topics with relevant documents alone.

    Raises UsageError for judgements that are no qrels, InputError if there is no such topic.
    """
    empty, qrels = empty_topics(relevance, level), as_qrels(relevance, "--empty")
    kept = np.flatnonzero(~empty[qrels.pool.topic_of])
    if not len(kept):
        raise InputError(qrels.name, None, "no topic has a relevant document", "one that has")
    return with_documents(qrels, qrels.pool.documents, kept) if empty.any() else qrels


def check_no_empty_topics(relevance: Relevance, level: float) -> None:
    """Raise InputError if some topic has no relevant document."""
    empty = np.flatnonzero(empty_topics(relevance, level))
    if len(empty):
        topics = relevance.pool.topics
        such = f"such as {quoted(topics[int(empty[0])])}"
        found = f"{len(empty)} of {len(topics)} topics without a relevant document, {such}"
        raise InputError(relevance.name, None, found, "one for each topic (--empty error)")


def empty_topics(relevance: Relevance, level: float) -> BoolArray:
    """Return which topics (T,) have no document of at least this grade.

    Raises UsageError for judgements that are no qrels.
    """
    qrels = as_qrels(relevance, "--empty")
    highest: Grades = np.maximum.reduceat(qrels.grade, qrels.pool.offsets[:-1])
    return highest < max(level, 0)


def with_document_scores(relevance: Relevance, scores: QrelsJudgements) -> QrelsJudgements:
    """Return the judgements with the scores that documents have of their own; 0 for a document without one.

    scores  read as if they were gains
    Raises UsageError for judgements that are no qrels, InputError where a document of a topic has two scores.
    """
    qrels = as_qrels(relevance, "--document-scores")
    if len(scores.duplicates.topic):
        row = int(np.argmin(scores.duplicates.second_line))
        document = quoted(scores.pool.documents[int(scores.duplicates.document[row])])
        line = int(scores.duplicates.second_line[row])
        raise InputError(
            scores.name, line, f"a second score of document {document}", "one for each topic and document"
        )
    pool = qrels.pool
    found = scores.pool.join(scores.pool.find_topics(pool.topics), np.diff(pool.offsets), pool.documents)
    own = np.zeros(len(pool.documents))
    own[found.rows] = scores.grade[found.partners]
    return replace(qrels, document_scores=own)


def with_topic_numbers(relevance: Relevance, nmax: Weights | None, sizes: Weights | None) -> Relevance:
    """Return the judgements with the Nmax of each topic, and the documents in its collection.

    Raises UsageError for judgements that are no qrels, InputError for a judged topic without a number.
    """
    if nmax is None and sizes is None:
        return relevance
    qrels = as_qrels(relevance, "--nmax-file, --size-file")
    return replace(qrels, nmax=_numbers(qrels, nmax), sizes=_numbers(qrels, sizes))


def _numbers(qrels: QrelsJudgements, numbers: Weights | None) -> IntArray | None:
    """Return (T,) the numbers of the judged topics."""
    if numbers is None:
        return None
    for topic in qrels.pool.topics:
        if topic not in numbers.of:
            raise InputError(
                numbers.path, None, f"no number for topic {quoted(topic)}", "a whole number above 0"
            )
    return np.array([int(numbers.of[topic]) for topic in qrels.pool.topics], np.int64)
