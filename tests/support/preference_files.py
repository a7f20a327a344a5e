"""Rankings and files for the tests of preferences and of judgement groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pres_eval.ranking.ranked import NO_TIES, Ranked
from pres_eval.reading.file import File
from pres_eval.reading.judgements.pool import Pool

Rankings = dict[str, list[str]]


def ranked(pool: Pool, rankings: Rankings) -> Ranked:
    """The rankings as they come from a run: judged documents only."""
    number = {
        (pool.topics[int(topic)].decode(), pool.documents[index].decode()): index
        for index, topic in enumerate(pool.topic_of)
    }
    topic, num_ret, offsets, rank, document = [], [], [0], [], []
    for index, name in enumerate(pool.topics):
        docnos = rankings.get(name.decode())
        if docnos is None:
            continue
        judged = [(place, number.get((name.decode(), docno))) for place, docno in enumerate(docnos, 1)]
        topic.append(index)
        num_ret.append(len(docnos))
        rank += [place for place, found in judged if found is not None]
        document += [found for _, found in judged if found is not None]
        offsets.append(len(rank))
    return Ranked(
        topic=np.array(topic, np.int64),
        num_ret=np.array(num_ret, np.int64),
        offsets=np.array(offsets, np.int64),
        rank=np.array(rank, np.int64),
        document=np.array(document, np.int64),
        ties=NO_TIES,
    )


def write(path: Path, rows: Sequence[tuple[object, ...]]) -> File:
    path.write_text("".join(" ".join(str(field) for field in row) + "\n" for row in rows))
    return File(str(path))
