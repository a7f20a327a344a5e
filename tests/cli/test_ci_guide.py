"""The steps of the workflow in docs/guides/ci.md do what the guide says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from importlib.metadata import distribution
from importlib.util import cache_from_source
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from support import prepared
from support.commands import QRELS, RUNS
from support.doc_workflow import baseline, block, steps, wheel
from support.junit import faults

from pres_eval import __version__

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
STEPS = steps(GUIDE)


@pytest.fixture(scope="module")
def with_baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with judgements, a run, the baseline made as the guide says, and the two programs."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(QRELS, folder / "qrels.txt")
    shutil.copy(RUNS[1], folder / "run.txt")
    programs = folder / "bin"
    programs.mkdir()
    for name, text in (
        ("pres-eval", f'exec "{prepared.program()}" "$@"'),
        ("pip", 'test "$*" = "install wheels/pres_eval-*.whl"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    assert run(baseline(GUIDE), folder).returncode == 0
    return folder


@pytest.fixture
def repository(with_baseline: Path, tmp_path: Path) -> Path:
    """A copy of the checkout."""
    shutil.copytree(with_baseline, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script as GitHub runs it."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_every_step_passes_for_the_run_of_the_baseline(name: str, repository: Path) -> None:
    done = run(STEPS[name], repository)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that has pip and what pres-eval needs, but not pres-eval."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place / "new", with_pip=False)
    packages = place / "packages"
    packages.mkdir()
    for name in ("pip", "click", "numpy", "tabulate"):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(str(found.locate_file(top))))
    (libraries,) = (place / "new").glob("lib/python*/site-packages")
    (libraries / "packages.pth").write_text(f"{packages}\n", encoding="utf-8")
    programs = place / "new" / "bin"
    (programs / "pip").write_text(f'#!/bin/sh\nexec "{programs}/python" -m pip "$@"\n', encoding="utf-8")
    (programs / "pip").chmod(0o755)
    return programs


@pytest.fixture(scope="module")
def with_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the wheel was built as the guide says, without a package index."""
    pytest.importorskip("hatchling", reason="no hatchling here to build with")
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "pres-eval").symlink_to(ROOT)
    programs = folder / "bin"
    programs.mkdir()
    builder = f'exec "{sys.executable}" -m pip "$@" --no-build-isolation --no-index'
    (programs / "pip").write_text(f"#!/bin/sh\n{builder}\n", encoding="utf-8")
    (programs / "pip").chmod(0o755)
    built = run(wheel(GUIDE), folder)
    assert built.returncode == 0, built.stderr
    shutil.rmtree(programs)
    return folder


@pytest.mark.slow
def test_the_guide_installs_pres_eval(
    environment: Path, with_wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel is installed as written, by GitHub and GitLab alike, without a package index."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    (job,) = yaml.safe_load(block(GUIDE, "gitlab")).values()
    step = STEPS["Install"].strip()
    assert job["script"][0] == step
    monkeypatch.setenv("PATH", f"{environment}{os.pathsep}{os.environ['PATH']}")
    done = run(f"{step}\ncommand -v pres-eval\npres-eval --version", with_wheel)
    assert done.returncode == 0, done.stderr
    assert f"{environment / 'pres-eval'}\npres-eval {__version__} " in done.stdout


@pytest.mark.slow
def test_a_run_that_got_worse_fails(repository: Path) -> None:
    """One annotation a measure, a table in the summary, exit code 3."""
    shutil.copy(RUNS[2], repository / "run.txt")
    done = run(STEPS["Did it get worse?"], repository)
    assert done.returncode == 3
    assert "PRES_100, all: fell from 0.66" in done.stderr
    assert sum(line.startswith("::error ") for line in done.stderr.splitlines()) == 1
    summary = (repository / "summary.md").read_text(encoding="utf-8")
    assert (
        summary.startswith("### pres-eval: gates failed") and "| PRES_100" in summary and "worse |" in summary
    )
    assert run(STEPS["Is the run good enough?"], repository).returncode == 0
    assert run(STEPS["Did it get worse by more than chance?"], repository).returncode == 3


@pytest.mark.slow
def test_other_options_are_said_first(repository: Path) -> None:
    done = run("pres-eval --against baseline.json -c -l 2 -m map -m PRES.100 qrels.txt run.txt", repository)
    assert done.returncode == 3
    assert done.stderr.splitlines()[1].startswith(
        "pres-eval: baseline.json was made with other options: -l 1 (now 2)"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(1, 0), (2, 3)])
def test_gitlab_gets_a_report(number: int, code: int, repository: Path) -> None:
    """Where the job says that it is, valid, with a test for each limit and measure."""
    (job,) = yaml.safe_load(block(GUIDE, "gitlab")).values()
    shutil.copy(RUNS[number], repository / "run.txt")
    done = run("\n".join(job["script"]), repository)
    assert done.returncode == code, done.stderr
    report = ElementTree.parse(repository / job["artifacts"]["reports"]["junit"]).getroot()
    assert faults(report) == []
    assert report.get("tests") == "3"
    assert (report.get("failures") != "0") == (code == 3)
    passed = [each.findtext("system-out") or "" for each in report if each.find("system-out") is not None]
    assert not [text for text in passed if "too low" in text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<testsuite name="a" tests="1" failures="0" errors="0"/>', "tests=1, but 0"),
        ('<testsuite name="a" failures="0" errors="0"/>', "testsuite: no tests"),
        ("<testcase/>", "testcase: no name"),
        ('<testsuites><testcase name="a" line="1"/></testsuites>', "testcase: line"),
    ],
)
def test_a_report_that_a_reader_refuses(text: str, said: str) -> None:
    assert said in faults(ElementTree.fromstring(text))


@pytest.mark.slow
@pytest.mark.parametrize(("line", "code"), [("", 0), ("1 Q0\n", 1)])
def test_hook_before_a_commit(line: str, code: int, repository: Path) -> None:
    """Called as pre-commit calls it: the entry, the arguments, then the files."""
    ((repo,),) = yaml.safe_load(block(GUIDE, "pre-commit")).values()
    (used,) = repo["hooks"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (hook,) = (hook for hook in hooks if hook["id"] == used["id"])
    assert repo["rev"] == f"v{__version__}" and hook["language"] == "python"
    with (repository / "run.txt").open("a", encoding="utf-8") as file:
        file.write(line)
    done = run(shlex.join([*shlex.split(hook["entry"]), *used["args"], "run.txt"]), repository)
    assert done.returncode == code, done.stderr
    assert ("run.txt:1426: 2 columns" in done.stdout) == (code == 1), done.stdout


@pytest.mark.slow
def test_image_has_its_modules_compiled(tmp_path: Path) -> None:
    """The line of the Dockerfile, run on a copy: each module has bytecode that no later clock makes old."""
    text = (ROOT / ".github" / "Dockerfile").read_text(encoding="utf-8")
    for source in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in source.split())
    shutil.copytree(ROOT / "pres_eval", tmp_path / "pres_eval", ignore=shutil.ignore_patterns("__pycache__"))
    (line,) = (
        line
        for line in re.findall(r"^RUN python (.*)$", text, re.MULTILINE)
        if "compileall" in line and "/opt" in line
    )
    arguments = shlex.split(line.replace("/opt/pres-eval/lib", str(tmp_path)))
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPYCACHEPREFIX"}
    subprocess.run([sys.executable, *arguments], check=True, env=plain, timeout=120)
    sources = list(tmp_path.rglob("*.py"))
    compiled = [Path(cache_from_source(str(path))) for path in sources]
    assert len(compiled) > 200
    # PEP 552: a word of flags behind the magic number; 1 is a hash that is not checked.
    assert {path.read_bytes()[4] for path in compiled} == {1}
