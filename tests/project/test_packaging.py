"""What is installed: the files in wheel and sdist, what they need, the command, one version, extras."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from support import commands
from support.workflows import checkout

from pres_eval import __version__
from pres_eval.errors import INSTALL_EXTRA

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXTRAS = {
    "scipy": "stats",
    "matplotlib": "plot",
    "zstandard": "zstd",
}


@pytest.fixture(scope="session")
def wheel(built: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(built.glob("*.whl")))


@pytest.fixture(scope="session")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(wheel.read(name))


def files_of_package() -> set[str]:
    """All files of the package in this checkout."""
    files = (path for path in (ROOT / "pres_eval").rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}


def test_wheel_holds_the_package_alone(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name and ".data/" not in name}
    assert names == files_of_package()
    assert {"pres_eval/py.typed", "pres_eval/report/evaluation.schema.json"} <= names
    assert {"pres_eval/report/page/page.css", "pres_eval/report/page/start.js"} <= names
    assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())
    (manual,) = (name for name in wheel.namelist() if ".data/" in name)
    assert manual.endswith(".data/data/share/man/man1/pres-eval.1")


def test_sdist_holds_what_the_tests_need(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    start = f"pres_eval-{__version__}/"
    with tarfile.open(path) as archive:
        names = {name.removeprefix(start) for name in archive.getnames()}
    assert files_of_package() <= names
    assert {"README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "pyproject.toml", ".ci/run"} <= names
    assert {".pre-commit-hooks.yaml", ".github/workflows/tests.yml"} <= names
    assert {"tests/conftest.py", "tests/project/test_packaging.py", "fixtures/patents/qrels.txt"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".git/", ".venv"))]


def test_the_same_files_again(built: Path, tmp_path: Path) -> None:
    """Of the same sources at another time, in another folder, with SOURCE_DATE_EPOCH or without."""
    again = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    made = []
    for name in ("one", "two"):
        copy = checkout(tmp_path / name)
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / name / "dist")]
        subprocess.run(command, cwd=copy, env=again, check=True, capture_output=True, timeout=300)
        made.append({path.name: path.read_bytes() for path in (tmp_path / name / "dist").iterdir()})
    assert made[0] == made[1] and len(made[0]) == 2
    (sdist,) = (name for name in made[0] if name.endswith(".tar.gz"))
    with tarfile.open(tmp_path / "one" / "dist" / sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel")]
    subprocess.run(command, cwd=unpacked, env=again, check=True, capture_output=True, timeout=300)
    (from_sdist,) = (tmp_path / "wheel").iterdir()
    assert made[0][from_sdist.name] == from_sdist.read_bytes()


def test_metadata_is_complete(metadata: Message) -> None:
    """Each Python of the limit and later is named, each keyword, an author, who it is for."""
    classifiers = metadata.get_all("Classifier") or []
    minors = [
        int(found[1]) for text in classifiers if (found := re.fullmatch(r".*:: Python :: 3\.(\d+)", text))
    ]
    assert minors == list(range(10, 15)) and metadata["Requires-Python"] == ">=3.10"
    assert any(text.startswith("Intended Audience ::") for text in classifiers)
    assert not any(text.startswith("License ::") for text in classifiers), "License-Expression says it"
    assert metadata["Author"] and metadata["Summary"] and metadata.get_all("Project-URL")
    assert "PRES" in metadata["Keywords"].split(",")
    assert metadata["Description-Content-Type"] == "text/markdown"


def test_core_needs_three_packages(metadata: Message) -> None:
    needed = metadata.get_all("Requires-Dist") or []
    core = [text for text in needed if "extra ==" not in text]
    assert sorted(re.split(r"[^\w-]", text)[0] for text in core) == ["click", "numpy", "tabulate"]


def test_extras(metadata: Message) -> None:
    extras = ["all", "arrow", "cluster", "datasets", "docs", "ir-measures", "pandas", "parquet", "plot"]
    extras += ["release", "stats", "test", "zstd"]
    assert metadata.get_all("Provides-Extra") == extras
    assert metadata["Requires-Python"] == ">=3.10"
    for package, extra in EXTRAS.items():
        lines = [text for text in metadata.get_all("Requires-Dist") or [] if text.startswith(package)]
        assert [text for text in lines if f"extra == '{extra}'" in text or f'extra == "{extra}"' in text]


def test_one_version(metadata: Message) -> None:
    """It is in pres_eval/__init__.py; the changelog's first entry and CITATION.cff are about it."""
    assert metadata["Version"] == __version__
    assert re.findall(r"^version\s*=", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE) == []
    sources = [path for path in (ROOT / "pres_eval").rglob("*.py") if __version__ in path.read_text("utf-8")]
    assert [path.relative_to(ROOT).as_posix() for path in sources] == ["pres_eval/__init__.py"]
    entries = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert entries[0].split()[0] == __version__
    tags = re.findall(r"\bv(\d+\.\d+\.\d+)", (ROOT / "docs/maintainers/contributing.md").read_text("utf-8"))
    assert tags and set(tags) == {__version__}
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_licence(metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_installed_command(built: Path, tmp_path: Path) -> None:
    """The wheel, installed into an empty folder, brings the command and needs nothing of this checkout."""
    (path,) = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(tmp_path)]
    if subprocess.run([*pip[:3], "--version"], capture_output=True, check=False).returncode:
        pytest.skip("no pip here to install with")
    subprocess.run([*pip, str(path)], check=True, capture_output=True, timeout=120)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [tmp_path / "bin" / "pres-eval", ROOT / "fixtures/patents/qrels.txt", "-m", "PRES", "-"],
        input=(ROOT / "fixtures/patents/run_broad.txt").read_bytes(),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == b""
    assert done.stdout.split() == [b"PRES_100", b"all", b"0.6637", b"PRES_1000", b"all", b"0.9381"]
    assert (tmp_path / "share/man/man1/pres-eval.1").read_text("ascii").startswith(".TH PRES-EVAL 1 ")
    where = "import pres_eval; print(pres_eval.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", where],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    assert Path(found.stdout.strip()).is_relative_to(tmp_path)


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """No package of an extra can be imported."""
    for name in list(sys.modules):
        if name.partition(".")[0] in EXTRAS:
            monkeypatch.delitem(sys.modules, name)
    for name in (*EXTRAS, "compression", "pandas", "statsmodels", "ir_measures", "pytrec_eval"):
        monkeypatch.setitem(sys.modules, name, None)  # makes an import fail


@pytest.mark.parametrize(
    ("arguments", "extra", "package"),
    [
        (["compare", commands.QRELS, *commands.RUNS, "--test", "tukey"], "stats", "scipy"),
        (["compare", commands.QRELS, *commands.RUNS, "--plot", "compare.png"], "plot", "matplotlib"),
        (["agreement", commands.QRELS, *commands.RUNS, "--plot", "agreement.svg"], "plot", "matplotlib"),
        (["sweep", commands.QRELS, *commands.RUNS, "--plot", "sweep.pdf"], "plot", "matplotlib"),
        (["robustness", commands.QRELS, *commands.RUNS, "--plot", "robustness.png"], "plot", "matplotlib"),
        (
            ["explain", commands.QRELS, commands.RUNS[0], "PAC-1001", "--plot", "topic.png"],
            "plot",
            "matplotlib",
        ),
        (["report", commands.QRELS, commands.RUNS[0], "-o", "report.pdf"], "plot", "matplotlib"),
        ([commands.QRELS, "run.zst"], "zstd", "zstandard"),
    ],
    ids=lambda value: None if isinstance(value, str) else value[0].rpartition("/")[2],
)
def test_missing_extras_are_named(
    arguments: list[str],
    extra: str,
    package: str,
    command: commands.Command,
    without_extras: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    called = command(*arguments)
    assert (called.code, called.out) == (2, "")
    assert called.err.count("\n") == 1
    assert package in called.err
    assert f"pip install {package}  or, with all of its extra," in called.err
    assert called.err.endswith(f"{INSTALL_EXTRA.format(extra=extra)}\n")


def test_check_finds_a_missing_extra(command: commands.Command, without_extras: None, tmp_path: Path) -> None:
    """To the checker it is one finding among others."""
    path = tmp_path / "run.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    called = command("check", commands.QRELS, path)
    assert called.code == 1
    assert INSTALL_EXTRA.format(extra="zstd") in called.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["-q", commands.QRELS, commands.RUNS[0]],
        ["--format", "table", commands.QRELS, *commands.RUNS],
        ["compare", commands.QRELS, *commands.RUNS],
        ["agreement", commands.QRELS, *commands.RUNS],
        ["sweep", commands.QRELS, *commands.RUNS],
        ["robustness", commands.QRELS, *commands.RUNS, "--samples", "1"],
        ["explain", commands.QRELS, commands.RUNS[0]],
        ["check", commands.QRELS, *commands.RUNS],
        ["report", commands.QRELS, *commands.RUNS],
        ["report", commands.QRELS, *commands.RUNS, "-o", "report.html"],
        ["man"],
    ],
    ids=lambda value: " ".join(value[:3]).replace(str(ROOT), ""),
)
def test_works_without_extras(
    arguments: list[str],
    command: commands.Command,
    without_extras: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.ok(*arguments).out or Path("report.html").stat().st_size > 1000
