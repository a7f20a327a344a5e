"""Runs in splits give what reading the whole file gives, whatever the splits: ranks, warnings and errors."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import shutil
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.in_splits import InSplits
from support.made_runs import made_run
from support.rankings import outcome, ranked_by

from pres_eval.arrays.ids import EVERY_PROCESS, Ids
from pres_eval.engines.engine import LEAST_SPLIT, MOST_SPLIT, split_size
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.ranking.runs import read_run
from pres_eval.reading import cuts
from pres_eval.reading import file as reading_file
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import Relevance, read_relevance


def whole(path: Path, judged: Relevance, options: Options) -> Ranking:
    """As one process reads it."""
    return read_run(File(str(path)), judged, options, 1)


def in_splits(path: Path, judged: Relevance, options: Options, size: int, check: bool = True) -> Ranking:
    """The same in splits of so many bytes."""
    return ranked_by(InSplits(size), str(path), judged, options, checks=check)


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


def test_the_check_for_documents_that_come_twice(tmp_path: Path) -> None:
    """Without it the ranking says so; documents that were judged are looked at in any case."""
    lines = LINES.splitlines(keepends=True)
    random.Random(2).shuffle(lines)
    path, judged = written(tmp_path, "".join(lines), QRELS)
    for check in (True, False):
        assert in_splits(path, judged, Options(), 50, check=check).unchecked is not check
    path, judged = written(tmp_path, "".join([*lines, "a Q0 d9 1 1 t\n", "a Q0 d9 2 2 t\n"]), QRELS)
    with pytest.raises(InputError, match=r"run:26: document 'd9' of topic 'a' again \(first in line 25\)"):
        in_splits(path, judged, Options(), 50)
    assert in_splits(path, judged, Options(), 50, check=False).unchecked


@pytest.mark.parametrize("size", [100, 10_000])
@pytest.mark.parametrize("largest", [1, 60, 200])
def test_large_topics_are_ranked_in_any_order(
    size: int, largest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text is not kept until they end."""
    path, judged = written(tmp_path, LINES, QRELS)
    expected = outcome(lambda: whole(path, judged, Options()))
    monkeypatch.setattr(cuts, "LARGEST_TOPIC", largest)
    monkeypatch.setattr(reading_file, "LARGEST_TOPIC", largest)
    monkeypatch.setattr(reading_file, "CUT_WINDOW", 10)
    assert outcome(lambda: in_splits(path, judged, Options(), size)) == expected


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    path, judged = written(tmp_path, LINES, QRELS)

    class Changing(InSplits):
        def map(self, work: Any, items: Iterable[Any], *shared: Any) -> Generator[Any, None, None]:
            for number, result in enumerate(super().map(work, items, *shared)):
                if number == 1:
                    path.write_text(LINES.replace("9", "8") + "a Q0 x 1 1 t\n")
                yield result

    with pytest.raises(InputError, match="the file changed while it was read"):
        ranked_by(Changing(50), str(path), judged)


@pytest.mark.parametrize("whole", [True, False])
def test_a_machine_with_a_copy_of_the_file(
    whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has other numbers for files, devices and changes: size and time have to be the same."""
    path, _ = written(tmp_path, LINES, QRELS)
    (tmp_path / "other").mkdir()
    copy = tmp_path / "other" / "run"
    shutil.copy2(path, copy)
    planned = File(str(path))
    with planned.kept_open():
        at_path = pickle.dumps(planned)
        planned.path = str(copy)
        at_copy = pickle.dumps(planned)

    def read(text: bytes) -> bytes:
        file: File = pickle.loads(text)
        chunks = file.chunks() if whole else file.chunks(0, path.stat().st_size)
        return b"".join(chunk.text() for chunk in chunks)

    assert read(at_path) == path.read_bytes()
    with pytest.raises(InputError, match="the file changed while it was read"):
        read(at_copy)
    monkeypatch.setattr(reading_file, "machine", lambda: "another machine")
    assert read(at_copy) == path.read_bytes()
    os.utime(copy)
    with pytest.raises(InputError, match="the file changed while it was read"):
        read(at_copy)


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
    ids = Ids.from_texts([b"a", b"bb", b"c" * 300])
    assert ids.hashes(EVERY_PROCESS + 5).tolist() == ids.hashes(EVERY_PROCESS + 5).tolist()
    assert len(np.unique(ids.hashes(EVERY_PROCESS + 5))) == 3


def test_sizes_of_splits() -> None:
    assert split_size(10, 4) == LEAST_SPLIT
    assert split_size(10**12, 4) == MOST_SPLIT
    assert split_size(LEAST_SPLIT * 64, 8) == LEAST_SPLIT * 2
