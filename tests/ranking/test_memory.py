"""Memory stays flat: it depends on chunks and judgements, not on how long a run is."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from support.plain_reading import SmallSource
from support.pools import judged_pool, made_pool

from pres_eval.ranking.runs import read_run
from pres_eval.reading.judgements.pool import Pool

TOPICS = 60
CHUNK = 1 << 16


@pytest.fixture
def pool() -> Pool:
    return made_pool([(b"%d" % topic, b"d%d" % number) for topic in range(TOPICS) for number in (3, 99)])


def lines_of(depth: int) -> list[bytes]:
    return [
        b"%d Q0 d%d %d %d.5 t\n" % (topic, number, number + 1, depth - number)
        for topic in range(TOPICS)
        for number in range(depth)
    ]


def peak_of_reading(path: Path, pool: Pool) -> int:
    """Bytes allocated at the peak."""
    tracemalloc.start()
    try:
        ranking = read_run(SmallSource(path, CHUNK), judged_pool(pool), jobs=1)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        assert len(ranking.topic) == TOPICS


def test_topics_together(tmp_path: Path, pool: Pool) -> None:
    """Whole topics leave chunk by chunk: eight times the documents take no more than a chunk more."""
    peaks = []
    for depth in (100, 300, 2400):  # the first warms up what is kept for good
        path = tmp_path / str(depth)
        path.write_bytes(b"".join(lines_of(depth)))
        peaks.append(peak_of_reading(path, pool))
    assert peaks[2] < 2 * peaks[1]  # a topic that was cut off is carried into the next chunk


@pytest.mark.slow
def test_lines_in_no_order(tmp_path: Path, pool: Pool) -> None:
    """Rows are collected: their ids, a score and the number of a topic, which is less than the text."""
    for length in (1, 60):
        lines = [line.replace(b" d", b" d" + b"x" * length) for line in lines_of(2400)]
        random.Random(1).shuffle(lines)
        path = tmp_path / str(length)
        path.write_bytes(b"".join(lines))
        # Arrays have room to grow, and are copied when they do.
        assert peak_of_reading(path, pool) < 64 * TOPICS * 2400 + 2 * path.stat().st_size
