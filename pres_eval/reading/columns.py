"""Blocks of judgements of any origin (frames, dicts, JSON, Parquet) become Qrels, as a file's do."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.growing import narrow
from pres_eval.errors import InputError
from pres_eval.reading.blocks import Block
from pres_eval.reading.pool import build_pool
from pres_eval.reading.qrels import QrelsJudgements, pooled_qrels


def qrels_of_block(name: str, block: Block) -> QrelsJudgements:
    """Return the judgements of a block.  Raises InputError if there are none.

    A document that is judged twice is an error only when its topic is scored, as in a file.
    """
    if not len(block.documents):
        raise InputError(name, None, "no judgements", "at least one")
    groups = np.arange(len(block.topics))
    pooled = build_pool(block.topics, groups, block.lengths, block.documents.pick(slice(None)))
    gains = block.numbers.dtype == np.float64
    grades = block.numbers if gains else narrow(block.numbers.astype(np.int64))
    lines = block.lines
    return pooled_qrels(
        name, pooled, grades, lambda: np.arange(1, len(grades) + 1) if lines is None else lines
    )
