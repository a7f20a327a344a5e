"""Judged documents in other notations: what is kept for the next run changes no answer, and keeps no pool."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pres_eval.arrays import Ids, WordIds
from pres_eval.options import Options
from pres_eval.ranking import rough
from pres_eval.ranking.notations import Respelling
from pres_eval.ranking.runs import read_run
from pres_eval.reading.pool import Pool
from pres_eval.reading.relevance import read_qrels
from pres_eval.reading.source import Source

TOPICS = 5


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    """Documents d1-1, d1-2, ... of each topic."""
    path = tmp_path / "qrels"
    path.write_text(
        "".join(f"{topic} 0 EP-{topic}-{one}A 1\n" for topic in range(TOPICS) for one in range(4))
    )
    return read_qrels(Source(str(path))).pool


def found(pool: Pool, topics: list[int], retrieved: list[int]) -> list[Respelling | None]:
    """Return what the pool's documents without hyphens would match, where some were retrieved as they are."""
    ids = WordIds.of(Ids.of([f"EP{topic}{one}A".encode() for topic in topics for one in range(4)]))
    rows = np.repeat(np.array(topics, np.int64), 4)
    return [rough.respelled_documents(pool, rows, ids, np.array(retrieved, np.int64))]


def test_topics_asked_for_in_any_order_and_pools_of_any_size(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        ([1], []),
        ([0, 1], [0, 5]),
        ([0, 1], [0, 5, 6]),
        ([1], []),
        ([2, 3, 4], [8, 19]),
        ([3], [12, 13, 14, 15]),
    ]
    kept = [found(pool, *each) for each in asked]
    large = replace(pool)
    monkeypatch.setattr(large.remembered, "_most", 0)
    assert [found(large, *each) for each in asked] == kept
    assert not large.remembered._kept
    counts = [0 if one is None else one.count for [one] in kept]
    assert counts == [4, 6, 5, 4, 10, 0]


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No search for cycles: what is freed is freed because nothing refers to it."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_what_is_kept_of_a_pool_does_not_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 EP-1 1\n")
    pool = read_qrels(Source(str(path))).pool
    ids, topics = WordIds.of(Ids.of([b"EP1"])), np.zeros(1, np.int64)
    assert rough.respelled_documents(pool, topics, ids, np.zeros(0, np.int64)) is not None
    reference = weakref.ref(pool)
    del pool
    assert reference() is None


@pytest.mark.parametrize("looks", [True, False])
def test_ids_are_looked_at_where_somebody_wants_to_know(tmp_path: Path, looks: bool) -> None:
    (tmp_path / "qrels").write_text("1 0 EP-1 1\n")
    (tmp_path / "run").write_text("1 Q0 EP1 1 1.0 t\n")
    judged = read_qrels(Source(str(tmp_path / "qrels")))
    ranking = read_run(Source(str(tmp_path / "run")), judged, Options(), looks=looks)
    assert ranking.num_looked_at == looks
    assert (ranking.respelling is not None) == looks
