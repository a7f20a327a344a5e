"""No name in any table of any command, in any format, commands its reader: made from the list of commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest
from support.commands import Command
from support.hostile import (
    FOUND,
    GROUPS_FILE,
    JUDGES,
    QRELS,
    RUNS,
    SAMPLE,
    SCORES,
    SIZES,
    TEXTS,
    UNSAFE,
    WEIGHTS,
    check_markdown,
    check_output,
    write_all,
)
from support.trials import ALL

from pres_eval.cli.commands import COMMANDS, command_of

EVALUATOR = "evaluate"
GROUPED = ("--groups", GROUPS_FILE, "--weights", WEIGHTS)
FEW = ("-m", "map", "-m", "P.5")

CALLS: dict[str, list[tuple[str, ...]]] = {
    EVALUATOR: [
        (QRELS, *RUNS, *FEW, "-m", "runid"),
        (QRELS, *RUNS, *FEW, "-q", *GROUPED),
        (QRELS, RUNS[0], *FEW, "-q", *GROUPED, "--names", "path"),
    ],
    "agreement": [
        (QRELS, *RUNS, *FEW),
        ("--scores", SCORES),
    ],
    "check": [(QRELS, *RUNS)],
    "compare": [
        (QRELS, *RUNS, *FEW, "--samples", "20", "--per-topic", *GROUPED, "--names", "file"),
        (QRELS, *RUNS, "-m", "map", "--all-pairs"),
        ("--scores", SCORES, "--per-topic"),
    ],
    "explain": [(QRELS, *RUNS[:2], "--nmax", "5", "--max", "0")],
    "figures": [("pres-rank", QRELS, *RUNS), ("precision-recall", QRELS, *RUNS)],
    "holes": [(QRELS, *RUNS, "--depth", "9", "--documents")],
    "judges": [(*JUDGES[:2], *RUNS, "--judge", JUDGES[2], "--group", "\x1b[2J\u202e", "*", *FEW)],
    "merge": [(*JUDGES, "--disagreements", "-")],
    "overlap": [(*RUNS[:2], "-q", "--changes", "--irrelevant", QRELS)],
    "pool": [(*RUNS, "--depth", "5")],
    "power": [
        ("--scores", SCORES, "-m", "map", "--delta", "0.3", "--trials", "2", "--sizes", "2", "--samples", "9")
    ],
    "report": [
        (QRELS, *RUNS, *FEW, "--samples", "20", *GROUPED, "--title", "\x1b[2J\u202e<b>", "--queries", TEXTS)
    ],
    "replicate": [(QRELS, *RUNS[:2], *RUNS[:2], *FEW, "-q")],
    "robustness": [
        (QRELS, *RUNS, *FEW, "--samples", "1", "--depths", "1,2", "--leave-out", "run", "--fractions", "0.5")
    ],
    "stopping": [(QRELS, *RUNS, "--stops", WEIGHTS, "-q")],
    "sweep": [(QRELS, *RUNS, "-m", "PRES", "--nmax", "5,10")],
    "validate": [(FOUND, SAMPLE, "--sizes", SIZES, "--target", "0.01", "--margin", "0.1")],
}
"""Calls in which all names of each command come from a stranger."""

NO_NAMES = {"completion", "help", "man", "measures", "protocols"}
"""Commands that print nothing of files."""

BYTES_KEPT = {"convert"}
"""Commands whose output is ids as they are."""

AS_THEY_ARE = {"trec", "parquet"}
"""Formats of the evaluator that have ids as they are: trec_eval's lines, and a file for programs."""


def formats(command: str) -> list[str]:
    """The values of --format of a command; without that option the one form that it has."""
    found = command_of(None if command == EVALUATOR else command)
    for parameter in found.params:
        if parameter.name == "output_format" and isinstance(parameter.type, click.Choice):
            return [str(choice) for choice in parameter.type.choices]
    return [""]


def all_calls() -> list[Any]:
    return [
        pytest.param(command, number, form, id=f"{command}-{number}-{form or 'text'}")
        for command, calls in CALLS.items()
        for number in range(len(calls))
        for form in formats(command)
        if form not in AS_THEY_ARE
    ]


def test_all_commands_are_tried() -> None:
    assert set(CALLS) == {EVALUATOR, *COMMANDS} - NO_NAMES - BYTES_KEPT


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    write_all()
    return call


NAMES_OF_TABLES: dict[tuple[str, int], list[str]] = {}
"""The values of --table of each call that was made already."""


def tables(command: str, number: int, call: Command) -> list[str]:
    """The values of --table that a call has; none for a command that prints all in one."""
    if command == EVALUATOR or not any("--table" in each.opts for each in command_of(command).params):
        return []
    if (command, number) not in NAMES_OF_TABLES:
        found = call(command, *CALLS[command][number], "--format", "json", "--quiet")
        assert found.code == 0, found.err
        names = [name for name, value in found.json.items() if isinstance(value, list)]
        assert names, (command, number, found)
        NAMES_OF_TABLES[command, number] = names
    return NAMES_OF_TABLES[command, number]


def tried_tables(command: str, number: int, form: str, call: Command) -> list[tuple[str, ...]]:
    """The tables that a format is tried on, as arguments: the one without --table, and the others by turns.

    Each table is printed in one format; PRES_EVAL_EXAMPLES=all prints all in all.
    """
    named = tables(command, number, call)
    known = formats(command)
    turn = known.index(form)
    chosen = [name for place, name in enumerate(named) if ALL or (place + turn) % len(known) == 0]
    return [(), *(("--table", name) for name in chosen)]


@pytest.mark.parametrize(("command", "number", "form"), all_calls())
def test_names_in_tables(command: str, number: int, form: str, call: Command) -> None:
    arguments = CALLS[command][number]
    words = [] if command == EVALUATOR else [command]
    for table in tried_tables(command, number, form, call):
        if command == "report" and form == "text" and table:
            continue
        format_words = ["--format", form] if form else []
        quiet = [] if command == "check" else ["--quiet"]
        called = call(*words, *arguments, *format_words, *table, *quiet)
        assert called.code in (0, 1 if command == "check" else 0), called.err
        assert called.out, (arguments, table)
        text = called.out
        if command == "merge":
            text = text[: text.index("merged\n") + 7]  # the qrels follow
            form = "list"
        check_output(form, text)
        assert called.err.count("\n") == len(called.err.splitlines())
        assert UNSAFE.search(called.err) is None


def test_names_in_the_page(call: Command) -> None:
    title = ["--title", "\u202e\x1b<img>", "--description", "\u202e\x1b<img>"]
    texts = ["--queries", TEXTS, "--titles", TEXTS]
    assert call("report", *CALLS["report"][0], *title, *texts, "-o", "page.html", "--quiet").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert UNSAFE.findall(page) == []
    assert re.search(r"<(img|b>|script>evil)|onerror=evil\(\)>", page.replace("<b>b</b>", "")) is None


@pytest.mark.parametrize("command", ["agreement", "compare", "judges", "power", "validate"])
def test_names_in_pictures(command: str, call: Command) -> None:
    """A picture is XML, which has no control characters."""
    for arguments in CALLS[command]:
        called = call(command, *arguments, "--plot", "out.svg", "--quiet")
        assert called.code == 0, called.err
        ElementTree.parse("out.svg")
        assert UNSAFE.findall(Path("out.svg").read_text(encoding="utf-8")) == []


def test_names_of_groups_in_lines_of_trec_eval(call: Command) -> None:
    """Ids and tags are trec_eval's bytes; the names of groups are ours."""
    called = call(QRELS, RUNS[0], "-m", "map", *GROUPED, "--quiet")
    assert UNSAFE.findall(called.out.replace("\t", "")) == []
    assert r"map[\x1bMevil]" in called.out


def test_names_in_the_reports_of_gates(call: Command) -> None:
    reports = ["--junit", "junit.xml", "--summary", "summary.md"]
    called = call(QRELS, *RUNS, *GROUPED, "--fail-under", "map[macro]=0.999", *reports, "--quiet")
    assert called.code == 3
    ElementTree.parse("junit.xml")
    for path in ("junit.xml", "summary.md"):
        assert UNSAFE.findall(Path(path).read_text(encoding="utf-8")) == []
    check_markdown(Path("summary.md").read_text(encoding="utf-8"))


def test_names_of_files_in_findings(call: Command) -> None:
    """`check` names the other files that have a tag."""
    lines = [line for line in Path(RUNS[0]).read_text(encoding="utf-8").split("\n") if line]
    paths = ("1\x1b[2J\u202e", "2\x9b31m::error::x##[error]y")
    for path in paths:
        Path(path).write_text("".join(f"{line.rpartition(' ')[0]} t\n" for line in lines), encoding="utf-8")
    for form in ("text", "json"):
        called = call("check", QRELS, *paths, "--format", form)
        assert "same-tag" in called.out
        check_output(form, called.out)
