"""Faults of the system at random moments around the real command, run by hand on Linux.

    python tests/fuzz/faults.py --cases 500 --seed 1

Each case runs the command with one fault: a signal at a random moment, little memory, few file handles or
processes, a full disk, closed streams, a reader that ends early, a pipe that stalls, a peer that is no Dask
scheduler, a worker that is killed.  In every second case a file shrinks, grows or is replaced while threads,
copies, workers or Dask read it, or a gate or a file of scores.  It has to print the right result and exit
with 0, or say in one line what is wrong and exit with another code, or die of the signal; an output file is
whole or not there, and no other file is left.
Counts are printed at the end; exit code 1 if anything else happened.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gzip
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOPICS = 300
DOCUMENTS = 200
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.changing import CHANGES, NotCaughtError, caught  # noqa: E402
from support.dask_cluster import DaskCluster, dask_cluster  # noqa: E402
from support.wrong_peers import PEERS, wrong_peer  # noqa: E402

LARGE = ("-q", "-m", "map", "--quiet", "--jobs", "4", "qrels", "large")
MIXED = (*LARGE[:-1], "large-mixed")
JUDGED = (*LARGE[:-2], "large-qrels", "large")
"""What copies of the process read: a run in order, one in none, and one with judgements of all of it."""

CLUSTERED = ("--cluster", "local:2", "-q", "-m", "map", "--quiet", "qrels", "large")
"""What workers read, which are processes of their own."""

DASK = ("--cluster", "dask/scheduler.json", "--cluster-timeout", "20", *CLUSTERED[2:])

GATED = ("--jobs", "1", "-q", "-m", "all_trec", "--quiet")

READERS = {
    "threads": (
        ("--jobs", "2", *GATED[2:], "qrels", "run"),
        ("--jobs", "1", *LARGE[:4], "qrels", "large"),
        ("--jobs", "1", *LARGE[:4], "large-qrels", "run"),
        ("--jobs", "1", *LARGE[:4], "qrels", "large-mixed"),
    ),
    "copies": (LARGE, MIXED, JUDGED, (*LARGE, "large-mixed")),
    "local:N": (
        CLUSTERED,
        (*CLUSTERED[:-1], "large-mixed"),
        (*CLUSTERED[:-2], "large-qrels", "large"),
    ),
    "Dask": (DASK, (*DASK[:-1], "large-mixed"), (*DASK[:-2], "large-qrels", "large")),
    "gates and scores": (
        (*GATED, "--against", "baseline.json", "qrels", "run"),
        (*GATED, "--against", "large", "qrels", "large"),
        (*GATED, "--expect", "expected", "qrels", "large"),
        ("compare", "--scores", "scores.csv", "--format", "csv"),
    ),
}
"""What reads the files that change, and how."""

FILES = (
    *("qrels", "run", "mixed", "run.gz", "large", "large-mixed", "large-qrels"),
    *("baseline.json", "expected", "scores.csv"),
)
RUNS = FILES[1 : FILES.index("baseline.json")]

ARGUMENTS = (
    ("-q", "-m", "all_trec", "qrels", "run"),
    ("-q", "-m", "map", "-m", "ndcg", "qrels", "mixed"),
    ("--format", "json", "-m", "official", "qrels", "run", "run.gz", "mixed"),
    ("--jobs", "3", "-m", "map", "qrels", "run", "run.gz"),
    ("check", "qrels", "run"),
    ("compare", "-m", "map", "qrels", "run", "mixed"),
    LARGE,
    MIXED,
    JUDGED,
)


@dataclass
class Ended:
    """How the command ended."""

    code: int
    out: bytes
    err: bytes


@dataclass
class Place:
    """A folder with the inputs, and what the command prints without any fault."""

    folder: Path
    dask: DaskCluster
    timeout: float = 60
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    expected: dict[tuple[str, ...], bytes] = field(default_factory=dict)
    changes: Counter[str] = field(default_factory=Counter)

    def command(self, arguments: tuple[str, ...]) -> list[str]:
        # As the script that is installed: `python -m` would put this folder on the path.
        return [sys.executable, str(self.folder / "bin" / "pres-eval"), *arguments]

    def environment(self) -> dict[str, str]:
        # Compiled code is kept, as it is where the package is installed: most of the time would go into it.
        kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.folder / "compiled")}
        return {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", **kept}

    def start(
        self,
        arguments: tuple[str, ...],
        before: Callable[[], None] | None = None,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(arguments),
            cwd=self.folder,
            env=self.environment(),
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            preexec_fn=before,  # noqa: PLW1509 - no thread of ours runs yet
        )

    def end(self, process: subprocess.Popen[bytes]) -> Ended:
        try:
            out, err = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += f"pres-eval: was still there after {self.timeout:g} s".encode()
        return Ended(process.returncode, out or b"", err)


def make(folder: Path, dask: DaskCluster, timeout: float) -> Place:
    """The inputs: a run in order, compressed and mixed; two runs of 20 MB, and judgements of 35.

    Files for gates and of scores: of the large run, so that it takes a while to read them.
    """
    chance = random.Random(1)
    lines = [
        f"{topic} Q0 d{chance.randrange(10**6)}x{rank} {rank} {1 / (rank + 1):.6f} t\n"
        for topic in range(TOPICS)
        for rank in range(DOCUMENTS)
    ]
    judged = [line.split() for line in chance.sample(lines, 2000)]
    (folder / "qrels").write_text("".join(f"{f[0]} 0 {f[2]} {chance.randrange(3)}\n" for f in judged))
    (folder / "run").write_text("".join(lines))
    (folder / "run.gz").write_bytes(gzip.compress("".join(lines).encode(), 1, mtime=0))
    # Each topic once more for each of ten others that nobody judged.
    every = [f"{other}{line}" for other in ["", *(f"{number}-" for number in range(10))] for line in lines]
    (folder / "large").write_text("".join(every))
    with (folder / "large-qrels").open("w") as file:
        for topic, _, docno, *_ in map(str.split, every):
            file.write(f"{topic} 0 {docno} {chance.randrange(3)}\n{topic} 0 {docno}-judged-too 0\n")
    chance.shuffle(every)
    (folder / "large-mixed").write_text("".join(every))
    chance.shuffle(lines)
    (folder / "mixed").write_text("".join(lines))
    (folder / "bin").mkdir()
    (folder / "bin" / "pres-eval").write_text("from pres_eval.__main__ import run\nrun()\n")
    place = Place(folder, dask, timeout)
    place.workers += [dask.add_worker("--no-nanny") for _ in range(2)]
    for name, wanted in (
        ("baseline.json", ("--format", "json", *GATED, "qrels", "run")),
        ("expected", (*GATED, "qrels", "large")),
    ):
        (folder / name).write_bytes(place.end(place.start(wanted)).out + b"\n" * (4 << 20))
    with (folder / "scores.csv").open("w") as file:
        file.write("run,topic,map\n")
        for name in "abcd":
            file.writelines(f"{name} d,{topic},{chance.random()}\n" for topic in range(30_000))
    for arguments in (*ARGUMENTS, *(one for every in READERS.values() for one in every)):
        ended = place.end(place.start(arguments))
        assert ended.code == 0, (arguments, ended)
        place.expected[arguments] = ended.out
    return place


Case = Callable[[Place, random.Random, tuple[str, ...]], str]
"""Runs one case; returns what is wrong, nothing if all is well."""


def judge(place: Place, arguments: tuple[str, ...], ended: Ended, *codes: int) -> str:
    """What is wrong with the way the command ended; `codes` are those that the fault may lead to."""
    left = [file.name for file in place.folder.iterdir() if file.name.startswith(".pres-eval-")]
    if left:
        return f"left behind: {left}"
    if ended.code == 0:
        return "" if ended.out == place.expected[arguments] else "exit 0, but another output"
    if ended.code not in codes:
        return f"exit code {ended.code}: {ended.err!r}"
    alone = without_warnings(ended.err)
    if ended.code < 0 or (arguments[0] == "check" and ended.code == 1):
        right = not alone
    else:
        right = len(alone) == 1 and alone[0].startswith(b"pres-eval: ")
    return "" if right else f"stderr {ended.err!r}"


def without_warnings(said: bytes) -> list[bytes]:
    """The lines of stderr that are no warnings: of the inputs here some are wanted."""
    return [line for line in said.splitlines() if not line.startswith(b"pres-eval: warning: ")]


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def _signal(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    number = chance.choice(ENDING)
    (place.folder / "out").write_text("old")
    wanted = ("--output", "out") if arguments[0] != "compare" else ()
    process = place.start(arguments + wanted)
    time.sleep(chance.uniform(0.0, 0.8))
    process.send_signal(number)
    if chance.randrange(3) == 0:
        process.send_signal(chance.choice((signal.SIGINT, signal.SIGTERM)))
    ended = place.end(process)
    written = (place.folder / "out").read_bytes() if wanted else ended.out
    (place.folder / "out").unlink()
    if b"KeyboardInterrupt" in ended.err and b"pres_eval/cli" not in ended.err:
        ended.code, ended.err = -signal.SIGINT, b""  # Python's own start: nothing is there yet to clean up
    if ended.code == 0 or not wanted:
        ended.out = written
    elif written not in (b"old", place.expected[arguments]):
        return "half of an output file"
    return judge(place, arguments, ended, *(-number for number in ENDING))


def _limit(which: int, low: int, high: int) -> Case:
    def case(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
        most = int(chance.uniform(low, high))

        def limit() -> None:
            resource.setrlimit(which, (most, most))

        ended = place.end(place.start(arguments, limit))
        begun = (b"pres_eval/cli", b"pres_eval/reading", b"pres_eval/ranking")
        has_begun = any(text in ended.err for text in begun) and b"numpy C-extensions failed" not in ended.err
        if ended.code and not has_begun and b"pres-eval: " not in ended.err:
            return ""  # Python or numpy could not even be started
        return judge(place, arguments, ended, 1, 2)

    return case


def _full_disk(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    disk = Path(tempfile.mkdtemp())
    size = chance.randrange(1, 30) * 4096
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        shutil.rmtree(disk)
        return ""
    try:
        out = disk / "out"
        if chance.randrange(2) and arguments[0] != "compare":
            ended = place.end(place.start((*arguments, "--output", str(out))))
            left = [file.name for file in disk.iterdir()]
            if left != (["out"] if ended.code == 0 else []):
                return f"left on the disk: {left}"
        else:
            descriptor = os.open(out, os.O_WRONLY | os.O_CREAT)
            ended = place.end(place.start(arguments, stdout=descriptor))
            os.close(descriptor)
        if ended.code == 0:
            ended.out = out.read_bytes()
        return judge(place, arguments, ended, 2)
    finally:
        subprocess.run(["umount", disk], check=True)
        disk.rmdir()


def _closed(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    numbers = chance.sample((0, 1, 2), chance.randrange(1, 4))

    def close() -> None:
        for number in numbers:
            os.close(number)

    ended = place.end(place.start(arguments, close))
    if 1 in numbers:
        return "" if ended.code == 2 and not ended.out else f"exit code {ended.code} without stdout"
    return judge(place, arguments, ended)


def _reader_leaves(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    process = place.start(arguments)
    assert process.stdout is not None and process.stderr is not None
    some = process.stdout.read(chance.choice((0, 1, 1000)))
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    code = process.wait(place.timeout)
    if not place.expected[arguments].startswith(some):
        return "another output"
    return "" if (code, without_warnings(said)) == (0, []) else f"exit code {code}: {said!r}"


def _file_changes(reader: str) -> Case:
    def case(place: Place, chance: random.Random, _: tuple[str, ...]) -> str:
        """A file is replaced, written to or cut, also with its time set back, at any time or while read."""
        arguments = chance.choice(READERS[reader])
        path = place.folder / chance.choice([name for name in arguments if name in FILES])
        kept = Path(shutil.copy2(path, place.folder / "kept"))
        change = chance.choice(CHANGES)
        place.changes[change.__name__] += 1
        process = place.start(arguments)
        workers = [worker.pid for worker in place.workers] if reader == "Dask" else []
        is_caught = bool(chance.randrange(3))
        if is_caught:
            try:
                with caught(process, path, workers):
                    change(path)
            except NotCaughtError:
                is_caught = False
        if not is_caught:
            time.sleep(chance.uniform(0.0, 1.0))
            change(path)
        place.changes["while it was seen to be read"] += is_caught
        ended = place.end(process)
        changed = place.end(place.start(arguments))
        kept.replace(path)
        place.changes["exit code 2"] += ended.code == 2
        return _judge_changed(place, arguments, ended, changed, is_caught)

    return case


def _judge_changed(
    place: Place, arguments: tuple[str, ...], ended: Ended, changed: Ended, is_caught: bool
) -> str:
    """What is wrong; `changed`: how the command ends with the changed file."""
    if (ended.code, ended.out) == (0, place.expected[arguments]):
        return ""
    told = b"the file changed while it was read" in ended.err + ended.out  # `check` tells it as a finding
    # What was opened after the change is the changed file: its result is as right as that of the old one.
    # A gate may have read that when the command was caught at the run.
    same = (ended.code, ended.out, ended.err) == (changed.code, changed.out, changed.err)
    if same and (not is_caught or "--against" in arguments or "--expect" in arguments):
        return ""
    if "--expect" in arguments and ended.code == 3 and ended.out == place.expected[arguments]:
        return ""
    if is_caught and not told:
        return f"caught: exit code {ended.code}, {ended.err!r}"
    return judge(place, arguments, ended, 1, 2)


def _wrong_peer(place: Place, chance: random.Random, _: tuple[str, ...]) -> str:
    """An address of something that is no Dask scheduler, or a scheduler file that is none."""
    kind = chance.choice((*PEERS, "file"))
    with contextlib.ExitStack() as stack:
        if kind == "file":
            text = (place.folder / "dask" / "scheduler.json").read_bytes()
            some = bytearray(text[: chance.randrange(len(text))])
            for _place in range(chance.randrange(4) if some else 0):
                some[chance.randrange(len(some))] = chance.randrange(256)
            (place.folder / "other.json").write_bytes(some)
            address = "other.json"
        else:
            sends = PEERS[kind]
            if sends and chance.randrange(2):
                sends = chance.randbytes(chance.randrange(1, 200))
            address = stack.enter_context(wrong_peer(sends))
        ended = place.end(place.start(("--cluster", address, "--cluster-timeout", "1", *CLUSTERED[2:])))
    if ended.code == 0:
        return "exit 0"
    return judge(place, DASK, ended, 1, 2)


def _dask_worker_ends(place: Place, chance: random.Random, _: tuple[str, ...]) -> str:
    """One of two workers of a Dask cluster is killed; the other one does its work."""
    arguments = chance.choice(READERS["Dask"])
    process = place.start(arguments)
    time.sleep(chance.uniform(0.2, 2.0))
    killed = place.workers.pop(chance.randrange(2))
    killed.kill()
    killed.wait()
    ended = place.end(process)
    place.workers.append(place.dask.add_worker("--no-nanny"))
    time.sleep(2)
    return judge(place, arguments, ended)


HOSTILE = "open(__file__ + '.executed', 'w').close()\nraise ImportError('from the folder of the data')\n"
PACKAGES = ("numpy", "click", "tabulate", "pres_eval", "pyarrow", "fsspec", "sitecustomize", "usercustomize")


def _modules(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    """Modules lie beside the data, with names of those that Python and the command import."""
    arguments = chance.choice((arguments, CLUSTERED, DASK))
    names = [*PACKAGES, *chance.sample(sorted(sys.stdlib_module_names), chance.randrange(1, 300))]
    for name in names:
        (place.folder / f"{name}.py").write_text(HOSTILE)
    ended = place.end(place.start(arguments))
    executed = sorted(place.folder.glob("*.executed"))
    for path in (*executed, *(place.folder / f"{name}.py" for name in names)):
        path.unlink()
    return f"executed {executed}" if executed else judge(place, arguments, ended)


def _copy_ends(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    """A copy of the process is killed, or stands still for a while."""
    arguments = chance.choice((LARGE, MIXED, JUDGED))
    process = place.start(arguments)
    number = chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP))
    time.sleep(chance.uniform(0.1, 0.5))
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in chance.sample(children, chance.randint(0, len(children))):
            os.kill(int(child), number)
            if number == signal.SIGSTOP:
                time.sleep(0.1)
                os.kill(int(child), signal.SIGCONT)
    return judge(place, arguments, place.end(process))


def _pipe_stalls(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    data = (place.folder / "run").read_bytes()
    packed = (place.folder / "run.gz").read_bytes()
    arguments = ("-q", "-m", "map", "qrels", "-")
    if arguments not in place.expected:
        place.expected[arguments] = place.end(place.start(("-q", "-m", "map", "qrels", "run"))).out
    reading, writing = os.pipe()
    os.set_blocking(reading, bool(chance.randrange(2)))
    process = place.start(arguments, stdin=reading)
    os.close(reading)
    text = chance.choice((data, packed))
    cuts = sorted(chance.sample(range(len(text)), 3))

    def fill() -> None:
        with os.fdopen(writing, "wb", buffering=0) as stream:
            for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
                rest = text[start:stop]
                while rest:
                    rest = rest[stream.write(rest) :]
                time.sleep(chance.uniform(0, 0.2))

    writer = threading.Thread(target=fill)
    writer.start()
    ended = place.end(process)
    writer.join()
    return judge(place, arguments, ended)


NOBODY = 65534
PR_CAPBSET_DROP = 24
DAC_OVERRIDE, DAC_READ_SEARCH, SYS_ADMIN, SYS_RESOURCE = 1, 2, 21, 24
"""What lets root read any file, and have any number of threads, as Linux numbers them."""


def _without(*capabilities: int) -> None:
    """Take from root, in the process that is to come, what others can't do either."""
    if os.geteuid() == 0:
        for number in capabilities:
            if ctypes.CDLL(None, use_errno=True).prctl(PR_CAPBSET_DROP, number, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "prctl")


def _odd_files(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    """A run that is a folder, a device, a socket, a link to nothing or to itself, or not to be read."""
    name = chance.choice([name for name in arguments if name in RUNS])
    path, before = place.folder / name, place.folder / "before"
    path.rename(before)
    kind = chance.choice(
        ("folder", "/dev/null", "/dev/zero", "/dev/full", "socket", "nothing", "itself", "locked")
    )
    with contextlib.ExitStack() as stack:
        stack.callback(before.rename, path)
        if kind == "folder":
            path.mkdir()
            stack.callback(path.rmdir)
        elif kind == "socket":
            stack.enter_context(socket.socket(socket.AF_UNIX)).bind(str(path))
            stack.callback(path.unlink)
        elif kind == "locked":
            path.touch(0)
            stack.callback(path.unlink)
        else:
            path.symlink_to({"nothing": "not there", "itself": name}.get(kind, kind))
            stack.callback(path.unlink)
        ended = place.end(place.start(arguments, lambda: _without(DAC_OVERRIDE, DAC_READ_SEARCH)))
    return f"exit 0 of {kind}" if ended.code == 0 else judge(place, arguments, ended, 1, 2)


def _no_threads(place: Place, chance: random.Random, arguments: tuple[str, ...]) -> str:
    """Limits of processes hold for threads, and not for root."""
    most = chance.randrange(1, 4)

    def limit() -> None:
        _without(SYS_ADMIN, SYS_RESOURCE)
        if os.geteuid() == 0:
            os.setresuid(NOBODY, 0, 0)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))

    return judge(place, arguments, place.end(place.start(arguments, limit)))


FAULTS: dict[str, Case] = {
    "signal": _signal,
    "memory": _limit(resource.RLIMIT_AS, 60 << 20, 700 << 20),
    "file handles": _limit(resource.RLIMIT_NOFILE, 3, 24),
    "file size": _limit(resource.RLIMIT_FSIZE, 0, 200_000),
    "full disk": _full_disk,
    "closed streams": _closed,
    "reader leaves": _reader_leaves,
    "modules": _modules,
    "wrong peers": _wrong_peer,
    "Dask worker ends": _dask_worker_ends,
    "pipe stalls": _pipe_stalls,
    "copy ends": _copy_ends,
    "odd files": _odd_files,
    "no threads": _no_threads,
}


CHANGING: dict[str, Case] = {f"file changes, {reader}": _file_changes(reader) for reader in READERS}
"""Every second case is one of these."""


def main() -> int:
    """Run the campaign that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=(*FAULTS, *CHANGING))
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a command hangs")
    said = parser.parse_args()
    for ending in ENDING:  # a shell lets what runs in its background ignore some, and that is inherited
        signal.signal(ending, signal.default_int_handler)
    chance = random.Random(said.seed)
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "dask").mkdir()
        with dask_cluster(Path(folder) / "dask", 0) as dask, contextlib.suppress(KeyboardInterrupt):
            place = make(Path(folder), dask, said.timeout)
            for number in range(said.cases):
                cases = (CHANGING, FAULTS)[number % 2]
                kind = said.only or list(cases)[number // 2 % len(cases)]
                arguments = chance.choice(ARGUMENTS)
                problem = {**FAULTS, **CHANGING}[kind](place, chance, arguments)
                counts[kind] += 1
                if problem:
                    wrong[kind] += 1
                    print(f"WRONG {kind} {' '.join(arguments)}: {problem[-1500:]}", flush=True)
    for change in place.changes:
        print(f"{place.changes[change]:7,}  of the changes of files: {change}")
    for kind in counts:
        print(f"{counts[kind]:7,}  {kind}, {wrong[kind]} wrong")
    print(f"{counts.total():7,}  faults injected, {wrong.total()} wrong")
    return int(wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
