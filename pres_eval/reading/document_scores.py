"""Scores that documents have of their own (how easy to read, how credible), beside the judgements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.reading.relevance import Relevance, read_relevance


def read_document_scores(path: str, jobs: int | None = None) -> QrelsJudgements:
    """The scores of a file of four columns (topic, 0, docno, score), as if they were gains.

    Raises InputError for a file that cannot be read.
    """
    scores = read_relevance(path, "qrels_float", jobs)
    assert isinstance(scores, QrelsJudgements), "qrels_float gives Qrels"
    return scores


def with_document_scores(relevance: Relevance, scores: QrelsJudgements) -> QrelsJudgements:
    """The judgements with the scores that documents have of their own; 0 for a document without one.

    Raises UsageError for judgements that are no qrels, InputError where a document of a topic has two scores.
    """
    if not isinstance(relevance, QrelsJudgements):
        raise UsageError("--document-scores goes with judgements in the format qrels or qrels_float (-R)")
    if len(scores.duplicates.topic):
        row = int(np.argmin(scores.duplicates.second_line))
        document = quoted(scores.pool.documents[int(scores.duplicates.document[row])])
        line = int(scores.duplicates.second_line[row])
        raise InputError(
            scores.name, line, f"a second score of document {document}", "one for each topic and document"
        )
    pool = relevance.pool
    found = scores.pool.join(scores.pool.find_topics(pool.topics), np.diff(pool.offsets), pool.documents)
    own = np.zeros(len(pool.documents))
    own[found.rows] = scores.grade[found.wanted]
    return replace(relevance, document_scores=own)
