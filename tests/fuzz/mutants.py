"""Small faults planted in the code that computes, to see whether the tests notice; run by hand on Linux.

    python tests/fuzz/mutants.py --sample 500 --seed 1
    python tests/fuzz/mutants.py --only measures/pres.py

Each mutant is one module with one thing changed: a comparison, a constant, an operator, a condition, a
statement or an argument left out.  It is killed if one of the tests that run the changed line fails, or does
not end.  First the tests run once, to learn which lines each of them runs.  Survivors are printed with their
line; those that are known to make no difference, with the reason, are in equivalent_mutants.txt.  Exit code 1
if any other survives.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
MUTATED = ("measures", "ranking", "batches", "scoring.py")
TESTS = (
    *(
        "tests/measures",
        "tests/ranking",
        "tests/batches",
        "tests/trec_eval",
        "tests/library/test_behaviour.py",
    ),
    *("tests/cli/test_options.py", "tests/cli/test_bad_input.py", "tests/cli/test_command_line.py"),
    *("tests/reading/test_qrels_columns.py", "tests/arrays"),
)
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
FIRST_SECONDS, SECOND_SECONDS = 6.0, 60.0
"""Seconds of tests that are tried on a mutant, and then on one that has survived these."""

# The mutations.

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One change to one module: which of the changes to which of its nodes."""

    path: str
    line: int
    text: str
    change: str
    node: int
    which: int

    @property
    def key(self) -> str:
        """What names the mutant as long as its line stays as it is."""
        return f"{self.path} | {self.text} | {self.change}"

    def tree(self) -> ast.Module:
        """The module with the change."""
        tree = ast.parse((ROOT / "pres_eval" / self.path).read_text())
        node = next(found for number, found in enumerate(_code(tree)) if number == self.node)
        list(changes(node))[self.which].do()
        return ast.fix_missing_locations(tree)


class Change(NamedTuple):
    """What is changed, in which line, and what does it to the tree."""

    name: str
    line: int
    do: Callable[[], None]


def changes(node: ast.AST) -> Iterator[Change]:
    """The mutations of a node."""
    line = getattr(node, "lineno", 1)
    if isinstance(node, ast.Compare):
        other = _COMPARISONS[type(node.ops[0])]
        name = f"{type(node.ops[0]).__name__} to {other.__name__}"
        yield Change(name, line, lambda: node.ops.__setitem__(0, other()))
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OPERATORS:
        if not _adds_texts(node):
            operator = _OPERATORS[type(node.op)]
            name = f"{type(node.op).__name__} to {operator.__name__}"
            yield Change(name, line, lambda: setattr(node, "op", operator()))
    elif isinstance(node, ast.BoolOp):
        word = ast.Or if isinstance(node.op, ast.And) else ast.And
        name = f"{type(node.op).__name__} to {word.__name__}"
        yield Change(name, line, lambda: setattr(node, "op", word()))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        yield Change(f"{node.value} to {value}", line, lambda: setattr(node, "value", value))
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        opposite = ast.UnaryOp(op=ast.Not(), operand=node.test)
        yield Change(f"{type(node).__name__} the other way", line, lambda: setattr(node, "test", opposite))
    elif isinstance(node, ast.Call):
        for number, keyword in enumerate(node.keywords):
            if keyword.arg is not None:
                yield Change(f"without {keyword.arg}=", line, _dropping(node.keywords, number))
    for name in ("body", "orelse"):
        found = getattr(node, name, None)
        block: list[ast.stmt] = found if isinstance(found, list) else []
        for number, statement in enumerate(block):
            if _can_be_left_out(statement):
                yield Change(
                    f"without {ast.unparse(statement)[:60]}", statement.lineno, _passing(block, number)
                )


def _adds_texts(node: ast.BinOp | ast.AugAssign) -> bool:
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _can_be_left_out(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call | ast.Yield)
    return isinstance(statement, ast.AugAssign | ast.Raise | ast.Continue | ast.Break)


def _dropping(values: list[ast.keyword], number: int) -> Callable[[], None]:
    return lambda: values.__delitem__(number)


def _passing(block: list[ast.stmt], number: int) -> Callable[[], None]:
    return lambda: block.__setitem__(number, ast.copy_location(ast.Pass(), block[number]))


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a module."""
    text = path.read_text()
    lines = text.splitlines()
    name = path.relative_to(ROOT / "pres_eval").as_posix()
    for number, node in enumerate(_code(ast.parse(text))):
        for which, change in enumerate(changes(node)):
            yield Mutant(
                path=name,
                line=change.line,
                text=lines[change.line - 1].strip(),
                change=change.name,
                node=number,
                which=which,
            )


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no annotations, no blocks for type checkers, no texts of messages."""
    yield tree
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            yield from _code(child)


# Running tests, each time in a process of its own that has not imported the package yet.


class Mutated(importlib.abc.MetaPathFinder):
    """Imports one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        parts = ("pres_eval", *Path(mutant.path).with_suffix("").parts)
        self._name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self._source = mutant.tree()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        assert spec is not None and spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin, self._source)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.path, "exec", dont_inherit=True)


class Survey:
    """Learns from one run of the tests which lines each of them runs, and for how long."""

    def __init__(self, folder: Path) -> None:
        import coverage

        self._coverage = coverage.Coverage(
            data_file=str(folder / "lines"), source=["pres_eval"], config_file=False
        )
        self._coverage.start()
        self._file = folder / "seconds.json"
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        started = time.perf_counter()
        yield
        self.seconds.setdefault(item.nodeid, time.perf_counter() - started)
        self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.seconds[report.nodeid] = -1.0  # it fails, or is skipped, without any mutation

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        passed = {name: seconds for name, seconds in self.seconds.items() if seconds >= 0}
        self._file.write_text(json.dumps(passed))


class Chosen:
    """Runs these tests only, in this order."""

    def __init__(self, names: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._place), key=lambda item: self._place[item.nodeid]
        )


def in_a_process(work: Callable[[], int], seconds: float, log: Path | None = None) -> int | None:
    """What the work gives in a copy of this process; None if it does not end."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        said = os.open(log or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(said, number)
        os.setsid()
        code = 99
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def run_tests(files: Sequence[str], plugin: object, *more: str) -> int:
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT)]
    imported = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is, for all copies of this process
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "-W", imported, *more, *files], plugins=[plugin]))


class Lines:
    """Which tests run a line, the shortest first."""

    def __init__(self, folder: Path) -> None:
        from coverage import CoverageData

        self._seconds: dict[str, float] = json.loads((folder / "seconds.json").read_text())
        self._data = CoverageData(str(folder / "lines"))
        self._data.read()

    def tests(self, mutant: Mutant, most: float, of_one: int) -> list[str]:
        """Tests of the line that together take so many seconds, so many of one function at most."""
        contexts = self._data.contexts_by_lineno(str(ROOT / "pres_eval" / mutant.path))
        names = {name for name in contexts.get(mutant.line, []) if name in self._seconds}
        if not names or "" in contexts.get(mutant.line, []):  # it runs while importing
            names = {name for found in contexts.values() for name in found if name in self._seconds}
        chosen, spent, of = [], 0.0, Counter[str]()
        for name in sorted(names, key=self._seconds.__getitem__):
            function = name.partition("[")[0]
            if of[function] < of_one and spent < most:
                of[function] += 1
                spent += self._seconds[name]
                chosen.append(name)
        return chosen

    def time_of(self, names: Sequence[str]) -> float:
        return sum(self._seconds[name] for name in names)


def verdict(mutant: Mutant, lines: Lines) -> str:
    """Whether the tests kill the mutant: killed, killed (hangs), survived, or not covered."""
    found = "not covered"
    tried: set[str] = set()
    for most, of_one in ((FIRST_SECONDS, 4), (SECOND_SECONDS, 60)):
        names = [name for name in lines.tests(mutant, most, of_one) if name not in tried]
        if not names:
            continue
        tried.update(names)
        files = sorted({name.partition("::")[0] for name in names})

        def work(names: list[str] = names, files: list[str] = files) -> int:
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            sys.meta_path.insert(0, Mutated(mutant))
            return run_tests(files, Chosen(names), "-x")

        code = in_a_process(work, 30 + 5 * lines.time_of(names))
        if code != 0:
            return "killed (hangs)" if code is None else "killed"
        found = "survived"
    return found


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
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--tests", nargs="+", default=list(TESTS), help="files and folders that have to kill")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir(), "pres-eval-mutants"))
    said = parser.parse_args()
    os.environ["CI"] = "true"  # hypothesis makes the same examples each time
    said.work.mkdir(parents=True, exist_ok=True)
    if not (said.work / "seconds.json").exists():
        log = said.work / "survey.txt"
        if in_a_process(lambda: run_tests(said.tests, Survey(said.work)), 3600, log) is None:
            sys.exit("the tests took more than an hour")
        if not (said.work / "seconds.json").exists():
            sys.exit(f"the tests could not be run: see {log}")
    lines, known = Lines(said.work), equivalent()
    mutants = [mutant for path in modules(said.only) for mutant in mutants_of(path)]
    random.Random(said.seed).shuffle(mutants)
    end = time.monotonic() + 60 * said.minutes
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in mutants[: said.sample]:
        if time.monotonic() > end:
            break
        found = "equivalent" if mutant.key in known else verdict(mutant, lines)
        counts[mutant.path.partition("/")[0]][found] += 1
        if not found.startswith("killed") and found != "equivalent":
            print(
                f"{found}: pres_eval/{mutant.path}:{mutant.line}: {mutant.text} | {mutant.change}", flush=True
            )
    total = Counter[str]()
    for room, found_there in sorted(counts.items()):
        print(f"{room}: {dict(found_there)}")
        total += found_there
    print(f"{total.total()} of {len(mutants)} mutants: {dict(total)}")
    return int(total["survived"] + total["not covered"] > 0)


if __name__ == "__main__":
    import click  # noqa: F401 - what every copy of this process would import again
    import hypothesis  # noqa: F401
    import numpy  # noqa: F401

    sys.exit(main())
