"""Runs whose lines are in no order, ranked some rows at a time."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from support.in_splits import printed

from pres_eval.ranking import ranker


@pytest.mark.parametrize("block", (1, 7, 64, 1 << 17))
def test_rows_take_their_places_block_by_block(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shuffled lines give the lines of sorted ones, however many rows take their places at a time."""
    random = Random(5)
    lines = []
    for topic in (3, 1, 4, 5, 9, 2, 6):
        documents = random.sample(range(100), 9 + topic)
        lines += [f"{topic} Q0 d{number} 1 {number % 7} tag\n" for number in documents]
    judged = [f"{topic} 0 d{number} {number % 2}\n" for topic in range(10) for number in range(60)]
    (tmp_path / "qrels").write_text("".join(judged))
    (tmp_path / "sorted").write_text("".join(lines))
    random.shuffle(lines)
    (tmp_path / "shuffled").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    expected = printed(["-q", "-m", "all_trec", "--quiet", "qrels", "sorted"])
    monkeypatch.setattr(ranker, "BLOCK_ROWS", block)
    assert printed(["-q", "-m", "all_trec", "--quiet", "qrels", "shuffled"]) == expected
    assert expected[0] == 0 and b"\t9\t" in expected[1]
