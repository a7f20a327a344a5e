"""The shape of the house: imports point one way, floats add up in order, only the command line prints."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT

from pres_eval.measures import MEASURES

PACKAGE = ROOT / "pres_eval"
MODULES = sorted(PACKAGE.rglob("*.py"))

FLOOR = re.compile(r"^\| \d+ \| (`[^|]*`) \|", re.MULTILINE)
LAYERS = [
    set(re.findall(r"`(\w+)`", rooms))
    for rooms in FLOOR.findall(
        (ROOT / "docs" / "maintainers" / "architecture.md").read_text(encoding="utf-8")
    )
]
"""Rooms of the package from the ground up: each may use those below it, and nothing above or beside it."""

LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def name_of(path: Path) -> str:
    """The module's path in the package, as arrays/ids.py."""
    return path.relative_to(PACKAGE).as_posix()


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> list[tuple[str, str | None]]:
    """The modules that a file imports when it runs: module, and the name taken from it if there is one."""
    return list(_imports_of(path))


def is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _imports_of(path: Path) -> Iterator[tuple[str, str | None]]:
    tree = tree_of(path)
    only_for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in only_for_types:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and is_named(node.func, "extra_module"):
            assert isinstance(node.args[0], ast.Constant), f"{path}: the name of an extra's module as a text"
            yield str(node.args[0].value), None


def rooms_used(path: Path) -> set[str]:
    """The rooms of the package that a file imports from."""
    rooms = set()
    for module, name in imports_of(path):
        if (module, name) == ("pres_eval", "__version__"):
            continue  # a plain text, there before anything else is imported
        if module == "pres_eval" and name is not None:
            rooms.add(name if name in LEVEL else "__init__")
        elif module.startswith("pres_eval."):
            rooms.add(module.split(".")[1])
    return rooms - {room_of(path)}


def test_every_room_has_its_place() -> None:
    assert {room_of(path) for path in MODULES} == set(LEVEL)


def test_imports_point_one_way() -> None:
    above = {
        name_of(path): found
        for path in MODULES
        if (found := {room for room in rooms_used(path) if LEVEL[room] >= LEVEL[room_of(path)]})
    }
    assert not above, "modules that import from above or beside them"


def test_other_rooms_import_arrays_as_one() -> None:
    """What they may use of it is listed in one place; its modules are its own matter."""
    inside = {
        name_of(path): module
        for path in MODULES
        for module, _ in imports_of(path)
        if module.startswith("pres_eval.arrays.") and room_of(path) != "arrays"
    }
    assert not inside


def test_measures_know_nothing_of_files() -> None:
    """A measure is a function of a batch: no reading, no ranking, no options of the command."""
    measures = [path for path in MODULES if room_of(path) == "measures"]
    assert measures and not [name_of(path) for path in measures if rooms_used(path) & {"reading", "ranking"}]


OUTSIDE = {
    "click": {"cli"},
    "tabulate": {"report", "cli"},
    "matplotlib": {"report", "analysis"},
    "scipy": {"analysis"},
    "pandas": {"library"},
    "pyarrow": {"library", "reading", "report"},
    "distributed": {"engines"},
    "fsspec": {"reading"},
    "ir_measures": {"ir_measures"},
    "ir_datasets": {"reading"},
    "zstandard": {"reading"},
}


def test_packages_are_used_in_their_rooms() -> None:
    for path in MODULES:
        used = {module.split(".")[0] for module, _ in imports_of(path)}
        for package, rooms in OUTSIDE.items():
            assert package not in used or room_of(path) in rooms, f"{name_of(path)} imports {package}"
        assert not used & {"pytest", "hypothesis", "pytrec_eval"}, name_of(path)


SLOW = (
    *(
        "scipy",
        "matplotlib",
        "tabulate",
        "pandas",
        "concurrent.futures",
        "asyncio",
        "multiprocessing",
    ),
    *(
        "tempfile",
        "json",
        "bz2",
        "lzma",
        "string",
        "unicodedata",
        "pres_eval.analysis",
        "pres_eval.engines.copies",
        "pres_eval.engines.processes",
        "pres_eval.engines.on_dask",
        "pres_eval.engines.connecting",
        "pres_eval.checking.check",
        "pres_eval.checking.run",
        "pres_eval.checking.findings",
        "pres_eval.report.table",
        "pres_eval.library",
    ),
    *("pres_eval.report.records", "pres_eval.cli.gates", "pres_eval.cli.help"),
    "pres_eval.reading.compression",
    *(
        "pres_eval.reading.formats",
        "pres_eval.reading.mistakes.advice",
        "pres_eval.ranking.duplicates",
        "pyarrow",
    ),
)
"""What takes a while to import and is not needed for a plain run."""

MODULE_NAMES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES
}


def makes_dataclasses(path: Path) -> bool:
    """Whether a module has classes of which the standard library writes the methods, which takes a while."""
    return ("dataclasses", "dataclass") in imports_of(path)


STARTED = """
import sys
import numpy
before = set(sys.modules)
from pres_eval.cli import main
code = main(sys.argv[1:])
loaded = set(sys.modules) - before
print(*sorted(loaded), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("run", ["patents/run_broad.txt", "robust/run_uic0301.txt"])
@pytest.mark.parametrize("options", [[], ["-q", "-m", "all_trec"], ["-c", "-J", "-M10", "-l2"]])
def test_start_up_is_light(options: list[str], run: str, fixtures: Path) -> None:
    """A plain run imports numpy and click, and of our own code what it needs.

    numpy.ma (10 ms) is not among it: np.unique, np.isin and other set operations import it.
    """
    files = [str((fixtures / run).parent / "qrels.txt"), str(fixtures / run)]
    done = subprocess.run(
        [sys.executable, "-c", STARTED, *options, *files],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert "pres_eval.ranking.runs" in loaded
    slow = loaded & {*SLOW, "numpy.ma"}
    assert not slow
    written = [name for name in loaded & MODULE_NAMES.keys() if makes_dataclasses(MODULE_NAMES[name])]
    assert not written, "expected the dataclass of pres_eval.records"


DEPTH = """
import inspect, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print("depth", len(inspect.stack()), file=sys.stderr)
sys.meta_path.insert(0, Finder())
from pres_eval.__main__ import run
run()
"""


def test_numpy_is_imported_near_the_ground(fixtures: Path) -> None:
    """Deep inside our own imports its import takes up to a tenth of a small run longer with Python 3.11."""
    files = [str(fixtures / "patents" / name) for name in ("qrels.txt", "run_broad.txt")]
    done = subprocess.run(
        [sys.executable, "-c", DEPTH, *files],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (depth,) = re.findall(r"depth (\d+)", done.stderr)
    assert int(depth) < 15


NUMBERS = [
    path
    for path in MODULES
    if (room_of(path) in {"batches", "measures", "scoring"} or name_of(path) == "arrays/exact.py")
    # Its columns are added by arrays/exact.py; the counts and the weights beside them in any order, exactly.
    and name_of(path) != "scoring/summing.py"
]
"""Where the numbers are made that have to agree with C's to the last bit."""

NOT_IN_ORDER = {"sum", "mean", "prod", "dot", "var", "std", "reduceat", "reduce", "fsum", "sumprod"}
"""Functions and methods that add (or multiply) in an order of their own: pairwise, blocked, or exactly."""

NOT_OF_NUMPY = {
    *(
        "nansum",
        "nanmean",
        "average",
        "vdot",
        "inner",
        "matmul",
        "einsum",
        "tensordot",
        "trapezoid",
        "convolve",
    ),
    *("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "power", "float_power", "cbrt"),
}
"""Functions of numpy that do so too, or that are not bit-equal to the C library's."""


def faults_in_arithmetic(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Calls and references that add floats in another order than C, or take numpy's logarithm."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            # The least and the greatest of some values are the same in any order.
            is_extreme = isinstance(node.value, ast.Attribute) and node.value.attr in {"minimum", "maximum"}
            if node.attr in NOT_IN_ORDER and not is_extreme:
                yield node.lineno, node.attr
            is_numpy = isinstance(node.value, ast.Name) and node.value.id in {"np", "numpy"}
            if is_numpy and node.attr in NOT_OF_NUMPY:
                yield node.lineno, f"np.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum":
            yield node.lineno, "sum"
        elif isinstance(node, ast.MatMult):
            yield 0, "@"
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            yield node.lineno, "from numpy import"


def test_floats_add_up_in_order() -> None:
    found = {name_of(path): list(faults_in_arithmetic(tree_of(path))) for path in NUMBERS}
    assert not {name: faults for name, faults in found.items() if faults}


@pytest.mark.parametrize(
    "text",
    [
        *("np.sum(x)", "x.sum()", "x.mean()", "np.mean(x)", "np.add.reduceat(x, y)", "np.add.reduce(x)"),
        *(
            "sum(x)",
            "np.log2(x)",
            "np.exp(x)",
            "x @ y",
            "math.fsum(x)",
            "from numpy import log2",
            "f = np.sum",
        ),
    ],
)
def test_faults_in_arithmetic_are_found(text: str) -> None:
    assert list(faults_in_arithmetic(ast.parse(text)))


def test_what_is_in_order_is_allowed() -> None:
    text = "np.add.accumulate(x); np.bincount(x, weights=y); np.cumsum(x); math.log2(x); math.exp(x); max(x)"
    assert not list(faults_in_arithmetic(ast.parse(text)))


def printing_in(tree: ast.AST) -> Iterator[str]:
    """What a module prints with, or ends the process with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in {"print", "exit", "quit", "input"}:
                yield node.func.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            if name in {"sys.stdout", "sys.stderr", "sys.exit", "os._exit", "sys.argv"}:
                yield name
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call | ast.Name):
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(raised, ast.Name) and raised.id == "SystemExit":
                yield "SystemExit"


def test_only_the_command_line_prints_or_exits() -> None:
    below = [path for path in MODULES if room_of(path) not in {"cli", "__main__"}]
    found = {name_of(path): set(printing_in(tree_of(path))) for path in below}
    # A copy of the process must not come back to the program.
    assert {name: what for name, what in found.items() if what} == {"engines/copies.py": {"os._exit"}}
    assert any(list(printing_in(tree_of(path))) for path in MODULES if path not in below)


def test_every_file_of_tests_has_a_name_of_its_own() -> None:
    """pytest takes two of one name for the same."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(set(names)) == sorted(names)


SHAPED = {"arrays", "reading", "ranking", "batches", "measures", "scoring", "analysis"}
"""Rooms whose functions say of what shapes the arrays are that they take or give."""

ARRAY = re.compile(r"\b(\w+Array|AnyInts|Grades|Words|Bytes|Scores)\b")
SHAPE = re.compile(r"\((?:[\w+-]+,|[\w+-]+(?:, [\w+-]+)+)\)")
"""As (n,), (T+1,) or (rows, topics)."""


def functions_in(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Functions and methods, but those inside of others, and those of which another declares the types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions_in(node)
        elif isinstance(node, ast.FunctionDef) and "overload" not in map(ast.unparse, node.decorator_list):
            yield node


def without_shapes(tree: ast.AST) -> Iterator[str]:
    """The functions that have arrays and do not say their shapes; constructors are told by their class."""
    for function in functions_in(tree):
        arguments = [node.annotation for node in ast.walk(function.args) if isinstance(node, ast.arg)]
        types = " ".join(ast.unparse(each) for each in (*arguments, function.returns) if each is not None)
        told = ast.get_docstring(function) or ""
        if ARRAY.search(types) and function.name != "__init__" and not SHAPE.search(told):
            yield function.name


SCORES = {measure.score.__name__ for measure in MEASURES if hasattr(measure.score, "__name__")}
"""What is computed from a batch is (T,) by the record; the docstrings are texts for users."""


def test_functions_say_the_shapes_of_arrays() -> None:
    found = {
        name_of(path): names
        for path in MODULES
        if room_of(path) in SHAPED
        and (names := [name for name in without_shapes(tree_of(path)) if name not in SCORES])
    }
    assert not found, "functions whose docstring has no shape like (n,) of the arrays that they take or give"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x: IntArray): ...", True),
        ("def f(x): 'No (see there) shape'\ndef g() -> FloatArray: '(n) is none, nor is (a) or (b)'", True),
        ("def f(x: IntArray): '(n,) of something'", False),
        ("class A:\n def f(self) -> tuple[BoolArray, int]: 'Rows (rows, topics).'", False),
        ("class A:\n def f(self) -> tuple[BoolArray, int]: 'Rows.'", True),
        ("def f(x: int) -> int: ...", False),
    ],
)
def test_functions_without_shapes_are_found(text: str, found: bool) -> None:
    assert any(without_shapes(ast.parse(text))) == found


def test_no_two_classes_have_one_name() -> None:
    where: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(name_of(path))
    assert len(where) > 300
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}


def test_long_functions_say_what_they_return() -> None:
    """Private ones too, from eleven lines on; makers of objects are told by their class."""
    silent = [
        f"{name_of(path)}: {node.name}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 10
        and node.name != "__init__"
        and not ast.get_docstring(node)
    ]
    assert silent == []


FOLDERS = "|".join(("home", "root", "Users", "work", "mnt", "srv", "tmp", "private", "media"))
MACHINE_PATH = re.compile(rf"(?<![\w./~<$}}])/({FOLDERS})/\w|\b[A-Z]:\\\\?Users\b")
TEXT_FILES = [
    path
    for folder in ("pres_eval", "tests", "fixtures", ".ci", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
] + [path for path in sorted(ROOT.glob("*")) if path.suffix in {".md", ".toml", ".txt", ".cfg"}]


def test_no_path_of_some_machine() -> None:
    """What is committed says nothing about where it was written."""
    assert len(TEXT_FILES) > 100
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in TEXT_FILES
        for number, line in enumerate(path.read_bytes().decode("latin-1").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["see /{}/x/y", '"/{}/ab"', "C:\\{}\\me"])
def test_paths_of_machines_are_found(text: str) -> None:
    assert MACHINE_PATH.search(text.format("Users"))
    assert not MACHINE_PATH.search("https://example.org/home/x a/tmp/b /dev/null")
