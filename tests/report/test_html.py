"""The report page: self-contained, escaped, readable, and alive in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.browser import AVAILABLE, Browser
from support.made_reports import (
    PATENT_QRELS,
    PATENT_RUNS,
    judgements,
    ranking,
    report_of,
    report_of_texts,
)

from pres_eval.report import svg
from pres_eval.report.html import as_html
from pres_eval.report.trec import evaluation_lines
from pres_eval.report.trec_report import Report

VOID = {"meta", "link", "br", "input", "img", "hr"}


class Page(HTMLParser):
    """What a page holds; fails on tags that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append((self.tags[-1][1] | {"tag": self.open[-1]}, data))
            return
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data

    def attributes(self, name: str) -> list[str | None]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]


EVIL = "</script><img/src=x/onerror=evil=1>"
TOPIC = "<script>evil=1</script>"


def evil_report(folder: Path) -> Report:
    """Two runs over topics whose ids and tags try to break out."""
    topics = (TOPIC, "'\"&amp;--><!--", "caf\u00e9")
    qrels = "".join(judgements(topic, 2) for topic in topics)
    runs = [
        "".join(ranking(topic, (place, 4), 5, tag) for topic in topics)
        for place, tag in ((1, EVIL), (2, "b"))
    ]
    return report_of_texts(folder, qrels, *runs, num_docs_in_coll=1000)


@pytest.fixture(scope="module")
def patents() -> Report:
    return report_of(PATENT_QRELS, PATENT_RUNS, num_docs_in_coll=50_000)


@pytest.fixture(scope="module")
def page(patents: Report) -> Page:
    return Page(as_html(patents))


def test_the_same_bytes_each_time(patents: Report) -> None:
    assert as_html(patents) == as_html(patents)


def test_nothing_is_loaded(patents: Report, page: Page) -> None:
    assert not {"img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.tags}
    for name in ("src", "srcset", "action", "style"):
        assert page.attributes(name) == []
    assert all(link == "data:," or (link or "").startswith("#") for link in page.attributes("href"))
    assert "url(" not in as_html(patents) and "@import" not in as_html(patents) and "http" not in page.text


def test_the_policy_allows_the_page_itself_alone(page: Page) -> None:
    policy = next(
        a["content"] or "" for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for attributes, text in page.scripts:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        if attributes.get("type") != "application/json":
            assert f"{attributes['tag']}-src 'sha256-{digest}'" in policy
    assert [a["tag"] for a, _ in page.scripts] == ["style", "script", "script"]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_the_tables_are_the_evaluators(patents: Report, page: Page) -> None:
    summary = page.tables[0]
    for run, evaluation in enumerate(patents.evaluations):
        lines = evaluation_lines(evaluation, per_topic=False, summary=True).decode().splitlines()
        values = {label.strip(): value.strip() for label, _, value in (line.split("\t") for line in lines)}
        row = dict(zip(summary[0], summary[run + 1], strict=True))
        assert row.pop("run") == evaluation.tag
        assert row == {label: values[label] for label in row} and "PRES_100" in row
    topics = next(table for table in page.tables if table[0][0] == "topic" and "PRES_100" in table[0])
    lines = evaluation_lines(patents.evaluations[0], per_topic=True, summary=False).decode().splitlines()
    per_topic = {
        (label.strip(), topic): value.strip() for label, topic, value in (x.split("\t") for x in lines)
    }
    for row_cells in topics[1:]:
        for label, cell in zip(topics[0][1:], row_cells[1:], strict=True):
            assert cell == per_topic[label, row_cells[0]]


def test_it_can_be_used_without_eyes_or_mouse(page: Page) -> None:
    tags = page.tags
    assert next(a for tag, a in tags if tag == "html")["lang"] == "en"
    ids = [identifier for identifier in page.attributes("id") if identifier]
    assert len(ids) == len(set(ids))
    assert {(link or "")[1:] for link in page.attributes("href") if (link or "").startswith("#")} <= set(ids)
    assert {part for names in page.attributes("aria-labelledby") for part in (names or "").split()} <= set(
        ids
    )
    count = {
        tag: sum(found == tag for found, _ in tags)
        for tag in ("table", "caption", "select", "input", "label")
    }
    assert count["table"] == count["caption"] and count["label"] == count["select"] + count["input"]
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in tags if tag == "th")
    assert all(a.get("type") == "button" for tag, a in tags if tag == "button")
    charts = [a for tag, a in tags if tag == "svg" and a.get("class") == "chart"]
    assert charts and all(a["role"] == "img" and a["aria-labelledby"] for a in charts)
    assert all(a.get("tabindex") == "0" and a.get("aria-label") for _, a in tags if a.get("role") == "region")


def test_nothing_breaks_out(tmp_path: Path) -> None:
    report = evil_report(tmp_path)
    text = as_html(report)
    page = Page(text)
    assert text.count("<script") == 2 and "<img" not in text and "<!--" not in text
    assert page.text.count(TOPIC) >= 2 and page.text.count(EVIL) >= 3
    data = json.loads(next(script for attributes, script in page.scripts if attributes.get("id") == "data"))
    assert data["runs"] == [EVIL, "b"] and TOPIC in data["topics"]


def test_a_single_run(tmp_path: Path) -> None:
    text = as_html(report_of_texts(tmp_path, judgements("1", 2), ranking("1", (1,), 3, "only")))
    page = Page(text)
    assert (
        "Evaluation of only" in page.text
        and "Largest differences" not in page.text
        and "ROC" not in page.text
    )


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1])
def test_contrast(page: Page, scheme: int) -> None:
    """WCAG 2: 4.5 for text, 3 for lines."""
    style = next(text for attributes, text in page.scripts if attributes["tag"] == "style")
    block = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[scheme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))

    def contrast(one: str, other: str) -> float:
        low, high = sorted((luminance(colours[one]), luminance(colours[other])))
        return (high + 0.05) / (low + 0.05)

    for ground in ("page", "panel", "best", "hover"):
        assert contrast("text", ground) >= 7
    for ground in ("page", "panel"):
        assert contrast("dim", ground) >= 4.5 and contrast("accent", ground) >= 4.5
        assert all(contrast(f"c{number}", ground) >= 3 for number in range(svg.COLOURS))


def test_axes() -> None:
    axis = svg.nice_axis("x", -0.37, 0.81)
    assert [label for _, label in axis.ticks] == ["-0.4", "-0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert axis.low <= -0.37 and axis.high >= 0.81
    assert svg.nice_axis("x", 0, 0).high > 0 and svg.nice_axis("x", 0, 0.0019).ticks[1][1] == "0.0005"
    ranks = svg.count_axis("Nmax", 1000)
    assert [label for _, label in ranks.ticks] == ["1", "10", "100", "1000"]
    assert [ranks.place(value, 0, 300) for value in (1, 10, 1000)] == pytest.approx([0, 100, 300])
    assert len({svg.series_class(number) for number in range(32)}) == 32


def test_bars_stand_where_the_values_are() -> None:
    chart = svg.bar_chart("x", "t", "d", "AP", [("a", 0.5), ("b", float("nan")), ("c", -0.5), ("d", 0.0)])
    bars = re.findall(
        r'<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)">', chart
    )
    assert [bar[0] for bar in bars] == ["above", "below"]
    (_, x1, y1, width, h1), (_, x2, y2, _, h2) = [(n, *map(float, rest)) for n, *rest in bars]
    assert (
        y1 + h1 == pytest.approx(y2) and h1 == pytest.approx(h2) and x2 - x1 == pytest.approx(width / 0.7 * 2)
    )


# In a browser.

in_chromium = pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.fixture
def opened(browser: Browser, patents: Report, tmp_path: Path) -> Browser:
    path = tmp_path / "report.html"
    path.write_text(as_html(patents))
    browser.open(path)
    return browser


COLUMN = """
  const table = document.getElementById(arguments[0]);
  const names = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
  return [...table.tBodies[0].rows].filter(row => !row.hidden)
    .map(row => row.cells[names.indexOf(arguments[1])].textContent);
"""
SORT = """
  const table = document.getElementById(arguments[0]);
  const header = [...table.tHead.rows[0].cells].find(cell => cell.textContent === arguments[1]);
  header.querySelector("button").click();
  return header.getAttribute("aria-sort");
"""
CHOOSE = """
  const field = document.getElementById(arguments[0]);
  field.value = arguments[1];
  field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", {bubbles: true}));
  return document.getElementById("shown").textContent;
"""
TABLE = "topics-table"


@in_chromium
def test_opens_without_errors_or_requests(browser: Browser, patents: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(as_html(patents))
    browser.open(path)
    browser.messages()
    browser.requested()
    browser.open(path)
    assert browser.messages() == []
    assert [address for address in browser.requested() if not address.startswith("data:")] == [path.as_uri()]


@in_chromium
def test_sorts(opened: Browser) -> None:
    before = opened.run(COLUMN, TABLE, "map")
    assert opened.run(SORT, TABLE, "map") == "descending"
    assert opened.run(COLUMN, TABLE, "map") == sorted(before, key=float, reverse=True)
    assert opened.run(SORT, TABLE, "map") == "ascending"
    assert opened.run(COLUMN, TABLE, "map") == sorted(before, key=float)
    assert opened.run(SORT, TABLE, "topic") == "ascending"
    assert opened.run(COLUMN, TABLE, "map") == before
    marked = opened.run("return document.querySelectorAll(`#${arguments[0]} [aria-sort]`).length", TABLE)
    assert marked == 1


@in_chromium
def test_sorts_by_keyboard(opened: Browser) -> None:
    opened.run("document.querySelector('#topics-table th:nth-child(4) button').focus()")
    for kind in ("keyDown", "keyUp"):
        opened.command(
            "Input.dispatchKeyEvent",
            type=kind,
            key="Enter",
            code="Enter",
            text="\r",
            windowsVirtualKeyCode=13,
        )
    values = opened.run(COLUMN, TABLE, "map")
    assert values == sorted(values, key=float, reverse=True)


@in_chromium
def test_filters(opened: Browser, patents: Report) -> None:
    count = len(patents.topics)
    topics = [topic.decode() for topic in patents.topics]
    assert opened.run(CHOOSE, "filter", topics[3].lower()) == f"1 of {count} topics shown"
    assert opened.run(COLUMN, TABLE, "topic") == [topics[3]]
    low = [
        topic
        for topic, value in zip(topics, patents.per_topic(0, "map"), strict=True)
        if round(value, 4) < 0.2
    ]
    opened.run(CHOOSE, "filter", "map<0.2")
    assert opened.run(COLUMN, TABLE, "topic") == low and 0 < len(low) < count
    assert opened.run(CHOOSE, "filter", "no such topic") == f"0 of {count} topics shown"
    assert opened.run(CHOOSE, "filter", "") == f"{count} of {count} topics shown"


@in_chromium
def test_shows_other_runs_and_measures(opened: Browser, patents: Report) -> None:
    opened.run(CHOOSE, "view", "run:2")
    assert opened.run(COLUMN, TABLE, "PRES_100") == [f"{v:.4f}" for v in patents.per_topic(2, "PRES_100")]
    assert opened.run(COLUMN, TABLE, "num_rel_ret") == [
        f"{v:.0f}" for v in patents.per_topic(2, "num_rel_ret")
    ]
    opened.run(CHOOSE, "view", "measure:2")
    for run, name in enumerate(patents.names):
        assert opened.run(COLUMN, TABLE, name) == [f"{v:.4f}" for v in patents.per_topic(run, "map")]
    assert opened.run("return document.querySelector('#topics-table caption').textContent").endswith(": map")


@in_chromium
def test_looks_at_one_run_and_prints_all(opened: Browser, tmp_path: Path) -> None:
    sections = "[...document.querySelectorAll('section.run')]"
    visible = f"return {sections}.filter(s => s.offsetHeight).map(s => s.dataset.run)"
    assert opened.run(visible) == ["0"]
    opened.run(CHOOSE, "run", "2")
    assert opened.run(visible) == ["2"]
    assert opened.run("return [...document.querySelectorAll('.chosen')].every(s => s.dataset.run === '2')")
    opened.command("Emulation.setEmulatedMedia", media="print")
    assert opened.run(visible) == ["0", "1", "2"]
    opened.command("Emulation.setEmulatedMedia", media="")
    opened.print_page(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


@in_chromium
def test_the_legend_hides_and_lights(opened: Browser) -> None:
    lines = "[...document.querySelectorAll('.charts g.series')]"
    shown = f"return {lines}.filter(line => line.getBoundingClientRect().width).length"
    every = opened.run(shown)
    press = "const b = document.querySelector(arguments[0]); b.click(); return b.ariaPressed"
    assert opened.run(press, ".legend button[data-run='1']") == "false"
    assert opened.run(shown) == every * 2 // 3
    opened.run(press, ".legend button[data-all=hide]")
    assert opened.run(shown) == 0
    opened.run(press, ".legend button[data-all=show]")
    assert opened.run(shown) == every
    opened.run("document.querySelector('.legend button').focus()")
    lit = "return [...document.querySelectorAll('.lit .series')].map(s => getComputedStyle(s).opacity)"
    assert opened.run(lit).count("1") == every // 3 and opened.messages() == []


@in_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_a_phone_in_both_schemes(browser: Browser, tmp_path: Path, scheme: str) -> None:
    folder = tmp_path / ("long" * 20)  # paths wrap wherever they have to
    shutil.copytree(Path(PATENT_QRELS).parent, folder)
    runs = [str(folder / Path(run).name) for run in PATENT_RUNS]
    report = report_of(str(folder / "qrels.txt"), runs, num_docs_in_coll=50_000)
    (tmp_path / "report.html").write_text(as_html(report))
    browser.open(tmp_path / "report.html")
    browser.look(scheme, width=390)
    try:
        assert browser.run("return document.documentElement.scrollWidth") == 390
        background = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]
        assert browser.messages() == []
    finally:
        browser.command("Emulation.clearDeviceMetricsOverride")
        browser.look("light")


@in_chromium
def test_nothing_is_run_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "evil.html").write_text(as_html(evil_report(tmp_path)))
    browser.open(tmp_path / "evil.html")
    for view in ("measure:0", "run:1", "run:0"):
        browser.run(CHOOSE, "view", view)
    browser.run(SORT, TABLE, "topic")
    assert browser.run("return [typeof evil, document.images.length, document.scripts.length]") == [
        "undefined",
        0,
        2,
    ]
    assert TOPIC in browser.run(COLUMN, TABLE, "topic")
    assert browser.run("return document.querySelector('.legend button').textContent") == EVIL
    assert browser.messages() == []
