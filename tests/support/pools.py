"""Pools of documents for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.reading.judgements.pool import Pool, Pooled, build_pool
from pres_eval.reading.judgements.relevance import Relevance


def pooled(pairs: Sequence[tuple[bytes, bytes]]) -> Pooled:
    """The pool of some pairs of topic and document, as a file with these lines gives it."""
    topics = Ids.from_texts([topic for topic, _ in pairs])
    first = topics.heads()
    documents = Ids.from_texts([document for _, document in pairs])
    return build_pool(topics.take(first), np.diff(first, append=len(pairs)), documents)


def made_pool(pairs: Sequence[tuple[bytes, bytes]]) -> Pool:
    """The same without what it was made of."""
    return pooled(pairs).pool


def judged_pool(pool: Pool, ties_ascending: bool = False) -> Relevance:
    """Judgements as far as the reader of runs looks at them."""
    return cast("Relevance", _JudgedPool(pool, ties_ascending))


@dataclass(frozen=True)
class _JudgedPool:
    pool: Pool
    ties_ascending: bool = False
    rewriting: None = None
