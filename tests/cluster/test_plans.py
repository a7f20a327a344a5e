"""Runs in splits give what reading the whole file gives, whatever the splits: ranks, warnings and errors."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
from support.made_runs import made_run
from support.rankings import outcome

import pres_eval as pe
from pres_eval.arrays.ids import EVERY_PROCESS, Ids
from pres_eval.cluster import ranking as plans
from pres_eval.cluster import together
from pres_eval.cluster.engines import Here
from pres_eval.cluster.ranking import Plan
from pres_eval.cluster.runs import rank_runs
from pres_eval.cluster.splits import LEAST, MOST, split_size
from pres_eval.errors import PresEvalWarning
from pres_eval.options import Options
from pres_eval.ranking.any_format import read_any_run
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance, read_relevance
from pres_eval.reading.source import Source


def whole(path: Path, judged: Relevance, options: Options) -> Ranking:
    """As one process reads it."""
    return read_any_run(Source(str(path)), judged, options, 1)


def in_splits(
    path: Path, judged: Relevance, options: Options, size: int, check: bool | None = None
) -> Ranking:
    """The same in splits of so many bytes."""
    plan = Plan(split_bytes=size, check=check)
    return next(rank_runs([str(path)], judged, options, Here(), plan)).checked()


def written(folder: Path, run: str, qrels: str) -> tuple[Path, Relevance]:
    (folder / "run").write_text(run, encoding="utf-8", newline="")
    (folder / "qrels").write_text(qrels, encoding="utf-8")
    return folder / "run", read_relevance(str(folder / "qrels"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11))
def test_random_runs(seed: int, tmp_path: Path) -> None:
    """In order, shuffled and with lines that are there twice; both versions; with and without -M."""
    rng = random.Random(seed)
    made = made_run(rng, shuffled=seed % 3 > 0, doubled=seed % 3 > 1 or seed % 8 == 0)
    path, judged = written(tmp_path, made.run, made.qrels)
    for compat in ("9.0.8", "10.0"):
        for most in (None, rng.randint(0, 5)):
            options = Options(compat=compat, max_retrieved=most)
            expected = outcome(lambda options=options: whole(path, judged, options))  # type: ignore[misc]
            for size in (29, rng.randint(20, 500)):
                found = outcome(
                    lambda options=options, size=size: in_splits(path, judged, options, size)  # type: ignore[misc]
                )
                assert found == expected, (compat, most, size)


LINES = "".join(f"{topic} Q0 d{number} 0 {9 - number % 4} t\n" for topic in "abcd" for number in range(6))
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in "abd" for number in (0, 2, 5))


@pytest.mark.parametrize("order", ["together", "scattered"])
def test_splits_of_one_byte(order: str, tmp_path: Path) -> None:
    lines = LINES.splitlines(keepends=True)
    path, judged = written(
        tmp_path, "".join(lines if order == "together" else lines[::2] + lines[1::2]), QRELS
    )
    expected = outcome(lambda: whole(path, judged, Options()))
    assert outcome(lambda: in_splits(path, judged, Options(), 1)) == expected


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    "options", [Options(only_topic=b"b"), Options(only_topic=b"nothing"), Options(max_retrieved=2)]
)
def test_options_that_ranking_minds(options: Options, shuffled: bool, tmp_path: Path) -> None:
    lines = LINES.splitlines(keepends=True)
    # Topic c has no judgements; its documents may come twice.
    lines += ["c Q0 d1 0 1 t\n"]
    if shuffled:
        random.Random(3).shuffle(lines)
    path, judged = written(tmp_path, "".join(lines), QRELS)
    expected = outcome(lambda: whole(path, judged, options))
    assert "error" not in expected
    assert outcome(lambda: in_splits(path, judged, options, 40)) == expected


@pytest.mark.parametrize("shuffled", [False, True])
def test_preferences(shuffled: bool, tmp_path: Path) -> None:
    """Ties go by docno ascending there."""
    lines = LINES.splitlines(keepends=True)
    if shuffled:
        random.Random(5).shuffle(lines)
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "prefs").write_text(
        "".join(f"{topic} 0 1 d{n} {n % 3}\n" for topic in "abd" for n in range(5))
    )
    judged = read_relevance(str(tmp_path / "prefs"), "prefs")
    expected = outcome(lambda: whole(tmp_path / "run", judged, Options()))
    assert expected["ascending"] is True
    assert outcome(lambda: in_splits(tmp_path / "run", judged, Options(), 64)) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("\ufeff", "the file is empty"),
        ("# nothing\n\n", "no lines but blank ones and comments"),
        ("a Q0 d1 1 1 t\n" * 5 + "a Q0 d2 1 x t", "run:6: score 'x', expected a number"),
        ("a Q0 d1 1 1 t\na Q0 d2 1\n", "run:2: 4 columns, expected 6"),
        ("a d1 1 1 t\n", "Q0 is missing"),
        ("a Q0 d1 1 1 t\n" + "x" * (2 << 20) + "\n", "run:2: a line of more than"),
        ("a Q0 d1 1 1 t\na Q0 d\0 1 1 t\n", "run:2: a NUL byte"),
    ],
)
def test_faults_are_told_as_of_the_whole_file(text: str, says: str, tmp_path: Path) -> None:
    path, judged = written(tmp_path, text, QRELS)
    expected = outcome(lambda: whole(path, judged, Options()))
    assert says in expected["message"]
    for size in (16, 10_000) if len(text) < 1000 else (1 << 20, 300_000):
        assert outcome(lambda size=size: in_splits(path, judged, Options(), size)) == expected  # type: ignore[misc]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("document", ["d2", "d9"])  # judged, not judged
def test_a_document_twice_across_splits(document: str, shuffled: bool, tmp_path: Path) -> None:
    lines = LINES.splitlines(keepends=True)
    lines.insert(1, f"a Q0 {document} 0 5 t\n")
    lines.insert(5, f"a Q0 {document} 0 4 t\n")
    if shuffled:
        random.Random(2).shuffle(lines)
    path, judged = written(tmp_path, "".join(lines), QRELS)
    expected = outcome(lambda: whole(path, judged, Options()))
    assert f"document '{document}' of topic 'a' again (first in line" in expected["message"]
    assert outcome(lambda: in_splits(path, judged, Options(), 20)) == expected
    without = outcome(lambda: in_splits(path, judged, Options(), 20, check=False))
    assert (without == expected) is (document == "d2" or not shuffled)


def test_the_check_for_documents_that_come_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a number of rows it has to be asked for; it goes by shares of the hashes."""
    monkeypatch.setattr(plans, "HASHES_AT_ONCE", 5)
    monkeypatch.setattr(plans, "CHECKED", 17)
    lines = LINES.splitlines(keepends=True)
    random.Random(2).shuffle(lines)
    path, judged = written(tmp_path, "".join(lines), QRELS)
    for check, unchecked in ((None, True), (True, False), (False, True)):
        plan = Plan(split_bytes=50, check=check)
        found = next(rank_runs([str(path)], judged, Options(), Here(), plan))
        assert found.error is None and found.unchecked is unchecked
    path, judged = written(tmp_path, "".join([*lines, "a Q0 d9 1 1 t\n", "a Q0 d9 2 2 t\n"]), QRELS)
    found = next(rank_runs([str(path)], judged, Options(), Here(), Plan(split_bytes=50, check=True)))
    assert "run:26: document 'd9' of topic 'a' again (first in line 25)" in str(found.error)


def test_the_library_warns_of_what_was_not_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "CHECKED", 1)
    (tmp_path / "qrels").write_text("1 0 a0 1\n2 0 b1 1\n")
    (tmp_path / "run").mkdir()
    for part in range(2):
        lines = "".join(f"{topic} Q0 {document}{part} 0 {9 - part} t\n" for topic, document in ("1a", "2b"))
        (tmp_path / "run" / f"part-{part}").write_text(lines)
    with pytest.warns(PresEvalWarning, match="topics are not together, so unjudged documents were not"):
        found = pe.evaluate(tmp_path / "qrels", tmp_path / "run", ["map"], cluster="local:1")
    assert found["map"] == (1.0 + 0.5) / 2


def test_large_topics_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a torn topic come back only where they are few."""
    path, judged = written(tmp_path, LINES, QRELS)
    expected = outcome(lambda: whole(path, judged, Options()))
    monkeypatch.setattr(together, "MOST_TORN", 2)
    assert outcome(lambda: in_splits(path, judged, Options(), 100)) == expected


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    path, judged = written(tmp_path, LINES, QRELS)

    def told(done: int, _: int) -> None:
        if done == 2:
            path.write_text(LINES.replace("9", "8") + "a Q0 x 1 1 t\n")

    plan = Plan(split_bytes=50, told=told)
    found = next(rank_runs([str(path)], judged, Options(), Here(), plan))
    assert "the file changed while it was read" in str(found.error)


@pytest.mark.slow
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(("compat", "size"), [("9.0.8", 60_000), ("10.0", 1 << 20)])
def test_robust03(shuffled: bool, compat: str, size: int, shared: Path, tmp_path: Path) -> None:
    folder = shared / "realdata" / "robust03"
    judged = read_relevance(str(folder / "qrels.gz"))
    lines = gzip.decompress(min(folder.glob("runs/*.gz")).read_bytes()).splitlines(keepends=True)
    if shuffled:
        random.Random(1).shuffle(lines)
    path = tmp_path / "run"
    path.write_bytes(b"".join(lines))
    options = Options(compat=compat)
    expected = outcome(lambda: whole(path, judged, options))
    assert "error" not in expected
    assert outcome(lambda: in_splits(path, judged, options, size)) == expected


def test_hashes_that_every_process_has() -> None:
    ids = Ids.of([b"a", b"bb", b"c" * 300])
    assert ids.hashes(EVERY_PROCESS + 5).tolist() == ids.hashes(EVERY_PROCESS + 5).tolist()
    assert len(np.unique(ids.hashes(EVERY_PROCESS + 5))) == 3


def test_sizes_of_splits() -> None:
    assert split_size(10, 4) == LEAST
    assert split_size(10**12, 4) == MOST
    assert split_size(LEAST * 64, 8) == LEAST * 2
