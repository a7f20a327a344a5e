"""Small faults planted in the code that computes, to see whether the tests notice; run by hand on Linux.

    python tests/fuzz/mutants.py --sample 600 --seed 1
    python tests/fuzz/mutants.py --only measures/pres.py
    python tests/fuzz/mutants.py --only report --sample 60
    python tests/fuzz/mutants.py --only report --change 'sorted|minus'
    python tests/fuzz/mutants.py --survivors

Each mutant is one module with one thing changed: a comparison, a constant, an operator, a condition, a
statement or an argument left out.  It is killed if one of the tests that run the changed statement fails, or
does not end.  First every test runs once, to learn which lines it runs and how long it takes.  Then the
tests stay collected in this process, and each mutant is tried in a copy of it, whose functions get the
changed code; where the change is in what runs while importing, in a copy that has not imported the package
yet.  What tests start as `python -m pres_eval` runs in the copy too.

Survivors are printed with their line, and kept, so that --survivors tries them again once a test is written;
those that are known to make no difference, with the reason, are in equivalent_mutants.txt.  Exit code 1 if
any other survives.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import hypothesis  # noqa: E402
import pytest  # noqa: E402

from fuzz.copies import (  # noqa: E402
    BROKEN,
    Changed,
    Functions,
    in_a_copy,
    limit_memory,
    without_subprocesses,
)
from fuzz.mutations import Mutant, mutants_of  # noqa: E402
from fuzz.survey import Lines, import_everything, package_digest, survey  # noqa: E402

MUTATED = ("measures", "ranking", "batches", "scoring")
"""The rooms that compute numbers, which are changed unless --only names another."""

FOLDERS = ("measures", "ranking", "batches", "trec_eval", "arrays")
TESTS = (
    *(f"tests/{name}" for name in FOLDERS),
    *(f"tests/reading/test_{name}.py" for name in ("qrels_columns", "qrels", "pool", "formats")),
    *(f"tests/library/test_{name}.py" for name in ("behaviour", "inputs", "odd_inputs")),
    "tests/library/test_drop_in_ir_measures.py",
    *(
        f"tests/cli/test_{name}.py"
        for name in (
            *("options", "bad_input", "command_line", "several_runs", "document_scores", "duplicates"),
            *("tie_orders", "mistakes", "views"),
        )
    ),
    "tests/analysis/test_agreement.py",
    "tests/project/test_docs.py::test_parts_are_those_of_the_code",
)
TESTS_OF_ROOMS = {
    "analysis": ("tests/analysis", "tests/cli/test_stopping.py", "tests/cli/test_overlap.py"),
    "checking": (
        "tests/checking",
        *(f"tests/cli/test_{name}.py" for name in ("class_of_mistakes", "mistakes", "near_misses")),
        *(f"tests/reading/test_{name}.py" for name in ("advice", "silent_faults", "people_s_data")),
        "tests/measures/test_sampled.py",
    ),
    "cli": ("tests/cli",),
    "cli/gates": (
        *(f"tests/cli/test_gate_{name}.py" for name in ("harms", "options", "reports", "scenarios")),
        "tests/cli/test_gates.py",
        "tests/analysis/test_weighted_gates.py",
    ),
    "library": ("tests/library",),
    "report": ("tests/report", "tests/cli/test_replicate.py", "tests/cli/test_stopping.py"),
}
"""The tests of other rooms, whose modules are changed if --only names the room or a module of it."""

TRANSCRIPTS = "tests/transcripts/test_transcripts.py::test_transcripts"
"""Tests of all rooms; they have no properties."""

RECORDS = "measures/"
OF_RECORDS = (
    *(f"tests/measures/test_{name}.py" for name in ("measure_records", "notation", "selection")),
    f"{TESTS[-1]}[measures]",
)
"""Where records are made while importing, and tests that look at all of them: they run no line of it."""

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
CONTROLS = 40
"""Mutants whose first tests are also run without any change: they have to pass."""


FEW, MANY = 12, 100
"""Examples of a property."""


class Round(NamedTuple):
    """Tests that are tried.

    seconds   that they take together with FEW examples
    of_one    most of one function
    examples  of each property
    """

    seconds: float
    of_one: int
    examples: int


ROUNDS = {
    False: (Round(1, 3, FEW), Round(6, 12, FEW), Round(2, 3, MANY), Round(20, 60, FEW)),
    True: (Round(6, 6, FEW),),
}
"""The second for what runs while importing, where each mutant has to collect its tests again."""

Run = Callable[[Mutant | None, Sequence[str], int], int]
"""Runs tests with a mutant, or none, and so many examples; gives 0 if they pass, below 0 if they hang."""


class Campaign:
    """Tries mutants, and remembers what came of them."""

    def __init__(self, work: Path, minutes: float, tests: Sequence[str]) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.survivors: list[list[str]] = []
        self.controls = self.tried = 0
        self.log = work / "last.txt"
        self.lines = Lines(work)
        self._tests = tuple(tests)
        self._known = equivalent()
        self._end = time.monotonic() + 60 * minutes

    def try_all(self, mutants: Iterable[Mutant], run: Run) -> None:
        """Try mutants until the time is over."""
        for mutant in mutants:
            if time.monotonic() > self._end:
                return
            found = "equivalent" if mutant.key in self._known else self._verdict(mutant, run)
            self.counts[mutant.path.partition("/")[0]][found] += 1
            self.tried += 1
            if self.tried % 50 == 0:
                print(f"{self.tried} tried", flush=True)
            if found in NOT_KILLED:
                self.survivors.append(mutant.name)
                where = f"pres_eval/{mutant.path}:{mutant.line}"
                print(f"{found}: {where}: {mutant.text} | {mutant.change}", flush=True)

    def _verdict(self, mutant: Mutant, run: Run) -> str:
        """Whether the tests kill the mutant: killed, killed (hangs), survived, or not covered."""
        tried: set[str] = set()
        at_import = self.lines.run_at_import(mutant)
        of_records = [name for name in self.lines.seconds if name.startswith(OF_RECORDS)]
        for which in ROUNDS[at_import]:
            names = self.lines.tests(mutant, which.seconds, which.of_one)
            if at_import and mutant.path.startswith(RECORDS):
                names = [*of_records, *(name for name in names if name not in of_records)]
            names = [name for name in names if name.startswith(self._tests)]
            names = [name for name in names if name not in tried or which.examples > FEW]
            if which.examples > FEW:
                names = [name for name in names if not name.startswith(TRANSCRIPTS)]
            if not names:
                continue
            if not tried and self.controls < CONTROLS:
                self.controls += 1
                if run(None, names, which.examples):
                    sys.exit(f"tests fail without any mutant, or cannot be run: {self.log.read_text()}")
            tried.update(names)
            if code := run(mutant, names, which.examples):
                return "broken" if code == BROKEN else "killed (hangs)" if code < 0 else "killed"
        return "survived" if tried else "not covered"

    def report(self, num_mutants: int) -> int:
        """Print the counts; 1 if any survived that is not known."""
        total = Counter[str]()
        for room, found in sorted(self.counts.items()):
            print(f"{room}: {dict(found)}")
            total += found
        print(f"{self.controls} controls without any mutant passed")
        print(f"{total.total()} of {num_mutants} mutants: {dict(total)}")
        return int(bool(self.survivors) or bool(total["broken"]))


NOT_KILLED = ("survived", "not covered", "broken")


class Collected:
    """The tests, collected once in this process; instead of running them, `work` is called."""

    def __init__(self, work: Callable[[Collected], None]) -> None:
        self._work = work
        self._session: pytest.Session | None = None
        self.items: dict[str, pytest.Item] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Called by pytest when all tests are known."""
        self._session = session
        self.items = {item.nodeid: item for item in session.items}
        self._work(self)
        return True

    def have_examples(self, most: int) -> None:
        """Let each property be tried with so many examples at most."""
        for function in {getattr(item, "function", None) for item in self.items.values()}:
            own: hypothesis.settings | None = getattr(function, "_hypothesis_internal_use_settings", None)
            if own is not None and own.max_examples > most:
                found: Any = function
                found._hypothesis_internal_use_settings = hypothesis.settings(own, max_examples=most)

    def run(self, names: Iterable[str], examples: int) -> int:
        """Run some tests, until one fails."""
        self.have_examples(examples)
        assert self._session is not None
        items = [self.items[name] for name in names if name in self.items]
        with without_subprocesses():
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self._session.shouldfail:
                    return 1
        return 0


def collect(tests: Sequence[str], folder: Path, work: Callable[[Collected], None]) -> int:
    """Let pytest collect tests, and do the work with them."""
    os.chdir(ROOT)
    imported = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is, for all copies of this process
    own = folder / f"tmp-{os.getpid()}"
    options = ["-q", "-x", "-s", "-p", "no:cacheprovider", "-W", imported, f"--basetemp={own}"]
    code = int(pytest.main([*options, *tests], plugins=[Collected(work)]))
    shutil.rmtree(own, ignore_errors=True)
    return code


def learn(tests: Sequence[str], folder: Path) -> None:
    """Run, in a copy, each test that was not run before."""
    texts = "".join(path.read_text() for path in sorted((ROOT / "tests").rglob("*.py")))
    state = hashlib.sha256(repr((tests, texts)).encode()).hexdigest()
    done = folder / "learned"
    if done.exists() and done.read_text() == state:
        return

    def work(collected: Collected) -> None:
        known = Lines(folder).seconds
        if new := [item for name, item in collected.items.items() if name not in known]:
            collected.have_examples(FEW)
            survey(new, folder)

    if not (folder / "lines-import.json").exists() and in_a_copy(
        lambda: import_everything(folder), 60, folder / "import.txt"
    ):
        sys.exit(f"the package cannot be imported: see {folder / 'import.txt'}")
    if in_a_copy(lambda: collect(tests, folder, work), 3600, folder / "survey.txt") not in (0, 1, 5):
        sys.exit(f"the tests could not be run: see {folder / 'survey.txt'}")
    done.write_text(state)


def try_mutants(campaign: Campaign, mutants: Sequence[Mutant], tests: Sequence[str], folder: Path) -> None:
    """Try those in functions in copies that know the tests, the others in copies without the package."""

    def seconds(names: Sequence[str], examples: int) -> float:
        return campaign.lines.time_of(names) * max(examples / FEW / 2, 1)

    def importing(mutant: Mutant | None, names: Sequence[str], examples: int) -> int:
        def work() -> int:
            limit_memory()
            if mutant is not None:
                sys.meta_path.insert(0, Changed(mutant))
            found = []
            files = sorted({name.partition("::")[0] for name in names})
            code = collect(files, folder, lambda collected: found.append(collected.run(names, examples)))
            return found[0] if found else code

        return in_a_copy(work, 5 + seconds(names, examples), campaign.log)

    def others(collected: Collected) -> None:
        functions = Functions()
        gc.collect()
        gc.freeze()

        def run(mutant: Mutant | None, names: Sequence[str], examples: int) -> int:
            def work() -> int:
                limit_memory()
                functions.change(mutant)
                return collected.run(names, examples)

            return in_a_copy(work, seconds(names, examples), campaign.log)

        campaign.try_all((mutant for mutant in mutants if not campaign.lines.run_at_import(mutant)), run)

    apart(lambda: collect(tests, folder, others), campaign, folder / "found.json")
    campaign.try_all(filter(campaign.lines.run_at_import, mutants), importing)


def apart(work: Callable[[], int], campaign: Campaign, file: Path) -> None:
    """Let a copy of this process, which imports the package, do the work, and take over what it found."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = work()
        file.write_text(json.dumps([campaign.counts, campaign.survivors, campaign.controls]))
        sys.stdout.flush()
        os._exit(code)
    if os.waitpid(child, 0)[1]:
        sys.exit("the tests cannot be collected, or fail without any mutant")
    counts, campaign.survivors, campaign.controls = json.loads(file.read_text())
    for room, found in counts.items():
        campaign.counts[room].update(found)


def equivalent() -> dict[str, str]:
    """The mutants that make no difference, with why."""
    known = {}
    for line in EQUIVALENT.read_text().splitlines():
        if line and not line.startswith("#"):
            key, _, reason = line.rpartition(" | ")
            known[key] = reason
    return known


def modules(only: str | None) -> list[Path]:
    package = ROOT / "pres_eval"
    wanted = [only] if only else list(MUTATED)
    found = [path for name in wanted for path in (sorted((package / name).rglob("*.py")) or [package / name])]
    return [path for path in found if path.name != "__init__.py" or path.stat().st_size > 1000]


def tests_of(only: str | None) -> list[str]:
    """The tests of a module or a room: those of the smallest room around it."""
    found = TESTS
    for room, tests in TESTS_OF_ROOMS.items():  # a room comes before the rooms in it
        if only is not None and f"{only}/".startswith(f"{room}/"):
            found = tests
    return [*found, TRANSCRIPTS]


def main() -> int:
    """Run the campaign that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sample", type=int, help="so many mutants, chosen at random; all of them if not said"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="a module or a room, such as measures/pres.py")
    parser.add_argument("--change", default="", help="a pattern of the changes, such as 'minus|sorted'")
    parser.add_argument("--survivors", action="store_true", help="those that survived the last time")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    parser.add_argument(
        "--tests", nargs="+", help="files and folders that have to kill; those of the room if not said"
    )
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir(), "pres-eval-mutants"))
    said = parser.parse_args()
    folder = (said.work / package_digest()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    without_shrinking()
    sys.dont_write_bytecode = False  # or each copy would compile what it imports
    mutants = [mutant for path in modules(said.only) for mutant in mutants_of(path)]
    mutants = [mutant for mutant in mutants if re.search(said.change, mutant.change)]
    number = len(mutants)
    random.Random(said.seed).shuffle(mutants)
    left = said.work / "survivors.json"
    if said.survivors:
        names = json.loads(left.read_text())
        mutants = [mutant for mutant in mutants if mutant.name in names]
    tests = said.tests or tests_of(said.only)
    learn(tests, folder)
    if not mutants[: said.sample]:
        return 0
    campaign = Campaign(folder, said.minutes, tests)
    try_mutants(campaign, mutants[: said.sample], tests, folder)
    left.write_text(json.dumps(campaign.survivors))
    return campaign.report(number)


def without_shrinking() -> None:
    """hypothesis makes the same examples each time, and does not look for the smallest that fails."""
    os.environ.pop("CI", None)
    os.environ["PRES_EVAL_EXAMPLES"] = "all"  # how many are tried is decided here, not in conftest.py
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile(
        "mutants", derandomize=True, database=None, deadline=None, phases=phases
    )
    hypothesis.settings.load_profile("mutants")


if __name__ == "__main__":
    import click  # noqa: F401 - what every copy of this process would import again
    import numpy  # noqa: F401

    sys.exit(main())
