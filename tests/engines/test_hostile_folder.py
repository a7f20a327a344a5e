"""Nothing is imported from the folder of the data, whatever process is started there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow

NAMES = (*sorted(sys.stdlib_module_names), "sitecustomize", "usercustomize")
"""Whatever Python may import by itself."""

PACKAGES = ("numpy", "click", "tabulate", "pres_eval", "pyarrow", "fsspec", "distributed", "matplotlib")

HOSTILE = "open(__file__ + '.executed', 'w').close()\nraise ImportError('from the folder of the data')\n"

LARGE = 16 << 20
"""Bytes of a run that copies of the process read."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements and runs, one of them large, between modules that nobody should import."""
    folder = tmp_path_factory.mktemp("data")
    lines = [f"{topic} Q0 d{number} 0 {99 - number} t\n" for topic in range(9) for number in range(99)]
    (folder / "qrels").write_text("".join(f"{topic} 0 d{topic} 1\n" for topic in range(9)))
    (folder / "run").write_text("".join(lines))
    padding = "".join(f"x Q0 d{number:090} 0 1 t\n" for number in range(LARGE // 100))
    (folder / "large").write_text("".join(lines) + padding)
    for name in (*NAMES, *PACKAGES):
        (folder / f"{name}.py").write_text(HOSTILE)
    return folder


def started(
    folder: Path, arguments: Sequence[str], python: str = sys.executable, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command as its script starts it, in this folder; nothing of the folder was executed."""
    script = folder.parent / "pres-eval"
    script.write_text("from pres_eval.__main__ import run\nrun()\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        [python, str(script), *arguments], cwd=folder, env=kept, capture_output=True, check=False, timeout=120
    )
    executed = sorted(folder.glob("*.executed"))
    for each in executed:
        each.unlink()
    assert not executed
    return done


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--cluster", "local:2", "qrels", "run", "run"), {}),
        (("--cluster", "local:2", "--jobs", "2", "qrels", "large"), {}),
        (("--jobs", "2", "qrels", "large", "run", "large"), {}),
        (("compare", "qrels", "run", "large"), {}),
        (("check", "qrels", "run"), {}),
        (("man",), {}),
        (("completion", "bash"), {}),
        ((), {"_PRES_EVAL_COMPLETE": "bash_complete", "COMP_WORDS": "pres-eval -m ma", "COMP_CWORD": "2"}),
    ],
)
def test_every_way_to_start_a_process(
    arguments: tuple[str, ...], environment: dict[str, str], folder: Path
) -> None:
    done = started(folder, arguments, **environment)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_a_worker_finds_what_the_command_found(folder: Path, tmp_path: Path) -> None:
    """PYTHONPATH goes on to say where modules are, also those that Python imports at its start."""
    (tmp_path / "sitecustomize.py").write_text(f"open({str(tmp_path / 'started')!r}, 'a').write('x')\n")
    expected = started(folder, ("qrels", "run"))
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    found = started(folder, ("--cluster", "local:1", "qrels", "run"), PYTHONPATH=path)
    assert (found.returncode, found.stdout) == (0, expected.stdout), found.stderr
    assert (tmp_path / "started").read_text() == "xx"


def test_what_is_shut_out_of_the_command_is_shut_out_of_its_workers(tmp_path: Path) -> None:
    """With -I Python runs no sitecustomize of PYTHONPATH, in workers neither."""
    (tmp_path / "sitecustomize.py").write_text(f"open({str(tmp_path / 'started')!r}, 'a').write('x')\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    arguments = ["--cluster", "local:1", "-m", "map", "qrels", "run"]
    begin = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from pres_eval.cli import main"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{begin}; sys.exit(main({arguments!r}))"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout.split()) == (0, [b"map", b"all", b"1.0000"]), done.stderr
    assert not (tmp_path / "started").exists()


def test_a_package_that_its_user_has_installed(folder: Path, tmp_path: Path) -> None:
    """In the user's own site packages, which a Python outside of a virtual environment looks into."""
    base = str(getattr(sys, "_base_executable", sys.executable))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = tmp_path / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    places = [str(ROOT), *(each for each in sys.path if each.endswith("site-packages"))]
    (site / "installed.pth").write_text("".join(f"{place}\n" for place in places))
    own = {"PYTHONUSERBASE": str(tmp_path), "PYTHONPATH": ""}
    expected = started(folder, ("qrels", "run"), base, **own)
    assert expected.returncode == 0, expected.stderr
    found = started(folder, ("--cluster", "local:1", "qrels", "run"), base, **own)
    assert (found.returncode, found.stdout) == (0, expected.stdout), found.stderr


@pytest.mark.parametrize("named", [True, False])
def test_the_current_folder_where_python_was_told_to_look_into_it(named: bool, tmp_path: Path) -> None:
    """A program's own path may have it; a worker looks there if PYTHONPATH names it, as an absolute path."""
    (tmp_path / "beside.py").write_text("def double(number):\n    return 2 * number\n")
    program = (
        "import sys, pickle\n"
        "from pres_eval.engines.processes import Processes\n"
        "import beside\n"
        "made = Processes(1)\n"
        "try: print(*made.map(beside.double, [4]))\n"
        "except ModuleNotFoundError as error: print(error)\n"
        "made.close()\n"
    )
    path = os.pathsep.join([str(ROOT), *([str(tmp_path) + os.sep] if named else [""])])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.decode() == ("8\n" if named else "No module named 'beside'\n")


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """Whoever stands in it can still read files elsewhere."""
    for name, text in (("qrels", "1 0 d 1\n"), ("run", "1 Q0 d 0 1 t\n")):
        (tmp_path / name).write_text(text)
    gone = tmp_path / "gone"
    gone.mkdir()
    program = (
        "import os, pres_eval as pe\n"
        f"files = {[str(tmp_path / name) for name in ('qrels', 'run')]}\n"
        f"os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})\n"
        "print(pe.evaluate(*files, cluster='local:1')['map'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == b"1.0\n"
