"""README.md, docs/ and the help say what is true: tables are those of the code, every example runs."""

from __future__ import annotations

import ast
import functools
import html
import inspect
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
import update_docs
from support import prepared
from support.commands import Command
from support.doc_commands import page_name as page_of_command
from support.doc_formulas import Letter, letters_of
from support.doc_measures import PAGES as MEASURE_PAGES
from support.doc_measures import common_letters, formula_of, members_of
from support.doc_measures import page_name as page_of_measure
from support.doc_parts import OPTIONED, PARTS
from support.doc_picture import WAY, Step, architecture
from support.doc_terminal import marks

from pres_eval import __version__
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import EXAMPLE, USAGE
from pres_eval.cli.man import page
from pres_eval.measures import MEASURES
from pres_eval.measures.base import Measure

pytestmark = pytest.mark.slow

PAGES = update_docs.pages()
README = PAGES["README.md"]
BLOCKS = [(name, *block) for name, text in PAGES.items() for block in update_docs.blocks(text)]
HOW = "python tests/update_docs.py writes it again"

SHOWN = {"console", "pycon", "text"}
"""Kinds of blocks that any page may have; text is for formulas and drawings."""

TESTED_ELSEWHERE = {
    ("README.md", "sh"): 2,  # test_setup_commands
    ("docs/maintainers/contributing.md", "sh"): 5,  # .ci/run does the same; tests/project/test_releases.py
    ("docs/guides/ci.md", "sh"): 2,  # tests/cli/test_ci_guide.py
    ("docs/guides/ci.md", "yaml"): 4,
    ("docs/guides/scale.md", "sh"): 2,  # they need a cluster; tests/engines has one of its own
    ("docs/guides/scale.md", "yaml"): 1,  # tests/engines/test_cluster_guide.py
    ("docs/guides/scale.md", "python"): 1,
}
"""How many other blocks each page has."""


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_those_of_the_code(name: str) -> None:
    found = [part for part in (update_docs.part(text, name) for text in PAGES.values()) if part is not None]
    assert len(found) == 1, "each part is on one page"
    assert found[0] == PARTS[name](), HOW


def plain(html_text: str) -> str:
    """HTML's letters and numbers alone, in their order."""
    return re.sub(r"[\W_]", "", html.unescape(re.sub(r"<[^>]*>", "", html_text.replace("&emsp;", ""))))


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_formulas_say_what_the_help_says(measure: Measure) -> None:
    """Set as HTML, a formula has the same letters and numbers; the page's top has some letters."""
    text = formula_of(measure)
    page = page_of_measure(measure)
    if not text or MEASURE_PAGES[page].in_brief:
        return
    whole = PAGES[f"docs/reference/measures/{page}.md"]
    section = whole.partition(f"\n## {measure.name}\n")[2]
    shown = section.partition('<p class="formula">')[2].partition("\n\n")[0]
    known = common_letters(page)
    assert plain(shown) == plain(html.escape(without_letters(text, known)))
    top = plain(whole.partition("\n## ")[0])
    assert all(
        plain(html.escape(f"{letter}{words}")) in top
        for letter, words in letters_of(text)
        if (letter, words) in known
    )
    for tag in ("var", "sub", "sup", "dt", "dd", "dl"):
        assert len(re.findall(rf"<{tag}\b", shown)) == shown.count(f"</{tag}>")


def without_letters(formula: str, known: list[Letter]) -> str:
    """A formula as the docstring has it, without the letters that the top of its page explains."""
    for letter, words in letters_of(formula):
        if (letter, words) in known:
            pattern = re.escape(letter) + r" {2,}" + r"\s+".join(map(re.escape, words.split()))
            formula, count = re.subn(rf"(?<!\S){pattern}(?!\S)", "", formula, count=1)
            assert count == 1, letter
    return formula


def test_every_mark_is_that_of_a_part() -> None:
    closed = {name for text in PAGES.values() for name in re.findall(r"<!-- /(.*?) -->", text)}
    assert closed == {*PARTS, "performance", "headings"}


@pytest.mark.parametrize(
    ("kind", "content"),
    [block[1:] for block in BLOCKS],
    ids=[f"{name}: {content.splitlines()[0][:60]}" for name, _, content in BLOCKS],
)
def test_examples_print_what_is_shown(kind: str, content: str) -> None:
    assert content == update_docs.with_real_output(kind, content), HOW


NOT_OF_AN_OUTPUT = {"3.10", "95 %", "80 %"}
"""Numbers of tutorials that are no results: a version of Python, a level of confidence, a recall to reach."""


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("docs/tutorials/")])
def test_numbers_of_tutorials_are_those_of_their_outputs(name: str) -> None:
    """Each decimal number and percentage in the text is a rounded number of an output on the page."""
    printed = " ".join(content for _, content in update_docs.blocks(PAGES[name]))
    values = [Decimal(text) for text in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", printed)]
    prose = re.sub(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)", "", PAGES[name], flags=re.MULTILINE | re.DOTALL)
    told = {match[0] for match in re.finditer(r"(?<![\w.])\d+(?:\.\d+(?!\w|\.\d)| %)", prose)}
    assert told, "no number in the text"
    assert [text for text in sorted(told - NOT_OF_AN_OUTPUT) if not is_rounding(text, values)] == []


def is_rounding(text: str, values: list[Decimal]) -> bool:
    """Whether a number or a percentage is one of the values, rounded."""
    number, percent, _ = text.partition(" %")
    shown = Decimal(number).scaleb(-2) if percent else Decimal(number)
    digits = shown.as_tuple().exponent
    assert isinstance(digits, int)
    return any(abs(value - shown) * 2 <= Decimal(1).scaleb(digits) for value in values)


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_accounted_for(name: str) -> None:
    """Nothing is fenced that no test looks at; tests/library tries the guide to Python and the docstrings."""
    text = re.sub(r"<!-- python -->.*<!-- /python -->", "", PAGES[name], flags=re.DOTALL)
    kinds = re.findall(r"^ *```(\w*)$", text, re.MULTILINE)
    opened = kinds[::2]
    assert all(opened), "a block says what it is"
    assert not any(kinds[1::2])
    assert len(update_docs.blocks(text)) == opened.count("console") + opened.count("pycon")
    for kind in {*opened} - SHOWN:
        if (name, kind) != ("docs/guides/python.md", "python"):
            assert opened.count(kind) == TESTED_ELSEWHERE.get((name, kind), 0), kind
    for content in re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        assert not re.search(r"^(\$|>>>) ", content, re.MULTILINE), "an example is console or pycon"


def test_setup_commands() -> None:
    """Each is one line that makes its own environment; they are what .ci/run takes out of the README."""
    commands = update_docs.setup_commands(README)
    assert list(commands) == ["main", "test"]
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands.values())
    assert "pres-eval fixtures/patents/qrels.txt" in commands["main"]
    assert "pytest" in commands["test"]
    script = (update_docs.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- setup: " in script
    assert ".venv/bin/pip" not in script, "the commands are in the README alone"


def test_readme_is_two_screens() -> None:
    assert len(README.splitlines()) <= 160
    assert len(README) <= 8_000


def test_the_documentation_stays_short() -> None:
    """Pages and words, as wc -w counts them, without the README and the decisions."""
    pages = {name: text for name, text in PAGES.items() if name.startswith("docs/")}
    pages = {name: text for name, text in pages.items() if not name.startswith("docs/decisions/")}
    assert len(pages) <= 45
    assert sum(len(text.split()) for text in pages.values()) <= 50_000


def section_of_command(name: str) -> str:
    """The page of a command, or its section of a page that several commands share."""
    page = PAGES[f"docs/reference/commands/{page_of_command(name)}.md"]
    mark = f"# {name}\n\n<!-- help of {name} -->\n"
    if page_of_command(name) == name:
        assert page.startswith(mark)
        return (
            mark + re.split(r"^## (?=\w+\n\n<!-- help of )", page.removeprefix(mark), flags=re.MULTILINE)[0]
        )
    _, found, rest = page.partition(f"\n#{mark}")
    assert found, f"{name} has no section"
    return found + re.split(r"^## ", rest, flags=re.MULTILINE)[0]


def test_every_command_has_its_page() -> None:
    folder = "docs/reference/commands"
    assert {name for name in PAGES if name.startswith(f"{folder}/")} == {
        f"{folder}/{page_of_command(name)}.md" for name in COMMANDS
    }
    for name in COMMANDS:
        text = section_of_command(name)
        assert update_docs.part(text, f"options of {name}") is not None or name not in OPTIONED
        assert f"\n$ pres-eval {name} " in text or f"\n$ pres-eval {name}\n" in text


def without_settings(text: str) -> str:
    """A page without its first lines, if these are settings of the site."""
    return re.sub(r"\A---\n.*?\n---\n\n", "", text, flags=re.DOTALL)


def test_every_measure_is_on_one_page() -> None:
    folder = "docs/reference/measures"
    there = {name for name in PAGES if name.startswith(f"{folder}/")}
    assert there == {f"{folder}/{name}.md" for name in MEASURE_PAGES}
    shown = [entry.measure.name for name in MEASURE_PAGES for entry in members_of(name)]
    assert sorted(shown) == sorted(measure.name for measure in MEASURES)
    for name, settings in MEASURE_PAGES.items():
        text = without_settings(PAGES[f"{folder}/{name}.md"])
        assert text.startswith(f"# {settings.title}\n\n<!-- measures of {name} -->\n")


def test_a_module_without_a_page_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever adds a module of measures learns where its page is chosen."""
    precision = MEASURE_PAGES["precision"]
    monkeypatch.setitem(MEASURE_PAGES, "precision", replace(precision, modules=("sets", "counts", "judged")))
    with pytest.raises(
        LookupError, match=r"precision\.py: on no page; add .* tests/support/doc_measures\.py"
    ):
        page_of_measure(next(measure for measure in MEASURES if measure.name == "P"))


def test_every_extra_is_listed() -> None:
    settings = (update_docs.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = re.search(r"^\[project.optional-dependencies\]\n(.*?)^\[", settings, re.MULTILINE | re.DOTALL)
    assert section is not None
    extras = re.findall(r"^([\w-]+) = \[", section[1], re.MULTILINE)
    table = PAGES["docs/install.md"].partition("| extra |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == sorted(extras)


def anchors(text: str) -> set[str]:
    """The anchors of a page: what its headings become."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def links(text: str) -> list[str]:
    """What a page links to within the project."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", prose) + re.findall(r'\b(?:src|srcset)="([^"]*)"', prose)
    return [target for target in found if "://" not in target]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for target in links(PAGES[name]):
        path, _, anchor = target.partition("#")
        there = (update_docs.ROOT / name).parent / path if path else update_docs.ROOT / name
        assert there.is_file(), f"{target}: no such file"
        page = there.resolve().relative_to(update_docs.ROOT).as_posix()
        assert not anchor or anchor in anchors(PAGES[page]), f"{target}: no such heading"
        assert name == "README.md" or page.startswith("docs/"), f"{target}: not part of the site"


def test_pictures_have_their_commands() -> None:
    """A picture of the documentation is small, and a page shows how to make it."""
    folder = update_docs.ROOT / "docs"
    pictures = {path.name: path for kind in ("*.svg", "*.png") for path in folder.rglob(kind)}
    shown = {target.rpartition("/")[2] for text in PAGES.values() for target in links(text)}
    assert set(pictures) <= shown
    assert all(path.stat().st_size < 100_000 for path in pictures.values())
    commands = " ".join(content for _, kind, content in BLOCKS if kind == "console")
    others = {
        "architecture.svg": "update_docs.py",
        "scaling.svg": "plot_scaling.py",
        "processors.svg": "tests/bench/steps.py",
        "report.png": "tests/draw_report.py",
        "report-narrow.png": "tests/draw_report.py",
    }
    made = {name for option in ("-o", "--plot") for name in pictures if f"{option} {name}" in commands}
    terminals = {name for text in PAGES.values() for name, _ in marks(text)}
    assert set(pictures) - made - terminals == set(others)
    for command in others.values():
        assert any(command in text for text in PAGES.values())


@pytest.mark.parametrize("name", [name for name, text in PAGES.items() if marks(text)])
def test_pictures_of_terminals(name: str) -> None:
    """They are up to date and small; a phone of 390 pixels shows their letters at 11 pixels or more."""
    for picture, drawn in update_docs.terminals(PAGES[name]).items():
        assert (update_docs.ROOT / "docs" / picture).read_text(encoding="utf-8") == drawn, HOW
        assert len(drawn) < 30_000
        found = re.search(r'viewBox="0 0 (\d+) ', drawn)
        assert found and 14 * (390 - 2 * 16) / int(found[1]) >= 11


def test_every_command_has_its_picture() -> None:
    """A picture has a text; the pages without are those that docs/maintainers/contributing.md names."""
    pictures = {
        name: re.findall(r"!\[([^]]*)\]\([^)]*\.(?:svg|png)\)", section_of_command(name)) for name in COMMANDS
    }
    assert {name for name, texts in pictures.items() if not texts} == {"completion", "help", "man"}
    assert all(text for texts in pictures.values() for text in texts)


def test_the_picture_of_the_architecture() -> None:
    """It is up to date, and every file on the way is there."""
    assert update_docs.PICTURE.read_text(encoding="utf-8") == architecture(), HOW
    steps = [part for part in WAY if isinstance(part, Step)]
    package = update_docs.ROOT / "pres_eval"
    assert steps and [step.file for step in steps if not (package / step.file).is_file()] == []


def test_the_manual_page_that_is_installed() -> None:
    """The wheel brings it along; it is what `pres-eval man` prints."""
    assert update_docs.MANUAL.read_text(encoding="ascii") == page(), HOW


def test_every_page_is_in_the_navigation() -> None:
    settings = (update_docs.ROOT / "docs" / "mkdocs" / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"(\S+\.md)$", settings.partition("\nnav:\n")[2], re.MULTILINE)
    assert sorted(f"docs/{page}" for page in listed) == sorted(set(PAGES) - {"README.md"})
    linked = {page for target in links(README) if (page := target.partition("#")[0]).endswith(".md")}
    commands = {f"docs/reference/commands/{page_of_command(name)}.md" for name in COMMANDS}
    measures = {f"docs/reference/measures/{name}.md" for name in MEASURE_PAGES}
    decisions = {name for name in PAGES if name.startswith("docs/decisions/")}
    assert linked <= {*PAGES}
    assert {*PAGES} - linked - commands - measures - decisions == {"README.md"}


def test_the_site_shows_the_version() -> None:
    settings = (update_docs.ROOT / "docs" / "mkdocs" / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"^site_name: pres-eval (\S+)", settings, re.MULTILINE) == [__version__]


def test_pages_name_the_tag_of_this_version() -> None:
    """The steps of a release have no line of them to write by hand."""
    named = {name: [match[0] for match in update_docs.TAG.finditer(text)] for name, text in PAGES.items()}
    assert {name: len(found) for name, found in named.items() if found} == {
        "docs/guides/ci.md": 1,
        "docs/maintainers/contributing.md": 2,
    }
    for found in (match for matches in named.values() for match in matches):
        assert update_docs.updated(found.replace(__version__, "0.1.9")) == found, HOW


def test_how_to_install_is_in_one_place() -> None:
    """Until a package index has pres-eval, only the steps of a release name its command."""
    wrong = [name for name, text in PAGES.items() if re.search(r"pip install '?pres-eval\b", text)]
    assert wrong == ["docs/maintainers/contributing.md"]
    assert "'pres-eval[" not in "".join([*PAGES.values(), messages()])


def examples_of(name: str | None) -> list[str]:
    """The lines of a command's help that call it."""
    text = EXAMPLE if name is None else inspect.cleandoc(command_of(name).help or "")
    return [
        line.strip()
        for line in text.splitlines()
        if line.startswith("  ") and "pres-eval" in line.split()[:1]
    ]


EXAMPLES = [(name, example) for name in [None, *COMMANDS] for example in examples_of(name)]


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_starts_with_an_example(name: str | None) -> None:
    """After the usage and one sentence."""
    if name is None:
        assert EXAMPLE.startswith("Example: ")
        assert USAGE.startswith("pres-eval [OPTIONS] QRELS RUN")
    else:
        paragraphs = inspect.cleandoc(command_of(name).help or "").split("\n\n")
        assert re.match("\b\nExamples?:\n  ", paragraphs[1])
    assert [found for found, _ in EXAMPLES if found == name]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_examples_of_help_run(
    name: str | None, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".config" / "fish" / "completions").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    typed = example.replace("TOPIC", "PAC-1012")
    command, *output = update_docs.console(f"$ {typed}; echo $?\n").splitlines()
    assert command == f"$ {typed}; echo $?"
    assert output[-1] == "0"
    assert not [line for line in output if line.startswith("pres-eval: ")]
    written = re.search(r"(?:> |-o )(\S+)$", example)
    assert len(output) == 1 if written else len(output) > 1


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_every_command(name: str, option: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    printed = Command(capfdbinary).ok(name, option).out
    assert printed.startswith(f"Usage: pres-eval {name} [OPTIONS]")
    assert "Example" in printed


ARGUMENTS = {
    "evaluator": ["fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "table": ["--format", "table", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "error": ["-m", "mpa", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "help": ["--help"],
    "compare": ["compare", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt"],
    "check": ["check", "fixtures/patents/qrels.txt", "fixtures/patents/run_semantic.txt"],
    "explain": ["explain", "fixtures/patents/qrels.txt", "fixtures/patents/run_broad.txt", "PAC-1001"],
}


@pytest.mark.parametrize("no_color", [None, "1"])
@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
def test_no_colours_on_a_terminal(arguments: list[str], no_color: str | None) -> None:
    """Nothing is coloured, with NO_COLOR or without."""
    pty = pytest.importorskip("pty")
    leader, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(update_docs.ROOT), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    if no_color:
        environment["NO_COLOR"] = no_color
    process = subprocess.Popen(
        [prepared.program(), *arguments],
        cwd=update_docs.ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    printed = b""
    try:
        while data := os.read(leader, 65536):
            printed += data
    except OSError:
        pass  # Linux says so when the other end is closed.
    os.close(leader)
    assert process.wait(60) == (1 if "mpa" in arguments else 0)
    assert len(printed) > 50
    assert not re.search(rb"\x1b\[[0-9;:]*m", printed)


def trees() -> Iterator[tuple[Path, ast.AST]]:
    """The modules of the package."""
    for path in sorted((update_docs.ROOT / "pres_eval").rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def texts_in(tree: ast.AST) -> list[str]:
    """All texts of a tree, with a mark where a value is filled in."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "\0" for part in node.values)
            found.append("".join(map(str, parts)))
    return found


@functools.cache
def messages() -> str:
    """All texts of the package."""
    return "\n".join(message for _, tree in trees() for message in texts_in(tree))


def words_of_messages() -> list[str]:
    """What the items of the page of messages begin with."""
    items = re.findall(r"^- (`.*?`): ", PAGES["docs/troubleshooting.md"], re.MULTILINE)
    return [words for item in items for words in re.findall(r"`([^`]+)`", item)]


def test_troubleshooting_explains_messages_that_exist() -> None:
    """Each message once, in words of the package, and few enough to be read."""
    text = messages()
    words = words_of_messages()
    assert len(words) == len(set(words)) > 50
    assert [each for each in words if each not in text] == []
    assert len(PAGES["docs/troubleshooting.md"].split()) < 3000


def test_the_pictures_of_the_report_are_of_the_page_as_it_is() -> None:
    """They keep a digest of their words and numbers: `python tests/draw_report.py` draws them."""
    pytest.importorskip("PIL")
    import draw_report

    shown = {name: draw_report.digest_in(draw_report.DOCS / name) for name in draw_report.PICTURES}
    assert shown == dict.fromkeys(draw_report.PICTURES, draw_report.digest_of_page())
