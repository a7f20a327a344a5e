"""Time the command as whole processes beside other programs, and print one Markdown table.

    python tests/bench/make_inputs.py FOLDER
    TREC_EVAL_9=.../trec_eval python tests/bench/run_bench.py FOLDER [--only ROW ...] [--repeats 5]
    TREC_EVAL_9=.../trec_eval python tests/bench/run_bench.py FOLDER --before CHECKOUT [--alone]

Every number is the median of the repeats, before which each program ran once; the programs of a row take
turns.  Wall time is that of the process from its start to its end, CPU that of all its threads and processes;
memory is the largest resident set that the kernel saw (a child's counts from what its parent had, about 19
MB: so this imports nothing large), or what several processes had together, each page counted once, as far as
the first run was caught at it; MB/s are of judgements and run together.  --before times another checkout too.
trec_eval (TREC_EVAL_9, TREC_EVAL_10), pytrec_eval, ir_measures and ranx are timed where they are installed.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as file: qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file: run = pytrec_eval.parse_run(file)
measures = {"map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"}
values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
print(sum(row["map"] for row in values.values()) / len(values))
"""
RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, ["map", "mrr", "r-precision", "bpref", "precision@10"], make_comparable=True))
"""
Command = list[str]

BEFORE = "before"
NOT_AS_USERS_HAVE_IT = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "OPENBLAS_NUM_THREADS"}
"""Variables that change how long a start takes."""


@dataclass(frozen=True)
class Result:
    """One process: seconds, seconds of the processors, and megabytes at the peak."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Row:
    """Some work: what we do, what others do for it, and what is wanted of us.

    yardstick   the program that `wanted` is a multiple of
    most        how often each program runs at most, for work that takes long
    """

    name: str
    commands: dict[str, Command]
    yardstick: str | None = None
    wanted: float | None = None
    size: int = 0
    most: int | None = None

    def only(self, names: Collection[str]) -> Row:
        """The same with some of its programs."""
        kept = {name: command for name, command in self.commands.items() if name in names}
        return replace(self, commands=kept)


def run_process(command: Command, folder: Path, checkout: Path = ROOT, watch: bool = False) -> Result:
    """Run a command with its output in a file; stops where it does not succeed.

    `watch`: the memory is what all processes had together while there were several.
    """
    with tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile() as errors:
        actions = [
            (os.POSIX_SPAWN_DUP2, output.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
        ]
        path = shutil.which(command[0])
        assert path, f"{command[0]} is not there"
        # As users have it: modules that are compiled once and for all.
        environment = {name: value for name, value in os.environ.items() if name not in NOT_AS_USERS_HAVE_IT}
        environment |= {
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(checkout),
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        }
        start = time.perf_counter()
        child = os.posix_spawn(path, command, environment, file_actions=actions)
        together = memory_together(child) if watch else 0.0
        _, status, usage = os.wait4(child, 0)
        wall = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) != 0:
            errors.seek(0)
            sys.exit(f"{' '.join(command)}\n{errors.read().decode(errors='replace')}")
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return Result(wall, usage.ru_utime + usage.ru_stime, together if watch else usage.ru_maxrss / scale)


def memory_together(process: int) -> float:
    """The most megabytes that a process and its children were seen to have while it had some."""
    most, before = 0.0, shared_memory()
    while os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        try:
            children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
            if children:
                own = sum(map(own_memory, [str(process), *children]))
                most = max(most, own + shared_memory() - before)
        except OSError:  # one has just ended, or this is not Linux
            pass
        time.sleep(0.002)
    return most


def own_memory(process: str) -> float:
    """Megabytes of a process besides shared memory; of a page that several have, each has its share."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    kinds = ("Pss_Anon:", "Pss_File:")
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(kinds)) / 1e3


def shared_memory() -> float:
    """Megabytes of shared memory that all processes of the machine have, mapped or not."""
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1e3 for line in text.splitlines() if line.startswith("Shmem:"))


def measure(row: Row, repeats: int, folder: Path, before: Path | None = None) -> dict[str, Result]:
    """The median of each program, which take turns; ours also in the checkout of before."""
    results: dict[str, list[Result]] = {name: [] for name in row.commands}
    if before is not None:
        results = {BEFORE: [], **results}
    together: dict[str, float] = {}
    for number in range(repeats + 1):
        for name, found in results.items():
            is_before = before is not None and name == BEFORE
            command = row.commands["ours" if is_before else name]
            checkout = before if before is not None and is_before else ROOT
            result = run_process(command, folder, checkout, watch=not number)
            if number:
                found.append(result)
            else:  # the first one warms up
                together[name] = result.memory
    medians = {name: median(found) for name, found in results.items()}
    return {name: replace(each, memory=max(each.memory, together[name])) for name, each in medians.items()}


def median(found: Sequence[Result]) -> Result:
    """The median of each number."""
    return Result(
        statistics.median(result.wall for result in found),
        statistics.median(result.cpu for result in found),
        statistics.median(result.memory for result in found),
    )


def ours(*arguments: str | Path) -> Command:
    return [sys.executable, "-m", "pres_eval", "--quiet", *map(str, arguments)]


def trec_evals(*arguments: str | Path) -> dict[str, Command]:
    """trec_eval with these arguments, each version that is there."""
    found = {}
    for version, variable in (("9.0.8", "TREC_EVAL_9"), ("10.0", "TREC_EVAL_10")):
        if os.environ.get(variable):
            found[f"trec_eval {version}"] = [os.environ[variable], *map(str, arguments)]
    return found


def python_packages(qrels: Path, run: Path) -> dict[str, Command]:
    """The Python packages that are installed, on about the same measures."""
    files = [str(qrels), str(run)]
    commands = {}
    if importlib.util.find_spec("pytrec_eval"):
        commands["pytrec_eval"] = [sys.executable, "-c", PYTREC_EVAL, *files]
    if importlib.util.find_spec("ir_measures"):
        measures = ["AP", "Rprec", "Bpref", "RR", "P@5", "P@10", "P@100", "P@1000"]
        commands["ir_measures"] = [sys.executable, "-m", "ir_measures", *files, *measures]
    if importlib.util.find_spec("ranx"):
        commands["ranx"] = [sys.executable, "-c", RANX, *files]
    return commands


class Rows:
    """The rows of the table; the methods are the names that --only takes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self, stem: str, end: str = ".run") -> tuple[Path, Path]:
        qrels, run = self.folder / f"{stem}.qrels", self.folder / f"{stem}{end}"
        if not (qrels.is_file() and run.is_file()):
            sys.exit(f"{run}: not there; make it with  python tests/bench/make_inputs.py {self.folder}")
        return qrels, run

    def shape(self, stem: str, name: str, wanted: float, yardstick: str = "wc -w") -> Row:
        """Default measures on one file."""
        qrels, run = self.files(stem)
        commands = {"ours": ours(qrels, run), "wc -w": ["wc", "-w", str(run)], **trec_evals(qrels, run)}
        return Row(name, commands, yardstick, wanted, qrels.stat().st_size + run.stat().st_size)

    def large(self) -> Row:
        row = self.shape("large", "large run, default measures", 1.5)
        return Row(
            row.name, {**row.commands, **python_packages(*self.files("large"))}, "wc -w", 1.5, row.size
        )

    def all_trec(self) -> Row:
        qrels, run = self.files("large")
        arguments = ("-q", "-m", "all_trec", qrels, run)
        commands = {"ours": ours(*arguments), **trec_evals(*arguments)}
        return Row("large run, -q -m all_trec", commands, "trec_eval 9.0.8", 0.6, run.stat().st_size)

    def double(self) -> Row:
        return self.shape("double", "twice the topics (memory as before)", 1.5)

    def shuffled(self) -> Row:
        return self.shape("shuffled", "large run, lines shuffled", 1.5)

    def unsorted(self) -> Row:
        return self.shape("unsorted", "topics together, scores in no order", 1.5)

    def longties(self) -> Row:
        name = "600,000 docnos of 76 bytes, nine scores, shuffled"
        return replace(self.shape("longties", name, 1.0, "trec_eval 9.0.8"), most=3)

    def runs(self, stem: str) -> tuple[Path, list[str]]:
        """Judgements and many runs."""
        qrels, runs = self.folder / f"{stem}.qrels", sorted(map(str, (self.folder / stem).glob("*.run")))
        if not runs:
            sys.exit(f"{self.folder / stem}: no runs; make them with  make_inputs.py {self.folder}")
        return qrels, runs

    def in_one_call(self, stem: str) -> Row:
        qrels, runs = self.runs(stem)
        commands = {"ours": ours(qrels, *runs)}
        for name, (binary,) in trec_evals().items():
            commands[name] = ["sh", "-c", f'for run in "$@"; do {binary} {qrels} "$run"; done', "sh", *runs]
        return Row(f"{len(runs)} runs of 50 × 1,000 in one call", commands, "trec_eval 9.0.8", 0.35)

    def many(self) -> Row:
        return self.in_one_call("many")

    def hundred(self) -> Row:
        return self.in_one_call("hundred")

    def robustness(self) -> Row:
        qrels, runs = self.runs("hundred")
        command = [sys.executable, "-m", "pres_eval", "robustness", "--quiet", str(qrels), *runs]
        return Row("robustness of 100 runs of 50 × 1,000", {"ours": command}, most=3)

    def track(self) -> Row:
        """A track's runs by all commands that take them."""
        qrels, runs = self.runs("track")
        files = [str(qrels), *runs]
        commands = {
            "compare": ["compare", "-m", "map", *files],
            "compare --all-pairs": ["compare", "--all-pairs", "-m", "map", *files],
            "agreement": ["agreement", *files],
            "power": ["power", *files],
            "robustness": ["robustness", *files],
            "report": ["report", "-o", str(self.folder / "track.html"), *files],
            "check": ["check", *files],
            "pool": ["pool", "--depth", "100", *runs],
        }
        every = {name: [sys.executable, "-m", "pres_eval", *each] for name, each in commands.items()}
        return Row("100 runs of 250 × 200: evaluation", {"ours": ours(qrels, *runs), **every})

    def processes(self) -> Row:
        """The large run by one process and by several, and by threads, as a pipe is read."""
        qrels, run = self.files("large")
        parts = sorted(map(str, (self.folder / "parts").glob("*.run")))
        each = " & ".join(f'"$0" -m pres_eval --quiet --jobs 1 "$1" {part} > /dev/null' for part in parts)
        more = 2 * (os.cpu_count() or 1)
        commands = {
            "ours": ours(qrels, run),
            "--jobs 1": ours("--jobs", "1", qrels, run),
            f"--jobs {more}": ours("--jobs", str(more), qrels, run),
            "threads (a pipe)": [
                "sh",
                "-c",
                f'cat {run} | "$0" -m pres_eval --quiet "$1" -',
                sys.executable,
                str(qrels),
            ],
            f"{len(parts)} commands, a part each": ["sh", "-c", f"{each} & wait", sys.executable, str(qrels)],
        }
        return Row("large run, processes and threads", commands, "--jobs 1")

    def cutoffs(self, measure: str) -> Row:
        """12,000 cutoffs of one measure."""
        qrels, run = self.files("small")
        arguments = ("-m", f"{measure}.{','.join(map(str, range(1, 12_001)))}", qrels, run)
        commands = {"ours": ours(*arguments), "default measures": ours(qrels, run), **trec_evals(*arguments)}
        return Row(f"12,000 cutoffs of {measure}, small run", commands, "default measures", 2.0)

    def cutoffs_p(self) -> Row:
        return self.cutoffs("P")

    def cutoffs_ndcg(self) -> Row:
        return self.cutoffs("ndcg_cut")

    def per_topic(self) -> Row:
        qrels, run = self.files("small")
        arguments = ("-q", "-m", "all_trec", qrels, run)
        commands = {"ours": ours(*arguments), **trec_evals(*arguments)}
        return Row("small run, -q -m all_trec", commands)

    def small(self) -> Row:
        qrels, run = self.files("small")
        numpy = [sys.executable, "-c", "import numpy"]
        commands = {"ours": ours(qrels, run), "import numpy": numpy, **trec_evals(qrels, run)}
        return Row("one small run of 50 × 1,000", commands, "import numpy", 1.5, run.stat().st_size)

    def gzip(self) -> Row:
        qrels, run = self.files("gzipped", ".run.gz")
        commands = {"ours": ours(qrels, run), "gzip -dc": ["gzip", "-dc", str(run)]}
        return Row("large run, gzip", commands, "gzip -dc", 1.3, run.stat().st_size)

    def pipe(self) -> Row:
        qrels, run = self.files("large")
        piped = [
            "sh",
            "-c",
            'cat "$1" | exec "$2" -m pres_eval --quiet "$0" -',
            str(qrels),
            str(run),
            sys.executable,
        ]
        return Row("large run through a pipe", {"ours": piped, "wc -w": ["wc", "-w", str(run)]}, "wc -w", 1.5)

    def tied(self) -> Row:
        return self.shape("tied", "all scores tied", 3.0)

    def digits17(self) -> Row:
        return self.shape("digits17", "scores of 17 digits", 3.0)

    def scientific(self) -> Row:
        return self.shape("scientific", "scientific notation", 3.0)

    def tabs(self) -> Row:
        return self.shape("tabs", "tabs", 3.0)

    def blanks(self) -> Row:
        return self.shape("blanks", "double blanks", 3.0)

    def crlf(self) -> Row:
        return self.shape("crlf", "CRLF", 3.0)

    def longids(self) -> Row:
        return self.shape("longids", "docnos of 30–60 bytes", 3.0)

    def onetopic(self) -> Row:
        return self.shape("onetopic", "one topic of 7 million documents", 3.0)

    def onedocument(self) -> Row:
        """Without trec_eval, which compares each topic of the run with each of the qrels: hours."""
        row = self.shape("onedocument", "7 million topics of one document", 3.0)
        commands = {name: row.commands[name] for name in ("ours", "wc -w")}
        return Row(row.name, commands, row.yardstick, row.wanted, row.size)

    def alljudged(self) -> Row:
        return self.shape("alljudged", "every document judged", 1.2)

    def size5(self) -> Row:
        return self.shape("size5", "10⁵ lines", 1.5)

    def size6(self) -> Row:
        return self.shape("size6", "10⁶ lines", 1.5)

    def size7(self) -> Row:
        return self.shape("size7", "10⁷ lines", 1.5)


NAMES = (
    *("large", "all_trec", "double", "shuffled", "many", "small", "gzip", "pipe", "tied", "digits17"),
    *("scientific", "tabs", "blanks", "crlf", "longids", "onetopic", "onedocument", "alljudged"),
    *("unsorted", "longties", "processes", "per_topic", "cutoffs_p", "cutoffs_ndcg", "hundred", "robustness"),
    *("track", "size5", "size6", "size7"),
)
NEXT = (
    *("large", "all_trec", "small", "shuffled", "unsorted", "alljudged", "longties", "cutoffs_p"),
    *("cutoffs_ndcg", "per_topic", "hundred", "robustness", "many", "gzip", "processes"),
)
"""What --next times: what the next version is wanted to be better at, and some shapes that could suffer."""


def cells(row: Row, results: dict[str, Result]) -> list[str]:
    """A line of the table."""
    mine = results["ours"]
    others = "; ".join(
        f"{name} {result.wall:.2f} s, {result.memory:.0f} MB ({mine.wall / result.wall:.2f} ×)"
        for name, result in results.items()
        if name != "ours"
    )
    rate = f"{row.size / 1e6 / mine.wall:.0f}" if row.size else ""
    verdict = ratio_text(row, results)
    return [row.name, f"{mine.wall:.3f}", f"{mine.cpu:.3f}", f"{mine.memory:.0f}", rate, verdict, others]


def ratio_text(row: Row, results: dict[str, Result]) -> str:
    """How many times as long as the yardstick we take."""
    if row.yardstick not in results:
        return ""
    ratio = results["ours"].wall / results[row.yardstick].wall
    wanted = "" if row.wanted is None else f" (wanted: {row.wanted:g})"
    return f"{ratio:.2f} × {row.yardstick}{wanted}"


def compared_cells(row: Row, results: dict[str, Result]) -> list[str]:
    """A line of the table of before and now."""
    now, before = results["ours"], results[BEFORE]
    others = "; ".join(
        f"{name} {result.wall:.3f} ({result.cpu:.3f})"
        for name, result in results.items()
        if name not in ("ours", BEFORE)
    )
    return [
        row.name,
        f"{before.wall:.3f} ({before.cpu:.3f})",
        f"{now.wall:.3f} ({now.cpu:.3f})",
        f"{now.wall / before.wall:.2f} ({now.cpu / before.cpu:.2f})",
        f"{before.memory:.0f}",
        f"{now.memory:.0f}",
        ratio_text(row, results),
        others,
    ]


def print_line(values: Sequence[str]) -> None:
    print("| " + " | ".join(values) + " |", flush=True)


def print_heads(compared: bool) -> None:
    """The first two lines of the table."""
    if compared:
        print_line(
            [
                *("work", "before: wall (CPU), s", "now: wall (CPU), s", "now / before"),
                *("before, MB", "now, MB", "ratio", "others: wall (CPU), s"),
            ]
        )
        print_line(["---", "---:", "---:", "---:", "---:", "---:", "---", "---"])
        return
    print_line(["work", "ours, s", "CPU, s", "ours, MB", "MB/s", "ratio", "others (ours / theirs)"])
    print_line(["---", "---:", "---:", "---:", "---:", "---", "---"])


def machine() -> str:
    """Date, processor, and the versions of what was timed."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.is_file():
        names = [line for line in information.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    versions = [f"Python {platform.python_version()}"]
    for package in ("numpy", "pytrec_eval-terrier", "ir_measures", "ranx"):
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return f"{today}; {model}, {os.cpu_count()} processors, {platform.system()}; {', '.join(versions)}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--only", nargs="+", choices=NAMES, default=NAMES, metavar="ROW", help=", ".join(NAMES)
    )
    parser.add_argument("--next", dest="only", action="store_const", const=NEXT, help=", ".join(NEXT))
    parser.add_argument("--before", type=Path, help="another checkout, to be timed beside this one")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--alone", action="store_true", help="time only ours and the yardstick of each row")
    options = parser.parse_args()
    folder = options.folder.resolve()
    before = None if options.before is None else options.before.resolve()
    os.chdir(folder)  # python -m takes a package that is where it is started before any other
    rows = Rows(folder)
    print(f"{machine()}; medians of {options.repeats}\n")
    print_heads(before is not None)
    for name in options.only:
        make: Callable[[], Row] = getattr(rows, name)
        row = make()
        if options.alone and name != "threads":
            row = row.only({"ours", row.yardstick or ""})
        repeats = min(options.repeats, row.most or options.repeats)
        row = row if repeats == options.repeats else replace(row, name=f"{row.name} ({repeats} times)")
        results = measure(row, repeats, folder, before)
        print_line(cells(row, results) if before is None else compared_cells(row, results))


if __name__ == "__main__":
    main()
