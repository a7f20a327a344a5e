"""Judgements that options change: without some topics or documents, or with numbers for these."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays import AnyArray, BoolArray, Grades, Ids, IntArray, absent
from pres_eval.errors import InputError, quoted
from pres_eval.options import GIVES_VALUES, Options
from pres_eval.reading.judgements.pool import Pool, build_pool
from pres_eval.reading.judgements.relevance import Duplicates, QrelsJudgements, Relevance, as_qrels

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Weights


def with_documents(qrels: QrelsJudgements, documents: Ids, rows: IntArray) -> QrelsJudgements:
    """Return judgements whose documents have other ids, without some of the documents.

    documents  (D,) the new ids of the judged documents; some may be the same
    rows       (n,) indices of the documents that stay, ascending
    Where several documents of a topic become one, the highest of their grades and of their scores count.
    """
    topics, num_documents = np.unique(qrels.pool.topic_of[rows], return_counts=True)
    # As in a file without the other lines, a topic of which nothing is left is not there.
    pooled = build_pool(qrels.pool.topics.take(topics), num_documents, documents.take(rows))
    new_document = pooled.document_of_row()
    order = np.argsort(new_document, kind="stable")
    first = np.searchsorted(new_document[order], np.arange(len(pooled.pool.documents)))

    def highest_of(values: AnyArray) -> AnyArray:
        """Return the highest value of each new document: of values (D,) of the documents before."""
        highest: AnyArray = np.maximum.reduceat(values[rows][order], first)
        return highest

    new_index = np.full(len(documents), -1)  # of each judged document; -1: left out
    new_index[rows] = new_document
    missing_topics = absent(topics, len(qrels.pool.topics))
    return replace(
        qrels,
        pool=pooled.pool,
        grade=highest_of(qrels.grade),
        duplicates=_renumbered(qrels.duplicates, new_index, pooled.pool),
        kept=None if qrels.kept is None else highest_of(qrels.kept),
        document_scores=None if qrels.document_scores is None else highest_of(qrels.document_scores),
        left_out=qrels.left_out.union(qrels.pool.topics.take(missing_topics)),
        nmax=None if qrels.nmax is None else qrels.nmax[topics],
        sizes=None if qrels.sizes is None else qrels.sizes[topics],
    )


def _renumbered(duplicates: Duplicates, new_index: IntArray, pool: Pool) -> Duplicates:
    """Return the duplicates with the indices that their documents have in a new pool.

    new_index  (D,) of each document of the old pool; -1: the new one lacks it, and its duplicates are left
               out
    """
    document = new_index[duplicates.document]
    remaining = np.flatnonzero(document >= 0)
    document = document[remaining]
    return Duplicates(
        topic=pool.topic_of[document],
        document=document,
        grade=duplicates.grade[remaining],
        first_line=duplicates.first_line[remaining],
        second_line=duplicates.second_line[remaining],
    )


def topics_answered_by_nothing(relevance: Relevance, options: Options) -> IntArray | None:
    """Return the indices (n,) of the topics for which a run is right to retrieve nothing; None for none.

    These are the topics without relevant documents, if --empty gives them a value and -c counts all topics:
    then those that a run lacks have to get that value too.
    """
    if not options.complete or options.empty not in GIVES_VALUES:
        return None
    empty = np.flatnonzero(empty_topics(relevance, options.relevance_level))
    if not len(empty):
        return None
    return empty


def count_empty_topics(
    relevance: Relevance, options: Options, retrieved_for: IntArray
) -> tuple[int, int] | None:
    """Count the topics without a relevant document, and those of them for which a run retrieves nothing.

    retrieved_for  (n,) indices of the topics for which it retrieves documents
    Returns None if --empty gives such topics no value, or there are none.  They are counted without -c too.
    """
    if options.empty not in GIVES_VALUES:
        return None
    empty = np.flatnonzero(empty_topics(relevance, options.relevance_level))
    if not len(empty):
        return None
    return len(empty), len(np.setdiff1d(empty, retrieved_for))


def without_empty_topics(relevance: Relevance, level: float) -> Relevance:
    """Return the judgements without the topics that have no relevant document.

    level  the least grade that is relevant
    Raises UsageError for judgements that are no qrels, InputError if no topic has a relevant document.
    """
    qrels = as_qrels(relevance, "--empty")
    empty = empty_topics(qrels, level)
    rows = np.flatnonzero(~empty[qrels.pool.topic_of])
    if not len(rows):
        raise InputError(qrels.name, None, "no topic has a relevant document", "one that has")
    if not empty.any():
        return qrels
    return with_documents(qrels, qrels.pool.documents, rows)


def check_no_empty_topics(relevance: Relevance, level: float) -> None:
    """Raise InputError if some topic has no document of at least this grade."""
    empty = np.flatnonzero(empty_topics(relevance, level))
    if not len(empty):
        return
    topics = relevance.pool.topics
    example = f"such as {quoted(topics[int(empty[0])])}"
    problem = f"{len(empty)} of {len(topics)} topics without a relevant document, {example}"
    raise InputError(relevance.name, None, problem, "one for each topic (--empty error)")


def empty_topics(relevance: Relevance, level: float) -> BoolArray:
    """Return (T,) which topics have no document of at least this grade.

    Raises UsageError for judgements that are no qrels.
    """
    qrels = as_qrels(relevance, "--empty")
    highest: Grades = np.maximum.reduceat(qrels.grade, qrels.pool.offsets[:-1])
    return highest < max(level, 0)  # a negative grade is no judgement, whatever the level


def with_document_scores(relevance: Relevance, scores: QrelsJudgements) -> QrelsJudgements:
    """Return the judgements with the scores of --document-scores; 0 for a document without one.

    scores  as judgements whose grades are the scores
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
    """Return the judgements with the Nmax of each topic, and the number of documents in its collection.

    nmax, sizes  the numbers of a file, by topic as weights are: how far PRES regards the topic, and how many
                 documents its collection has; None: there is no such file
    Raises UsageError for judgements that are no qrels, InputError for a judged topic without a number.
    """
    if nmax is None and sizes is None:
        return relevance
    qrels = as_qrels(relevance, "--nmax-file, --size-file")
    return replace(qrels, nmax=_numbers(qrels, nmax), sizes=_numbers(qrels, sizes))


def _numbers(qrels: QrelsJudgements, numbers: Weights | None) -> IntArray | None:
    """Return (T,) the numbers of the judged topics; None for None.  Raises InputError for one without."""
    if numbers is None:
        return None
    for topic in qrels.pool.topics:
        if topic not in numbers.of:
            raise InputError(
                numbers.path, None, f"no number for topic {quoted(topic)}", "a whole number above 0"
            )
    return np.array([int(numbers.of[topic]) for topic in qrels.pool.topics], np.int64)
