"""Judgements made of a dict."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.reading.blocks import Block
from pres_eval.reading.judgements.relevance import QrelsJudgements, qrels_of_block


def made_qrels(grades: Mapping[bytes, Mapping[bytes, int]], name: str = "qrels") -> QrelsJudgements:
    """Judgements: topic, document, grade."""
    block = Block(
        topics=Ids.from_texts(list(grades)),
        lengths=np.array([len(judged) for judged in grades.values()], np.int64),
        documents=Ids.from_texts([document for judged in grades.values() for document in judged]),
        numbers=np.array([grade for judged in grades.values() for grade in judged.values()], np.int64),
    )
    return qrels_of_block(name, block)
