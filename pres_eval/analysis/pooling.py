"""Which documents to judge: the first of every run, whether judged or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.errors import UsageError
from pres_eval.options import Options
from pres_eval.ranking.opening import DOCNO, TOPIC
from pres_eval.ranking.runs import read_run
from pres_eval.reading.blocks import Block, joined
from pres_eval.reading.lines import RUN, Lines, in_parts, no_lines
from pres_eval.reading.pool import Pool, build_pool
from pres_eval.reading.qrels import NO_DUPLICATES, QrelsJudgements
from pres_eval.reading.source import Source

Key = tuple[bytes, bytes]
"""A topic and a document."""


def first_documents(path: str, compat: str = Options.compat, depth: int | None = None) -> dict[Key, int]:
    """The rank of each of the first `depth` documents of every topic of a run, judged or not.

    The file is read twice: once for its documents, once for their order.  Raises UsageError for standard
    input, InputError for a malformed line.
    """
    if path == "-":
        raise UsageError("standard input can't be read twice: save the run in a file first")
    pool = own_pool(Source(path))
    everything = QrelsJudgements(
        name=path, pool=pool, grade=np.zeros(len(pool.documents), np.int8), duplicates=NO_DUPLICATES
    )
    ranking = read_run(Source(path), everything, Options(compat=compat))
    topic_of = np.repeat(ranking.topic, np.diff(ranking.offsets))
    rows = np.flatnonzero(ranking.rank <= depth) if depth is not None else np.arange(len(ranking.rank))
    topics = list(pool.topics)
    documents = pool.documents.take(ranking.document[rows].astype(np.int64))
    return {
        (topics[topic], document): rank
        for topic, document, rank in zip(
            topic_of[rows].tolist(), documents, ranking.rank[rows].tolist(), strict=True
        )
    }


def own_pool(source: Source) -> Pool:
    """All documents of a run as if somebody had judged them."""
    blocks = [block for _, block in in_parts(source, RUN, _block, source.chunks(), 1, names="")]
    if not any(len(block.documents) for block in blocks):
        raise no_lines(source, RUN)
    block = joined(source.name, blocks)
    documents = block.documents.pick(slice(None))
    return build_pool(block.topics, np.arange(len(block.topics)), block.lengths, documents).pool


def _block(lines: Lines) -> Block:
    """Return the rows of a chunk; raises LineError."""
    lines.checked()
    return Block.of_rows(lines.column(TOPIC), lines.column(DOCNO), lines.numbers)


@dataclass(frozen=True)
class ToJudge:
    """A document that should be judged.

    runs  how many runs have it among their first; best: its best rank in any
    gain  what judging it is worth under `contribution`: Σ weight of its ranks
    """

    topic: bytes
    document: bytes
    runs: int
    best: int
    gain: float


ORDERS: dict[str, Callable[[ToJudge], float]] = {
    "contribution": lambda one: -one.gain,
    "runs": lambda one: -one.runs,
    "rank": lambda one: one.best,
    "docno": lambda one: 0,
}
"""In what order documents are judged, by the names that options use; equal ones go by docno."""


def pool_documents(
    runs: Sequence[Mapping[Key, int]],
    judged: Iterable[Key] = (),
    persistence: float = 0.8,
    order: str = "contribution",
) -> list[ToJudge]:
    """The documents of several runs that nobody judged, by topic, those first that `order` puts first.

    `gain` is the sum over runs of (1 - p) p^(rank - 1), p the persistence: how much of the runs' rank-biased
    precision hangs on the document (Moffat, Webber & Zobel, SIGIR 2007, doi:10.1145/1277741.1277806, method
    A). Equal ones go by docno.
    """
    known = set(judged)
    times: Counter[Key] = Counter()
    best: dict[Key, int] = {}
    gains: dict[Key, float] = {}
    for run in runs:
        for key, rank in run.items():
            if key in known:
                continue
            times[key] += 1
            best[key] = min(rank, best.get(key, rank))
            gains[key] = gains.get(key, 0.0) + (1 - persistence) * persistence ** (rank - 1)
    documents = [ToJudge(*key, times[key], best[key], gains[key]) for key in times]
    return sorted(documents, key=lambda one: (one.topic, ORDERS[order](one), one.document))


def judged_keys(pool: Pool, grades: Sequence[int]) -> dict[Key, int]:
    """The topics and documents of a pool that were judged, with their grades."""
    topics = list(pool.topics)
    return {
        (topics[topic], document): grade
        for topic, document, grade in zip(pool.topic_of.tolist(), pool.documents, grades, strict=True)
        if grade >= 0
    }


def limited(documents: Sequence[ToJudge], per_topic: int | None) -> list[ToJudge]:
    """The first so many of each topic."""
    if per_topic is None:
        return list(documents)
    seen: Counter[bytes] = Counter()
    chosen = []
    for one in documents:
        seen[one.topic] += 1
        if seen[one.topic] <= per_topic:
            chosen.append(one)
    return chosen


def skeleton(documents: Sequence[ToJudge]) -> bytes:
    """The documents as qrels in which nothing is judged yet: relevance -1."""
    return b"".join(b"%s 0 %s -1\n" % (one.topic, one.document) for one in documents)
