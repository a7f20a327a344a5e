"""Numbers that topics have of their own: how far each is read, and how large its collection is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays.types import IntArray
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.reading.relevance import Relevance
from pres_eval.reading.topic_files import Weights


def with_topic_numbers(relevance: Relevance, nmax: Weights | None, sizes: Weights | None) -> Relevance:
    """Return the judgements with the Nmax of each topic, and the documents in its collection.

    Raises UsageError for judgements that are no qrels, InputError for a judged topic without a number.
    """
    if nmax is None and sizes is None:
        return relevance
    if not isinstance(relevance, QrelsJudgements):
        raise UsageError(
            "--nmax-file, --size-file: expected judgements in the format qrels or qrels_float (-R)"
        )
    return replace(relevance, nmax=_numbers(relevance, nmax), sizes=_numbers(relevance, sizes))


def _numbers(qrels: QrelsJudgements, numbers: Weights | None) -> IntArray | None:
    """(T,) the numbers of the judged topics."""
    if numbers is None:
        return None
    for topic in qrels.pool.topics:
        if topic not in numbers.of:
            raise InputError(
                numbers.path, None, f"no number for topic {quoted(topic)}", "a whole number above 0"
            )
    return np.array([int(numbers.of[topic]) for topic in qrels.pool.topics], np.int64)
