"""Digests of judgements: the same for the same judgements, however their file is sorted or compressed."""

from __future__ import annotations

import hashlib
import os

import numpy as np

from pres_eval.errors import InputError
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance


def judgements_digest(relevance: Relevance, path: str) -> str | None:
    """Return the SHA-256 of judgements in the order of topics and documents, as hexadecimal digits.

    path  their file: for judgements that are no qrels, the digest is of its sorted lines
    Returns None for judgements that are no qrels if their file cannot be read a second time.
    """
    if isinstance(relevance, QrelsJudgements):
        return _of_qrels(relevance)
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib takes a while to import
        return None
    return _of_lines(path)


def _of_qrels(qrels: QrelsJudgements) -> str:
    """Return the digest of all judgements, also of those that come twice."""
    pool, again = qrels.pool, qrels.duplicates
    digest = hashlib.sha256()
    documents = list(pool.documents)
    order = pool.byte_order()
    digest.update(b"\n".join(pool.topics))  # in byte order
    digest.update(b"\n\n")  # no id has a line end
    digest.update(b"\n".join(documents[row] for row in order.tolist()))
    digest.update(b"\n\n")
    digest.update(pool.offsets.astype("<i8").tobytes())
    grades = qrels.grade[order].astype(np.float64) + 0.0  # -0 becomes 0
    digest.update(grades.astype("<f8").tobytes())
    repeated = sorted(
        (documents[row], topic, float(grade))
        for row, topic, grade in zip(
            again.document.tolist(), again.topic.tolist(), again.grade.tolist(), strict=True
        )
    )
    digest.update(repr(repeated).encode())
    return digest.hexdigest()


def _of_lines(path: str) -> str | None:
    """Return the digest of the sorted lines of a file, with one blank between columns."""
    try:
        text = b"".join(chunk.text() for chunk in File(path).chunks())
    except InputError:
        return None
    lines = sorted(b" ".join(line.split()) for line in text.split(b"\n"))
    return hashlib.sha256(b"\n".join(line for line in lines if line)).hexdigest()
