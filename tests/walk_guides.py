"""Walk through the documentation as a stranger: its commands, in an environment with only the wheel.

    python tests/walk_guides.py [--new] [PAGE ...]

builds the wheel, installs it with the extras that the pages name into build/walk, and does what README.md and
docs/ (or the pages named) show, each example in a folder of its own with the example files.  A page is a line
with the number of its examples and the time they took.  Exits with 1 if one prints something else than its
page shows.  Packages that pres-eval needs stay in build/walk for the next time, unless --new is given.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import update_docs
from support.doc_workflow import baseline, steps

EXTRAS = "plot,stats,pandas"
PLACE = update_docs.ROOT / "build" / "walk"
WHEELS = PLACE / "wheels"
WORKFLOW = "docs/guides/ci.md"
SECONDS = 300
"""The time that one command may take."""


def walk(chosen: list[str]) -> int:
    """How many examples do something else than their page shows."""
    program = _installed()
    pages = {page: text for page, text in update_docs.pages().items() if not chosen or page in chosen}
    assert not set(chosen) - set(pages), f"no such page: {set(chosen) - set(pages)}"
    counts = [_walk_page(page, text, program) for page, text in pages.items()]
    failed = sum(wrong for _, wrong in counts)
    print(f"{sum(count for count, _ in counts)} examples on {len(pages)} pages: {failed} do something else")
    return failed


def _walk_page(page: str, text: str, program: Path) -> tuple[int, int]:
    """How many examples a page has, and how many of them are wrong."""
    begun = time.monotonic()
    findings = [_console(content, program) for kind, content in update_docs.blocks(text) if kind == "console"]
    findings += [_session(content, program) for kind, content in update_docs.blocks(text) if kind == "pycon"]
    if ">>> " in (session := "".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))):
        findings.append(_session(session, program))
    if page == WORKFLOW:
        findings.append(_workflow(text, program))
    wrong = [finding for finding in findings if finding]
    if findings:
        state = f"{len(wrong)} wrong" if wrong else "good"
        print(f"{page}: {len(findings)} examples, {time.monotonic() - begun:.0f} s, {state}", flush=True)
    for finding in wrong:
        print(finding, file=sys.stderr, flush=True)
    return len(findings), len(wrong)


def _installed() -> Path:
    """The programs of the environment, with the wheel of today."""
    begun = time.monotonic()
    if "--new" in sys.argv:
        shutil.rmtree(PLACE, ignore_errors=True)
    program = PLACE / "bin"
    shutil.rmtree(WHEELS, ignore_errors=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(WHEELS)]
    subprocess.run(build, cwd=update_docs.ROOT, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = WHEELS.glob("*.whl")
    if not (program / "pip").exists():
        venv.create(PLACE, with_pip=True)
    install = [str(program / "pip"), "install", "-q"]
    subprocess.run([*install, f"{wheel}[{EXTRAS}]"], check=True, cwd=WHEELS)
    subprocess.run([*install, "--force-reinstall", "--no-deps", str(wheel)], check=True, cwd=WHEELS)
    listed = subprocess.run([program / "pip", "list", "--format=freeze"], stdout=subprocess.PIPE, check=True)
    packages = len(listed.stdout.splitlines())
    print(f"installed {wheel.name} ({packages} packages, {time.monotonic() - begun:.0f} s)", flush=True)
    return program


def _example_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder with the example files, as a user's may be."""
    folder = tempfile.TemporaryDirectory()
    (Path(folder.name) / "fixtures").symlink_to(update_docs.ROOT / "fixtures")
    for name, source in update_docs.EXAMPLE_FILES.items():
        (Path(folder.name) / name).symlink_to(update_docs.ROOT / "fixtures" / source)
    return folder


def _console(content: str, program: Path) -> str:
    """What is wrong with a block of commands and their outputs; nothing if all is as it is shown."""
    found = ""
    with _example_folder() as place:
        for command in (line[2:] for line in content.splitlines() if line.startswith("$ ")):
            _, printed = _done(["sh", "-c", command], program, place)
            found += "".join(f"{line}\n" for line in (f"$ {command}", *map(str.rstrip, printed.splitlines())))
    return "" if found == content else f"shown\n{content}printed\n{found}"


def _session(content: str, program: Path) -> str:
    """What Python's doctest finds wrong with a session."""
    with _example_folder() as place:
        text = Path(place) / "session.txt"
        text.write_text(content, encoding="utf-8")
        # Tabs are shown as blanks, as the tests of docstrings take them.
        test = [str(program / "python"), "-m", "doctest", "-o", "NORMALIZE_WHITESPACE", str(text)]
        return _done(test, program, place)[1]


def _workflow(guide: str, program: Path) -> str:
    """What is wrong with the workflow: the step that does not pass for the run of the baseline."""
    with _example_folder() as place:
        (Path(place) / "wheels").symlink_to(WHEELS)
        scripts = [baseline(guide), *steps(guide).values()]
        for script in scripts:
            code, printed = _done(["bash", "-eo", "pipefail", "-c", script], program, place)
            if code:
                return f"{script}exit code {code}\n{printed}"
    return ""


def _done(command: list[str], program: Path, place: str) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    left_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "GITHUB_ACTIONS")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        command,
        cwd=place,
        env={**kept, "PATH": f"{program}{os.pathsep}{kept['PATH']}", "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=SECONDS,
    )
    return done.returncode, done.stdout.decode()


if __name__ == "__main__":
    sys.exit(min(walk([name for name in sys.argv[1:] if name != "--new"]), 1))
