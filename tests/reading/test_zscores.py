"""Z-score files: what is found, as trec_eval's binary search finds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pres_eval.errors import InputError
from pres_eval.reading.file import File
from pres_eval.reading.zscores import NO_ZSCORE, ZScores, read_zscores


def scores_of(path: Path, text: str) -> ZScores:
    path.write_text(text)
    return read_zscores(File(str(path)))


def converted(zscores: ZScores, topic: bytes, label: str, value: float = 1.0, **options: bool) -> float:
    return float(zscores.convert([topic], label, np.array([value]), **options)[0])


def test_only_what_is_asked_for_has_to_be_a_number(tmp_path: Path) -> None:
    zscores = scores_of(tmp_path / "z", "1 map 0.5 0.25\n1 xyz many few\n")
    assert converted(zscores, b"1", "map") == 2.0
    with pytest.raises(InputError, match=":2: 'many', expected a number"):
        converted(zscores, b"1", "xyz")


def test_nan_is_a_mean_as_others_with_its_sign(tmp_path: Path) -> None:
    zscores = scores_of(tmp_path / "z", "1 a nan 1\n1 b -nan 1\n1 c 0 nan\n1 ~ 0 0\n")
    found = [converted(zscores, b"1", label) for label in "abc"]
    assert np.isnan(found).all()
    assert np.signbit(found).tolist() == [False, True, False]


def test_deviation_of_0(tmp_path: Path) -> None:
    zscores = scores_of(tmp_path / "z", "1 a 1 0\n")
    assert converted(zscores, b"1", "a", 1.0) == 0.0
    assert converted(zscores, b"1", "a", 2.0) == NO_ZSCORE


def test_the_search_looks_at_the_next_topic(tmp_path: Path) -> None:
    """trec_eval: what topic 1 lacks, and sorts behind all it has, is taken from the start of topic 2."""
    zscores = scores_of(tmp_path / "z", "1 a 0 1\n2 b 0 2\n2 c 0 4\n3 ~ 0 1\n")
    assert converted(zscores, b"1", "b") == 0.5
    assert converted(zscores, b"1", "c") == NO_ZSCORE
    assert converted(zscores, b"2", "a") == NO_ZSCORE


@pytest.mark.parametrize(
    ("entries", "label"),
    [("1 a 0 1\n2 a 0 1\n", "~"), ("1 a 0 1\n2 a 0 1\n", "0"), ("1 a 9 0\n2 a 0 1\n", "a")],
)
def test_every_minus_a_million_is_warned_of(tmp_path: Path, entries: str, label: str) -> None:
    """In the middle of the file too, and where there is no deviation to divide by."""
    zscores = scores_of(tmp_path / "z", entries)
    assert zscores.warning is None
    assert converted(zscores, b"1", label) == NO_ZSCORE
    assert f"no usable entry for '{label}' of topic '1': the Z-score" in str(zscores.warning)


def test_what_lies_behind_the_table_is_missing(tmp_path: Path) -> None:
    zscores = scores_of(tmp_path / "z", "1 a 0 1\n")
    for topic, label in ((b"1", "b"), (b"2", "a")):
        assert converted(zscores, topic, label, not_in_trec_eval=True) == NO_ZSCORE
    assert "no usable entry for 'b' of topic '1' and 1 more" in str(zscores.warning)
    assert not zscores.past_the_table and "looks behind" not in str(zscores.warning)
    for topic, label in ((b"1", "b"), (b"2", "a")):
        assert converted(zscores, topic, label) == NO_ZSCORE
    assert converted(zscores, b"0", "a") == NO_ZSCORE
    assert zscores.past_the_table == [(b"1", b"b"), (b"2", b"a")]
    assert "no usable entry for 'b' of topic '1' and 4 more" in str(zscores.warning), "not 'a' of topic '0'"
