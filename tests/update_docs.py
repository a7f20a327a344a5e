"""Bring README.md and docs/ up to date: generated tables, outputs of examples, the manual page, pictures.

    python tests/update_docs.py [PAGE ...]

writes those parts again, of all pages or of those named.  tests/project/test_docs.py fails if one of them
is not what the code gives today.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from support import prepared
from support.doc_parts import PARTS
from support.doc_picture import architecture
from support.doc_terminal import COLUMNS, commands_run, marks, terminal

from pres_eval import __version__
from pres_eval.cli.man import page

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "architecture.svg"
MANUAL = ROOT / "docs" / "pres-eval.1"
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TAG = re.compile(r"(\b(?:rev:|git tag -s|git push origin) )v\d+\.\d+\.\d+\b")
"""The places where a page names the tag of this version."""
SETUP = re.compile(r"^<!-- setup: (\w+) -->\n```sh\n(.*)\n```$", re.MULTILINE)


def setup_commands(text: str) -> dict[str, str]:
    """The commands that set the project up, by their names: .ci/run runs them."""
    return dict(SETUP.findall(text))


def blocks(text: str) -> list[tuple[str, str]]:
    """The blocks that show commands with their outputs: (kind, content)."""
    return BLOCK.findall(text)


def with_real_output(kind: str, content: str) -> str:
    """A block with the output that its commands have today."""
    return console(content) if kind == "console" else session(content)


EXAMPLE_FILES = {
    "qrels.txt": "patents/qrels.txt",
    "run.txt": "patents/run_broad.txt",
    "other_run.txt": "patents/run_keyword.txt",
    **{f"run_{name}.txt": f"patents/run_{name}.txt" for name in ("broad", "keyword", "semantic")},
    "old_1.txt": "patents/run_keyword.txt",
    "old_2.txt": "patents/run_broad.txt",
    "new_1.txt": "patents/run_keyword.txt",
    "new_2.txt": "patents/run_semantic.txt",
    "scores.csv": "published/table4.csv",
    **dict.fromkeys(("before.txt", "original.txt"), "patents/run_keyword.txt"),
    **dict.fromkeys(("after.txt", "instructed.txt"), "patents/run_semantic.txt"),
    "changed.txt": "patents/qrels.txt",
    "review.txt": "review/found.txt",
    "sample.txt": "review/sample.txt",
}
"""The files that the examples of the help name, as they might lie in a user's folder."""


def console(content: str, columns: int | None = None) -> str:
    """Lines that begin with `$ ` are run by sh, one after the other in one folder where fixtures/ is."""
    commands = [line[2:] for line in content.splitlines() if line.startswith("$ ")]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fixtures").symlink_to(ROOT / "fixtures")
        for name, source in EXAMPLE_FILES.items():
            (Path(folder) / name).symlink_to(ROOT / "fixtures" / source)
        program = Path(folder) / "bin" / "pres-eval"
        program.parent.mkdir()
        program.symlink_to(prepared.program())
        return "".join(f"$ {command}\n{_output(command, Path(folder), columns)}" for command in commands)


def _output(command: str, folder: Path, columns: int | None = None) -> str:
    """What a command prints, errors too; trailing blanks are dropped."""
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONIOENCODING": "utf-8",
    }
    environment.pop("GITHUB_ACTIONS", None)
    if columns:
        environment["COLUMNS"] = str(columns)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.decode().splitlines())


def session(content: str) -> str:
    """A session of Python with what it prints today."""
    written = []
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(content):
        lines = example.source.splitlines()
        written += [f">>> {lines[0]}", *(f"... {line}" for line in lines[1:])]
        printed = io.StringIO()
        hook, stdout = sys.displayhook, sys.stdout
        here = Path.cwd()
        try:
            sys.stdout = printed
            os.chdir(ROOT)
            exec(compile(example.source, "example", "single"), names)
        finally:
            sys.displayhook, sys.stdout = hook, stdout
            os.chdir(here)
        written += printed.getvalue().splitlines()
    return "".join(f"{line}\n" for line in written)


def terminals(text: str) -> dict[str, str]:
    """The pictures of terminals that the marks of a page ask for, by their file names in docs/."""
    pictures = {}
    for name, content in marks(text):
        commands, hidden = commands_run(content)
        pictures[name] = terminal(console(commands, COLUMNS), hidden)
    return pictures


def pages() -> dict[str, str]:
    """The texts of README.md and of the pages of the site, by their paths."""
    paths = [README, *sorted((ROOT / "docs").rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def part(text: str, name: str) -> str | None:
    """What is between the marks of a part; None on a page that does not have it."""
    _, opening, rest = text.partition(f"<!-- {name} -->\n")
    found, closing, _ = rest.partition(f"<!-- /{name} -->\n")
    assert bool(opening) == bool(closing), f"<!-- {name} --> is opened or closed alone"
    return found if opening else None


def updated(text: str) -> str:
    """The text with all its parts and outputs as they are today."""
    for name, make in PARTS.items():
        found = part(text, name)
        if found is not None:
            text = text.replace(f"<!-- {name} -->\n{found}<!-- /", f"<!-- {name} -->\n{make()}<!-- /")

    text = TAG.sub(rf"\g<1>v{__version__}", text)

    def renewed(match: re.Match[str]) -> str:
        return f"```{match[1]}\n{with_real_output(match[1], match[2])}```"

    return BLOCK.sub(renewed, text)


if __name__ == "__main__":
    chosen = {Path(name).resolve() for name in sys.argv[1:]}
    for name, text in pages().items():
        if not chosen or ROOT / name in chosen:
            (ROOT / name).write_text(updated(text), encoding="utf-8")
            for picture, drawn in terminals(text).items():
                (ROOT / "docs" / picture).write_text(drawn, encoding="utf-8")
    if not chosen:
        PICTURE.write_text(architecture(), encoding="utf-8")
        MANUAL.write_text(page(), encoding="ascii")
