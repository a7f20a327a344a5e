"""What a runner does, without one: the environment of a step, and programs in the place of real ones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"

PYTHON = """#!/usr/bin/env bash
case "$*" in
  "-m pip install "*) printf '%s\\n' "${*:4}" >>"$ASKED" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$BIN"/* "$3/bin" ;;
  "-m build") exec "$REAL" -m hatchling build -d dist ;;
  "-m pytest "*)
    tests=${*:6}
    exec "$REAL" -m pytest --collect-only -p no:xdist -p no:cacheprovider ${@:3:1} ${tests:-tests/batches} ;;
  *) exec "$REAL" "$@" ;;
esac
"""
"""It installs nothing, makes no environment, and lists the tests that it is told to run (-q -n auto …),
in place of the whole suite those of one folder."""

PROGRAMS = {
    "python": PYTHON,
    "python3": PYTHON,
    "git": "#!/bin/sh\ntest \"$*\" = 'log -1 --format=%ct' && echo 1700000000\n",
    "pres-eval": f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "$REAL" -m pres_eval "$@"\n',
}


def workflows() -> dict[str, dict[str, Any]]:
    """The workflows, by the names of their files."""
    return {path.name: read(path) for path in sorted(FOLDER.glob("*.yml"))}


def read(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def checkout(place: Path) -> Path:
    """A copy of what the project has, with a folder of programs beside it."""
    kept_out = shutil.ignore_patterns(
        ".*cache*", "__pycache__", "build", "dist", ".git", ".venv*", ".hypothesis"
    )
    copy = place / "checkout"
    shutil.copytree(ROOT, copy, ignore=kept_out)
    programs = place / "bin"
    programs.mkdir(parents=True)
    for name, text in PROGRAMS.items():
        add_program(programs, name, text)
    return copy


def add_program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


def expanded(text: str, values: Mapping[str, str]) -> str:
    """The text with what its expressions stand for; an expression that has no value here is a KeyError."""
    return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: values[match[1]], str(text))


def run_step(
    step: Mapping[str, Any], place: Path, values: Mapping[str, str], more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does, in the checkout that `checkout` made at the place."""
    files = {
        name: str(place / name.lower())
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH")
    }
    for path in files.values():
        Path(path).touch()
    programs = place / "bin"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    search = [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment |= {"PATH": os.pathsep.join(search)}
    environment |= {"REAL": sys.executable, "BIN": str(programs), "ASKED": str(place / "asked")}
    environment |= {"GITHUB_ACTIONS": "true", "RUNNER_TEMP": str(place), **files}
    environment |= {name: expanded(value, values) for name, value in step.get("env", {}).items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=place / "checkout",
        env={**environment, **(more or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
