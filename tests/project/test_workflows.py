"""The workflows: actions pinned, few permissions, and steps that run here as far as they can.

Installing packages and reaching GitHub are replaced (support/workflows.py); all else of a step is what a
runner would execute.
"""

from __future__ import annotations

import re
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from support.workflows import FOLDER, ROOT, add_program, checkout, read, run_step, workflows

from pres_eval import __version__

pytestmark = pytest.mark.slow

WORKFLOWS = workflows()
JOBS = [(file, name) for file, workflow in WORKFLOWS.items() for name in workflow["jobs"]]
SETTINGS = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

IN_CI = {"Sources", "Workflows", "Site"}
"""Steps of which .ci/run executes every line."""

NOT_HERE = {"Build trec_eval": "its sources are fetched by the step before"}
"""Steps that cannot run here, and why."""

WRITES = {
    ("docs.yml", "deploy"): {"pages": "write", "id-token": "write"},
    ("release.yml", "attest"): {"id-token": "write", "attestations": "write"},
    ("release.yml", "publish"): {"id-token": "write"},
    ("release.yml", "announce"): {"contents": "write"},
}
"""The jobs that may do more than read the repository."""


def steps(file: str, job: str) -> list[dict[str, Any]]:
    return list(WORKFLOWS[file]["jobs"][job]["steps"])


def test_there_are_those_that_the_documentation_names() -> None:
    assert list(WORKFLOWS) == ["dependency-review.yml", "docs.yml", "nightly.yml", "release.yml", "tests.yml"]


def test_actions_are_pinned_to_commits() -> None:
    """With the version beside it, the same one everywhere."""
    pins: dict[str, set[str]] = {}
    for path in (ROOT / ".github").rglob("*.yml"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "uses:" in line:
                found = re.fullmatch(r" *(?:- )?uses: (\S+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", line)
                assert found is not None, line
                pins.setdefault(found[1], set()).add(f"{found[2]} {found[3]}")
    assert len(pins) >= 8
    assert [name for name, found in pins.items() if len(found) > 1] == []


@pytest.mark.parametrize(("file", "job"), JOBS)
def test_permissions_are_few(file: str, job: str) -> None:
    """None for the workflow; a job may read, unless it is one of those that publish."""
    assert WORKFLOWS[file]["permissions"] == {}
    found = WORKFLOWS[file]["jobs"][job]
    assert found["permissions"] == WRITES.get((file, job), {"contents": "read"})
    assert found["timeout-minutes"] <= 120
    for step in found["steps"]:
        if "actions/checkout@" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", ""), "what comes from outside is never part of a script"


def test_matrix_has_the_pythons_of_the_metadata() -> None:
    matrix = read(FOLDER / "tests.yml")["jobs"]["test"]["strategy"]["matrix"]
    named = re.findall(r"Programming Language :: Python :: (3\.\d+)", SETTINGS)
    assert matrix["python"] == named
    assert {row["os"] for row in matrix["include"]} == {"ubuntu", "windows"}
    assert [row["python"] for row in matrix["include"] if row["os"] == "windows"] == named


def test_release_does_what_was_tested() -> None:
    """Steps of one name are one text."""
    named: dict[str, set[str]] = {}
    for file, job in JOBS:
        for step in steps(file, job):
            if "run" in step and step["name"] != "Install":
                named.setdefault(step["name"], set()).add(step["run"])
    assert [name for name, texts in named.items() if len(texts) > 1] == []
    assert {"Build", "Check the files"} <= {step.get("name") for step in steps("release.yml", "build")}


@pytest.mark.parametrize("name", sorted(IN_CI))
def test_steps_that_ci_does(name: str) -> None:
    (run,) = {step["run"] for job in JOBS for step in steps(*job) if step.get("name") == name}
    lines = set(CI.replace(".venv/bin/", "").splitlines())
    assert [line for line in run.splitlines() if line not in lines] == []


TOOLS = {"Check the files": ("twine", "check-wheel-contents"), "List what it is made of": ("cyclonedx-py",)}
"""What some steps need of the extra release."""

VALUES = {"github.token": "a-token", "matrix.packages": "oldest"}


def needed(step: dict[str, Any]) -> str | None:
    """Why the step does not run here, if it does not."""
    name = step["name"]
    if name in IN_CI:
        return ".ci/run executes it"
    lacking = [tool for tool in TOOLS.get(name, ()) if not Path(sys.executable).with_name(tool).exists()]
    return NOT_HERE.get(name) or (f"pip install '.[release]' for {', '.join(lacking)}" if lacking else None)


WITH_STEPS = [job for job in JOBS if any("run" in step for step in steps(*job))]


@pytest.mark.parametrize(("file", "job"), WITH_STEPS)
def test_steps_run(file: str, job: str, built: Path, tmp_path: Path) -> None:
    """All of a job, one after the other in one checkout; an earlier job has built what they download."""
    copy = checkout(tmp_path)
    tool = Path(sys.executable).with_name("cyclonedx-py")
    add_program(tmp_path / "bin", tool.name, f'#!/bin/sh\nexec "{tool}" "$@"\n')
    add_program(tmp_path / "bin", "gh", "#!/bin/sh\nprintf '%s\\n' \"$@\" >gh-was-asked\n")
    number = {"GITHUB_RUN_NUMBER": "7", "GITHUB_REF_NAME": f"v{__version__}"}
    for step in steps(file, job):
        kind = step.get("uses", "").partition("@")[0]
        if kind == "actions/download-artifact":
            target = copy / step["with"]["path"]
            shutil.copytree(built, target, dirs_exist_ok=True)
        if "run" not in step or needed(step) is not None:
            continue
        done = run_step(step, tmp_path, VALUES, number)
        assert done.returncode == 0, f"{step['name']}: {done.stdout}{done.stderr}"
    _look_at(file, job, copy, tmp_path)


def _look_at(file: str, job: str, copy: Path, place: Path) -> None:
    """What the steps have left."""
    asked = (place / "asked").read_text(encoding="utf-8") if (place / "asked").exists() else ""
    extras = {name for found in re.findall(r"\[([\w,-]+)\]", asked) for name in found.split(",")}
    assert all(re.search(rf"^{name} = \[", SETTINGS, re.MULTILINE) for name in extras)
    if job == "build" and file != "docs.yml":
        (sdist,) = (copy / "dist").glob("*.tar.gz")
        assert len(list((copy / "dist").glob("*.whl"))) == 1
        with tarfile.open(sdist) as archive:
            assert {member.mtime for member in archive.getmembers()} == {1_700_000_000}
    if (file, job) == ("tests.yml", "test"):
        oldest = (copy / "oldest.txt").read_text(encoding="utf-8").split()
        assert (
            all(re.fullmatch(r"(click|numpy|tabulate)==[\d.]+", line) for line in oldest) and len(oldest) == 3
        )
        assert (copy / "pres_eval" / "__init__.py").is_file()
    if job == "announce":
        arguments = (copy / "gh-was-asked").read_text(encoding="utf-8").splitlines()
        assert arguments[:3] == ["release", "create", f"v{__version__}"]
        assert len([name for name in arguments if name.startswith("dist/")]) == 2
        notes = (copy / "build" / "notes.md").read_text(encoding="utf-8")
        assert notes.strip() and "## " not in notes


@pytest.mark.parametrize("tag", ["v0.0.1", __version__, "vnext"])
def test_a_tag_of_another_version_stops_the_release(tag: str, tmp_path: Path) -> None:
    checkout(tmp_path)
    (step,) = (
        step for step in steps("release.yml", "build") if step.get("name", "").startswith("Is the tag")
    )
    done = run_step(step, tmp_path, {}, {"GITHUB_REF_NAME": tag})
    assert done.returncode == 1
    assert f"::error::tag {tag}, but pres_eval/__init__.py has {__version__}" in done.stdout


def test_readme_has_no_badge() -> None:
    """None of these workflows has run yet."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "badge" not in readme and "shields" not in readme
