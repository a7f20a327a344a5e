"""Ids, run tags and paths that could command a page, a spreadsheet, LaTeX, a terminal or a CI log do not."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NoReturn

import pytest
from support.commands import Called, Command

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="such names of files as POSIX has them"),
]

EVIL = (
    "<img/src=x/onerror=evil()>",
    "</script><script>evil()</script>",
    '=HYPERLINK("evil")',
    "@SUM(1)",
    "-2+3",
    r"\input{evil}",
    r"$x_1^2%#~&{}\\",
    "|evil|[evil](evil)`*_",
    "\x1b[2J\x1b]0;evil\x07",
    "::error::evil",
    "%0A::error::evil",
    "##[error]evil",
    "\u2028\u2029\u0085",
    "\u202eevil",
    "é",
)
TOPICS, TAGS = EVIL[:6], ("=cmd|'/C'!A0", "<b>\x1b[31m\\evil{}\u202e|")
FILES = ("::error::q\nrels\x1b[2J", "=1+<img>|\\evil{}\nrun", "\u2028::warning::run")


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """In a folder with judgements and two runs whose topics, documents, tags and names are all evil."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    qrels, *runs = FILES
    judged = [(t, d, chance.randrange(3)) for t in TOPICS for d in EVIL[2:]]
    Path(qrels).write_bytes("".join(f"{t} 0 {d} {grade}\n" for t, d, grade in judged).encode())
    for path, tag in zip(runs, TAGS, strict=True):
        lines = [f"{t} Q0 {d} 0 {chance.random()} {tag}\n" for t in TOPICS for d in EVIL]
        Path(path).write_bytes("".join(lines).encode())
    return call


COMMANDS: dict[str, tuple[str, ...]] = {
    "": ("-q", "-m", "map", "-m", "runid", "-m", "num_ret"),
    "compare": ("-m", "map", "--samples", "20"),
    "agreement": ("-m", "map", "-m", "P.5"),
    "sweep": ("-m", "PRES", "--nmax", "5,10"),
    "explain": ("--nmax", "5"),
    "robustness": ("-m", "map", "--samples", "1"),
    "power": ("-m", "map", "--trials", "2", "--sizes", "2", "--samples", "9"),
    "holes": ("--depth", "9", "--documents"),
    "figures": ("pres-rank",),
    "judges": (),
    "pool": ("--depth", "5"),
    "overlap": ("-q", "--changes"),
    "stopping": ("-q", "--target", "0.5"),
}
FORMATS = ("table", "json", "csv", "tsv", "latex", "markdown")


def arguments(command: str) -> list[str]:
    files = {"judges": [FILES[0], *FILES], "pool": list(FILES[1:]), "overlap": list(FILES[1:3])}.get(
        command, list(FILES)
    )
    more = COMMANDS[command]
    before, after = (more, ()) if command == "figures" else ((), more)
    quiet = [] if command == "pool" else ["--quiet"]
    return [*([command] if command else []), *before, *files, *after, *quiet]


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=refuse)


def check_messages(called: Called) -> None:
    """Each message is one line that can be printed, and none begins as an annotation of a CI system does."""
    lines = called.err.split("\n")
    assert lines.pop() == ""
    assert all(line.startswith("pres-eval: ") and line.isprintable() for line in lines), called.err


def is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf|nan)", text) is not None


def check_cells(text: str, delimiter: str) -> None:
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    assert {len(row) for row in rows} == {len(rows[0])}
    for cell in (cell for row in rows for cell in row):
        assert not cell or cell[0] not in "=+-@\t\r" or is_number(cell), cell


def check_text(form: str, text: str) -> None:
    """What a reader of the format takes for a command is not there."""
    if form == "json":
        strict(text)
    elif form in ("csv", "tsv"):
        check_cells(text, "," if form == "csv" else "\t")
    else:
        assert all(line.isprintable() for line in text.split("\n")), [x for x in text if not x.isprintable()]
        assert not any(line.lstrip().startswith("::") or "##[" in line for line in text.split("\n"))
    if form == "latex":
        printed = "\n".join(line for line in text.split("\n") if not line.startswith("% "))
        assert re.search(r"\\(input|evil)\b", printed) is None
        assert re.search(r"(?<!\\)[#%_]", printed) is None
        assert len(re.findall(r"(?<!\\)\$", printed)) % 2 == 0
    if form == "markdown":
        assert re.search(r"(?<!\\)<(img|script|b>|/script)", text) is None
        for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_tables(command: str, form: str, call: Command) -> None:
    called = call(*arguments(command), "--format", form)
    assert called.code == 0, called.err
    check_messages(called)
    check_text(form, called.out)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "pool"])
def test_warnings_and_errors(command: str, call: Command) -> None:
    with Path(FILES[2]).open("ab") as stream:
        stream.write(b"99 Q0 x 0 1 t\n" + EVIL[9].encode() + b" Q0 x 0 \x1b[2J\xe2\x80\xa8 t\n")
    said = [argument for argument in arguments(command) if argument != "--quiet"]
    called = call(*said)
    assert called.code == 2 and r"score '\x1b[2J\u2028', expected a number" in called.err
    check_messages(called)
    Path(FILES[1]).unlink()
    called = call(*said)
    assert called.code == 2 and "no such file" in called.err
    check_messages(called)


@pytest.mark.parametrize("form", ["text", "json"])
def test_check(form: str, call: Command) -> None:
    with Path(FILES[0]).open("ab") as stream:
        stream.write(EVIL[9].encode() + b" 0 " + EVIL[11].encode() + b" x\n" + b"::error::x 0\n")
    called = call("check", "--format", form, *FILES)
    assert called.code == 1
    check_messages(called)
    check_text("json" if form == "json" else "table", called.out)


class Elements(HTMLParser):
    """The elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)


@pytest.mark.parametrize("title", ["Title", EVIL[1], EVIL[0]])
def test_page(title: str, call: Command) -> None:
    said = ["--title", title, "--samples", "20", "--quiet", "-o", "page.html"]
    assert call("report", *FILES, *said).code == 0
    page, text = Elements(), Path("page.html").read_text()
    page.feed(text)
    assert "img" not in page.names and "b" not in page.names
    assert not any(name.startswith("on") for name in page.attributes)
    assert "<script>evil" not in text and "evil()</script>" not in text


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_report(form: str, call: Command) -> None:
    called = call("report", *FILES, "--samples", "20", "--quiet", "--format", form)
    assert called.code == 0
    check_messages(called)
    check_text("table" if form == "text" else form, called.out)


@pytest.mark.parametrize(
    "command", ["compare", "agreement", "sweep", "explain", "power", "figures", "judges"]
)
def test_pictures(command: str, call: Command) -> None:
    """Letters in pictures are letters, whatever matplotlib would make of $ and \\."""
    called = call(*arguments(command), "--plot", "out.svg")
    assert called.code == 0, called.err
    check_messages(called)
    kinds = {element.tag.rpartition("}")[2] for element in ET.parse("out.svg").iter()}
    assert kinds.isdisjoint({"img", "script", "foreignObject", "a"})


def test_gates_in_github(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An annotation is one line, of our own making; what is evil in it is escaped."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    called = call("--fail-under", "map=0.999", "--quiet", *FILES)
    assert called.code == 3
    lines = called.err.split("\n")[:-1]
    assert all(line.isprintable() for line in lines)
    annotations = [line for line in lines if not line.startswith("pres-eval: ")]
    assert annotations and all(line.startswith(("::error ", "::error title")) for line in annotations)
    check_text("markdown", Path("summary.md").read_text())


def test_a_summary_in_github_that_cannot_be_written(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gates decide without it, and the reader learns why the page of the job is empty."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no-such-folder/summary.md")
    called = call("--fail-under", "map=0", *FILES)
    assert called.code == 0
    assert (
        "warning: no-such-folder/summary.md: the summary of the job cannot be written: No such file or"
        " directory" in called.err
    )
