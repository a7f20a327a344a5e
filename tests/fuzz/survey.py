"""Which tests run which lines, and for how long: learned from one run of each."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fuzz.copies import Functions, without_subprocesses
from fuzz.mutations import ROOT, Mutant

if TYPE_CHECKING:
    import coverage

FAILED = -1.0
"""Seconds of a test that fails, or is skipped, without any mutant."""


def package_digest() -> str:
    """Differs whenever the package does: what was learned of one state is not true of another."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "pres_eval").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def import_everything(folder: Path) -> int:
    """Learn which lines are run by importing; the package must not have been imported yet."""
    import coverage

    watch = coverage.Coverage(data_file=None, source=["pres_eval"], config_file=False)
    watch.start()
    for path in sorted((ROOT / "pres_eval").rglob("*.py")):
        if path.name != "__main__.py":
            parts = path.relative_to(ROOT).with_suffix("").parts
            importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    watch.stop()
    _write_lines(watch, folder / "lines-import.json")
    return 0


def _write_lines(watch: coverage.Coverage, path: Path) -> None:
    """For each module the lines that were run, and by which tests; coverage's own files die in copies."""
    data = watch.get_data()
    lines = {
        name: [[line, sorted(tests)] for line, tests in data.contexts_by_lineno(name).items()]
        for name in data.measured_files()
    }
    path.write_text(json.dumps(lines))


def survey(items: Sequence[pytest.Item], folder: Path) -> int:
    """Run tests, and write what lines each has run, and its seconds."""
    import coverage

    functions = Functions()
    watch = coverage.Coverage(data_file=None, source=["pres_eval"], config_file=False)
    seconds: dict[str, float] = {}
    functions.change(None)
    with without_subprocesses():
        watch.start()
        for item, following in zip(items, [*items[1:], None], strict=True):
            failed = item.session.testsfailed
            watch.switch_context(item.nodeid)
            started = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            seconds[item.nodeid] = time.process_time() - started
            if item.session.testsfailed > failed:
                seconds[item.nodeid] = FAILED
            watch.switch_context("")
        watch.stop()
    name = hashlib.sha256(repr(sorted(seconds)).encode()).hexdigest()[:12]
    _write_lines(watch, folder / f"lines-{name}.json")
    (folder / f"seconds-{name}.json").write_text(json.dumps(seconds))
    return 0


class Lines:
    """Which tests run a statement, the shortest first."""

    def __init__(self, folder: Path) -> None:
        self.seconds: dict[str, float] = {}
        for path in folder.glob("seconds-*.json"):
            self.seconds |= json.loads(path.read_text())
        self._tests: dict[str, dict[int, set[str]]] = defaultdict(dict)
        self._at_import: dict[str, set[int]] = {}
        for path in folder.glob("lines-*.json"):
            for module, lines in json.loads(path.read_text()).items():
                if path.name == "lines-import.json":
                    self._at_import[module] = {line for line, _ in lines}
                    continue
                for line, names in lines:
                    good = {name for name in names if self.seconds.get(name, FAILED) >= 0}
                    self._tests[module].setdefault(line, set()).update(good)

    def run_at_import(self, mutant: Mutant) -> bool:
        """Whether the statement is run by importing the package."""
        return not self._at_import.get(_module(mutant), set()).isdisjoint(_lines(mutant))

    def tests(self, mutant: Mutant, most: float, of_one: int) -> list[str]:
        """Tests of the statement that take so many seconds together, so many of one function at most.

        Of what runs while importing these are all tests of the module, first those that are named as it is
        (`[hits]` for the record of hits).
        """
        contexts = self._tests.get(_module(mutant), {})
        names = set[str]().union(*(contexts.get(line, ()) for line in _lines(mutant)))
        words: set[str] = set()
        if self.run_at_import(mutant):
            names = names.union(*contexts.values())
            words = set(re.findall(r'"(\w+)"', mutant.statement))
        chosen, spent, of = [], 0.0, Counter[str]()
        for name in sorted(names, key=lambda name: (not _is_named(name, words), self.seconds[name])):
            function = name.partition("[")[0]
            if of[function] < of_one and spent < most:
                of[function] += 1
                spent += self.seconds[name]
                chosen.append(name)
        return chosen

    def time_of(self, names: Iterable[str]) -> float:
        """Seconds that the tests take."""
        return sum(self.seconds[name] for name in names)


def _is_named(test: str, words: set[str]) -> bool:
    return not words.isdisjoint(re.findall(r"\w+", test.partition("[")[2]))


def _module(mutant: Mutant) -> str:
    return str(ROOT / "pres_eval" / mutant.path)


def _lines(mutant: Mutant) -> range:
    return range(mutant.lines[0], mutant.lines[1] + 1)
