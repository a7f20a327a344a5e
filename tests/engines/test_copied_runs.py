"""Large runs, and many: the same whether copies of the process, other splits or its threads read them."""

from __future__ import annotations

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
from support.rankings import outcome, ranked_by

from pres_eval.cli import reader
from pres_eval.cli.shared import NumberOptions
from pres_eval.engines.copies import Copies, can_copy
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs, read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import Relevance, read_relevance
from pres_eval.reading.run_files import run_at
from pres_eval.reading.streams import LONGEST_LINE

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")
RUN = "".join(f"{topic} Q0 d{number} 0 {9 - number} t\n" for topic in "abcd" for number in range(9))
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in "abd" for number in (0, 2, 5))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is large, and nothing may be done by a slower way."""
    in_splits.read_by_copies(monkeypatch, 100)
    monkeypatch.setenv("PRES_EVAL_FALLBACK", "fail")


@pytest.fixture
def copies() -> Copies:
    return Copies(2)


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The copies that are made of this process."""
    fork, made = os.fork, list[int]()

    def noted() -> int:
        process = fork()
        made.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    return made


def written(folder: Path, run: str, qrels: str = QRELS) -> tuple[str, Relevance]:
    (folder / "run").write_text(run, encoding="utf-8", newline="")
    (folder / "qrels").write_text(qrels, encoding="utf-8")
    return str(folder / "run"), read_relevance(str(folder / "qrels"))


def test_one_piece_of_work_needs_no_copy(copies: Copies, forks: list[int]) -> None:
    """A compressed file is one, which threads of this process read."""
    assert list(copies.map(_process, [0])) == [os.getpid()] and not forks
    assert os.getpid() not in copies.map(_process, [0, 1]) and copies.threads == 2


def _process(_: int) -> int:
    return os.getpid()


def by_threads(path: str, judged: Relevance, options: Options) -> dict[str, Any]:
    return outcome(lambda: read_run(File(path), judged, options, 2))


@pytest.mark.parametrize("seed", range(4))
def test_random_runs(seed: int, copies: Copies, tmp_path: Path) -> None:
    """In order, shuffled and with lines that are there twice; both versions; with and without -M."""
    rng = random.Random(seed)
    made = made_run(rng, shuffled=seed % 4 == 3, doubled=seed % 4 == 2)
    path, judged = written(tmp_path, made.run, made.qrels)
    for compat in ("9.0.8", "10.0"):
        for most in (None, rng.randint(0, 5)):
            options = Options(compat=compat, max_retrieved=most)
            found = outcome(lambda: ranked_by(copies, path, judged, options))  # noqa: B023
            assert found == by_threads(path, judged, options)


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize("document", ["d{}", "a-document-with-a-name-of-more-than-two-words-{}"])
def test_lines_in_no_order(document: str, compat: str, copies: Copies, tmp_path: Path) -> None:
    """Few scores tie, far from each other."""
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
    found = outcome(lambda: ranked_by(copies, path, judged, options))
    assert found == by_threads(path, judged, options)
    assert len(found["ties"][0]) > 10


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        RUN.rstrip("\n"),
        "\ufeff" + RUN + "e Q0 d1 0 1 more columns\n",
        RUN + "e Q0 d1 0 1\n",
        RUN + "e Q0 d1 0 nan t\n",
        RUN + "a Q0 d99 0 0.5 t\n",
        RUN + "a Q0 d99 0 1 t\n",
        "a Q0 d98 0 1 t\na Q0 d97 0 1 t\n" + RUN + "a Q0 d99 0 0.5 t\n",  # they tie at once
        RUN + "d Q0 d1 0 1 t\n",
        "\n" * 300,
    ],
)
def test_what_is_in_the_file(run: str, copies: Copies, tmp_path: Path) -> None:
    path, judged = written(tmp_path, run)
    found = outcome(lambda: ranked_by(copies, path, judged))
    assert found == by_threads(path, judged, Options())


@pytest.mark.parametrize(
    ("run", "number"),
    [(RUN, 2), ("".join(f"{'ab'[place % 2]} Q0 d{place} 0 1 t\n" for place in range(600)), 2)],
)
def test_no_copy_begins_in_vain(
    run: str,
    number: int,
    copies: Copies,
    forks: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first lines show that topics are not together: copies begin once, not for whole topics first."""
    if len(run) > 5000:
        in_splits.read_by_copies(monkeypatch, 4000)
    path, judged = written(tmp_path, run)
    found = outcome(lambda: ranked_by(copies, path, judged))
    assert found == by_threads(path, judged, Options())
    assert len(forks) == number


@pytest.mark.parametrize(
    ("size", "jobs", "expected"), [(99, 9, 0), (150, 9, 2), (150, 1, 0), (1990, 17, 16), (990, 5, 5)]
)
def test_how_many(
    size: int, jobs: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for each LARGE bytes, for each job, and no more than MOST."""
    written(tmp_path, "a Q0 d0001 0 1 t\n".ljust(size - 1) + "\n")
    asked: list[int] = []

    class Counted(Copies):
        def __init__(self, workers: int) -> None:
            super().__init__(workers)
            asked.append(workers)

    monkeypatch.setattr(reader, "BYTES_PER_COPY", 100)
    monkeypatch.setattr("pres_eval.engines.copies.Copies", Counted)
    arguments = ["--jobs", str(jobs), str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert in_splits.printed(arguments)[0] == 0
    assert asked == [expected] * bool(expected)


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        RUN + "a Q0 d99 0 0.5 t\n",  # the topics are together until then
    ],
)
def test_progress(run: str, copies: Copies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is told as it is read; bytes that are read again count once."""
    path, judged = written(tmp_path, run)
    files = run_at(path)
    steps: list[int] = []
    files.watch(steps.append)
    with Runs(RunRanker.for_judgements(judged, Options()), copies) as runs:
        runs.rank(files)
    assert len(steps) > 2 and len(run) - 9 < sum(steps) <= len(run)
    assert min(steps) < 0 or run == RUN


def test_copies_report_no_progress(copies: Copies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever made them watches: a bar of their own would be drawn over the other one."""
    in_splits.read_by_copies(monkeypatch, 1 << 20)
    names = made_runs(tmp_path, 6)
    judged = read_relevance(str(tmp_path / "qrels"))
    files = [run_at(str(tmp_path / name)) for name in names]

    def note(count: int) -> None:
        with (tmp_path / "told").open("a") as file:
            file.write(f"{os.getpid()} {count}\n")

    for run in files:
        run.watch(note)
    with Runs(RunRanker.for_judgements(judged, Options()), copies) as runs:
        assert len(list(runs.rank_each(files))) == 6
    told = [line.split() for line in (tmp_path / "told").read_text().splitlines()]
    assert {int(process) for process, _ in told} == {os.getpid()}
    assert sum(int(count) for _, count in told) == sum(run.size() or 0 for run in files)


def test_a_fault_of_the_program_is_seen(
    copies: Copies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is raised by copies, by splits here and by threads, and covered by no slower way."""
    path, judged = written(tmp_path, RUN)

    def fail(*_: object, **__: object) -> None:
        raise TypeError("a fault of ours")

    monkeypatch.setattr(RunRanker, "ranked_part", fail)
    for engine in (copies, in_splits.InSplits(100), in_splits.InSplits(1 << 20, jobs=2)):
        with pytest.raises(TypeError, match="a fault of ours"):
            ranked_by(engine, path, judged)


@pytest.fixture
def large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are large only if there are some of them."""
    monkeypatch.setattr(reader, "BYTES_PER_COPY", 2 * len(RUN))


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
        patch.setattr(reader, "BYTES_PER_COPY", 1 << 40)
        assert in_splits.printed(["--jobs", "3", *arguments]) == by_copies
    return by_copies


@pytest.mark.usefixtures("large_together")
@pytest.mark.parametrize("options", [["-q", "-m", "all_trec"], ["--compat", "10.0", "-c"]])
def test_many_runs(options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers, warnings and their order."""
    runs = made_runs(tmp_path, 7)
    monkeypatch.chdir(tmp_path)
    code, out, said = printed_both_ways([*options, "qrels", *runs], monkeypatch)
    assert code == 0 and out.count(b"\n") >= 7 and bool(said) is ("-c" not in options)


@pytest.mark.usefixtures("large_together")
@pytest.mark.parametrize(
    ("bad", "going_on"),
    [(["run3"], []), (["run0", "run6"], []), (["run0", "run6"], ["--keep-going"])],
)
def test_many_runs_of_which_some_are_wrong(
    bad: list[str], going_on: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = made_runs(tmp_path, 7)
    for name in bad:
        with (tmp_path / name).open("a") as file:
            file.write("a line that is none\n")
    monkeypatch.chdir(tmp_path)
    code, out, said = printed_both_ways([*going_on, "qrels", *runs], monkeypatch)
    assert code == 2 and bad[0] in said
    assert bool(out) is (bool(going_on) or bad[0] != "run0")


@pytest.mark.usefixtures("large_together")
@pytest.mark.parametrize("odd", ["pipe", "missing"])
def test_runs_that_copies_cannot_open(odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe has been opened by this process or by nobody: then no copies are made."""
    runs = made_runs(tmp_path, 3)
    monkeypatch.chdir(tmp_path)
    if odd == "pipe":
        os.mkfifo("pipe")
    monkeypatch.setattr("pres_eval.engines.copies.Copies", None)
    files = [run_at(name) for name in [*runs, odd]]
    with reader._engine(NumberOptions(jobs=2), files) as engine:
        assert engine.threads == 2


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
    """Another one takes its place."""
    expected = started(large_files, "--jobs", "1").communicate(timeout=60)
    running = started(large_files, "--jobs", "2")
    while running.poll() is None and not (children := _children(running.pid)):
        time.sleep(0.001)
    for child in children:
        os.kill(child, signal.SIGKILL)
    assert running.communicate(timeout=60) == expected
    assert running.returncode == 0


@pytest.mark.parametrize("shuffled", [False, True])
def test_standard_input_that_is_a_file(
    shuffled: bool, copies: Copies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a size, but no path that a copy could open: threads of this process read it."""
    made = made_run(random.Random(1), shuffled=shuffled, doubled=False)
    path, judged = written(tmp_path, made.run, made.qrels)
    with open(path, encoding="utf-8") as stdin:  # noqa: PTH123
        monkeypatch.setattr("sys.stdin", stdin)
        with Runs(RunRanker.for_judgements(judged, Options()), copies) as runs:
            found = outcome(lambda: runs.rank(run_at("-")))
    assert found == by_threads(path, judged, Options()) | {"name": "<stdin>"}


@pytest.mark.parametrize("before", [1, 9])
def test_a_line_that_is_too_long(before: int, tmp_path: Path) -> None:
    """Its number is that of the file, also where a worker reads another part of it."""
    lines = RUN.splitlines(keepends=True)
    path, _ = written(tmp_path, "".join(lines[:20]) + "x" * (LONGEST_LINE + 1))
    start = len("".join(lines[:before]))
    file = File(path)
    for chunks in (file.chunks(), file.chunks(start, Path(path).stat().st_size)):
        with pytest.raises(InputError, match="run:21: a line of more than 1,048,576 bytes"):
            list(chunks)
