"""Files of a stranger: topics, documents, tags, groups, strata, names of files that could command."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

TOPICS = (
    "\x1b[2J\x1b]0evil\x07",
    "\x9b31m",
    "\u202eevil",
    "a\u2028b\u0085c",
    "::error::evil",
    '=HYPERLINK("evil")',
    r"\input{evil}",
    "|evil|[evil](evil)`*_",
    "<img/src=x/onerror=evil()>",
    "x##[error]y",
)
DOCUMENTS = (
    *TOPICS,
    "@SUM(1)",
    r"$x_1^2%#~&{}\\",
    "</script><script>evil()</script>",
    "\u200f\ufeff\xad",
)
TAGS = ("\x1b[31mred", "=cmd|'/C'!A0", "<b>\\evil{}\u202e|", "\x9b2J\u2066")
GROUPS = (
    "\x1bMevil",
    "\x9b31m",
    "\u202eevil",
    "a\u2028b\u0085c",
    "::error::evil",
    "=1+1",
    "\\input{evil}|<b>",
)
QRELS = "::error::q\nrels\x1b[2J"
JUDGES = (QRELS, "\u202ejudge\x9b2J", "=judge|<b>")
RUNS = ("=1+<img>|\\evil{}\nrun", "\u2028::warning::run", "\x1b]0;evil\x07run", "\x85run")
SCORES, GROUPS_FILE, WEIGHTS, SAMPLE, FOUND, SIZES, TEXTS = (
    f"{name}\x1b[2J\u202e" for name in ("scores", "groups", "weights", "sample", "found", "sizes", "texts")
)

UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Control characters but the end of a line, and what turns the direction of text or ends a line elsewhere."""


def write_all() -> None:
    """Write all files into the current folder."""
    chance = random.Random(1)
    for judge in JUDGES:
        lines = [f"{t} 0 {d} {chance.randrange(3)}\n" for t in TOPICS for d in DOCUMENTS[2:]]
        Path(judge).write_bytes("".join(lines).encode())
    for path, tag in zip(RUNS, TAGS, strict=True):
        lines = [f"{t} Q0 {d} 0 {chance.random()} {tag}\n" for t in TOPICS for d in DOCUMENTS]
        Path(path).write_bytes("".join(lines).encode())
    _write_csv(
        SCORES,
        ("run", "topic", "map", "P_5"),
        [(f"{tag}\n", topic, chance.random(), chance.random()) for tag in TAGS for topic in TOPICS],
    )
    _write_csv(GROUPS_FILE, ("topic", "group"), [*zip(TOPICS, (*GROUPS, *GROUPS), strict=False)])
    _write_csv(WEIGHTS, ("topic", "weight"), [(topic, chance.randrange(1, 4)) for topic in TOPICS])
    found = [document for document in DOCUMENTS[::2] if not set(document) & set(',;"')]
    Path(FOUND).write_bytes("".join(f"{t}\t{d}\n" for t in TOPICS[:3] for d in found).encode())
    strata = [
        (topic, document, TAGS[document in found], place % 3 % 2)
        for topic in TOPICS[:3]
        for place, document in enumerate(DOCUMENTS)
    ]
    _write_csv(SAMPLE, ("topic", "docno", "stratum", "relevance"), strata)
    sizes = {TAGS[True]: len(found), TAGS[False]: 99}
    lines = [f"{topic}\t{stratum}\t{size}\n" for topic in TOPICS[:3] for stratum, size in sizes.items()]
    Path(SIZES).write_bytes("".join(lines).encode())
    Path(TEXTS).write_bytes("".join(f"{name}\t{name}\n" for name in DOCUMENTS).encode())


def _write_csv(path: str, header: tuple[str, ...], rows: Sequence[Sequence[object]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf|nan)", text) is not None


def check_cells(text: str, delimiter: str) -> None:
    """No cell is a formula, and all rows have as many."""
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    assert {len(row) for row in rows} == {len(rows[0])}
    for cell in (cell for row in rows for cell in row):
        assert not cell or cell[0] not in "=+-@\t\r" or is_number(cell), cell


def check_latex(text: str) -> None:
    printed = "\n".join(line for line in text.split("\n") if not line.startswith("% "))
    assert re.search(r"\\(input|evil)\b", printed) is None
    assert re.search(r"(?<!\\)[#%_]", printed) is None
    assert len(re.findall(r"(?<!\\)\$", printed)) % 2 == 0


def check_markdown(text: str) -> None:
    assert re.search(r"(?<!\\)<(img|script|b>|/script)", text) is None
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def check_output(form: str, text: str) -> None:
    """What a terminal, a page, a spreadsheet, LaTeX or a CI log would take for a command is not there."""
    tabs = "\t" if form in ("tsv", "list") else ""
    unsafe = [sign for sign in UNSAFE.findall(text) if sign not in tabs]
    assert unsafe == [], [line for line in text.split("\n") if UNSAFE.search(line)][:3]
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in text.split("\n"))
    if form == "json":
        json.loads(text)
    elif form == "jsonl":
        assert text == "" or [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    elif form in ("csv", "tsv", "list"):
        check_cells(text, "," if form == "csv" else "\t")
    elif form == "latex":
        check_latex(text)
    elif form == "markdown":
        check_markdown(text)
