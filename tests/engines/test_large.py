"""Large runs give the same whether copies of the process or its threads read them, whatever is wrong."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import in_splits
from support.made_runs import made_run
from support.rankings import outcome

from pres_eval.cli import reader
from pres_eval.cluster import copies, large
from pres_eval.cluster.copies import can_copy
from pres_eval.cluster.large import LargeRun, large_run
from pres_eval.cluster.telling import Telling
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.relevance import Relevance, read_relevance
from pres_eval.reading.source import Source

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")
RUN = "".join(f"{topic} Q0 d{number} 0 {9 - number} t\n" for topic in "abcd" for number in range(9))
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in "abd" for number in (0, 2, 5))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is large."""
    in_splits.read_by_copies(monkeypatch, 100)


def written(folder: Path, run: str, qrels: str = QRELS) -> tuple[str, Relevance]:
    (folder / "run").write_text(run, encoding="utf-8", newline="")
    (folder / "qrels").write_text(qrels, encoding="utf-8")
    return str(folder / "run"), read_relevance(str(folder / "qrels"))


def by_copies(path: str, judged: Relevance, options: Options, *, together: bool = True) -> dict[str, Any]:
    """The ranking, or what its error says, and whether threads read it; `together`: as topics seem to be."""
    read: list[str] = []

    class Threads(Source):
        def __init__(self, path: str) -> None:
            super().__init__(path)
            read.append(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "Source", Threads)
        found = outcome(lambda: LargeRun(path, together).rank(judged, options, 2, "trec_results"))
    return {**found, "threads": bool(read)}


def by_threads(path: str, judged: Relevance, options: Options) -> dict[str, Any]:
    return outcome(lambda: read_run(Source(path), judged, options, 2))


@pytest.mark.parametrize("seed", range(8))
def test_random_runs(seed: int, tmp_path: Path) -> None:
    """In order, shuffled and with lines that are there twice; both versions; with and without -M.

    Threads read what has faults, and lines in no order whose scores tie.
    """
    rng = random.Random(seed)
    made = made_run(rng, shuffled=seed % 4 == 3, doubled=seed % 4 == 2)
    path, judged = written(tmp_path, made.run, made.qrels)
    for compat in ("9.0.8", "10.0"):
        for most in (None, rng.randint(0, 5)):
            options = Options(compat=compat, max_retrieved=most)
            for together in (True, False):
                found = by_copies(path, judged, options, together=together)
                threads = found.pop("threads")
                assert not threads or seed % 4 > 1 or not together
                assert found == by_threads(path, judged, options)


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize("document", ["d{}", "a-document-with-a-name-of-more-than-two-words-{}"])
@pytest.mark.parametrize("together", [True, False])
def test_lines_in_no_order(together: bool, document: str, compat: str, tmp_path: Path) -> None:
    """Whether or not topics seem to be together at first; few scores tie, far from each other."""
    rng = random.Random(5)
    rows = [(f"t{topic}", document.format(number)) for topic in range(12) for number in range(30)]
    scores = [f"{rng.uniform(-3, 3):.7f}" for _ in rows]
    for near in range(0, len(rows), 7):
        value = float(scores[near])  # its neighbour's: equal, equal in 32 bits, nearly equal in 64
        scores[near + 1] = repr([value, value * (1 + 1e-9), float(np.nextafter(value, 9))][near % 3])
    lines = [f"{topic} Q0 {name} 1 {score} tag\n" for (topic, name), score in zip(rows, scores, strict=True)]
    rng.shuffle(lines)
    qrels = "".join(f"{topic} 0 {name} {rng.randint(0, 2)}\n" for topic, name in rng.sample(rows, 150))
    path, judged = written(tmp_path, "".join(lines).rstrip("\n"), qrels)
    options = Options(compat=compat)
    found = by_copies(path, judged, options, together=together)
    assert not found.pop("threads")
    assert found == by_threads(path, judged, options)
    assert len(found["ties"][0]) > 10


@pytest.mark.parametrize(
    ("run", "threads"),
    [
        (RUN, False),
        (RUN.rstrip("\n"), False),
        ("\ufeff" + RUN + "e Q0 d1 0 1 more columns\n", False),
        (RUN + "e Q0 d1 0 1\n", True),
        (RUN + "e Q0 d1 0 nan t\n", True),
        (RUN + "a Q0 d99 0 0.5 t\n", False),
        (RUN + "a Q0 d99 0 1 t\n", False),
        ("a Q0 d98 0 1 t\na Q0 d97 0 1 t\n" + RUN + "a Q0 d99 0 0.5 t\n", True),  # they tie at once
        (RUN + "d Q0 d1 0 1 t\n", True),
        ("\n" * 300, True),
    ],
)
def test_what_is_in_the_file(run: str, threads: bool, tmp_path: Path) -> None:
    path, judged = written(tmp_path, run)
    found = by_copies(path, judged, Options())
    assert found.pop("threads") is threads
    assert found == by_threads(path, judged, Options())


def test_only_what_copies_can_read(tmp_path: Path) -> None:
    path, _ = written(tmp_path, RUN)
    assert isinstance(large_run(path), LargeRun)
    (tmp_path / "run.gz").write_bytes(gzip.compress(RUN.encode(), mtime=0))
    lines = RUN.splitlines(keepends=True)
    (tmp_path / "scattered").write_text("".join(lines[::2] + lines[1::2]))
    assert isinstance(large_run(str(tmp_path / "scattered")), LargeRun)
    for name in (tmp_path / "run.gz", tmp_path / "nothing", tmp_path):
        assert type(large_run(str(name))) is Source


@pytest.mark.parametrize(
    ("size", "jobs", "expected"), [(99, 9, 0), (150, 9, 2), (150, 1, 0), (990, 9, 8), (990, 5, 5)]
)
def test_how_many(
    size: int, jobs: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for each LARGE bytes, for each job, and no more than MOST."""
    line = "a Q0 d{:04} 0 1 t\n"
    text = "".join(map(line.format, range(100)))[:size]
    path, judged = written(tmp_path, text[: text.rfind("\n") + 1].ljust(size - 1) + "\n")
    asked: list[int] = []

    class Counted(copies.Copies):
        def __init__(self, workers: int) -> None:
            super().__init__(workers)
            asked.append(workers)

    monkeypatch.setattr(large, "LARGE", 100)
    monkeypatch.setattr(large, "Copies", Counted)
    LargeRun(path, True).rank(judged, Options(), jobs, "trec_results")
    assert asked == [expected] * bool(expected)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (RUN, len(RUN)),
        (RUN + "a Q0 d99 0 0.5 t\n", len(RUN) + 17),  # the topics are together until then
        (RUN + "bad\n", None),  # threads begin anew
    ],
)
def test_progress(run: str, expected: int | None, tmp_path: Path) -> None:
    """All bytes once, however often they are read."""
    path, judged = written(tmp_path, run)
    source = LargeRun(path, True)
    steps: list[int] = []
    source.watch(steps.append)
    outcome(lambda: source.rank(judged, Options(), 2, "trec_results"))
    assert len(steps) > 2
    if expected is not None:
        assert sum(steps) == expected
    else:
        back = next(number for number, step in enumerate(steps) if step < 0)
        assert sum(steps[: back + 1]) == 0


@pytest.mark.parametrize(("unjudged", "threads"), [(10, False), (2, True)])
def test_many_topics_without_judgements(
    unjudged: int, threads: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are told, whoever reads the run."""
    monkeypatch.setattr(large, "MOST_UNJUDGED", unjudged)
    path, judged = written(tmp_path, RUN + "".join(f"x{number} Q0 d 0 1 t\n" for number in range(20)))
    found = by_copies(path, judged, Options())
    assert found.pop("threads") is threads
    assert found == by_threads(path, judged, Options())
    assert len(found["unjudged"]) == 21


@pytest.mark.parametrize("error", [MemoryError, OSError, KeyError])
def test_a_copy_that_fails(error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads read the run then."""

    def fail(*_: object) -> None:
        raise error

    path, judged = written(tmp_path, RUN)
    expected = by_threads(path, judged, Options())
    monkeypatch.setattr(large, "map_ranked", fail)
    assert by_copies(path, judged, Options()) == {**expected, "threads": True}


def test_a_file_that_is_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After it was found to be large."""
    path, judged = written(tmp_path, "")
    monkeypatch.setattr(LargeRun, "size", lambda _: 1 << 30)
    for together in (True, False):
        found = by_copies(path, judged, Options(), together=together)
        assert found.pop("threads")
        assert found["message"] == f"{path}: the file is empty, expected lines of text"


def test_a_file_that_is_written_to_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads do not begin anew with what it is then."""
    path, judged = written(tmp_path, RUN)
    take = Telling.take

    def write(told: Telling, *split: Any) -> None:
        Path(path).write_text(RUN + "e Q0 d1 0 1 t\n")
        take(told, *split)

    monkeypatch.setattr(Telling, "take", write)
    found = by_copies(path, judged, Options())
    assert found.pop("threads")
    assert "the file changed while it was read" in found["message"]


def test_several_large_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, each by all jobs; beside a small one by a job, in a copy."""
    path, _ = written(tmp_path, RUN)
    (tmp_path / "small").write_text("a Q0 d2 0 1 t\n")
    monkeypatch.setattr(reader, "LARGE", 100)
    asked: list[int | None] = []
    rank = LargeRun.rank

    def counted(run: LargeRun, judged: Any, options: Options, jobs: int | None, form: str) -> Any:
        asked.append(jobs)
        return rank(run, judged, options, jobs, form)

    monkeypatch.setattr(LargeRun, "rank", counted)
    arguments = ["--jobs", "3", str(tmp_path / "qrels"), path]
    outs = [in_splits.printed([*arguments, *more]) for more in ([], [path], [str(tmp_path / "small")])]
    assert asked == [3, 3, 3]  # and 1, in another process
    assert [code for code, _, _ in outs] == [0, 0, 0]


@pytest.fixture
def large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are large only if there are some of them."""
    monkeypatch.setattr(reader, "LARGE", 2 * len(RUN))


def made_runs(folder: Path, count: int) -> list[str]:
    """Runs of which each lacks another document."""
    lines = RUN.splitlines(keepends=True)
    for number in range(count):
        (folder / f"run{number}").write_text("".join(lines[:number] + lines[number + 1 :]))
    (folder / "qrels").write_text(QRELS + "c 0 d1 1\nz 0 d1 1\n")
    return [f"run{number}" for number in range(count)]


def printed_both_ways(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, bytes, str]:
    """What the command prints by copies, which is what it prints by threads."""
    by_copies = in_splits.printed(["--jobs", "3", *arguments])
    with monkeypatch.context() as patch:
        patch.setattr(reader, "LARGE", 1 << 40)
        assert in_splits.printed(["--jobs", "3", *arguments]) == by_copies
    return by_copies


@pytest.fixture
def in_copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many copies were made for many runs."""
    made: list[int] = []

    class Counted(copies.Copies):
        def __init__(self, workers: int) -> None:
            super().__init__(workers)
            made.append(workers)

    monkeypatch.setattr(large, "Copies", Counted)
    return made


@pytest.mark.usefixtures("large_together")
@pytest.mark.parametrize("options", [[], ["-q", "-m", "all_trec"], ["--compat", "10.0", "-c"]])
def test_many_runs(
    options: list[str], in_copies: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers, warnings and their order."""
    runs = made_runs(tmp_path, 12)
    monkeypatch.chdir(tmp_path)
    code, out, said = printed_both_ways([*options, "qrels", *runs], monkeypatch)
    assert code == 0 and out.count(b"\n") >= 12 and bool(said) is ("-c" not in options)
    assert in_copies == [3]


@pytest.mark.usefixtures("large_together")
@pytest.mark.parametrize("going_on", [[], ["--keep-going"]])
@pytest.mark.parametrize("bad", [["run3"], ["run0", "run11"]])
def test_many_runs_of_which_some_are_wrong(
    bad: list[str], going_on: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = made_runs(tmp_path, 12)
    for name in bad:
        with (tmp_path / name).open("a") as file:
            file.write("a line that is none\n")
    monkeypatch.chdir(tmp_path)
    code, out, said = printed_both_ways([*going_on, "qrels", *runs], monkeypatch)
    assert code == 2 and bad[0] in said
    assert bool(out) is (bool(going_on) or bad[0] != "run0")


@pytest.mark.usefixtures("large_together")
def test_many_runs_whose_copies_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads go on where they were."""
    runs = made_runs(tmp_path, 12)
    monkeypatch.chdir(tmp_path)
    process = os.getpid()
    read: list[str] = []

    def end(source: Source, *others: Any) -> Any:
        if os.getpid() != process and source.name == "run7":
            os.kill(os.getpid(), signal.SIGKILL)
        read.append(source.name)
        return read_run(source, *others)

    monkeypatch.setattr("pres_eval.cli.reader.read_any_run", end)
    printed_both_ways(["qrels", *runs], monkeypatch)
    again = {runs.index(name) for name in read[:-12]}
    assert again == set(range(min(again), 12)) and min(again) <= 7


def test_many_runs_with_progress(tmp_path: Path) -> None:
    """The process that was copied tells of the bytes, all of them once."""
    sources = [Source(str(tmp_path / name)) for name in made_runs(tmp_path, 6)]
    steps: list[tuple[int, int]] = []
    for source in sources:
        source.watch(lambda count: steps.append((os.getpid(), count)))
    found = list(large.read_each(lambda source: sum(len(c.text()) for c in source.chunks()), sources, 2))
    assert steps == [(os.getpid(), size) for size in found]


def test_more_runs_than_copies_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [Source(str(tmp_path / name)) for name in made_runs(tmp_path, 4)]
    for most, is_copied in ((4, True), (3, False)):
        monkeypatch.setattr(large, "MOST_ITEMS", most)
        found = list(large.read_each(lambda _: os.getpid(), sources, 2))
        assert (os.getpid() not in found) is is_copied


def test_many_runs_that_copies_cannot_open(tmp_path: Path) -> None:
    """A pipe has been opened by this process or by nobody."""
    sources = [Source(str(tmp_path / name)) for name in made_runs(tmp_path, 2)]
    os.mkfifo(tmp_path / "pipe")
    for odd in (Source("-"), Source(str(tmp_path / "pipe")), Source(str(tmp_path / "nothing"))):
        found = list(large.read_each(lambda _: os.getpid(), [*sources, odd], 2))
        assert found == [os.getpid()] * 3
    assert os.getpid() not in list(large.read_each(lambda _: os.getpid(), sources, 2))
    assert list(large.read_each(lambda _: os.getpid(), sources, 1)) == [os.getpid()] * 2


LINES = 600_000


@pytest.fixture(scope="module")
def large_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 20 MB, of 600 topics."""
    folder = tmp_path_factory.mktemp("large")
    with (folder / "run").open("w") as file:
        for topic in range(LINES // 1000):
            file.writelines(
                f"topic{topic} Q0 document{(row * 7919 + topic) % 5000} {row} {1000 - row}.5 tag\n"
                for row in range(1000)
            )
    with (folder / "qrels").open("w") as file:
        for topic in range(0, LINES // 1000, 2):
            file.writelines(f"topic{topic} 0 document{row} {row % 3}\n" for row in range(0, 5000, 40))
    return folder


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """The command itself, whose runs are large from 16 MB on."""
    return subprocess.Popen(
        [sys.executable, "-m", "pres_eval", "-q", *arguments, "qrels", "run"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
def test_the_command(large_files: Path) -> None:
    by_threads = started(large_files, "--jobs", "1").communicate(timeout=60)
    assert started(large_files, "--jobs", "4").communicate(timeout=60) == by_threads
    assert by_threads[0].count(b"\n") > 28 * 300 and by_threads[1].count(b"\n") == 1


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(number) for number in text.split()]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_command_that_is_ended_leaves_no_copies(number: signal.Signals, large_files: Path) -> None:
    running = started(large_files, "--jobs", "3")
    while running.poll() is None and not (children := _children(running.pid)):
        time.sleep(0.001)
    assert children, "it was too fast to be caught"
    for child in children:  # they wait, so that the work is not done before the signal comes
        os.kill(child, signal.SIGSTOP)
    running.send_signal(number)
    running.wait(timeout=20)
    for child in filter(_lives, children):  # one that had just begun
        os.kill(child, signal.SIGCONT)
    out, said = running.communicate(timeout=20)
    assert (running.returncode, out, said) == (-number, b"", b"")
    end = time.monotonic() + 10
    while any(map(_lives, children)):
        assert time.monotonic() < end
        time.sleep(0.01)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.slow
def test_a_copy_that_is_killed(large_files: Path) -> None:
    """The command goes on by itself."""
    expected = started(large_files, "--jobs", "1").communicate(timeout=60)
    running = started(large_files, "--jobs", "2")
    while running.poll() is None and not (children := _children(running.pid)):
        time.sleep(0.001)
    for child in children:
        os.kill(child, signal.SIGKILL)
    assert running.communicate(timeout=60) == expected
    assert running.returncode == 0
