"""Topics without judgements: each once, in the order of the file, up to a limit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.pools import judged_pool, made_pool

from pres_eval.arrays.ids import Ids
from pres_eval.options import Options
from pres_eval.ranking import parts as merged
from pres_eval.ranking.parts import UnjudgedTopics
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File


@settings(deadline=None)
@given(
    parts=st.lists(st.lists(st.sampled_from([b"a", b"bb", b"9", b"x" * 70, b"y" * 200]), min_size=1)),
    most=st.integers(1, 6),
)
def test_each_once_in_the_order_of_the_file(parts: list[list[bytes]], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merged, "MOST_UNJUDGED_TOPICS", most)
        topics = UnjudgedTopics()
        for part in parts:
            topics.add(Ids.from_texts(part))
        found = list(topics.ids())
    plain = list(dict.fromkeys(topic for part in parts for topic in part))
    assert found == plain[:most]
    assert topics.more is (len(plain) > most)


def test_long_ids_take_no_room_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merged, "UNJUDGED_TOPICS_BYTES", 10_000)
    topics = UnjudgedTopics()
    for number in range(100):
        topics.add(Ids.from_texts([b"%d" % number + b"x" * 1000]))
    assert topics.more and 10 <= len(topics.ids()) <= 21


def test_warning_says_that_there_are_more(pres_eval, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    lines = [f"t{number} Q0 a 1 1 t\n" for number in range(merged.MOST_UNJUDGED_TOPICS + 5)]
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n" + "".join(lines))
    done = pres_eval("-m", "map", "qrels", "run", cwd=tmp_path)
    assert done.stdout == b"map                   \tall\t1.0000\n"
    assert b"run: more than 100000 topics have no judgements and are ignored (such as 't0')" in done.stderr


def test_runs_in_other_formats_know_that_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged, "MOST_UNJUDGED_TOPICS", 2)
    judged = judged_pool(made_pool([(b"1", b"a")]))
    for count in (2, 3):
        (tmp_path / "run").write_text("1\ta\t1\n" + "".join(f"t{n}\ta\t1\n" for n in range(count)))
        ranking = read_run(File(str(tmp_path / "run")), judged, Options())
        assert (list(ranking.unjudged), ranking.more_unjudged) == ([b"t0", b"t1"], count > 2)
