"""Judgements without some topics or documents, and with numbers that these have of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays import BoolArray, Grades, Ids, IntArray, absent
from pres_eval.errors import InputError, quoted
from pres_eval.options import AS_ZERO, ONE, Options
from pres_eval.reading.pool import build_pool
from pres_eval.reading.relevance import Duplicates, QrelsJudgements, Relevance, as_qrels

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Weights


def with_documents(qrels: QrelsJudgements, documents: Ids, rows: IntArray) -> QrelsJudgements:
    """Return the judgements with these documents (D,), of which the rows (n,) are kept, each once a topic."""
    topics, counts = np.unique(qrels.pool.topic_of[rows], return_counts=True)
    # As in a file without these lines, a topic of which nothing is left is not there.
    pooled = build_pool(qrels.pool.topics.take(topics), counts, documents.take(rows))
    new_document = pooled.document_of_row()
    grade = qrels.grade[rows][np.argsort(new_document, kind="stable")]
    first = np.searchsorted(np.sort(new_document), np.arange(len(pooled.pool.documents)))
    again = qrels.duplicates
    new = np.full(len(documents), -1)
    new[rows] = new_document
    is_left = new[again.document] >= 0
    document = new[again.document][is_left]
    duplicates = Duplicates(
        topic=pooled.pool.topic_of[document],
        document=document,
        grade=again.grade[is_left],
        first_line=again.first_line[is_left],
        second_line=again.second_line[is_left],
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
    if not options.complete or options.empty not in (AS_ZERO, ONE):
        return None
    empty = np.flatnonzero(empty_topics(relevance, options.relevance_level))
    if not len(empty):
        return None
    return empty


def no_answers(relevance: Relevance, options: Options, retrieved_for: IntArray) -> tuple[int, int] | None:
    """Return how many topics have no relevant document, and for how many of them a run retrieves nothing.

    retrieved_for  topics (n,) for which it retrieves documents
    None unless --empty gives such topics a value, and there are some.
    """
    if options.empty not in (AS_ZERO, ONE):
        return None
    empty = np.flatnonzero(empty_topics(relevance, options.relevance_level))
    if not len(empty):
        return None
    return len(empty), len(np.setdiff1d(empty, retrieved_for))


def without_empty_topics(relevance: Relevance, level: float) -> Relevance:
    """Return the judgements of topics with relevant documents alone.

    Raises UsageError for judgements that are no qrels, InputError if there is no such topic.
    """
    empty, qrels = empty_topics(relevance, level), as_qrels(relevance, "--empty")
    rows = np.flatnonzero(~empty[qrels.pool.topic_of])
    if not len(rows):
        raise InputError(qrels.name, None, "no topic has a relevant document", "one that has")
    if not empty.any():
        return qrels
    return with_documents(qrels, qrels.pool.documents, rows)


def check_no_empty_topics(relevance: Relevance, level: float) -> None:
    """Raise InputError if some topic has no relevant document."""
    empty = np.flatnonzero(empty_topics(relevance, level))
    if len(empty):
        topics = relevance.pool.topics
        such = f"such as {quoted(topics[int(empty[0])])}"
        problem = f"{len(empty)} of {len(topics)} topics without a relevant document, {such}"
        raise InputError(relevance.name, None, problem, "one for each topic (--empty error)")


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
    matches = scores.pool.join(scores.pool.find_topics(pool.topics), np.diff(pool.offsets), pool.documents)
    document_scores = np.zeros(len(pool.documents))
    document_scores[matches.rows] = scores.grade[matches.partners]
    return replace(qrels, document_scores=document_scores)


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
