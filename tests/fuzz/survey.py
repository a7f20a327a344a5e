"""Which tests run which lines, and for how long: learned from one run of each."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from fuzz.copies import Functions, without_subprocesses
from fuzz.mutations import ROOT, Mutant

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

    watch = coverage.Coverage(data_file=str(folder / "lines-import"), source=["pres_eval"], config_file=False)
    watch.start()
    for path in sorted((ROOT / "pres_eval").rglob("*.py")):
        if path.name != "__main__.py":
            parts = path.relative_to(ROOT).with_suffix("").parts
            importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    watch.stop()
    watch.save()
    return 0


def survey(items: Sequence[pytest.Item], folder: Path) -> int:
    """Run tests, and write what lines each has run, and its seconds."""
    import coverage

    functions = Functions()
    number = len(list(folder.glob("seconds-*.json")))
    data = str(folder / f"lines-{number}")
    watch = coverage.Coverage(data_file=data, source=["pres_eval"], config_file=False)
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
    watch.save()
    (folder / f"seconds-{number}.json").write_text(json.dumps(seconds))
    return 0


class Lines:
    """Which tests run a statement, the shortest first."""

    def __init__(self, folder: Path) -> None:
        from coverage import CoverageData

        self.seconds: dict[str, float] = {}
        for path in folder.glob("seconds-*.json"):
            self.seconds |= json.loads(path.read_text())
        self._data = [CoverageData(str(path)) for path in sorted(folder.glob("lines-*[0-9]"))]
        self._imported = CoverageData(str(folder / "lines-import"))
        for data in (*self._data, self._imported):
            data.read()
        self._contexts: dict[str, dict[int, set[str]]] = {}
        self._at_import: dict[str, set[int]] = {}

    def run_at_import(self, mutant: Mutant) -> bool:
        """Whether the statement is run by importing the package."""
        if mutant.path not in self._at_import:
            found = self._imported.lines(str(ROOT / "pres_eval" / mutant.path))
            self._at_import[mutant.path] = set(found or ())
        return not self._at_import[mutant.path].isdisjoint(_lines(mutant))

    def tests(self, mutant: Mutant, most: float, of_one: int) -> list[str]:
        """Tests of the statement that take so many seconds together, so many of one function at most.

        Of what runs while importing these are all tests of the module, first those that are named as it is
        (`[hits]` for the record of hits).
        """
        contexts = self._of(mutant.path)
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

    def _of(self, path: str) -> dict[int, set[str]]:
        """For each line of a module the tests that run it."""
        if path not in self._contexts:
            contexts: dict[int, set[str]] = {}
            for data in self._data:
                for line, names in data.contexts_by_lineno(str(ROOT / "pres_eval" / path)).items():
                    good = {name for name in names if self.seconds.get(name, FAILED) >= 0}
                    contexts.setdefault(line, set()).update(good)
            self._contexts[path] = contexts
        return self._contexts[path]


def _is_named(test: str, words: set[str]) -> bool:
    return not words.isdisjoint(re.findall(r"\w+", test.partition("[")[2]))


def _lines(mutant: Mutant) -> range:
    return range(mutant.lines[0], mutant.lines[1] + 1)
