"""The manual page: whole, made of the texts of --help, and roff that man has nothing to say against."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval import __version__
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import DIFFERENCES, EXIT_CODES, option_rows
from pres_eval.cli.man import escaped, page
from pres_eval.measures import MEASURES, NICKNAMES


def test_command_prints_the_page(command: Command) -> None:
    assert command.ok("man").out == page()


def test_is_ascii_with_a_title() -> None:
    assert page().isascii()
    assert page().startswith(f'.TH PRES-EVAL 1 "" "pres-eval {__version__}" "User Commands"\n')


def test_says_what_help_says() -> None:
    lines = set(page().splitlines())
    texts = [text for name in [None, *COMMANDS] for row in option_rows(command_of(name)) for text in row[1:]]
    texts += [measure.description for measure in MEASURES]
    texts += [*EXIT_CODES.values(), *DIFFERENCES]
    assert [text for text in texts if escaped(text) not in lines] == []
    assert [name for name in COMMANDS if f".SS {name}" not in lines] == []
    terms = [measure.name for measure in MEASURES] + [str(code) for code in EXIT_CODES]
    terms += [f"official ({', '.join(NICKNAMES)})", "all_trec (10.0)"]
    assert [term for term in terms if rf"\fB{escaped(term)}\fR" not in lines] == []


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("a-b", r"a\-b"),
        (".start", r"\&.start"),
        ("x\n'quoted' `ticks`", "x\n\\(aqquoted\\(aq \\(gaticks\\(ga"),
        (r"\r\n", r"\er\en"),
        ("β × …", r"\[u03B2] \[u00D7] \[u2026]"),
    ],
)
def test_escaped(text: str, roff: str) -> None:
    assert escaped(text) == roff


def test_no_line_is_an_unknown_request() -> None:
    """Whatever starts with a point or a tick is one of the requests that are meant."""
    requests = {line.split()[0] for line in page().splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".PP", ".TP", ".IP", ".nf", ".fi"}


def test_nothing_verbatim_is_wider_than_a_terminal() -> None:
    """man breaks all other lines itself; these are indented by seven blanks."""
    blocks = re.findall(r"^\.nf\n(.*?)^\.fi$", page(), re.MULTILINE | re.DOTALL)
    lines = [line.replace("\\(aq", "'").replace("\\", "") for block in blocks for line in block.splitlines()]
    assert lines and [line for line in lines if len(line) > 72] == []


def test_groff_has_no_warnings(tmp_path: Path) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("no groff here")
    path = tmp_path / "pres-eval.1"
    path.write_text(page(), encoding="ascii")
    done = subprocess.run(
        [groff, "-man", "-ww", "-Tutf8", "-P-c", "-rLL=100n", str(path)],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == b""
    text = re.sub(r".\x08", "", done.stdout.decode())
    words = " ".join(text.split())
    assert "pres-eval [OPTIONS] QRELS RUN [RUN ...]" in words
    assert "F′ with β" in words
    assert re.findall(r"^[A-Z][A-Z _]+$", text, re.MULTILINE) == [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "COMMANDS",
        "FILES",
        "MEASURES",
        "EXIT STATUS",
        "DIFFERENCES FROM TREC_EVAL",
        "SEE ALSO",
    ]
