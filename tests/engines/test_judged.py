"""Judgements that copies of the process read are those that its threads read."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pres_eval.cli import reader
from pres_eval.cluster import judged, memory
from pres_eval.cluster.copies import can_copy
from pres_eval.cluster.judged import qrels_of_copies
from pres_eval.errors import InputError
from pres_eval.reading.qrels import Qrels, read_qrels
from pres_eval.reading.source import Source

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is large, and of many chunks."""
    monkeypatch.setattr(judged, "LEAST_PART", 60)
    monkeypatch.setattr(judged, "CHUNK", 100)
    monkeypatch.setattr(reader, "LARGE_QRELS", 1)


def num_open() -> int:
    """Open files of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def written(folder: Path, text: str | bytes) -> str:
    path = folder / "qrels"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def told(qrels: Qrels) -> dict[str, Any]:
    """All that is in judgements."""
    return {
        "name": qrels.name,
        "topics": list(qrels.pool.topics),
        "documents": list(qrels.pool.documents),
        "offsets": qrels.pool.offsets.tolist(),
        "grade": qrels.grade.tolist(),
        "type": qrels.grade.dtype,
        "duplicates": len(qrels.duplicates.document),
        "form": qrels.form,
        "found": qrels.pool.find_topics(qrels.pool.topics).tolist(),
    }


def made(rng: random.Random, document: str, grades: tuple[int, ...] = (0, 1, 2)) -> list[str]:
    """Lines of topics that are together, in any order."""
    topics = rng.sample([f"t{number}" for number in range(40)] + ["a-topic-with-a-long-name"], 14)
    rows = [(topic, number) for topic in topics for number in rng.sample(range(99), rng.randint(1, 12))]
    return [f"{topic} 0 {document.format(number)} {rng.choice(grades)}\n" for topic, number in rows]


@pytest.mark.parametrize("jobs", [2, 3, 20])
@pytest.mark.parametrize("document", ["d{}", "document-{}", "a-document-{}-with-a-name-of-many-words"])
@pytest.mark.parametrize("seed", range(4))
def test_random_judgements(seed: int, document: str, jobs: int, tmp_path: Path) -> None:
    """With a topic in two parts, or in three places; with comments, blank lines and other ends of lines."""
    rng = random.Random(seed)
    lines = made(rng, document)
    if seed == 1:
        lines.insert(30, "# a comment\n\n")
    text = "".join(lines)
    if seed == 2:
        text = "\ufeff" + text.replace("\n", "\r\n")
    if seed == 3:
        topic = lines[40].split()[0]
        text = f"{topic} 0 a 1\n{text}{topic} 0 b 2"
    path = written(tmp_path, text)
    found = qrels_of_copies(path, jobs)
    assert found is not None
    assert told(found) == told(read_qrels(Source(path)))
    assert found.pool.documents.columns[0].flags.writeable


@pytest.mark.parametrize("grades", [(-1, 0, 3), (0, 400), (0, 2**40), (-(2**62), 1)])
def test_grades_of_any_size(grades: tuple[int, ...], tmp_path: Path) -> None:
    """In as few bytes as the largest needs, wherever it is."""
    lines = made(random.Random(5), "d{}", (0, 1))
    lines += [f"z 0 d{number} {grade}\n" for number, grade in enumerate(grades)]
    path = written(tmp_path, "".join(lines))
    found = qrels_of_copies(path, 2)
    assert found is not None
    assert told(found) == told(read_qrels(Source(path)))


@pytest.mark.parametrize(
    "changed",
    [
        {5: "t 0 d1\n"},
        {70: "t 0 d1 x\n"},
        {9: "t 0 d1 1 5 6\n"},
        {3: "t 0 d7 1\nt 0 d7 1\n"},
        {3: "zz 0 d7 1\n", 60: "zz 0 d7 1\n"},  # in two parts
        {4: f"t 0 {'d' * 900} 1\n"},
        {40: "#" * 3000 + "\n"},
    ],
)
def test_what_is_for_threads(changed: dict[int, str], tmp_path: Path) -> None:
    """Faults, documents judged twice, ids that are far longer than the others, parts without a line."""
    lines = made(random.Random(3), "d{}") + [f"last 0 d{number} 1\n" for number in range(40)]
    for row, line in changed.items():
        lines[row] = line
    path = written(tmp_path, "".join(lines))
    assert qrels_of_copies(path, 3) is None


def test_topics_that_are_not_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies notice it soon."""
    lines = made(random.Random(3), "d{}")
    random.Random(1).shuffle(lines)
    path = written(tmp_path, "".join(lines))
    found = qrels_of_copies(path, 2)
    assert found is not None
    assert told(found) == told(read_qrels(Source(path)))
    monkeypatch.setattr(judged, "MANY_GROUPS", 2)
    assert qrels_of_copies(path, 2) is None


def test_files_that_are_not_for_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "".join(made(random.Random(3), "d{}")))
    assert qrels_of_copies(path, 1) is None
    for name in ("nothing", ""):
        with pytest.raises(InputError, match="expected a readable file"):
            qrels_of_copies(str(tmp_path / name), 2)
    monkeypatch.setattr(judged, "LEAST_PART", 1 << 20)
    assert qrels_of_copies(path, 2) is None


@pytest.mark.parametrize("where", ["exchange", "_judgements", "_write"])
@pytest.mark.parametrize("end", [MemoryError, OSError, KeyError, signal.SIGKILL])
def test_a_copy_that_ends(end: Any, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before or after the others wait for it: nobody waits any longer then."""
    path = written(tmp_path, "".join(made(random.Random(3), "d{}")))
    command, first = os.getpid(), tmp_path / "first"
    owner: Any = judged._Board if where == "exchange" else judged
    usual = getattr(owner, where)

    def failing(*arguments: Any) -> Any:
        assert os.getpid() != command
        with contextlib.suppress(FileExistsError):
            first.touch(exist_ok=False)
            if isinstance(end, signal.Signals):
                os.kill(os.getpid(), end)
            else:
                raise end
        return usual(*arguments)

    monkeypatch.setattr(owner, where, failing)
    descriptors = num_open()
    assert qrels_of_copies(path, 3) is None
    assert first.exists() and num_open() == descriptors
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("granted", range(5))
def test_files_that_the_system_does_not_grant(
    granted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "".join(made(random.Random(3), "d{}")))
    usual, asked = memory._memory_file, []

    def refused() -> int:
        asked.append(1)
        if len(asked) > granted:
            raise OSError
        return usual()

    monkeypatch.setattr(memory, "_memory_file", refused)
    descriptors = num_open()
    assert qrels_of_copies(path, 2) is None
    assert num_open() == descriptors


def test_a_file_that_is_written_to_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "".join(made(random.Random(3), "d{}")))
    usual = judged._judgements

    def written_to(split: Any) -> Any:
        with Path(path).open("a") as file:
            file.write("z 0 d1 1\n")
        return usual(split)

    monkeypatch.setattr(judged, "_judgements", written_to)
    with pytest.raises(InputError, match="the file changed while it was read"):
        qrels_of_copies(path, 2)


def test_memory_is_given_back(tmp_path: Path) -> None:
    """With the last array, and not before."""
    path = written(tmp_path, "".join(made(random.Random(3), "d{}")))
    before = memory._Result.num_there
    found = qrels_of_copies(path, 2)
    assert found is not None and memory._Result.num_there == before + 1
    grades = found.grade
    del found
    assert memory._Result.num_there == before + 1 and np.isin(grades, (0, 1, 2)).all()
    del grades
    assert memory._Result.num_there == before


@pytest.mark.parametrize(("form", "asked"), [("qrels", 1), ("qrels_float", 0), ("prefs", 0)])
def test_who_asks_for_copies(form: str, asked: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, for judgements of four columns, if it may have two jobs."""
    line = "t 0 0 d1 1\n" if form == "prefs" else "t 0 d1 1\n"
    path, calls = written(tmp_path, line), []
    monkeypatch.setattr(judged, "qrels_of_copies", lambda *given: calls.append(given))
    reader.Reader(form, jobs=2).relevance(path)
    assert calls == [(path, 2)] * asked
    reader.Reader(form, jobs=1).relevance(path)
    monkeypatch.setattr(reader, "LARGE_QRELS", 1 << 20)
    reader.Reader(form, jobs=2).relevance(path)
    assert len(calls) == asked
