"""Other systems than ours: without fork, fcntl and signals that Windows lacks, or with another encoding.

What is taken away is listed in support/elsewhere/sitecustomize.py.  It shows what pres-eval asks of a system,
and is no trial on Windows or macOS.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import prepared
from support.commands import QRELS, RUNS

ROOT = Path(__file__).parents[2]
ELSEWHERE = ROOT / "tests" / "support" / "elsewhere"

pytestmark = pytest.mark.slow

Done = tuple[int, bytes, bytes, dict[str, bytes]]


def done(arguments: list[str], folder: Path, system: str = "", **environment: str) -> Done:
    """Exit code, stdout, stderr and files of a command on a system, in a folder of its own."""
    return ran([sys.executable, *arguments], folder, system, **environment)


def done_here(arguments: list[str], folder: Path) -> Done:
    """The same on ours, of arguments that begin with -m pres_eval."""
    return ran([prepared.program(), *arguments[2:]], folder)


def ran(command: list[str], folder: Path, system: str = "", **environment: str) -> Done:
    folder.mkdir()
    with open(RUNS[2], "rb") as stdin:  # noqa: PTH123
        called = subprocess.run(
            command,
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, (ELSEWHERE, ROOT))),
                "PRES_EVAL_TESTS_LACK": system,
                **environment,
            },
            stdin=stdin,
            capture_output=True,
            check=False,
            timeout=120,
        )
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    return called.returncode, called.stdout, called.stderr, written


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of more than 16 MB, for which the command copies itself where it can."""
    path = tmp_path_factory.mktemp("large") / "run.txt"
    with path.open("w", encoding="ascii") as file:
        for topic in range(1000, 1700):
            rows = (f"PAC-{topic} Q0 document-{rank} {rank} {1 - rank / 1000:.6f} x\n" for rank in range(700))
            file.write("".join(rows))
    assert path.stat().st_size > 16 << 20
    return str(path)


@pytest.fixture(scope="session")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> str:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    path = tmp_path_factory.mktemp("parquet") / "run.parquet"
    rows = [line.split() for line in Path(RUNS[0]).read_text(encoding="utf-8").splitlines()]
    columns = {"qid": [row[0] for row in rows], "docno": [row[2] for row in rows]}
    table = pyarrow.table({**columns, "score": [float(row[4]) for row in rows]})
    pyarrow.parquet.write_table(table, path, row_group_size=200)
    return str(path)


COMMANDS = [
    [QRELS, RUNS[0]],
    [QRELS, "LARGE"],
    ["--jobs", "2", "-m", "map", QRELS, "LARGE", "LARGE"],
    [QRELS, "PARQUET"],
    ["--format", "json", QRELS, *RUNS],
    ["--format", "table", "--output", "table.txt", QRELS, *RUNS],
    ["-m", "all_trec", "-q", QRELS, "-"],
    ["check", QRELS, RUNS[1]],
    ["compare", QRELS, *RUNS],
    ["robustness", QRELS, *RUNS, "--samples", "5"],
    ["report", QRELS, *RUNS, "-o", "report.html"],
    ["--fail-under", "map=0.9", "--junit", "junit.xml", "--summary", "summary.md", QRELS, RUNS[0]],
    ["pool", *RUNS, "--depth", "5"],
    ["man"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda value: value[0].rpartition("/")[2])
def test_the_same_bytes(arguments: list[str], large: str, parquet: str, tmp_path: Path) -> None:
    """On stdout, on stderr and in files, where the system lacks what ours has."""
    command = [
        "-m",
        "pres_eval",
        *({"LARGE": large, "PARQUET": parquet}.get(each, each) for each in arguments),
    ]
    ours = done_here(command, tmp_path / "ours")
    # Windows has no fork either; only for large runs that alone makes a difference.
    for system in ("windows", "no-fork") if "LARGE" in arguments else ("windows",):
        assert done(command, tmp_path / system, system) == ours
    assert ours[0] == (3 if "--fail-under" in arguments else 0), ours[2]


def test_nothing_of_it_is_there() -> None:
    """What the other tests rest on."""
    for system in ("no-fork", "windows"):
        environment = {**os.environ, "PYTHONPATH": str(ELSEWHERE), "PRES_EVAL_TESTS_LACK": system}
        script = "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGHUP')); import fcntl"
        called = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
        )
        assert called.stdout == f"False {system != 'windows'}\n"
        assert "ModuleNotFoundError: import of fcntl halted" in called.stderr


def test_processes_of_this_machine(tmp_path: Path) -> None:
    """They need no fork; Windows can't wait for them, which is said."""
    command = ["-m", "pres_eval", "--cluster", "local:2", "-m", "PRES", QRELS, RUNS[0]]
    ours = done_here(command, tmp_path / "ours")
    assert done(command, tmp_path / "no fork", "no-fork") == ours
    code, out, err, _ = done(command, tmp_path / "windows", "windows")
    assert (code, out) == (1, b"")
    assert err.startswith(b"pres-eval: cluster 'local:2': processes of this machine need Linux or macOS")


@pytest.mark.parametrize("arguments", COMMANDS[4:], ids=lambda value: value[0].rpartition("/")[2])
def test_no_file_depends_on_the_encoding_of_the_system(arguments: list[str], tmp_path: Path) -> None:
    """Python warns of each file that is opened without one; here that is an error."""
    plain = ["-m", "pres_eval", *arguments]
    strict = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning", *plain]
    settings = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    assert done(strict, tmp_path / "strict", **settings) == done_here(plain, tmp_path / "plain")


@pytest.mark.parametrize("encoding", ["cp437", "cp1252", "cp932"])
def test_consoles_without_utf_8(encoding: str, tmp_path: Path) -> None:
    """Texts have escapes for what the console lacks; results are UTF-8 everywhere, as ids are."""
    (tmp_path / "run").write_text("PAC-1001 Q0 d 1 1 β\n", encoding="utf-8")
    command = ["-m", "pres_eval", "--format", "table", "-m", "map", QRELS, str(tmp_path / "run")]
    assert "β".encode() in done(command, tmp_path / "results", PYTHONIOENCODING=encoding)[1]
    for number, arguments in enumerate((["-h", "-m", "Fprime"], ["measures"], ["-m", "xβ"], [QRELS, "no-β"])):
        called = ["-m", "pres_eval", *arguments]
        code, out, err, _ = done(called, tmp_path / f"{number}", PYTHONIOENCODING=encoding)
        assert code == (2 if "no-β" in arguments else "xβ" in arguments) and b"Traceback" not in err
        assert (out + err).decode(encoding)
