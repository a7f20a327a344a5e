"""Scores that documents have of their own (how easy to read, how credible), beside the judgements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays.matching import match
from pres_eval.arrays.ragged import lengths_at
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import Relevance, read_relevance


def with_document_scores(relevance: Relevance, path: str, jobs: int | None = None) -> Qrels:
    """The judgements with the scores of a file of four columns: topic, 0, docno, score.

    Raises UsageError for judgements that are no qrels, InputError for a file that cannot be read or scores a
    document of a topic twice.
    """
    if not isinstance(relevance, Qrels):
        raise UsageError("--document-scores goes with judgements in the format qrels or qrels_float (-R)")
    scores = read_relevance(path, "qrels_float", jobs)
    assert isinstance(scores, Qrels), "qrels_float gives Qrels"
    if len(scores.duplicates.topic):
        row = int(np.argmin(scores.duplicates.second_line))
        document = quoted(scores.pool.documents[int(scores.duplicates.document[row])])
        line = int(scores.duplicates.second_line[row])
        raise InputError(
            path, line, f"a second score of document {document}", "one for each topic and document"
        )
    pool = relevance.pool
    topic = scores.pool.find_topics(pool.topics)
    counts = np.zeros(len(topic), np.int64)
    counts[topic >= 0], there = scores.pool.documents_of(topic[topic >= 0])
    lengths = lengths_at(pool.offsets, np.arange(len(topic)))
    found = match(lengths, pool.documents, counts, scores.pool.documents.pick(there))
    own = np.zeros(len(pool.documents))
    own[found.rows] = scores.grade[there][found.wanted]
    return replace(relevance, document_scores=own)
