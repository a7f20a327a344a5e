"""A pool does not depend on how many runs are joined at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pres_eval.analysis import pooling
from pres_eval.analysis.pooling import first_documents, pool_documents
from pres_eval.reading.file import File


@pytest.mark.parametrize("at_once", [1, 2, 3])
@pytest.mark.parametrize("order", list(pooling.JUDGING_ORDERS))
def test_runs_joined_some_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, order: str
) -> None:
    chance = np.random.default_rng(7)
    runs = []
    for number in range(7):
        path = tmp_path / f"{number}.run"
        path.write_text(
            "".join(
                f"{topic} Q0 d{docno} 1 {-place} t\n"
                for topic in chance.permutation(4)[:3]
                for place, docno in enumerate(chance.permutation(30)[:20])
            )
        )
        runs.append(first_documents(File(str(path)), depth=10))
    together = pool_documents(runs, order=order)
    monkeypatch.setattr(pooling, "_RUNS_AT_ONCE", at_once)
    found = pool_documents(runs, order=order)
    assert list(found.pairs()) == list(together.pairs())
    for name in ("topic_of", "runs", "rank", "gain"):
        assert getattr(found, name).tolist() == getattr(together, name).tolist()
