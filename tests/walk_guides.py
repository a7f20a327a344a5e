"""Walk through the documentation as a stranger: its commands, in a new environment with only the wheel.

    python tests/walk_guides.py [PAGE ...]

builds the wheel, installs it with the extras that the pages name into an empty environment, and runs every
example of README.md and docs/ (or of the pages named) in a folder of its own with the example files.  Exits
with 1 if one prints something else than its page shows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import update_docs

EXTRAS = "plot,stats,pandas"


def walk(folder: Path, chosen: list[str]) -> int:
    """How many blocks print something else."""
    program = _installed(folder)
    failed, count = 0, 0
    for page, text in update_docs.pages().items():
        if chosen and page not in chosen:
            continue
        for kind, content in update_docs.blocks(text):
            count += 1
            with tempfile.TemporaryDirectory(dir=folder) as place:
                run = _console if kind == "console" else _session
                found = run(content, program, _with_examples(Path(place)))
            if found != content:
                failed += 1
                print(f"{page}: shown\n{content}printed\n{found}", file=sys.stderr)
    print(f"{count} examples, {failed} print something else")
    return failed


def _installed(folder: Path) -> Path:
    """The programs of a new environment that has the wheel."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=update_docs.ROOT, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    program = folder / "venv" / "bin"
    subprocess.run([program / "pip", "install", "-q", f"{wheel}[{EXTRAS}]"], check=True, cwd=folder)
    return program


def _with_examples(place: Path) -> Path:
    (place / "fixtures").symlink_to(update_docs.ROOT / "fixtures")
    for name, source in update_docs.EXAMPLE_FILES.items():
        (place / name).symlink_to(update_docs.ROOT / "fixtures" / source)
    return place


def _environment(program: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GITHUB_ACTIONS")}
    return {**kept, "PATH": f"{program}{os.pathsep}{kept['PATH']}", "PYTHONIOENCODING": "utf-8"}


def _console(content: str, program: Path, place: Path) -> str:
    found = ""
    for command in (line[2:] for line in content.splitlines() if line.startswith("$ ")):
        printed = _printed(["sh", "-c", command], program, place)
        found += "".join(f"{line}\n" for line in (f"$ {command}", *map(str.rstrip, printed.splitlines())))
    return found


def _session(content: str, program: Path, place: Path) -> str:
    """The session as it is shown if Python's doctest finds nothing else, what that says if it does."""
    text = place / "session.txt"
    text.write_text(content, encoding="utf-8")
    printed = _printed([str(program / "python"), "-m", "doctest", str(text)], program, place)
    return printed or content


def _printed(command: list[str], program: Path, place: Path) -> str:
    done = subprocess.run(
        command,
        cwd=place,
        env=_environment(program),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        sys.exit(min(walk(Path(made), sys.argv[1:]), 1))
