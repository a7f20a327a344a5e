"""Small faults planted in the code, tried on single steps of the transcripts that run them; by hand on Linux.

    python tests/fuzz/steps.py --only report --sample 1000 --seed 1 --survivors FILE
    python tests/fuzz/steps.py --again FILE --transcripts report_text report_rows_more

The mutants are those of mutants.py, but for what runs while importing.  First every transcript is played
once, to learn which of its steps run which lines.  Then each is played again, step by step; before a step,
each mutant that it runs is tried in a copy of this process, in a copy of the folder: the copy plays the
step, and what shows its effect (`cat`, `ls` and statements of Python behind it).  A mutant is killed if
other lines are printed than the transcript has.  16 processors tried 34,000 mutants in
eight minutes, most of them on two steps.  mutants.py tries other tests as well, which takes far longer.

--again tries the survivors in FILE once more, with all steps of the transcripts, and writes to FILE the ones
that are left.
"""

from __future__ import annotations

import argparse
import gc
import json
import mmap
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import pytest  # noqa: E402
from support.transcripts import Player, Step, Transcript, all_transcripts  # noqa: E402

from fuzz.copies import Functions, code_pairs, limit_memory  # noqa: E402
from fuzz.mutations import Mutant, mutants_of  # noqa: E402
from fuzz.survey import import_everything  # noqa: E402

PACKAGE = ROOT / "pres_eval"

FIRST_TRIES, MOST_TRIES = 2, 14
"""Steps on which a mutant is tried in the first round, and in both rounds together."""

ALL_TRIES = 1_000_000

MOST_STEPS = 10_000
"""More than a transcript has."""

FOLLOWING_STEPS = 6
"""Steps behind the one that runs a mutant, which may show what it did."""

CPU_SECONDS, SECONDS = 20, 60
"""What a mutant's copy may take."""

SAME, OTHER, NOT_TRIED = 0, 1, 2
"""Exit codes of a mutant's copy: the transcript's lines were printed, others were, the step is no test."""

StepName = tuple[str, int]
"""The stem of a transcript's file, and the step's index."""


class Capture:
    """What a process prints, as pytest's `capfdbinary` gives it."""

    class Printed(NamedTuple):
        """What was printed since the last call."""

        out: bytes
        err: bytes

    def __init__(self) -> None:
        self._files = [os.memfd_create(name) for name in ("out", "err")]
        for number, file in enumerate(self._files, start=1):
            os.dup2(file, number)
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
        sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")
        sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8")

    def readouterr(self) -> Capture.Printed:
        """Return what was printed since the last call."""
        sys.stdout.flush()
        sys.stderr.flush()
        texts = []
        for file in self._files:
            texts.append(os.pread(file, os.fstat(file).st_size, 0))
            os.ftruncate(file, 0)
            os.lseek(file, 0, os.SEEK_SET)
        return Capture.Printed(*texts)


class Playing:
    """A transcript that is played in a folder of its own."""

    def __init__(self, transcript: Transcript, folder: Path) -> None:
        self.transcript = transcript
        folder.mkdir(parents=True)
        self.player = Player(folder, Capture(), pytest.MonkeyPatch())  # type: ignore[arg-type]

    def prints(self, number: int) -> bool:
        """Play a step; whether it prints what the transcript has."""
        step = self.transcript.steps[number]
        try:
            return self.player.play(step) == step.printed
        except BaseException:
            return False

    def move(self, folder: Path) -> None:
        """Go on in a copy of the folder, with streams of its own: for a copy of the process."""
        shutil.copytree(self.player.folder, folder, symlinks=True)
        self.player.folder = folder
        self.player._capture = Capture()  # type: ignore[assignment]
        os.chdir(folder)

    def same_from(self, number: int) -> bool:
        """Whether a step, and those that show its effect, print what the transcript has."""
        steps = self.transcript.steps
        return all(self.prints(index) for index in [number, *following(steps, number)])


def following(steps: Sequence[Step], number: int) -> Iterator[int]:
    """Yield the steps behind one that may show what it did: files, and values in Python."""
    for index in range(number + 1, min(len(steps), number + 1 + FOLLOWING_STEPS)):
        step = steps[index]
        shows_files = step.typed == "ls" or (step.typed.startswith("cat ") and not step.is_input)
        if not shows_files and not step.lines[0].startswith(">>> "):
            return
        yield index


def in_copies(works: Iterable[Callable[[], None]], jobs: int) -> None:
    """Do each work in a copy of this process, so many at a time."""
    running = 0
    for work in works:
        if running == jobs:
            os.wait()
            running -= 1
        sys.stdout.flush()
        if os.fork() == 0:
            try:
                work()
            finally:
                os._exit(0)
        running += 1
    for _ in range(running):
        os.wait()


def learn(transcripts: Sequence[Transcript], folder: Path, jobs: int) -> None:
    """Play the transcripts, and write for each the lines that its steps run."""
    import coverage

    def learn_one(transcript: Transcript) -> None:
        playing = Playing(transcript, folder / "play" / transcript.path.stem)
        watch = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False)
        watch.start()
        for number in range(len(transcript.steps)):
            watch.switch_context(str(number))
            playing.prints(number)
        watch.stop()
        data = watch.get_data()
        lines = {
            Path(module).relative_to(PACKAGE).as_posix(): {
                line: [int(step) for step in steps if step]
                for line, steps in data.contexts_by_lineno(module).items()
            }
            for module in data.measured_files()
        }
        (folder / f"{transcript.path.stem}.json").write_text(json.dumps(lines))

    in_copies([partial(learn_one, transcript) for transcript in transcripts], jobs)
    shutil.rmtree(folder / "play", ignore_errors=True)


def steps_of_lines(
    folder: Path, stems: Iterable[str], modules: set[str]
) -> dict[str, dict[int, list[StepName]]]:
    """For each line of some modules the steps that run it, of transcripts by their names."""
    found: dict[str, dict[int, list[StepName]]] = defaultdict(lambda: defaultdict(list))
    for stem in stems:
        of_modules = json.loads((folder / f"{stem}.json").read_text())
        names = [(stem, number) for number in range(MOST_STEPS)]
        for module in modules.intersection(of_modules):
            for line, steps in of_modules[module].items():
                found[module][int(line)] += [names[step] for step in steps]
    return found


@dataclass
class Tried:
    """What came of the mutants, which all copies see.

    killed      a byte a mutant
    num_tries   likewise
    """

    killed: mmap.mmap
    num_tries: mmap.mmap


class Trial:
    """Tries mutants on the steps that run them."""

    def __init__(self, mutants: Sequence[Mutant], folder: Path, jobs: int, end: float) -> None:
        self._mutants = mutants
        self._end = end
        self._folder = folder
        self._jobs = jobs
        self._functions = Functions()
        self._changed: dict[int, dict[CodeType, CodeType]] = {}
        size = max(len(mutants), 1)
        self.tried = Tried(mmap.mmap(-1, size), mmap.mmap(-1, size))

    def play(self, transcripts: Sequence[Transcript], plan: dict[StepName, list[int]]) -> None:
        """Play the transcripts, and try before each step the mutants that the plan has for it."""
        gc.collect()
        gc.freeze()
        works = [
            partial(self._play, transcript, plan)
            for transcript in transcripts
            if any((transcript.path.stem, number) in plan for number in range(len(transcript.steps)))
        ]
        in_copies(works, self._jobs)

    def _play(self, transcript: Transcript, plan: dict[StepName, list[int]]) -> None:
        stem = transcript.path.stem
        last = max(number for name, number in plan if name == stem)
        playing = Playing(transcript, self._folder / f"play-{stem}")
        for number in range(last + 1):
            wanted = [mutant for mutant in plan.get((stem, number), []) if not self.tried.killed[mutant]]
            if wanted and self._outcome(playing, number, None) == SAME:
                for mutant in wanted:
                    self._try(playing, number, mutant)
            playing.prints(number)
        shutil.rmtree(self._folder / f"play-{stem}", ignore_errors=True)

    def _try(self, playing: Playing, number: int, mutant: int) -> None:
        if self.tried.killed[mutant] or time.monotonic() > self._end:
            return
        if mutant not in self._changed:
            self._changed[mutant] = dict(code_pairs(self._mutants[mutant]))
        outcome = self._outcome(playing, number, mutant)
        if outcome != NOT_TRIED:
            self.tried.num_tries[mutant] = min(self.tried.num_tries[mutant] + 1, 255)
        if outcome == OTHER:
            self.tried.killed[mutant] = 1

    def _outcome(self, playing: Playing, number: int, mutant: int | None) -> int:
        """Play a step with a mutant, or none, in a copy of this process and of the folder."""
        folder = self._folder / f"copy-{os.getpid()}"
        child = os.fork()
        if child == 0:
            os.setsid()
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            code = NOT_TRIED
            try:
                limit_memory()
                playing.move(folder)
                self._functions.forget()
                if mutant is not None:
                    self._functions.exchange(self._mutants[mutant].path, self._changed[mutant])
                code = SAME if playing.same_from(number) else OTHER
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)
        code = os.waitstatus_to_exitcode(status)
        return OTHER if code < 0 else code


def planned(
    steps_of_mutants: Sequence[Sequence[StepName]], wanted: Iterable[int], first: int, most: int
) -> dict[StepName, list[int]]:
    """Return for each step the mutants to be tried on it: of each mutant's steps those from first to most."""
    plan: dict[StepName, list[int]] = defaultdict(list)
    for index in wanted:
        for step in steps_of_mutants[index][first:most]:
            plan[step].append(index)
    return plan


def steps_of(mutant: Mutant, lines: dict[str, dict[int, list[StepName]]], most: int) -> list[StepName]:
    """Return steps that run a mutant's statement, at most so many, drawn by chance, the same each time."""
    of_module = lines.get(mutant.path, {})
    first, last = mutant.lines
    steps = sorted({step for line in range(first, last + 1) for step in of_module.get(line, ())})
    random.Random(mutant.key).shuffle(steps)
    return steps[:most]


def candidates(only: Sequence[str], change: str) -> list[Mutant]:
    """Return the mutants in functions of the rooms or modules."""
    paths: set[Path] = set()
    for name in only or [""]:
        place = PACKAGE / name
        paths.update(place.rglob("*.py") if place.is_dir() else [place])
    mutants = [mutant for path in sorted(paths) for mutant in mutants_of(path)]
    return [mutant for mutant in mutants if re.search(change, mutant.change)]


def lines_of_importing(folder: Path) -> dict[str, set[int]]:
    """For each module the lines that run while importing, which a process of its own finds out."""
    program = (
        "import pathlib, sys; from fuzz.survey import import_everything; "
        "import_everything(pathlib.Path(sys.argv[1]))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program, str(folder)], env=environment, check=True)
    found = json.loads((folder / "lines-import.json").read_text())
    return {
        Path(module).relative_to(PACKAGE).as_posix(): {line for line, _ in lines}
        for module, lines in found.items()
    }


def described(mutant: Mutant) -> str:
    """Return a line about a mutant."""
    return f"pres_eval/{mutant.path}:{mutant.line}: {mutant.text} | {mutant.change}"


def main() -> int:
    """Run the trial that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=[], help="rooms or modules, such as measures/pres.py")
    parser.add_argument("--change", default="", help="a pattern of the changes, such as 'minus|sorted'")
    parser.add_argument("--sample", type=int, help="how many mutants, drawn at random; all if not given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e9, help="try no more after so many")
    parser.add_argument("--again", type=Path, help="a file of survivors that are tried with all steps")
    parser.add_argument("--survivors", type=Path, help="where survivors are written")
    parser.add_argument("--learned", type=Path, help="a folder of an earlier run with what steps run")
    parser.add_argument("--transcripts", nargs="*", help="their names; all of them if not given")
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.minutes
    folder = Path(tempfile.mkdtemp(prefix="steps-"))
    learned = chosen.learned or folder / "learned"
    learned.mkdir(parents=True, exist_ok=True)
    imported = lines_of_importing(folder)
    import_everything(folder)
    transcripts = all_transcripts()
    if chosen.transcripts is not None:
        transcripts = [one for one in transcripts if one.path.stem in chosen.transcripts]
    new = [one for one in transcripts if not (learned / f"{one.path.stem}.json").exists()]
    learn(new, learned, chosen.jobs)

    mutants = [
        mutant
        for mutant in candidates(chosen.only, chosen.change)
        if imported.get(mutant.path, set()).isdisjoint(range(mutant.lines[0], mutant.lines[1] + 1))
    ]
    number = len(mutants)
    if chosen.again is not None:
        names = json.loads(chosen.again.read_text())
        mutants = [mutant for mutant in mutants if mutant.name in names]
    random.Random(chosen.seed).shuffle(mutants)
    mutants = mutants[: chosen.sample]

    rounds = [(0, ALL_TRIES)] if chosen.again else [(0, FIRST_TRIES), (FIRST_TRIES, MOST_TRIES)]
    most_tries = rounds[-1][1]
    lines = steps_of_lines(
        learned, [one.path.stem for one in transcripts], {mutant.path for mutant in mutants}
    )
    steps_of_mutants = [steps_of(mutant, lines, most_tries) for mutant in mutants]
    # Each copy of the process would carry them.
    del lines
    trial = Trial(mutants, folder, chosen.jobs, end)
    for first, most in rounds:
        alive = [index for index in range(len(mutants)) if not trial.tried.killed[index]]
        plan = planned(steps_of_mutants, alive, first, most)
        by_chance = random.Random(0).sample(transcripts, len(transcripts))
        trial.play(by_chance, plan)
    shutil.rmtree(folder)
    left = report(mutants, steps_of_mutants, trial.tried, number)
    if file := chosen.survivors or chosen.again:
        file.write_text(json.dumps([mutant.name for mutant in left]))
    return int(bool(left))


def report(
    mutants: Sequence[Mutant], steps_of_mutants: Sequence[Sequence[StepName]], tried: Tried, number: int
) -> list[Mutant]:
    """Print the survivors and the counts, and return the survivors: those that no step runs, too."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left = []
    for index in sorted(range(len(mutants)), key=lambda index: (mutants[index].path, mutants[index].line)):
        mutant = mutants[index]
        if tried.killed[index]:
            verdict = "killed"
        elif not steps_of_mutants[index]:
            verdict = "not run"
        elif not tried.num_tries[index]:
            verdict = "not tried"
        else:
            verdict = "survived"
        if verdict in ("survived", "not run"):
            left.append(mutant)
            print(f"{verdict}: {described(mutant)}")
        counts[mutant.path.partition("/")[0]][verdict] += 1
    for room, of_room in sorted(counts.items()):
        print(f"{room}: {dict(of_room)}")
    total = sum(counts.values(), Counter[str]())
    print(f"{total.total()} of {number} mutants: {dict(total)}")
    return left


if __name__ == "__main__":
    sys.exit(main())
