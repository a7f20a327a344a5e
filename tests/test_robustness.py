"""f-qrels and the robustness of measures; and the command."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.analysis.sampling import keep_relevant, kept_counts


@pytest.mark.parametrize(
    ("relevant", "fraction", "expected"),
    [
        (0, 0.5, 0),
        (1, 0.2, 1),
        (3, 0.2, 1),
        (5, 0.3, 2),
        (50, 0.29, 15),
        (10, 0.8, 8),
        (4, 1.0, 4),
        (7, 0.01, 1),
    ],
)
def test_kept_counts(relevant: int, fraction: float, expected: int) -> None:
    assert kept_counts(np.array([relevant]), fraction).tolist() == [expected]


topics = st.lists(st.lists(st.booleans(), max_size=12), min_size=1, max_size=8)


@given(topics, st.sampled_from([0.05, 0.2, 0.5, 0.8, 1.0]), st.integers(0, 5), st.integers(0, 3))
@settings(deadline=None)
def test_each_topic_keeps_its_share(
    judged: list[list[bool]], fraction: float, sample: int, seed: int
) -> None:
    offsets = np.cumsum([0, *map(len, judged)])
    is_rel = np.array([rel for topic in judged for rel in topic], bool)
    keep = keep_relevant(offsets, is_rel, fraction, sample, seed)
    assert keep[~is_rel].all(), "judgements that are not relevant stay"
    for start, stop in itertools.pairwise(offsets):
        relevant = int(is_rel[start:stop].sum())
        assert (keep & is_rel)[start:stop].sum() == kept_counts(np.array([relevant]), fraction)[0]


def test_samples_differ_and_do_not_depend_on_each_other() -> None:
    offsets, is_rel = np.array([0, 30, 60]), np.ones(60, bool)
    samples = {
        (fraction, sample, seed): keep_relevant(offsets, is_rel, fraction, sample, seed).tobytes()
        for fraction in (0.4, 0.5)
        for sample in (0, 1)
        for seed in (0, 1)
    }
    assert len(set(samples.values())) == len(samples)
    assert samples[0.5, 1, 0] == keep_relevant(offsets, is_rel, 0.5, 1, 0).tobytes()


def test_sampling_is_the_same_everywhere() -> None:
    """Pinned: the same seed keeps the same documents on every platform and with every numpy."""
    keep = keep_relevant(np.array([0, 5, 5, 25]), np.arange(25) % 4 != 3, 0.4, 0, 7)
    assert "".join(map(str, keep.astype(int))) == "1011010110011111000100110"
    long = keep_relevant(np.arange(0, 10_001, 10), np.ones(10_000, bool), 0.2, 2, 0)
    assert hashlib.sha256(np.packbits(long).tobytes()).hexdigest()[:16] == "facbc50e39a6cbc0"


def test_every_document_is_kept_about_equally_often() -> None:
    offsets, is_rel = np.array([0, 10]), np.ones(10, bool)
    times = sum(keep_relevant(offsets, is_rel, 0.3, sample, 0).astype(int) for sample in range(2000))
    assert np.all(np.abs(times - 600) < 4 * np.sqrt(2000 * 0.3 * 0.7))
