"""The report page in a browser, with names and addresses that a stranger wrote."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from support.browser import AVAILABLE, Browser
from support.hostile import DOCUMENTS, GROUPS_FILE, QRELS, RUNS, TAGS, TEXTS, TOPICS, UNSAFE, write_all

from pres_eval.cli import main
from pres_eval.report.text import text_of

pytestmark = [
    pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here"),
    pytest.mark.slow,
]

COPIED = """
  const [section, done] = arguments;
  window.dispatchEvent(new Event("beforeprint"));
  navigator.clipboard.writeText = async (text) => done(text);
  document.querySelector(`${section} [data-take=Copy]`).click();
"""
FORMULA = ("=", "+", "-", "@", "'", "\t", "\r")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    texts = ["--queries", TEXTS, "--titles", TEXTS, "--groups", GROUPS_FILE]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_all()
        options = ["-m", "map", "--names", "tag", "-o", "a.html", "--quiet"]
        code = main(["report", QRELS, *RUNS, *options, *texts])
    assert code == 0
    return folder / "a.html"


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_copied_cells_are_no_formulas(browser: Browser, page: Path) -> None:
    browser.open(page)
    text = browser.run_later(COPIED, "#leaderboard")
    rows = [line.split("\t") for line in text.split("\n")]
    assert "'=cmd|'/C'!A0" in [row[0] for row in rows]
    assert {len(row) for row in rows} == {len(rows[0])}
    for section in ("#leaderboard", "#topics"):
        cells = browser.run_later(COPIED, section).replace("\n", "\t").split("\t")
        begin = [cell for cell in cells if cell.startswith(FORMULA) and not is_number(cell)]
        assert all(cell.startswith("'") and cell[1:].startswith(FORMULA) for cell in begin), begin
    assert browser.messages() == []


@pytest.mark.parametrize("name", ["__proto__", "toString"])
def test_addresses_that_name_parts_of_every_object(name: str, browser: Browser, page: Path) -> None:
    for fragment in (
        f"#topics?{name}=1",
        f"#topics?view=measure:{name}",
        f"#leaderboard?sort=board:{name}:ascending",
        f"#leaderboard?m={name}&a={name}&b={name}&base={name}&run={name}&topic={name}&doc={name}",
        f"#topics?sort=topics:{name}:descending&filter={name}",
        f"#{name}?m={name}",
        "#topic?pins=" + quote(json.dumps([name])),
    ):
        browser.open(page, fragment)
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        assert browser.messages() == [], fragment


def test_all_that_is_shown_is_safe(browser: Browser, page: Path) -> None:
    for choice in (
        f"#topic?topic={quote(text_of(TOPICS[2]))}&run={quote(text_of(TAGS[2]))}",
        f"#topics?view={quote('run:' + text_of(TAGS[0]))}",
        f"#topic?doc={quote(text_of(DOCUMENTS[3]))}",
    ):
        browser.open(page, choice)
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        shown = browser.run("return document.body.innerHTML")
        assert UNSAFE.findall(shown.replace("\t", "")) == [], choice
        assert browser.run("return [document.images.length, typeof evil]") == [0, "undefined"]
    assert browser.messages() == []
