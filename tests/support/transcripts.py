"""Transcripts: commands and Python statements with all that they print, as texts that one reads.

A transcript begins with a line or two of what it shows. Each further line with a prompt is a step:

    $ pres-eval -m map qrels run > values      a command in this process; `<` and `>` are files
    $ LANG=C pres-eval check run               settings of the environment stand before it
    $ cat > qrels <<END                        the lines up to END are written to a file
    $ cat FILE  and  $ ls                      show a file, and the folder
    $ # a remark
    >>> pe.evaluate("qrels", "run")["map"]     Python, with pres_eval as pe; `...` goes on with a statement

What follows a step is what it printed: stdout as it is; each line of stderr, each warning and each error
of Python behind "! "; the exit code in brackets if it is not 0. VERSION, FOLDER, TODAY: what differs.
"""

from __future__ import annotations

import codeop
import contextlib
import datetime
import io
import re
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import pres_eval
from pres_eval.cli import main
from pres_eval.cli.explain import SCREEN_LINES

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "transcripts"
PROMPT = re.compile(r"(\$|>>>) ")

OTHER_PACKAGES = r"(?!pres_eval\b|transcript$)"
"""Names of modules that are neither ours nor the steps of a transcript."""

SETTINGS_OF_OTHERS = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "PRES_EVAL_FALLBACK")
"""Variables of the environment that change what is printed, and that a CI job or a user may have set."""


@dataclass
class Step:
    """A prompt's lines, and the lines printed behind them."""

    lines: list[str]
    printed: list[str] = field(default_factory=list)

    @property
    def typed(self) -> str:
        """What was typed behind the first prompt."""
        return PROMPT.sub("", self.lines[0], count=1)

    @cached_property
    def words(self) -> list[str]:
        """The words of a command; none for Python and remarks."""
        if self.lines[0].startswith(">>> ") or self.typed.startswith("#"):
            return []
        return shlex.split(self.typed)

    @property
    def is_input(self) -> bool:
        """Whether the step writes a file out of the transcript itself."""
        return self.typed.startswith("cat > ")


@dataclass(frozen=True)
class Transcript:
    """A text of steps."""

    path: Path
    head: list[str]
    steps: list[Step]

    def __str__(self) -> str:
        """The transcript's text."""
        lines = [*self.head]
        for step in self.steps:
            lines += [*step.lines, *step.printed]
        return "".join(line + "\n" for line in lines)


def read_transcript(path: Path) -> Transcript:
    """Read a transcript; lines end with a line feed alone."""
    head: list[str] = []
    steps: list[Step] = []
    lines = iter(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
    for line in lines:
        if PROMPT.match(line):
            steps.append(Step([line]))
            if steps[-1].is_input:
                steps[-1].lines.extend(_input_lines(lines))
        elif not steps:
            head.append(line)
        elif line.startswith("...") and not steps[-1].printed and steps[-1].lines[0].startswith(">>> "):
            steps[-1].lines.append(line)
        else:
            steps[-1].printed.append(line)
    return Transcript(path, head, steps)


def _input_lines(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if line == "END":
            return


def all_transcripts() -> list[Transcript]:
    """The transcripts of the folder, by name."""
    return [read_transcript(path) for path in sorted(FOLDER.glob("*.txt"))]


class Player:
    """Plays steps in a folder, which is the current one while it exists."""

    def __init__(
        self, folder: Path, capture: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch
    ) -> None:
        self.folder = folder
        self._capture = capture
        self._patch = patch
        self._namespace: dict[str, Any] = {"pe": pres_eval, "__name__": "transcript"}
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        patch.setenv("LINES", str(SCREEN_LINES))
        for name in SETTINGS_OF_OTHERS:
            patch.delenv(name, raising=False)
        patch.setattr("pres_eval.measures._OWN", {})  # measures that other steps and tests registered
        # Links to folders, which `files` leaves out.
        (folder / "fixtures").symlink_to(ROOT / "fixtures")
        (folder / "inputs").symlink_to(FOLDER / "inputs")

    def play(self, step: Step) -> list[str]:
        """Do what a step says and return the lines that it prints."""
        if step.lines[0].startswith(">>> "):
            return self._python(step)
        words = step.words
        if not words:
            return []
        if step.is_input:
            text = "".join(line + "\n" for line in step.lines[1:-1])
            Path(words[2]).write_text(text, encoding="utf-8")
            return []
        if words[0] == "cat":
            return self._lines("".join(_text(Path(word).read_bytes()) for word in words[1:]))
        if words == ["ls"]:
            return sorted(self.files())
        return self.call(words)

    def files(self) -> dict[str, bytes]:
        """Return the files of the folder with what they hold."""
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def call(self, words: list[str]) -> list[str]:
        """Call the command with the settings before it and the files behind it."""
        with self._patch.context() as patch:
            while "=" in words[0]:
                name, _, value = words[0].partition("=")
                patch.setenv(name, value)
                words = words[1:]
            assert words[0] == "pres-eval", words
            words, output = _without_file(words[1:], ">")
            words, source = _without_file(words, "<")
            if source is not None:
                text = io.TextIOWrapper(io.BytesIO(Path(source).read_bytes()))
                patch.setattr("sys.stdin", text)
            code = main(words)
        printed = self._capture.readouterr()
        lines = []
        if output is None:
            lines = self._lines(_text(printed.out))
        else:
            Path(output).write_bytes(printed.out)
        lines += ["! " + line for line in self._lines(_text(printed.err))]
        if code != 0:
            lines.append(f"[exit {code}]")
        return lines

    def _python(self, step: Step) -> list[str]:
        source = "\n".join([step.typed, *(line[4:] for line in step.lines[1:])]) + "\n"
        output = io.StringIO()
        with contextlib.redirect_stdout(output), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # Files that earlier tests left open may be collected now.
            warnings.simplefilter("ignore", ResourceWarning)
            # What other packages say of each other depends on their versions.
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=OTHER_PACKAGES)
            # A statement that is none is a mistake of the transcript, not what it shows.
            code = codeop.compile_command(source, "<transcript>")
            assert code is not None, source
            try:
                exec(code, self._namespace)
                error = None
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}\n"
        lines = self._lines(output.getvalue())
        for warning in caught:
            lines += [
                "! " + line for line in self._lines(f"{warning.category.__name__}: {warning.message}\n")
            ]
        if error is not None:
            lines += ["! " + line for line in self._lines(error)]
        return lines

    def _lines(self, text: str) -> list[str]:
        """The lines of a text, without what differs from day to day and place to place."""
        if not text:
            return []
        text = text.replace(str(self.folder), "FOLDER").replace(str(ROOT), "CHECKOUT")
        text = text.replace(pres_eval.__version__, "VERSION")
        text = text.replace(datetime.date.today().isoformat(), "TODAY")
        if not text.endswith("\n"):
            text += "[no line end]\n"
        lines = text.removesuffix("\n").split("\n")
        return ["\\" + line if line.startswith(("$ ", ">>> ", "...")) else line for line in lines]


def _without_file(words: list[str], arrow: str) -> tuple[list[str], str | None]:
    """Return the words without a redirection, and its file."""
    if arrow not in words:
        return words, None
    at = words.index(arrow)
    return [*words[:at], *words[at + 2 :]], words[at + 1]


def _text(content: bytes) -> str:
    """Decode what was printed; other bytes are escaped, as are carriage returns, which editors lose."""
    return content.decode("utf-8", "backslashreplace").replace("\r", "\\r")
