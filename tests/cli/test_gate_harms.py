"""Gates never pass without having compared, and no output destroys an input: a table of scenarios.

Each scenario is a command in a folder of files that were made before.  Its exit code is given, words of
stderr, and the files that it changes (`NAME=new`): all the others are in the end what they were.  `>`, `>>`
and `<` before a name redirect the standard streams, as a shell does.
"""

from __future__ import annotations

import csv
import gzip
import importlib
import inspect
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from support.commands import Called, Command
from support.gate_files import FILES, run

from pres_eval.cli import main
from pres_eval.cli.command_options import CommandOptions, FileUse
from pres_eval.cli.commands import COMMANDS, command_of

ROOT = Path(__file__).parents[2]

with (Path(__file__).parent / "gate_harms.tsv").open(encoding="utf-8", newline="") as table:
    SCENARIOS = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))

BEFORE = (
    "-m map --output map.json qrels a",
    "-m map --groups halves --output groups.json qrels a",
    "-q -m map -m P.2 --output lines.txt qrels a",
    "-m map -m P.2 --output all.txt qrels a",
    "-q -m map --output two.txt qrels a better",
    "-m map -m P.2 --output two-all.txt qrels a better",
    "-q -m map --output scores.csv qrels a better",
    "-m urbp --document-scores likes --output likes.json qrels a",
    "-m urbp -m map --document-scores likes --output likes-map.json qrels a",
    "-m map --output worse.json qrels worse",
    "-c -m map --groups halves --output complete-groups.json qrels short",
    "-m map -m P.1,2,3,4,5,6 --output six.txt qrels a",
    "-R prefs -m prefs_simp --output prefs.json prefs a",
    "-m map --output ten.json qrels20 a --quiet",
    "-m map --output both.json qrels a better",
    "-m recip_rank --weights w --output w.json qrels a",
)
"""Commands that make files for the scenarios."""

EXTRA_FILES = {
    "one": run("one", [1]),
    "halves-copy": FILES["halves"],
    "head-alone": "".join(f"q{topic:02} head\n" for topic in range(1, 11)),
    "thirds": "".join(f"q{topic:02} third{topic % 3}\n" for topic in range(1, 11)),
    "left-out": "q01 other3\n",
    "broken.json": "{ this was JSON",
    "tabbed": FILES["a"].replace(" ", "\t"),
    "run.html": FILES["a"],
    "run.svg": FILES["a"],
    "texts.html": "q01 a text\n",
    "parts/part-0": FILES["a"],
    "folder/qrels.f20.s1.txt": FILES["qrels"],
    "sample": FILES["qrels"],
    "likes": "".join(f"q{topic:02} 0 relevant 0.9\n" for topic in range(1, 11)),
    "dislikes": "".join(f"q{topic:02} 0 relevant 0.1\n" for topic in range(1, 11)),
    "w": FILES["heavy"],
    "sorted-qrels": "".join(reversed(FILES["qrels"].splitlines(keepends=True))),
    "windows-qrels": FILES["qrels"].replace("\n", "\r\n"),
    "tabbed-qrels": FILES["qrels"].replace(" 0 ", "\tQ0\t").rstrip("\n"),
    "judged-twice": FILES["qrels"] + "q01 0 relevant 0\n",
    "all-relevant": FILES["qrels"]
    + "".join(f"q{topic:02} 0 other{rank} 1\n" for topic in range(1, 11) for rank in (1, 2)),
    "prefs": "q01 0 A relevant 1.0\nq01 0 A other1 2.0\n",
    "sorted-prefs": "q01 0 A other1 2.0\nq01 0  A relevant 1.0\n",
    "changed-prefs": "q01 0 A relevant 2.0\nq01 0 A other1 1.0\n",
    "long-mixed": run("long-mixed", [2] * 10 + [1] * 10),
    "long-worse": run("long-worse", [2] * 10 + [3] + [1] * 9),
    "moved/run": FILES["a"],
    "moved/other": FILES["better"],
    "crossed/a": run("better", [2] * 10),
    "crossed/better": run("a", [1] * 10),
    "tied": FILES["a"].replace(" 7 5 ", " 7 4 "),
    "torn": FILES["a"].replace(" 1 11 ", " 1 10 "),
    "flat": "".join(f"q{topic:02} Q0 other{rank} 1 1 flat\n" for topic in range(1, 11) for rank in range(9))
    + "".join(f"q{topic:02} Q0 relevant 1 1 flat\n" for topic in range(1, 11)),
}

REDIRECTIONS = {">>": ("stdout", "ab"), ">": ("stdout", "wb"), "<": ("stdin", "rb")}


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files of the scenarios."""
    folder = tmp_path_factory.mktemp("harms")
    write(folder, FILES)
    write(folder, EXTRA_FILES)
    (folder / "qrels.gz").write_bytes(gzip.compress(FILES["qrels"].encode()))
    before = Path.cwd()
    os.chdir(folder)
    try:
        for command in BEFORE:
            assert main(shlex.split(command)) == 0
    finally:
        os.chdir(before)
    text = (folder / "map.json").read_text()
    assert text.count('"map": 0.5') == 11
    lines = (folder / "lines.txt").read_text().splitlines(keepends=True)
    two = (folder / "two.txt").read_text().splitlines(keepends=True)
    two_all = (folder / "two-all.txt").read_text().splitlines(keepends=True)
    assert (len(lines), len(two), len(two_all)) == (22, 24, 6)
    write(
        folder,
        {
            "cut.txt": "".join(lines[:12]),
            "topics.txt": "".join(lines[:20]),
            "last.txt": "".join(lines[:21]),
            "within.txt": "".join(lines[:11]) + lines[11][:24],
            "two-cut.txt": "".join(two[:18]),
            "two-all-cut.txt": "".join(two_all[:5]),
            "windows.txt": "".join(lines).replace("\n", "\r\n"),
            "blanks.txt": "".join(lines).replace("\t", " "),
            "null.json": text.replace('"map": 0.5', '"map": null', 1),
            "nan.json": text.replace('"map": 0.5', '"map": "nan"', 1),
            "bare-nan.json": text.replace('"map": 0.5', '"map": NaN', 1),
            "inf.json": text.replace('"map": 0.5', '"map": "inf"', 1),
            "topic-nan.json": re.sub(r'("q03", "values": {"map": )0.5', r'\1"nan"', text),
            "old.json": re.sub(r',\s*"judgements": "[0-9a-f]{64}"', "", text),
            "w": FILES["heavy"].replace("q10 10", "q10 1"),
        },
    )
    (folder / "map-link.json").symlink_to("map.json")
    (folder / "a-link").symlink_to("a")
    (folder / "nowhere-link").symlink_to("nowhere")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these files, with hard links, in which the command runs."""
    copy = tmp_path / "files"
    shutil.copytree(made, copy, symlinks=True)
    for name, twin in (("map.json", "map-hard.json"), ("a", "a-hard")):
        os.link(copy / name, copy / twin)
    monkeypatch.chdir(copy)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return copy


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def called(scenario: dict[str, str], command: Command) -> Called:
    """Call pres-eval; with redirected streams in a process of its own."""
    words = [*shlex.split(scenario["options"]), *scenario["files"].split()]
    streams: dict[str, Any] = {}
    for word in list(words):
        sign = next((sign for sign in REDIRECTIONS if word.startswith(sign)), None)
        if sign is not None:
            words.remove(word)
            name, mode = REDIRECTIONS[sign]
            streams[name] = Path(word.removeprefix(sign)).open(mode)  # noqa: SIM115
    if not streams:
        return command(*words)
    done = subprocess.run(
        [sys.executable, "-m", "pres_eval", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        check=False,
        timeout=120,
        **streams,
    )
    for stream in streams.values():
        stream.close()
    return Called(done.returncode, "", done.stderr.decode())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario["scenario"] for scenario in SCENARIOS])
def test_gate_harm(scenario: dict[str, str], folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Words are separated by ` | `; those that begin with `!` may not be there; `-`: nothing is said."""
    before = contents(folder)
    outcome = called(scenario, Command(capfdbinary))
    assert outcome.code == int(scenario["exit code"]), outcome.err
    if scenario["stderr"] == "-":
        assert not outcome.err
    else:
        for words in scenario["stderr"].split(" | "):
            assert (words.removeprefix("!") in outcome.err) != words.startswith("!"), outcome.err
    after = contents(folder)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {
        words.removesuffix("=new") for words in shlex.split(scenario["changed files"]) if words != "-"
    }


def test_scenarios_are_told_apart() -> None:
    assert len({scenario["scenario"] for scenario in SCENARIOS}) == len(SCENARIOS)


def parameters(name: str | None, use: FileUse) -> list[click.Parameter]:
    """Return the parameters of a command with which it does this to files."""
    return [parameter for parameter in command_of(name).params if uses_of(name)[parameter.name or ""] is use]


def uses_of(name: str | None) -> dict[str, FileUse]:
    return {field: parameter.file_use for field, parameter in options_of(name).fields()}


def options_of(name: str | None) -> type[CommandOptions]:
    """Return the record of a command's options, by its only argument."""
    module = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}")
    text = inspect.cleandoc(command_of(name).help or "")
    for kind in vars(module).values():
        if (
            inspect.isclass(kind)
            and issubclass(kind, CommandOptions)
            and inspect.cleandoc(kind.__doc__ or "") == text
        ):
            return kind
    assert not [option for option in command_of(name).params if option.name in ("output", "plot")]
    return CommandOptions


WITH_OUTPUTS = [
    name
    for name in (None, *COMMANDS)
    if any(field.file_use is FileUse.WRITTEN for _, field in options_of(name).fields())
]


def test_commands_with_outputs() -> None:
    assert len(WITH_OUTPUTS) > 14


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_every_option_for_a_file_says_what_becomes_of_it(name: str | None) -> None:
    """Its help begins with a verb of writing where it is written, and with none where it is read."""
    writes = re.compile(r"(Write|Also write|Also draw|List the|Keep the f-qrels)\b")
    for field, parameter in options_of(name).fields():
        text = parameter.settings.get("help", "")
        metavar = parameter.settings.get("metavar", "")
        is_output = metavar.startswith("FILE") and writes.match(text) is not None
        assert is_output == (parameter.file_use is FileUse.WRITTEN), field
        if "FILE" in text and metavar == "DIR":
            assert parameter.file_use is FileUse.WRITTEN


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_no_output_is_an_input(
    name: str | None, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each output of each command is refused with each of its inputs, but for --output of a baseline."""
    command = Command(capfdbinary)
    needed: list[str] = [] if name is None else [name]
    for parameter in command_of(name).params:
        if isinstance(parameter, click.Option) and parameter.required:
            needed += [parameter.opts[0], "msmarco"]
        elif isinstance(parameter.type, click.Choice) and isinstance(parameter, click.Argument):
            needed.append(str(parameter.type.choices[0]))
    inputs = [*parameters(name, FileUse.READ), *parameters(name, FileUse.BASELINE)]
    outputs = parameters(name, FileUse.WRITTEN)
    for output, read in itertools.product(outputs, inputs):
        if output.opts[-1] == "--output" and uses_of(name)[read.name or ""] is FileUse.BASELINE:
            continue
        words = [*needed, output.opts[-1], "a"]
        if isinstance(read, click.Option):
            words += [read.opts[-1], "a"]
        words += ["a"] * {"convert": 1, "overlap": 2}.get(name or "", 3)
        outcome = command(*words)
        assert outcome.code == 1, (words, outcome.err)
        assert "an input that would be lost" in outcome.err
